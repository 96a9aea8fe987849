package db

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"gorm.io/gorm"

	"footnote/assistants"
)

// Version returns a version of a document.
func (s *Store) Version(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID, number int) (assistants.Version, error) {
	var row versionRow
	err := s.read(ctx).Where("tenant_id = ? AND document_id = ? AND version = ?", tenant, id, number).Take(&row).Error
	if err != nil {
		return assistants.Version{}, s.wrap(ctx, "version", err)
	}
	return row.version(), nil
}

// lockLatest is lockDocument for work on a version, which ends once there is a
// newer one.
func lockLatest(tx *gorm.DB, ref assistants.VersionRef) (documentRow, error) {
	row, err := lockDocument(tx, ref.Tenant, ref.Document)
	if err == nil && row.Latest != ref.Number {
		err = conflictError("version", "A newer version of the document has replaced this one.")
	}
	return row, err
}

// SetStatus records the state of a version, with a log entry if the state or its
// cause changes. If the state becomes embedding while another version is live, a
// JobEmbed is queued and the live version keeps answering. ErrConflict: the
// version is no longer the latest, so its work must stop.
func (s *Store) SetStatus(ctx context.Context, ref assistants.VersionRef, status assistants.Status, p assistants.Progress, c *assistants.Cause) error {
	if c != nil {
		if err := checkText("cause", c.Code, c.Message); err != nil {
			return err
		}
	}
	return s.write(ctx, "set status", func(tx *gorm.DB) error {
		row, err := lockLatest(tx, ref)
		if err != nil {
			return err
		}
		before, now := row, s.stamp()
		row.Status = status
		row.CauseCode, row.CauseMessage = causeColumns(c)
		columns := map[string]any{
			"status": row.Status, "cause_code": row.CauseCode, "cause_message": row.CauseMessage,
			"pages_done": p.Pages, "pages_total": p.PagesTotal, "chunks_done": p.Chunks, "chunks_total": p.ChunksTotal, "updated_at": now,
		}
		if status == assistants.StatusReady && before.Status != status {
			columns["ready_at"] = now
		}
		err = tx.Model(&documentRow{}).Where("tenant_id = ? AND id = ?", ref.Tenant, ref.Document).UpdateColumns(columns).Error
		if err == nil && before.Status != status && row.toEmbed() != row.Live {
			err = queueEmbedding(tx, row, now)
		}
		if err != nil || sameState(before, row) {
			return err
		}
		return logState(tx, row, ref.Number, now)
	})
}

// SaveVersion stores what was read from a version: content type, text, profile and
// chunks. It replaces what an earlier attempt stored. ErrConflict as SetStatus.
func (s *Store) SaveVersion(ctx context.Context, ref assistants.VersionRef, contentType string, text assistants.Text, chunks []assistants.Chunk) error {
	if err := checkText("text", text.Text, contentType); err != nil {
		return err
	}
	rows := make([]chunkRow, len(chunks))
	for i, c := range chunks {
		if err := errors.Join(checkText("chunk", c.Text, c.TableHeader, c.PageOpening), checkText("heading", c.HeadingPath...)); err != nil {
			return err
		}
		c.DocumentID, c.Version = ref.Document, ref.Number
		rows[i] = newChunkRow(ref.Tenant, c)
	}
	return s.write(ctx, "save version", func(tx *gorm.DB) error {
		if _, err := lockLatest(tx, ref); err != nil {
			return err
		}
		read := versionRow{ContentType: contentType, Pages: len(text.Pages), Chunks: len(chunks), OCR: text.OCR, Profile: text.Profile}
		err := ofVersion(tx.Model(&versionRow{}), ref).Select("content_type", "pages", "chunks", "ocr", "profile").UpdateColumns(&read).Error
		if err != nil {
			return err
		}
		for _, old := range []any{&chunkRow{}, &textRow{}} {
			if err := ofVersion(tx, ref).Delete(old).Error; err != nil {
				return err
			}
		}
		body := textRow{DocumentID: ref.Document, Version: ref.Number, TenantID: ref.Tenant, Body: text.Text, Runes: text.Runes, Pages: orEmpty(text.Pages)}
		if err := tx.Create(&body).Error; err != nil {
			return err
		}
		if len(rows) == 0 {
			return nil
		}
		return createAll(tx, rows)
	})
}

