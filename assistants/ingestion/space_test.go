package ingestion

import (
	"context"
	"fmt"
	"math"
	"testing"

	"footnote/assistants"
	"footnote/storage/db"
	"footnote/storage/vector/embedded"
)

func TestACollectionIsEmbeddedAnewBesideWhatAnswers(t *testing.T) {
	w, one := newEmbeddingWorld(t)
	var docs []assistants.Document
	for i := range 3 {
		docs = append(docs, w.add(fmt.Sprintf("%d.md", i), long(fmt.Sprintf("Document %d", i), 8)))
	}
	w.drain(w.worker)
	two := newTestEmbedder("two")
	w.use(two)
	_, err := w.store.Reembed(t.Context(), assistants.DefaultTenant, w.collection, two.space)
	w.must(err)
	for range 2 {
		w.step(assistants.JobEmbed)
	}
	if c := w.collectionNow(); c.Space != one.space || c.Next != two.space {
		t.Errorf("while it goes on: %+v", c)
	}
	for _, d := range docs {
		if d = w.document(d.ID); d.Status != assistants.StatusReady || d.Version.Space != one.space {
			t.Errorf("%+v", d)
		}
		w.vectorsFit(d, w.chunks(d.ID)) // in both spaces
	}
	// What comes meanwhile is made for the next space.
	late := w.add("late.md", "# Late\n\nIt came in between.")
	w.step(assistants.JobIngest)
	w.restart()
	w.use(two)
	w.drain(w.worker)
	if c := w.collectionNow(); c.Space != two.space || !c.Next.IsZero() || c.Calibration == (assistants.Calibration{}) || c.Calibrated == 0 {
		t.Errorf("at the end: %+v", c)
	}
	for _, d := range append(docs, late) {
		if d = w.document(d.ID); d.Version.Space != two.space || d.Searchable() != assistants.SearchableFull {
			t.Errorf("%+v", d)
		}
	}
	in, err := w.index.Versions(t.Context())
	w.must(err)
	for id, have := range in {
		if len(have.Spaces) != 1 || have.Spaces[0] != two.space {
			t.Errorf("%s is in %v", id, have.Spaces)
		}
	}
	w.consistent()
}

// A document whose last version never got its vectors does not hold the others up.
func TestADocumentThatGoesDuringReembeddingHoldsNothingUp(t *testing.T) {
	w, _ := newEmbeddingWorld(t)
	w.add("a.md", "# A\n\nOne.")
	gone := w.add("b.md", "# B\n\nTwo.")
	w.drain(w.worker)
	two := newTestEmbedder("two")
	w.use(two)
	_, err := w.store.Reembed(t.Context(), assistants.DefaultTenant, w.collection, two.space)
	w.must(err)
	w.step(assistants.JobEmbed)
	w.must(w.store.DeleteDocument(t.Context(), assistants.DefaultTenant, gone.ID))
	w.drain(w.worker)
	if c := w.collectionNow(); c.Space != two.space {
		t.Errorf("%+v", c)
	}
	w.consistent()
}

func TestACalibrationPutsUnrelatedPassagesAtTheBottom(t *testing.T) {
	space := assistants.Space{Model: "narrow", Dimensions: 32}
	var sample [][]float32
	for topic := range 20 {
		for i := range 5 { // near each other, and all in one corner of the space
			v := make([]float32, space.Dimensions)
			a, b, c := testVector(space, fmt.Sprint("topic", topic)), testVector(space, fmt.Sprint(topic, "/", i)), testVector(space, "corner")
			length := 0.0
			for k := range v {
				v[k] = a[k] + b[k]/2 + 2*c[k]
				length += float64(v[k]) * float64(v[k])
			}
			for k := range v {
				v[k] /= float32(math.Sqrt(length))
			}
			sample = append(sample, v)
		}
	}
	c := calibration(sample)
	related, unrelated := c.Score(dot(sample[0], sample[1])), c.Score(dot(sample[0], sample[50]))
	if c.Low >= c.High || related < 0.6 || unrelated > 0.3 {
		t.Errorf("%+v: related %.2f, unrelated %.2f", c, related, unrelated)
	}
	if c := calibration(sample[:leastSample-1]); c != (assistants.Calibration{}) {
		t.Errorf("of too few: %+v", c)
	}
	same := make([][]float32, leastSample)
	for i := range same {
		same[i] = sample[0]
	}
	if c := calibration(same); c.High <= c.Low || math.IsNaN(c.Low) {
		t.Errorf("of equal vectors: %+v", c)
	}
}

