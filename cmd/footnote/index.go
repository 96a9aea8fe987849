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
	"footnote/cmd/footnote/maintain"
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

// openIndex opens the index that the configuration names. lost is called when a
// server has lost it; see [qdrant.Options].
func openIndex(cfg Config, log *slog.Logger, lost func()) (index, error) {
	if !cfg.indexIsFile() {
		opt, err := qdrantOptions(cfg, log)
		if err != nil {
			return nil, err
		}
		opt.Lost = lost
		return qdrant.Open(opt)
	}
	path := filepath.Join(cfg.DataDir, "index.db")
	x, err := embedded.Open(path, embedded.Options{Log: log})
	if err != nil {
		return nil, fmt.Errorf("the index %s cannot be opened; delete it, and it is built again: %w", path, err)
	}
	return x, nil
}

// qdrantOptions are the options for the index of this data directory on its server.
func qdrantOptions(cfg Config, log *slog.Logger) (qdrant.Options, error) {
	opt, err := qdrant.ParseURL(cfg.VectorURL)
	if err != nil {
		return opt, err // Validate has said so before
	}
	opt.Log = log
	opt.Installation, err = maintain.InstallationID(cfg.DataDir)
	return opt, err
}

// inspectIndex returns the indexed version of each document, and the damage of
// the index, without changing anything.
func inspectIndex(ctx context.Context, cfg Config, log *slog.Logger) (have map[assistants.DocumentID]assistants.Indexed, damage []string, err error) {
	if cfg.indexIsFile() {
		return embedded.Inspect(ctx, filepath.Join(cfg.DataDir, "index.db"))
	}
	opt, err := qdrantOptions(cfg, log)
	if err != nil {
		return nil, nil, err
	}
	if have, err = qdrant.Inspect(ctx, opt); err != nil {
		return nil, nil, fmt.Errorf("the index at %s cannot be read; see that it runs, and that --vector-url is right: %w", console.RedactURL(cfg.VectorURL), err)
	}
	return have, nil, nil
}
