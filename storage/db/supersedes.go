package db

import (
	"errors"

	"gorm.io/gorm"

	"footnote/assistants"
)

// maxSuperseded is how many documents may replace each other in a row.
const maxSuperseded = 100

// Refusals of documents that supersede others.
var (
	errSupersedesNone  = &assistants.FieldError{Field: "supersedes", Message: "The document's collection has no document with this id."}
	errSupersedesRound = &assistants.FieldError{Field: "supersedes", Message: "A document cannot supersede itself, nor one that supersedes it."}
	errSupersedesLong  = &assistants.FieldError{Field: "supersedes", Message: "Too many documents supersede each other in a row."}
)

// checkSupersedes checks that the document that d supersedes is another one of d's
// collection, and does not supersede d in turn.
func checkSupersedes(tx *gorm.DB, d assistants.Document) error {
	for id, n := d.Supersedes, 0; id != ""; n++ {
		if id == d.ID {
			return errSupersedesRound
		}
		if n == maxSuperseded {
			return errSupersedesLong
		}
		var row documentRow
		err := tx.Select("id", "supersedes").Where("tenant_id = ? AND collection_id = ? AND id = ?", d.TenantID, d.CollectionID, id).Take(&row).Error
		switch {
		case errors.Is(err, gorm.ErrRecordNotFound) && n == 0:
			return errSupersedesNone
		case errors.Is(err, gorm.ErrRecordNotFound):
			return nil // it was deleted meanwhile
		case err != nil:
			return err
		}
		id = orZero(row.Supersedes)
	}
	return nil
}

// forgetSuperseded makes documents that supersede some others, which go, supersede none.
// which is a list of ids, or a query of them.
func forgetSuperseded(tx *gorm.DB, tenant assistants.TenantID, which any) error {
	var rows []documentRow
	err := tx.Select("id", "collection_id").Where("tenant_id = ? AND supersedes IN (?)", tenant, which).Find(&rows).Error
	for _, r := range rows {
		noteChange(tx, assistants.DocumentChange{Tenant: tenant, Collection: r.CollectionID, Document: r.ID})
		if err == nil {
			err = tx.Model(&documentRow{}).Where("tenant_id = ? AND id = ?", tenant, r.ID).UpdateColumns(map[string]any{"supersedes": nil, "revision": gorm.Expr("revision + 1")}).Error
		}
	}
	return err
}
