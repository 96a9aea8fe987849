package ingestion

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"footnote/assistants"
	"footnote/assistants/ingestion/extract"
	"footnote/assistants/ingestion/sandbox"
)

// extractorFunc is an Extractor made of a function.
type extractorFunc func(ctx context.Context, f *os.File, hint sandbox.Hint) (extract.Document, error)

func (x extractorFunc) Extract(ctx context.Context, f *os.File, hint sandbox.Hint) (extract.Document, error) {
	return x(ctx, f, hint)
}

// before does something before a document is read.
func before(do func()) Extractor {
	return extractorFunc(func(ctx context.Context, f *os.File, hint sandbox.Hint) (extract.Document, error) {
		do()
		return inProcess{}.Extract(ctx, f, hint)
	})
}

func TestADocumentGoesThroughItsStates(t *testing.T) {
	w := newWorld(t)
	d := w.add("a.md", "# Leave\n\nTwenty-five days.")
	w.drain(w.worker)
	log, err := w.store.DocumentLog(t.Context(), d.TenantID, d.ID)
	w.must(err)
	var states []assistants.Status
	for _, e := range log {
		states = append(states, e.Status)
	}
	want := []assistants.Status{
		assistants.StatusPending, assistants.StatusExtracting, assistants.StatusChunking, assistants.StatusIndexing, assistants.StatusReady,
	}
	if !slices.Equal(states, want) {
		t.Errorf("states %v, want %v", states, want)
	}
	d = w.document(d.ID)
	if d.Live != 1 || d.Version.Chunks != 1 || d.ReadyAt == nil || d.Searchable() != assistants.SearchableText {
		t.Errorf("%+v", d)
	}
	if c := w.chunks(d.ID)[0]; c.SectionHeader() != "Leave" || c.ID != assistants.NewChunkID(d.ID, 1, 0) || c.Page != 0 {
		t.Errorf("%+v", c)
	}
	w.consistent()
}

func TestCodesOfTheReaderAreThoseOfTheDomain(t *testing.T) {
	for _, code := range []string{
		extract.CodeUnreadable, extract.CodeEncrypted, extract.CodeTooComplex, extract.CodeNoText, extract.CodeParserFailed,
	} {
		if got := causeOf(&extract.Error{Code: code, Message: "Why."}); got.Code != code || got.Message != "Why." {
			t.Errorf("%s became %+v", code, got)
		}
	}
	if got := causeOf(&extract.Error{Code: "made up", Message: "secret"}); got != causeParserFailed {
		t.Errorf("an unknown code became %+v", got)
	}
}

func TestAFailedReplacementLeavesTheLiveVersion(t *testing.T) {
	w := newWorld(t)
	d := w.add("a.md", "The old words.")
	w.drain(w.worker)
	_, _, err := w.library.Replace(t.Context(), d.TenantID, d.ID, w.upload("a.pdf", "%PDF-1.7\nrubbish"))
	w.must(err)
	w.drain(w.worker)
	d = w.document(d.ID)
	if d.Status != assistants.StatusFailed || d.Live != 1 || w.indexed()[d.ID] != 1 || w.chunks(d.ID)[0].Text != "The old words." {
		t.Errorf("%+v", d)
	}
}

func TestASupersededVersionIsDropped(t *testing.T) {
	w := newWorld(t)
	d := w.add("a.md", "First.")
	var once sync.Once
	w.worker.extractor = before(func() {
		once.Do(func() {
			_, _, err := w.library.Replace(t.Context(), d.TenantID, d.ID, w.upload("a.md", "Second."))
			w.must(err)
		})
	})
	w.drain(w.worker)
	if d = w.document(d.ID); d.Live != 2 || w.chunks(d.ID)[0].Text != "Second." {
		t.Errorf("%+v", d)
	}
	w.drain(w.worker)
	w.consistent()
}

func TestADocumentDeletedInWorkLeavesNothing(t *testing.T) {
	for _, step := range []string{"while it is read", "while it is indexed"} {
		t.Run(step, func(t *testing.T) {
			w := newWorld(t)
			d := w.add("a.md", "Words.")
			var once sync.Once
			remove := func() {
				once.Do(func() { w.must(w.store.DeleteDocument(t.Context(), d.TenantID, d.ID)) })
			}
			if step == "while it is read" {
				w.worker.extractor = before(remove)
			} else {
				w.worker.index = beforeApply{w.index, remove}
			}
			w.drain(w.worker)
			w.consistent()
			if keys := w.keys(); len(keys) != 0 {
				t.Errorf("blobs %q", keys)
			}
		})
	}
}

