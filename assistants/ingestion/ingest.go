package ingestion

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"footnote/assistants"
	"footnote/assistants/ingestion/extract"
	"footnote/assistants/ingestion/sandbox"
)

const (
	// maxCrashes is how many processes may die while they work on a document.
	// After that the document is assumed to be the cause.
	maxCrashes = 3
	// maxAttempts is how many attempts may fail for an unknown reason. Attempts
	// that find the store unavailable do not count.
	maxAttempts = 8
	// progressEvery is the least time between two reports of progress.
	progressEvery = time.Second
)

// Causes of failures outside the reader of a document.
var (
	causeParserFailed = assistants.Cause{Code: assistants.CodeParserFailed, Message: "The document could not be processed."}
	causeCrashes      = assistants.Cause{Code: assistants.CodeParserFailed, Message: "The server stopped several times while it worked on this document."}
	causeInterrupted  = assistants.Cause{Code: assistants.CodeParserFailed, Message: "The server stopped while it worked on this document; it is tried again."}
	causeNoRoom       = assistants.Cause{Code: assistants.CodeParserFailed,
		Message: "The document's collection is full. Delete documents that are no longer needed, then reprocess this one."}
	causeFileGone = assistants.Cause{Code: assistants.CodeUnreadable, Message: "The stored file is missing. Upload it again."}
)

// ingest brings a version into the index. If the document fails for good, the job is
// done and ingest returns nil; an error means that the job must be tried again.
func (w *Worker) ingest(ctx context.Context, job assistants.Job) error {
	_, dropped := w.outages.LoadAndDelete(job.ID)
	d, err := w.store.Document(ctx, job.TenantID, job.DocumentID)
	switch {
	case isObsolete(err):
		return nil // deleted; its purge cleans up
	case err != nil:
		return fmt.Errorf("look up the document: %w", err)
	case d.Latest != job.Version || d.Status == assistants.StatusFailed:
		return w.abandon(ctx, job)
	case d.Status == assistants.StatusReady || d.Status == assistants.StatusEmbedding:
		return nil // an attempt finished the work and died before it could finish the job
	case d.Live == job.Version:
		return w.reprocessLive(ctx, job)
	case d.Status != assistants.StatusPending:
		done, err := w.interrupted(ctx, job, d, dropped)
		switch {
		case isObsolete(err):
			return w.abandon(ctx, job)
		case done || err != nil:
			return err
		}
	}
	a := attempt{Worker: w, job: job, document: d}
	err = a.run(ctx)
	var bad *extract.Error
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &bad): // the document's fault, even if it wraps another error
		w.cfg.Log.Info("document failed", "document", d.ID, "code", bad.Code, "error", err)
		return w.fail(ctx, job, a.progress, causeOf(bad))
	case isObsolete(err):
		return w.abandon(ctx, job)
	case !errors.Is(err, assistants.ErrUnavailable) && job.Attempt >= maxAttempts:
		w.cfg.Log.Error("document failed", "document", d.ID, "error", err)
		return w.fail(ctx, job, a.progress, causeOfStore(err))
	}
	return err
}

// reprocessLive queues the live version's bytes as a new version, which has a job
// of its own. Older programs queued the live version itself. Reading it in place
// would change its passages while the index still has the old ones.
func (w *Worker) reprocessLive(ctx context.Context, job assistants.Job) error {
	_, err := w.store.Reprocess(ctx, job.TenantID, job.DocumentID)
	if err != nil && !isObsolete(err) {
		return fmt.Errorf("queue the document as a version of its own: %w", err)
	}
	return nil
}

