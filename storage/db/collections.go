package db

import (
	"context"
	"slices"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"footnote/assistants"
)

// collectionView is a collection with the assistant that owns it, if one does.
type collectionView struct {
	Row           collectionRow `gorm:"embedded"`
	AssistantID   assistants.AssistantID
	AssistantName string // or its own name
}

func (v collectionView) collection() assistants.Collection {
	r := v.Row
	c := assistants.Collection{
		ID: r.ID, TenantID: r.TenantID, AssistantID: v.AssistantID, Name: v.AssistantName,
		Space: orZero(r.Space), Calibration: orZero(r.Calibration), Calibrated: r.Calibrated, Next: orZero(r.NextSpace), CreatedAt: r.CreatedAt.UTC(), Metadata: r.Metadata, Synonyms: r.Synonyms,
	}
	// Measured calibrations apply to collections embedded before the measurement as well.
	if known, ok := assistants.KnownCalibration(c.Space.Model); ok {
		c.Calibration = known
	}
	return c
}

// sharedColumn is quoted, because shared is a word of some servers' language.
var sharedColumn = clause.Column{Table: "collections", Name: "shared"}

func viewCollections(tx *gorm.DB) *gorm.DB {
	return tx.Table("collections").Select("collections.*, COALESCE(assistants.id, '') AS assistant_id, COALESCE(assistants.name, collections.name) AS assistant_name").
		Joins("LEFT JOIN assistants ON assistants.collection_id = collections.id").
		Where("(assistants.id IS NOT NULL OR ? = ?)", sharedColumn, true)
}

func findCollections(tx *gorm.DB) ([]assistants.Collection, error) {
	var views []collectionView
	if err := viewCollections(tx).Find(&views).Error; err != nil {
		return nil, err
	}
	items := make([]assistants.Collection, len(views))
	for i, v := range views {
		items[i] = v.collection()
	}
	return items, nil
}

func takeCollection(tx *gorm.DB, tenant assistants.TenantID, id assistants.CollectionID) (assistants.Collection, error) {
	found, err := findCollections(tx.Where("collections.tenant_id = ? AND collections.id = ?", tenant, id))
	if err != nil {
		return assistants.Collection{}, err
	}
	if len(found) == 0 {
		return assistants.Collection{}, gorm.ErrRecordNotFound
	}
	return found[0], nil
}

// Collections returns those of the named collections that exist, in no order.
func (s *Store) Collections(ctx context.Context, tenant assistants.TenantID, ids []assistants.CollectionID) ([]assistants.Collection, error) {
	all, err := inParts(ids, inList, func(part []assistants.CollectionID) ([]assistants.Collection, error) {
		return findCollections(inTenant(s.read(ctx), tenant).Where("collections.id IN ?", part))
	})
	return all, s.wrap(ctx, "collections", err)
}

// ListCollections lists a tenant's collections.
func (s *Store) ListCollections(ctx context.Context, tenant assistants.TenantID, list assistants.List) ([]assistants.Collection, string, error) {
	return listRows(ctx, s, viewCollections(s.read(ctx)).Where("collections.tenant_id = ?", tenant), list,
		func(v collectionView) position { return position{v.Row.CreatedAt, string(v.Row.ID)} },
		func(v collectionView) (assistants.Collection, error) { return v.collection(), nil })
}

// FindCollections lists a tenant's collections by creation, all but its FilesCollection.
func (s *Store) FindCollections(ctx context.Context, tenant assistants.TenantID, l assistants.List) (assistants.Listing[assistants.Collection], error) {
	chosen := func() *gorm.DB {
		return viewCollections(s.read(ctx)).Where("collections.tenant_id = ? AND collections.id <> ?", tenant, assistants.FilesCollection(tenant))
	}
	l.Sort = assistants.SortCreated
	return findPage(ctx, s, selected[collectionView, assistants.Collection]{
		rows: chosen, count: chosen,
		order:   byCreation(l, func(v collectionView) position { return position{v.Row.CreatedAt, string(v.Row.ID)} }),
		convert: func(v collectionView) (assistants.Collection, error) { return v.collection(), nil },
		bound:   []any{"collections"},
	}, l)
}

