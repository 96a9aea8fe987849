package db

import (
	"context"
	"slices"

	"footnote/assistants"
)

// inList is the length of an IN list, which is below every database's limit.
const inList = 500

// inParts splits a list of any length into parts of size items, reads each part with
// a query of its own, and joins the results.
func inParts[K, T any](list []K, size int, read func(part []K) ([]T, error)) ([]T, error) {
	var all []T
	for part := range slices.Chunk(list, size) {
		found, err := read(part)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// streamBatch is how many documents EachLive reads per query.
const streamBatch = 100

// Hits resolves matches to chunks with their documents, in their order. It
// leaves out a match whose chunk, document or collection does not exist any
// more. It finds chunks from when they are saved until a later version is
// published, so that a document answers without a gap while the index changes
// versions. It makes two queries for up to 500 matches, which is more than any
// search asks for.
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
		// While a version is being published, the index may be slightly ahead of
		// the live version or behind it. Until the older chunks are deleted,
		// both are valid.
		d, ok := docs[c.DocumentID]
		if !ok || !slices.Contains(collections, d.CollectionID) {
			continue
		}
		hits = append(hits, assistants.Hit{Chunk: c, Document: d, Score: m.Score})
	}
	return hits, nil
}

// chunksOf reads the existing chunks of matches.
func (s *Store) chunksOf(ctx context.Context, tenant assistants.TenantID, matches []assistants.Match) (map[assistants.ChunkID]assistants.Chunk, error) {
	ids := make([]assistants.ChunkID, len(matches))
	for i, m := range matches {
		ids[i] = m.ChunkID
	}
	return s.chunksByID(ctx, tenant, ids)
}

func (s *Store) chunksByID(ctx context.Context, tenant assistants.TenantID, ids []assistants.ChunkID) (map[assistants.ChunkID]assistants.Chunk, error) {
	rows, err := inParts(ids, inList, func(part []assistants.ChunkID) (rows []chunkRow, err error) {
		err = s.read(ctx).Where("tenant_id = ? AND id IN ?", tenant, evenly(part)).Find(&rows).Error
		return rows, err
	})
	chunks := make(map[assistants.ChunkID]assistants.Chunk, len(rows))
	for _, r := range rows {
		chunks[r.ID] = r.chunk()
	}
	return chunks, err
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

// rangesAtOnce is how many ranges of passages one query reads.
const rangesAtOnce = 50

// Passages returns the existing chunks in the given ranges, in no order, with
// one query for up to 50 ranges.
func (s *Store) Passages(ctx context.Context, tenant assistants.TenantID, ranges []assistants.PassageRange) ([]assistants.Chunk, error) {
	var chunks []assistants.Chunk
	for part := range slices.Chunk(ranges, rangesAtOnce) {
		within := s.gorm.Where("1 = 0")
		for _, r := range part {
			within = within.Or("document_id = ? AND version = ? AND chunk_index BETWEEN ? AND ?", r.Document, r.Version, r.First, r.Last)
		}
		var rows []chunkRow
		if err := s.read(ctx).Where("tenant_id = ?", tenant).Where(within).Find(&rows).Error; err != nil {
			return nil, s.wrap(ctx, "passages", err)
		}
		for _, r := range rows {
			chunks = append(chunks, r.chunk())
		}
	}
	return chunks, nil
}

// ForeignDocuments returns the documents that exist, but not in these
// collections of the tenant: an index must not have found them there. Those that
// were just moved, and are still to be indexed where they are now, are left out. It
// is the only query of documents that is not limited to the tenant, and it returns
// only ids that were passed in.
func (s *Store) ForeignDocuments(ctx context.Context, tenant assistants.TenantID, collections []assistants.CollectionID, ids []assistants.DocumentID) ([]assistants.DocumentID, error) {
	rows, err := inParts(ids, inList, func(part []assistants.DocumentID) (rows []documentRow, err error) {
		err = s.read(ctx).Select("id", "tenant_id", "collection_id").Where("id IN ?", part).
			Where("NOT EXISTS (SELECT 1 FROM jobs WHERE jobs.document_id = documents.id AND jobs.kind = ? AND jobs.version = 0)", assistants.JobPurge).
			Find(&rows).Error
		return rows, err
	})
	var foreign []assistants.DocumentID
	for _, r := range rows {
		if r.TenantID != tenant || !slices.Contains(collections, r.CollectionID) {
			foreign = append(foreign, r.ID)
		}
	}
	return foreign, s.wrap(ctx, "foreign documents", err)
}

// ExistingDocuments returns the ids of the named documents that exist, in no
// order. It reads only the ids, with one query for up to 500.
func (s *Store) ExistingDocuments(ctx context.Context, tenant assistants.TenantID, ids []assistants.DocumentID) ([]assistants.DocumentID, error) {
	existing, err := inParts(ids, inList, func(part []assistants.DocumentID) (found []assistants.DocumentID, err error) {
		err = inTenant(s.read(ctx), tenant).Model(&documentRow{}).Where("id IN ?", part).Pluck("id", &found).Error
		return found, err
	})
	return existing, s.wrap(ctx, "existing documents", err)
}

// DocumentsByID returns the named documents that exist, in no order, with one
// query for up to 500.
func (s *Store) DocumentsByID(ctx context.Context, tenant assistants.TenantID, ids []assistants.DocumentID) ([]assistants.Document, error) {
	docs, err := s.documentsByID(ctx, tenant, ids)
	return docs, s.wrap(ctx, "documents by id", err)
}

func (s *Store) documentsByID(ctx context.Context, tenant assistants.TenantID, ids []assistants.DocumentID) ([]assistants.Document, error) {
	return inParts(ids, inList, func(part []assistants.DocumentID) ([]assistants.Document, error) {
		return findDocuments(inTenant(s.read(ctx), tenant).Where("documents.id IN ?", part))
	})
}

// EachLive calls fn for every document with a live version, of every tenant, in
// ascending order of id. These are the documents that the index should hold. No
// transaction is open while fn runs. An error of fn ends it and is returned as
// it is.
func (s *Store) EachLive(ctx context.Context, fn func(d assistants.Document) error) error {
	last := assistants.DocumentID("")
	for {
		docs, err := findDocuments(s.read(ctx).Where("documents.live > 0 AND documents.id > ?", last).Order("documents.id").Limit(streamBatch))
		if err != nil {
			return s.wrap(ctx, "each live", err)
		}
		for _, d := range docs {
			last = d.ID
			if err := fn(d); err != nil {
				return err
			}
		}
		if len(docs) < streamBatch {
			return nil
		}
	}
}
