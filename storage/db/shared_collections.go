package db

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"footnote/assistants"
)

// CreateCollection stores a collection that no assistant owns.
func (s *Store) CreateCollection(ctx context.Context, c assistants.Collection) error {
	if err := checkText("name", c.Name); err != nil {
		return err
	}
	if err := checkMetadata(c.Metadata); err != nil {
		return err
	}
	if err := checkText("synonyms", c.Synonyms...); err != nil {
		return err
	}
	row := collectionRow{Metadata: c.Metadata, Synonyms: c.Synonyms, ID: c.ID, TenantID: c.TenantID, Name: c.Name, Shared: true, CreatedAt: stampOr(c.CreatedAt, s.stamp())}
	return s.write(ctx, "create collection", func(tx *gorm.DB) error { return tx.Create(&row).Error })
}

// UpdateCollectionIf changes a collection that no assistant owns, unless check, within the
// transaction, returns an error for what is stored, which is returned. ErrConflict: an
// assistant owns it.
func (s *Store) UpdateCollectionIf(ctx context.Context, tenant assistants.TenantID, id assistants.CollectionID, change assistants.CollectionChange, check func(assistants.CollectionState) error) (assistants.Collection, error) {
	if err := checkText("name", change.Name); err != nil {
		return assistants.Collection{}, err
	}
	if err := checkText("synonyms", change.Synonyms...); err != nil {
		return assistants.Collection{}, err
	}
	var changed assistants.Collection
	err := s.write(ctx, "update collection", func(tx *gorm.DB) error {
		owned := ownedCollection
		if change.Synonyms != nil {
			owned = "This collection belongs to an assistant. Set the synonyms in the assistant's settings."
		}
		c, err := lockShared(tx, tenant, id, owned, check)
		if err != nil {
			return err
		}
		changed = change.Of(c)
		row := collectionRow{Name: changed.Name, Synonyms: changed.Synonyms}
		return tx.Model(&collectionRow{}).Where("tenant_id = ? AND id = ?", tenant, id).Select("name", "synonyms").UpdateColumns(&row).Error
	})
	return changed, err
}

// SetMetadata replaces the metadata of a collection.
func (s *Store) SetMetadata(ctx context.Context, tenant assistants.TenantID, id assistants.CollectionID, metadata map[string]string) (assistants.Collection, error) {
	if err := checkMetadata(metadata); err != nil {
		return assistants.Collection{}, err
	}
	var changed assistants.Collection
	err := s.write(ctx, "set metadata", func(tx *gorm.DB) error {
		if err := lockCollection(tx, tenant, id); err != nil {
			return err
		}
		row := collectionRow{Metadata: metadata}
		err := tx.Model(&collectionRow{}).Where("tenant_id = ? AND id = ?", tenant, id).Select("metadata").UpdateColumns(&row).Error
		if err == nil {
			changed, err = takeCollection(tx, tenant, id)
		}
		return err
	})
	return changed, err
}

func checkMetadata(metadata map[string]string) error {
	for key, value := range metadata {
		if err := checkText("metadata", key, value); err != nil {
			return err
		}
	}
	return nil
}

// DeleteCollectionIf removes a collection that no assistant owns with its
// documents, as DeleteAssistant does, unless check returns an error, as in
// UpdateCollectionIf. ErrConflict: an assistant owns or reads it.
func (s *Store) DeleteCollectionIf(ctx context.Context, tenant assistants.TenantID, id assistants.CollectionID, check func(assistants.CollectionState) error) error {
	return s.write(ctx, "delete collection", func(tx *gorm.DB) error {
		if _, err := lockShared(tx, tenant, id, ownedCollection, check); err != nil {
			return err
		}
		var n int64
		if err := readersOf(tx.Model(&assistantRow{}), tenant, id).Count(&n).Error; err != nil {
			return err
		}
		if n > 0 {
			return conflictError("", readersName(n)+" this collection in the setting collections; change that first.")
		}
		return deleteCollection(tx, tenant, id, s.stamp())
	})
}

const ownedCollection = "This collection belongs to an assistant: it has its name, and is deleted with it."

// lockShared locks a collection that no assistant owns, and checks it. If one owns it, the
// error is a conflict with the sentence owned.
func lockShared(tx *gorm.DB, tenant assistants.TenantID, id assistants.CollectionID, owned string, check func(assistants.CollectionState) error) (assistants.Collection, error) {
	if err := lockCollection(tx, tenant, id); err != nil {
		return assistants.Collection{}, err
	}
	c, err := takeCollection(tx, tenant, id)
	if err != nil {
		return c, err
	}
	err = checked(check, func() (assistants.CollectionState, error) {
		uses, err := collectionUses(tx, tenant, []assistants.CollectionID{id})
		return assistants.CollectionState{Collection: c, Use: uses[id]}, err
	})
	if err == nil && c.AssistantID != "" {
		err = conflictError("", owned)
	}
	return c, err
}

// readersOf restricts a statement about assistants to those that own a
// collection, or name it in their settings, which are a JSON list of ids.
func readersOf(tx *gorm.DB, tenant assistants.TenantID, id assistants.CollectionID) *gorm.DB {
	return tx.Where("assistants.tenant_id = ?", tenant).
		Where("(assistants.collection_id = ? OR EXISTS (SELECT 1 FROM assistant_settings s WHERE s.tenant_id = assistants.tenant_id"+
			" AND s.assistant_id = assistants.id AND s.collections LIKE ?))", id, `%"`+string(id)+`"%`)
}

func readersName(n int64) string {
	if n == 1 {
		return "1 assistant has"
	}
	return fmt.Sprintf("%d assistants have", n)
}
