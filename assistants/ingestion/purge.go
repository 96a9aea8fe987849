package ingestion

import (
	"context"
	"fmt"

	"footnote/assistants"
)

// purge removes a deleted document from the index, or indexes one that was moved
// where it is now, and deletes the blobs of a deleted document or a replaced version.
// The newer version has already replaced the older one in the index.
func (w *Worker) purge(ctx context.Context, job assistants.Job) error {
	if job.Version == 0 {
		if err := w.indexAgain(ctx, job); err != nil {
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

// indexAgain makes the index hold what the store has of a document: nothing once it
// is deleted.
func (w *Worker) indexAgain(ctx context.Context, job assistants.Job) error {
	defer w.documents.lock(job.DocumentID)()
	w.partial.take(job.DocumentID)
	w.unpublished.ids.Delete(job.DocumentID)
	if err := w.restore(ctx, job.TenantID, job.DocumentID); err != nil {
		return err
	}
	d, err := w.store.Document(ctx, job.TenantID, job.DocumentID)
	if err != nil {
		return ignoreObsolete(err)
	}
	return w.embedIfMissing(ctx, d)
}

func (w *Worker) remove(ctx context.Context, id assistants.DocumentID) error {
	if err := w.index.Remove(ctx, id); err != nil {
		return fmt.Errorf("take a document out of the index: %w", err)
	}
	return nil
}
