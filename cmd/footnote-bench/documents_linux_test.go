package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"footnote/assistants/ingestion/extract"
	_ "footnote/assistants/ingestion/extract/pdf" // reads the PDF that is measured
)

// What it costs to read documents, to index them, and to start over them. What it
// costs to embed them is measured by the benchmarks of assistants/embedding.

var documentsFlag = flag.String("documents", "../../.cache/gold", "`folder` of the PDF files that are read; one is made up if it has none")

const (
	chunksOfManual = 2000
	wordsOfChunk   = 85 // about what the chunker makes of them
	pagesOfLongPDF = 1000
)

// pagesPerSecond reads the PDF files of a folder, and returns pages per second of
// processor time.
func pagesPerSecond(tb testing.TB, folder string) float64 {
	options := extract.Options{Name: "a.pdf", CacheDir: tb.TempDir()}
	read := func(raw []byte) (pages int) {
		doc, err := extract.Extract(tb.Context(), bytes.NewReader(raw), int64(len(raw)), options)
		check(tb, err)
		return len(doc.Pages)
	}
	read(madePDF(1)) // compiles the reader
	names, err := filepath.Glob(filepath.Join(folder, "*.pdf"))
	check(tb, err)
	files := [][]byte{}
	for _, name := range names {
		raw, err := os.ReadFile(name)
		check(tb, err)
		files = append(files, raw)
	}
	if len(files) == 0 {
		files = append(files, madePDF(20))
	}
	pages := 0
	cpu, err := cpuUsed(os.Getpid(), func() error {
		for _, raw := range files {
			pages += read(raw)
		}
		return nil
	})
	check(tb, err)
	return float64(pages) / cpu.Seconds()
}

// madePDF is a PDF file of full pages.
func madePDF(pages int) []byte {
	var b bytes.Buffer
	offsets := []int{0}
	object := func(format string, args ...any) {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n"+format+"\nendobj\n", append([]any{len(offsets) - 1}, args...)...)
	}
	b.WriteString("%PDF-1.7\n")
	object("<</Type/Catalog/Pages 2 0 R>>")
	var kids strings.Builder
	for i := range pages {
		fmt.Fprintf(&kids, "%d 0 R ", 4+2*i)
	}
	object("<</Type/Pages/Count %d/Kids[%s]>>", pages, kids.String())
	object("<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")
	for page := range pages {
		var text strings.Builder
		fmt.Fprintf(&text, "BT /F1 10 Tf 12 TL 50 780 Td\n(Manual of everything, page %d) Tj T*\n", page+1)
		for i := range 50 {
			fmt.Fprintf(&text, "(Line %d of page %d is the only one to speak of number %d, and goes on.) Tj T*\n", i, page+1, page*50+i)
		}
		text.WriteString("ET")
		object("<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F1 3 0 R>>>>/Contents %d 0 R>>", 5+2*page)
		object("<</Length %d>>\nstream\n%s\nendstream", text.Len(), text.String())
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets))
	for _, at := range offsets[1:] {
		fmt.Fprintf(&b, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(offsets), start)
	return b.Bytes()
}

// writeManuals writes texts of about so many chunks to a folder.
func writeManuals(tb testing.TB, chunks int) (folder string) {
	p, folder := newProse(), tb.TempDir()
	for left, n := chunks, 0; left > 0; n++ {
		var b strings.Builder
		for range min(left, chunksOfManual) {
			b.WriteString(strings.TrimSuffix(p.text(wordsOfChunk), " ") + ".\n\n")
		}
		check(tb, os.WriteFile(filepath.Join(folder, fmt.Sprintf("manual %03d.txt", n)), []byte(b.String()), 0o600))
		left -= chunksOfManual
	}
	return folder
}

// startServer starts the real program until the end of the test.
func startServer(tb testing.TB, env ...string) *server {
	tb.Helper()
	s, err := newServer(realProgram(tb), env...)
	check(tb, err)
	tb.Cleanup(func() { check(tb, s.stop()) })
	start(tb, s)
	return s
}

// start starts a server that outlives the test's context, because a cleanup stops it.
func start(tb testing.TB, s *server) {
	tb.Helper()
	check(tb, s.start(context.WithoutCancel(tb.Context())))
}

// fill has the program take in a file or a folder, and waits until all of it is found.
func fill(tb testing.TB, s *server, path string) documentCounts {
	tb.Helper()
	const assistant = "manuals"
	check(tb, s.ingest(tb.Context(), assistant, path))
	n, err := s.waitForDocuments(tb.Context(), assistant)
	check(tb, err)
	return n
}

