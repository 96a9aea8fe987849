package ingestion

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"footnote/assistants"
	"footnote/assistants/lexical"
	"footnote/storage/vector/embedded"
)

// newEmbeddingWorld is a world with an embedder.
func newEmbeddingWorld(t *testing.T) (*world, *testEmbedder) {
	w, e := newWorld(t), newTestEmbedder("one")
	w.use(e)
	return w, e
}

// use gives the world another embedder, as a restart with another configuration does.
func (w *world) use(e Embedder) {
	w.embedder = e
	w.worker = w.newWorker(w.store, w.blobs, w.index, inProcess{})
	w.library = NewLibrary(w.store, w.blobs, w.worker.Notify)
	w.library.Now = w.clock
}

// states is the log of a document: state, and code of the cause.
func (w *world) states(id assistants.DocumentID) (states []string) {
	w.t.Helper()
	log, err := w.store.DocumentLog(w.t.Context(), assistants.DefaultTenant, id)
	w.must(err)
	for _, e := range log {
		s := string(e.Status)
		if e.Cause != nil {
			s += " " + e.Cause.Code
		}
		states = append(states, s)
	}
	return states
}

func (w *world) collectionNow() assistants.Collection {
	w.t.Helper()
	found, err := w.store.Collections(w.t.Context(), assistants.DefaultTenant, []assistants.CollectionID{w.collection})
	w.must(err)
	if len(found) != 1 {
		w.t.Fatal("no collection")
	}
	return found[0]
}

// step does the next job of the kinds.
func (w *world) step(kinds ...assistants.JobKind) {
	w.t.Helper()
	job, ok, err := w.store.ClaimJob(w.t.Context(), w.clock(), w.worker.cfg.Lease, assistants.JobFilter{Kinds: kinds})
	w.must(err)
	if !ok {
		w.t.Fatalf("no job of %v", kinds)
	}
	w.worker.work(w.t.Context(), job)
}

// long is a text of many passages.
func long(title string, passages int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", title)
	for i := range passages {
		fmt.Fprintf(&b, "## Part %d of %s\n\n%s\n\n", i, title, strings.Repeat(fmt.Sprintf("Sentence about item %d of %s. ", i, title), 30))
	}
	return b.String()
}

func TestADocumentIsFoundByItsWordsBeforeItsVectorsAreMade(t *testing.T) {
	w, e := newEmbeddingWorld(t)
	d := w.add("leave.md", "# Leave\n\n## Notice\n\nTell us two weeks before.")
	w.step(assistants.JobIngest)
	d = w.document(d.ID)
	if d.Status != assistants.StatusEmbedding || d.Searchable() != assistants.SearchableText || d.Progress.ChunksTotal != d.Version.Chunks {
		t.Errorf("%+v", d)
	}
	w.step(assistants.JobEmbed)
	d = w.document(d.ID)
	if d.Status != assistants.StatusReady || d.Searchable() != assistants.SearchableFull || d.Version.Space != e.space {
		t.Errorf("%+v", d)
	}
	if c := w.collectionNow(); c.Space != e.space {
		t.Errorf("collection %+v", c)
	}
	if got := strings.Join(e.passages(), "|"); !strings.HasPrefix(got, "Leave\nNotice\n\n") || !strings.HasSuffix(got, "Tell us two weeks before.") {
		t.Errorf("embedded %q", got)
	}
	if got, want := w.states(d.ID), []string{"pending", "extracting", "chunking", "indexing", "embedding", "ready"}; !reflect.DeepEqual(got, want) {
		t.Errorf("log %q", got)
	}
	w.consistent()
}

func TestWithoutAnEmbedderDocumentsAreReadyAndEmbeddedOnceThereIsOne(t *testing.T) {
	w := newWorld(t)
	d := w.add("a.md", "# A\n\nSome words.")
	w.drain(w.worker)
	if d = w.document(d.ID); d.Status != assistants.StatusReady || d.Searchable() != assistants.SearchableText {
		t.Fatalf("%+v", d)
	}
	w.must(w.worker.embedMissing(t.Context()))
	if n, err := w.store.CountJobs(t.Context()); err != nil || n != 0 {
		t.Errorf("%d jobs without an embedder, %v", n, err)
	}
	w.use(newTestEmbedder("one"))
	for range 2 { // asking again queues nothing more
		w.must(w.worker.embedMissing(t.Context()))
		if n, err := w.store.CountJobs(t.Context(), assistants.JobEmbed); err != nil || n != 1 {
			t.Errorf("%d jobs, %v", n, err)
		}
	}
	if d = w.document(d.ID); d.Status != assistants.StatusReady {
		t.Errorf("it answers: %s", d.Status)
	}
	w.drain(w.worker)
	if d = w.document(d.ID); d.Searchable() != assistants.SearchableFull {
		t.Errorf("%+v", d)
	}
	w.consistent()
}