// Publish makes a version live, removes the chunks and text of older versions,
// and queues JobPurge with their blob keys; the job's Version is the older
// version's number. The document becomes next: ready, or embedding with a
// JobEmbed queued unless one is open. ErrConflict as SetStatus.
func (s *Store) Publish(ctx context.Context, ref assistants.VersionRef, at time.Time, next assistants.Status) error {
	if next != assistants.StatusReady && next != assistants.StatusEmbedding {
		return &assistants.FieldError{Field: "next", Message: "A published document is ready or embedding."}
	}
	// What was read since the index has the version has the names and profiles of before.
	defer s.described.Add(1)
	return s.write(ctx, "publish", func(tx *gorm.DB) error {
		row, err := lockLatest(tx, ref)
		if err != nil {
			return err
		}
		before, at := row, stamp(at)
		if err := dropOlder(tx, row, at); err != nil {
			return err
		}
		// The index has the words of this version and no vectors.
		if err := forgetVectors(tx, ref); err != nil {
			return err
		}
		row.Live, row.Status, row.CauseCode, row.CauseMessage = ref.Number, next, nil, nil
		columns := map[string]any{"live": ref.Number, "status": next, "cause_code": nil, "cause_message": nil, "updated_at": at}
		if next == assistants.StatusReady {
			columns["ready_at"] = at
		} else {
			var v versionRow
			if err := ofVersion(tx, ref).Take(&v).Error; err != nil {
				return err
			}
			columns["chunks_done"], columns["chunks_total"] = 0, v.Chunks
			if err := queueEmbedding(tx, row, at); err != nil {
				return err
			}
		}
		err = tx.Model(&documentRow{}).Where("tenant_id = ? AND id = ?", ref.Tenant, ref.Document).UpdateColumns(columns).Error
		if err != nil || sameState(before, row) {
			return err
		}
		return logState(tx, row, ref.Number, at)
	})
}

// dropOlder removes the versions before a document's latest and queues the
// removal of their bytes.
func dropOlder(tx *gorm.DB, row documentRow, at time.Time) error {
	var all []versionRow
	err := tx.Where("tenant_id = ? AND document_id = ?", row.TenantID, row.ID).Order("version DESC").Find(&all).Error
	if err != nil || len(all) <= 1 {
		return err
	}
	for _, gone := range []any{&chunkRow{}, &textRow{}, &versionRow{}} {
		if err := tx.Where("tenant_id = ? AND document_id = ? AND version < ?", row.TenantID, row.ID, row.Latest).Delete(gone).Error; err != nil {
			return err
		}
	}
	needed := map[string]bool{all[0].BlobKey: true}
	var purges []assistants.Job
	for _, v := range all[1:] {
		if needed[v.BlobKey] {
			continue // reprocessed versions share their bytes
		}
		needed[v.BlobKey] = true
		purges = append(purges, assistants.Job{
			TenantID: row.TenantID, Kind: assistants.JobPurge, CollectionID: row.CollectionID, DocumentID: row.ID, Version: v.Number,
			BlobKeys: []string{v.BlobKey},
		})
	}
	slices.Reverse(purges)
	return queueAll(tx, purges, at)
}

// LiveText returns the text of the live version; ErrNotFound while there is none.
func (s *Store) LiveText(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID) (assistants.Text, error) {
	var row textRow
	err := s.read(ctx).Table("document_texts").Select("document_texts.*").
		Joins("JOIN documents ON documents.id = document_texts.document_id AND documents.live = document_texts.version").
		Where("documents.tenant_id = ? AND documents.id = ?", tenant, id).Take(&row).Error
	if err != nil {
		return assistants.Text{}, s.wrap(ctx, "live text", err)
	}
	return row.text(), nil
}

// LiveChunks lists the chunks of the live version by index.
func (s *Store) LiveChunks(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID, list assistants.List) ([]assistants.Chunk, string, error) {
	tx := s.read(ctx).Table("chunks").Select("chunks.*").
		Joins("JOIN documents ON documents.id = chunks.document_id AND documents.live = chunks.version").
		Where("documents.tenant_id = ? AND documents.id = ?", tenant, id).
		Order("chunks.chunk_index").Limit(pageSize(list) + 1)
	version := 0
	if list.Cursor != "" {
		var index int
		var err error
		if version, index, err = chunkPosition(list.Cursor); err != nil {
			return nil, "", err
		}
		tx = tx.Where("chunks.chunk_index > ?", index)
	}
	var rows []chunkRow
	err := tx.Find(&rows).Error
	if err == nil && len(rows) == 0 {
		var d documentRow
		err = s.read(ctx).Where("tenant_id = ? AND id = ?", tenant, id).Take(&d).Error
	}
	if err != nil {
		return nil, "", s.wrap(ctx, "live chunks", err)
	}
	if len(rows) > 0 && version > 0 && rows[0].Version != version {
		return nil, "", &assistants.FieldError{Field: "cursor", Message: "The document was replaced meanwhile; list its chunks from the start."}
	}
	rows, next := page(rows, list, func(r chunkRow) string {
		return encodeCursor(strconv.Itoa(r.Version), strconv.Itoa(r.ChunkIndex))
	})
	chunks := make([]assistants.Chunk, len(rows))
	for i, r := range rows {
		chunks[i] = r.chunk()
	}
	return chunks, next, nil
}

func chunkPosition(cursor string) (version, index int, err error) {
	first, second, err := decodeCursor(cursor)
	if err != nil {
		return 0, 0, err
	}
	version, err1 := strconv.Atoi(first)
	index, err2 := strconv.Atoi(second)
	if err1 != nil || err2 != nil {
		return 0, 0, badCursor()
	}
	return version, index, nil
}
