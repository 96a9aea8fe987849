package db

import (
	"context"
	"time"

	"gorm.io/gorm"

	"footnote/assistants"
)

// Attached lists the documents that came with a mail, oldest first.
func (s *Store) Attached(ctx context.Context, tenant assistants.TenantID, parent assistants.DocumentID) ([]assistants.Document, error) {
	docs, err := findDocuments(s.read(ctx).Where("documents.tenant_id = ? AND documents.parent_id = ?", tenant, parent).
		Order("documents.created_at").Order("documents.id"))
	return docs, s.wrap(ctx, "attached documents", err)
}

// parentThere takes the mail that a new document came with, so that it cannot
// be deleted without it.
func parentThere(tx *gorm.DB, d assistants.Document) error {
	if d.Parent == "" {
		return nil
	}
	_, err := lockDocument(tx, d.TenantID, d.Parent)
	return err
}

// shared is a document whose bytes came again, with a mail or, parent "", by
// themselves. If it was another mail's so far it is nobody's now, or it would be
// lost with one of those that have it. gorm.ErrRecordNotFound: it has just been
// deleted with its mail.
func shared(tx *gorm.DB, d assistants.Document, parent assistants.DocumentID) (assistants.Document, error) {
	if d.Parent == "" || d.Parent == parent {
		return d, nil
	}
	if _, err := lockDocument(tx, d.TenantID, d.ID); err != nil {
		return d, err
	}
	d.Parent = ""
	return d, tx.Model(&documentRow{}).Where("tenant_id = ? AND id = ?", d.TenantID, d.ID).UpdateColumn("parent_id", nil).Error
}

// deleteAttached removes the documents that came with a locked mail. Its lock
// keeps others from being added; theirs end the work on them.
func deleteAttached(tx *gorm.DB, tenant assistants.TenantID, parent assistants.DocumentID, at time.Time) error {
	locked := tx.Model(&documentRow{}).Where("tenant_id = ? AND parent_id = ?", tenant, parent).
		UpdateColumn("revision", gorm.Expr("revision + 1"))
	if locked.Error != nil || locked.RowsAffected == 0 {
		return locked.Error
	}
	return deleteDocuments(tx, tenant, at, "parent_id = ?", parent)
}