func TestACollectionThatGrewIsCalibratedAnew(t *testing.T) {
	w, _ := newEmbeddingWorld(t)
	w.add("small.md", "# Small\n\nToo little to tell.")
	w.drain(w.worker)
	if c := w.collectionNow(); c.Calibrated != 0 {
		t.Errorf("%+v", c)
	}
	var sizes []int
	for i := range 6 {
		w.add(fmt.Sprintf("%d.md", i), long(fmt.Sprint(i), 20))
		w.drain(w.worker)
		if c := w.collectionNow(); len(sizes) == 0 || c.Calibrated != sizes[len(sizes)-1] {
			sizes = append(sizes, c.Calibrated)
		}
	}
	if len(sizes) < 2 || len(sizes) > 4 {
		t.Errorf("calibrated at %v passages", sizes)
	}
	w.consistent()
}

func TestTheModelThatWasMeasuredIsNotSampled(t *testing.T) {
	w := newWorld(t)
	w.use(newTestEmbedder("all-MiniLM-L6-v2"))
	w.add("a.md", long("a", 30))
	w.drain(w.worker)
	known, _ := assistants.KnownCalibration("all-MiniLM-L6-v2")
	if c := w.collectionNow(); c.Calibrated != 0 || c.Calibration != known {
		t.Errorf("%+v", c)
	}
}

func TestVectorsAndRowsThatDisagreeAreMended(t *testing.T) {
	for name, c := range map[string]struct {
		harm func(*world, assistants.Document)
		kind string
	}{
		"vectors that the index has lost": {func(w *world, d assistants.Document) {
			w.must(w.index.DropVectors(w.t.Context(), d.CollectionID, d.Version.Space))
		}, "vectors_missing"},
		"a document that the index has lost": {func(w *world, d assistants.Document) {
			w.must(w.index.Remove(w.t.Context(), d.ID))
		}, "document_missing"},
		"another version": {func(w *world, d assistants.Document) {
			w.must(w.index.Apply(w.t.Context(), d, 7, points(w.chunks(d.ID))))
		}, "document_missing"},
		"a document that nobody knows": {func(w *world, d assistants.Document) {
			d.ID = assistants.NewDocumentID()
			w.must(w.index.Apply(w.t.Context(), d, 1, nil))
		}, "document_unknown"},
		"vectors of a space that nobody knows": {func(w *world, d assistants.Document) {
			other := assistants.Space{Model: "old", Dimensions: 8}
			var vectors [][]float32
			for _, c := range w.chunks(d.ID) {
				vectors = append(vectors, testVector(other, c.Text))
			}
			w.must(w.index.ApplyVectors(w.t.Context(), d.ID, 1, other, vectors))
		}, "vectors_unknown"},
	} {
		for _, alone := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, alone %v", name, alone), func(t *testing.T) {
				w, e := newEmbeddingWorld(t)
				d := w.add("a.md", long("a", 3))
				w.drain(w.worker)
				c.harm(w, w.document(d.ID))
				w.must(w.worker.compare(t.Context(), alone))
				for kind, n := range w.worker.Repairs() {
					if want := map[bool]int64{true: 1}[kind == c.kind]; n != want {
						t.Errorf("%s: %d", kind, n)
					}
				}
				w.drain(w.worker)
				if d := w.document(d.ID); d.Status != assistants.StatusReady || d.Version.Space != e.space {
					t.Errorf("%+v", d)
				}
				w.consistent()
				before := w.worker.Repairs()
				w.must(w.worker.compare(t.Context(), alone))
				for kind, n := range w.worker.Repairs() {
					if n != before[kind] {
						t.Errorf("%s again", kind)
					}
				}
				in, err := w.index.Versions(t.Context())
				if err != nil || len(in) != 1 || len(in[d.ID].Spaces) != 1 {
					t.Errorf("indexed %+v, %v", in, err)
				}
			})
		}
	}
}

