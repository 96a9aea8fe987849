package db

import (
	"context"
	"errors"
	"slices"
	"time"

	"gorm.io/gorm"

	"footnote/assistants"
)

// CreateDocument stores d with its first version (d.Version, number 1) as
// pending and queues its ingestion, all or nothing. If the latest version of a
// document of the collection has the same SHA256, that document is returned with
// duplicate true. Then nothing changes, except that a document attached to
// another mail loses its Parent. ErrConflict: the collection has a document with
// d's SourcePath. ErrNotFound: d's Parent does not exist.
func (s *Store) CreateDocument(ctx context.Context, d assistants.Document) (assistants.Document, bool, error) {
	if err := checkDocument(d); err != nil {
		return assistants.Document{}, false, err
	}
	if err := checkVersion(d.Version); err != nil {
		return assistants.Document{}, false, err
	}
	d = s.firstVersion(d)
	stored, duplicate := d, false
	err := s.write(ctx, "create document", func(tx *gorm.DB) error {
		if err := lockCollection(tx, d.TenantID, d.CollectionID); err != nil {
			return err
		}
		// If the latest version failed, the live one keeps answering.
		twin, err := takeDocument(tx.Where("documents.tenant_id = ? AND documents.collection_id = ?", d.TenantID, d.CollectionID).
			Where("documents.latest_sha256 = ? OR documents.status = ? AND files.sha256 = ?",
				d.Version.SHA256, assistants.StatusFailed, d.Version.SHA256))
		if err == nil {
			twin, err = shared(tx, twin, d.Parent)
		}
		if err == nil {
			stored, duplicate = twin, true
			return nil
		}
		if !errors.Is(err, gorm.ErrRecordNotFound) {
			return err
		}
		if err := checkSourceFree(tx, d); err != nil {
			return err
		}
		if err := lockParent(tx, d); err != nil {
			return err
		}
		return insertDocument(tx, d)
	})
	if err != nil {
		return assistants.Document{}, false, err
	}
	return stored, duplicate, nil
}

// firstVersion fills in the fields that are the same for all new documents.
func (s *Store) firstVersion(d assistants.Document) assistants.Document {
	now := s.stamp()
	d.Status, d.Cause, d.Progress = assistants.StatusPending, nil, assistants.Progress{}
	d.Live, d.Latest, d.ReadyAt = 0, 1, nil
	d.CreatedAt, d.UpdatedAt = stampOr(d.CreatedAt, now), stampOr(d.UpdatedAt, now)
	d.Version.DocumentID, d.Version.Number = d.ID, 1
	d.Version.CreatedAt = stampOr(d.Version.CreatedAt, d.CreatedAt)
	d.Labels = orEmpty(d.Labels)
	if d.Tags == nil {
		d.Tags = map[string]string{}
	}
	return d
}

func insertDocument(tx *gorm.DB, d assistants.Document) error {
	row, version := newDocumentRow(d), newVersionRow(d.TenantID, d.Version)
	if err := tx.Create(&row).Error; err != nil {
		return err
	}
	if err := tx.Create(&version).Error; err != nil {
		return err
	}
	if err := logState(tx, row, d.Latest, d.CreatedAt); err != nil {
		return err
	}
	return queue(tx, assistants.Job{
		TenantID: d.TenantID, Kind: assistants.JobIngest, CollectionID: d.CollectionID, DocumentID: d.ID, Version: 1,
	}, d.CreatedAt)
}

