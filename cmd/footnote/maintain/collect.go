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
	// list returns the files that the database names now.
	list func(ctx context.Context) ([]db.BlobRef, error)
	// snapshot copies the database, in place of the last copy, and returns the files
	// that the new copy names.
	snapshot func(ctx context.Context) ([]db.BlobRef, error)
	open     func(ctx context.Context, key string) (blob.File, int64, error)
	// For the progress bar: how many bytes are to come, and how many were read.
	expect, onRead func(n int64)

	saved map[string]savedFile // by key
}

// A savedFile describes a file as it was saved, or why it could not be.
type savedFile struct {
	bytes   int64
	sum     string
	problem string
}

// A summary describes the files that the last snapshot of the database names.
type summary struct {
	documents int
	bytes     int64
	damaged   []archive.Damage
}

func entryOf(key string) string { return folderDocuments + "/" + key }

// run first copies the files that the database names now, which may take long. Only
// then does it make the snapshot, so that few files are new in it. beforeSnapshot
// is called once between the two.
func (c *collector) run(ctx context.Context, beforeSnapshot func() error) (summary, error) {
	c.saved = map[string]savedFile{}
	refs, err := c.list(ctx)
	if err != nil {
		return summary{}, err
	}
	missing, err := c.copy(ctx, refs)
	if err != nil {
		return summary{}, err
	}
	if err := beforeSnapshot(); err != nil {
		return summary{}, err
	}
	for range snapshotRounds {
		if refs, err = c.snapshot(ctx); err != nil {
			return summary{}, err
		}
		for _, ref := range refs {
			if missing[ref.Key] { // still named by a copy that was made after the file was missing, so not deleted meanwhile
				c.saved[ref.Key] = savedFile{problem: problemMissing}
			}
		}
		if missing, err = c.copy(ctx, refs); err != nil {
			return summary{}, err
		}
		if len(missing) == 0 {
			return c.summarize(refs), nil
		}
	}
	return summary{}, errors.New("documents are deleted faster than they can be copied; try again when fewer change")
}

// copy adds the files that are not in the archive yet and returns those that storage
// does not have.
func (c *collector) copy(ctx context.Context, refs []db.BlobRef) (missing map[string]bool, err error) {
	missing = map[string]bool{}
	c.expect(c.missingBytes(refs))
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

// missingBytes returns how many bytes of the files are not in the archive.
func (c *collector) missingBytes(refs []db.BlobRef) (n int64) {
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
	saved.sum, err = c.archive.Add(entryOf(key), size, &watchedReader{ctx, f, c.onRead})
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

// summarize compares the files in the archive with what the database says about
// them.
func (c *collector) summarize(refs []db.BlobRef) (out summary) {
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
			c.archive.MarkUnused(entryOf(key))
		}
	}
	out.documents = len(documents)
	return out
}

// A watchedReader ends with its context and reports the bytes that it reads.
type watchedReader struct {
	ctx    context.Context
	r      io.Reader
	onRead func(n int64)
}

func (r *watchedReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := r.r.Read(p)
	r.onRead(int64(n))
	return n, err
}