func TestAnEmbedderThatIsAwayIsWaitedFor(t *testing.T) {
	w, e := newEmbeddingWorld(t)
	d := w.add("a.md", "# A\n\nSome words.")
	e.fail(fmt.Errorf("refused: %w", assistants.ErrUnavailable))
	w.drain(w.worker)
	for range 12 {
		d = w.document(d.ID)
		if d.Status != assistants.StatusEmbedding || d.Searchable() != assistants.SearchableText || d.Cause == nil || d.Cause.Code != assistants.CodeEmbedderUnavailable {
			t.Fatalf("%+v", d)
		}
		if !w.worker.backOff.active(w.worker.Now()) {
			t.Error("the embedder is not left alone")
		}
		w.pass(time.Hour)
		w.drain(w.worker)
	}
	e.fail(nil)
	w.pass(time.Hour)
	w.drain(w.worker)
	if d = w.document(d.ID); d.Status != assistants.StatusReady || d.Cause != nil || d.Searchable() != assistants.SearchableFull || w.worker.backOff.active(w.worker.Now()) {
		t.Errorf("%+v", d)
	}
	if got, want := w.states(d.ID)[4:], []string{"embedding", "embedding embedder_unavailable", "embedding", "ready"}; !reflect.DeepEqual(got, want) {
		t.Errorf("log %q", got)
	}
	w.consistent()
}

func TestAnEmbedderThatGoesForGoodLeavesTheDocumentReady(t *testing.T) {
	w, e := newEmbeddingWorld(t)
	d := w.add("a.md", "# A\n\nSome words.")
	w.step(assistants.JobIngest)
	e.fail(assistants.ErrNoEmbedder)
	w.drain(w.worker)
	if d = w.document(d.ID); d.Status != assistants.StatusReady || d.Cause != nil || d.Searchable() != assistants.SearchableText {
		t.Errorf("%+v", d)
	}
	w.consistent()
}

// An invalid vector never reaches the index, and the document reports the failure.
func TestVectorsThatCannotBeUsedAreRefused(t *testing.T) {
	for name, spoil := range map[string]func([][]float32) [][]float32{
		"one too few": func(v [][]float32) [][]float32 { return v[1:] },
		"one too many": func(v [][]float32) [][]float32 {
			return append(v, v[0])
		},
		"not a number": func(v [][]float32) [][]float32 { v[0][1] = float32(math.NaN()); return v },
		"infinite":     func(v [][]float32) [][]float32 { v[0][1] = float32(math.Inf(1)); return v },
		"zero":         func(v [][]float32) [][]float32 { clear(v[0]); return v },
		"short":        func(v [][]float32) [][]float32 { v[0] = v[0][:3]; return v },
		"none":         func([][]float32) [][]float32 { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			w, e := newEmbeddingWorld(t)
			e.spoil = spoil
			d := w.add("a.md", "# A\n\nSome words.")
			for range maxEmbedAttempts {
				w.drain(w.worker)
				w.pass(time.Hour)
			}
			d = w.document(d.ID)
			if d.Status != assistants.StatusReady || d.Searchable() != assistants.SearchableText || d.Cause == nil || *d.Cause != causeEmbeddingFailed {
				t.Errorf("%+v", d)
			}
			if in, err := w.index.Versions(t.Context()); err != nil || len(in[d.ID].Spaces) != 0 || in[d.ID].Version != 1 {
				t.Errorf("indexed %+v, %v", in, err)
			}
			w.consistent()
			e.spoil = nil
			w.must(w.worker.embedMissing(t.Context()))
			w.drain(w.worker)
			if d = w.document(d.ID); d.Cause != nil || d.Searchable() != assistants.SearchableFull {
				t.Errorf("once the embedder is in order: %+v", d)
			}
		})
	}
}

func TestAReplacedOrDeletedDocumentIsNotEmbeddedAnyMore(t *testing.T) {
	w, e := newEmbeddingWorld(t)
	replaced, deleted := w.add("a.md", "# A\n\nThe old words."), w.add("b.md", "# B\n\nOther words.")
	w.step(assistants.JobIngest)
	w.step(assistants.JobIngest)
	_, _, err := w.library.Replace(t.Context(), assistants.DefaultTenant, replaced.ID, w.upload("a.md", "# A\n\nThe new words."))
	w.must(err)
	w.must(w.store.DeleteDocument(t.Context(), assistants.DefaultTenant, deleted.ID))
	w.drain(w.worker)
	if got := strings.Join(e.passages(), "|"); strings.Contains(got, "old") || strings.Contains(got, "Other") || !strings.Contains(got, "new") {
		t.Errorf("embedded %q", got)
	}
	if d := w.document(replaced.ID); d.Live != 2 || d.Searchable() != assistants.SearchableFull {
		t.Errorf("%+v", d)
	}
	w.consistent()
}

