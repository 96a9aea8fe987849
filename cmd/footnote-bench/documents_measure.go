package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"footnote/assistants/embedding"
	"footnote/assistants/ingestion/extract"
	_ "footnote/assistants/ingestion/extract/pdf" // reads the PDF that is measured
)

// pagesRead is how fast PDF files are read.
type pagesRead struct {
	of   string  // what was read
	rate float64 // pages per second of processor time
}

// readPages reads the PDF files of the folder, or one made up where there are none.
func (o documentsOptions) readPages(ctx context.Context, r *documentsReport) error {
	names, err := filepath.Glob(filepath.Join(o.documents, "*.pdf"))
	if err != nil {
		return err
	}
	var files [][]byte
	for _, name := range names {
		raw, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		files = append(files, raw)
	}
	if len(files) == 0 {
		files = [][]byte{madePDF(100)}
	}
	cache, err := os.MkdirTemp("", "footnote-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(cache) //nolint:errcheck // only a cache
	options := extract.Options{Name: "a.pdf", CacheDir: cache}
	warm := madePDF(1) // compiles the reader
	if _, err := extract.Extract(ctx, bytes.NewReader(warm), int64(len(warm)), options); err != nil {
		return err
	}
	pages := 0
	cpu, err := cpuUsed(os.Getpid(), func() error {
		for _, raw := range files {
			doc, err := extract.Extract(ctx, bytes.NewReader(raw), int64(len(raw)), options)
			if err != nil {
				return err
			}
			pages += len(doc.Pages)
		}
		return nil
	})
	r.read = pagesRead{fmt.Sprintf("The PDF files read are %d with %d pages", len(files), pages), float64(pages) / cpu.Seconds()}
	return err
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
			fmt.Fprintf(&text, "(Line %d of page %d says what nobody else says about number %d, and goes on.) Tj T*\n", i, page+1, page*50+i)
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

// embedderSpeed is how fast the built-in embedder is.
type embedderSpeed struct {
	passages   float64 // per second of processor time
	question   float64 // milliseconds
	fromMemory float64 // microseconds
}

// Rounds of the embedder.
const (
	embeddedPassages = 64
	rememberedTimes  = 100_000
)

func (o documentsOptions) embedPassages(ctx context.Context, r *documentsReport) error {
	if o.model == "" {
		return nil
	}
	builtin, err := embedding.Open(o.model)
	if err != nil {
		return err
	}
	defer builtin.Close() //nolint:errcheck // only read from
	cached := embedding.NewCached(builtin, embedding.Options{})
	defer cached.Close() //nolint:errcheck // keeps nothing
	var passages, questions, remembered []float64
	for round := range o.rounds {
		texts := make([]string, embeddedPassages)
		for i := range texts { // some 200 word pieces
			texts[i] = strings.Repeat(fmt.Sprintf("retrieval of document %d improves citation quality in language models ", round*embeddedPassages+i), 20)
		}
		cpu, err := cpuUsed(os.Getpid(), func() error {
			_, err := builtin.EmbedPassages(ctx, texts)
			return err
		})
		if err != nil {
			return err
		}
		passages = append(passages, embeddedPassages/cpu.Seconds())
		question := fmt.Sprintf("What was the total revenue growth for the fiscal year %d?", 2000+round)
		began := time.Now()
		if _, err := cached.EmbedQuery(ctx, question); err != nil {
			return err
		}
		questions = append(questions, time.Since(began).Seconds()*1e3)
		began = time.Now()
		for range rememberedTimes {
			if _, err := cached.EmbedQuery(ctx, question); err != nil {
				return err
			}
		}
		remembered = append(remembered, time.Since(began).Seconds()*1e6/rememberedTimes)
	}
	r.embed.passages, _ = medianOf(passages)
	r.embed.question, _ = medianOf(questions)
	r.embed.fromMemory, _ = medianOf(remembered)
	return nil
}

// longFile is what a long PDF file takes of the whole program.
type longFile struct {
	rate   float64 // pages per second
	memory float64 // most of it, MB
}

// indexedChunks is how fast chunks are read, cut and indexed.
type indexedChunks struct{ perSecond, perCPU float64 }

// ingest has the program take in a long PDF file, then manuals of text, without
// an embedder.
func (o documentsOptions) ingest(ctx context.Context, r *documentsReport) (err error) {
	s, err := newServer(o.program)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	if err := s.start(ctx); err != nil {
		return err
	}
	long := filepath.Join(s.dir, "long.pdf")
	if err := os.WriteFile(long, madePDF(o.pages), 0o600); err != nil {
		return err
	}
	most, began := make(chan int64), time.Now()
	watching, stop := context.WithCancel(ctx)
	defer stop()
	go func() { most <- mostMemory(watching, s.cmd.Process.Pid, 20*time.Millisecond) }()
	if err = s.ingest(ctx, "long", long); err == nil {
		_, err = s.waitForDocuments(ctx, "long")
	}
	took := time.Since(began)
	stop()
	r.long = longFile{rate: float64(o.pages) / took.Seconds(), memory: float64(<-most) / 1e6}
	if err != nil {
		return err
	}

	folder, err := o.writeManuals(s.dir)
	if err != nil {
		return err
	}
	began = time.Now()
	var filled documentCounts
	cpu, err := cpuUsed(s.cmd.Process.Pid, func() (err error) {
		filled, err = s.fill(ctx, folder)
		took = time.Since(began)
		return err
	})
	r.index = indexedChunks{float64(filled.chunks) / took.Seconds(), float64(filled.chunks) / cpu.Seconds()}
	return err
}
