package ingestion

import (
	"context"
	"fmt"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"footnote/assistants"
	"footnote/assistants/ingestion/extract"
	"footnote/assistants/ingestion/sandbox"
	"footnote/storage/vector/embedded"
)

// replace puts a new file in the place of a document's and reads it.
func (w *world) replace(d assistants.Document, content string) assistants.Document {
	w.t.Helper()
	_, _, err := w.library.Replace(w.t.Context(), d.TenantID, d.ID, w.upload(d.Name, content))
	w.must(err)
	w.step(assistants.JobIngest)
	return w.document(d.ID)
}

// answersWhole checks that a version of a document answers, with its vectors.
func (w *world) answersWhole(id assistants.DocumentID, version int) {
	w.t.Helper()
	d := w.document(id)
	in, err := w.index.Versions(w.t.Context())
	w.must(err)
	if d.Live != version || d.Searchable() != assistants.SearchableFull || in[id].Version != version || !slices.Contains(in[id].Spaces, d.Version.Space) {
		w.t.Errorf("version %d is to answer: %+v, the index has %+v", version, d, in[id])
	}
	chunks := w.chunks(id)
	if len(chunks) == 0 || chunks[0].Version != version {
		w.t.Errorf("version %d is to answer: %+v", version, chunks)
	}
	w.vectorsFit(d, chunks)
}

// besideWorld is a world with a document that was replaced, whose new version
// is not embedded yet.
func besideWorld(t *testing.T) (*world, *testEmbedder, assistants.Document) {
	w, e := newEmbeddingWorld(t)
	d := w.add("a.md", long("old", 3))
	w.drain(w.worker)
	return w, e, w.replace(d, long("new", 5))
}

func TestAReplacedDocumentIsFoundByItsMeaningUntilTheNewVectorsAreMade(t *testing.T) {
	w, _, d := besideWorld(t)
	next, err := w.store.Version(t.Context(), d.TenantID, d.ID, 2)
	w.must(err)
	if d.Status != assistants.StatusEmbedding || d.Latest != 2 || d.Progress.Chunks != 0 || d.Progress.ChunksTotal != next.Chunks || next.Chunks <= d.Version.Chunks {
		t.Errorf("%+v, next %+v", d, next)
	}
	w.answersWhole(d.ID, 1)
	text, err := w.store.LiveText(t.Context(), d.TenantID, d.ID)
	w.must(err)
	if w.found("old"); !strings.HasPrefix(text.Text, "# old\n") {
		t.Errorf("the text is %.20q", text.Text)
	}
	// Nothing is wrong with it.
	if found, _ := w.findings(true, false); len(found) > 0 {
		t.Errorf("found %q", found)
	}
	w.restart()
	w.must(w.worker.embedMissing(t.Context()))
	w.must(w.worker.compare(t.Context(), false))
	for kind, n := range w.worker.Repairs() {
		if n != 0 {
			t.Errorf("%s: %d", kind, n)
		}
	}
	w.answersWhole(d.ID, 1)
	w.step(assistants.JobEmbed)
	w.answersWhole(d.ID, 2)
	if d = w.document(d.ID); d.Status != assistants.StatusReady || d.Cause != nil || d.Progress.Chunks != d.Version.Chunks {
		t.Errorf("%+v", d)
	}
	want := []string{"pending", "extracting", "chunking", "indexing", "embedding", "ready"}
	if got := w.states(d.ID)[len(want):]; !reflect.DeepEqual(got, want) {
		t.Errorf("log %q", got)
	}
	w.drain(w.worker)
	w.consistent()
}

// What is read anew, for its name or by a newer program, is replaced likewise.
func TestADocumentThatIsReadAnewIsFoundByItsMeaningAllTheTime(t *testing.T) {
	w, _ := newEmbeddingWorld(t)
	d := w.add("a.md", long("a", 3))
	w.drain(w.worker)
	_, err := w.store.Reprocess(t.Context(), d.TenantID, d.ID)
	w.must(err)
	w.step(assistants.JobIngest)
	w.answersWhole(d.ID, 1)
	_, err = w.store.Reprocess(t.Context(), d.TenantID, d.ID) // once more, while it is embedded
	w.must(err)
	w.step(assistants.JobIngest)
	w.answersWhole(d.ID, 1)
	w.drain(w.worker)
	w.answersWhole(d.ID, 2)
	w.consistent()
}

