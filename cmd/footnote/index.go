package main

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"

	"footnote/assistants"
	"footnote/assistants/ingestion"
	"footnote/assistants/retrieval"
	"footnote/cmd/footnote/console"
	"footnote/storage/vector/embedded"
	"footnote/storage/vector/qdrant"
)

// An index is where passages are found: in this process, or on a Qdrant server.
type index interface {
	ingestion.Index
	retrieval.Searcher
	Close() error
}

var _, _ index = (*embedded.Index)(nil), (*qdrant.Index)(nil)

// indexIsFile reports whether the index is a file on this machine.
func (c *Config) indexIsFile() bool { return c.VectorURL == "embedded:" }

// indexKind names the index for status, without its address.
func (c *Config) indexKind() string {
	kind, _, _ := strings.Cut(c.VectorURL, ":")
	return kind
}

// openIndex opens the index that the configuration names.
func openIndex(cfg Config, log *slog.Logger) (index, error) {
	if !cfg.indexIsFile() {
		opt, err := qdrant.ParseURL(cfg.VectorURL)
		if err != nil {
			return nil, err // Validate has said so before
		}
		opt.Log = log
		return qdrant.Open(opt)
	}
	path := filepath.Join(cfg.DataDir, "index.db")
	x, err := embedded.Open(path, embedded.Options{Log: log})
	if err != nil {
		return nil, fmt.Errorf("the index %s cannot be opened; delete it, and it is built again: %w", path, err)
	}
	return x, nil
}

// inspectIndex returns the indexed version of each document, and the damage of
// the index, without changing a file.
func inspectIndex(ctx context.Context, cfg Config, log *slog.Logger) (have map[assistants.DocumentID]assistants.Indexed, damage []string, err error) {
	if cfg.indexIsFile() {
		return embedded.Inspect(ctx, filepath.Join(cfg.DataDir, "index.db"))
	}
	x, err := openIndex(cfg, log)
	if err != nil {
		return nil, nil, err
	}
	have, err = x.Versions(ctx)
	if closed := x.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return nil, nil, fmt.Errorf("the index at %s cannot be read; see that it runs, and that --vector-url is right: %w", console.RedactURL(cfg.VectorURL), err)
	}
	return have, nil, nil
}
