package blob

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"footnote/assistants"
)

// tempPrefix begins the names of files that are still being written. A key
// cannot begin with it.
const tempPrefix = ".tmp-"

// copyBuffer is the part of a file that is in memory while it is stored.
const copyBuffer = 128 << 10

// A Disk keeps blobs as files below one directory, a directory per tenant. It
// is safe for concurrent use; one process at a time may hold the directory.
type Disk struct {
	root    *os.Root
	durable sync.Map // tenants whose directories are durable
	// What Put does to the file system beyond reading, so that tests can make
	// each step fail.
	create  func(name string) (tempFile, error)
	rename  func(from, to string) error
	syncDir func(name string) error
}

// tempFile is what Put needs of a file it writes.
type tempFile interface {
	io.WriteCloser
	Sync() error
}

// OpenDisk opens the directory, creates it if necessary, and removes the files of
// interrupted writes. Errors wrap ErrUnavailable.
func OpenDisk(dir string) (*Disk, error) {
	ctx := context.Background()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, wrap(ctx, "open", err)
	}
	// The directory's own name is durable only once its parent is.
	parent, err := os.OpenRoot(filepath.Dir(dir))
	if err == nil {
		err = errors.Join(syncDir(parent, "."), parent.Close())
	}
	if err != nil {
		return nil, wrap(ctx, "open", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, wrap(ctx, "open", err)
	}
	d := newDisk(root)
	if err := d.RemoveLeftovers(ctx); err != nil {
		return nil, errors.Join(wrap(ctx, "open", err), root.Close())
	}
	return d, nil
}

func newDisk(root *os.Root) *Disk {
	return &Disk{
		root: root,
		create: func(name string) (tempFile, error) {
			return root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		},
		rename:  root.Rename,
		syncDir: func(name string) error { return syncDir(root, name) },
	}
}

// Close releases the directory. Open files stay open.
func (d *Disk) Close() error {
	if err := d.root.Close(); err != nil {
		return fmt.Errorf("blob: close: %w", err)
	}
	return nil
}

// Put stores the content of r under key and returns its size and its SHA-256 in
// lower-case hex. It replaces an existing blob in one step. A failed Put leaves
// nothing: an error of r is returned unchanged, an ended context as its error, a bad
// key as a FieldError, everything else as ErrUnavailable.
func (d *Disk) Put(ctx context.Context, key string, r io.Reader) (size int64, sum string, err error) {
	if err := CheckKey(key); err != nil {
		return 0, "", err
	}
	tenant, _ := path.Split(key)
	tenant = strings.TrimSuffix(tenant, "/")
	if err := d.makeDir(tenant); err != nil {
		return 0, "", wrapWrite(ctx, "put", err)
	}
	temp := tenant + "/" + tempPrefix + rand.Text()
	f, err := d.create(temp)
	if err != nil {
		return 0, "", wrapWrite(ctx, "put", err)
	}
	source := &reader{ctx: ctx, r: r}
	size, sum, err = fill(f, source)
	err = errors.Join(err, f.Close())
	if err == nil {
		err = d.rename(temp, key)
	}
	if err == nil {
		// The new name is durable only once its directory is.
		err = d.syncDir(tenant)
		if err != nil {
			temp = key
		}
	}
	if err != nil {
		err = d.discard(temp, err)
		if source.err != nil {
			return 0, "", source.err
		}
		return 0, "", wrapWrite(ctx, "put", err)
	}
	return size, sum, nil
}

// probeName is the file that [Disk.ProbeWrite] writes. It is outside the tenants' directories.
const probeName = ".probe"

// ProbeWrite checks that files can be stored, by storing one and removing it
// again. Calls must not overlap. Its errors wrap ErrUnavailable.
func (d *Disk) ProbeWrite(ctx context.Context) error {
	if err := d.root.Remove(probeName); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return wrapWrite(ctx, "probe", err) // left by a process that was killed
	}
	f, err := d.create(probeName)
	if err != nil {
		return wrapWrite(ctx, "probe", err)
	}
	_, err = f.Write([]byte("Can this be stored?\n"))
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return wrapWrite(ctx, "probe", d.discard(probeName, err))
	}
	return wrapWrite(ctx, "probe", d.root.Remove(probeName))
}