// Programs before this one queued what answers to be read in its own place.
func TestADocumentThatAnOlderProgramQueuedIsReadBesideWhatAnswers(t *testing.T) {
	for _, status := range []assistants.Status{assistants.StatusPending, assistants.StatusExtracting} {
		t.Run(string(status), func(t *testing.T) {
			w, _ := newEmbeddingWorld(t)
			d := w.add("a.md", long("a", 3))
			w.drain(w.worker)
			w.sql("UPDATE documents SET status = '"+string(status)+"'",
				"INSERT INTO jobs (id, tenant_id, kind, document_id, version, blob_keys, attempt, not_before, revision, created_at) "+
					"VALUES ('job_x', 'default', 'ingest', '"+string(d.ID)+"', 1, '[]', 0, '2020-01-01', 0, '2020-01-01')")
			w.worker = w.newWorker(w.store, w.blobs, w.index, extractorFunc(func(context.Context, *os.File, sandbox.Hint) (extract.Document, error) {
				text := long("otherwise", 5)
				return extract.Document{ContentType: "text/plain", Text: text, Blocks: []extract.Block{{Start: 0, End: len(text)}}}, nil
			}))
			for range 2 {
				w.step(assistants.JobIngest)
				w.answersWhole(d.ID, 1)
			}
			w.drain(w.worker)
			w.answersWhole(d.ID, 2)
			w.found("otherwise")
			w.consistent()
		})
	}
}

func TestWhileTheEmbedderIsAwayTheVersionBeforeAnswers(t *testing.T) {
	w, e, d := besideWorld(t)
	e.fail(fmt.Errorf("refused: %w", assistants.ErrUnavailable))
	for range 12 {
		w.drain(w.worker)
		w.answersWhole(d.ID, 1)
		if d = w.document(d.ID); d.Status != assistants.StatusEmbedding || d.Cause == nil || *d.Cause != causeEmbedderAwayReplacing || d.Progress.ChunksTotal == 0 {
			t.Fatalf("%+v", d)
		}
		w.pass(time.Hour)
	}
	e.fail(errOfEmbedder)
	w.drain(w.worker)
	if d = w.document(d.ID); d.Cause == nil || *d.Cause != causeEmbeddingAgainReplacing && *d.Cause != causeEmbeddingFailed {
		t.Errorf("%+v", d)
	}
	e.fail(nil)
	w.pass(time.Hour)
	w.drain(w.worker)
	if d = w.document(d.ID); d.Latest != 2 || d.Live != 2 {
		t.Errorf("%+v", d)
	}
	w.consistent()
}

// Where there will be no vectors, the words of the new version count more than
// the vectors of the old one.
func TestAVersionThatCannotBeEmbeddedAnswersByItsWords(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(*world, *testEmbedder)
		cause *assistants.Cause
	}{
		"the embedder is gone":    {func(_ *world, e *testEmbedder) { e.fail(assistants.ErrNoEmbedder) }, nil},
		"there is another one":    {func(w *world, _ *testEmbedder) { w.use(newTestEmbedder("two")) }, &causeOtherSpace},
		"what it says is no use":  {func(_ *world, e *testEmbedder) { e.fail(errOfEmbedder) }, &causeEmbeddingFailed},
		"its vectors are no good": {func(_ *world, e *testEmbedder) { e.spoil = noNumbers }, &causeEmbeddingFailed},
	} {
		t.Run(name, func(t *testing.T) {
			w, e, d := besideWorld(t)
			c.spoil(w, e)
			for n := range maxEmbedAttempts {
				if d = w.document(d.ID); n > 0 && c.cause == &causeEmbeddingFailed {
					w.answersWhole(d.ID, 1)
				}
				w.drain(w.worker)
				w.pass(time.Hour)
			}
			if d = w.document(d.ID); d.Status != assistants.StatusReady || d.Live != 2 || d.Searchable() != assistants.SearchableText || !reflect.DeepEqual(d.Cause, c.cause) {
				t.Errorf("%+v", d)
			}
			w.found("new")
			w.consistent()
		})
	}
}

