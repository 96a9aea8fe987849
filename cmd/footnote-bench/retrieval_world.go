package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"footnote/assistants"
	"footnote/assistants/lexical"
	"footnote/citations"
	"footnote/storage/vector/embedded"
)

const (
	dimensions        = 384
	chunksPerDocument = 100
	topics            = 500 // vectors lie in bundles, as those of passages about one thing do
	hits              = 10
)

var (
	benchSpace  = assistants.Space{Model: "bench", Dimensions: dimensions}
	collections = []assistants.CollectionID{"c"}
)

// A world is the indexes, with the same chunks in each.
type world struct {
	path    string
	chunks  int
	index   *embedded.Index
	exact   *embedded.Index // the same, without codes; shares nothing but the file
	chromem *chromemIndex   // nil: left out, and bleve with it
	bleve   *bleveIndex
	texts   map[assistants.ChunkID]string
	asked   []asked
	filled  time.Duration
	closed  bool
}

// An asked is a question in every form.
type asked struct {
	text   string
	terms  []string
	vector []float32
}

// prose makes texts of words as frequent as those of natural language, and
// vectors near those of topics.
type prose struct {
	*rand.Rand
	zipf    *rand.Zipf
	centres [][]float32
}

func newProse() *prose {
	r := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same in every run
	p := &prose{Rand: r, zipf: rand.NewZipf(r, 1.1, 8, 50_000)}
	for range topics {
		p.centres = append(p.centres, p.near(make([]float32, dimensions)))
	}
	return p
}

func (p *prose) text(words int) string {
	var b strings.Builder
	for range words {
		fmt.Fprintf(&b, "word%d ", p.zipf.Uint64())
	}
	return b.String()
}

// near is a vector of length 1 near another.
func (p *prose) near(centre []float32) []float32 {
	v, sum := make([]float32, len(centre)), 0.0
	for i := range v {
		v[i] = centre[i] + float32(p.NormFloat64()/math.Sqrt(dimensions))
		sum += float64(v[i]) * float64(v[i])
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

func newWorld(ctx context.Context, dir string, n int, contenders bool) (w *world, err error) {
	w = &world{path: filepath.Join(dir, "index.db"), chunks: n, texts: map[assistants.ChunkID]string{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.close())
		}
	}()
	if contenders {
		if w.chromem, err = newChromem(); err != nil {
			return w, err
		}
		if w.bleve, err = newBleve(filepath.Join(dir, "bleve")); err != nil {
			return w, err
		}
	}
	if w.index, err = embedded.Open(w.path, embedded.Options{Log: slog.New(slog.DiscardHandler)}); err != nil {
		return w, err
	}
	p := newProse()
	for d := 0; d < n/chunksPerDocument; d++ {
		if err := w.add(ctx, p, d); err != nil {
			return w, err
		}
	}
	for range 64 {
		q := asked{text: p.text(6), vector: p.near(p.centres[p.IntN(topics)])}
		q.terms = lexical.QueryTerms(q.text)
		w.asked = append(w.asked, q)
	}
	w.exact, err = embedded.Open(w.path, embedded.Options{Log: slog.New(slog.DiscardHandler), Exact: true})
	return w, err
}

// add adds a document to every index.
func (w *world) add(ctx context.Context, p *prose, number int) error {
	d := assistants.Document{ID: assistants.DocumentID(fmt.Sprintf("doc_%05d", number)), TenantID: "t", CollectionID: collections[0], Name: "manual.pdf"}
	points, vectors := make([]assistants.Point, chunksPerDocument), make([][]float32, chunksPerDocument)
	for i := range points {
		points[i] = assistants.Point{ChunkID: assistants.NewChunkID(d.ID, 1, i), Index: i, Text: p.text(80 + p.IntN(80))}
		vectors[i] = p.near(p.centres[p.IntN(topics)])
		w.texts[points[i].ChunkID] = points[i].Text
	}
	cpu, err := cpuUsed(os.Getpid(), func() error {
		if err := w.index.Apply(ctx, d, 1, points); err != nil {
			return err
		}
		return w.index.ApplyVectors(ctx, d.ID, 1, benchSpace, vectors)
	})
	w.filled += cpu
	if err != nil || w.chromem == nil {
		return err
	}
	if err := w.bleve.add(points); err != nil {
		return err
	}
	return w.chromem.add(ctx, points, vectors)
}

func (w *world) close() error {
	if w.closed {
		return nil
	}
	w.closed = true
	var errs []error
	for _, x := range []*embedded.Index{w.index, w.exact} {
		if x != nil {
			errs = append(errs, x.Close())
		}
	}
	if w.bleve != nil {
		errs = append(errs, w.bleve.index.Close())
	}
	return errors.Join(errs...)
}

// A way is one way to ask; dear ones are asked fewer questions.
type way struct {
	name     string
	parallel bool
	dear     int
	ask      func(n int) error
}

func (w *world) ways() []way {
	ctx := context.Background()
	search := func(x *embedded.Index, words, meaning bool) func(int) error {
		return func(n int) error {
			_, err := x.Search(ctx, w.search(n, words, meaning))
			return err
		}
	}
	ways := []way{
		{turnFloats, false, 2, search(w.exact, false, true)},
		{turnCodes, false, 1, search(w.index, false, true)},
		{turnCores, true, 1, search(w.index, false, true)},
		{turnWords, false, 1, search(w.index, true, false)},
		{turnBoth, false, 1, search(w.index, true, true)},
		{turnPrompt, false, 1, w.prompt},
	}
	if w.chromem != nil {
		ways = append(ways,
			way{turnChromem, false, 10, func(n int) error { return w.chromem.ask(ctx, w.asked[n%len(w.asked)].vector) }},
			way{turnBleve, false, 4, func(n int) error { return w.bleve.ask(w.asked[n%len(w.asked)].text) }})
	}
	return ways
}

func (w *world) search(n int, words, meaning bool) assistants.Search {
	a := w.asked[n%len(w.asked)]
	q := assistants.Search{Tenant: "t", Collections: collections, Limit: hits, TextWeight: 0.5}
	if words {
		q.Terms = a.terms
	}
	if meaning {
		q.Vector, q.Space = a.vector, benchSpace
	}
	return q
}

// prompt searches for both and builds the block of sources.
func (w *world) prompt(n int) error {
	found, err := w.index.Search(context.Background(), w.search(n, true, true))
	if err != nil {
		return err
	}
	sources := make([]citations.Source, len(found.Matches))
	for i, m := range found.Matches {
		sources[i] = citations.Source{DocumentID: string(m.DocumentID), DocumentName: "manual.pdf", Score: m.Score,
			ChunkID: string(m.ChunkID), Text: w.texts[m.ChunkID]}
	}
	if citations.NewSet(sources, citations.Options{}).Prompt(citations.PromptOptions{}) == "" {
		return errors.New("no prompt")
	}
	return nil
}

// recall is how many of the ten nearest the scan of codes finds.
func (w *world) recall(ctx context.Context, questions int) (float64, error) {
	same, all := 0, 0
	for n := range min(questions, len(w.asked)) {
		q := w.search(n, false, true)
		want, err := w.exact.Search(ctx, q)
		if err != nil {
			return 0, err
		}
		got, err := w.index.Search(ctx, q)
		if err != nil {
			return 0, err
		}
		there := map[assistants.ChunkID]bool{}
		for _, m := range got.Matches {
			there[m.ChunkID] = true
		}
		for _, m := range want.Matches {
			if all++; there[m.ChunkID] {
				same++
			}
		}
	}
	return float64(same) / float64(all), nil
}
