package maintain

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"footnote/assistants"
	"footnote/assistants/ingestion"
	"footnote/cmd/footnote/console"
	"footnote/storage/db"
)

// folderModels holds the weights of the built-in embedders.
const folderModels = "models"

// copyDataDir copies the small files of the data directory and the embedder's weights.
func (c *copyRun) copyDataDir(context.Context) error {
	if !c.plan.dataDir {
		return nil
	}
	if err := c.writeInstallation(); err != nil {
		return err
	}
	if err := c.copySecret(); err != nil {
		return err
	}
	weights, err := os.ReadDir(filepath.Join(c.from.DataDir, folderModels))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = os.MkdirAll(filepath.Join(c.to.DataDir, folderModels), 0o700)
	}
	if err != nil {
		return err
	}
	for _, e := range weights {
		name := filepath.Join(folderModels, e.Name())
		if !e.Type().IsRegular() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if err := copyOnce(filepath.Join(c.from.DataDir, name), filepath.Join(c.to.DataDir, name)); err != nil {
			return err
		}
	}
	return nil
}

// writeInstallation writes the id of the installation into the data directory of the copy,
// and whether its documents are there.
func (c *copyRun) writeInstallation() error {
	id := c.id
	if c.to.BlobURL != "file:" {
		id += markS3
	}
	return WriteFile(filepath.Join(c.to.DataDir, fileInstallation), []byte(id+"\n"))
}

// copySecret copies the secret, unless the configuration has it.
func (c *copyRun) copySecret() error {
	content, err := os.ReadFile(filepath.Join(c.from.DataDir, FileSecret))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	path := filepath.Join(c.to.DataDir, FileSecret)
	there, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return WriteFile(path, content)
	case err == nil && string(there) != string(content):
		return fmt.Errorf("%s is there already and is another secret: links and stored keys would be lost; choose an empty directory with --to-data-dir", path)
	}
	return err
}

// copyOnce copies a file unless its copy is there.
func copyOnce(from, to string) error {
	have, errHave := os.Stat(to)
	want, err := os.Stat(from)
	if err != nil {
		return err
	}
	if errHave == nil && have.Size() == want.Size() {
		return nil
	}
	part := to + ".part"
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := copyFile(from, part); err != nil {
		return err
	}
	return os.Rename(part, to)
}

