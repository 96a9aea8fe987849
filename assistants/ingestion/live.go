package ingestion

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"footnote/assistants"
)

// chunksAtOnce is how many chunks one query reads from the store.
const chunksAtOnce = 1000

// restore makes the index hold a document's live version, or removes the
// document from the index when it has none. The caller holds the document's lock.
func (w *Worker) restore(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID) error {
	d, err := w.store.Document(ctx, tenant, id)
	if err != nil && !errors.Is(err, assistants.ErrNotFound) {
		return fmt.Errorf("look up the document: %w", err)
	}
	if err != nil || d.Live == 0 {
		return w.remove(ctx, id)
	}
	chunks, err := liveChunks(ctx, w.store, d)
	if err != nil {
		return err
	}
	return w.applyLive(ctx, d, chunks)
}

// applyLive writes the words of a document's live version to the index. That
// drops the document's vectors, so it first queues a job that makes them again.
func (w *Worker) applyLive(ctx context.Context, d assistants.Document, chunks []assistants.Chunk) error {
	if !d.Version.Space.IsZero() || !d.Version.Next.IsZero() {
		if err := w.store.QueueEmbedding(ctx, liveRef(d), true); err != nil {
			return fmt.Errorf("queue the embedding: %w", err)
		}
	}
	if err := w.index.Apply(ctx, d, d.Live, points(chunks)); err != nil {
		return fmt.Errorf("index: %w", err)
	}
	w.unpublished.ids.Delete(d.ID)
	return nil
}

func liveRef(d assistants.Document) assistants.VersionRef {
	return assistants.VersionRef{Tenant: d.TenantID, Document: d.ID, Number: d.Live}
}

// versionChunks reads all chunks of a version, live or not.
func (w *Worker) versionChunks(ctx context.Context, ref assistants.VersionRef) ([]assistants.Chunk, error) {
	var chunks []assistants.Chunk
	for {
		first := len(chunks)
		some, err := w.store.Passages(ctx, ref.Tenant, []assistants.PassageRange{
			{Document: ref.Document, Version: ref.Number, First: first, Last: first + chunksAtOnce - 1},
		})
		if err != nil {
			return nil, fmt.Errorf("read the chunks of a version: %w", err)
		}
		slices.SortFunc(some, func(a, b assistants.Chunk) int { return cmp.Compare(a.Index, b.Index) })
		if chunks = append(chunks, some...); len(some) < chunksAtOnce {
			return chunks, nil
		}
	}
}

// A liveReader reads the chunks of live versions; see [Versions].
type liveReader interface {
	LiveChunks(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID, list assistants.List) (items []assistants.Chunk, nextCursor string, err error)
}

// liveChunks reads all chunks of the live version.
func liveChunks(ctx context.Context, store liveReader, d assistants.Document) ([]assistants.Chunk, error) {
	var chunks []assistants.Chunk
	list := assistants.List{Limit: chunksAtOnce}
	for {
		items, next, err := store.LiveChunks(ctx, d.TenantID, d.ID, list)
		if err != nil {
			return nil, fmt.Errorf("read the live chunks: %w", err)
		}
		chunks = append(chunks, items...)
		if next == "" {
			return chunks, nil
		}
		list.Cursor = next
	}
}