// A collection that goes back to its space while it is embedded in another
// keeps its vectors, and its documents do not say that anything is wrong.
func TestAChangeOfMindLeavesDocumentsAsTheyWere(t *testing.T) {
	w, one := newEmbeddingWorld(t)
	d := w.add("a.md", "# A\n\nOne.")
	w.drain(w.worker)
	two := newTestEmbedder("two")
	w.use(two)
	_, err := w.store.Reembed(t.Context(), assistants.DefaultTenant, w.collection, two.space)
	w.must(err)
	two.spoil = func(v [][]float32) [][]float32 {
		_, err := w.store.Reembed(t.Context(), assistants.DefaultTenant, w.collection, one.space)
		w.must(err)
		return v
	}
	w.step(assistants.JobEmbed)
	w.use(one)
	w.must(w.worker.compare(t.Context(), false))
	w.drain(w.worker)
	if d = w.document(d.ID); d.Status != assistants.StatusReady || d.Cause != nil || d.Version.Space != one.space {
		t.Errorf("%+v", d)
	}
	w.consistent()
}

// A storeWithLook calls then when somebody has looked through what answers.
type storeWithLook struct {
	*db.Store
	then func()
}

func (s storeWithLook) EachLive(ctx context.Context, fn func(assistants.Document) error) error {
	err := s.Store.EachLive(ctx, fn)
	if s.then != nil {
		s.then()
	}
	return err
}

// Vectors that looked unused may belong to the space that a collection has
// changed to since.
func TestVectorsThatHaveComeToBeNeededAreNotDropped(t *testing.T) {
	w, _ := newEmbeddingWorld(t)
	d := w.add("a.md", long("a", 3))
	w.drain(w.worker)
	two := newTestEmbedder("two")
	var vectors [][]float32
	for _, c := range w.chunks(d.ID) {
		vectors = append(vectors, testVector(two.space, passageText(c)))
	}
	w.must(w.index.ApplyVectors(t.Context(), d.ID, 1, two.space, vectors)) // left behind once
	w.use(two)
	looking := w.newWorker(storeWithLook{w.store, func() {
		_, err := w.store.Reembed(t.Context(), assistants.DefaultTenant, w.collection, two.space)
		w.must(err)
		w.drain(w.worker)
	}}, w.blobs, w.index, inProcess{})
	w.must(looking.compare(t.Context(), false))
	if c := w.collectionNow(); c.Space != two.space || looking.Repairs()["vectors_unknown"] != 0 {
		t.Errorf("%+v, %v", c, looking.Repairs())
	}
	w.consistent()
}

// An indexThatCounts counts how often its contents are listed.
type indexThatCounts struct {
	*embedded.Index
	looks *int
}

func (i indexThatCounts) Versions(ctx context.Context) (map[assistants.DocumentID]assistants.Indexed, error) {
	*i.looks++
	return i.Index.Versions(ctx)
}

// Listing what an index holds reads the whole index.
func TestAnIndexThatHasLostManyDocumentsIsNotLookedThroughForEach(t *testing.T) {
	w, _ := newEmbeddingWorld(t)
	for i := range 6 {
		w.add(fmt.Sprintf("%d.md", i), fmt.Sprintf("# Number %d\n\nWords.", i))
	}
	w.drain(w.worker)
	for id := range w.indexed() {
		w.must(w.index.Remove(t.Context(), id))
	}
	looks := 0
	worker := w.newWorker(w.store, w.blobs, indexThatCounts{w.index, &looks}, inProcess{})
	w.must(worker.compare(t.Context(), false))
	if n := worker.Repairs()["document_missing"]; n != 6 || looks > 2 {
		t.Errorf("%d documents mended, the index was looked at %d times", n, looks)
	}
	w.drain(worker)
	w.consistent()
}
