package ingestion

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"footnote/assistants"
	"footnote/storage/blob"
	"footnote/storage/db"
	"footnote/storage/vector/embedded"
)

var errCrash = errors.New("the process is dead")

// A fate lets a number of writes happen and then ends the process: nothing is
// done any more, and nothing that would clean up either. Whether the last
// write was still done is the fate's second half.
type fate struct {
	left  int
	after bool // the process dies after the write, not before it
	died  bool
	// hiccup: nothing dies; that one write fails, and the store says that it
	// cannot answer now.
	hiccup bool
	// between, if not nil, is called after each write that is done.
	between func()
}

// do runs a write, or does not.
func (f *fate) do(write func() error) error {
	if f.died {
		return errCrash
	}
	if f.left--; f.left > 0 {
		err := write()
		if f.between != nil {
			f.between()
		}
		return err
	}
	if f.hiccup && f.left < 0 {
		return write()
	}
	f.died = !f.hiccup
	if f.after {
		_ = write()
	}
	if f.hiccup {
		return fmt.Errorf("no space: %w", assistants.ErrUnavailable)
	}
	return errCrash
}

// The mortal stores are the real ones with a fate.
type (
	mortalStore struct {
		*db.Store
		*fate
	}
	mortalBlobs struct {
		*blob.Disk
		*fate
	}
	mortalIndex struct {
		*embedded.Index
		*fate
	}
)

func (m mortalStore) CreateDocument(ctx context.Context, d assistants.Document) (stored assistants.Document, duplicate bool, err error) {
	err = m.do(func() error {
		stored, duplicate, err = m.Store.CreateDocument(ctx, d)
		return err
	})
	return stored, duplicate, err
}

func (m mortalStore) ReplaceFileIf(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID, v assistants.Version, check func(assistants.Document) error) (stored assistants.Document, duplicate bool, err error) {
	err = m.do(func() error {
		stored, duplicate, err = m.Store.ReplaceFileIf(ctx, tenant, id, v, check)
		return err
	})
	return stored, duplicate, err
}

func (m mortalStore) Document(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID) (assistants.Document, error) {
	if m.died {
		return assistants.Document{}, errCrash
	}
	return m.Store.Document(ctx, tenant, id)
}

func (m mortalStore) ClaimJob(ctx context.Context, now time.Time, lease time.Duration, want assistants.JobFilter) (j assistants.Job, ok bool, err error) {
	err = m.do(func() error {
		j, ok, err = m.Store.ClaimJob(ctx, now, lease, want)
		return err
	})
	return j, ok, err
}

func (m mortalStore) FinishJob(ctx context.Context, j assistants.Job) error {
	return m.do(func() error { return m.Store.FinishJob(ctx, j) })
}

func (m mortalStore) RetryJob(ctx context.Context, j assistants.Job, at time.Time) error {
	return m.do(func() error { return m.Store.RetryJob(ctx, j, at) })
}

func (m mortalStore) SetStatus(ctx context.Context, ref assistants.VersionRef, s assistants.Status, p assistants.Progress, cause *assistants.Cause) error {
	return m.do(func() error { return m.Store.SetStatus(ctx, ref, s, p, cause) })
}

func (m mortalStore) SaveVersion(ctx context.Context, ref assistants.VersionRef, contentType string, text assistants.Text, chunks []assistants.Chunk) error {
	return m.do(func() error { return m.Store.SaveVersion(ctx, ref, contentType, text, chunks) })
}

func (m mortalStore) Publish(ctx context.Context, ref assistants.VersionRef, at time.Time, next assistants.Status) error {
	return m.do(func() error { return m.Store.Publish(ctx, ref, at, next) })
}

func (m mortalStore) QueueEmbedding(ctx context.Context, ref assistants.VersionRef, vectorsLost bool) error {
	return m.do(func() error { return m.Store.QueueEmbedding(ctx, ref, vectorsLost) })
}

func (m mortalStore) ClaimSpace(ctx context.Context, tenant assistants.TenantID, id assistants.CollectionID, space assistants.Space) (c assistants.Collection, err error) {
	err = m.do(func() error {
		c, err = m.Store.ClaimSpace(ctx, tenant, id, space)
		return err
	})
	return c, err
}

func (m mortalStore) Embedded(ctx context.Context, ref assistants.VersionRef, space assistants.Space, at time.Time) error {
	return m.do(func() error { return m.Store.Embedded(ctx, ref, space, at) })
}

func (m mortalStore) SwapSpace(ctx context.Context, tenant assistants.TenantID, id assistants.CollectionID, next assistants.Space, c assistants.Calibration, passages int) (old assistants.Space, swapped bool, err error) {
	err = m.do(func() error {
		old, swapped, err = m.Store.SwapSpace(ctx, tenant, id, next, c, passages)
		return err
	})
	return old, swapped, err
}