// copyBlobs copies the files of all versions of all documents.
func (c *copyRun) copyBlobs(ctx context.Context) (err error) {
	if !c.plan.blobs {
		return nil
	}
	from, err := c.from.OpenBlobs(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	to, err := c.to.OpenBlobs(ctx)
	if err != nil {
		return fmt.Errorf("the store of the documents cannot be used; correct --to-blob: %w", err)
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	if err := c.claimBlobs(ctx, to); err != nil {
		return err
	}
	if err := c.checkBlobs(ctx, to); err != nil {
		return err
	}
	refs, err := c.store.Blobs(ctx)
	if err != nil {
		return err
	}
	var total int64
	for _, ref := range refs {
		total += ref.Bytes
	}
	bar := c.p.bytesBar("copying documents", total)
	defer bar.end()
	files, bytes, last := 0, int64(0), ""
	for _, ref := range refs {
		if ref.Key == last {
			continue
		}
		last = ref.Key
		n, problem, err := copyBlob(ctx, from, to, ref, bar)
		if err != nil {
			return fmt.Errorf("the file of the document %q (%s) was not copied; the same command goes on: %w", ref.Name, ref.Document, err)
		}
		if problem != "" {
			c.problems[ref.Document] = true
			fmt.Fprintf(c.p.Err, "damaged  %s (%s): its file %s\n", ref.Name, ref.Document, problem)
		}
		if n >= 0 {
			files, bytes = files+1, bytes+n
		}
	}
	bar.end()
	if c.to.BlobURL == "file:" && !c.plan.dataDir { // they were on S3, as the file says
		if err := c.writeInstallation(); err != nil {
			return err
		}
	}
	fmt.Fprintf(c.p.Out, "documents: %s, %s\n", console.Plural(files, "file"), humanize.IBytes(uint64(bytes)))
	return nil
}

// A probedStore can try beforehand all that a copy does.
type probedStore interface {
	// Check returns an error that says what to do.
	Check(ctx context.Context) error
}

// checkTargetBucket returns an error with its remedy if documents shall be copied to S3
// and cannot be written there.
func (c *copyRun) checkTargetBucket(ctx context.Context) error {
	if !c.plan.blobs || c.to.BlobURL == "file:" {
		return nil
	}
	to, err := c.to.OpenBlobs(ctx)
	if err == nil {
		if probed, ok := to.(probedStore); ok {
			err = probed.Check(ctx)
		}
		err = errors.Join(err, to.Close())
	}
	if err != nil {
		return fmt.Errorf("the store of the documents cannot be used; correct --to-blob, which counts instead of FOOTNOTE_BLOB_URL, or the keys: %w", err)
	}
	return nil
}

// claimBlobs makes a store that keeps the id of its installation that of the copy. It
// refuses the store of another.
func (c *copyRun) claimBlobs(ctx context.Context, to Blobs) error {
	owned, ok := to.(OwnedStore)
	if !ok {
		return nil
	}
	err := owned.SetOwner(ctx, c.id)
	if !errors.Is(err, assistants.ErrConflict) {
		return err
	}
	owner, err := owned.Owner(ctx)
	if err == nil && owner != c.id {
		err = errors.New("the store of the documents is that of another installation; name another place with --to-blob")
	}
	return err
}

// checkBlobs refuses a store with the files of others, and removes what a killed copy
// left there.
func (c *copyRun) checkBlobs(ctx context.Context, to Blobs) error {
	var keys []string
	refuseUnknown := func() error {
		unknown, err := c.store.UnknownBlobs(ctx, keys)
		keys = keys[:0]
		if err == nil && len(unknown) > 0 {
			err = fmt.Errorf("the store of the documents is not empty: it has files that no document of the source has, such as %s; name another place with --to-blob or --to-data-dir", unknown[0])
		}
		return err
	}
	const atOnce = 500
	err := to.Each(ctx, time.Unix(1<<40, 0), func(key string) error {
		if keys = append(keys, key); len(keys) < atOnce {
			return nil
		}
		return refuseUnknown()
	})
	if err == nil {
		err = refuseUnknown()
	}
	if err != nil {
		return err
	}
	return to.RemoveLeftovers(ctx)
}

// copyBlob copies a file and compares it with what was uploaded. It returns its size, -1
// for a file that was not copied, and what is wrong with the file at the source.
func copyBlob(ctx context.Context, from, to Blobs, ref db.BlobRef, bar *bar) (size int64, problem string, err error) {
	f, size, err := from.Open(ctx, ref.Key)
	if errors.Is(err, assistants.ErrNotFound) {
		return -1, "is missing", nil
	}
	if err != nil {
		return -1, "", err
	}
	defer f.Close() //nolint:errcheck // only read from
	there, have, err := to.Open(ctx, ref.Key)
	if err == nil {
		err = there.Close()
	} else if errors.Is(err, assistants.ErrNotFound) {
		have, err = -1, nil
	}
	if err != nil {
		return -1, "", err
	}
	source := &failingReader{r: &watchedReader{ctx, f, func(n int64) { bar.add(int(n)) }}}
	var sum string
	if have == size { // it was copied before: files appear when they are whole, and the check at the end reads them
		sum, err = sumOf(source)
	} else {
		_, sum, err = to.Put(ctx, ref.Key, source)
	}
	switch {
	case err != nil && source.err != nil && ctx.Err() == nil:
		return -1, "cannot be read", nil //nolint:nilerr // that is the problem
	case err != nil:
		return -1, "", err
	case sum != ref.SHA256:
		return size, "has other bytes than were uploaded", nil
	}
	return size, "", nil
}

// sumOf is the SHA-256 of what a reader has.
func sumOf(r io.Reader) (string, error) {
	hash := sha256.New()
	_, err := io.Copy(hash, r)
	return hex.EncodeToString(hash.Sum(nil)), err
}

// A failingReader remembers the error of the source.
type failingReader struct {
	r   io.Reader
	err error
}

func (r *failingReader) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	if err != nil && err != io.EOF { //nolint:errorlint // a reader's end is io.EOF itself
		r.err = err
	}
	return n, err
}

// check compares the stores of the copy with each other, and reads every file back.
func (c *copyRun) check(ctx context.Context) (err error) {
	blobs, err := c.to.OpenBlobs(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, blobs.Close()) }()
	indexed, damage, err := c.to.InspectIndex(ctx)
	if err != nil {
		return err
	}
	total, err := countDocuments(ctx, c.store)
	if err != nil {
		return err
	}
	bar := c.p.countBar("checking the copy", total)
	defer bar.end()
	broken := 0
	checker := ingestion.Checker{
		Store: c.store, Blobs: blobs, Index: indexed, IndexDamage: damage, Deep: c.plan.blobs, Progress: func() { bar.add(1) },
		Report: func(f ingestion.Finding) {
			switch c.judge(f) {
			case unimportant:
				return
			case inherited:
				c.inherited++
			case ofCopy:
				broken++
			}
			bar.end()
			fmt.Fprintf(c.p.Err, "%s %s %s\n", f.Kind, f.ID, f.Message)
		},
	}
	if _, err := checker.Run(ctx); err != nil {
		return err
	}
	if broken > 0 {
		return fmt.Errorf("the copy is not whole: %s above; remove what is damaged there, and run the same command again", console.Plural(broken, "finding"))
	}
	return nil
}

// A judgement says what a finding in the copy means.
type judgement int

const (
	unimportant judgement = iota // the start of a server mends it, or it was said before
	inherited                    // the same is at the source
	ofCopy                       // the copy is damaged
)

// judge tells what was wrong before from what the copy has made wrong. Rows were compared
// with the source before. A store that is not copied is as the source's server left it.
func (c *copyRun) judge(f ingestion.Finding) judgement {
	copied := true
	switch f.Kind {
	case ingestion.FoundVectorsDiffer: // the copying of the index has told of them
		return unimportant
	case ingestion.FoundFileMissing, ingestion.FoundFileDamaged:
		if c.problems[assistants.DocumentID(f.ID)] {
			return unimportant
		}
		if !c.plan.blobs {
			return inherited
		}
	case ingestion.FoundLeftover, ingestion.FoundFileWithoutVersion:
		copied = c.plan.blobs
	case ingestion.FoundIndexDiffers, ingestion.FoundIndexDamaged:
		copied = c.plan.index
	default:
		return inherited
	}
	if copied {
		return ofCopy
	}
	return unimportant
}