// What comes between the making of vectors and their use makes them void.
func TestVectorsOfWordsThatHaveChangedAreNotUsed(t *testing.T) {
	w, e := newEmbeddingWorld(t)
	d := w.add("a.md", "# A\n\nThe old words.")
	w.step(assistants.JobIngest)
	e.spoil = func(v [][]float32) [][]float32 { // while they are made
		e.mu.Unlock()
		defer e.mu.Lock()
		_, _, err := w.library.Replace(t.Context(), assistants.DefaultTenant, d.ID, w.upload("a.md", "# A\n\nThe new words."))
		w.must(err)
		e.spoil = nil
		w.step(assistants.JobIngest)
		return v
	}
	w.step(assistants.JobEmbed)
	if d = w.document(d.ID); d.Live != 2 || d.Status != assistants.StatusEmbedding || d.Searchable() != assistants.SearchableText {
		t.Errorf("%+v", d)
	}
	if in, err := w.index.Versions(t.Context()); err != nil || len(in[d.ID].Spaces) != 0 {
		t.Errorf("indexed %+v, %v", in, err)
	}
	w.drain(w.worker)
	w.consistent()
}

func TestAVersionThatFailsLeavesTheVectorsOfTheOneThatAnswers(t *testing.T) {
	w, e := newEmbeddingWorld(t)
	d := w.add("a.md", "# A\n\nWords.")
	w.drain(w.worker)
	_, _, err := w.library.Replace(t.Context(), assistants.DefaultTenant, d.ID, w.upload("a.pdf", "%PDF-1.7 broken"))
	w.must(err)
	w.drain(w.worker)
	d = w.document(d.ID)
	if d.Status != assistants.StatusFailed || d.Live != 1 || d.Searchable() != assistants.SearchableFull || len(e.passages()) != 1 {
		t.Errorf("%+v, embedded %q", d, e.passages())
	}
	w.consistent()
	// One that failed while the live version was waiting for its vectors.
	other := w.add("b.md", "# B\n\nOther.")
	w.step(assistants.JobIngest)
	_, _, err = w.library.Replace(t.Context(), assistants.DefaultTenant, other.ID, w.upload("b.pdf", "%PDF-1.7 broken, too"))
	w.must(err)
	w.drain(w.worker)
	if other = w.document(other.ID); other.Status != assistants.StatusFailed || other.Searchable() != assistants.SearchableFull {
		t.Errorf("%+v", other)
	}
	w.consistent()
}

func TestDocumentsTakeTurnsAtTheEmbedder(t *testing.T) {
	w, e := newEmbeddingWorld(t)
	large := w.add("large.md", long("large", 4*passagesPerTurn))
	w.step(assistants.JobIngest)
	w.step(assistants.JobEmbed)
	small := w.add("small.md", long("small", 2))
	w.step(assistants.JobIngest)
	if d := w.document(large.ID); d.Status != assistants.StatusEmbedding || d.Progress.Chunks == 0 || d.Progress.Chunks > passagesPerTurn {
		t.Errorf("%+v", d)
	}
	for range 3 {
		w.step(assistants.JobEmbed)
	}
	if d := w.document(small.ID); d.Status != assistants.StatusReady {
		t.Errorf("small: %s", d.Status)
	}
	if d := w.document(large.ID); d.Status != assistants.StatusEmbedding {
		t.Errorf("large: %s", d.Status)
	}
	w.drain(w.worker)
	seen := map[string]int{}
	for _, p := range e.passages() {
		if seen[p]++; seen[p] > 1 {
			t.Fatalf("%q was embedded twice", p)
		}
	}
	w.consistent()
}

// Documents of one collection become ready one by one, not all at the end.
func TestDocumentsUploadedTogetherAreEmbeddedOneAfterTheOther(t *testing.T) {
	w, _ := newEmbeddingWorld(t)
	var docs []assistants.Document
	for _, passages := range []int{3, 2, 2} { // in turns
		docs = append(docs, w.add(fmt.Sprintf("%d.md", len(docs)), long(fmt.Sprint(len(docs)), passages*passagesPerTurn-1)))
	}
	for range docs {
		w.step(assistants.JobIngest)
	}
	var ready []int // turns after which a document was ready
	for turn := range 7 {
		w.step(assistants.JobEmbed)
		done := 0
		for _, d := range docs {
			if w.document(d.ID).Status == assistants.StatusReady {
				done++
			}
		}
		for len(ready) < done {
			ready = append(ready, turn+1)
		}
	}
	if want := []int{2, 4, 7}; !reflect.DeepEqual(ready, want) {
		t.Errorf("documents were ready after %v turns, want %v", ready, want)
	}
}

