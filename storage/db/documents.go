package db

import (
	"context"
	"errors"
	"time"

	"gorm.io/gorm"

	"footnote/assistants"
)

// CreateDocument stores d with its first version (d.Version, number 1) as
// pending and queues its ingestion, all or nothing; in the tenant's FilesCollection
// it waits instead until it is moved. If the latest version of a
// document of the collection has the same SHA256, that document is returned with
// duplicate true. Then nothing changes, except that a document attached to
// another mail loses its Parent, and that it supersedes what d does. ErrConflict: the collection has a document with
// d's SourcePath. ErrNotFound: d's Parent does not exist. ErrInvalid: d supersedes a document that the collection
// does not have, or itself in a round.
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
		if err := checkSupersedes(tx, d); err != nil {
			return err
		}
		// If the latest version failed, the live one keeps answering.
		twin, err := takeDocument(tx.Where("documents.tenant_id = ? AND documents.collection_id = ?", d.TenantID, d.CollectionID).
			Where("documents.latest_sha256 = ? OR documents.status = ? AND files.sha256 = ?",
				d.Version.SHA256, assistants.StatusFailed, d.Version.SHA256))
		if err == nil {
			twin, err = detachShared(tx, twin, d.Parent)
		}
		if err == nil {
			twin, err = supersedeAlso(tx, twin, d.Supersedes)
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
	if duplicate && d.Supersedes != "" { // after errors as well: the change may have been made
		s.described.Add(1)
	}
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

// held reports whether a document waits, unread, until it is moved to a collection that
// is searched.
func held(row documentRow) bool {
	return row.CollectionID == assistants.FilesCollection(row.TenantID) && row.Status == assistants.StatusPending && row.Live == 0 && row.Latest == 1
}

func insertDocument(tx *gorm.DB, d assistants.Document) error {
	row, version := newDocumentRow(d), newVersionRow(d.TenantID, d.Version)
	noteChange(tx, assistants.DocumentChange{Tenant: d.TenantID, Collection: d.CollectionID, Document: d.ID})
	if err := tx.Create(&row).Error; err != nil {
		return err
	}
	if err := tx.Create(&version).Error; err != nil {
		return err
	}
	if err := logState(tx, row, d.Latest, d.CreatedAt); err != nil {
		return err
	}
	if held(row) {
		return nil
	}
	return queue(tx, assistants.Job{
		TenantID: d.TenantID, Kind: assistants.JobIngest, CollectionID: d.CollectionID, DocumentID: d.ID, Version: 1,
		Work: assistants.WorkOfFile(d.Version.Bytes),
	}, d.CreatedAt)
}

// ReplaceFile adds v as the newest version of a document, pending, and queues
// its ingestion. The live version keeps answering, and a version being ingested
// is superseded. If the latest version has the same bytes, duplicate is true and
// nothing changes. ErrConflict: another document of the collection has the same
// bytes.
func (s *Store) ReplaceFile(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID, v assistants.Version) (assistants.Document, bool, error) {
	return s.ReplaceFileIf(ctx, tenant, id, v, nil)
}

// ReplaceFileIf is ReplaceFile unless check, within the transaction, returns an
// error for the stored document, which is returned.
func (s *Store) ReplaceFileIf(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID, v assistants.Version, check func(assistants.Document) error) (assistants.Document, bool, error) {
	if err := checkVersion(v); err != nil {
		return assistants.Document{}, false, err
	}
	var stored assistants.Document
	var duplicate bool
	err := s.write(ctx, "replace file", func(tx *gorm.DB) error {
		row, err := lockDocument(tx, tenant, id)
		if err == nil {
			err = checkDocumentNow(tx, row, check)
		}
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
	live, err := takeVersion(tx, *row, row.Live)
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

// takeVersion returns a version of a document.
func takeVersion(tx *gorm.DB, row documentRow, number int) (versionRow, error) {
	var v versionRow
	err := ofVersion(tx, assistants.VersionRef{Tenant: row.TenantID, Document: row.ID, Number: number}).Take(&v).Error
	return v, err
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
	latest, err := takeVersion(tx, row, row.Latest)
	if err != nil {
		return err
	}
	return queue(tx, assistants.Job{
		TenantID: row.TenantID, Kind: assistants.JobIngest, CollectionID: row.CollectionID, DocumentID: row.ID, Version: row.Latest,
		Work: assistants.WorkOfFile(latest.Bytes),
	}, at)
}

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
	query := viewDocuments(s.read(ctx)).Where("documents.tenant_id = ? AND documents.collection_id = ?", tenant, collection)
	docs, next, err := listRows(ctx, s, query, list,
		func(v documentView) position { return position{v.Row.CreatedAt, string(v.Row.ID)} },
		func(v documentView) (assistants.Document, error) { return v.document(), nil })
	if err == nil && len(docs) == 0 {
		// An unknown collection is an error, not an empty list.
		err = s.wrap(ctx, "documents", s.read(ctx).Where("tenant_id = ? AND id = ?", tenant, collection).Take(&collectionRow{}).Error)
	}
	return docs, next, err
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

// Holdings reports whether collections have documents, and whether one of them can
// be searched.
func (s *Store) Holdings(ctx context.Context, tenant assistants.TenantID, collections []assistants.CollectionID) (documents, searchable bool, err error) {
	one := func(least int) (found bool, err error) { // sorting by live would read all documents
		var ids []assistants.DocumentID
		err = s.read(ctx).Model(&documentRow{}).Where("tenant_id = ? AND collection_id IN ? AND live >= ?", tenant, collections, least).
			Limit(1).Pluck("id", &ids).Error
		return len(ids) > 0, s.wrap(ctx, "holdings", err)
	}
	if searchable, err = one(1); searchable || err != nil {
		return searchable, searchable, err
	}
	documents, err = one(0)
	return documents, false, err
}

// UpdateDocument changes name, source path, labels, tags, what is set of the profile, and which document it supersedes, in one transaction,
// as UpdateAssistant does. It may call change twice. ErrConflict: the collection has another
// document from that path.
func (s *Store) UpdateDocument(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID, change func(*assistants.Document) error) (assistants.Document, error) {
	u := documentUpdate{tenant: tenant, id: id, change: change}
	err := s.write(ctx, "update document", func(tx *gorm.DB) error { return s.update(tx, &u) })
	for errors.Is(err, errNotLocked) {
		err = s.write(ctx, "update document", func(tx *gorm.DB) error {
			if err := lockCollection(tx, tenant, u.locked); err != nil {
				return err
			}
			return s.update(tx, &u)
		})
	}
	if u.refusal != nil {
		return assistants.Document{}, u.refusal
	}
	if u.described { // after errors as well: the change may have been made
		s.described.Add(1)
	}
	if err != nil {
		return assistants.Document{}, err
	}
	if u.stored.Tags == nil {
		u.stored.Tags = map[string]string{}
	}
	return u.stored, nil
}

// errNotLocked ends a transaction that must begin with the lock of a document's collection.
var errNotLocked = errors.New("the collection is not locked")

// A documentUpdate is a change of one document.
type documentUpdate struct {
	tenant    assistants.TenantID
	id        assistants.DocumentID
	change    func(*assistants.Document) error
	locked    assistants.CollectionID // "" for none
	stored    assistants.Document
	refusal   error // of change, or of what it made
	described bool  // the change is one of a name or a profile
}

// update makes a change within a transaction. errNotLocked: it needs the lock of the
// collection u.locked. Without that, two documents could supersede each other, each
// checked before the other has changed. The collection is locked before its documents, as
// by everything else.
func (s *Store) update(tx *gorm.DB, u *documentUpdate) error {
	u.refusal = nil // of an earlier try
	if _, err := lockDocument(tx, u.tenant, u.id); err != nil {
		return err
	}
	var err error
	if u.stored, err = takeDocument(tx.Where("documents.tenant_id = ? AND documents.id = ?", u.tenant, u.id)); err != nil {
		return err
	}
	d := u.stored
	if u.refusal = u.change(&d); u.refusal != nil {
		return u.refusal
	}
	// Callers may not change anything else.
	moved := d.SourcePath != u.stored.SourcePath
	supersedes := d.Supersedes != u.stored.Supersedes
	if supersedes && u.locked != d.CollectionID {
		u.locked = d.CollectionID
		return errNotLocked
	}
	u.described = d.Name != u.stored.Name || d.Edits != u.stored.Edits || supersedes
	u.stored.Name, u.stored.SourcePath, u.stored.Labels, u.stored.Tags = d.Name, d.SourcePath, orEmpty(d.Labels), d.Tags
	u.stored.TagTypes, u.stored.Edits = d.TagTypes, d.Edits
	u.stored.Supersedes = d.Supersedes
	u.stored.UpdatedAt = s.stamp()
	if u.refusal = checkDocument(u.stored); u.refusal != nil {
		return u.refusal
	}
	if moved {
		if err := checkSourceFree(tx, u.stored); err != nil {
			return err
		}
	}
	if supersedes {
		if err := checkSupersedes(tx, u.stored); err != nil {
			return err
		}
	}
	row := newDocumentRow(u.stored)
	return tx.Model(&documentRow{}).Where("tenant_id = ? AND id = ?", u.tenant, u.id).
		Select("name", "name_key", "source_path", "source_key", "labels", "tags", "tag_types", "profile_edits", "supersedes", "marks", "updated_at").UpdateColumns(&row).Error
}

// DeleteDocument removes a document with its versions, text, chunks, log, open
// jobs and attachments, and queues JobPurge with their blob keys.
func (s *Store) DeleteDocument(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID) error {
	return s.DeleteDocumentIf(ctx, tenant, id, nil)
}

// DeleteDocumentIf is DeleteDocument unless check, within the transaction,
// returns an error for the stored document, which is returned.
func (s *Store) DeleteDocumentIf(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID, check func(assistants.Document) error) error {
	defer s.described.Add(1)
	return s.write(ctx, "delete document", func(tx *gorm.DB) error {
		row, err := lockDocument(tx, tenant, id)
		if err == nil {
			err = checkDocumentNow(tx, row, check)
		}
		if err != nil {
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
