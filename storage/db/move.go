package db

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"footnote/assistants"
)

// Refusals of moves.
var (
	errMoveAttached = conflictError("", "The document is attached to a mail and stays with it. Move the mail.")
	errMoveTwin     = fmt.Errorf("%w (%w)", conflictError("collection_id", "The collection has a document with the same bytes."), assistants.ErrSameBytes)
	errMovePath     = conflictError("collection_id", "The collection has a document from the same source_path.")
	errMoveBusy     = conflictError("", "The document, or one that is attached to it, is being processed. Move it when it is ready.")
)

// MoveDocument moves a document, with what is attached to it, into another
// collection of the tenant, unless check, within the transaction, returns an error
// for the stored document, which is returned. From then on it is not found through
// the old collection. A JobPurge indexes it where it is now, and a document that waited
// unread in the tenant's FilesCollection is read. A document that is there already stays
// as it is. ErrNotFound: the document or the collection does not exist.
// ErrConflict: it is attached to a mail or being processed, or the collection has a
// document with the bytes of one that moves or from the same path; with ErrSameBytes, with
// its own bytes.
func (s *Store) MoveDocument(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID, to assistants.CollectionID, check func(assistants.Document) error) (moved assistants.Document, err error) {
	defer s.described.Add(1)
	err = s.write(ctx, "move document", func(tx *gorm.DB) error {
		if err := lockCollection(tx, tenant, to); err != nil {
			return err
		}
		row, err := lockDocument(tx, tenant, id)
		if err == nil {
			err = checkDocumentNow(tx, row, check)
		}
		if err != nil {
			return err
		}
		if row.CollectionID != to {
			if err := s.moveWithAttached(tx, row, to); err != nil {
				return err
			}
		}
		moved, err = takeDocument(tx.Where("documents.tenant_id = ? AND documents.id = ?", tenant, id))
		return err
	})
	return moved, err
}

// moveWithAttached moves a locked document and what is attached to it.
func (s *Store) moveWithAttached(tx *gorm.DB, row documentRow, to assistants.CollectionID) error {
	if row.ParentID != nil {
		return errMoveAttached
	}
	// The document's lock keeps others from being attached.
	locked := tx.Model(&documentRow{}).Where("tenant_id = ? AND parent_id = ?", row.TenantID, row.ID).UpdateColumn("revision", gorm.Expr("revision + 1"))
	if locked.Error != nil {
		return locked.Error
	}
	var attached []documentRow
	if err := tx.Where("tenant_id = ? AND parent_id = ?", row.TenantID, row.ID).Order("id").Find(&attached).Error; err != nil {
		return err
	}
	for _, r := range append([]documentRow{row}, attached...) {
		if err := s.moveLocked(tx, r, to); err != nil {
			return err
		}
	}
	return nil
}

// moveLocked moves one locked document, on which no work is open.
func (s *Store) moveLocked(tx *gorm.DB, row documentRow, to assistants.CollectionID) error {
	err := refuseIfAny(tx.Model(&jobRow{}).Where("tenant_id = ? AND document_id = ? AND kind IN ?", row.TenantID, row.ID, workKinds), errMoveBusy)
	if err != nil {
		return err
	}
	there := func() *gorm.DB {
		return tx.Model(&documentRow{}).Where("tenant_id = ? AND collection_id = ?", row.TenantID, to)
	}
	twin := errMoveTwin
	if row.ParentID != nil {
		twin = conflictError("collection_id", fmt.Sprintf("The collection has a document with the same bytes as the attachment %q.", row.Name))
	}
	if err := refuseIfAny(there().Where("latest_sha256 = ?", row.LatestSHA256), twin); err != nil {
		return err
	}
	if row.SourceKey != nil {
		if err := refuseIfAny(there().Where("source_key = ?", *row.SourceKey), errMovePath); err != nil {
			return err
		}
	}
	noteChange(tx, assistants.DocumentChange{Tenant: row.TenantID, Collection: to, Document: row.ID})
	// A document replaces one of its own collection only.
	if err := forgetSuperseded(tx, row.TenantID, []supersession{{row.ID, orZero(row.Supersedes)}}); err != nil {
		return err
	}
	now := s.stamp()
	err = tx.Model(&documentRow{}).Where("tenant_id = ? AND id = ?", row.TenantID, row.ID).UpdateColumns(map[string]any{"collection_id": to, "supersedes": nil, "updated_at": now}).Error
	switch {
	case err != nil:
		return err
	case held(row):
		row.CollectionID = to
		return requeueLatest(tx, row, now)
	case row.Live == 0:
		return nil
	}
	// Its vectors are those of the old collection's space.
	if err := forgetVectors(tx, assistants.VersionRef{Tenant: row.TenantID, Document: row.ID, Number: row.Live}); err != nil {
		return err
	}
	return queue(tx, assistants.Job{TenantID: row.TenantID, Kind: assistants.JobPurge, CollectionID: row.CollectionID, DocumentID: row.ID}, now)
}