// ReplaceFile adds v as the newest version of a document, pending, and queues
// its ingestion. The live version keeps answering, and a version being ingested
// is superseded. If the latest version has the same bytes, duplicate is true and
// nothing changes. ErrConflict: another document of the collection has the same
// bytes.
func (s *Store) ReplaceFile(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID, v assistants.Version) (assistants.Document, bool, error) {
	if err := checkVersion(v); err != nil {
		return assistants.Document{}, false, err
	}
	var stored assistants.Document
	var duplicate bool
	err := s.write(ctx, "replace file", func(tx *gorm.DB) error {
		row, err := lockDocument(tx, tenant, id)
		if err != nil {
			return err
		}
		if duplicate = row.LatestSHA256 == v.SHA256; !duplicate {
			if err := checkContentFree(tx, row, v.SHA256); err != nil {
				return err
			}
			v.DocumentID, v.Number = id, row.Latest+1
			v.CreatedAt = stampOr(v.CreatedAt, s.stamp())
			version := newVersionRow(tenant, v)
			if err := tx.Create(&version).Error; err != nil {
				return err
			}
			row.Latest, row.LatestSHA256 = v.Number, v.SHA256
			if err := requeueLatest(tx, row, v.CreatedAt); err != nil {
				return err
			}
		}
		stored, err = takeDocument(tx.Where("documents.tenant_id = ? AND documents.id = ?", tenant, id))
		return err
	})
	if err != nil {
		return assistants.Document{}, false, err
	}
	return stored, duplicate, nil
}

// Reprocess queues the latest version again, as pending, unless it is already
// being read. The live version is not changed; its bytes become another version
// after it.
func (s *Store) Reprocess(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID) (assistants.Document, error) {
	var stored assistants.Document
	err := s.write(ctx, "reprocess", func(tx *gorm.DB) error {
		row, err := lockDocument(tx, tenant, id)
		if err != nil {
			return err
		}
		// A version that is being read will be up to date anyway, unless it is
		// the live one, which must not be read in place.
		if (assistants.Document{Status: row.Status}).Settled() || row.Live == row.Latest {
			if err := addVersionAfterLive(tx, &row); err != nil {
				return err
			}
			if err := requeueLatest(tx, row, s.stamp()); err != nil {
				return err
			}
		}
		stored, err = takeDocument(tx.Where("documents.tenant_id = ? AND documents.id = ?", tenant, id))
		return err
	})
	return stored, err
}

// addVersionAfterLive adds a version with the same bytes if the latest version
// is live: its passages are searched and must not change until all new ones can
// replace them.
func addVersionAfterLive(tx *gorm.DB, row *documentRow) error {
	if row.Live != row.Latest {
		return nil
	}
	var live versionRow
	err := ofVersion(tx, assistants.VersionRef{Tenant: row.TenantID, Document: row.ID, Number: row.Live}).Take(&live).Error
	if err != nil {
		return err
	}
	row.Latest++
	next := newVersionRow(row.TenantID, assistants.Version{
		DocumentID: row.ID, Number: row.Latest, FileName: live.FileName, BlobKey: live.BlobKey, SHA256: live.SHA256,
		Bytes: live.Bytes, ContentType: live.ContentType, CreatedAt: live.CreatedAt,
	})
	return tx.Create(&next).Error
}

// requeueLatest makes the latest version of a locked document pending and queues
// its ingestion in place of open jobs. The live version need not be embedded any
// more, because the latest one will replace it.
func requeueLatest(tx *gorm.DB, row documentRow, at time.Time) error {
	row.Status, row.CauseCode, row.CauseMessage = assistants.StatusPending, nil, nil
	err := tx.Model(&documentRow{}).Where("tenant_id = ? AND id = ?", row.TenantID, row.ID).UpdateColumns(map[string]any{
		"status": row.Status, "cause_code": nil, "cause_message": nil,
		"pages_done": 0, "pages_total": 0, "chunks_done": 0, "chunks_total": 0,
		"latest": row.Latest, "latest_sha256": row.LatestSHA256, "updated_at": at,
	}).Error
	if err != nil {
		return err
	}
	if err := logState(tx, row, row.Latest, at); err != nil {
		return err
	}
	if err := removeOpenWork(tx, row); err != nil {
		return err
	}
	return queue(tx, assistants.Job{
		TenantID: row.TenantID, Kind: assistants.JobIngest, CollectionID: row.CollectionID, DocumentID: row.ID, Version: row.Latest,
	}, at)
}

// removeOpenWork deletes the jobs that work on a document.
func removeOpenWork(tx *gorm.DB, row documentRow) error {
	return tx.Where("tenant_id = ? AND document_id = ? AND kind IN ?", row.TenantID, row.ID, workKinds).Delete(&jobRow{}).Error
}

