package db

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"time"

	"gorm.io/gorm"

	"footnote/assistants"
)

// CreateAssistant stores a with its settings and its own collection, whose id it
// carries. ErrConflict: the slug is taken. FieldError on "settings.upstream",
// "settings.upstream_fallbacks" or
// "settings.collections": they name a stored upstream or a collection that the
// tenant does not have.
func (s *Store) CreateAssistant(ctx context.Context, a assistants.Assistant) error {
	if err := checkAssistant(a); err != nil {
		return err
	}
	now := s.stamp()
	row := assistantRow{
		ID: a.ID, TenantID: a.TenantID, Slug: a.Slug, Name: a.Name, NameKey: nameKey(a.Name), CollectionID: a.CollectionID,
		CreatedAt: stampOr(a.CreatedAt, now), UpdatedAt: stampOr(a.UpdatedAt, now),
	}
	return s.write(ctx, "create assistant", func(tx *gorm.DB) error {
		if err := checkSlugFree(tx, a.TenantID, a.Slug, a.ID); err != nil {
			return err
		}
		if err := checkUpstreamsExist(tx, a, nil); err != nil {
			return err
		}
		if err := checkCollections(tx, a, nil); err != nil {
			return err
		}
		if err := tx.Create(&row).Error; err != nil {
			return err
		}
		collection := collectionRow{ID: a.CollectionID, TenantID: a.TenantID, Name: a.Name, CreatedAt: row.CreatedAt}
		if err := tx.Create(&collection).Error; err != nil {
			return err
		}
		columns, err := columnValues(tx, newSettingsRow(a))
		if err != nil {
			return err
		}
		// Naming the table instead of the model keeps GORM from asking for the
		// defaults back, which it could not read into a map.
		return tx.Table(settingsRow{}.TableName()).Create(columns).Error
	})
}

// Assistant finds an assistant by id or slug.
func (s *Store) Assistant(ctx context.Context, tenant assistants.TenantID, ref string) (assistants.Assistant, error) {
	a, err := takeAssistant(s.read(ctx).Where("assistants.tenant_id = ? AND (assistants.id = ? OR assistants.slug = ?)", tenant, ref, ref))
	return a, s.wrap(ctx, "assistant", err)
}

// AssistantInSight is Assistant limited to visible assistants.
func (s *Store) AssistantInSight(ctx context.Context, tenant assistants.TenantID, ref string, sight assistants.Sight) (assistants.Assistant, error) {
	known, err := s.assistantInSight(ctx, tenant, ref, sight)
	if err != nil {
		return assistants.Assistant{}, err
	}
	return *known.Assistant, nil
}

func (s *Store) assistantInSight(ctx context.Context, tenant assistants.TenantID, ref string, sight assistants.Sight) (knownAssistant, error) {
	var v assistantView
	err := viewAssistants(inSight(s.read(ctx), sight)).
		Where("assistants.tenant_id = ? AND (assistants.id = ? OR assistants.slug = ?)", tenant, ref, ref).Take(&v).Error
	if err != nil {
		return knownAssistant{}, s.wrap(ctx, "assistant in sight", err)
	}
	a := v.assistant()
	return knownAssistant{&a, v.Row.Revision}, nil
}

// sameRevision reports whether an assistant is still as it is known. Each change of it, or of
// its settings, changes its row's revision.
func (s *Store) sameRevision(ctx context.Context, known knownAssistant) (bool, error) {
	var revisions []int64
	err := s.read(ctx).Model(&assistantRow{}).Where("tenant_id = ? AND id = ?", known.TenantID, known.ID).Pluck("revision", &revisions).Error
	return len(revisions) == 1 && revisions[0] == known.revision, s.wrap(ctx, "revision of assistant", err)
}

// AssistantOfDocument finds the assistant that owns the document's collection,
// if it is visible.
func (s *Store) AssistantOfDocument(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID, sight assistants.Sight) (assistants.Assistant, error) {
	a, err := takeAssistant(inSight(s.read(ctx), sight).Joins("JOIN documents ON documents.collection_id = assistants.collection_id").
		Where("assistants.tenant_id = ? AND documents.tenant_id = ? AND documents.id = ?", tenant, tenant, id))
	return a, s.wrap(ctx, "assistant of document", err)
}

// ReadersOfDocument lists the visible assistants whose settings name the
// document's collection, oldest first. The owner, found by
// [Store.AssistantOfDocument], is not among them unless its settings name it.
func (s *Store) ReadersOfDocument(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID, sight assistants.Sight) ([]assistants.Assistant, error) {
	var views []assistantView
	// The setting is a JSON list of ids, which contain no special characters of LIKE or JSON.
	err := viewAssistants(inSight(s.read(ctx), sight)).
		Joins(`JOIN documents ON assistant_settings.collections LIKE CONCAT('%"', documents.collection_id, '"%')`).
		Where("assistants.tenant_id = ? AND documents.tenant_id = ? AND documents.id = ?", tenant, tenant, id).
		Order("assistants.id").Find(&views).Error
	readers := make([]assistants.Assistant, len(views))
	for i, v := range views {
		readers[i] = v.assistant()
	}
	return readers, s.wrap(ctx, "readers of document", err)
}

