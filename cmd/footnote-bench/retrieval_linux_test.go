package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unsafe"

	"footnote/assistants"
	"footnote/assistants/lexical"
	"footnote/citations"
	"footnote/proxy"
	"footnote/storage/vector/dot"
	"footnote/storage/vector/embedded"

	"github.com/blevesearch/bleve/v2"
	"github.com/philippgille/chromem-go"
	"golang.org/x/sys/unix"
)

// The index is compared with chromem-go for vectors and with bleve for words, without
// HTTP, on one core unless the name says otherwise.

var chunksFlag = flag.String("chunks", "10000,100000", "numbers of chunks of the benchmarks, comma-separated; a million takes 8 GB of memory")

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

// sizes are the numbers of chunks that the flag lists.
func sizes(tb testing.TB) (all []int) {
	for size := range strings.SplitSeq(*chunksFlag, ",") {
		n, err := strconv.Atoi(size)
		if err != nil || n < chunksPerDocument {
			tb.Fatalf("%q is no number of chunks", size)
		}
		all = append(all, n)
	}
	return all
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

// A world is the indexes, with the same chunks in each.
type world struct {
	path    string
	index   *embedded.Index
	exact   *embedded.Index // the same, without codes; shares nothing but the file
	chromem *chromem.Collection
	bleve   bleve.Index
	texts   map[assistants.ChunkID]string
	asked   []searchQuestion
	filled  time.Duration // processor time of filling the index
}

// A searchQuestion is a question in every form.
type searchQuestion struct {
	text   string
	terms  []string
	vector []float32
}

func newWorld(tb testing.TB, chunks int) *world {
	tb.Helper()
	dir := tb.TempDir()
	w := &world{path: filepath.Join(dir, "index.db"), texts: map[assistants.ChunkID]string{}}
	var err error
	none := func(context.Context, string) ([]float32, error) { return nil, errors.New("vectors are given") }
	w.chromem, err = chromem.NewDB().CreateCollection("c", nil, none)
	check(tb, err)
	text := bleve.NewTextFieldMapping()
	text.Store, text.IncludeTermVectors, text.DocValues = false, false, false
	mapping := bleve.NewIndexMapping()
	mapping.DefaultMapping.AddFieldMappingsAt("text", text)
	w.bleve, err = bleve.New(filepath.Join(dir, "bleve"), mapping)
	check(tb, err)
	tb.Cleanup(func() { check(tb, w.bleve.Close()) })
	w.index = openIndex(tb, w.path, false)
	p := newProse()
	for d := range chunks / chunksPerDocument {
		w.add(tb, p, d)
	}
	for range 64 {
		q := searchQuestion{text: p.text(6), vector: p.near(p.centres[p.IntN(topics)])}
		q.terms = lexical.QueryTerms(q.text)
		w.asked = append(w.asked, q)
	}
	w.exact = openIndex(tb, w.path, true)
	return w
}

func openIndex(tb testing.TB, path string, exact bool) *embedded.Index {
	tb.Helper()
	x, err := embedded.Open(path, embedded.Options{Log: slog.New(slog.DiscardHandler), Exact: exact})
	check(tb, err)
	tb.Cleanup(func() { check(tb, x.Close()) })
	return x
}

func check(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// add adds a document to every index.
func (w *world) add(tb testing.TB, p *prose, number int) {
	ctx := tb.Context()
	d := assistants.Document{ID: assistants.DocumentID(fmt.Sprintf("doc_%05d", number)), TenantID: "t", CollectionID: collections[0], Name: "manual.pdf"}
	points, vectors := make([]assistants.Point, chunksPerDocument), make([][]float32, chunksPerDocument)
	others, batch := make([]chromem.Document, chunksPerDocument), w.bleve.NewBatch()
	for i := range points {
		points[i] = assistants.Point{ChunkID: assistants.NewChunkID(d.ID, 1, i), Index: i, Text: p.text(80 + p.IntN(80))}
		vectors[i] = p.near(p.centres[p.IntN(topics)])
		w.texts[points[i].ChunkID] = points[i].Text
		others[i] = chromem.Document{ID: string(points[i].ChunkID), Embedding: vectors[i], Content: "-"}
		check(tb, batch.Index(string(points[i].ChunkID), map[string]string{"text": points[i].Text}))
	}
	cpu, err := cpuUsed(os.Getpid(), func() error {
		return errors.Join(w.index.Apply(ctx, d, 1, points), w.index.ApplyVectors(ctx, d.ID, 1, benchSpace, vectors))
	})
	w.filled += cpu
	check(tb, errors.Join(err, w.bleve.Batch(batch), w.chromem.AddDocuments(ctx, others, 1)))
}

// A way is one way to ask.
type way struct {
	name  string
	cores int
	ask   func(n int) error
}

func (w *world) ways(ctx context.Context) []way {
	search := func(x *embedded.Index, words, meaning bool) func(int) error {
		return func(n int) error {
			found, err := x.Search(ctx, w.search(n, words, meaning))
			return errors.Join(err, enough(len(found.Matches)))
		}
	}
	return []way{
		{"Footnote_float32", 1, search(w.exact, false, true)},
		{"Footnote_codes", 1, search(w.index, false, true)},
		{"Footnote_codes_all_cores", runtime.NumCPU(), search(w.index, false, true)},
		{"chromem", 1, func(n int) error {
			found, err := w.chromem.QueryEmbedding(ctx, w.asked[n%len(w.asked)].vector, hits, nil, nil)
			return errors.Join(err, enough(len(found)))
		}},
		{"Footnote_BM25", 1, search(w.index, true, false)},
		{"bleve", 1, func(n int) error {
			q := bleve.NewMatchQuery(w.asked[n%len(w.asked)].text)
			q.SetField("text")
			found, err := w.bleve.Search(bleve.NewSearchRequestOptions(q, hits, 0, false))
			if err != nil {
				return err
			}
			return enough(len(found.Hits))
		}},
		{"Footnote_fused", 1, search(w.index, true, true)},
		{"Footnote_fused_and_prompt", 1, func(n int) error { return w.prompt(ctx, n) }},
	}
}

func enough(found int) error {
	if found != hits {
		return fmt.Errorf("%d hits", found)
	}
	return nil
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
func (w *world) prompt(ctx context.Context, n int) error {
	found, err := w.index.Search(ctx, w.search(n, true, true))
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
func (w *world) recall(tb testing.TB) float64 {
	same, all := 0, 0
	for n := range w.asked {
		q := w.search(n, false, true)
		want, err := w.exact.Search(tb.Context(), q)
		check(tb, err)
		got, err := w.index.Search(tb.Context(), q)
		check(tb, err)
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
	return float64(same) / float64(all)
}

// An opened is what a process is like that has just opened an index.
type opened struct {
	Ready, CPU time.Duration
	Memory     int64 // bytes more than before
}

// roleOpen is the role of a process that opens an index.
const roleOpen = "open-index"

func runOpen(path string) error {
	proxy.RelaxGC() // as the program does
	before, err := rssOf(os.Getpid())
	if err != nil {
		return err
	}
	start := time.Now()
	var o opened
	var x *embedded.Index
	if o.CPU, err = cpuUsed(os.Getpid(), func() (err error) {
		x, err = embedded.Open(path, embedded.Options{Log: slog.New(slog.DiscardHandler)})
		return err
	}); err != nil {
		return err
	}
	o.Ready = time.Since(start)
	runtime.GC() // idle, as a server is after its start
	after, err := rssOf(os.Getpid())
	o.Memory = after - before
	return errors.Join(err, json.NewEncoder(os.Stdout).Encode(o), x.Close())
}

// openInChild opens the index of a file in a process of its own.
func openInChild(tb testing.TB, path string) (o opened) {
	tb.Helper()
	self, err := os.Executable()
	check(tb, err)
	cmd := exec.CommandContext(tb.Context(), self, roleOpen, path)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	check(tb, errors.Join(err, json.Unmarshal(out, &o)))
	return o
}

// readBandwidth reads size bytes, at least 64 MB, that lie in huge pages, and returns
// GB in a second of processor time: what a scan cannot be faster than. It looks for a
// byte that is not there, and multiplies codes, which both read by the widest registers.
func readBandwidth(tb testing.TB, size int) (best float64) {
	size = max(size, 64<<20)
	memory, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	check(tb, err)
	defer unix.Munmap(memory) //nolint:errcheck // it was mapped
	_ = unix.Madvise(memory, unix.MADV_HUGEPAGE)
	for i := 0; i < size; i += 4096 {
		memory[i] = 1
	}
	codes := unsafe.Slice((*int8)(unsafe.Pointer(&memory[0])), size) //nolint:gosec // the same bytes, with a sign
	products := make([]int32, size/dimensions/dot.Group*dot.Group)
	none := make([]int8, dimensions)
	for range 5 {
		for _, read := range []func(){
			func() { bytes.IndexByte(memory, 0xFF) },
			func() { dot.Codes(products, codes[:len(products)*dimensions], none) },
		} {
			cpu, err := cpuUsed(os.Getpid(), func() error { read(); return nil })
			check(tb, err)
			best = max(best, float64(size)/float64(max(1, cpu.Nanoseconds())))
		}
	}
	return best
}

func BenchmarkRetrieval(b *testing.B) {
	for _, chunks := range sizes(b) {
		w := newWorld(b, chunks)
		for _, way := range w.ways(b.Context()) {
			b.Run(fmt.Sprintf("%s/chunks=%d", way.name, chunks), func(b *testing.B) { way.bench(b, chunks) })
		}
		b.Run(fmt.Sprintf("Footnote_recall/chunks=%d", chunks), func(b *testing.B) {
			for b.Loop() {
				b.ReportMetric(w.recall(b), "recall@10")
			}
		})
		b.Run(fmt.Sprintf("Footnote_open/chunks=%d", chunks), func(b *testing.B) {
			b.ReportMetric(float64(chunks)/w.filled.Seconds(), "filled/cpu-s")
			for b.Loop() {
				o := openInChild(b, w.path)
				b.ReportMetric(o.Ready.Seconds(), "open-s")
				b.ReportMetric(o.CPU.Seconds(), "open-cpu-s")
				b.ReportMetric(float64(o.Memory)/1e6, "MB")
			}
		})
	}
}

// bench reports processor time and p95 for each question, and for the scan of floats
// its share of what one core can read.
func (way way) bench(b *testing.B, chunks int) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(way.cores))
	check(b, way.ask(0)) // so that everything is where it is needed
	runtime.GC()
	var times []time.Duration
	cpu, err := cpuUsed(os.Getpid(), func() error {
		for n := 0; b.Loop(); n++ {
			start := time.Now()
			if err := way.ask(n); err != nil {
				return err
			}
			times = append(times, time.Since(start))
		}
		return nil
	})
	check(b, err)
	slices.Sort(times)
	each := float64(cpu.Nanoseconds()) / float64(len(times))
	b.ReportMetric(each/1e6, "cpu-ms/op")
	b.ReportMetric(float64(times[len(times)*95/100].Microseconds())/1e3, "p95-ms")
	if way.name == "Footnote_float32" {
		b.ReportMetric(100*float64(chunks*dimensions*4)/each/readBandwidth(b, chunks*dimensions*4), "%ofbandwidth")
	}
}

// Every index of the benchmark finds what it is asked for, and the file of Footnote's
// can be opened.
func TestEveryIndexOfTheBenchmarkAnswers(t *testing.T) {
	w := newWorld(t, 200)
	for _, way := range w.ways(t.Context()) {
		if err := way.ask(1); err != nil {
			t.Errorf("%s: %v", way.name, err)
		}
	}
	if r := w.recall(t); r != 1 {
		t.Error("recall", r)
	}
	if o := openInChild(t, w.path); o.Ready <= 0 || o.Memory <= 0 {
		t.Errorf("%+v", o)
	}
	if readBandwidth(t, 0) <= 0 {
		t.Error("nothing is read")
	}
}