// workKinds are the kinds of jobs that work on a document.
var workKinds = []assistants.JobKind{assistants.JobIngest, assistants.JobEmbed}

// Document returns one document.
func (s *Store) Document(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID) (assistants.Document, error) {
	d, err := takeDocument(s.read(ctx).Where("documents.tenant_id = ? AND documents.id = ?", tenant, id))
	return d, s.wrap(ctx, "document", err)
}

// DocumentBySourcePath finds the document that was ingested from path.
func (s *Store) DocumentBySourcePath(ctx context.Context, tenant assistants.TenantID, collection assistants.CollectionID, path string) (assistants.Document, error) {
	if path == "" {
		return assistants.Document{}, s.wrap(ctx, "document by source path", assistants.ErrNotFound)
	}
	d, err := takeDocument(s.read(ctx).Where("documents.tenant_id = ? AND documents.collection_id = ? AND documents.source_key = ?",
		tenant, collection, sourceKey(path)))
	return d, s.wrap(ctx, "document by source path", err)
}

// Documents lists a collection's documents.
func (s *Store) Documents(ctx context.Context, tenant assistants.TenantID, collection assistants.CollectionID, list assistants.List) ([]assistants.Document, string, error) {
	tx, err := after(s.read(ctx).Table("documents").Where("documents.tenant_id = ? AND documents.collection_id = ?", tenant, collection), list)
	if err != nil {
		return nil, "", err
	}
	docs, err := findDocuments(tx)
	if err == nil && len(docs) == 0 {
		// An unknown collection is an error, not an empty list.
		err = s.read(ctx).Where("tenant_id = ? AND id = ?", tenant, collection).Take(&collectionRow{}).Error
	}
	if err != nil {
		return nil, "", s.wrap(ctx, "documents", err)
	}
	docs, next := page(docs, list, func(d assistants.Document) string {
		return position{d.CreatedAt, string(d.ID)}.cursor()
	})
	return docs, next, nil
}

// CountDocuments counts a tenant's documents by status ("" tenant: all tenants).
func (s *Store) CountDocuments(ctx context.Context, tenant assistants.TenantID) (map[assistants.Status]int, error) {
	tx := s.read(ctx).Model(&documentRow{})
	if tenant != "" {
		tx = tx.Where("tenant_id = ?", tenant)
	}
	var rows []struct {
		Status assistants.Status
		Total  int
	}
	if err := tx.Select("status, COUNT(*) AS total").Group("status").Find(&rows).Error; err != nil {
		return nil, s.wrap(ctx, "count documents", err)
	}
	counts := make(map[assistants.Status]int, len(rows))
	for _, r := range rows {
		counts[r.Status] = r.Total
	}
	return counts, nil
}

// UpdateDocument changes name, source path, labels and tags in one transaction,
// as UpdateAssistant does. ErrConflict: the collection has another document from
// that path.
func (s *Store) UpdateDocument(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID, change func(*assistants.Document) error) (assistants.Document, error) {
	var stored assistants.Document
	var refused error
	err := s.write(ctx, "update document", func(tx *gorm.DB) error {
		if _, err := lockDocument(tx, tenant, id); err != nil {
			return err
		}
		var err error
		if stored, err = takeDocument(tx.Where("documents.tenant_id = ? AND documents.id = ?", tenant, id)); err != nil {
			return err
		}
		d := stored
		if refused = change(&d); refused != nil {
			return refused
		}
		// Callers may not change anything else.
		moved := d.SourcePath != stored.SourcePath
		stored.Name, stored.SourcePath, stored.Labels, stored.Tags = d.Name, d.SourcePath, orEmpty(d.Labels), d.Tags
		stored.UpdatedAt = s.stamp()
		if refused = checkDocument(stored); refused != nil {
			return refused
		}
		if moved {
			if err := checkSourceFree(tx, stored); err != nil {
				return err
			}
		}
		row := newDocumentRow(stored)
		return tx.Model(&documentRow{}).Where("tenant_id = ? AND id = ?", tenant, id).
			Select("name", "source_path", "source_key", "labels", "tags", "updated_at").UpdateColumns(&row).Error
	})
	if refused != nil {
		return assistants.Document{}, refused
	}
	if err != nil {
		return assistants.Document{}, err
	}
	if stored.Tags == nil {
		stored.Tags = map[string]string{}
	}
	return stored, nil
}