// beforeApply is an index with something done before each Apply.
type beforeApply struct {
	Index
	do func()
}

func (b beforeApply) Apply(ctx context.Context, d assistants.Document, version int, points []assistants.Point) error {
	b.do()
	return b.Index.Apply(ctx, d, version, points)
}

// failing is an index that fails as long as it has errors.
type failing struct {
	Index
	errs []error
}

func (f *failing) Apply(ctx context.Context, d assistants.Document, version int, points []assistants.Point) error {
	if len(f.errs) > 0 {
		err := f.errs[0]
		f.errs = f.errs[1:]
		return err
	}
	return f.Index.Apply(ctx, d, version, points)
}

func TestAnUnavailableStoreIsWaitedFor(t *testing.T) {
	w := newWorld(t)
	outage := slices.Repeat([]error{fmt.Errorf("index: %w", assistants.ErrUnavailable)}, 2*maxAttempts)
	w.worker.index = &failing{w.index, outage}
	d := w.add("a.md", "Words.")
	for n := range outage {
		w.drain(w.worker)
		if d = w.document(d.ID); d.Status == assistants.StatusReady || d.Status == assistants.StatusFailed {
			t.Fatalf("after %d attempts: %s, %v", n+1, d.Status, d.Cause)
		}
		w.pass(retryDelay(n+1) - 100*time.Millisecond) // databases round times
		if _, ok, err := w.store.ClaimJob(t.Context(), w.clock(), time.Minute, assistants.JobFilter{}); ok || err != nil {
			t.Fatalf("after %d attempts: tried again too early, %v", n+1, err)
		}
		w.pass(200 * time.Millisecond)
	}
	w.dieWhileReading() // which is not the same as an outage, and happened once only
	w.drain(w.worker)
	if d = w.document(d.ID); d.Status != assistants.StatusReady {
		t.Errorf("%s, %v", d.Status, d.Cause)
	}
	w.consistent()
}

// dieWhileReading is a process that dies while it reads a document.
func (w *world) dieWhileReading() {
	f := &fate{left: 1000}
	w.drain(w.newWorker(mortalStore{w.store, f}, w.blobs, w.index, extractorFunc(func(context.Context, *os.File, sandbox.Hint) (extract.Document, error) {
		f.died = true
		return extract.Document{}, errCrash
	})))
	w.pass(2 * time.Minute)
}

// away is a store that does not answer for a while.
type away struct {
	Store
	gone bool
}

func (a *away) SetStatus(ctx context.Context, ref assistants.VersionRef, s assistants.Status, p assistants.Progress, cause *assistants.Cause) error {
	if a.gone {
		return assistants.ErrDatabaseUnavailable
	}
	return a.Store.SetStatus(ctx, ref, s, p, cause)
}

func (a *away) RetryJob(ctx context.Context, j assistants.Job, notBefore time.Time) error {
	if a.gone {
		return assistants.ErrDatabaseUnavailable
	}
	return a.Store.RetryJob(ctx, j, notBefore)
}

func TestOutagesWhileADocumentIsInWorkAreNoCrashes(t *testing.T) {
	w := newWorld(t)
	store := &away{Store: w.store}
	failures := 0
	worker := w.newWorker(store, w.blobs, w.index, extractorFunc(func(ctx context.Context, f *os.File, hint sandbox.Hint) (extract.Document, error) {
		if failures++; failures <= 2*maxCrashes {
			store.gone = true // so that the document stays as it is: in work
			return extract.Document{}, fmt.Errorf("read: %w", assistants.ErrUnavailable)
		}
		return inProcess{}.Extract(ctx, f, hint)
	}))
	d := w.add("a.md", "Words.")
	for range 2 * maxCrashes {
		w.drain(worker)
		store.gone = false
		w.pass(2 * time.Minute) // the lease ends
	}
	w.drain(worker)
	if d = w.document(d.ID); d.Status != assistants.StatusReady {
		t.Errorf("%s, %v", d.Status, d.Cause)
	}
	w.consistent()
}

func TestBackoffGrowsToItsEnd(t *testing.T) {
	for attempt, want := range map[int]time.Duration{0: time.Second, 1: time.Second, 2: 2 * time.Second, 5: 16 * time.Second, 9: 256 * time.Second, 10: maxDelay, 1000: maxDelay} {
		if got := retryDelay(attempt); got != want {
			t.Errorf("attempt %d: %v, want %v", attempt, got, want)
		}
	}
}

