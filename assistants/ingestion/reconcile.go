package ingestion

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"footnote/assistants"
)

// checkEvery is how often database and index are compared while they are in use.
const checkEvery = time.Hour

// repairs counts the repairs after comparisons of database and index.
type repairs struct {
	applied, removed, requeued, dropped atomic.Int64
}

// Repairs returns how many differences between database and index were repaired, by kind.
func (w *Worker) Repairs() map[string]int64 {
	return map[string]int64{
		"document_missing": w.repairs.applied.Load(), // or another version of it is indexed
		"document_unknown": w.repairs.removed.Load(),
		"vectors_missing":  w.repairs.requeued.Load(),
		"vectors_unknown":  w.repairs.dropped.Load(),
	}
}

// Reconcile makes the index hold exactly the live versions of the store: what
// is missing or of another version is applied, documents that the store does not
// have are removed, and missing vectors are queued. Call it before Run, when
// nothing else changes the index. It repairs what a crash, a restored backup or a
// lost index file left behind. Run does the same from time to time.
func (w *Worker) Reconcile(ctx context.Context) error { return w.compare(ctx, true) }

// Recheck is Reconcile for an index that is in use.
func (w *Worker) Recheck(ctx context.Context) error { return w.compare(ctx, false) }

// A comparison compares the database with the index once.
type comparison struct {
	*Worker
	alone       bool // no other work on the index runs meanwhile
	have        map[assistants.DocumentID]assistants.Indexed
	collections map[assistants.CollectionID]assistants.Collection
	missing     []missing
	stale       map[staleSpace]bool
	before      map[string]int64 // repairs
}

// A missing version is a live version that the index lacked. has is the version
// that the index held instead; 0: none.
type missing struct {
	assistants.VersionRef
	has int
}

// A staleSpace is a space whose vectors a collection no longer uses.
type staleSpace struct {
	tenant     assistants.TenantID
	collection assistants.CollectionID
	space      assistants.Space
}

func (w *Worker) compare(ctx context.Context, alone bool) error {
	c := comparison{Worker: w, alone: alone, collections: map[assistants.CollectionID]assistants.Collection{}, stale: map[staleSpace]bool{}, before: w.Repairs()}
	var err error
	if c.have, err = w.index.Versions(ctx); err != nil {
		return fmt.Errorf("ask the index for its versions: %w", err)
	}
	if err := w.store.EachLive(ctx, func(d assistants.Document) error { return c.document(ctx, d) }); err != nil {
		return fmt.Errorf("compare the index with the store: %w", err)
	}
	if err := c.reapply(ctx); err != nil {
		return err
	}
	for id := range c.have {
		if err := c.removeUnknown(ctx, id); err != nil {
			return err
		}
	}
	for s := range c.stale {
		if err := c.drop(ctx, s); err != nil {
			return fmt.Errorf("drop vectors that nobody needs: %w", err)
		}
	}
	c.report()
	return nil
}

// report logs the repairs.
func (c *comparison) report() {
	var changes []any
	for kind, n := range c.Repairs() {
		if n -= c.before[kind]; n > 0 {
			changes = append(changes, kind, n)
		}
	}
	if len(changes) > 0 {
		c.cfg.Log.Info("index reconciled", changes...)
	}
}

// document compares a live document with its entry in the index.
func (c *comparison) document(ctx context.Context, d assistants.Document) error {
	in, ok := c.have[d.ID]
	delete(c.have, d.ID)
	if !ok || in.Version != d.Live {
		c.missing = append(c.missing, missing{liveRef(d), in.Version})
		return nil
	}
	collection, err := c.collection(ctx, d)
	if err != nil {
		return err
	}
	for _, s := range in.Spaces {
		if s != collection.Space && s != collection.Next {
			c.stale[staleSpace{d.TenantID, d.CollectionID, s}] = true
		}
	}
	for _, s := range []assistants.Space{d.Version.Space, d.Version.Next} {
		if !s.IsZero() && !slices.Contains(in.Spaces, s) {
			return c.revector(ctx, d)
		}
	}
	return nil
}

// collection returns the document's collection. It is read after the index.
func (c *comparison) collection(ctx context.Context, d assistants.Document) (assistants.Collection, error) {
	if known, ok := c.collections[d.CollectionID]; ok {
		return known, nil
	}
	found, err := c.store.Collections(ctx, d.TenantID, []assistants.CollectionID{d.CollectionID})
	if err != nil || len(found) == 0 {
		return assistants.Collection{}, err
	}
	c.collections[d.CollectionID] = found[0]
	return found[0], nil
}

// reapply indexes documents that are missing from the index, or that the index has
// in another version. If other workers run, it first reads the index's versions
// again. It reads them once for all documents, because one read lists the whole index.
func (c *comparison) reapply(ctx context.Context) error {
	if len(c.missing) == 0 {
		return nil
	}
	var now map[assistants.DocumentID]assistants.Indexed
	if !c.alone {
		var err error
		if now, err = c.index.Versions(ctx); err != nil {
			return fmt.Errorf("ask the index for its versions: %w", err)
		}
	}
	for _, m := range c.missing {
		if !c.alone {
			m.has = now[m.Document].Version
		}
		if m.has == m.Number {
			continue
		}
		if err := c.reapplyOne(ctx, m); err != nil {
			return err
		}
	}
	return nil
}

