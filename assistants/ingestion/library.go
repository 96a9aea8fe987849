package ingestion

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"footnote/assistants"
	"footnote/assistants/ingestion/extract"
)

const (
	// cleanupTime is how long cleaning up may take after the caller has gone.
	cleanupTime = 10 * time.Second
	// rowTime bounds the time between storing a blob and storing its row. After
	// sweepAge the sweep would treat the blob as an orphan.
	rowTime = 30 * time.Second
)

// An Upload is a file on its way in.
type Upload struct {
	// ID is the id of the document that Add makes, drawn beforehand so that it
	// can be found when Add's answer is lost; "": Add draws one. Replace does
	// not use it.
	ID         assistants.DocumentID
	Tenant     assistants.TenantID
	Collection assistants.CollectionID
	Name       string                // as the client sent it; see [CleanName]
	SourcePath string                // where it was ingested from, "" for uploads
	Parent     assistants.DocumentID // the mail it is attached to, "" for none
	Supersedes assistants.DocumentID // that it replaces, "" for none
	Labels     []string
	Tags       map[string]string
	Content    io.Reader
	MaxBytes   int64 // 0: no limit
	// If refuses to replace a document in the state that it is given. nil: none
	// is refused. Add does not use it.
	If func(assistants.Document) error
}

// defaultMaxQueue is how many documents may wait to be read.
const defaultMaxQueue = 10_000

// A Library takes documents in. It is safe for concurrent use.
type Library struct {
	documents DocumentStore
	blobs     Blobs
	notify    func()
	// Embedder is the worker's; nil: none. Documents that it could not embed
	// with the rest of their collection are refused.
	Embedder Embedder
	// MaxQueue is how many documents may wait to be read (default 10,000).
	MaxQueue int
	// Now is the clock; tests replace it.
	Now func() time.Time
}

// NewLibrary returns a Library that keeps documents in documents and their bytes
// in blobs. It calls notify, which must not block, whenever there is new work.
func NewLibrary(documents DocumentStore, blobs Blobs, notify func()) *Library {
	return &Library{documents: documents, blobs: blobs, notify: notify, Embedder: noEmbedder{}, MaxQueue: defaultMaxQueue, Now: time.Now}
}

// Add stores a new document and queues its ingestion; both are durable when it
// returns. If the collection already has a document with the same bytes, Add
// returns that document and duplicate true. If that document's file was lost,
// Add stores it again. Errors: assistants.ErrEmptyFile, ErrUnsupportedMedia (a
// FieldError that says what the file is), ErrTooLarge, ErrConflict (the source
// path is taken), ErrInvalid (it supersedes a document that is not there), ErrSpaceMismatch as [Library.Fits], ErrQueueFull,
// ErrUnavailable, and any error of reading the content.
func (l *Library) Add(ctx context.Context, u Upload) (d assistants.Document, duplicate bool, err error) {
	if err := l.admit(ctx, u.Tenant, u.Collection); err != nil {
		return assistants.Document{}, false, err
	}
	v, err := l.receive(ctx, u)
	if err != nil {
		return assistants.Document{}, false, err
	}
	now := l.Now().UTC()
	if v.DocumentID = u.ID; v.DocumentID == "" {
		v.DocumentID = assistants.NewDocumentID()
	}
	v.Number = 1
	d = assistants.Document{
		ID: v.DocumentID, TenantID: u.Tenant, CollectionID: u.Collection,
		Name: CleanName(u.Name), SourcePath: u.SourcePath, Parent: u.Parent, Status: assistants.StatusPending,
		Labels: u.Labels, Tags: u.Tags, Supersedes: u.Supersedes, Latest: 1, Version: v, CreatedAt: now, UpdatedAt: now,
	}
	writing, done := context.WithTimeout(ctx, rowTime)
	defer done()
	stored, duplicate, err := l.documents.CreateDocument(writing, d)
	return l.finishUpload(ctx, v, stored, duplicate, err)
}