// CollectionFiles counts the documents of the named collections by their status.
// Collections without documents may be left out.
func (s *Store) CollectionFiles(ctx context.Context, tenant assistants.TenantID, ids []assistants.CollectionID) (map[assistants.CollectionID]assistants.CollectionFiles, error) {
	counts := make(map[assistants.CollectionID]assistants.CollectionFiles, len(ids))
	for part := range slices.Chunk(ids, inList) {
		var rows []struct {
			CollectionID assistants.CollectionID
			Files        assistants.CollectionFiles `gorm:"embedded"`
		}
		err := s.read(ctx).Table("documents").Select("documents.collection_id, COUNT(*) AS total, "+
			"SUM(CASE WHEN documents.status = 'ready' THEN 1 ELSE 0 END) AS ready, SUM(CASE WHEN documents.status = 'failed' THEN 1 ELSE 0 END) AS failed, "+
			"SUM(files.bytes) AS bytes").
			Joins("JOIN document_versions files ON files.document_id = documents.id AND "+
				"files.version = CASE WHEN documents.live > 0 THEN documents.live ELSE documents.latest END").
			Where("documents.tenant_id = ? AND documents.collection_id IN ?", tenant, part).
			Group("documents.collection_id").Find(&rows).Error
		if err != nil {
			return nil, s.wrap(ctx, "collection files", err)
		}
		for _, r := range rows {
			counts[r.CollectionID] = r.Files
		}
	}
	return counts, nil
}

// CollectionUses counts the documents and passages of the named collections.
// Collections without documents may be left out.
func (s *Store) CollectionUses(ctx context.Context, tenant assistants.TenantID, ids []assistants.CollectionID) (map[assistants.CollectionID]assistants.CollectionUse, error) {
	uses, err := collectionUses(s.read(ctx), tenant, ids)
	return uses, s.wrap(ctx, "collection uses", err)
}

func collectionUses(tx *gorm.DB, tenant assistants.TenantID, ids []assistants.CollectionID) (map[assistants.CollectionID]assistants.CollectionUse, error) {
	uses := make(map[assistants.CollectionID]assistants.CollectionUse, len(ids))
	for part := range slices.Chunk(ids, inList) {
		var rows []struct {
			CollectionID assistants.CollectionID
			Use          assistants.CollectionUse `gorm:"embedded"` // all but Queued
		}
		err := tx.Table("documents").Select("documents.collection_id, COUNT(*) AS documents, "+
			"SUM(CASE WHEN files.version IS NOT NULL AND files.space IS NULL THEN 1 ELSE 0 END) AS text, "+
			"SUM(CASE WHEN files.space IS NOT NULL THEN 1 ELSE 0 END) AS ?, "+
			"SUM(CASE WHEN files.next_space IS NOT NULL THEN 1 ELSE 0 END) AS next, "+
			"SUM(COALESCE(files.chunks, 0)) AS passages, "+
			"SUM(CASE WHEN files.space IS NOT NULL THEN files.chunks ELSE 0 END) AS embedded, 0 AS queued", clause.Column{Name: "full"}). // a word of SQL Server's language
			Joins("LEFT JOIN document_versions files ON files.document_id = documents.id AND files.version = documents.live").
			Where("documents.tenant_id = ? AND documents.collection_id IN ?", tenant, part).
			Group("documents.collection_id").Find(&rows).Error
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			uses[r.CollectionID] = r.Use
		}
		var queued []struct {
			CollectionID assistants.CollectionID
			Total        int
		}
		err = tx.Model(&jobRow{}).Select("collection_id, COUNT(*) AS total").
			Where("tenant_id = ? AND collection_id IN ? AND kind = ?", tenant, part, assistants.JobEmbed).Group("collection_id").Find(&queued).Error
		if err != nil {
			return nil, err
		}
		for _, r := range queued {
			use := uses[r.CollectionID]
			use.Queued = r.Total
			uses[r.CollectionID] = use
		}
	}
	return uses, nil
}

