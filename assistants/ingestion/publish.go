package ingestion

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"footnote/assistants"
)

// An unpublishedSet holds the documents of which the index may have a version
// that is not published. It is empty when a process starts, because
// [Worker.Reconcile] has repaired what a process that died left in the index.
type unpublishedSet struct{ ids sync.Map }

func (a *unpublishedSet) has(id assistants.DocumentID) bool {
	_, ok := a.ids.Load(id)
	return ok
}

// replaceLive replaces the live version with another one. put writes that version
// to the index, all or nothing, under the document's current name. The caller
// holds the document's lock, so that no clean-up of an older version runs
// between the index write and the publication.
func (w *Worker) replaceLive(ctx context.Context, ref assistants.VersionRef, next assistants.Status, put func(ctx context.Context, d assistants.Document) error) error {
	// The index also searches the name, which may have changed since the work began.
	d, err := w.store.Document(ctx, ref.Tenant, ref.Document)
	if err != nil {
		return fmt.Errorf("look up the document: %w", err)
	}
	if d.Latest != ref.Number {
		return fmt.Errorf("a newer version has come: %w", assistants.ErrConflict)
	}
	_, before := w.unpublished.ids.LoadOrStore(ref.Document, true)
	if err := put(ctx, d); err != nil {
		if (errors.Is(err, assistants.ErrInvalid) || errors.Is(err, assistants.ErrTooLarge)) && !before {
			w.unpublished.ids.Delete(ref.Document) // nothing has changed
		}
		return fmt.Errorf("index: %w", err)
	}
	if err := w.store.Publish(ctx, ref, w.Now().UTC(), next); err != nil {
		return fmt.Errorf("publish: %w", err)
	}
	w.unpublished.ids.Delete(ref.Document)
	// The work is done. A shutdown must not give it back.
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), cleanupTime)
	defer done()
	// A rename after Publish queues a job. A rename before Publish does not, so index the new name here.
	now, err := w.store.Document(ctx, ref.Tenant, ref.Document)
	if isObsolete(err) || err == nil && (now.Name == d.Name || now.Live != ref.Number) {
		return nil
	}
	if err == nil {
		err = put(ctx, now)
	}
	if err != nil {
		return fmt.Errorf("index under the new name: %w", err)
	}
	return nil
}

// publishEmbedded publishes a version that the index already holds with its
// vectors: the process died, or the store did not answer, just before the
// publication. The version's job then finds nothing left to do. The caller holds
// the document's lock.
func (w *Worker) publishEmbedded(ctx context.Context, d assistants.Document) error {
	ref := assistants.VersionRef{Tenant: d.TenantID, Document: d.ID, Number: d.Latest}
	if err := w.store.Publish(ctx, ref, w.Now().UTC(), assistants.StatusEmbedding); err != nil {
		return fmt.Errorf("publish: %w", err)
	}
	w.unpublished.ids.Delete(d.ID)
	return nil
}