// The name is searched, so that a document has to be indexed anew for it, even
// while its vectors are being made.
func TestADocumentRenamedWhileItIsEmbeddedIsFoundByItsNewName(t *testing.T) {
	w, e := newEmbeddingWorld(t)
	d := w.add("a.md", "# A\n\nWords.")
	w.step(assistants.JobIngest)
	_, err := w.store.UpdateDocument(t.Context(), d.TenantID, d.ID, func(d *assistants.Document) error {
		d.Name = "Zebrafish.md"
		return nil
	})
	w.must(err)
	_, err = w.store.Reprocess(t.Context(), d.TenantID, d.ID)
	w.must(err)
	w.drain(w.worker)
	w.found("zebrafish")
	if d = w.document(d.ID); d.Status != assistants.StatusReady || d.Version.Space != e.space {
		t.Errorf("%+v", d)
	}
	w.consistent()
}

// An indexThatTakesTime calls meanwhile before words are in it.
type indexThatTakesTime struct {
	*embedded.Index
	meanwhile func()
}

func (i indexThatTakesTime) Apply(ctx context.Context, d assistants.Document, version int, points []assistants.Point) error {
	i.meanwhile()
	return i.Index.Apply(ctx, d, version, points)
}

func TestADocumentRenamedWhileItIsIndexedIsFoundByItsNewName(t *testing.T) {
	w, _ := newEmbeddingWorld(t)
	d := w.add("a.md", "# A\n\nWords.")
	worker := w.newWorker(w.store, w.blobs, indexThatTakesTime{w.index, func() {
		_, err := w.store.UpdateDocument(t.Context(), d.TenantID, d.ID, func(d *assistants.Document) error {
			d.Name = "Zebrafish.md"
			return nil
		})
		w.must(err)
	}}, inProcess{})
	w.drain(worker)
	w.found("zebrafish")
	w.consistent()
}

// found checks that something is found by a word.
func (w *world) found(word string) {
	w.t.Helper()
	found, err := w.index.Search(w.t.Context(), assistants.Search{
		Tenant: assistants.DefaultTenant, Collections: []assistants.CollectionID{w.collection}, Terms: lexical.QueryTerms(word), Limit: 1,
	})
	if err != nil || len(found.Matches) != 1 {
		w.t.Errorf("%s: %+v, %v", word, found, err)
	}
}

func TestAShutdownGivesTheEmbeddingBack(t *testing.T) {
	w, e := newEmbeddingWorld(t)
	d := w.add("a.md", "# A\n\nWords.")
	w.step(assistants.JobIngest)
	job, ok, err := w.store.ClaimJob(t.Context(), w.clock(), time.Minute, assistants.JobFilter{})
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	e.spoil = func(v [][]float32) [][]float32 { cancel(); return v }
	w.worker.work(ctx, job)
	e.spoil = nil
	if d = w.document(d.ID); d.Status != assistants.StatusEmbedding || d.Cause != nil {
		t.Errorf("%+v", d)
	}
	w.step(assistants.JobEmbed) // at once
	if d = w.document(d.ID); d.Searchable() != assistants.SearchableFull {
		t.Errorf("%+v", d)
	}
	w.consistent()
}

func TestADocumentOfAnotherSpaceSaysSo(t *testing.T) {
	w, _ := newEmbeddingWorld(t)
	w.add("a.md", "# A\n\nWords.")
	w.drain(w.worker)
	w.use(newTestEmbedder("two"))
	d := w.add("b.md", "# B\n\nOther words.")
	w.drain(w.worker)
	d = w.document(d.ID)
	if d.Status != assistants.StatusReady || d.Searchable() != assistants.SearchableText || d.Cause == nil || *d.Cause != causeOtherSpace {
		t.Errorf("%+v", d)
	}
	w.consistent()
}

var errOfEmbedder = errors.New("the passage is too long")

func TestAPassageThatCannotBeEmbeddedIsTriedAFewTimes(t *testing.T) {
	w, e := newEmbeddingWorld(t)
	d := w.add("a.md", "# A\n\nWords.")
	w.step(assistants.JobIngest)
	e.fail(errOfEmbedder)
	for range maxEmbedAttempts {
		if d = w.document(d.ID); d.Status != assistants.StatusEmbedding {
			t.Fatalf("%+v", d)
		}
		w.drain(w.worker)
		w.pass(time.Hour)
	}
	if d = w.document(d.ID); d.Status != assistants.StatusReady || d.Cause == nil || d.Cause.Code != assistants.CodeEmbeddingFailed {
		t.Errorf("%+v", d)
	}
	w.consistent()
}
