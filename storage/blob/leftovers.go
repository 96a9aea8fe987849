package blob

import (
	"context"
	"io/fs"
	"os"
	"path"
	"strings"
)

// OpenDiskAsIs is [OpenDisk] for inspection: it creates nothing and keeps the files
// of interrupted writes.
func OpenDiskAsIs(dir string) (*Disk, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, wrap(context.Background(), "open", err)
	}
	return newDisk(root), nil
}

// Leftovers calls fn for every file that an interrupted write left behind.
func (d *Disk) Leftovers(ctx context.Context, fn func(name string) error) error {
	return d.walk(ctx, func(name string, info fs.FileInfo) error {
		if !strings.HasPrefix(path.Base(name), tempPrefix) || !info.Mode().IsRegular() {
			return nil
		}
		return fn(name)
	})
}

// RemoveLeftovers removes the files of interrupted writes. No write may run
// meanwhile.
func (d *Disk) RemoveLeftovers(ctx context.Context) error {
	return d.Leftovers(ctx, d.root.Remove)
}