// changeCollection lets change edit the columns about spaces of a locked
// collection, in a transaction.
func (s *Store) changeCollection(ctx context.Context, op string, tenant assistants.TenantID, id assistants.CollectionID, change func(tx *gorm.DB, c assistants.Collection) (collectionRow, error)) (assistants.Collection, error) {
	var changed assistants.Collection
	err := s.write(ctx, op, func(tx *gorm.DB) error {
		if err := lockCollection(tx, tenant, id); err != nil {
			return err
		}
		c, err := takeCollection(tx, tenant, id)
		if err != nil {
			return err
		}
		row, err := change(tx, c)
		if err != nil {
			return err
		}
		err = tx.Model(&collectionRow{}).Where("tenant_id = ? AND id = ?", tenant, id).
			Select("space", "next_space", "calibration", "calibrated").UpdateColumns(&row).Error
		if err != nil {
			return err
		}
		changed, err = takeCollection(tx, tenant, id)
		return err
	})
	return changed, err
}

// spacesOf returns a row with the columns about spaces of c.
func spacesOf(c assistants.Collection) collectionRow {
	r := collectionRow{Space: pointerOrNil(c.Space), NextSpace: pointerOrNil(c.Next), Calibrated: c.Calibrated}
	if c.Calibrated > 0 {
		r.Calibration = &c.Calibration
	}
	return r
}