func TestAnUnknownErrorIsNotTriedForEver(t *testing.T) {
	w := newWorld(t)
	w.worker.index = &failing{w.index, slices.Repeat([]error{errors.New("a bug")}, 100)}
	d := w.add("a.md", "Words.")
	for range maxAttempts {
		w.drain(w.worker)
		w.pass(maxDelay)
	}
	if d = w.document(d.ID); d.Status != assistants.StatusFailed || d.Cause.Code != assistants.CodeParserFailed {
		t.Errorf("%s, %v", d.Status, d.Cause)
	}
	w.consistent()
}

func TestAPanicFailsTheDocumentOnly(t *testing.T) {
	w := newWorld(t)
	bad, good := w.add("a.md", "Bad."), w.add("b.md", "Good.")
	w.worker.extractor = extractorFunc(func(ctx context.Context, f *os.File, hint sandbox.Hint) (extract.Document, error) {
		if hint.Name == "a.md" {
			panic("a bug")
		}
		return inProcess{}.Extract(ctx, f, hint)
	})
	w.drain(w.worker)
	if d := w.document(bad.ID); d.Status != assistants.StatusFailed || d.Cause.Code != assistants.CodeParserFailed {
		t.Errorf("%s, %v", d.Status, d.Cause)
	}
	if d := w.document(good.ID); d.Status != assistants.StatusReady {
		t.Errorf("%s, %v", d.Status, d.Cause)
	}
	w.consistent()
}

func TestADocumentThatKillsTheProcessIsGivenUp(t *testing.T) {
	w := newWorld(t)
	d := w.add("a.md", "Words.")
	for n := range maxCrashes {
		if d = w.document(d.ID); d.Status == assistants.StatusFailed {
			t.Fatalf("given up after %d crashes", n)
		}
		w.dieWhileReading()
	}
	w.drain(w.worker)
	if d = w.document(d.ID); d.Status != assistants.StatusFailed || *d.Cause != causeCrashes {
		t.Errorf("%s, %v", d.Status, d.Cause)
	}
	// Asked for again, it gets as many chances as a new one.
	_, err := w.store.Reprocess(t.Context(), d.TenantID, d.ID)
	w.must(err)
	for range maxCrashes - 1 {
		w.dieWhileReading()
	}
	w.drain(w.worker)
	if d = w.document(d.ID); d.Status != assistants.StatusReady {
		t.Errorf("reprocessed: %s, %v", d.Status, d.Cause)
	}
	w.consistent()
}

func TestAMissingFileFailsTheDocument(t *testing.T) {
	w := newWorld(t)
	d := w.add("a.md", "Words.")
	w.must(w.blobs.Delete(t.Context(), d.Version.BlobKey))
	w.drain(w.worker)
	if d = w.document(d.ID); d.Status != assistants.StatusFailed || *d.Cause != causeFileGone {
		t.Errorf("%s, %v", d.Status, d.Cause)
	}
}

// remoteBlobs are no files, as those of an object store.
type remoteBlobs struct {
	Blobs
	short bool
}

type remoteFile struct{ io.ReadSeekCloser }

func (b remoteBlobs) Open(ctx context.Context, key string) (io.ReadSeekCloser, int64, error) {
	f, size, err := b.Blobs.Open(ctx, key)
	if b.short {
		size++
	}
	return remoteFile{f}, size, err
}

func TestABlobThatIsNoFileIsCopied(t *testing.T) {
	w := newWorld(t)
	d := w.add("a.md", "Words.")
	w.drain(w.newWorker(w.store, remoteBlobs{Blobs: w.blobs, short: true}, w.index, inProcess{}))
	if d = w.document(d.ID); d.Status == assistants.StatusReady || d.Status == assistants.StatusFailed {
		t.Errorf("a short copy: %s", d.Status)
	}
	w.pass(time.Minute)
	w.drain(w.newWorker(w.store, remoteBlobs{Blobs: w.blobs}, w.index, inProcess{}))
	if d = w.document(d.ID); d.Status != assistants.StatusReady {
		t.Errorf("%s, %v", d.Status, d.Cause)
	}
}