// Replace stores a new version of a document and queues its ingestion; the
// live version answers until the new one is ready. If the latest version has the
// same bytes, Replace returns duplicate true and changes nothing. Collection, Name,
// SourcePath, Supersedes, Labels and Tags of the upload are not used, except the name's
// extension. Errors as Add, that of If, and assistants.ErrNotFound; ErrConflict here means
// that another document of the collection has these bytes.
func (l *Library) Replace(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID, u Upload) (d assistants.Document, duplicate bool, err error) {
	known, err := l.documents.Document(ctx, tenant, id)
	if err == nil {
		err = l.admit(ctx, tenant, known.CollectionID)
	}
	if err != nil {
		return assistants.Document{}, false, err
	}
	u.Tenant = tenant
	v, err := l.receive(ctx, u)
	if err != nil {
		return assistants.Document{}, false, err
	}
	v.DocumentID = id
	writing, done := context.WithTimeout(ctx, rowTime)
	defer done()
	stored, duplicate, err := l.documents.ReplaceFileIf(writing, tenant, id, v, u.If)
	return l.finishUpload(ctx, v, stored, duplicate, err)
}

// admit refuses an upload that could not be processed, before its content is read.
func (l *Library) admit(ctx context.Context, tenant assistants.TenantID, collection assistants.CollectionID) error {
	waiting, err := l.documents.CountJobs(ctx, assistants.JobIngest)
	if err != nil {
		return err
	}
	if waiting >= l.MaxQueue {
		return assistants.ErrQueueFull
	}
	return l.Fits(ctx, tenant, collection)
}

// Fits returns a FieldError of the kind ErrSpaceMismatch, with the remedy, if the
// embedder's space is not the collection's. It refuses nothing when the embedder
// is unavailable or not configured.
func (l *Library) Fits(ctx context.Context, tenant assistants.TenantID, collection assistants.CollectionID) error {
	found, err := l.documents.Collections(ctx, tenant, []assistants.CollectionID{collection})
	if err != nil || len(found) == 0 || found[0].Target().IsZero() {
		return err // other code reports a missing collection
	}
	asking, cancel := context.WithTimeout(ctx, spaceTimeout)
	defer cancel()
	space, err := l.Embedder.Space(asking)
	if err != nil || found[0].Takes(space) {
		return ctx.Err()
	}
	has := found[0].Target()
	return &assistants.FieldError{Kind: assistants.ErrSpaceMismatch, Message: fmt.Sprintf(
		"The documents of this assistant were embedded with %s (%d dimensions), and the server embeds with %s (%d dimensions) now. "+
			"POST /v1.0/collections/%s/reprocess embeds them anew; then try again.", has.Model, has.Dimensions, space.Model, space.Dimensions, collection)}
}

// receive checks the type of the content by its first bytes, then stores all of
// it durably.
func (l *Library) receive(ctx context.Context, u Upload) (assistants.Version, error) {
	src := &source{r: u.Content, left: u.MaxBytes, limited: u.MaxBytes > 0}
	buffered := bufio.NewReaderSize(src, extract.SniffLen)
	head, err := buffered.Peek(extract.SniffLen)
	if err != nil && !errors.Is(err, io.EOF) {
		return assistants.Version{}, fmt.Errorf("read the upload: %w", err)
	}
	if len(head) == 0 {
		return assistants.Version{}, assistants.ErrEmptyFile
	}
	contentType, supported := extract.Sniff(head, u.Name)
	if !supported {
		return assistants.Version{}, &assistants.FieldError{Kind: assistants.ErrUnsupportedMedia, Message: extract.Refusal(contentType, head)}
	}
	// The key says nothing about the name and cannot be guessed.
	key := string(u.Tenant) + "/" + strings.ToLower(rand.Text())
	size, sum, err := l.blobs.Put(ctx, key, buffered)
	if src.err != nil {
		// Reading the upload failed, not the store, even if the store wrapped the error.
		l.discard(ctx, key)
		return assistants.Version{}, fmt.Errorf("read the upload: %w", src.err)
	}
	if err != nil {
		l.discard(ctx, key)
		return assistants.Version{}, fmt.Errorf("store the upload: %w", err)
	}
	return assistants.Version{
		FileName: CleanName(u.Name), BlobKey: key, SHA256: sum, Bytes: size, ContentType: contentType, CreatedAt: l.Now().UTC(),
	}, nil
}

