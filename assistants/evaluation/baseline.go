package evaluation

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"
)

// A Baseline ranks passages by a simple or well-known method, for comparison.
type Baseline struct {
	Name string
	Rank func(question string) []Source
}

// baselineDepth is how many passages a baseline returns.
const baselineDepth = 10

// Baselines are the beginning of each document, passages at random (with a
// fixed seed), and BM25 over plain lower-case words (k1 0.9, b 0.4).
func Baselines(passages []Source) []Baseline {
	return []Baseline{
		{"first page", firstPages(passages)},
		{"random", atRandom(passages)},
		{"plain BM25", plainBM25(passages)},
	}
}

func firstPages(passages []Source) func(string) []Source {
	first := slices.Clone(passages)
	slices.SortStableFunc(first, func(a, b Source) int { return cmp.Compare(a.Page, b.Page) })
	first = first[:min(len(first), baselineDepth)]
	return func(string) []Source { return first }
}

func atRandom(passages []Source) func(string) []Source {
	random := rand.New(rand.NewPCG(3, 4)) //nolint:gosec // a simulation, the same every time
	return func(string) []Source {
		var out []Source
		for _, i := range random.Perm(len(passages))[:min(len(passages), baselineDepth)] {
			out = append(out, passages[i])
		}
		return out
	}
}

// Parameters of the plain BM25, those of Anserini's baselines.
const (
	plainK1 = 0.9
	plainB  = 0.4
)

func plainBM25(passages []Source) func(string) []Source {
	type posting struct{ passage, tf int }
	lists := map[string][]posting{}
	lengths := make([]float64, len(passages))
	average := 0.0
	for i, p := range passages {
		counts := map[string]int{}
		for _, w := range words(p.Text) {
			counts[w]++
			lengths[i]++
		}
		average += lengths[i] / float64(len(passages))
		for w, n := range counts {
			lists[w] = append(lists[w], posting{i, n})
		}
	}
	return func(question string) []Source {
		sums := make([]float64, len(passages))
		asked := words(question)
		slices.Sort(asked)
		for _, w := range slices.Compact(asked) {
			list := lists[w]
			idf := math.Log(1 + (float64(len(passages))-float64(len(list))+0.5)/(float64(len(list))+0.5))
			for _, p := range list {
				tf := float64(p.tf)
				sums[p.passage] += idf * tf / (tf + plainK1*(1-plainB+plainB*lengths[p.passage]/average))
			}
		}
		return best(passages, sums)
	}
}

func best(passages []Source, sums []float64) []Source {
	var order []int
	for i, s := range sums {
		if s > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(sums[b], sums[a]) })
	var out []Source
	for _, i := range order[:min(len(order), baselineDepth)] {
		out = append(out, passages[i])
	}
	return out
}

func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// Judge scores a baseline on questions.
func (b Baseline) Judge(questions []Question) []Outcome {
	out := make([]Outcome, len(questions))
	for i, q := range questions {
		messages := q.Messages()
		out[i] = Score(q, Retrieved{Sources: b.Rank(messages[len(messages)-1].Content)})
	}
	return out
}
