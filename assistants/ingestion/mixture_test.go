package ingestion

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"footnote/assistants"
	"footnote/assistants/ingestion/extract"
	"footnote/assistants/ingestion/sandbox"
	"footnote/assistants/retrieval"
)

// EmbedQuery makes the vector of a question as of a passage.
func (e *testEmbedder) EmbedQuery(_ context.Context, text string) (assistants.QueryVector, error) {
	return assistants.QueryVector{Vector: testVector(e.space, text), Space: e.space, Trust: 1}, nil
}

// An asker asks about one document while it is replaced and embedded anew.
type asker struct {
	*retrieval.Retriever
	world    *world
	document assistants.DocumentID
	now      atomic.Pointer[testEmbedder] // the one that is set up
	asked    atomic.Int64                 // questions

	mu       sync.Mutex
	passages []assistants.Chunk // of every version there was
	spaces   []assistants.Space // that there were
	answers  map[assistants.SearchMode]int
}

func (a *asker) answered(mode assistants.SearchMode) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.answers == nil {
		a.answers = map[assistants.SearchMode]int{}
	}
	a.answers[mode]++
}

// EmbedQuery is that of the embedder that is set up.
func (a *asker) EmbedQuery(ctx context.Context, text string) (assistants.QueryVector, error) {
	return a.now.Load().EmbedQuery(ctx, text)
}

// know makes the asker expect an embedder's vectors of the document's current text.
func (a *asker) know(e *testEmbedder) {
	chunks := a.world.chunks(a.document)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.passages = append(a.passages, chunks...)
	if a.now.Swap(e) != e {
		a.spaces = append(a.spaces, e.space)
	}
}

// one asks for words and meaning, and for meaning alone.
func (a *asker) one(ctx context.Context) error {
	return errors.Join(a.by(ctx, assistants.SearchHybrid), a.by(ctx, assistants.SearchVector))
}

// by asks in a mode: the hits are those of one version, and there are some.
func (a *asker) by(ctx context.Context, mode assistants.SearchMode) error {
	res, err := a.Retrieve(ctx, retrieval.Query{
		Tenant: assistants.DefaultTenant, Collections: []assistants.CollectionID{a.world.collection},
		Text: "honey cellar", TopK: 10, Mode: mode, TextWeight: 0.5,
	})
	if mode == assistants.SearchVector && errors.Is(err, assistants.ErrSpaceMismatch) {
		return nil // the collection is still on its way to the space of the embedder that is set up
	}
	if err != nil {
		return err
	}
	a.answered(mode)
	version := 0
	for _, h := range res.Hits {
		if h.Document.ID != a.document {
			continue
		}
		if version == 0 {
			version = h.Chunk.Version
		}
		if h.Chunk.Version != version || !strings.Contains(h.Chunk.Text, fmt.Sprintf("year v%d ", version)) {
			return fmt.Errorf("version %d says %q in an answer from version %d", h.Chunk.Version, h.Chunk.Text, version)
		}
	}
	if version == 0 {
		return fmt.Errorf("nothing is found by %s", res.Trace.Mode)
	}
	return nil
}

// exact looks for the n-th known passage by its vector in a space: what is as
// near as itself is itself, and what is found is of one version.
func (a *asker) exact(ctx context.Context, n int) error {
	a.mu.Lock()
	passage, space := a.passages[n%len(a.passages)], a.spaces[n%len(a.spaces)]
	a.mu.Unlock()
	found, err := a.world.index.Search(ctx, assistants.Search{
		Tenant: assistants.DefaultTenant, Collections: []assistants.CollectionID{a.world.collection}, Documents: []assistants.DocumentID{a.document},
		Vector: testVector(space, passageText(passage)), Space: space, Limit: 3,
	})
	if err != nil {
		return err
	}
	for _, m := range found.Matches {
		if m.Cosine > 0.999 && m.ChunkID != passage.ID {
			return fmt.Errorf("%s has the vector of %s in %s", m.ChunkID, passage.ID, space.Model)
		}
		if m.Version != found.Matches[0].Version {
			return fmt.Errorf("versions %d and %d have vectors in %s", m.Version, found.Matches[0].Version, space.Model)
		}
	}
	return nil
}

func (a *asker) until(ctx context.Context) error {
	for n := 0; ctx.Err() == nil; n++ {
		if err := a.one(context.WithoutCancel(ctx)); err != nil {
			return err
		}
		if err := a.exact(context.WithoutCancel(ctx), 31*n); err != nil { // spread over passages and spaces
			return err
		}
		a.asked.Add(1)
	}
	return nil
}

// withoutEmbedder works with an embedder that is away for a while; what answers stays.
func (a *asker) withoutEmbedder(e *testEmbedder) {
	w := a.world
	before := w.document(a.document)
	e.fail(fmt.Errorf("refused: %w", assistants.ErrUnavailable))
	defer e.fail(nil)
	for range 3 {
		w.drain(w.worker)
		w.must(w.worker.compare(w.t.Context(), false))
		w.pass(time.Hour)
	}
	if now := w.document(a.document); now.Live != before.Live || now.Status != assistants.StatusEmbedding || now.Searchable() != assistants.SearchableFull {
		w.t.Errorf("while the embedder is away: %+v", now)
	}
}