func noNumbers(v [][]float32) [][]float32 { v[0][1] = float32(math.NaN()); return v }

// A newer file makes the vectors of the one before void, wherever they are.
func TestANewerFileWhileTheOneBeforeIsEmbeddedLeavesWhatAnswers(t *testing.T) {
	for name, content := range map[string]string{"that can be read": long("newest", 4), "that cannot": "\n \n"} {
		t.Run(name, func(t *testing.T) {
			w, e, d := besideWorld(t)
			e.spoil = func(v [][]float32) [][]float32 { // while they are made
				e.mu.Unlock()
				defer e.mu.Lock()
				e.spoil = nil
				w.replace(d, content)
				return v
			}
			w.step(assistants.JobEmbed)
			w.answersWhole(d.ID, 1)
			w.drain(w.worker)
			d = w.document(d.ID)
			if failed := content == "\n \n"; failed != (d.Status == assistants.StatusFailed) || failed != (d.Live == 1) || d.Latest != 3 {
				t.Errorf("%+v", d)
			}
			w.answersWhole(d.ID, d.Live)
			w.consistent()
		})
	}
}

// A fullIndex has no room for what is new.
type fullIndex struct{ *embedded.Index }

func (fullIndex) Apply(context.Context, assistants.Document, int, []assistants.Point) error {
	return assistants.ErrTooLarge
}

func (fullIndex) ApplyEmbedded(context.Context, assistants.Document, int, []assistants.Point, assistants.Space, [][]float32) error {
	return assistants.ErrTooLarge
}

// failsInTheEnd has a document fail for a cause, once it was tried often enough;
// before and after each try holds what must.
func (w *world) failsInTheEnd(id assistants.DocumentID, cause assistants.Cause, holds func()) {
	w.t.Helper()
	for range maxAttempts {
		holds()
		w.drain(w.worker)
		w.pass(time.Hour)
	}
	holds()
	if d := w.document(id); d.Status != assistants.StatusFailed || d.Cause == nil || *d.Cause != cause {
		w.t.Errorf("%+v", d)
	}
	w.consistent()
}

func TestAVersionThatTheIndexHasNoRoomForFailsAndLeavesWhatAnswers(t *testing.T) {
	for name, spoil := range map[string]func(*world, *testEmbedder, assistants.Document){
		"with its vectors": func(*world, *testEmbedder, assistants.Document) {},
		"with many vectors": func(w *world, _ *testEmbedder, d assistants.Document) {
			w.replace(d, long("larger", passagesPerTurn+5))
		},
		"the embedder is gone":    func(_ *world, e *testEmbedder, _ assistants.Document) { e.fail(assistants.ErrNoEmbedder) },
		"there is another one":    func(w *world, _ *testEmbedder, _ assistants.Document) { w.use(newTestEmbedder("two")) },
		"what it says is no use":  func(_ *world, e *testEmbedder, _ assistants.Document) { e.fail(errOfEmbedder) },
		"its vectors are no good": func(_ *world, e *testEmbedder, _ assistants.Document) { e.spoil = noNumbers },
	} {
		t.Run(name, func(t *testing.T) {
			w, e, d := besideWorld(t)
			spoil(w, e, d)
			w.worker = w.newWorker(w.store, w.blobs, fullIndex{w.index}, inProcess{})
			w.failsInTheEnd(d.ID, causeNoRoom, func() { w.answersWhole(d.ID, 1) })
		})
	}
}

func TestADocumentThatTheIndexHasNoRoomForSaysWhatHelps(t *testing.T) {
	w, _ := newEmbeddingWorld(t)
	w.worker = w.newWorker(w.store, w.blobs, fullIndex{w.index}, inProcess{})
	d := w.add("a.md", long("a", 3))
	w.failsInTheEnd(d.ID, causeNoRoom, func() {})
}

func aBug([][]float32) [][]float32 { panic("a bug") }

// A panic ends the work on a version's vectors sooner or later, and says so.
func TestAPanicWhileAVersionIsEmbeddedFailsItAndLeavesWhatAnswers(t *testing.T) {
	w, e, d := besideWorld(t)
	e.spoil = aBug
	w.failsInTheEnd(d.ID, causeParserFailed, func() { w.answersWhole(d.ID, 1) })
}

