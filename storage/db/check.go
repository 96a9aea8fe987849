package db

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"footnote/assistants"
)

// inventoryBatch is how many documents Inventories reads per query.
const inventoryBatch = 200

// Damage returns the problems that SQLite's integrity check finds, one line
// each; none on a server, which checks its own files.
func (s *Store) Damage(ctx context.Context) ([]string, error) {
	if s.Kind() != "sqlite" {
		return nil, nil
	}
	rows, err := s.pool.QueryContext(ctx, "PRAGMA integrity_check")
	if err != nil {
		return nil, s.wrap(ctx, "integrity check", err)
	}
	defer rows.Close() //nolint:errcheck // rows.Err reports errors
	var found []string
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			return nil, s.wrap(ctx, "integrity check", err)
		}
		if line != "ok" {
			found = append(found, line)
		}
	}
	return found, s.wrap(ctx, "integrity check", rows.Err())
}

// Inventories calls fn for every document of every tenant, in ascending order of
// id. An error of fn ends it and is returned as it is.
func (s *Store) Inventories(ctx context.Context, fn func(assistants.Inventory) error) error {
	last := assistants.DocumentID("")
	for {
		var docs []documentRow
		err := s.read(ctx).Where("id > ?", last).Order("id").Limit(inventoryBatch).Find(&docs).Error
		if err != nil {
			return s.wrap(ctx, "inventories", err)
		}
		batch, err := s.inventories(ctx, docs)
		if err != nil {
			return s.wrap(ctx, "inventories", err)
		}
		for _, i := range batch {
			last = i.ID
			if err := fn(i); err != nil {
				return err
			}
		}
		if len(docs) < inventoryBatch {
			return nil
		}
	}
}

// versionKey identifies a version; Total is the number of its rows in a table.
type versionKey struct {
	DocumentID assistants.DocumentID
	Version    int
	Total      int
}

func (s *Store) inventories(ctx context.Context, docs []documentRow) ([]assistants.Inventory, error) {
	ids := make([]assistants.DocumentID, len(docs))
	collections := make([]assistants.CollectionID, len(docs))
	for n, d := range docs {
		ids[n], collections[n] = d.ID, d.CollectionID
	}
	var versions []versionRow
	if err := s.read(ctx).Where("document_id IN ?", ids).Order("document_id").Order("version").Find(&versions).Error; err != nil {
		return nil, err
	}
	chunks, err := s.countRows(ctx, &chunkRow{}, ids)
	if err != nil {
		return nil, err
	}
	texts, err := s.countRows(ctx, &textRow{}, ids)
	if err != nil {
		return nil, err
	}
	var jobs []jobRow
	err = s.read(ctx).Where("kind IN ? AND document_id IN ?", workKinds, ids).Order("version").Find(&jobs).Error
	if err != nil {
		return nil, err
	}
	var owned []assistants.CollectionID
	err = s.read(ctx).Model(&assistantRow{}).Where("collection_id IN ?", collections).
		Where("EXISTS (SELECT 1 FROM collections WHERE collections.id = assistants.collection_id)").Pluck("collection_id", &owned).Error
	if err != nil {
		return nil, err
	}
	var shared []assistants.CollectionID
	err = s.read(ctx).Model(&collectionRow{}).Where("id IN ? AND ? = ?", collections, sharedColumn, true).Pluck("id", &shared).Error
	if err != nil {
		return nil, err
	}
	owned = append(owned, shared...)
	out := make([]assistants.Inventory, len(docs))
	at := make(map[assistants.DocumentID]*assistants.Inventory, len(docs))
	has := make(map[assistants.CollectionID]bool, len(owned))
	for _, c := range owned {
		has[c] = true
	}
	for n, d := range docs {
		out[n] = assistants.Inventory{ID: d.ID, TenantID: d.TenantID, Owned: has[d.CollectionID], Held: held(d), Status: d.Status, Cause: cause(d.CauseCode, d.CauseMessage), Live: d.Live, Latest: d.Latest}
		at[d.ID] = &out[n]
	}
	for _, v := range versions {
		key := versionKey{DocumentID: v.DocumentID, Version: v.Number}
		i := at[v.DocumentID]
		i.Versions = append(i.Versions, assistants.VersionInventory{Version: v.version(), ChunkRows: chunks[key], HasText: texts[key] > 0})
	}
	for _, j := range jobs {
		i := at[j.DocumentID]
		if j.Kind == assistants.JobEmbed {
			i.Embed = append(i.Embed, j.Version)
		} else {
			i.Queued = append(i.Queued, j.Version)
		}
	}
	return out, nil
}

// countRows counts rows by document and version.
func (s *Store) countRows(ctx context.Context, model any, ids []assistants.DocumentID) (map[versionKey]int, error) {
	var rows []versionKey
	err := s.read(ctx).Model(model).Select("document_id, version, COUNT(*) AS total").Where("document_id IN ?", ids).
		Group("document_id, version").Find(&rows).Error
	counts := make(map[versionKey]int, len(rows))
	for _, r := range rows {
		counts[versionKey{DocumentID: r.DocumentID, Version: r.Version}] = r.Total
	}
	return counts, err
}