func (c *comparison) reapplyOne(ctx context.Context, m missing) error {
	defer c.documents.lock(m.Document)()
	d, err := c.store.Document(ctx, m.Tenant, m.Document)
	switch {
	case isObsolete(err) || err == nil && d.Live != m.Number:
		return nil // the writer of that change has updated the index
	case err == nil && d.ToEmbed() != d.Live && d.ToEmbed() == m.has:
		err = c.publishEmbedded(ctx, d) // the index already holds the new version with its vectors
	case err == nil:
		err = c.restore(ctx, m.Tenant, m.Document)
	}
	if isObsolete(err) {
		return nil // replaced while it was read
	}
	if err == nil {
		c.repairs.applied.Add(1)
	}
	return err
}

// removeUnknown removes a document without a live version from the index.
func (c *comparison) removeUnknown(ctx context.Context, id assistants.DocumentID) error {
	defer c.documents.lock(id)()
	if !c.alone {
		live := false // the previous holder of the lock may have published it
		err := c.store.EachLive(ctx, func(d assistants.Document) error {
			live = live || d.ID == id
			return nil
		})
		if err != nil || live {
			return err
		}
	}
	if err := c.remove(ctx, id); err != nil {
		return err
	}
	c.repairs.removed.Add(1)
	return nil
}

// revector queues the embedding of a document whose vectors the index lost.
func (c *comparison) revector(ctx context.Context, d assistants.Document) error {
	defer c.documents.lock(d.ID)()
	now, err := c.store.Document(ctx, d.TenantID, d.ID)
	if isObsolete(err) || err == nil && (now.Live != d.Live || now.Version.Space != d.Version.Space || now.Version.Next != d.Version.Next) {
		return nil // the document has changed since it was compared
	}
	if err == nil {
		err = c.store.QueueEmbedding(ctx, liveRef(d), true)
	}
	if err != nil {
		return fmt.Errorf("queue the embedding: %w", err)
	}
	c.repairs.requeued.Add(1)
	return nil
}

// drop removes the vectors of a space, unless the collection has started to use
// that space since the comparison.
func (c *comparison) drop(ctx context.Context, s staleSpace) error {
	found, err := c.store.Collections(ctx, s.tenant, []assistants.CollectionID{s.collection})
	if err != nil || len(found) > 0 && (found[0].Space == s.space || found[0].Next == s.space) {
		return err
	}
	if err := c.index.DropVectors(ctx, s.collection, s.space); err != nil {
		return err
	}
	c.repairs.dropped.Add(1)
	return nil
}

// embedMissing queues the embedding of every live version without vectors:
// documents from before there was an embedder, and those whose embedding
// failed. Collections with all the vectors they need change to their next space.
func (w *Worker) embedMissing(ctx context.Context) error {
	known := map[assistants.CollectionID]assistants.Collection{}
	space, err := w.cfg.Embedder.Space(ctx)
	usable := err == nil
	err = w.store.EachLive(ctx, func(d assistants.Document) error {
		c, ok := known[d.CollectionID]
		if !ok {
			if err := w.swapFinishedSpace(ctx, d.TenantID, d.CollectionID); err != nil {
				return err
			}
			found, err := w.store.Collections(ctx, d.TenantID, []assistants.CollectionID{d.CollectionID})
			if err != nil {
				return err
			}
			if len(found) > 0 {
				c = found[0]
			}
			known[d.CollectionID] = c
		}
		switch {
		case d.Status == assistants.StatusEmbedding: // its job ends properly even without an embedder
		case !usable || !c.Takes(space) || !c.Lacks(d.Version) || !d.Settled() || c.IsFiles():
			return nil
		}
		return ignoreObsolete(w.store.QueueEmbedding(ctx, liveRef(d), false))
	})
	if err != nil {
		return fmt.Errorf("look for documents without vectors: %w", err)
	}
	w.Notify()
	return nil
}

// embedIfMissing queues the embedding of a live document, if it lacks
// vectors that can be made.
func (w *Worker) embedIfMissing(ctx context.Context, d assistants.Document) error {
	if d.Live == 0 || !d.Settled() {
		return nil
	}
	found, err := w.store.Collections(ctx, d.TenantID, []assistants.CollectionID{d.CollectionID})
	if err != nil || len(found) == 0 || !found[0].Lacks(d.Version) || found[0].IsFiles() {
		return err
	}
	space, err := w.cfg.Embedder.Space(ctx)
	if errors.Is(err, assistants.ErrNoEmbedder) || err == nil && !found[0].Takes(space) {
		return nil
	}
	return ignoreObsolete(w.store.QueueEmbedding(ctx, liveRef(d), false))
}

func ignoreObsolete(err error) error {
	if isObsolete(err) {
		return nil
	}
	return err
}

// keepChecking queues missing embeddings, and compares database and index, every
// checkEvery until ctx ends.
func (w *Worker) keepChecking(ctx context.Context) {
	ticker := time.NewTicker(checkEvery)
	defer ticker.Stop()
	for {
		if err := w.embedMissing(ctx); err != nil && ctx.Err() == nil {
			w.cfg.Log.Warn("documents without vectors could not be looked for", "error", err)
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
		if err := w.compare(ctx, false); err != nil && ctx.Err() == nil {
			w.cfg.Log.Warn("database and index could not be compared", "error", err)
		}
	}
}
