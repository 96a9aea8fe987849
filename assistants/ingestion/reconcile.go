package ingestion

import (
	"context"
	"errors"
	"fmt"

	"footnote/assistants"
)

// chunksAtOnce is how many chunks are read from the store in one go.
const chunksAtOnce = 1000

// purge takes a deleted document out of the index, and deletes the blobs of a
// deleted document or a replaced version. The index needs no help with a
// replaced version: the newer one took its place.
func (w *Worker) purge(ctx context.Context, job assistants.Job) error {
	if job.Version == 0 {
		if err := w.removeDeleted(ctx, job); err != nil {
			return err
		}
	}
	for _, key := range job.BlobKeys {
		if err := w.blobs.Delete(ctx, key); err != nil {
			return fmt.Errorf("delete a blob: %w", err)
		}
	}
	return nil
}

func (w *Worker) removeDeleted(ctx context.Context, job assistants.Job) error {
	defer w.documents.lock(job.DocumentID)()
	if err := w.index.Remove(ctx, job.DocumentID); err != nil {
		return fmt.Errorf("take a document out of the index: %w", err)
	}
	return nil
}

// restore makes the index hold a document's live version, or nothing of it
// where there is none. The caller holds the document's lock.
func (w *Worker) restore(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID) error {
	d, err := w.store.Document(ctx, tenant, id)
	if err != nil && !errors.Is(err, assistants.ErrNotFound) {
		return fmt.Errorf("look up the document: %w", err)
	}
	if err != nil || d.Live == 0 {
		if err := w.index.Remove(ctx, id); err != nil {
			return fmt.Errorf("take a document out of the index: %w", err)
		}
		return nil
	}
	var chunks []assistants.Chunk
	list := assistants.List{Limit: chunksAtOnce}
	for {
		items, next, err := w.store.LiveChunks(ctx, tenant, id, list)
		if err != nil {
			return fmt.Errorf("read the live chunks: %w", err)
		}
		chunks = append(chunks, items...)
		if next == "" {
			break
		}
		list.Cursor = next
	}
	if err := w.index.Apply(ctx, d, d.Live, points(chunks)); err != nil {
		return fmt.Errorf("index: %w", err)
	}
	return nil
}

// Reconcile makes the index hold exactly the live versions of the store: what
// is missing or of another version is applied, what is too much removed. Call
// it before Run; it repairs what a crash, a restored backup or a lost index
// file left behind.
func (w *Worker) Reconcile(ctx context.Context) error {
	have, err := w.index.Versions(ctx)
	if err != nil {
		return fmt.Errorf("ask the index for its versions: %w", err)
	}
	applied, removed := 0, 0
	err = w.store.EachVersion(ctx, func(d assistants.Document, chunks []assistants.Chunk) error {
		indexed := have[d.ID].Version
		delete(have, d.ID)
		if indexed == d.Live {
			return nil
		}
		applied++
		return w.index.Apply(ctx, d, d.Live, points(chunks))
	})
	if err != nil {
		return fmt.Errorf("compare the index with the store: %w", err)
	}
	for id := range have {
		if err := w.index.Remove(ctx, id); err != nil {
			return fmt.Errorf("take a document out of the index: %w", err)
		}
		removed++
	}
	if applied+removed > 0 {
		w.cfg.Log.Info("index reconciled", "applied", applied, "removed", removed)
	}
	return nil
}
