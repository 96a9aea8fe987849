package db

import (
	"context"
	"errors"
	"slices"

	"gorm.io/gorm"

	"footnote/assistants"
)

// inList is how many values one IN list carries, below what any database takes.
const inList = 500

// streamBatch is how many documents EachVersion reads at once.
const streamBatch = 100

// Hits implements [assistants.DocumentStore]. The number of queries is two up
// to 500 matches, far more than any search asks for.
func (s *Store) Hits(ctx context.Context, tenant assistants.TenantID, collections []assistants.CollectionID, matches []assistants.Match) ([]assistants.Hit, error) {
	chunks, err := s.chunksOf(ctx, tenant, matches)
	if err != nil {
		return nil, s.wrap(ctx, "hits", err)
	}
	docs, err := s.documentsOf(ctx, tenant, chunks)
	if err != nil {
		return nil, s.wrap(ctx, "hits", err)
	}
	hits := make([]assistants.Hit, 0, len(matches))
	for _, m := range matches {
		c, ok := chunks[m.ChunkID]
		if !ok {
			continue
		}
		// While a version is being published the index may be a moment ahead of
		// the live version or behind it; until the older chunks are gone both
		// are true to what was searched.
		d, ok := docs[c.DocumentID]
		if !ok || !slices.Contains(collections, d.CollectionID) {
			continue
		}
		hits = append(hits, assistants.Hit{Chunk: c, Document: d, Score: m.Score})
	}
	return hits, nil
}

func (s *Store) chunksOf(ctx context.Context, tenant assistants.TenantID, matches []assistants.Match) (map[assistants.ChunkID]assistants.Chunk, error) {
	ids := make([]assistants.ChunkID, len(matches))
	for i, m := range matches {
		ids[i] = m.ChunkID
	}
	chunks := make(map[assistants.ChunkID]assistants.Chunk, len(ids))
	for part := range slices.Chunk(ids, inList) {
		var rows []chunkRow
		if err := s.read(ctx).Where("tenant_id = ? AND id IN ?", tenant, part).Find(&rows).Error; err != nil {
			return nil, err
		}
		for _, r := range rows {
			chunks[r.ID] = r.chunk()
		}
	}
	return chunks, nil
}

func (s *Store) documentsOf(ctx context.Context, tenant assistants.TenantID, chunks map[assistants.ChunkID]assistants.Chunk) (map[assistants.DocumentID]assistants.Document, error) {
	var ids []assistants.DocumentID
	for _, c := range chunks {
		ids = append(ids, c.DocumentID)
	}
	slices.Sort(ids)
	found, err := s.documentsByID(ctx, tenant, slices.Compact(ids))
	docs := make(map[assistants.DocumentID]assistants.Document, len(found))
	for _, d := range found {
		docs[d.ID] = d
	}
	return docs, err
}

// ExistingDocuments implements [assistants.DocumentStore].
func (s *Store) ExistingDocuments(ctx context.Context, tenant assistants.TenantID, ids []assistants.DocumentID) ([]assistants.DocumentID, error) {
	var there []assistants.DocumentID
	for part := range slices.Chunk(ids, inList) {
		var found []assistants.DocumentID
		err := s.read(ctx).Model(&documentRow{}).Where("tenant_id = ? AND id IN ?", tenant, part).Pluck("id", &found).Error
		if err != nil {
			return nil, s.wrap(ctx, "existing documents", err)
		}
		there = append(there, found...)
	}
	return there, nil
}

// DocumentsByID implements [assistants.DocumentStore].
func (s *Store) DocumentsByID(ctx context.Context, tenant assistants.TenantID, ids []assistants.DocumentID) ([]assistants.Document, error) {
	docs, err := s.documentsByID(ctx, tenant, ids)
	return docs, s.wrap(ctx, "documents by id", err)
}

func (s *Store) documentsByID(ctx context.Context, tenant assistants.TenantID, ids []assistants.DocumentID) ([]assistants.Document, error) {
	var docs []assistants.Document
	for part := range slices.Chunk(ids, inList) {
		found, err := findDocuments(s.read(ctx).Where("documents.tenant_id = ? AND documents.id IN ?", tenant, part))
		if err != nil {
			return nil, err
		}
		docs = append(docs, found...)
	}
	return docs, nil
}

// EachVersion implements [assistants.DocumentStore]. No transaction is open
// while fn runs. fn's error ends it and is returned as it is.
func (s *Store) EachVersion(ctx context.Context, fn func(d assistants.Document, chunks []assistants.Chunk) error) error {
	last := assistants.DocumentID("")
	for {
		docs, err := findDocuments(s.read(ctx).Where("documents.live > 0 AND documents.id > ?", last).Order("documents.id").Limit(streamBatch))
		if err != nil {
			return s.wrap(ctx, "each version", err)
		}
		for _, d := range docs {
			last = d.ID
			d, chunks, err := s.liveVersion(ctx, d)
			if errors.Is(err, gorm.ErrRecordNotFound) {
				continue // deleted since the batch was read
			}
			if err != nil {
				return s.wrap(ctx, "each version", err)
			}
			if err := fn(d, chunks); err != nil {
				return err
			}
		}
		if len(docs) < streamBatch {
			return nil
		}
	}
}

// liveVersion reads the chunks that belong to d. When the document was
// replaced between the two reads, their number differs from what its version
// says, and both are read again.
func (s *Store) liveVersion(ctx context.Context, d assistants.Document) (assistants.Document, []assistants.Chunk, error) {
	for {
		chunks, err := s.liveChunks(ctx, d)
		if err != nil || len(chunks) == d.Version.Chunks {
			return d, chunks, err
		}
		now, err := takeDocument(s.read(ctx).Where("documents.tenant_id = ? AND documents.id = ?", d.TenantID, d.ID))
		if err != nil {
			return d, nil, err
		}
		if now.Live == d.Live && now.Version.Chunks == d.Version.Chunks {
			// Nothing changed: the database itself disagrees. What is there is
			// all there is, and reading it again would go on for ever.
			return now, chunks, nil
		}
		d = now
	}
}

func (s *Store) liveChunks(ctx context.Context, d assistants.Document) ([]assistants.Chunk, error) {
	var rows []chunkRow
	err := s.read(ctx).Where("tenant_id = ? AND document_id = ? AND version = ?", d.TenantID, d.ID, d.Live).
		Order("chunk_index").Find(&rows).Error
	if err != nil {
		return nil, err
	}
	chunks := make([]assistants.Chunk, len(rows))
	for i, r := range rows {
		chunks[i] = r.chunk()
	}
	return chunks, nil
}
