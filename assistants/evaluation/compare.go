package evaluation

import (
	"math"
	"math/rand/v2"
)

// A Comparison is how two runs differ on the questions that both have.
type Comparison struct {
	Questions int        `json:"questions"`
	Hit5      Difference `json:"page_hit@5"`
	MRR       Difference `json:"page_mrr"`
	Better    []string   `json:"better,omitempty"` // ids of the questions whose page is among the first five only in the second run
	Worse     []string   `json:"worse,omitempty"`  // ids of the questions whose page is among the first five only in the first run
}

// A Difference is the second run's figure minus the first's, with its two-sided
// p-value.
type Difference struct {
	First  float64 `json:"first"`
	Second float64 `json:"second"`
	Change float64 `json:"change"`
	P      float64 `json:"p"`
}

// Compare pairs the outcomes of two runs by question. It tests the hit rates with
// McNemar's exact test, and the mean reciprocal ranks with a paired permutation
// test of 20,000 rounds and a fixed seed.
func Compare(first, second []Outcome) Comparison {
	byID := map[string]Outcome{}
	for _, o := range first {
		byID[o.ID] = o
	}
	var c Comparison
	var changes []float64
	for _, b := range second {
		a, ok := byID[b.ID]
		if !ok || a.PageRank == nil || b.PageRank == nil {
			continue
		}
		c.Questions++
		hitA, hitB := within5(*a.PageRank), within5(*b.PageRank)
		switch {
		case hitA && !hitB:
			c.Worse = append(c.Worse, b.ID)
		case hitB && !hitA:
			c.Better = append(c.Better, b.ID)
		}
		c.Hit5.count(hitA, hitB)
		ra, rb := reciprocal(*a.PageRank), reciprocal(*b.PageRank)
		c.MRR.First += ra
		c.MRR.Second += rb
		changes = append(changes, rb-ra)
	}
	for _, d := range []*Difference{&c.Hit5, &c.MRR} {
		d.First, d.Second = share(d.First, c.Questions), share(d.Second, c.Questions)
		d.Change = d.Second - d.First
	}
	c.Hit5.P = mcnemar(len(c.Better), len(c.Worse))
	c.MRR.P = permutationTest(changes)
	return c
}

func (d *Difference) count(first, second bool) {
	if first {
		d.First++
	}
	if second {
		d.Second++
	}
}

func within5(rank int) bool { return rank > 0 && rank <= 5 }

func reciprocal(rank int) float64 {
	if rank == 0 {
		return 0
	}
	return 1 / float64(rank)
}

// mcnemar returns the p-value of McNemar's exact test: the probability that a fair
// coin falls at least as unevenly as the questions on which the runs differ.
func mcnemar(better, worse int) float64 {
	n, k := better+worse, min(better, worse)
	sum := 0.0
	for i := 0; i <= k; i++ {
		sum += math.Exp(logChoose(n, i) - float64(n)*math.Ln2)
	}
	return min(1, 2*sum)
}

func logChoose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}

const permutationRounds = 20_000

// permutationTest returns the p-value of the permutation test: the share of random
// exchanges between the runs that change the sum at least as much as observed.
func permutationTest(changes []float64) float64 {
	seen := 0.0
	for _, d := range changes {
		seen += d
	}
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // a simulation, the same every time
	asLarge := 0
	for range permutationRounds {
		sum := 0.0
		for _, d := range changes {
			if random.Uint64()&1 == 0 {
				d = -d
			}
			sum += d
		}
		if math.Abs(sum) >= math.Abs(seen)-1e-12 {
			asLarge++
		}
	}
	return float64(asLarge+1) / (permutationRounds + 1)
}
