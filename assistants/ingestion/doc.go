// Package ingestion brings documents into the index: [Library] takes uploads
// in, [Worker] reads, cuts, indexes and embeds them, and takes deleted ones out
// again.
//
// It obeys these rules. What was acknowledged is durable: bytes first, then
// the row and its job in one transaction. Every step may run again: chunk ids
// are a function of document, version and index, and the index replaces a
// document as a whole. The work of a version that a newer one superseded is
// void. A live version answers until the next one is complete. A new
// document is indexed by its words first, and a second job adds its vectors. A
// replacement for a version with vectors is published together with its
// vectors; if they cannot be made, it is published without. A collection is
// embedded in one space, and changes to another one when all of its documents
// are in it.
//
// It may import the domain package, tokens and its own subpackages; never a
// database, an HTTP library or package storage/....
package ingestion

import (
	"context"
	"io"
	"os"
	"time"

	"footnote/assistants"
	"footnote/assistants/ingestion/extract"
	"footnote/assistants/ingestion/sandbox"
)

// DocumentStore is where a [Library] puts documents. Methods that take an id return
// ErrNotFound when it is absent or belongs to another tenant.
// CreateDocument returns ErrConflict when the collection has another document
// from the same source path, and ErrNotFound when its parent is gone;
// ReplaceFileIf returns ErrConflict when another document of the collection has
// the same bytes, and the error of check, if any, for the stored document. Every method of this and the following interfaces returns
// an error wrapping ErrUnavailable when the database cannot answer.
type DocumentStore interface {
	CreateDocument(ctx context.Context, d assistants.Document) (stored assistants.Document, duplicate bool, err error)
	ReplaceFileIf(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID, v assistants.Version, check func(assistants.Document) error) (stored assistants.Document, duplicate bool, err error)
	Document(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID) (assistants.Document, error)
	Version(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID, number int) (assistants.Version, error)
	Reprocess(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID) (assistants.Document, error)
	Collections(ctx context.Context, tenant assistants.TenantID, ids []assistants.CollectionID) ([]assistants.Collection, error)
	CountJobs(ctx context.Context, kinds ...assistants.JobKind) (int, error)
}

// Attachments is where a [Worker] puts the files that come with a mail. Its
// errors are those of [DocumentStore].
type Attachments interface {
	DocumentStore
	Attached(ctx context.Context, tenant assistants.TenantID, parent assistants.DocumentID) ([]assistants.Document, error)
	DeleteDocument(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID) error
}

// Jobs is the queue that survives the process. ClaimJob returns ok false when no
// job is due; the other methods return ErrConflict when the lease was lost or
// the job is gone, so the work must stop.
type Jobs interface {
	ClaimJob(ctx context.Context, now time.Time, lease time.Duration, want assistants.JobFilter) (j assistants.Job, ok bool, err error)
	RenewJob(ctx context.Context, j assistants.Job, until time.Time) (assistants.Job, error)
	FinishJob(ctx context.Context, j assistants.Job) error
	RetryJob(ctx context.Context, j assistants.Job, notBefore time.Time) error
}

// Versions is what a [Worker] reads and writes about documents: all steps of a
// version from pending to ready. Methods that read return ErrNotFound when the
// document or version is gone; those that write return ErrConflict when the version
// was superseded, so its work is void. Embedded returns ErrSpaceMismatch for a space
// that is neither the collection's nor its next one. vectorsLost says that the index
// no longer has the live version's vectors.
type Versions interface {
	Document(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID) (assistants.Document, error)
	Version(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID, number int) (assistants.Version, error)
	DocumentLog(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID) ([]assistants.LogEntry, error)
	SetStatus(ctx context.Context, ref assistants.VersionRef, s assistants.Status, p assistants.Progress, cause *assistants.Cause) error
	SaveVersion(ctx context.Context, ref assistants.VersionRef, contentType string, text assistants.Text, chunks []assistants.Chunk) error
	Publish(ctx context.Context, ref assistants.VersionRef, at time.Time, next assistants.Status) error
	QueueEmbedding(ctx context.Context, ref assistants.VersionRef, vectorsLost bool) error
	Embedded(ctx context.Context, ref assistants.VersionRef, space assistants.Space, at time.Time) error
	Passages(ctx context.Context, tenant assistants.TenantID, ranges []assistants.PassageRange) ([]assistants.Chunk, error)
	LiveChunks(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID, list assistants.List) (items []assistants.Chunk, nextCursor string, err error)
	EachLive(ctx context.Context, fn func(d assistants.Document) error) error
}

