package assistants

import "time"

// JobKind is what a job does.
type JobKind string

// Kinds of jobs.
const (
	// JobIngest brings a version of a document into the index.
	JobIngest JobKind = "ingest"
	// JobEmbed makes the vectors of the version that is to be embedded (see
	// Document.ToEmbed), and publishes it if it is not live yet.
	JobEmbed JobKind = "embed"
	// JobPurge takes a deleted document, or a replaced version, out of the
	// index and the blob store, and a moved document out of its old collection.
	JobPurge JobKind = "purge"
)

// A Job is work that survives the process. A worker claims it for the length of
// a lease by compare-and-swap on Revision. When the lease ends without renewal,
// another worker may claim the job.
type Job struct {
	ID       JobID
	TenantID TenantID
	Kind     JobKind
	// CollectionID is the document's; "" in jobs stored before the column existed.
	CollectionID CollectionID
	DocumentID   DocumentID
	Version      int      // the version to ingest, embed or purge; 0: the whole document
	BlobKeys     []string // purge: blobs to delete
	Attempt      int      // number of claims, including the present one
	NotBefore    time.Time
	LeaseUntil   time.Time // zero: unclaimed
	Revision     int64
	CreatedAt    time.Time
	Work         time.Duration // estimate, made when the job is queued, of how long it takes
}

// WorkOfFile estimates how long it takes to read a file of size bytes.
func WorkOfFile(size int64) time.Duration { return time.Duration(size) * (time.Second / (64 << 10)) }

// WorkOfPassages estimates how long it takes to embed n passages.
func WorkOfPassages(n int) time.Duration { return time.Duration(n) * time.Second / 10 }

// A JobFilter selects jobs.
type JobFilter struct {
	Kinds  []JobKind      // empty: any
	Except []CollectionID // whose jobs are left out
	// Shortest asks for the job with the least work and the longest wait, whatever its
	// collection. Otherwise collections take turns.
	Shortest bool
}

// Ref is the version the job works on.
func (j Job) Ref() VersionRef { return VersionRef{j.TenantID, j.DocumentID, j.Version} }