// DeleteDocument removes a document with its versions, text, chunks, log, open
// jobs and attachments, and queues JobPurge with their blob keys.
func (s *Store) DeleteDocument(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID) error {
	return s.write(ctx, "delete document", func(tx *gorm.DB) error {
		if _, err := lockDocument(tx, tenant, id); err != nil {
			return err
		}
		if err := deleteAttached(tx, tenant, id, s.stamp()); err != nil {
			return err
		}
		return deleteDocuments(tx, tenant, s.stamp(), "id = ?", id)
	})
}

// DocumentLog lists the states a document went through, oldest first.
func (s *Store) DocumentLog(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID) ([]assistants.LogEntry, error) {
	var rows []logRow
	err := s.read(ctx).Where("tenant_id = ? AND document_id = ?", tenant, id).Order("revision").Find(&rows).Error
	if err == nil && len(rows) == 0 {
		err = gorm.ErrRecordNotFound // every document has the entry of its creation
	}
	if err != nil {
		return nil, s.wrap(ctx, "document log", err)
	}
	entries := make([]assistants.LogEntry, len(rows))
	for i, r := range rows {
		entries[i] = assistants.LogEntry{Time: r.LoggedAt.UTC(), Version: r.Version, Status: r.Status, Cause: cause(r.CauseCode, r.CauseMessage)}
	}
	return entries, nil
}

// deleteDocuments removes the documents that match condition, with all their
// rows and open jobs, and queues a purge for each. They must be locked, because
// rows that are added meanwhile would stay.
func deleteDocuments(tx *gorm.DB, tenant assistants.TenantID, at time.Time, condition string, arg any) error {
	chosen := func() *gorm.DB {
		return tx.Model(&documentRow{}).Select("id").Where("tenant_id = ?", tenant).Where(condition, arg)
	}
	var docs []documentRow
	err := tx.Select("id", "collection_id").Where("tenant_id = ?", tenant).Where(condition, arg).Order("id").Find(&docs).Error
	if err != nil {
		return err
	}
	var versions []versionRow
	err = tx.Where("tenant_id = ? AND document_id IN (?)", tenant, chosen()).Order("document_id").Order("version").Find(&versions).Error
	if err != nil {
		return err
	}
	blobs := make(map[assistants.DocumentID][]string, len(docs))
	for _, v := range versions {
		if !slices.Contains(blobs[v.DocumentID], v.BlobKey) { // a reprocessed file has two versions
			blobs[v.DocumentID] = append(blobs[v.DocumentID], v.BlobKey)
		}
	}
	err = tx.Where("tenant_id = ? AND kind IN ? AND document_id IN (?)", tenant, workKinds, chosen()).Delete(&jobRow{}).Error
	if err != nil {
		return err
	}
	for _, row := range []any{&chunkRow{}, &textRow{}, &versionRow{}, &logRow{}} {
		if err := tx.Where("tenant_id = ? AND document_id IN (?)", tenant, chosen()).Delete(row).Error; err != nil {
			return err
		}
	}
	if err := tx.Where("tenant_id = ?", tenant).Where(condition, arg).Delete(&documentRow{}).Error; err != nil {
		return err
	}
	purges := make([]assistants.Job, len(docs))
	for i, d := range docs {
		purges[i] = assistants.Job{
			TenantID: tenant, Kind: assistants.JobPurge, CollectionID: d.CollectionID, DocumentID: d.ID, BlobKeys: blobs[d.ID],
		}
	}
	return queueAll(tx, purges, at)
}

