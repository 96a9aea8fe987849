package ingestion

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"footnote/assistants"
)

// ahead are the documents of which the index may have a version that is not
// published. It is empty when a process starts: what one that died has left
// there, [Worker.Reconcile] has seen to.
type ahead struct{ ids sync.Map }

func (a *ahead) has(id assistants.DocumentID) bool {
	_, ok := a.ids.Load(id)
	return ok
}

// takePlace lets a version answer in the place of the one that does. put brings
// it into the index, all or nothing, under the name that the document has then.
// The caller holds the document's lock, which keeps an older version's clean-up
// from coming between the two.
func (w *Worker) takePlace(ctx context.Context, ref assistants.VersionRef, next assistants.Status, put func(d assistants.Document) error) error {
	// The name is searched, too, and may have changed since the work began.
	d, err := w.store.Document(ctx, ref.Tenant, ref.Document)
	if err != nil {
		return fmt.Errorf("look up the document: %w", err)
	}
	if d.Latest != ref.Number {
		return fmt.Errorf("a newer version has come: %w", assistants.ErrConflict)
	}
	_, before := w.ahead.ids.LoadOrStore(ref.Document, true)
	if err := put(d); err != nil {
		if (errors.Is(err, assistants.ErrInvalid) || errors.Is(err, assistants.ErrTooLarge)) && !before {
			w.ahead.ids.Delete(ref.Document) // nothing has changed
		}
		return fmt.Errorf("index: %w", err)
	}
	if err := w.store.Publish(ctx, ref, w.Now().UTC(), next); err != nil {
		return fmt.Errorf("publish: %w", err)
	}
	w.ahead.ids.Delete(ref.Document)
	// Whoever renames it from now on has it read again; until now we were to see it.
	now, err := w.store.Document(ctx, ref.Tenant, ref.Document)
	if isVoid(err) || err == nil && (now.Name == d.Name || now.Live != ref.Number) {
		return nil
	}
	if err == nil {
		err = put(now)
	}
	if err != nil {
		return fmt.Errorf("index under the new name: %w", err)
	}
	return nil
}

// publishEmbedded lets a version answer that the index has with its vectors,
// because a process died, or the store did not answer, just before that was
// said; its job finds that there is nothing more to make of it. The caller
// holds the document's lock.
func (w *Worker) publishEmbedded(ctx context.Context, d assistants.Document) error {
	ref := assistants.VersionRef{Tenant: d.TenantID, Document: d.ID, Number: d.Latest}
	if err := w.store.Publish(ctx, ref, w.Now().UTC(), assistants.StatusEmbedding); err != nil {
		return fmt.Errorf("publish: %w", err)
	}
	w.ahead.ids.Delete(d.ID)
	return nil
}
