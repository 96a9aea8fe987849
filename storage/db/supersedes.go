package db

import (
	"context"
	"errors"
	"slices"

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

// CheckSupersedes returns the refusal that a change of a stored document to one that
// supersedes d.Supersedes would get now.
func (s *Store) CheckSupersedes(ctx context.Context, d assistants.Document) error {
	return s.wrap(ctx, "check what is superseded", checkSupersedes(s.read(ctx), d))
}

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

// supersedeAlso makes a stored document, whose bytes were uploaded again, supersede what
// the upload names. Its collection is locked.
func supersedeAlso(tx *gorm.DB, d assistants.Document, id assistants.DocumentID) (assistants.Document, error) {
	if id == "" || id == d.Supersedes {
		return d, nil
	}
	if _, err := lockDocument(tx, d.TenantID, d.ID); err != nil {
		return d, err
	}
	d.Supersedes = id
	if err := checkSupersedes(tx, d); err != nil {
		return d, err
	}
	return d, tx.Model(&documentRow{}).Where("tenant_id = ? AND id = ?", d.TenantID, d.ID).UpdateColumn("supersedes", id).Error
}

// A supersession is a document that goes, with the one that it supersedes.
type supersession struct {
	id, supersedes assistants.DocumentID
}

// forgetSuperseded makes the documents that supersede some that go supersede what those
// did, if it stays: what was replaced by a document that goes is still replaced by its
// successors.
func forgetSuperseded(tx *gorm.DB, tenant assistants.TenantID, gone []supersession) error {
	before := make(map[assistants.DocumentID]assistants.DocumentID, len(gone))
	ids := make([]assistants.DocumentID, len(gone))
	for i, g := range gone {
		ids[i], before[g.id] = g.id, g.supersedes
	}
	heirs := map[assistants.DocumentID][]assistants.DocumentID{} // by what they supersede now
	for part := range slices.Chunk(ids, inList) {
		var rows []documentRow
		err := tx.Select("id", "collection_id", "supersedes").Where("tenant_id = ? AND supersedes IN ?", tenant, part).Find(&rows).Error
		if err != nil {
			return err
		}
		for _, r := range rows {
			if _, goes := before[r.ID]; goes {
				continue
			}
			noteChange(tx, assistants.DocumentChange{Tenant: tenant, Collection: r.CollectionID, Document: r.ID})
			target := lastingOf(before, *r.Supersedes)
			heirs[target] = append(heirs[target], r.ID)
		}
	}
	for target, superseding := range heirs {
		for part := range slices.Chunk(superseding, inList) {
			err := tx.Model(&documentRow{}).Where("tenant_id = ? AND id IN ?", tenant, part).
				UpdateColumns(map[string]any{"supersedes": orNull(target), "revision": gorm.Expr("revision + 1")}).Error
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// lastingOf follows what documents that go supersede, from one of them to the first that
// stays; "" if none does.
func lastingOf(before map[assistants.DocumentID]assistants.DocumentID, id assistants.DocumentID) assistants.DocumentID {
	for range len(before) {
		next, goes := before[id]
		if !goes {
			break
		}
		id = next
	}
	return id
}