// finishUpload ends an upload whose bytes are stored as v. It deletes the blob
// when no row refers to it. If the transaction failed but the new document's row
// exists, the upload has succeeded. For a replacement this cannot be checked,
// because a look-up shows the live version and not the newest. Then finishUpload
// returns the error, and an unused blob is swept later.
func (l *Library) finishUpload(ctx context.Context, v assistants.Version, stored assistants.Document, duplicate bool, err error) (assistants.Document, bool, error) {
	switch {
	case err == nil && duplicate:
		defer l.discard(ctx, v.BlobKey)
		stored, err = l.restoreLostFile(ctx, v, stored)
		return stored, err == nil, err
	case err == nil:
		l.notify()
		return stored, false, nil
	case errors.Is(err, assistants.ErrConflict) || errors.Is(err, assistants.ErrNotFound) || errors.Is(err, assistants.ErrInvalid) || errors.Is(err, assistants.ErrStale):
		l.discard(ctx, v.BlobKey)
		return assistants.Document{}, false, err
	}
	return l.lookUp(ctx, v, err)
}

// restoreLostFile stores a document's file again if it was lost. The upload v has
// the same bytes.
func (l *Library) restoreLostFile(ctx context.Context, v assistants.Version, d assistants.Document) (assistants.Document, error) {
	twin := d.Version
	if twin.SHA256 != v.SHA256 { // it is not the live version
		var err error
		if twin, err = l.documents.Version(ctx, d.TenantID, d.ID, d.Latest); err != nil {
			return assistants.Document{}, err
		}
	}
	lost := d.Status == assistants.StatusFailed && d.Cause != nil && (*d.Cause == causeFileGone || *d.Cause == causeFileDamaged)
	file, size, err := l.blobs.Open(ctx, twin.BlobKey)
	if err == nil {
		err = file.Close()
	}
	switch {
	case errors.Is(err, assistants.ErrNotFound):
	case err != nil:
		return assistants.Document{}, fmt.Errorf("look at the stored file: %w", err)
	case size == twin.Bytes && !lost:
		return d, nil
	}
	if err := l.replaceBlob(ctx, twin, v.BlobKey); err != nil {
		return assistants.Document{}, err
	}
	if !lost {
		return d, nil
	}
	if d, err = l.documents.Reprocess(ctx, d.TenantID, d.ID); err != nil {
		return assistants.Document{}, err
	}
	l.notify()
	return d, nil
}

// replaceBlob overwrites a version's bytes with those of another key.
func (l *Library) replaceBlob(ctx context.Context, v assistants.Version, from string) error {
	source, _, err := l.blobs.Open(ctx, from)
	if err != nil {
		return fmt.Errorf("read the upload back: %w", err)
	}
	defer source.Close() //nolint:errcheck // only read from; Put compares nothing, the sum below does
	_, sum, err := l.blobs.Put(ctx, v.BlobKey, source)
	if err != nil {
		return fmt.Errorf("store the file again: %w", err)
	}
	if sum != v.SHA256 {
		return fmt.Errorf("the bytes read back have another sum: %w", assistants.ErrUnavailable)
	}
	return nil
}

// lookUp finds out whether a transaction with an unknown outcome was committed.
// If that stays unknown, it keeps the blob: an orphan costs space until it is
// swept, but a row without its bytes would lose the document.
func (l *Library) lookUp(ctx context.Context, v assistants.Version, failure error) (assistants.Document, bool, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTime)
	defer cancel()
	tenant := assistants.TenantID(v.BlobKey[:strings.LastIndexByte(v.BlobKey, '/')])
	stored, err := l.documents.Document(ctx, tenant, v.DocumentID)
	switch {
	case errors.Is(err, assistants.ErrNotFound) && !errors.Is(failure, assistants.ErrOutcomeUnknown):
		l.discard(ctx, v.BlobKey)
	case err != nil:
	case stored.Version.BlobKey == v.BlobKey:
		l.notify()
		return stored, false, nil
	case v.Number == 1:
		l.discard(ctx, v.BlobKey)
	}
	return assistants.Document{}, false, failure
}

// discard deletes a blob that nothing names, even when the caller has gone.
func (l *Library) discard(ctx context.Context, key string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTime)
	defer cancel()
	// What cannot be deleted now stays as an orphan, which the sweep removes.
	_ = l.blobs.Delete(ctx, key)
}

// source reads an upload up to its limit and keeps the first error.
type source struct {
	r       io.Reader
	left    int64
	limited bool
	err     error
}

func (s *source) Read(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	if s.limited && int64(len(p)) > s.left+1 {
		p = p[:s.left+1] // one byte more shows whether the limit is exceeded
	}
	n, err := s.r.Read(p)
	if s.limited {
		if int64(n) > s.left {
			n, err = int(s.left), assistants.ErrTooLarge
		}
		s.left -= int64(n)
	}
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}
