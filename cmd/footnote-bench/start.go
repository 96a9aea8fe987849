package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"hash/maphash"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// How long the real program takes to start over many documents, and what memory
// it then has while nobody asks anything.

// startOptions of `footnote-bench start`.
type startOptions struct {
	program string
	chunks  int
	starts  int
}

// Documents of a run: a manual of four hundred pages has two thousand chunks.
const (
	chunksOfManual = 2000
	wordsOfChunk   = 85 // about what the chunker makes of them
)

func startCommand(ctx context.Context, args []string, out io.Writer) error {
	var o startOptions
	f := flag.NewFlagSet("start", flag.ContinueOnError)
	f.StringVar(&o.program, "footnote", "bin/footnote", "the program")
	f.IntVar(&o.chunks, "chunks", 100_000, "about how many chunks the documents have")
	f.IntVar(&o.starts, "starts", 5, "starts; every figure is the median of them")
	if err := f.Parse(args); err != nil {
		return err
	}
	if o.chunks < 1 || o.starts < 1 || f.NArg() > 0 {
		return errors.New("chunks and starts are at least 1, and there are no arguments but flags")
	}
	return o.run(ctx, out)
}

func (o startOptions) run(ctx context.Context, out io.Writer) (err error) {
	embedder, url, err := startEmbedder()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, embedder.Close()) }()
	s, err := startEvalServer(ctx, o.program, "", "FOOTNOTE_EMBEDDING_URL="+url, "FOOTNOTE_EMBEDDING_MODEL=bench")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	began := time.Now()
	chunks, err := o.fill(ctx, s)
	if err != nil {
		return err
	}
	filled := time.Since(began)
	var ready, memory []float64
	for range o.starts {
		if err := s.halt(); err != nil {
			return err
		}
		began := time.Now()
		if err := s.serve(ctx); err != nil {
			return err
		}
		if err := s.untilReady(ctx); err != nil {
			return err
		}
		ready = append(ready, time.Since(began).Seconds())
		// Idle is when what is done once after a start has been done.
		if err := pause(ctx, 5*time.Second); err != nil {
			return err
		}
		rss, err := rssOf(s.cmd.Process.Pid)
		if err != nil {
			return err
		}
		memory = append(memory, float64(rss)/1e6)
	}
	index, err := openInChild(ctx, filepath.Join(s.data(), "index.db"))
	if err != nil {
		return err
	}
	return o.report(out, chunks, filled, ready, memory, float64(index.RSS-index.Before)/1e6)
}

// report says how P10 stands.
func (o startOptions) report(out io.Writer, chunks int, filled time.Duration, ready, memory []float64, index float64) error {
	start, _ := medianOf(ready)
	rss, _ := medianOf(memory)
	holds := func(v, limit float64) string {
		if v <= limit {
			return "yes"
		}
		return "no"
	}
	fmt.Fprintf(out, "%d chunks with vectors of %d dimensions, made in %.0f s through the program; %d starts, on %s.\n\n", chunks, dimensions, filled.Seconds(), o.starts, processorName())
	return grid{
		{"P10", "bound", "is", "holds"},
		{"from the start to /readyz", "≤ 3 s", fmt.Sprintf("%.2f s", start), holds(start, 3)},
		{"memory of the whole server, idle", "–", fmt.Sprintf("%.0f MB", rss), ""},
		{"of it the index: vectors, codes, postings", "–", fmt.Sprintf("%.0f MB", index), ""},
		{"the rest", "≤ 150 MB", fmt.Sprintf("%.0f MB", rss-index), holds(rss-index, 150)},
	}.write(out)
}

// fill has manuals ingested until there are enough chunks, and returns how many.
func (o startOptions) fill(ctx context.Context, s *evalServer) (chunks int, err error) {
	const assistant = "manuals"
	p, folder := newProse(), filepath.Join(s.dir, "manuals")
	if err := os.Mkdir(folder, 0o700); err != nil {
		return 0, err
	}
	for left, n := o.chunks, 0; left > 0; n++ {
		var b strings.Builder
		for range min(left, chunksOfManual) {
			b.WriteString(strings.TrimSuffix(p.text(wordsOfChunk), " ") + ".\n\n")
		}
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("manual %03d.txt", n)), []byte(b.String()), 0o600); err != nil {
			return 0, err
		}
		left -= chunksOfManual
	}
	if err := s.ingest(ctx, assistant, folder); err != nil {
		return 0, err
	}
	full, all, err := s.settled(ctx, assistant)
	if err == nil && full < all {
		err = fmt.Errorf("only %d of %d documents were embedded", full, all)
	}
	if err != nil {
		return 0, err
	}
	var list struct{ Data []struct{ Chunks int } }
	if err := s.get(ctx, "/v1.0/assistants/"+assistant+"/documents?limit=1000", &list); err != nil {
		return 0, err
	}
	for _, d := range list.Data {
		chunks += d.Chunks
	}
	return chunks, nil
}

// untilReady waits until the server says that it is.
func (s *evalServer) untilReady(ctx context.Context) error {
	for {
		resp, err := http.Get(s.url + "/readyz") //nolint:noctx,gosec // of the server under test
		if err != nil {
			return err
		}
		if err := resp.Body.Close(); err != nil || resp.StatusCode == http.StatusOK {
			return err
		}
		if err := pause(ctx, 5*time.Millisecond); err != nil {
			return err
		}
	}
}

// startEmbedder serves embeddings as OpenAI does: of each text one that only it has.
func startEmbedder() (server *http.Server, url string, err error) {
	l, err := listen()
	if err != nil {
		return nil, "", err
	}
	server = &http.Server{Handler: http.HandlerFunc(embed), ReadHeaderTimeout: time.Minute}
	go server.Serve(l) //nolint:errcheck // ends when it is closed
	return server, "http://" + l.Addr().String() + "/v1", nil
}

var embedSeed = maphash.MakeSeed()

func embed(w http.ResponseWriter, r *http.Request) {
	var in struct{ Input []string }
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	type embedding struct {
		Index     int       `json:"index"`
		Embedding []float32 `json:"embedding"`
	}
	data := make([]embedding, len(in.Input))
	for i, text := range in.Input {
		var seed [32]byte
		binary.LittleEndian.PutUint64(seed[:], maphash.String(embedSeed, text))
		p := prose{Rand: rand.New(rand.NewChaCha8(seed))} //nolint:gosec // no secret
		data[i] = embedding{i, p.near(make([]float32, dimensions))}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"object": "list", "model": "bench", "data": data}) // whoever asked has gone
}
