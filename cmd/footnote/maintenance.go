package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"footnote/assistants"
	"footnote/cmd/footnote/maintain"
	"footnote/storage/blob"
	"footnote/storage/vector/embedded"
	"footnote/storage/vector/qdrant"
)

// maintenance is what the commands that work without a server need to know.
func (c *Config) maintenance(log *slog.Logger) maintain.Config {
	return maintain.Config{
		DataDir: c.DataDir, DatabaseURL: c.databaseURL(), BlobURL: c.BlobURL, VectorURL: c.VectorURL, SecretKeySet: c.SecretKey != "", Log: log,
		InspectIndex: func(ctx context.Context) (map[assistants.DocumentID]assistants.Indexed, []string, error) {
			return inspectIndex(ctx, *c, log)
		},
		OpenIndex:   func() (maintain.Index, error) { return openIndex(*c, log, nil) },
		OpenVectors: func(ctx context.Context) (maintain.Vectors, error) { return openVectors(ctx, *c, log) },
		OpenBlobs:   func(ctx context.Context) (maintain.Blobs, error) { return openBlobsAsIs(ctx, *c) },
		At:          func(t maintain.Target) (maintain.Config, error) { return c.at(t, log) },
	}
}

// at is the configuration of a copy.
func (c *Config) at(t maintain.Target, log *slog.Logger) (maintain.Config, error) {
	to := *c
	for _, named := range []struct {
		url    string
		option *string
	}{{t.DataDir, &to.DataDir}, {t.Database, &to.DatabaseURL}, {t.Blob, &to.BlobURL}, {t.Vector, &to.VectorURL}} {
		if named.url != "" {
			*named.option = named.url
		}
	}
	if problems := to.Validate(); len(problems) > 0 {
		for n, p := range problems {
			problems[n].Option = toFlags.Replace(p.Option)
		}
		return maintain.Config{}, problems
	}
	return to.maintenance(log), nil
}

// toFlags names the flags of a copy for the options whose values they replace.
var toFlags = strings.NewReplacer(
	"FOOTNOTE_DATA_DIR", "--to-data-dir", "FOOTNOTE_DATABASE_URL", "--to-database", "FOOTNOTE_BLOB_URL", "--to-blob", "FOOTNOTE_VECTOR_URL", "--to-vector",
)

// openBlobsAsIs opens the store of the documents' files and changes nothing in it. If
// that is on S3 and cannot be read, the error says what to do.
func openBlobsAsIs(ctx context.Context, cfg Config) (maintain.Blobs, error) {
	if !cfg.documentsAreFiles() {
		documents, err := openS3(ctx, cfg)
		if err != nil {
			return nil, err
		}
		if err := documents.CheckReading(ctx); err != nil {
			return nil, errors.Join(err, documents.Close())
		}
		return documents, nil
	}
	dir := filepath.Join(cfg.DataDir, "documents")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return blob.OpenDiskAsIs(dir)
}

// openVectors opens the index to read its vectors.
func openVectors(ctx context.Context, cfg Config, log *slog.Logger) (maintain.Vectors, error) {
	if cfg.indexIsFile() {
		return embedded.OpenReader(filepath.Join(cfg.DataDir, "index.db"))
	}
	opt, err := qdrantOptions(cfg, log)
	if err != nil {
		return nil, err
	}
	return qdrant.OpenReader(ctx, opt)
}
