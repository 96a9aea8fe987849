package main

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"

	"footnote/assistants"
	"footnote/assistants/ingestion"
	"footnote/cmd/footnote/maintain"
	"footnote/proxy/links"
	"footnote/storage/blob"
)

// A documentStore keeps the bytes of documents: in the data directory, or on S3.
type documentStore interface {
	ingestion.Blobs
	ingestion.BlobLister
	ProbeWrite(ctx context.Context) error
	Close() error
}

var _, _ documentStore = (*blob.Disk)(nil), (*blob.S3)(nil)

// documentsAreFiles reports whether the documents are in the data directory.
func (c *Config) documentsAreFiles() bool { return c.BlobURL == "file:" }

// documentsKind names the store of documents for status, without its address.
func (c *Config) documentsKind() string {
	if c.documentsAreFiles() {
		return "file"
	}
	return "s3"
}

// validateDocuments reports what is wrong with the place of the documents.
func (c *Config) validateDocuments(report func(option, format string, args ...any)) {
	if !c.documentsAreFiles() {
		if !blob.IsS3URL(c.BlobURL) {
			report("blob_url", "It is neither file: (in the data directory) nor s3://bucket/prefix?region=….")
		} else if _, err := blob.ParseS3URL(c.BlobURL); err != nil {
			report("blob_url", "The URL cannot be used: %s.", err)
		}
	}
	if (c.S3AccessKeyID == "") != (c.S3SecretAccessKey == "") {
		report("s3_access_key_id", "An access key id and its secret belong together: set both FOOTNOTE_S3_ACCESS_KEY_ID and FOOTNOTE_S3_SECRET_ACCESS_KEY, or none for those of the AWS configuration.")
	}
}

// openS3 prepares the documents on S3, without asking the server.
func openS3(ctx context.Context, cfg Config) (*blob.S3, error) {
	location, err := blob.ParseS3URL(cfg.BlobURL)
	if err != nil {
		return nil, err // Validate has said so before
	}
	store, err := blob.NewS3(ctx, blob.S3Config{
		Location: location, AccessKeyID: string(cfg.S3AccessKeyID), SecretAccessKey: string(cfg.S3SecretAccessKey),
		SpoolDir: filepath.Join(cfg.DataDir, uploadsFolder),
	})
	if f, ok := errors.AsType[*assistants.FieldError](err); ok {
		return nil, Problems{{envPrefix + strings.ToUpper(f.Field), f.Message}}
	}
	return store, err
}

// openDocuments opens the store of documents, makes sure that the database belongs to
// it, and removes what interrupted uploads have left in it.
func openDocuments(ctx context.Context, cfg Config, log *slog.Logger, store maintain.ClaimStore) (documentStore, error) {
	if cfg.documentsAreFiles() {
		if err := maintain.Claim(ctx, cfg.maintenance(log), store); err != nil {
			return nil, err
		}
		return blob.OpenDisk(filepath.Join(cfg.DataDir, "documents"))
	}
	documents, err := openS3(ctx, cfg)
	if err != nil {
		return nil, err
	}
	if err := documents.Check(ctx); err != nil {
		return nil, err
	}
	if err := maintain.ClaimS3(ctx, cfg.maintenance(log), store, documents); err != nil {
		return nil, err
	}
	return documents, documents.RemoveLeftovers(ctx)
}

// presigner is the store of documents if it can sign links to itself, else nil.
func (a *app) presigner() links.Presigner {
	if signs, ok := a.blobs.(links.Presigner); ok {
		return signs
	}
	return nil
}
