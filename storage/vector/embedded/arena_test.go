package embedded

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"footnote/assistants"
	"footnote/storage/vector"

	"pgregory.net/rapid"
)

// random makes n vectors of length 1. With few directions they lie in bundles,
// as those of similar passages do.
func random(rng *rand.Rand, n, dimensions, directions int) [][]float32 {
	centres := make([][]float64, directions)
	for i := range centres {
		centres[i] = make([]float64, dimensions)
		for j := range centres[i] {
			centres[i][j] = rng.NormFloat64()
		}
	}
	out := make([][]float32, n)
	for i := range out {
		v, length := make([]float64, dimensions), 0.0
		for j := range v {
			v[j] = rng.NormFloat64()
			if directions > 0 {
				v[j] = 0.3*v[j] + centres[i%directions][j]
			}
			length += v[j] * v[j]
		}
		out[i] = make([]float32, dimensions)
		for j := range v {
			out[i][j] = float32(v[j] / math.Sqrt(length))
		}
	}
	return out
}

// partitionOf makes a partition of documents with vectors, and no words.
func partitionOf(space assistants.Space, vectors [][]float32, perDocument int) *partition {
	s := newPartition(partitionKey{"t", "c"})
	for n := 0; n < len(vectors); n += perDocument {
		h := s.add(vector.Document{ID: assistants.DocumentID(fmt.Sprintf("d%06d", n)), Version: 1, Chunks: make([]vector.Chunk, perDocument)})
		s.setVectors(h, space, vectors[n:n+perDocument])
	}
	return s
}

// The scan of codes finds exactly what reading every vector finds: however the
// vectors lie, however many dimensions they have.
func TestTheScanOfCodesMissesNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5)) //nolint:gosec // repeatable on purpose
	for _, c := range []struct{ n, dimensions, directions int }{
		{6000, 384, 0}, {6000, 384, 20}, {4000, 384, 1}, {3000, 100, 5}, {5000, 3, 0}, {5000, 1, 0}, {700, 1536, 3},
	} {
		space := assistants.Space{Model: "m", Dimensions: c.dimensions}
		vectors := random(rng, c.n, c.dimensions, c.directions)
		for i := range 40 {
			vectors[i*3] = vectors[7] // the same many times: any of them will do
		}
		s := partitionOf(space, vectors, 10)
		for range 20 {
			q := vectors[rng.IntN(len(vectors))]
			if rng.IntN(2) == 0 {
				q = random(rng, 1, c.dimensions, 0)[0]
			}
			want := make([]float64, len(vectors))
			for i, v := range vectors {
				want[i] = vector.Cosine(q, v)
			}
			slices.SortFunc(want, func(x, y float64) int { return cmp.Compare(y, x) })
			for _, exact := range []bool{false, true} {
				top := newTop(10)
				scan := (&search{Search: assistants.Search{Vector: q, Space: space}, partitions: []*partition{s}, exact: exact}).scan(10)
				if err := scan.run(context.Background(), top); err != nil {
					t.Fatal(err)
				}
				slices.SortFunc(top.found, compare)
				for i, found := range top.found {
					if found.sum != want[i] {
						t.Fatalf("%+v, exact %v: place %d has cosine %v, want %v", c, exact, i, found.sum, want[i])
					}
				}
			}
		}
		s.arenas[space].release()
	}
}

func TestAScanEndsWithItsContext(t *testing.T) {
	space := assistants.Space{Model: "m", Dimensions: 4}
	s := partitionOf(space, random(rand.New(rand.NewPCG(1, 1)), 5000, 4, 0), 10) //nolint:gosec // repeatable on purpose
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	scan := (&search{Search: assistants.Search{Vector: []float32{1, 0, 0, 0}, Space: space}, partitions: []*partition{s}}).scan(10)
	if err := scan.run(ctx, newTop(10)); err == nil {
		t.Error("a scan whose caller has left goes on")
	}
	s.arenas[space].release()
}