func TestAPanicWhileWhatAnswersIsEmbeddedLeavesItsWords(t *testing.T) {
	w, e := newEmbeddingWorld(t)
	e.spoil = aBug
	d := w.add("a.md", long("words", passagesPerTurn+5))
	for range maxAttempts {
		w.drain(w.worker)
		w.found("words")
		w.pass(time.Hour)
	}
	if d = w.document(d.ID); d.Status != assistants.StatusReady || d.Live != 1 || d.Cause == nil || *d.Cause != causeEmbeddingFailed {
		t.Errorf("%+v", d)
	}
	w.consistent()
}

// An indexWithHook calls then when a version with its vectors is in it.
type indexWithHook struct {
	*embedded.Index
	then func() error
}

func (i indexWithHook) ApplyEmbedded(ctx context.Context, d assistants.Document, version int, points []assistants.Point, space assistants.Space, vectors [][]float32) error {
	if err := i.Index.ApplyEmbedded(ctx, d, version, points, space, vectors); err != nil {
		return err
	}
	return i.then()
}

// What the index has of a version that is void before it is published goes again.
func TestAVersionThatIsVoidInTheLastMomentLeavesTheIndex(t *testing.T) {
	for name, content := range map[string]string{"for one that can be read": long("newest", 4), "for one that cannot": "\n \n"} {
		t.Run(name, func(t *testing.T) {
			w, _, d := besideWorld(t)
			again := false
			w.worker = w.newWorker(w.store, w.blobs, indexWithHook{w.index, func() error {
				if !again {
					again = true
					_, _, err := w.library.Replace(t.Context(), d.TenantID, d.ID, w.upload(d.Name, content))
					w.must(err)
				}
				return nil
			}}, inProcess{})
			w.step(assistants.JobEmbed)
			if in := w.indexed(); in[d.ID] != 1 {
				t.Errorf("the index has version %d", in[d.ID])
			}
			w.drain(w.worker)
			w.answersWhole(d.ID, w.document(d.ID).Live)
			w.consistent()
		})
	}
}

// The process goes on where the store did not answer between index and publication.
func TestAnIndexThatIsAheadOfTheDatabaseIsFollowed(t *testing.T) {
	for name, mend := range map[string]func(*world){
		"by the job":     func(w *world) { w.pass(time.Hour); w.drain(w.worker) },
		"by a look":      func(w *world) { w.must(w.worker.compare(w.t.Context(), false)) },
		"by a new start": func(w *world) { w.restart() },
	} {
		t.Run(name, func(t *testing.T) {
			w, e, d := besideWorld(t)
			w.worker = w.newWorker(w.store, w.blobs, indexWithHook{w.index, func() error {
				return fmt.Errorf("no answer: %w", assistants.ErrUnavailable)
			}}, inProcess{})
			w.step(assistants.JobEmbed)
			if in := w.indexed(); in[d.ID] != 2 || w.document(d.ID).Live != 1 {
				t.Fatalf("the index has version %d", in[d.ID])
			}
			w.worker.index = w.index
			if found, _ := w.findings(true, false); len(found) > 0 {
				t.Errorf("found %q", found)
			}
			mend(w)
			in, err := w.index.Versions(t.Context())
			w.must(err)
			if now := w.document(d.ID); now.Live != 2 || in[d.ID].Version != 2 || !slices.Contains(in[d.ID].Spaces, e.space) {
				t.Errorf("%+v, the index has %+v", now, in)
			}
			w.pass(time.Hour)
			w.drain(w.worker)
			w.answersWhole(d.ID, 2)
			if d = w.document(d.ID); d.Status != assistants.StatusReady {
				t.Errorf("%+v", d)
			}
			w.consistent()
		})
	}
}

