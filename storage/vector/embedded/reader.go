package embedded

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"footnote/assistants"
)

// A Reader reads the vectors of an index that no process has open. It changes nothing.
type Reader struct{ db *sql.DB } // nil: there is no file

// OpenReader opens the index in the file at path for reading. A missing file has no
// vectors. The error wraps ErrUnavailable.
func OpenReader(path string) (*Reader, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return &Reader{}, nil
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	name := url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(abs), RawQuery: "mode=ro&_pragma=busy_timeout(5000)&_pragma=query_only(1)"}
	db, err := sql.Open("sqlite", name.String())
	if err != nil {
		return nil, fmt.Errorf("index: open: %w: %w", assistants.ErrUnavailable, err)
	}
	return &Reader{db}, nil
}

// Vectors returns the vectors of a document's version in a space, in the order of
// [Index.Apply]. There are none if the index lacks them, or if they are damaged. The
// error wraps ErrUnavailable.
func (r *Reader) Vectors(ctx context.Context, id assistants.DocumentID, version int, space assistants.Space) ([][]float32, error) {
	if r.db == nil {
		return nil, nil
	}
	v := vectors{space: space}
	var sum int64 // wider than a checksum: a damaged cell may hold anything
	var blob []byte
	err := r.db.QueryRowContext(ctx, "SELECT version, checksum, vectors FROM vectors WHERE key = ?", vectorsRow(id, space).key).Scan(&v.version, &sum, &blob)
	switch {
	case err == nil:
		if v.version == version && int64(v.checksum(id, blob)) == sum && v.decode(blob) == nil {
			return v.values, nil
		}
		return nil, nil
	case errors.Is(err, sql.ErrNoRows) || isDamage(err):
		return nil, nil
	case ctx.Err() != nil:
		err = ctx.Err()
	default:
		err = errors.Join(assistants.ErrUnavailable, err)
	}
	return nil, fmt.Errorf("index: vectors: %w", err)
}

// Close releases the file.
func (r *Reader) Close() error {
	if r.db == nil {
		return nil
	}
	return r.db.Close()
}
