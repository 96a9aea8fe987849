package blob

import (
	"context"
	"os"
)

// A Reader reads the blobs of a directory that another process may use. It changes
// nothing.
type Reader struct{ disk Disk }

// OpenReader opens a directory for reading. It returns ErrNotFound if there is none,
// and ErrUnavailable.
func OpenReader(dir string) (*Reader, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, wrap(context.Background(), "open", err)
	}
	return &Reader{Disk{root: root}}, nil
}

// Open is [Disk.Open].
func (r *Reader) Open(ctx context.Context, key string) (File, int64, error) {
	return r.disk.Open(ctx, key)
}

// Close is [Disk.Close].
func (r *Reader) Close() error { return r.disk.Close() }
