package maintain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"footnote/assistants"
	"footnote/storage/archive"
	"footnote/storage/blob"
	"footnote/storage/db"
)

// snapshotRounds bounds how often the database is copied again because documents
// were deleted during the backup. Each round only copies the files that are new
// since the last, so two rounds are usually enough.
const snapshotRounds = 20

// Problems that a stored file can have.
const (
	problemMissing    = "is missing"
	problemUnreadable = "cannot be read"
	problemAltered    = "is not the file that was stored"
)

// A collector brings the files of documents into an archive until there is a
// snapshot of the database with all of its files in the archive. It does not block
// the server: documents come and go meanwhile. A file never changes once a row names
// it, and is deleted only after the rows that name it.
type collector struct {
	archive *archive.Writer
	// list names the files that the database knows now; snapshot those of a new
	// copy of it, which takes the place of the one before.
	list     func(ctx context.Context) ([]db.BlobRef, error)
	snapshot func(ctx context.Context) ([]db.BlobRef, error)
	open     func(ctx context.Context, key string) (blob.File, int64, error)
	// For the progress bar: how many bytes are to come, and how many were read.
	expect, seen func(n int64)

	saved map[string]savedFile // by key
}

// A savedFile is what became of a file.
type savedFile struct {
	bytes   int64
	sum     string
	problem string
}

// A collected says what the last snapshot of the database needs.
type collected struct {
	documents int
	bytes     int64
	damaged   []archive.Damage
}

func entryOf(key string) string { return folderDocuments + "/" + key }

// run copies first what there is, which takes its time, and then makes the
// snapshot, so that little has changed under it.
func (c *collector) run(ctx context.Context, before func() error) (collected, error) {
	c.saved = map[string]savedFile{}
	refs, err := c.list(ctx)
	if err != nil {
		return collected{}, err
	}
	missing, err := c.copy(ctx, refs)
	if err != nil {
		return collected{}, err
	}
	if err := before(); err != nil {
		return collected{}, err
	}
	for range snapshotRounds {
		if refs, err = c.snapshot(ctx); err != nil {
			return collected{}, err
		}
		for _, ref := range refs {
			if missing[ref.Key] { // this copy of the database still names it, although it was gone before
				c.saved[ref.Key] = savedFile{problem: problemMissing}
			}
		}
		if missing, err = c.copy(ctx, refs); err != nil {
			return collected{}, err
		}
		if len(missing) == 0 {
			return c.sum(refs), nil
		}
	}
	return collected{}, errors.New("documents are deleted faster than they can be copied; try again when fewer change")
}

// copy brings the files that are not in the archive into it and returns those
// that are not there.
func (c *collector) copy(ctx context.Context, refs []db.BlobRef) (missing map[string]bool, err error) {
	missing = map[string]bool{}
	c.expect(c.lacking(refs))
	for _, ref := range refs {
		if _, ok := c.saved[ref.Key]; ok {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		f, size, err := c.open(ctx, ref.Key)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(err, fs.ErrPermission):
			return nil, fmt.Errorf("the documents cannot be read; run this as the user of the server: %w", err)
		case errors.Is(err, assistants.ErrNotFound):
			missing[ref.Key] = true
			continue
		case err != nil:
			c.saved[ref.Key] = savedFile{problem: problemUnreadable}
			continue
		}
		if err := errors.Join(c.add(ctx, ref.Key, size, f), f.Close()); err != nil {
			return nil, err
		}
	}
	return missing, nil
}

// lacking is how many bytes of the files are not in the archive.
func (c *collector) lacking(refs []db.BlobRef) (n int64) {
	for _, ref := range refs {
		if _, ok := c.saved[ref.Key]; !ok {
			n += ref.Bytes
		}
	}
	return n
}

func (c *collector) add(ctx context.Context, key string, size int64, f io.Reader) error {
	saved := savedFile{bytes: size}
	var err error
	saved.sum, err = c.archive.Add(entryOf(key), size, &watchedReader{ctx, f, c.seen})
	var unread *archive.ReadError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &unread):
		saved.problem = problemUnreadable
	case err != nil:
		return err
	}
	c.saved[key] = saved
	return nil
}

// sum compares what is in the archive with what the database says of it.
func (c *collector) sum(refs []db.BlobRef) (out collected) {
	named := make(map[string]bool, len(refs))
	documents := map[assistants.DocumentID]bool{}
	for _, ref := range refs {
		named[ref.Key], documents[ref.Document] = true, true
		s := c.saved[ref.Key]
		if s.problem == "" && (s.bytes != ref.Bytes || s.sum != ref.SHA256) {
			s.problem = problemAltered
		}
		out.bytes += s.bytes
		if s.problem != "" {
			out.damaged = append(out.damaged, archive.Damage{
				Document: string(ref.Document), Name: ref.Name, Entry: entryOf(ref.Key), Problem: s.problem,
			})
		}
	}
	for key := range c.saved {
		if !named[key] {
			c.archive.Unused(entryOf(key))
		}
	}
	out.documents = len(documents)
	return out
}

// A watchedReader ends with its context and reports the bytes that it reads.
type watchedReader struct {
	ctx  context.Context
	r    io.Reader
	seen func(n int64)
}

func (r *watchedReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := r.r.Read(p)
	r.seen(int64(n))
	return n, err
}
