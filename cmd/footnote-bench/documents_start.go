package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// started is how the program starts over many chunks.
type started struct {
	chunks int
	ready  float64 // seconds
	memory float64 // of the idle server, MB
	index  float64 // of a process that has opened its index alone, MB
}

// Manuals of text: one of four hundred pages has two thousand chunks.
const (
	chunksOfManual = 2000
	wordsOfChunk   = 85 // about what the chunker makes of them
)

// startOver has manuals ingested with vectors and starts the program over them.
func (o documentsOptions) startOver(ctx context.Context, r *documentsReport) (err error) {
	embedder, url, err := startEmbedder()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, embedder.Close()) }()
	s, err := newServer(o.program, "FOOTNOTE_EMBEDDING_URL="+url, "FOOTNOTE_EMBEDDING_MODEL=bench")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	if err := s.start(ctx); err != nil {
		return err
	}
	folder, err := o.writeManuals(s.dir)
	if err != nil {
		return err
	}
	filled, err := s.fill(ctx, folder)
	if err != nil {
		return err
	}
	if filled.full < filled.all {
		return fmt.Errorf("only %d of %d documents were embedded", filled.full, filled.all)
	}
	r.start.chunks = filled.chunks
	var ready, memory []float64
	for range o.rounds {
		if err := s.halt(); err != nil {
			return err
		}
		began := time.Now()
		if err := s.start(ctx); err != nil {
			return err
		}
		ready = append(ready, time.Since(began).Seconds())
		// The program does some work once after its start.
		if err := pause(ctx, o.idle); err != nil {
			return err
		}
		rss, err := rssOf(s.cmd.Process.Pid)
		if err != nil {
			return err
		}
		memory = append(memory, float64(rss)/1e6)
	}
	index, err := openInChild(ctx, filepath.Join(s.data(), "index.db"))
	r.start.index = float64(index.RSS-index.Before) / 1e6
	r.start.ready, _ = medianOf(ready)
	r.start.memory, _ = medianOf(memory)
	return err
}

// writeManuals writes texts of as many chunks as were asked for.
func (o documentsOptions) writeManuals(dir string) (folder string, err error) {
	p, folder := newProse(), filepath.Join(dir, "manuals")
	if err := os.Mkdir(folder, 0o700); err != nil {
		return "", err
	}
	for left, n := o.chunks, 0; left > 0; n++ {
		var b strings.Builder
		for range min(left, chunksOfManual) {
			b.WriteString(strings.TrimSuffix(p.text(wordsOfChunk), " ") + ".\n\n")
		}
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("manual %03d.txt", n)), []byte(b.String()), 0o600); err != nil {
			return "", err
		}
		left -= chunksOfManual
	}
	return folder, nil
}

// fill has a folder ingested and waits until all of it can be found.
func (s *server) fill(ctx context.Context, folder string) (documentCounts, error) {
	const assistant = "manuals"
	if err := s.ingest(ctx, assistant, folder); err != nil {
		return documentCounts{}, err
	}
	return s.waitForDocuments(ctx, assistant)
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
	type vector struct {
		Index     int       `json:"index"`
		Embedding []float32 `json:"embedding"`
	}
	data := make([]vector, len(in.Input))
	for i, text := range in.Input {
		var seed [32]byte
		binary.LittleEndian.PutUint64(seed[:], maphash.String(embedSeed, text))
		p := prose{Rand: rand.New(rand.NewChaCha8(seed))} //nolint:gosec // no secret
		data[i] = vector{i, p.near(make([]float32, dimensions))}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"object": "list", "model": "bench", "data": data}) // the client is gone
}