// fill writes everything to f and makes it durable.
func fill(f tempFile, r io.Reader) (int64, string, error) {
	hash := sha256.New()
	size, err := io.CopyBuffer(struct{ io.Writer }{io.MultiWriter(f, hash)}, r, make([]byte, copyBuffer))
	if err != nil {
		return 0, "", err
	}
	if err := f.Sync(); err != nil {
		return 0, "", err
	}
	return size, hex.EncodeToString(hash.Sum(nil)), nil
}

// discard removes a file after a failure and returns the failure.
func (d *Disk) discard(name string, failure error) error {
	if err := d.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(failure, err)
	}
	return failure
}

// Open opens a blob for reading and returns its size. It returns ErrNotFound if
// there is none.
func (d *Disk) Open(ctx context.Context, key string) (File, int64, error) {
	if err := CheckKey(key); err != nil {
		return nil, 0, err
	}
	if err := ctx.Err(); err != nil {
		return nil, 0, wrap(ctx, "open blob", err)
	}
	// Without this check, Open would follow a link and wait for a pipe.
	info, err := d.root.Lstat(key)
	if err != nil {
		return nil, 0, wrap(ctx, "open blob", err)
	}
	if !info.Mode().IsRegular() {
		return nil, 0, fmt.Errorf("blob: open blob: %w: not a regular file", assistants.ErrNotFound)
	}
	f, err := d.root.Open(key)
	if err != nil {
		return nil, 0, wrap(ctx, "open blob", err)
	}
	if info, err = f.Stat(); err != nil {
		return nil, 0, wrap(ctx, "open blob", errors.Join(err, f.Close()))
	}
	return f, info.Size(), nil
}

// Delete removes a blob; a blob that does not exist is not an error.
func (d *Disk) Delete(ctx context.Context, key string) error {
	if err := CheckKey(key); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return wrap(ctx, "delete", err)
	}
	if err := d.root.Remove(key); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return wrap(ctx, "delete", err)
	}
	return wrap(ctx, "delete", d.syncDir(path.Dir(key)))
}

// Each calls fn for every blob that was last written before a time, in no particular
// order, so that the caller can remove unused ones. fn may delete the blob. An error
// of fn ends the walk and is returned unchanged.
func (d *Disk) Each(ctx context.Context, before time.Time, fn func(key string) error) error {
	return d.walk(ctx, func(key string, info fs.FileInfo) error {
		if CheckKey(key) != nil || !info.Mode().IsRegular() || !info.ModTime().Before(before) {
			return nil //nolint:nilerr // a file whose name is not a key is not a blob
		}
		return fn(key)
	})
}

// walk calls fn for every file in the tenants' directories.
func (d *Disk) walk(ctx context.Context, fn func(name string, info fs.FileInfo) error) error {
	files := d.root.FS()
	tenants, err := fs.ReadDir(files, ".")
	if err != nil {
		return wrap(ctx, "list", err)
	}
	for _, t := range tenants {
		if !t.IsDir() {
			continue
		}
		entries, err := fs.ReadDir(files, t.Name())
		if err != nil {
			return wrap(ctx, "list", err)
		}
		for _, e := range entries {
			if err := ctx.Err(); err != nil {
				return wrap(ctx, "list", err)
			}
			info, err := e.Info()
			if errors.Is(err, fs.ErrNotExist) {
				continue // deleted since the directory was read
			}
			if err != nil {
				return wrap(ctx, "list", err)
			}
			if err := fn(t.Name()+"/"+e.Name(), info); err != nil {
				return err
			}
		}
	}
	return nil
}

// makeDir makes the directory of a tenant durable before anything is stored in it.
// An existing directory may not be durable yet: another call may have just created
// it, or failed to sync it.
func (d *Disk) makeDir(tenant string) error {
	err := d.root.Mkdir(tenant, 0o700)
	_, durable := d.durable.Load(tenant)
	switch {
	case err == nil:
	case !errors.Is(err, fs.ErrExist):
		return err
	case durable:
		return nil
	}
	if err := d.syncDir("."); err != nil {
		return err
	}
	d.durable.Store(tenant, true)
	return nil
}

func syncDir(root *os.Root, name string) error {
	dir, err := root.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// reader remembers the error of the source, to distinguish it from one of the disk,
// and ends with the context.
type reader struct {
	ctx context.Context
	r   io.Reader
	err error
}

func (r *reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := r.r.Read(p)
	if err != nil && err != io.EOF { //nolint:errorlint // a reader's end is io.EOF itself
		r.err = err
	}
	return n, err
}
