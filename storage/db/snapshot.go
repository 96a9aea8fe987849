package db

import (
	"context"
	"errors"
	"fmt"

	"footnote/assistants"
)

// ErrNoSnapshot is returned by [Store.Snapshot] for databases with their own
// backup tools.
var ErrNoSnapshot = errors.New("this database is backed up with its own tools")

// Snapshot writes a consistent copy of the database into a new file, while other
// processes and this one may keep writing. Errors: [ErrNoSnapshot], and
// ErrUnavailable when the file cannot be written or the database is damaged.
func (s *Store) Snapshot(ctx context.Context, path string) error {
	if s.backend.name != "sqlite" {
		return fmt.Errorf("db: snapshot: %w", ErrNoSnapshot)
	}
	_, err := s.pool.ExecContext(ctx, "VACUUM INTO ?", path)
	return s.wrap(ctx, "snapshot", err)
}

// A BlobRef is a blob that a version of a document names.
type BlobRef struct {
	Key      string `gorm:"column:blob_key"` // key is a word of MySQL's language
	SHA256   string
	Bytes    int64
	Document assistants.DocumentID
	Name     string // the document's
}

// Blobs lists the blobs of all versions of all documents, ordered by key. A blob
// that several versions of a document share is listed once. It works on every
// version of the schema.
func (s *Store) Blobs(ctx context.Context) ([]BlobRef, error) {
	var refs []BlobRef
	err := s.read(ctx).Table("document_versions v").
		Distinct("v.blob_key AS blob_key, v.sha256 AS sha256, v.bytes AS bytes, v.document_id AS document, COALESCE(d.name, '') AS name").
		Joins("LEFT JOIN documents d ON d.id = v.document_id").
		Order("v.blob_key").Order("v.document_id").Scan(&refs).Error
	return refs, s.wrap(ctx, "blobs", err)
}

// Settled returns the revision of every document without open jobs. The index
// agrees with such a document as long as the revision does not change.
func (s *Store) Settled(ctx context.Context) (map[assistants.DocumentID]int64, error) {
	var rows []struct {
		ID       assistants.DocumentID
		Revision int64
	}
	err := s.read(ctx).Table("documents").Select("id, revision").
		Where("NOT EXISTS (SELECT 1 FROM jobs WHERE jobs.document_id = documents.id)").Scan(&rows).Error
	settled := make(map[assistants.DocumentID]int64, len(rows))
	for _, r := range rows {
		settled[r.ID] = r.Revision
	}
	return settled, s.wrap(ctx, "settled", err)
}

// CheckIntegrity runs SQLite's integrity check and returns the first problem as
// ErrUnavailable.
func (s *Store) CheckIntegrity(ctx context.Context) error {
	if s.backend.name != "sqlite" {
		return fmt.Errorf("db: check: %w", ErrNoSnapshot)
	}
	var found string
	err := s.pool.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&found)
	if err == nil && found != "ok" {
		err = fmt.Errorf("%w: the file is damaged: %s", assistants.ErrUnavailable, found)
	}
	return s.wrap(ctx, "check", err)
}