// pointerOrNil returns a pointer to v, or nil for the zero value.
func pointerOrNil[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

// ClaimSpace makes space the collection's if it has none, and returns the
// collection afterwards. ErrSpaceMismatch: the collection does not take that
// space.
//
// A collection that has its space already is not locked.
func (s *Store) ClaimSpace(ctx context.Context, tenant assistants.TenantID, id assistants.CollectionID, space assistants.Space) (assistants.Collection, error) {
	c, err := takeCollection(s.read(ctx), tenant, id)
	if err != nil {
		return c, s.wrap(ctx, "claim space", err)
	}
	if c.Target().IsZero() {
		c, err = s.changeCollection(ctx, "claim space", tenant, id, func(_ *gorm.DB, c assistants.Collection) (collectionRow, error) {
			if c.Target().IsZero() {
				c.Space = space
			}
			return spacesOf(c), nil
		})
		if err != nil {
			return c, err
		}
	}
	if !c.Takes(space) {
		return c, s.wrap(ctx, "claim space", assistants.ErrSpaceMismatch)
	}
	return c, nil
}

// Reembed makes space the collection's next one and queues JobEmbed for every
// live document, in place of earlier JobEmbeds. If the collection has that space
// already, or none, only documents without vectors are queued.
func (s *Store) Reembed(ctx context.Context, tenant assistants.TenantID, id assistants.CollectionID, space assistants.Space) (assistants.Collection, error) {
	return s.changeCollection(ctx, "reembed", tenant, id, func(tx *gorm.DB, c assistants.Collection) (collectionRow, error) {
		before := c
		switch {
		case c.Space.IsZero():
			c.Space = space
		case c.Space == space:
			c.Next = assistants.Space{} // cancels a re-embedding
		default:
			c.Next = space
		}
		if c.Next != before.Next {
			err := markVersions(tx, tenant, id, "next_space", nil)
			if err != nil {
				return collectionRow{}, err
			}
		}
		liveDocuments, err := queueMissingVectors(tx, c, s.stamp())
		if err == nil && liveDocuments == 0 && !c.Next.IsZero() { // nothing to embed
			c.Space, c.Next = c.Next, assistants.Space{}
			c.Calibration, c.Calibrated = assistants.Calibration{}, 0
		}
		return spacesOf(c), err
	})
}

// markVersions writes a space, or none, into a column of all versions in a
// collection.
func markVersions(tx *gorm.DB, tenant assistants.TenantID, id assistants.CollectionID, column string, value any) error {
	return tx.Model(&versionRow{}).Where("tenant_id = ? AND document_id IN (?)", tenant,
		tx.Model(&documentRow{}).Select("id").Where("tenant_id = ? AND collection_id = ?", tenant, id)).
		UpdateColumns(map[string]any{column: value}).Error
}

// queueMissingVectors queues JobEmbed for the live documents of a collection that have
// no vectors, or whose next version has none, in place of queued ones. Documents
// that are being read are embedded afterwards anyway. It returns the number of
// live documents.
func queueMissingVectors(tx *gorm.DB, c assistants.Collection, at time.Time) (liveDocuments int, err error) {
	err = tx.Where("tenant_id = ? AND collection_id = ? AND kind = ?", c.TenantID, c.ID, assistants.JobEmbed).Delete(&jobRow{}).Error
	if err != nil {
		return 0, err
	}
	docs, err := findDocuments(tx.Where("documents.tenant_id = ? AND documents.collection_id = ? AND documents.live > 0", c.TenantID, c.ID).Order("documents.id"))
	if err != nil {
		return 0, err
	}
	var jobs []assistants.Job
	for _, d := range docs {
		if d.ToEmbed() != d.Live || c.Lacks(d.Version) && d.Settled() {
			jobs = append(jobs, assistants.Job{
				TenantID: c.TenantID, Kind: assistants.JobEmbed, CollectionID: c.ID, DocumentID: d.ID, Version: d.ToEmbed(),
				Work: assistants.WorkOfPassages(d.Version.Chunks),
			})
		}
	}
	return len(docs), queueAll(tx, jobs, at)
}

// SwapSpace makes the collection's next space its space, with the calibration c
// that was computed from a number of passages. It does nothing while JobEmbeds
// of the collection are open, or if next is not its next space. old is the space
// that is no longer needed.
func (s *Store) SwapSpace(ctx context.Context, tenant assistants.TenantID, id assistants.CollectionID, next assistants.Space, calibration assistants.Calibration, passages int) (old assistants.Space, swapped bool, err error) {
	_, err = s.changeCollection(ctx, "swap space", tenant, id, func(tx *gorm.DB, c assistants.Collection) (collectionRow, error) {
		var open int64
		err := tx.Model(&jobRow{}).Where("tenant_id = ? AND collection_id = ? AND kind = ?", tenant, id, assistants.JobEmbed).Count(&open).Error
		if err != nil || open > 0 || next.IsZero() || c.Next != next {
			return spacesOf(c), err
		}
		old, swapped = c.Space, true
		noteChange(tx, assistants.DocumentChange{Tenant: tenant, Collection: id}) // how its documents can be found
		c.Space, c.Next, c.Calibration, c.Calibrated = c.Next, assistants.Space{}, calibration, passages
		if err := markVersions(tx, tenant, id, "space", gorm.Expr("next_space")); err != nil {
			return collectionRow{}, err
		}
		return spacesOf(c), markVersions(tx, tenant, id, "next_space", nil)
	})
	return old, swapped && err == nil, err
}

// Calibrate stores the calibration of a collection's space and the number of
// passages it was computed from. ErrConflict: the collection has another space.
func (s *Store) Calibrate(ctx context.Context, tenant assistants.TenantID, id assistants.CollectionID, space assistants.Space, calibration assistants.Calibration, passages int) error {
	_, err := s.changeCollection(ctx, "calibrate", tenant, id, func(_ *gorm.DB, c assistants.Collection) (collectionRow, error) {
		if c.Space != space {
			return collectionRow{}, assistants.ErrSpaceMismatch
		}
		c.Calibration, c.Calibrated = calibration, passages
		return spacesOf(c), nil
	})
	return err
}
