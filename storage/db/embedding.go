package db

import (
	"context"
	"time"

	"gorm.io/gorm"

	"footnote/assistants"
)

// notLive says that a version that was to be embedded does not answer any more.
var notLive = taken("version", "Another version of the document answers.")

// lockLive is lockDocument for work on the version that answers.
func lockLive(tx *gorm.DB, ref assistants.VersionRef) (documentRow, error) {
	row, err := lockDocument(tx, ref.Tenant, ref.Document)
	if err == nil && row.Live != ref.Number {
		err = notLive
	}
	return row, err
}

// forgetVectors notes that a version has no vectors.
func forgetVectors(tx *gorm.DB, ref assistants.VersionRef) error {
	return ofVersion(tx.Model(&versionRow{}), ref).UpdateColumns(map[string]any{"space": nil, "next_space": nil}).Error
}

// toEmbed is the version that vectors are made of.
func (r documentRow) toEmbed() int {
	return assistants.Document{Status: r.Status, Live: r.Live, Latest: r.Latest}.ToEmbed()
}

// queueEmbedding queues the embedding of a document, if it is not queued or in
// work.
func queueEmbedding(tx *gorm.DB, row documentRow, at time.Time) error {
	var open int64
	err := tx.Model(&jobRow{}).Where("tenant_id = ? AND document_id = ? AND kind = ? AND version = ?", row.TenantID, row.ID, assistants.JobEmbed, row.toEmbed()).
		Count(&open).Error
	if err != nil || open > 0 {
		return err
	}
	return queue(tx, assistants.Job{
		TenantID: row.TenantID, Kind: assistants.JobEmbed, CollectionID: row.CollectionID, DocumentID: row.ID, Version: row.toEmbed(),
	}, at)
}

// QueueEmbedding queues JobEmbed for a document whose live version this is,
// unless one is open: for that version, or for the one that is being embedded
// to take its place. lost says that the index has none of the live version's
// vectors any more. ErrConflict: another version is live.
func (s *Store) QueueEmbedding(ctx context.Context, ref assistants.VersionRef, lost bool) error {
	return s.write(ctx, "queue embedding", func(tx *gorm.DB) error {
		row, err := lockLive(tx, ref)
		if err != nil {
			return err
		}
		if lost {
			if err := forgetVectors(tx, ref); err != nil {
				return err
			}
		}
		return queueEmbedding(tx, row, s.stamp())
	})
}

// Embedded notes that every chunk of the live version has a vector in a
// space, and makes a document that was embedding ready. ErrConflict:
// another version is live. ErrSpaceMismatch: the space is neither the
// collection's nor its next one.
//
// The collection is locked, so
// that its space is not swapped meanwhile.
func (s *Store) Embedded(ctx context.Context, ref assistants.VersionRef, space assistants.Space, at time.Time) error {
	return s.write(ctx, "embedded", func(tx *gorm.DB) error {
		var owner documentRow
		if err := tx.Where("tenant_id = ? AND id = ?", ref.Tenant, ref.Document).Take(&owner).Error; err != nil {
			return err
		}
		if err := lockCollection(tx, ref.Tenant, owner.CollectionID); err != nil {
			return err
		}
		row, err := lockLive(tx, ref)
		if err != nil {
			return err
		}
		c, err := takeCollection(tx, ref.Tenant, row.CollectionID)
		if err != nil {
			return err
		}
		var v versionRow // only what is set in it is written
		switch {
		case space.IsZero():
			return assistants.ErrSpaceMismatch
		case space == c.Next:
			v.NextSpace = &space
		case space == c.Space:
			v.Space = &space
		default:
			return assistants.ErrSpaceMismatch
		}
		if err := ofVersion(tx.Model(&versionRow{}), ref).UpdateColumns(&v).Error; err != nil {
			return err
		}
		return makeReady(tx, row, stamp(at))
	})
}

// makeReady ends the embedding of a locked document: one that was embedding is
// ready, and what kept it from being embedded is over.
func makeReady(tx *gorm.DB, row documentRow, at time.Time) error {
	if row.Live != row.Latest || row.Status != assistants.StatusEmbedding && row.Status != assistants.StatusReady {
		return nil // a newer version tells what is going on
	}
	before := row
	row.Status, row.CauseCode, row.CauseMessage = assistants.StatusReady, nil, nil
	if sameState(before, row) {
		return nil
	}
	columns := map[string]any{"status": row.Status, "cause_code": nil, "cause_message": nil, "chunks_done": row.ChunksTotal, "updated_at": at}
	if before.Status != row.Status {
		columns["ready_at"] = at
	}
	err := tx.Model(&documentRow{}).Where("tenant_id = ? AND id = ?", row.TenantID, row.ID).UpdateColumns(columns).Error
	if err != nil {
		return err
	}
	return logState(tx, row, row.Live, at)
}