func TestADocumentRenamedBeforeItsNewVersionAnswersIsFoundByItsNewName(t *testing.T) {
	rename := func(w *world, d assistants.Document) {
		_, err := w.store.UpdateDocument(w.t.Context(), d.TenantID, d.ID, func(d *assistants.Document) error {
			d.Name = "Zebrafish.md"
			return nil
		})
		w.must(err)
	}
	for name, when := range map[string]func(*world, assistants.Document){
		"while it waits": rename,
		"while it waits, and is read anew": func(w *world, d assistants.Document) {
			rename(w, d)
			_, err := w.store.Reprocess(w.t.Context(), d.TenantID, d.ID)
			w.must(err)
		},
		"as it is indexed": func(w *world, d assistants.Document) {
			w.worker = w.newWorker(w.store, w.blobs, indexWithHook{w.index, func() error { rename(w, d); return nil }}, inProcess{})
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, _, d := besideWorld(t)
			when(w, d)
			w.drain(w.worker)
			w.found("zebrafish")
			w.answersWhole(d.ID, 2)
			w.consistent()
		})
	}
}

func TestADocumentDeletedBeforeItsNewVersionAnswersIsGone(t *testing.T) {
	w, e, d := besideWorld(t)
	e.spoil = func(v [][]float32) [][]float32 {
		e.mu.Unlock()
		defer e.mu.Lock()
		w.must(w.store.DeleteDocument(t.Context(), d.TenantID, d.ID))
		return v
	}
	w.step(assistants.JobEmbed)
	w.drain(w.worker)
	w.consistent()
	if in := w.indexed(); len(in) != 0 || len(w.keys()) != 0 {
		t.Errorf("left: %v, %q", in, w.keys())
	}
}

// When a collection changes to another space, so does the version that waits for vectors.
func TestAVersionThatWaitsForItsVectorsGetsThoseOfTheNextSpace(t *testing.T) {
	w, _, d := besideWorld(t)
	other := w.add("b.md", long("other", 2))
	w.drain(w.worker) // which publishes version 2
	d = w.replace(d, long("newest", 4))
	two := newTestEmbedder("two")
	w.use(two)
	_, err := w.store.Reembed(t.Context(), assistants.DefaultTenant, w.collection, two.space)
	w.must(err)
	w.answersWhole(d.ID, 2)
	if n, err := w.store.CountJobs(t.Context(), assistants.JobEmbed); err != nil || n != 2 {
		t.Errorf("%d jobs, %v", n, err)
	}
	w.drain(w.worker)
	if c := w.collectionNow(); c.Space != two.space || !c.Next.IsZero() {
		t.Errorf("%+v", c)
	}
	w.answersWhole(d.ID, 3)
	w.answersWhole(other.ID, 1)
	w.consistent()
}

// Turns are kept: what was made of a version is not made again, and small
// documents do not wait for a large one that is replaced.
func TestAReplacementTakesTurnsAtTheEmbedder(t *testing.T) {
	w, e := newEmbeddingWorld(t)
	large := w.add("large.md", long("large", 4))
	w.drain(w.worker)
	before := len(e.passages())
	large = w.replace(large, long("larger", 3*passagesPerTurn))
	w.step(assistants.JobEmbed)
	small := w.add("small.md", long("small", 2))
	w.step(assistants.JobIngest)
	w.answersWhole(large.ID, 1)
	for range 2 {
		w.step(assistants.JobEmbed)
	}
	if d := w.document(small.ID); d.Status != assistants.StatusReady {
		t.Errorf("small: %s", d.Status)
	}
	w.answersWhole(large.ID, 1)
	w.drain(w.worker)
	w.answersWhole(large.ID, 2)
	seen := map[string]bool{}
	for _, p := range e.passages()[before:] {
		if seen[p] {
			t.Fatalf("%q was embedded twice", p)
		}
		seen[p] = true
	}
	w.consistent()
}

// A version whose job is gone is found by the check, and by the start.
func TestAVersionThatWaitsWithoutAJobGetsOne(t *testing.T) {
	for name, mend := range map[string]func(*world){
		"by the check": func(w *world) {
			if found, left := w.findings(false, true); !slices.Equal(found, []string{FoundNoJob}) || len(left) > 0 {
				w.t.Errorf("found %q, left %q", found, left)
			}
		},
		"by the start": func(w *world) { w.must(w.worker.embedMissing(w.t.Context())) },
	} {
		t.Run(name, func(t *testing.T) {
			w, _, d := besideWorld(t)
			w.sql("DELETE FROM jobs")
			mend(w)
			w.drain(w.worker)
			w.answersWhole(d.ID, 2)
			w.consistent()
		})
	}
}