func TestProgressIsSeenWhileADocumentIsRead(t *testing.T) {
	w := newWorld(t)
	d := w.add("a.md", "Words.")
	var seen []assistants.Progress
	w.worker.extractor = extractorFunc(func(ctx context.Context, f *os.File, hint sandbox.Hint) (extract.Document, error) {
		for page := range 5 {
			hint.Progress(page, 4)
			seen = append(seen, w.document(d.ID).Progress)
			if page != 1 {
				w.pass(progressEvery)
			}
		}
		return inProcess{}.Extract(ctx, f, sandbox.Hint{Name: hint.Name})
	})
	w.drain(w.worker)
	var pages []int
	for _, p := range seen {
		pages = append(pages, p.Pages)
	}
	// The second page came within a second of the first.
	if !slices.Equal(pages, []int{0, 1, 1, 3, 4}) || seen[4].PagesTotal != 4 {
		t.Errorf("seen %v", seen)
	}
}

func TestReconcileRepairsTheIndex(t *testing.T) {
	w := newWorld(t)
	missing, stale, right := w.add("a.md", "Missing."), w.add("b.md", "Stale."), w.add("c.md", "Right.")
	w.drain(w.worker)
	w.must(w.index.Remove(t.Context(), missing.ID))
	w.must(w.index.Apply(t.Context(), stale, 7, []assistants.Point{{ChunkID: "chunk_x", Text: "x"}}))
	ghost := assistants.Document{ID: assistants.NewDocumentID(), TenantID: "default", CollectionID: w.collection}
	w.must(w.index.Apply(t.Context(), ghost, 1, []assistants.Point{{ChunkID: "chunk_y", Text: "y"}}))
	applied := 0
	w.worker.index = beforeApply{w.index, func() { applied++ }}
	w.must(w.worker.Reconcile(t.Context()))
	w.consistent()
	if applied != 2 || w.indexed()[right.ID] != 1 {
		t.Errorf("%d documents were applied", applied)
	}
}

func TestDeletedDocumentsAreTakenOut(t *testing.T) {
	w := newWorld(t)
	d := w.add("a.md", "Words.")
	w.drain(w.worker)
	w.must(w.store.DeleteDocument(t.Context(), d.TenantID, d.ID))
	w.drain(w.worker)
	w.consistent()
	if keys := w.keys(); len(keys) != 0 || len(w.indexed()) != 0 {
		t.Errorf("blobs %q, index %v", keys, w.indexed())
	}
}

func TestPointsCarryTheirHeadings(t *testing.T) {
	got := points([]assistants.Chunk{{ID: "chunk_a", Index: 3, Text: "Text.", HeadingPath: []string{"A", "B"}}, {ID: "chunk_b", Text: "Bare."},
		{ID: "chunk_c", Text: "1 | 2", TableHeader: "x | y", HeadingPath: []string{"A"}}})
	want := []assistants.Point{{ChunkID: "chunk_a", Index: 3, Text: "A\nB\n\nText."}, {ChunkID: "chunk_b", Text: "Bare."},
		{ChunkID: "chunk_c", Text: "A\n\nx | y\n1 | 2"}}
	if !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
}

// Documents that take long keep every reader busy, but not for other collections.
func TestSlowDocumentsDoNotStopOtherCollections(t *testing.T) {
	w := newWorld(t)
	slow := 0
	for range 6 {
		slow++
		w.add(fmt.Sprintf("slow-%d.md", slow), fmt.Sprintf("Slow %d.", slow))
	}
	w.collection = assistants.NewCollectionID()
	w.must(w.store.CreateAssistant(t.Context(), assistants.Assistant{
		ID: assistants.NewAssistantID(), TenantID: assistants.DefaultTenant, Slug: "other", Name: "Other",
		CollectionID: w.collection, Settings: assistants.DefaultSettings(), CreatedAt: w.clock(), UpdatedAt: w.clock(),
	}))
	goOn := make(chan struct{})
	begun := make(chan struct{}, 6)
	worker := w.newWorker(w.store, w.blobs, w.index, extractorFunc(func(ctx context.Context, f *os.File, hint sandbox.Hint) (extract.Document, error) {
		if strings.HasPrefix(hint.Name, "slow") {
			begun <- struct{}{}
			select {
			case <-goOn:
			case <-ctx.Done():
			}
		}
		return inProcess{}.Extract(ctx, f, hint)
	}))
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	var running sync.WaitGroup
	running.Go(func() { w.must(worker.Run(ctx)) })
	defer running.Wait()
	defer stop()
	<-begun
	<-begun
	quick := w.add("quick.md", "Quick.")
	worker.Notify()
	for w.document(quick.ID).Status != assistants.StatusReady {
		if ctx.Err() != nil {
			t.Fatal("the other collection's document waits for the slow ones")
		}
		runtime.Gosched()
	}
	if n := len(begun); n != 0 {
		t.Errorf("%d more documents of the first collection are read meanwhile", n)
	}
	close(goOn)
}
