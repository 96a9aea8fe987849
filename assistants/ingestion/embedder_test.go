package ingestion

import (
	"context"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"footnote/assistants"
)

// A testEmbedder makes vectors that depend on model and text alone.
type testEmbedder struct {
	space assistants.Space

	mu      sync.Mutex
	failure error // of every call
	spoil   func(vectors [][]float32) [][]float32
	asked   []string // passages, in order
}

func newTestEmbedder(model string) *testEmbedder {
	return &testEmbedder{space: assistants.Space{Model: model, Dimensions: 8}}
}

func (e *testEmbedder) fail(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.failure = err
}

func (e *testEmbedder) passages() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.asked)
}

func (e *testEmbedder) Space(context.Context) (assistants.Space, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.space, e.failure
}

func (e *testEmbedder) EmbedPassages(ctx context.Context, texts []string) ([][]float32, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.failure != nil {
		return nil, e.failure
	}
	e.asked = append(e.asked, texts...)
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		vectors[i] = testVector(e.space, text)
	}
	if e.spoil != nil {
		vectors = e.spoil(vectors)
	}
	return vectors, ctx.Err()
}

// testVector is a direction drawn from the text.
func testVector(space assistants.Space, text string) []float32 {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(space.Model + "\x00" + text)) // never fails
	draw := rand.New(rand.NewPCG(hash.Sum64(), 1))         //nolint:gosec // has to be the same each time
	v := make([]float32, space.Dimensions)
	length := 0.0
	for i := range v {
		v[i] = float32(draw.NormFloat64())
		length += float64(v[i]) * float64(v[i])
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(length))
	}
	return v
}

// vectorsFit checks that a document which says that it is found by its meaning
// is: each of its passages is the nearest to its own vector.
func (w *world) vectorsFit(d assistants.Document, chunks []assistants.Chunk) {
	w.t.Helper()
	for _, space := range []assistants.Space{d.Version.Space, d.Version.Next} {
		if space.IsZero() {
			continue
		}
		for _, c := range chunks {
			found, err := w.index.Search(w.t.Context(), assistants.Search{
				Tenant: d.TenantID, Collections: []assistants.CollectionID{d.CollectionID}, Documents: []assistants.DocumentID{d.ID},
				Vector: testVector(space, passageText(c)), Space: space, Limit: 1,
			})
			w.must(err)
			if len(found.Matches) != 1 || found.Matches[0].Cosine < 0.999 || found.Matches[0].Version != d.Live {
				w.t.Errorf("%s, passage %d: %+v", d.ID, c.Index, found.Matches)
				return
			}
		}
	}
}