// strays lists the tables with rows of documents, and the condition under which
// a row belongs to no document. Publishing removes the versions before the live
// one. A job has nothing to do if it ingests another version than the latest, or
// embeds another than the latest or the live one.
var strays = []struct {
	table     string
	model     any
	condition string
}{
	{"chunks", &chunkRow{}, "NOT EXISTS (SELECT 1 FROM document_versions v JOIN documents d ON d.id = v.document_id" +
		" WHERE v.document_id = chunks.document_id AND v.version = chunks.version AND d.live <= v.version)"},
	{"document_texts", &textRow{}, "NOT EXISTS (SELECT 1 FROM document_versions v JOIN documents d ON d.id = v.document_id" +
		" WHERE v.document_id = document_texts.document_id AND v.version = document_texts.version AND d.live <= v.version)"},
	{"document_versions", &versionRow{}, "NOT EXISTS (SELECT 1 FROM documents d WHERE d.id = document_versions.document_id AND d.live <= document_versions.version)"},
	{"document_log", &logRow{}, "NOT EXISTS (SELECT 1 FROM documents d WHERE d.id = document_log.document_id)"},
	{"jobs", &jobRow{}, "(jobs.kind = 'ingest' AND NOT EXISTS (SELECT 1 FROM documents d WHERE d.id = jobs.document_id AND d.latest = jobs.version)" +
		" OR jobs.kind = 'embed' AND NOT EXISTS (SELECT 1 FROM documents d WHERE d.id = jobs.document_id AND jobs.version IN (d.live, d.latest)))"},
}

// Strays counts the rows that belong to no document.
func (s *Store) Strays(ctx context.Context) ([]assistants.Stray, error) {
	var found []assistants.Stray
	for _, t := range strays {
		var rows []struct {
			TenantID   assistants.TenantID
			DocumentID assistants.DocumentID
			Version    int
			Total      int
		}
		err := s.read(ctx).Model(t.model).Select("tenant_id, document_id, version, COUNT(*) AS total").Where(t.condition).
			Group("tenant_id, document_id, version").Order("document_id").Order("version").Find(&rows).Error
		if err != nil {
			return nil, s.wrap(ctx, "strays", err)
		}
		for _, r := range rows {
			found = append(found, assistants.Stray{Table: t.table, TenantID: r.TenantID, Document: r.DocumentID, Version: r.Version, Rows: r.Total})
		}
	}
	return found, nil
}

// RemoveStray removes rows that Strays found, if they still belong to no document.
func (s *Store) RemoveStray(ctx context.Context, stray assistants.Stray) error {
	return s.write(ctx, "remove stray", func(tx *gorm.DB) error {
		for _, t := range strays {
			if t.table != stray.Table {
				continue
			}
			return tx.Where(t.condition).Where("tenant_id = ? AND document_id = ? AND version = ?", stray.TenantID, stray.Document, stray.Version).
				Delete(t.model).Error
		}
		return fmt.Errorf("a stray of %q: %w", stray.Table, assistants.ErrNotFound)
	})
}

// OpenPurges calls fn for every purge that is not done yet.
func (s *Store) OpenPurges(ctx context.Context, fn func(assistants.Job) error) error {
	var rows []jobRow
	if err := s.read(ctx).Where("kind = ?", assistants.JobPurge).Order("id").Find(&rows).Error; err != nil {
		return s.wrap(ctx, "open purges", err)
	}
	for _, r := range rows {
		if err := fn(r.job()); err != nil {
			return err
		}
	}
	return nil
}

// Requeue makes the newest existing version of a document its latest one and
// queues its ingestion. A live version that does not exist is reset to none; one
// that exists stays, and its bytes become another version after it. A document
// without versions is deleted.
func (s *Store) Requeue(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID) error {
	return s.write(ctx, "requeue", func(tx *gorm.DB) error {
		row, err := lockDocument(tx, tenant, id)
		if err != nil {
			return err
		}
		var versions []versionRow
		if err := tx.Where("tenant_id = ? AND document_id = ?", tenant, id).Order("version").Find(&versions).Error; err != nil {
			return err
		}
		if len(versions) == 0 {
			return deleteDocuments(tx, tenant, s.stamp(), "id = ?", id)
		}
		newest, live := versions[len(versions)-1], 0
		for _, v := range versions {
			if v.Number == row.Live {
				live = v.Number
			}
		}
		if live != row.Live {
			err := tx.Model(&documentRow{}).Where("tenant_id = ? AND id = ?", tenant, id).
				UpdateColumns(map[string]any{"live": live, "ready_at": (*time.Time)(nil)}).Error
			if err != nil {
				return err
			}
		}
		row.Live, row.Latest, row.LatestSHA256 = live, newest.Number, newest.SHA256
		if err := addVersionAfterLive(tx, &row); err != nil {
			return err
		}
		return requeueLatest(tx, row, s.stamp())
	})
}