// Spaces is what a [Worker] reads and writes about the spaces of collections.
// ClaimSpace returns ErrSpaceMismatch when the collection does not take that
// space, and Calibrate ErrConflict when it has another one. Methods that take
// the id of one collection return ErrNotFound when it is gone.
type Spaces interface {
	Collections(ctx context.Context, tenant assistants.TenantID, ids []assistants.CollectionID) ([]assistants.Collection, error)
	CollectionUses(ctx context.Context, tenant assistants.TenantID, ids []assistants.CollectionID) (map[assistants.CollectionID]assistants.CollectionUse, error)
	ClaimSpace(ctx context.Context, tenant assistants.TenantID, id assistants.CollectionID, space assistants.Space) (assistants.Collection, error)
	SwapSpace(ctx context.Context, tenant assistants.TenantID, id assistants.CollectionID, next assistants.Space, c assistants.Calibration, passages int) (old assistants.Space, swapped bool, err error)
	Calibrate(ctx context.Context, tenant assistants.TenantID, id assistants.CollectionID, space assistants.Space, c assistants.Calibration, passages int) error
}

// Store is what a [Worker] needs of the database.
type Store interface {
	Jobs
	Versions
	Spaces
	Attachments
}

// Blobs keeps the bytes of documents. Put returns when they are durable. If Open
// returns an *os.File, the file is read in place, otherwise it is copied first.
// Open's error wraps assistants.ErrNotFound when there is no such blob; each
// method's wraps assistants.ErrUnavailable when the store cannot answer.
// Deleting what is not there is no error.
type Blobs interface {
	Put(ctx context.Context, key string, r io.Reader) (size int64, sha256 string, err error)
	Open(ctx context.Context, key string) (f io.ReadSeekCloser, size int64, err error)
	Delete(ctx context.Context, key string) error
}

// Index finds chunks. Apply replaces what it holds of a document by a version
// of it, all or nothing, and forgets the vectors of what it held. ApplyVectors
// adds a vector in a space for each point, in their order; ErrConflict: the
// index has another version, or none; ErrInvalid: they are no vectors of that
// space, or not as many as points. ApplyEmbedded is both at once, so that there
// is no moment without vectors. All are durable when they return. Sample
// returns some of a collection's vectors. Errors wrap
// assistants.ErrUnavailable when trying again may help.
type Index interface {
	Apply(ctx context.Context, d assistants.Document, version int, points []assistants.Point) error
	ApplyEmbedded(ctx context.Context, d assistants.Document, version int, points []assistants.Point, space assistants.Space, vectors [][]float32) error
	ApplyVectors(ctx context.Context, id assistants.DocumentID, version int, space assistants.Space, vectors [][]float32) error
	DropVectors(ctx context.Context, collection assistants.CollectionID, space assistants.Space) error
	Sample(ctx context.Context, tenant assistants.TenantID, collection assistants.CollectionID, space assistants.Space, n int) ([][]float32, error)
	Remove(ctx context.Context, id assistants.DocumentID) error
	Versions(ctx context.Context) (map[assistants.DocumentID]assistants.Indexed, error)
}

// Extractor reads a file; see [sandbox.Extractor] for its errors.
type Extractor interface {
	Extract(ctx context.Context, f *os.File, hint sandbox.Hint) (extract.Document, error)
}
