package embedded

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"footnote/assistants"
	"footnote/assistants/lexical"
	"footnote/storage/vector"
	"footnote/storage/vector/vectortest"
)

// prosePartition has many windows of chunks, some very long, some with a word very
// often, a part of them gone.
func prosePartition(rng *rand.Rand, documents int) *partition {
	s, z := newPartition(partitionKey{"t", "c"}), newZipf()
	var there []*entry
	for d := range documents {
		id := fmt.Sprintf("d%04d", d)
		texts := make([]string, 1+rng.IntN(60))
		for i := range texts {
			texts[i] = z.text(1 + rng.IntN(40))
			switch rng.IntN(50) {
			case 0:
				texts[i] += strings.Repeat(fmt.Sprintf("word%d ", rng.IntN(8)), 200) // more than a posting holds
			case 1:
				texts[i] = strings.Repeat(z.text(1), 5)
			case 2:
				texts[i] = "…"
			}
		}
		there = append(there, s.add(vector.Analyse(assistants.Document{ID: assistants.DocumentID(id), Name: "word3.md"}, 1, vectortest.Points(id, 1, texts...))))
		if rng.IntN(4) == 0 {
			n := rng.IntN(len(there))
			s.remove(there[n])
			there = slices.Delete(there, n, n+1)
		}
	}
	return s
}

// What is passed over could not have come among the best: the matches and their
// sums are, to the last bit, those of adding up every chunk.
func TestNothingThatIsPassedOverWouldHaveMattered(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 21)) //nolint:gosec // repeatable on purpose
	for range 3 {
		s := prosePartition(rng, 400)
		if len(s.owners) < 3*window {
			t.Fatalf("only %d chunks", len(s.owners))
		}
		for n := range 120 {
			var question []string
			for range 1 + rng.IntN(7) {
				question = append(question, fmt.Sprintf("word%d", rng.IntN(1+rng.IntN(1+rng.IntN(20_000)))))
			}
			p, ok := newPlan([]*partition{s}, lexical.QueryTerms(strings.Join(question, " ")))
			if !ok {
				continue
			}
			needed := []float64{0, 0, 0.3, 0.8}[n%4]*p.Sum - vector.Grain
			var only []*entry
			if n%3 == 0 {
				for _, h := range s.owners {
					if h != nil && rng.IntN(300) == 0 && !slices.Contains(only, h) {
						only = append(only, h)
					}
				}
			}
			if n%3 == 0 && len(only) == 0 {
				continue
			}
			limit := []int{1, 10, 100}[n%3]
			got := newTop(limit)
			if err := addPartition(context.Background(), p, needed, s, only, got); err != nil {
				t.Fatal(err)
			}
			slices.SortFunc(got.found, compare)
			if want := everyChunk(p, needed, s, only, limit); !slices.Equal(got.found, want) {
				t.Fatalf("%v, limit %d, at least %v, only %d:\n got %v\nwant %v", question, limit, needed, len(only), sumsOf(got.found), sumsOf(want))
			}
		}
	}
}

func everyChunk(p vector.Plan, needed float64, s *partition, only []*entry, limit int) []candidate {
	var all []candidate
	for i, h := range s.owners {
		if h == nil || only != nil && !slices.Contains(only, h) {
			continue
		}
		if sum := sumOf(p, s, uint32(i)); sum > 0 && sum >= needed {
			all = append(all, candidate{sum, h, i - int(h.first)})
		}
	}
	slices.SortFunc(all, compare)
	return all[:min(limit, len(all))]
}

func sumsOf(found []candidate) (out []float64) {
	for _, c := range found {
		out = append(out, c.sum)
	}
	return out
}

func TestSeekFindsTheFirstPostingNotBelow(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 22)) //nolint:gosec // repeatable on purpose
	for range 300 {
		var postings []posting
		for chunk := rng.IntN(5); chunk < 400; chunk += 1 + rng.IntN(9) {
			postings = append(postings, posting(chunk<<8|rng.IntN(256)))
		}
		number := uint32(rng.IntN(420))
		want, _ := slices.BinarySearchFunc(postings, number, func(p posting, n uint32) int { return cmp.Compare(p.chunk(), n) })
		for from := 0; from <= want; from++ {
			if got := seek(postings, from, number); got != want {
				t.Fatalf("chunk %d from %d on: %d, want %d", number, from, got, want)
			}
		}
	}
}

func TestACollectionThatIsFullTakesNoMore(t *testing.T) {
	x := open(t, filepath.Join(t.TempDir(), "index.db"))
	apply(t, x, "c1", "d1", "apples")
	s := x.partitions[partitionKey{"t1", "c1"}]
	s.live += maxChunks
	err := x.Apply(context.Background(), vectortest.Doc("c1", "d2", ""), 1, vectortest.Points("d2", 1, "pears"))
	if !errors.Is(err, assistants.ErrTooLarge) {
		t.Errorf("%v", err)
	}
	s.live -= maxChunks
	if found(t, x, "apple") != 1 || found(t, x, "pear") != 0 {
		t.Error("the refused document changed something")
	}
}

func TestTheEndOfAFullPartitionIsBehindItsLastChunk(t *testing.T) {
	postings := []posting{posting(uint32(maxChunks-2) << 8), posting(uint32(maxChunks-1) << 8)}
	if got := seek(postings, 0, maxChunks); got != len(postings) {
		t.Errorf("%d, want %d", got, len(postings))
	}
}