// Documents come and go; the arena always has exactly the vectors of those that
// are there, reuses slots, and moves together when most are free.
func TestAnArenaKeepsWhatIsThere(t *testing.T) {
	const dimensions = 2
	rapid.Check(t, func(t *rapid.T) {
		s := newPartition(partitionKey{"t", "c"})
		a := newArena(assistants.Space{Model: "m", Dimensions: dimensions})
		a.shift = 6 // many segments
		s.arenas[a.space] = a
		a.documents++ // never dropped
		there := map[*entry][][]float32{}
		serial := 0
		steps := rapid.IntRange(1, 60).Draw(t, "steps")
		for range steps {
			if rapid.Bool().Draw(t, "add") || len(there) == 0 {
				n := rapid.SampledFrom([]int{0, 1, 3, 64, 200, 3000}).Draw(t, "chunks")
				serial++
				h := s.add(vector.Document{ID: assistants.DocumentID(fmt.Sprint(serial)), Chunks: make([]vector.Chunk, n)})
				vectors := make([][]float32, n)
				for i := range vectors {
					vectors[i] = []float32{float32(serial), float32(i)}
				}
				s.setVectors(h, a.space, vectors)
				there[h] = vectors
				continue
			}
			ids := make([]*entry, 0, len(there))
			for h := range there {
				ids = append(ids, h)
			}
			slices.SortFunc(ids, func(x, y *entry) int { return cmp.Compare(x.id, y.id) })
			h := rapid.SampledFrom(ids).Draw(t, "gone")
			s.remove(h)
			delete(there, h)
		}
		checkArena(t, a, there)
		a.release()
	})
}

func checkArena(t *rapid.T, a *arena, there map[*entry][][]float32) {
	live := 0
	for h, vectors := range there {
		in, _ := h.vectorsIn(a.space)
		for i, v := range vectors {
			slot := in.first + uint32(i)
			s, at := a.at(slot)
			if a.owners[slot] != h || !slices.Equal(a.vector(slot), v) || s.distances[at] == freeDistance {
				t.Fatalf("slot %d is not vector %d of %s", slot, i, h.id)
			}
		}
		live += len(vectors)
	}
	free := 0
	for i, e := range a.free {
		free += int(e.n)
		if e.n == 0 || i > 0 && a.free[i-1].first+a.free[i-1].n >= e.first {
			t.Fatalf("free extents %v", a.free)
		}
		for slot := e.first; slot < e.first+e.n; slot++ {
			if s, at := a.at(slot); a.owners[slot] != nil || s.distances[at] != freeDistance {
				t.Fatalf("slot %d is not free", slot)
			}
		}
	}
	if a.live != live || len(a.owners) != live+free || free > live+minGaps {
		t.Fatalf("%d live of %d, %d slots, %d free", a.live, live, len(a.owners), free)
	}
	if have := a.slots(); have < len(a.owners) || have > max(len(a.owners)+1<<a.shift, 2*firstSlots) {
		t.Fatalf("memory for %d slots where %d are used", have, len(a.owners))
	}
}

func TestVectorsAreTakenFromTheirPartitionOnly(t *testing.T) {
	space := assistants.Space{Model: "m", Dimensions: 3}
	s := partitionOf(space, [][]float32{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, 1)
	elsewhere := partitionOf(space, [][]float32{{1, 0, 0}}, 1)
	q := &search{Search: assistants.Search{Vector: []float32{1, 0, 0}, Space: space}, partitions: []*partition{s}, only: map[*partition][]*entry{
		elsewhere: elsewhere.owners[:1], s: s.owners[1:2],
	}}
	top := newTop(10)
	if err := q.scan(10).run(context.Background(), top); err != nil {
		t.Fatal(err)
	}
	if len(top.found) != 1 || top.found[0].owner != s.owners[1] {
		t.Errorf("found %+v", top.found)
	}
}

// A panic of one of the goroutines of a scan is its error. All of them end before it does.
func TestAPanicOfAScanIsItsError(t *testing.T) {
	scan := newScan([]float32{1, 0, 0, 0}, assistants.Space{Model: "m", Dimensions: 4}, 10)
	for range 8 {
		scan.pieces = append(scan.pieces, piece{arena: &arena{codes: parallelBytes}, to: 1}) // the arena has no such slot
	}
	if err := scan.run(t.Context(), newTop(10)); err == nil || !strings.Contains(err.Error(), "panic: ") {
		t.Errorf("got %v", err)
	}
}