// inSight restricts a query of assistants with their settings to visible ones.
func inSight(tx *gorm.DB, sight assistants.Sight) *gorm.DB {
	switch {
	case sight.All:
		return tx
	case sight.Public:
		return tx.Where("(assistants.id IN ? OR assistant_settings.public_access = ?)", sight.Some, true)
	default:
		return tx.Where("assistants.id IN ?", sight.Some)
	}
}

// assistantView is an assistant with its settings, read in one statement so that
// they are consistent.
type assistantView struct {
	Row      assistantRow    `gorm:"embedded"`
	Settings settingsColumns `gorm:"embedded"`
}

func (v assistantView) assistant() assistants.Assistant {
	return v.Row.assistant(assistants.Settings(v.Settings))
}

func viewAssistants(tx *gorm.DB) *gorm.DB {
	return tx.Table("assistants").Select("assistant_settings.*, assistants.*").
		Joins("JOIN assistant_settings ON assistant_settings.assistant_id = assistants.id")
}

func takeAssistant(tx *gorm.DB) (assistants.Assistant, error) {
	var v assistantView
	if err := viewAssistants(tx).Take(&v).Error; err != nil {
		return assistants.Assistant{}, err
	}
	return v.assistant(), nil
}

// Assistants lists a tenant's assistants.
func (s *Store) Assistants(ctx context.Context, tenant assistants.TenantID, list assistants.List) ([]assistants.Assistant, string, error) {
	return listRows(ctx, s, viewAssistants(s.read(ctx)).Where("assistants.tenant_id = ?", tenant), list,
		func(v assistantView) position { return position{v.Row.CreatedAt, string(v.Row.ID)} },
		func(v assistantView) (assistants.Assistant, error) { return v.assistant(), nil })
}

// UpdateAssistant changes an assistant in one transaction: change edits the
// stored value, settings included, and name, slug and settings are written back.
// An error of change is returned as it is, and nothing changes. ErrConflict: the
// slug is taken. FieldError as CreateAssistant, for what change has added.
func (s *Store) UpdateAssistant(ctx context.Context, tenant assistants.TenantID, ref string, change func(*assistants.Assistant) error) (assistants.Assistant, error) {
	var a assistants.Assistant
	var changeErr error
	err := s.write(ctx, "update assistant", func(tx *gorm.DB) error {
		row, err := lockAssistant(tx, tenant, ref)
		if err != nil {
			return err
		}
		stored, err := takeAssistant(tx.Where("assistants.tenant_id = ? AND assistants.id = ?", tenant, row.ID))
		if err != nil {
			return err
		}
		a = stored
		asked := stored.Settings.StoredUpstreams() // a copy, because change may write through stored's pointers
		read := slices.Clone(stored.Settings.Collections)
		if changeErr = change(&a); changeErr != nil {
			return changeErr
		}
		// Callers may not change anything else.
		a.ID, a.TenantID, a.CollectionID, a.CreatedAt = stored.ID, stored.TenantID, stored.CollectionID, stored.CreatedAt
		a.UpdatedAt = s.stamp()
		if changeErr = checkAssistant(a); changeErr != nil {
			return changeErr
		}
		if err := checkUpstreamsExist(tx, a, asked); err != nil {
			return err
		}
		if err := checkCollections(tx, a, read); err != nil {
			return err
		}
		return saveAssistant(tx, a)
	})
	if changeErr != nil {
		return assistants.Assistant{}, changeErr
	}
	if err != nil {
		return assistants.Assistant{}, err
	}
	a.Settings.Collections = orEmpty(a.Settings.Collections)
	a.Settings.UpstreamFallbacks = orEmpty(a.Settings.UpstreamFallbacks)
	a.Settings.Synonyms, a.Settings.SynonymPacks = orEmpty(a.Settings.Synonyms), orEmpty(a.Settings.SynonymPacks)
	return a, nil
}

func saveAssistant(tx *gorm.DB, a assistants.Assistant) error {
	if err := checkSlugFree(tx, a.TenantID, a.Slug, a.ID); err != nil {
		return err
	}
	err := tx.Model(&assistantRow{}).Where("tenant_id = ? AND id = ?", a.TenantID, a.ID).
		UpdateColumns(map[string]any{"name": a.Name, "name_key": nameKey(a.Name), "slug": a.Slug, "updated_at": a.UpdatedAt}).Error
	if err != nil {
		return err
	}
	err = tx.Model(&collectionRow{}).Where("tenant_id = ? AND id = ?", a.TenantID, a.CollectionID).
		UpdateColumn("name", a.Name).Error
	if err != nil {
		return err
	}
	columns, err := columnValues(tx, newSettingsRow(a))
	if err != nil {
		return err
	}
	return tx.Model(&settingsRow{}).Where("tenant_id = ? AND assistant_id = ?", a.TenantID, a.ID).
		UpdateColumns(columns).Error
}

