package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"time"
	"unsafe"

	"footnote/assistants"
	"footnote/proxy"
	"footnote/storage/vector/dot"
	"footnote/storage/vector/embedded"

	"github.com/blevesearch/bleve/v2"
	"github.com/philippgille/chromem-go"
	"golang.org/x/sys/unix"
)

type chromemIndex struct{ collection *chromem.Collection }

func newChromem() (*chromemIndex, error) {
	none := func(context.Context, string) ([]float32, error) { return nil, errors.New("vectors are given") }
	c, err := chromem.NewDB().CreateCollection("c", nil, none)
	return &chromemIndex{c}, err
}

func (x *chromemIndex) add(ctx context.Context, points []assistants.Point, vectors [][]float32) error {
	documents := make([]chromem.Document, len(points))
	for i, p := range points {
		documents[i] = chromem.Document{ID: string(p.ChunkID), Embedding: vectors[i], Content: "-"}
	}
	return x.collection.AddDocuments(ctx, documents, 1)
}

func (x *chromemIndex) ask(ctx context.Context, vector []float32) error {
	found, err := x.collection.QueryEmbedding(ctx, vector, hits, nil, nil)
	if err == nil && len(found) != hits {
		err = fmt.Errorf("%d hits", len(found))
	}
	return err
}

type bleveIndex struct{ index bleve.Index }

func newBleve(path string) (*bleveIndex, error) {
	text := bleve.NewTextFieldMapping()
	text.Store, text.IncludeTermVectors, text.DocValues = false, false, false
	mapping := bleve.NewIndexMapping()
	mapping.DefaultMapping.AddFieldMappingsAt("text", text)
	x, err := bleve.New(path, mapping)
	return &bleveIndex{x}, err
}

func (x *bleveIndex) add(points []assistants.Point) error {
	batch := x.index.NewBatch()
	for _, p := range points {
		if err := batch.Index(string(p.ChunkID), map[string]string{"text": p.Text}); err != nil {
			return err
		}
	}
	return x.index.Batch(batch)
}

func (x *bleveIndex) ask(text string) error {
	q := bleve.NewMatchQuery(text)
	q.SetField("text")
	found, err := x.index.Search(bleve.NewSearchRequestOptions(q, hits, 0, false))
	if err == nil && len(found.Hits) == 0 {
		err = errors.New("no hits")
	}
	return err
}

// readBandwidth reads size bytes, at least 64 MB, that lie in huge pages, and
// returns GB in a second of processor time: what a scan cannot be faster than.
func readBandwidth(size int) (float64, error) {
	size = max(size, 64<<20)
	memory, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return 0, err
	}
	defer unix.Munmap(memory) //nolint:errcheck // it was mapped
	_ = unix.Madvise(memory, unix.MADV_HUGEPAGE)
	for i := 0; i < size; i += 4096 {
		memory[i] = 1
	}
	// Two ways, both by the widest registers that there are: a byte that is not
	// there is looked for, from the front to the end; and products of codes, which
	// read four places at a time and have little to reckon with what they read.
	codes := unsafe.Slice((*int8)(unsafe.Pointer(&memory[0])), size) //nolint:gosec // the same bytes, with a sign
	products := make([]int32, size/dimensions/dot.Group*dot.Group)
	none := make([]int8, dimensions)
	ways := []func(){
		func() { bytes.IndexByte(memory, 0xFF) },
		func() { dot.Codes(products, codes[:len(products)*dimensions], none) },
	}
	best := 0.0
	for range 5 {
		for _, way := range ways {
			cpu, err := cpuUsed(os.Getpid(), func() error { way(); return nil })
			if err != nil {
				return 0, err
			}
			best = max(best, float64(size)/float64(max(1, cpu.Nanoseconds())))
		}
	}
	return best, nil
}

const roleOpen = "open-index"

// An opened is what a process is like that has just opened an index.
type opened struct {
	Ready  time.Duration
	CPU    time.Duration
	RSS    int64
	Before int64 // RSS without an index
	File   int64
}

// openInChild opens the index of a file in a process of its own.
func openInChild(ctx context.Context, path string) (o opened, err error) {
	c, err := startChild(ctx, roleOpen, path)
	if err != nil {
		return o, err
	}
	if o.Before, err = rssOf(c.pid()); err != nil {
		return o, err
	}
	if o.CPU, err = cpuUsed(c.pid(), func() error { return c.call("open", nil, &o.Ready) }); err != nil {
		return o, err
	}
	if o.RSS, err = rssOf(c.pid()); err != nil {
		return o, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return o, err
	}
	o.File = info.Size()
	return o, c.stop()
}

// runOpen is the role of a process that opens an index.
func runOpen(path string) error {
	proxy.RelaxGC() // as the program does
	return obey(os.Stdin, os.Stdout, listening{}, ops{"open": func(json.RawMessage) (any, error) {
		start := time.Now()
		x, err := embedded.Open(path, embedded.Options{Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			return nil, err
		}
		ready := time.Since(start)
		runtime.GC() // idle, as a server is after its start
		_, err = x.Versions(context.Background())
		return ready, err
	}})
}
