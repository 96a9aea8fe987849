package db

import (
	"context"
	"time"

	"gorm.io/gorm"

	"footnote/assistants"
)

// errNotLive reports that the version to embed is no longer live.
var errNotLive = conflictError("version", "Another version of the document answers.")

// lockLive is lockDocument for work on the live version.
func lockLive(tx *gorm.DB, ref assistants.VersionRef) (documentRow, error) {
	row, err := lockDocument(tx, ref.Tenant, ref.Document)
	if err == nil && row.Live != ref.Number {
		err = errNotLive
	}
	return row, err
}

// forgetVectors records that a version has no vectors.
func forgetVectors(tx *gorm.DB, ref assistants.VersionRef) error {
	return ofVersion(tx.Model(&versionRow{}), ref).UpdateColumns(map[string]any{"space": nil, "next_space": nil}).Error
}

// toEmbed returns the version to make vectors of.
func (r documentRow) toEmbed() int {
	return assistants.Document{Status: r.Status, Live: r.Live, Latest: r.Latest}.ToEmbed()
}

// queueEmbedding queues the embedding of a document unless a job for it is open.
func queueEmbedding(tx *gorm.DB, row documentRow, at time.Time) error {
	var open int64
	err := tx.Model(&jobRow{}).Where("tenant_id = ? AND document_id = ? AND kind = ? AND version = ?", row.TenantID, row.ID, assistants.JobEmbed, row.toEmbed()).
		Count(&open).Error
	if err != nil || open > 0 {
		return err
	}
	version, err := takeVersion(tx, row, row.toEmbed())
	if err != nil {
		return err
	}
	return queue(tx, assistants.Job{
		TenantID: row.TenantID, Kind: assistants.JobEmbed, CollectionID: row.CollectionID, DocumentID: row.ID, Version: row.toEmbed(),
		Work: assistants.WorkOfPassages(version.Chunks),
	}, at)
}

// QueueEmbedding queues JobEmbed for a document whose live version this is,
// unless a job for this version or the next one is open. vectorsLost says that the
// index has lost the live version's vectors. ErrConflict: another version is
// live.
func (s *Store) QueueEmbedding(ctx context.Context, ref assistants.VersionRef, vectorsLost bool) error {
	return s.write(ctx, "queue embedding", func(tx *gorm.DB) error {
		row, err := lockLive(tx, ref)
		if err != nil {
			return err
		}
		if vectorsLost {
			if err := forgetVectors(tx, ref); err != nil {
				return err
			}
		}
		return queueEmbedding(tx, row, s.stamp())
	})
}

// Embedded records that every chunk of the live version has a vector in a space,
// and makes a document that was embedding ready. ErrConflict: another version is
// live. ErrSpaceMismatch: the space is neither the collection's nor its next
// one.
//
// It locks the collection, so that its space does not change meanwhile.
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
		var v versionRow // only the fields set here are written
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

// makeReady makes a locked document ready if it was embedding, and clears the
// cause that kept it from being embedded.
func makeReady(tx *gorm.DB, row documentRow, at time.Time) error {
	if row.Live != row.Latest || row.Status != assistants.StatusEmbedding && row.Status != assistants.StatusReady {
		return nil // the state is that of a newer version
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