// lockCollection locks a collection for the rest of the transaction. Other
// transactions that add documents wait, so that looking for a duplicate and
// storing a document are one step.
func lockCollection(tx *gorm.DB, tenant assistants.TenantID, id assistants.CollectionID) error {
	locked := tx.Model(&collectionRow{}).Where("tenant_id = ? AND id = ?", tenant, id).
		UpdateColumn("revision", gorm.Expr("revision + 1"))
	if locked.Error == nil && locked.RowsAffected == 0 {
		return gorm.ErrRecordNotFound
	}
	return locked.Error
}

// lockDocument locks a document for the rest of the transaction and returns it.
// It increments the revision, which numbers the one log entry that the
// transaction may add.
func lockDocument(tx *gorm.DB, tenant assistants.TenantID, id assistants.DocumentID) (documentRow, error) {
	var row documentRow
	locked := tx.Model(&documentRow{}).Where("tenant_id = ? AND id = ?", tenant, id).
		UpdateColumn("revision", gorm.Expr("revision + 1"))
	if locked.Error != nil {
		return row, locked.Error
	}
	err := tx.Where("tenant_id = ? AND id = ?", tenant, id).Take(&row).Error
	return row, err
}

func checkSourceFree(tx *gorm.DB, d assistants.Document) error {
	if d.SourcePath == "" {
		return nil
	}
	var n int64
	err := tx.Model(&documentRow{}).Where("tenant_id = ? AND collection_id = ? AND source_key = ?",
		d.TenantID, d.CollectionID, sourceKey(d.SourcePath)).Count(&n).Error
	if err != nil {
		return err
	}
	if n > 0 {
		return sourceTaken
	}
	return nil
}

func checkContentFree(tx *gorm.DB, row documentRow, sum string) error {
	var n int64
	err := tx.Model(&documentRow{}).Where("tenant_id = ? AND collection_id = ? AND latest_sha256 = ?",
		row.TenantID, row.CollectionID, sum).Count(&n).Error
	if err != nil {
		return err
	}
	if n > 0 {
		return contentTaken
	}
	return nil
}

// logState logs the state of a document that was just created or locked.
func logState(tx *gorm.DB, row documentRow, version int, at time.Time) error {
	return tx.Create(&logRow{
		DocumentID: row.ID, Revision: row.Revision, TenantID: row.TenantID, Version: version,
		Status: row.Status, CauseCode: row.CauseCode, CauseMessage: row.CauseMessage, LoggedAt: at,
	}).Error
}

// documentView is a document with the version it shows, read in one statement so
// that they are consistent.
type documentView struct {
	Row  documentRow `gorm:"embedded"`
	File versionRow  `gorm:"embedded;embeddedPrefix:file_"`
}

const documentViewColumns = "documents.*, files.document_id AS file_document_id, files.version AS file_version, " +
	"files.file_name AS file_file_name, files.blob_key AS file_blob_key, files.sha256 AS file_sha256, files.bytes AS file_bytes, " +
	"files.content_type AS file_content_type, files.pages AS file_pages, files.chunks AS file_chunks, files.ocr AS file_ocr, " +
	"files.created_at AS file_created_at, files.space AS file_space, files.next_space AS file_next_space"

func viewDocuments(tx *gorm.DB) *gorm.DB {
	return tx.Table("documents").Select(documentViewColumns).
		Joins("JOIN document_versions files ON files.document_id = documents.id AND " +
			"files.version = CASE WHEN documents.live > 0 THEN documents.live ELSE documents.latest END")
}

func takeDocument(tx *gorm.DB) (assistants.Document, error) {
	var v documentView
	if err := viewDocuments(tx).Take(&v).Error; err != nil {
		return assistants.Document{}, err
	}
	return v.Row.document(v.File), nil
}

func findDocuments(tx *gorm.DB) ([]assistants.Document, error) {
	var views []documentView
	if err := viewDocuments(tx).Find(&views).Error; err != nil {
		return nil, err
	}
	docs := make([]assistants.Document, len(views))
	for i, v := range views {
		docs[i] = v.Row.document(v.File)
	}
	return docs, nil
}