// Questions are answered from the old version or the new one, by vectors of one
// space, while a document is replaced, embedded, and embedded anew,
// also when the embedder is away in between.
func TestAnswersAreNeverMixedWhileADocumentIsReplacedAndEmbeddedAnew(t *testing.T) {
	w, e := newEmbeddingWorld(t)
	text := func(version int) string {
		var b strings.Builder
		for i := range 40 {
			fmt.Fprintf(&b, "## Part %d\n\nHoney of the year v%d keeps for %d years in a dry cellar.\n\n", i, version, i)
		}
		return b.String()
	}
	d := w.add("a.md", text(1))
	for i := range 3 { // which have to be embedded anew, too
		w.add(fmt.Sprintf("%d.md", i), long(fmt.Sprintf("other %d", i), 4))
	}
	w.drain(w.worker)
	a := &asker{world: w, document: d.ID}
	a.Retriever = retrieval.New(w.index, w.store, retrieval.Options{Embedder: a, Spaces: w.store, Log: quiet})
	a.know(e)
	// Between any two writes somebody asks, and somebody else all the time.
	steps := fate{left: math.MaxInt, between: func() {
		if err := errors.Join(a.one(t.Context()), a.exact(t.Context(), 0), a.exact(t.Context(), int(a.asked.Load()))); err != nil {
			t.Errorf("before version %d is all there: %v", w.document(d.ID).Latest, err)
		}
	}}
	stepwise := func() {
		w.worker = w.newWorker(mortalStore{w.store, &steps}, mortalBlobs{w.blobs, &steps}, mortalIndex{w.index, &steps}, inProcess{})
	}
	stepwise()

	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- a.until(ctx) }()
	for version := 2; version <= 13; version++ {
		if version%3 == 0 {
			e = newTestEmbedder(fmt.Sprint("model ", version))
			w.use(e)
			stepwise()
			_, err := w.store.Reembed(t.Context(), assistants.DefaultTenant, w.collection, e.space)
			w.must(err)
			a.know(e)
			for range version % 2 { // with some of it done, or none
				w.step(assistants.JobEmbed)
			}
		}
		_, _, err := w.library.Replace(t.Context(), d.TenantID, d.ID, w.upload("a.md", text(version)))
		w.must(err)
		if version%4 == 0 {
			a.withoutEmbedder(e)
		}
		w.drain(w.worker)
		a.know(e)
		w.must(w.worker.compare(t.Context(), false))
		if d := w.document(d.ID); d.Live != version || d.Searchable() != assistants.SearchableFull {
			t.Errorf("%+v", d)
		}
	}
	a.mu.Lock()
	if a.answers[assistants.SearchVector] < a.answers[assistants.SearchHybrid]/2 {
		t.Errorf("answers: %v", a.answers)
	}
	a.mu.Unlock()
	for least := a.asked.Load() + 3; a.asked.Load() < least; { // of the last version, too
		select {
		case err := <-ended:
			t.Fatal(err)
		default:
		}
	}
	stop()
	w.must(<-ended)
	if c := w.collectionNow(); c.Space != e.space {
		t.Errorf("%+v", c)
	}
	w.consistent()
}

// A newer program may cut a document otherwise. Until all of that is there, the
// passages that are found are those that were searched.
func TestAnswersAreNeverMixedWhileADocumentIsReadAnewOtherwise(t *testing.T) {
	w := newWorld(t)
	part := func(i int) string { return fmt.Sprintf("## Part\n\n%s\n\n", long(fmt.Sprintf("honey%d", i), 2)) }
	var b strings.Builder
	for i := range 8 {
		b.WriteString(part(i))
	}
	d := w.add("a.md", b.String())
	w.drain(w.worker)
	before := w.chunks(d.ID)

	a := &asker{world: w, document: d.ID}
	a.Retriever = retrieval.New(w.index, w.store, retrieval.Options{Log: quiet})
	asked := 0
	steps := fate{left: math.MaxInt, between: func() {
		for i := range 8 {
			word := fmt.Sprintf("honey%d", i)
			res, err := a.Retrieve(t.Context(), retrieval.Query{
				Tenant: assistants.DefaultTenant, Collections: []assistants.CollectionID{w.collection}, Text: word, TopK: 1,
			})
			w.must(err)
			if len(res.Hits) != 1 || !strings.Contains(res.Hits[0].Chunk.Text, word) {
				t.Errorf("%d hits for %s, one of which says another thing", len(res.Hits), word)
			}
			asked++
		}
	}}
	otherwise := extractorFunc(func(ctx context.Context, f *os.File, hint sandbox.Hint) (extract.Document, error) {
		raw, err := io.ReadAll(f)
		w.must(err)
		again, err := os.CreateTemp(t.TempDir(), "")
		w.must(err)
		defer again.Close()
		_, err = again.WriteString(part(100) + part(101) + string(raw))
		w.must(err)
		_, err = again.Seek(0, io.SeekStart)
		w.must(err)
		return inProcess{}.Extract(ctx, again, hint)
	})
	_, err := w.store.Reprocess(t.Context(), d.TenantID, d.ID)
	w.must(err)
	w.drain(w.newWorker(mortalStore{w.store, &steps}, mortalBlobs{w.blobs, &steps}, mortalIndex{w.index, &steps}, otherwise))
	if after := w.chunks(d.ID); asked == 0 || len(after) <= len(before) {
		t.Errorf("%d questions; %d passages before, %d after", asked, len(before), len(after))
	}
	w.consistent()
}
