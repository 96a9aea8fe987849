package db

import (
	"slices"
	"time"

	"gorm.io/gorm"

	"footnote/assistants"
)

// documentView is a document with the version it shows, read in one statement so
// that they are consistent.
type documentView struct {
	Row  documentRow `gorm:"embedded"`
	File versionRow  `gorm:"embedded;embeddedPrefix:file_"`
	// SupersededBy is the last added document that replaces it; null: none.
	SupersededBy *assistants.DocumentID
}

func (v documentView) document() assistants.Document {
	d := v.Row.document(v.File)
	d.SupersededBy = orZero(v.SupersededBy)
	return d
}

const documentViewColumns = "documents.*, files.document_id AS file_document_id, files.version AS file_version, " +
	"files.file_name AS file_file_name, files.blob_key AS file_blob_key, files.sha256 AS file_sha256, files.bytes AS file_bytes, " +
	"files.content_type AS file_content_type, files.pages AS file_pages, files.chunks AS file_chunks, files.ocr AS file_ocr, " +
	"files.created_at AS file_created_at, files.space AS file_space, files.next_space AS file_next_space, files.profile AS file_profile, " +
	"(SELECT MAX(newer.id) FROM documents newer WHERE newer.supersedes = documents.id AND newer.collection_id = documents.collection_id) AS superseded_by"

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
	return v.document(), nil
}

func findDocuments(tx *gorm.DB) ([]assistants.Document, error) {
	var views []documentView
	if err := viewDocuments(tx).Find(&views).Error; err != nil {
		return nil, err
	}
	docs := make([]assistants.Document, len(views))
	for i, v := range views {
		docs[i] = v.document()
	}
	return docs, nil
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
// transaction may add. It notes the document as changed.
func lockDocument(tx *gorm.DB, tenant assistants.TenantID, id assistants.DocumentID) (documentRow, error) {
	var row documentRow
	err := lockRow(tx, &row, "tenant_id = ? AND id = ?", tenant, id)
	if err == nil {
		noteChange(tx, assistants.DocumentChange{Tenant: tenant, Collection: row.CollectionID, Document: id})
	}
	return row, err
}

// checked applies check, if there is one, to what take reads.
func checked[T any](check func(T) error, take func() (T, error)) error {
	if check == nil {
		return nil
	}
	stored, err := take()
	if err != nil {
		return err
	}
	return check(stored)
}

// checkDocumentNow applies check, if there is one, to a locked document.
func checkDocumentNow(tx *gorm.DB, row documentRow, check func(assistants.Document) error) error {
	return checked(check, func() (assistants.Document, error) {
		return takeDocument(tx.Where("documents.tenant_id = ? AND documents.id = ?", row.TenantID, row.ID))
	})
}

// lockRow locks the row that a condition selects for the rest of the transaction,
// and reads it. It increments the revision.
func lockRow(tx *gorm.DB, row any, where string, args ...any) error {
	locked := tx.Model(row).Where(where, args...).UpdateColumn("revision", gorm.Expr("revision + 1"))
	if locked.Error != nil {
		return locked.Error
	}
	return tx.Where(where, args...).Take(row).Error
}

// refuseIfAny returns refusal if the query has rows. It reports a conflict before the
// unique index does, because PostgreSQL aborts the transaction at an index's error.
func refuseIfAny(query *gorm.DB, refusal error) error {
	var n int64
	if err := query.Count(&n).Error; err != nil || n == 0 {
		return err
	}
	return refusal
}

func checkSourceFree(tx *gorm.DB, d assistants.Document) error {
	if d.SourcePath == "" {
		return nil
	}
	return refuseIfAny(tx.Model(&documentRow{}).Where("tenant_id = ? AND collection_id = ? AND source_key = ?",
		d.TenantID, d.CollectionID, sourceKey(d.SourcePath)), errSourceTaken)
}

func checkContentFree(tx *gorm.DB, row documentRow, sum string) error {
	return refuseIfAny(tx.Model(&documentRow{}).Where("tenant_id = ? AND collection_id = ? AND latest_sha256 = ?",
		row.TenantID, row.CollectionID, sum), errContentTaken)
}

// logState logs the state of a document that was just created or locked.
func logState(tx *gorm.DB, row documentRow, version int, at time.Time) error {
	return tx.Create(&logRow{
		DocumentID: row.ID, Revision: row.Revision, TenantID: row.TenantID, Version: version,
		Status: row.Status, CauseCode: row.CauseCode, CauseMessage: row.CauseMessage, LoggedAt: at,
	}).Error
}

// removeOpenWork deletes the jobs that work on a document.
func removeOpenWork(tx *gorm.DB, row documentRow) error {
	return tx.Where("tenant_id = ? AND document_id = ? AND kind IN ?", row.TenantID, row.ID, workKinds).Delete(&jobRow{}).Error
}

// workKinds are the kinds of jobs that work on a document.
var workKinds = []assistants.JobKind{assistants.JobIngest, assistants.JobEmbed}

// deleteDocuments removes the documents that match condition, with all their
// rows and open jobs, and queues a purge for each. They must be locked, because
// rows that are added meanwhile would stay.
func deleteDocuments(tx *gorm.DB, tenant assistants.TenantID, at time.Time, condition string, arg any) error {
	chosen := func() *gorm.DB {
		return tx.Model(&documentRow{}).Select("id").Where("tenant_id = ?", tenant).Where(condition, arg)
	}
	var docs []documentRow
	err := tx.Select("id", "collection_id", "supersedes").Where("tenant_id = ?", tenant).Where(condition, arg).Order("id").Find(&docs).Error
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
	gone := make([]supersession, len(docs))
	for i, d := range docs {
		gone[i] = supersession{d.ID, orZero(d.Supersedes)}
	}
	if err := forgetSuperseded(tx, tenant, gone); err != nil {
		return err
	}
	if err := tx.Where("tenant_id = ?", tenant).Where(condition, arg).Delete(&documentRow{}).Error; err != nil {
		return err
	}
	purges := make([]assistants.Job, len(docs))
	for i, d := range docs {
		noteChange(tx, assistants.DocumentChange{Tenant: tenant, Collection: d.CollectionID, Document: d.ID, Deleted: true})
		purges[i] = assistants.Job{
			TenantID: tenant, Kind: assistants.JobPurge, CollectionID: d.CollectionID, DocumentID: d.ID, BlobKeys: blobs[d.ID],
		}
	}
	return queueAll(tx, purges, at)
}

// ofVersion restricts a statement to the row of one version.
func ofVersion(tx *gorm.DB, ref assistants.VersionRef) *gorm.DB {
	return tx.Where("tenant_id = ? AND document_id = ? AND version = ?", ref.Tenant, ref.Document, ref.Number)
}

// sameState reports whether a state equals the stored one.
func sameState(a, b documentRow) bool {
	return a.Status == b.Status && orZero(a.CauseCode) == orZero(b.CauseCode) && orZero(a.CauseMessage) == orZero(b.CauseMessage)
}