func (m mortalStore) Reembed(ctx context.Context, tenant assistants.TenantID, id assistants.CollectionID, space assistants.Space) (c assistants.Collection, err error) {
	err = m.do(func() error {
		c, err = m.Store.Reembed(ctx, tenant, id, space)
		return err
	})
	return c, err
}

func (m mortalBlobs) Put(ctx context.Context, key string, r io.Reader) (size int64, sum string, err error) {
	err = m.do(func() error {
		size, sum, err = m.Disk.Put(ctx, key, r)
		return err
	})
	return size, sum, err
}

func (m mortalBlobs) Delete(ctx context.Context, key string) error {
	return m.do(func() error { return m.Disk.Delete(ctx, key) })
}

func (m mortalIndex) Apply(ctx context.Context, d assistants.Document, version int, points []assistants.Point) error {
	return m.do(func() error { return m.Index.Apply(ctx, d, version, points) })
}

func (m mortalIndex) ApplyEmbedded(ctx context.Context, d assistants.Document, version int, points []assistants.Point, space assistants.Space, vectors [][]float32) error {
	return m.do(func() error { return m.Index.ApplyEmbedded(ctx, d, version, points, space, vectors) })
}

func (m mortalIndex) ApplyVectors(ctx context.Context, id assistants.DocumentID, version int, space assistants.Space, vectors [][]float32) error {
	return m.do(func() error { return m.Index.ApplyVectors(ctx, id, version, space, vectors) })
}

func (m mortalIndex) DropVectors(ctx context.Context, collection assistants.CollectionID, space assistants.Space) error {
	return m.do(func() error { return m.Index.DropVectors(ctx, collection, space) })
}

func (m mortalIndex) Remove(ctx context.Context, id assistants.DocumentID) error {
	return m.do(func() error { return m.Index.Remove(ctx, id) })
}

// A life is uploads, a replacement and a deletion, worked off as they come. It
// says what was acknowledged before the process died.
type life struct {
	kept, deleted string // ids of documents
	version       int    // acknowledged version of the kept document
	gone          bool   // the deletion was acknowledged
}

func live(w *world, f *fate) (l life) {
	store := mortalStore{w.store, f}
	blobs := mortalBlobs{w.blobs, f}
	worker := w.newWorker(store, blobs, mortalIndex{w.index, f}, inProcess{})
	library := NewLibrary(store, blobs, worker.Notify)
	library.Now = w.clock
	ctx := w.t.Context()

	if d, _, err := library.Add(ctx, w.upload("kept.md", "# One\n\nThe first version.")); err == nil {
		l.kept, l.version = string(d.ID), 1
	}
	w.drain(worker)
	if d, _, err := library.Add(ctx, w.upload("deleted.md", "# Two\n\nSoon deleted.")); err == nil {
		l.deleted = string(d.ID)
	}
	w.drain(worker)
	if l.kept != "" {
		if d, _, err := library.Replace(ctx, assistants.DefaultTenant, assistants.DocumentID(l.kept), w.upload("kept.md", "# One\n\nThe second version, with more words.")); err == nil {
			l.version = d.Latest
		}
	}
	w.drain(worker)
	if l.deleted != "" && !f.died {
		w.must(w.store.DeleteDocument(ctx, assistants.DefaultTenant, assistants.DocumentID(l.deleted)))
		l.gone = true
	}
	w.drain(worker)
	return l
}

// The process dies before and after every single write; the next one brings
// everything to a good end.
func TestACrashAtAnyStepLosesNothing(t *testing.T) {
	const more = 1000
	whole := &fate{left: more}
	w, _ := newEmbeddingWorld(t)
	live(w, whole)
	w.consistent()
	writes := more - whole.left
	if writes < 35 {
		t.Fatalf("a whole life has %d writes only", writes)
	}
	for n := 1; n <= writes; n += everyWrite {
		for _, after := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d of %d, after %v", n, writes, after), func(t *testing.T) {
				w, e := newEmbeddingWorld(t)
				l := live(w, &fate{left: n, after: after})
				w.unfinished()
				w.restart()
				if in, err := w.index.Versions(t.Context()); l.version == 2 && (err != nil || len(in[assistants.DocumentID(l.kept)].Spaces) == 0) {
					t.Errorf("what was replaced is not found by its meaning any more: %+v, %v", in, err)
				}
				w.drain(w.worker)
				// Bytes on disk are dated by the real clock.
				w.now.Store(time.Now().Add(time.Hour).UnixNano())
				w.sweep()
				w.consistent()
				if found, _ := w.findings(true, false); len(found) > 0 {
					t.Errorf("found %q", found)
				}
				if l.kept != "" {
					d := w.document(assistants.DocumentID(l.kept))
					if d.Status != assistants.StatusReady || d.Live < l.version || d.Version.Space != e.space {
						t.Errorf("version %d was acknowledged; %s, version %d is live in %v", l.version, d.Status, d.Live, d.Version.Space)
					}
					if want := map[int]string{1: "first", 2: "second"}[d.Live]; !strings.Contains(w.chunks(d.ID)[0].Text, want) {
						t.Errorf("version %d says %q", d.Live, w.chunks(d.ID)[0].Text)
					}
				}
				if l.deleted != "" {
					_, err := w.store.Document(t.Context(), assistants.DefaultTenant, assistants.DocumentID(l.deleted))
					if gone := errors.Is(err, assistants.ErrNotFound); gone != l.gone {
						t.Errorf("the deletion was acknowledged: %v; the document is gone: %v", l.gone, gone)
					}
				}
			})
		}
	}
}