// startEmbedder serves embeddings as OpenAI does: of each text one that only it has.
func startEmbedder(tb testing.TB) (url string) {
	seed := maphash.MakeSeed()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct{ Input []string }
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		type vector struct {
			Index     int       `json:"index"`
			Embedding []float32 `json:"embedding"`
		}
		data := make([]vector, len(in.Input))
		for i, text := range in.Input {
			var key [32]byte
			binary.LittleEndian.PutUint64(key[:], maphash.String(seed, text))
			p := prose{Rand: rand.New(rand.NewChaCha8(key))} //nolint:gosec // no secret
			data[i] = vector{i, p.near(make([]float32, dimensions))}
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"object": "list", "model": "bench", "data": data}) // the client is gone
	}))
	tb.Cleanup(s.Close)
	return s.URL + "/v1"
}

// A restart is how the program starts over many chunks.
type restart struct {
	ready  time.Duration
	memory int64 // of the idle server
}

// startOver starts the program again.
func startOver(tb testing.TB, s *server, idle time.Duration) (r restart) {
	tb.Helper()
	check(tb, s.halt())
	began := time.Now()
	start(tb, s)
	r.ready = time.Since(began)
	check(tb, pause(tb.Context(), idle)) // the program does some work once after its start
	var err error
	r.memory, err = rssOf(s.cmd.Process.Pid)
	check(tb, err)
	return r
}

// embeddedServer is a server over so many chunks with vectors, and what its index
// alone has in memory.
func embeddedServer(tb testing.TB, chunks int) (*server, int64) {
	tb.Helper()
	s := startServer(tb, "FOOTNOTE_EMBEDDING_URL="+startEmbedder(tb), "FOOTNOTE_EMBEDDING_MODEL=bench")
	if n := fill(tb, s, writeManuals(tb, chunks)); n.full < n.all || n.chunks == 0 {
		tb.Fatalf("only %d of %d documents with %d chunks were embedded", n.full, n.all, n.chunks)
	}
	check(tb, s.halt())
	memory := openInChild(tb, filepath.Join(s.data(), "index.db")).Memory
	start(tb, s)
	return s, memory
}

func BenchmarkReadPDF(b *testing.B) {
	for b.Loop() {
		b.ReportMetric(pagesPerSecond(b, *documentsFlag), "pages/cpu-s")
	}
}

// The whole program takes in one PDF file of a thousand pages.
func BenchmarkIngestLongPDF(b *testing.B) {
	s := startServer(b)
	path := filepath.Join(b.TempDir(), "long.pdf")
	check(b, os.WriteFile(path, madePDF(pagesOfLongPDF), 0o600))
	for n := 0; b.Loop(); n++ {
		most, err := memoryUsed(s.cmd.Process.Pid, func() error {
			assistant := fmt.Sprintf("long-%d", n)
			err := s.ingest(b.Context(), assistant, path)
			_, failed := s.waitForDocuments(b.Context(), assistant)
			return errors.Join(err, failed)
		})
		check(b, err)
		b.ReportMetric(float64(most)/1e6, "MB-more")
	}
	b.ReportMetric(float64(pagesOfLongPDF*b.N)/b.Elapsed().Seconds(), "pages/s")
}

// The whole program reads, cuts and indexes manuals of text, without vectors.
func BenchmarkIngestManuals(b *testing.B) {
	for _, chunks := range sizes(b) {
		b.Run(fmt.Sprintf("chunks=%d", chunks), func(b *testing.B) {
			folder := writeManuals(b, chunks)
			for b.Loop() {
				b.StopTimer()
				s, n, began := startServer(b), documentCounts{}, time.Now()
				b.StartTimer()
				cpu, err := cpuUsed(s.cmd.Process.Pid, func() error { n = fill(b, s, folder); return nil })
				check(b, err)
				b.ReportMetric(float64(n.chunks)/time.Since(began).Seconds(), "chunks/s")
				b.ReportMetric(float64(n.chunks)/cpu.Seconds(), "chunks/cpu-s")
			}
		})
	}
}

// The program starts over chunks with vectors, and is idle then.
func BenchmarkStart(b *testing.B) {
	for _, chunks := range sizes(b) {
		b.Run(fmt.Sprintf("chunks=%d", chunks), func(b *testing.B) {
			s, index := embeddedServer(b, chunks)
			for b.Loop() {
				r := startOver(b, s, 5*time.Second)
				b.ReportMetric(r.ready.Seconds(), "ready-s")
				b.ReportMetric(float64(r.memory)/1e6, "MB")
				b.ReportMetric(float64(r.memory-index)/1e6, "MB-besides-index")
			}
		})
	}
}

// The benchmarks of documents work in little: PDF is read, manuals are indexed with
// vectors, and the program starts over them.
func TestTheBenchmarksOfDocumentsWork(t *testing.T) {
	if rate := pagesPerSecond(t, t.TempDir()); rate <= 0 {
		t.Error("pages per second", rate)
	}
	s, index := embeddedServer(t, 30)
	if r := startOver(t, s, 0); r.ready <= 0 || r.memory <= index {
		t.Errorf("%+v over an index of %d bytes", r, index)
	}
}
