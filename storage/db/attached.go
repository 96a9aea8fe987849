package db

import (
	"context"
	"time"

	"gorm.io/gorm"

	"footnote/assistants"
)

// Attached lists the documents attached to a mail, oldest first.
func (s *Store) Attached(ctx context.Context, tenant assistants.TenantID, parent assistants.DocumentID) ([]assistants.Document, error) {
	docs, err := findDocuments(s.read(ctx).Where("documents.tenant_id = ? AND documents.parent_id = ?", tenant, parent).
		Order("documents.created_at").Order("documents.id"))
	return docs, s.wrap(ctx, "attached documents", err)
}

// lockParent locks the mail of a new attachment, so that the mail cannot be
// deleted without it.
func lockParent(tx *gorm.DB, d assistants.Document) error {
	if d.Parent == "" {
		return nil
	}
	_, err := lockDocument(tx, d.TenantID, d.Parent)
	return err
}

// detachShared is called for a document d whose bytes are stored a second time: as
// an attachment of parent or, with parent "", on their own. If d is attached to
// another mail, it detaches d, so that d is not deleted with that mail.
// gorm.ErrRecordNotFound: it was just deleted with its mail.
func detachShared(tx *gorm.DB, d assistants.Document, parent assistants.DocumentID) (assistants.Document, error) {
	if d.Parent == "" || d.Parent == parent {
		return d, nil
	}
	if _, err := lockDocument(tx, d.TenantID, d.ID); err != nil {
		return d, err
	}
	d.Parent = ""
	return d, tx.Model(&documentRow{}).Where("tenant_id = ? AND id = ?", d.TenantID, d.ID).UpdateColumn("parent_id", nil).Error
}

// deleteAttached removes the attachments of a locked mail. The mail's lock keeps
// others from being added, and the attachments' locks end the work on them.
func deleteAttached(tx *gorm.DB, tenant assistants.TenantID, parent assistants.DocumentID, at time.Time) error {
	locked := tx.Model(&documentRow{}).Where("tenant_id = ? AND parent_id = ?", tenant, parent).
		UpdateColumn("revision", gorm.Expr("revision + 1"))
	if locked.Error != nil || locked.RowsAffected == 0 {
		return locked.Error
	}
	return deleteDocuments(tx, tenant, at, "parent_id = ?", parent)
}