// D-001: any single write fails, or its answer is lost, and the process goes
// on. Nothing that was acknowledged is lost, nothing is left over.
func TestAFailureOfAnyWriteLosesNothing(t *testing.T) {
	const more = 1000
	whole := &fate{left: more}
	first, _ := newEmbeddingWorld(t)
	live(first, whole)
	for n := 1; n <= more-whole.left; n += everyWrite {
		after := n/everyWrite%2 == 0
		t.Run(fmt.Sprintf("%d, after %v", n, after), func(t *testing.T) {
			w, e := newEmbeddingWorld(t)
			l := live(w, &fate{left: n, after: after, hiccup: true})
			// What failed is tried again later, by the same process.
			for range 3 {
				w.pass(time.Hour)
				w.drain(w.worker)
			}
			w.now.Store(time.Now().Add(time.Hour).UnixNano()) // bytes on disk are dated by the real clock
			w.sweep()
			w.consistent()
			if found, _ := w.findings(true, false); len(found) > 0 {
				t.Errorf("found %q", found)
			}
			for _, id := range []string{l.kept, l.deleted} {
				d, err := w.store.Document(t.Context(), assistants.DefaultTenant, assistants.DocumentID(id))
				switch {
				case id == "", id == l.deleted && l.gone && errors.Is(err, assistants.ErrNotFound):
				case err != nil || d.Status != assistants.StatusReady || d.Version.Space != e.space:
					t.Errorf("%s was acknowledged; it is %s, %+v, %v", id, d.Status, d.Cause, err)
				case id == l.kept && d.Live < l.version:
					t.Errorf("version %d was acknowledged, version %d is live", l.version, d.Live)
				}
			}
		})
	}
}

// A process dies at any write while a collection is embedded anew; what
// answers is in one space at any time, and in the new one in the end.
func TestACrashAtAnyStepOfReembeddingMixesNothing(t *testing.T) {
	two := newTestEmbedder("two")
	reembed := func(t *testing.T, f *fate) *world {
		w, one := newEmbeddingWorld(t)
		for i := range 2 {
			w.add(fmt.Sprintf("%d.md", i), fmt.Sprintf("# Document %d\n\nSome words.", i))
		}
		w.drain(w.worker)
		w.use(two)
		store := mortalStore{w.store, f}
		worker := w.newWorker(store, w.blobs, mortalIndex{w.index, f}, inProcess{})
		_, err := store.Reembed(t.Context(), assistants.DefaultTenant, w.collection, two.space)
		w.drain(worker)
		c := w.collectionNow()
		if !f.died && !f.hiccup && (err != nil || c.Space != two.space) {
			t.Fatalf("%+v, %v", c, err)
		}
		w.must(w.store.EachLive(t.Context(), func(d assistants.Document) error {
			if d.Version.Space != c.Space || !d.Version.Next.IsZero() && d.Version.Next != c.Next {
				t.Errorf("%s is in %v and %v, the collection in %v and %v", d.ID, d.Version.Space, d.Version.Next, c.Space, c.Next)
			}
			w.vectorsFit(d, w.chunks(d.ID))
			return nil
		}))
		if c.Space != one.space && c.Space != two.space {
			t.Errorf("%+v", c)
		}
		return w
	}
	const more = 1000
	whole := &fate{left: more}
	reembed(t, whole).consistent()
	for n := 1; n <= more-whole.left; n++ {
		for _, after := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d, after %v", n, after), func(t *testing.T) {
				w := reembed(t, &fate{left: n, after: after})
				w.restart()
				if c := w.collectionNow(); c.Target() != two.space { // the request was never acknowledged
					_, err := w.store.Reembed(t.Context(), assistants.DefaultTenant, w.collection, two.space)
					w.must(err)
				}
				w.drain(w.worker)
				w.must(w.worker.embedMissing(t.Context())) // as Run does at its start
				w.drain(w.worker)
				if c := w.collectionNow(); c.Space != two.space || !c.Next.IsZero() {
					t.Errorf("%+v", c)
				}
				w.consistent()
				in, err := w.index.Versions(t.Context())
				w.must(err)
				for id, have := range in {
					if len(have.Spaces) != 1 || have.Spaces[0] != two.space {
						t.Errorf("%s is in %v", id, have.Spaces)
					}
				}
			})
		}
	}
}