// DeleteAssistant removes an assistant with its collection, documents, chunks,
// gold questions, runs and stored answers, and queues JobPurge for each document.
func (s *Store) DeleteAssistant(ctx context.Context, tenant assistants.TenantID, ref string) error {
	return s.DeleteAssistantIf(ctx, tenant, ref, nil)
}

// DeleteAssistantIf is DeleteAssistant unless check, within the transaction,
// returns an error for the stored assistant, which is returned.
func (s *Store) DeleteAssistantIf(ctx context.Context, tenant assistants.TenantID, ref string, check func(assistants.Assistant) error) error {
	err := s.write(ctx, "delete assistant", func(tx *gorm.DB) error {
		row, err := lockAssistant(tx, tenant, ref)
		if err != nil {
			return err
		}
		err = checked(check, func() (assistants.Assistant, error) {
			return takeAssistant(tx.Where("assistants.tenant_id = ? AND assistants.id = ?", tenant, row.ID))
		})
		if err != nil {
			return err
		}
		if err := deleteCollection(tx, tenant, row.CollectionID, s.stamp()); err != nil {
			return err
		}
		if err := deleteEvaluation(tx, tenant, row.ID); err != nil {
			return err
		}
		if err := deleteHistory(tx, tenant, row.ID); err != nil {
			return err
		}
		if err := tx.Where("tenant_id = ? AND assistant_id = ?", tenant, row.ID).Delete(&settingsRow{}).Error; err != nil {
			return err
		}
		return tx.Where("tenant_id = ? AND id = ?", tenant, row.ID).Delete(&assistantRow{}).Error
	})
	if err != nil {
		return err
	}
	s.inLog.Store(true)
	return s.emptyLog(ctx)
}

// deleteCollection removes a collection with its documents.
func deleteCollection(tx *gorm.DB, tenant assistants.TenantID, id assistants.CollectionID, at time.Time) error {
	// Without its row, no document can be added to the collection.
	if err := tx.Where("tenant_id = ? AND id = ?", tenant, id).Delete(&collectionRow{}).Error; err != nil {
		return err
	}
	// The locks keep others from adding rows that would outlive the documents.
	err := tx.Model(&documentRow{}).Where("tenant_id = ? AND collection_id = ?", tenant, id).
		UpdateColumn("revision", gorm.Expr("revision + 1")).Error
	if err != nil {
		return err
	}
	return deleteDocuments(tx, tenant, at, "collection_id = ?", id)
}

// checkCollections locks the collections that an assistant adds to its settings,
// so that none is deleted meanwhile, and checks that they are the
// tenant's.
func checkCollections(tx *gorm.DB, a assistants.Assistant, already []string) error {
	var added []string
	for _, id := range a.Settings.Collections {
		if !slices.Contains(already, id) && id != string(a.CollectionID) {
			added = append(added, id)
		}
	}
	slices.Sort(added) // two transactions must not wait for each other
	for _, id := range added {
		err := lockCollection(tx, a.TenantID, assistants.CollectionID(id))
		if errors.Is(err, gorm.ErrRecordNotFound) {
			return assistants.UnknownCollection("settings.collections", id)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// lockAssistant is lockRow for an assistant.
func lockAssistant(tx *gorm.DB, tenant assistants.TenantID, ref string) (assistantRow, error) {
	var row assistantRow
	err := lockRow(tx, &row, "tenant_id = ? AND (id = ? OR slug = ?)", tenant, ref, ref)
	return row, err
}

func checkSlugFree(tx *gorm.DB, tenant assistants.TenantID, slug string, except assistants.AssistantID) error {
	return refuseIfAny(tx.Model(&assistantRow{}).Where("tenant_id = ? AND slug = ? AND id <> ?", tenant, slug, except), errSlugTaken)
}

// columnValues returns a row as columns and values. When GORM creates a row from
// a struct, it replaces zero values by the column's default. In settings, zero and
// false are values.
func columnValues(tx *gorm.DB, row settingsRow) (map[string]any, error) {
	stmt := &gorm.Statement{DB: tx}
	if err := stmt.Parse(&row); err != nil {
		return nil, err
	}
	columns := make(map[string]any, len(stmt.Schema.Fields))
	for _, f := range stmt.Schema.Fields {
		columns[f.DBName], _ = f.ValueOf(tx.Statement.Context, reflect.ValueOf(row))
	}
	return columns, nil
}