// interrupted handles a version that was being processed when its process died.
// The document's log counts how often that happened since the version was last
// queued afresh; done is true when it was once too often. If this process
// dropped the job itself, nothing died.
func (w *Worker) interrupted(ctx context.Context, job assistants.Job, d assistants.Document, dropped bool) (done bool, err error) {
	if dropped {
		err := w.store.SetStatus(ctx, job.Ref(), assistants.StatusPending, assistants.Progress{}, nil)
		if err != nil {
			return false, fmt.Errorf("queue the document again: %w", err)
		}
		return false, nil
	}
	log, err := w.store.DocumentLog(ctx, job.TenantID, job.DocumentID)
	if err != nil {
		return false, fmt.Errorf("read the document's log: %w", err)
	}
	crashes := 1
	for _, e := range log {
		switch {
		case e.Version != job.Version || e.Status != assistants.StatusPending:
		case e.Cause != nil:
			crashes++
		default:
			crashes = 1
		}
	}
	if crashes >= maxCrashes {
		return true, w.fail(ctx, job, d.Progress, causeCrashes)
	}
	w.cfg.Log.Warn("document was being processed when the server died", "document", d.ID, "times", crashes)
	err = w.store.SetStatus(ctx, job.Ref(), assistants.StatusPending, assistants.Progress{}, &causeInterrupted)
	if err != nil {
		return false, fmt.Errorf("record the interruption: %w", err)
	}
	return false, nil
}

// fail records why a version failed.
func (w *Worker) fail(ctx context.Context, job assistants.Job, p assistants.Progress, cause assistants.Cause) error {
	err := w.store.SetStatus(ctx, job.Ref(), assistants.StatusFailed, p, &cause)
	if err != nil && !isObsolete(err) {
		return fmt.Errorf("record the failure: %w", err)
	}
	return w.abandon(ctx, job)
}

// abandon ends a failed or obsolete job. It restores the document's live version in
// the index if an attempt has changed it, and removes a deleted document.
func (w *Worker) abandon(ctx context.Context, job assistants.Job) error {
	defer w.documents.lock(job.DocumentID)()
	d, err := w.store.Document(ctx, job.TenantID, job.DocumentID)
	switch {
	case errors.Is(err, assistants.ErrNotFound):
		return w.remove(ctx, job.DocumentID)
	case err != nil:
		return fmt.Errorf("look up the document: %w", err)
	}
	if w.unpublished.has(job.DocumentID) { // restoring an unchanged entry would drop its vectors
		if err := w.restore(ctx, job.TenantID, job.DocumentID); err != nil {
			return err
		}
	}
	return w.embedIfMissing(ctx, d) // the live version's embedding job may have ended when the newer version arrived
}

func causeOf(e *extract.Error) assistants.Cause {
	switch e.Code {
	case assistants.CodeUnreadable, assistants.CodeEncrypted, assistants.CodeTooComplex, assistants.CodeNoText, assistants.CodeParserFailed:
		return assistants.Cause{Code: e.Code, Message: e.Message}
	}
	return causeParserFailed
}

// causeOfStore explains a failure to store a version.
func causeOfStore(err error) assistants.Cause {
	if errors.Is(err, assistants.ErrTooLarge) {
		return causeNoRoom
	}
	return causeParserFailed
}

// An attempt processes one version, from its file to the index.
type attempt struct {
	*Worker
	job      assistants.Job
	document assistants.Document
	progress assistants.Progress
	reported time.Time // when progress was last reported
}

func (a *attempt) run(ctx context.Context) error {
	if err := a.status(ctx, assistants.StatusExtracting); err != nil {
		return err
	}
	doc, err := a.read(ctx)
	if err != nil {
		return err
	}
	if doc.OCR {
		a.cfg.Log.Info("document holds scanned pages, which were read by text recognition", "document", a.document.ID)
	}
	if doc.Unread > 0 {
		a.cfg.Log.Warn("document has pages that could not be read", "document", a.document.ID, "unread", doc.Unread, "pages", len(doc.Pages))
	}
	if err := a.record(ctx, assistants.StatusChunking, assistants.UnreadPages(doc.Unread, len(doc.Pages))); err != nil {
		return err
	}
	text, chunks := passages(a.job, doc, a.cfg.Chunks)
	if len(chunks) == 0 {
		return &extract.Error{Code: extract.CodeNoText, Message: "The document holds no text."}
	}
	text.Profile = profileOf(a.document.Name, doc)
	if err := a.store.SaveVersion(ctx, a.job.Ref(), doc.ContentType, text, chunks); err != nil {
		return fmt.Errorf("save text and chunks: %w", err)
	}
	if err := a.attach(ctx, doc.Attachments); err != nil {
		return err
	}
	a.progress.Chunks = len(chunks)
	if err := a.status(ctx, assistants.StatusIndexing); err != nil {
		return err
	}
	return a.publish(ctx, chunks)
}

// publish writes the chunks to the index and makes the version live. If the live
// version has vectors, it leaves both to the embedding job, so that the document is
// never without vectors.
func (a *attempt) publish(ctx context.Context, chunks []assistants.Chunk) error {
	next := a.stateAfterIndexing(ctx)
	defer a.documents.lock(a.job.DocumentID)()
	if next == assistants.StatusEmbedding {
		d, err := a.store.Document(ctx, a.job.TenantID, a.job.DocumentID)
		if err != nil {
			return fmt.Errorf("look up the document: %w", err)
		}
		if d.Live != a.job.Version && d.Searchable() == assistants.SearchableFull {
			a.progress.Chunks, a.progress.ChunksTotal = 0, len(chunks)
			return a.status(ctx, assistants.StatusEmbedding)
		}
	}
	return a.replaceLive(ctx, a.job.Ref(), next, func(ctx context.Context, d assistants.Document) error {
		return a.index.Apply(ctx, d, a.job.Version, points(chunks))
	})
}

func (a *attempt) status(ctx context.Context, s assistants.Status) error {
	return a.record(ctx, s, nil)
}

// record is status with a remark for the document's log.
func (a *attempt) record(ctx context.Context, s assistants.Status, remark *assistants.Cause) error {
	err := a.store.SetStatus(ctx, a.job.Ref(), s, a.progress, remark)
	if err != nil {
		return fmt.Errorf("record %s: %w", s, err)
	}
	return nil
}

// read extracts the version's file.
func (a *attempt) read(ctx context.Context) (extract.Document, error) {
	v, err := a.store.Version(ctx, a.job.TenantID, a.job.DocumentID, a.job.Version)
	if err != nil {
		return extract.Document{}, fmt.Errorf("look up the version: %w", err)
	}
	blob, size, err := a.blobs.Open(ctx, v.BlobKey)
	if errors.Is(err, assistants.ErrNotFound) {
		return extract.Document{}, &extract.Error{Code: causeFileGone.Code, Message: causeFileGone.Message, Err: err}
	}
	if err != nil {
		return extract.Document{}, fmt.Errorf("open the file: %w", err)
	}
	defer blob.Close()
	file, err := onDisk(blob, size)
	if err != nil {
		return extract.Document{}, err
	}
	if file != blob {
		defer file.Close()
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	doc, err := a.extractor.Extract(ctx, file, sandbox.Hint{Name: v.FileName, Progress: func(done, total int) {
		if err := a.report(ctx, done, total); err != nil {
			cancel(err)
		}
	}})
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return extract.Document{}, cause
	}
	return doc, err
}

// report stores how many pages have been read. It returns an error only if the
// job is obsolete; other failures to report must not stop the work.
func (a *attempt) report(ctx context.Context, done, total int) error {
	a.progress.Pages, a.progress.PagesTotal = done, total
	if now := a.Now(); done == 0 || now.Sub(a.reported) >= progressEvery {
		a.reported = now
		if err := a.status(ctx, assistants.StatusExtracting); isObsolete(err) {
			return err
		}
	}
	return nil
}

// onDisk returns the blob itself when it is a file, else a copy in an
// anonymous temporary file: readers get an open file, never a name.
func onDisk(blob io.ReadSeekCloser, size int64) (*os.File, error) {
	if f, ok := blob.(*os.File); ok {
		return f, nil
	}
	f, err := os.CreateTemp("", "footnote-*")
	if err != nil {
		return nil, fmt.Errorf("make a temporary file: %w", err)
	}
	if err := os.Remove(f.Name()); err != nil {
		f.Close()
		return nil, fmt.Errorf("unlink a temporary file: %w", err)
	}
	n, err := io.Copy(f, blob)
	if err == nil && n != size {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("copy the file: %w: %w", assistants.ErrUnavailable, err)
	}
	return f, nil
}
