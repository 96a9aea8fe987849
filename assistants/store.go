package assistants

import (
	"context"
	"time"
)

// Store keeps everything but document bytes and the index. Every method may
// return an error wrapping [ErrUnavailable] when the database cannot answer,
// and the context's error when it ends. What a method that writes has returned
// nil for is durable. Methods that take an id return [ErrNotFound] when it is
// absent or belongs to another tenant.
type Store interface {
	AssistantStore
	CollectionStore
	DocumentStore
	KeyStore
	UpstreamStore
	JobStore
	IdempotencyStore
	MetaStore
}

// List asks for a page of a list: at most Limit items after Cursor (the
// NextCursor of the page before; "" for the first page). Lists are ordered by
// creation, oldest first.
type List struct {
	Limit  int
	Cursor string
}

// AssistantStore keeps assistants and their settings.
type AssistantStore interface {
	// CreateAssistant stores a with its settings and its own collection, whose
	// id it carries. ErrConflict: the slug is taken. FieldError on
	// "settings.upstream": it names a stored upstream that is not there; on
	// "settings.collections": a collection that the tenant does not have.
	CreateAssistant(ctx context.Context, a Assistant) error
	// Assistant finds an assistant by id or slug.
	Assistant(ctx context.Context, tenant TenantID, ref string) (Assistant, error)
	// AssistantInSight is Assistant for one that is in sight; ErrNotFound for
	// one that is not.
	AssistantInSight(ctx context.Context, tenant TenantID, ref string, sight Sight) (Assistant, error)
	// AssistantOfDocument finds the assistant in whose collection a document
	// is, if it is in sight.
	AssistantOfDocument(ctx context.Context, tenant TenantID, id DocumentID, sight Sight) (Assistant, error)
	// ReadersOfDocument lists the assistants in sight whose settings name the
	// collection a document is in, oldest first. Their own collection, which
	// they need not name, is [AssistantStore.AssistantOfDocument]'s.
	ReadersOfDocument(ctx context.Context, tenant TenantID, id DocumentID, sight Sight) ([]Assistant, error)
	// Assistants lists a tenant's assistants. FieldError on "cursor" when it is not one of ours.
	Assistants(ctx context.Context, tenant TenantID, list List) (items []Assistant, nextCursor string, err error)
	// UpdateAssistant changes an assistant inside one transaction: change sees
	// the stored value (settings included) and edits it; name, slug and
	// settings are written back. Its error is returned as it is and nothing
	// changes. ErrConflict: the slug is taken. FieldError on
	// "settings.upstream" or "settings.collections" as CreateAssistant, for
	// what change has added.
	UpdateAssistant(ctx context.Context, tenant TenantID, ref string, change func(*Assistant) error) (Assistant, error)
	// DeleteAssistant removes an assistant, its collection, documents and
	// their chunks, and queues JobPurge for each document.
	DeleteAssistant(ctx context.Context, tenant TenantID, ref string) error
}

// CollectionStore keeps the spaces that collections are embedded in.
type CollectionStore interface {
	// Collections returns those of the named collections that exist, in no order.
	Collections(ctx context.Context, tenant TenantID, ids []CollectionID) ([]Collection, error)
	// ListCollections lists a tenant's collections.
	ListCollections(ctx context.Context, tenant TenantID, list List) (items []Collection, nextCursor string, err error)
	// CollectionUses counts what is in the named collections; those without
	// documents may be left out.
	CollectionUses(ctx context.Context, tenant TenantID, ids []CollectionID) (map[CollectionID]CollectionUse, error)
	// ClaimSpace makes space the collection's if it has none, and returns the
	// collection as it is then. ErrSpaceMismatch: it does not take that space.
	ClaimSpace(ctx context.Context, tenant TenantID, id CollectionID, space Space) (Collection, error)
	// Reembed makes space the collection's next one and queues JobEmbed for
	// every document that answers, for the version that is to be embedded of
	// it; JobEmbeds queued before are void. If the collection has that space
	// already, or none, only what lacks vectors is queued.
	Reembed(ctx context.Context, tenant TenantID, id CollectionID, space Space) (Collection, error)
	// SwapSpace makes the collection's next space its space, with the
	// calibration c that was worked out from a number of passages, unless
	// JobEmbeds of the collection are open or next is no longer its next space.
	// old is the space that is no longer needed.
	SwapSpace(ctx context.Context, tenant TenantID, id CollectionID, next Space, c Calibration, passages int) (old Space, swapped bool, err error)
	// Calibrate stores the calibration of a collection's space, and of how many
	// passages it was worked out. ErrConflict: the collection has another space.
	Calibrate(ctx context.Context, tenant TenantID, id CollectionID, space Space, c Calibration, passages int) error
}

// DocumentStore keeps documents, their versions, texts and chunks.
type DocumentStore interface {
	// CreateDocument stores d with its first version (d.Version, number 1) as
	// pending and queues its ingestion, all or nothing. If the collection
	// already has a document whose latest version has the same SHA256, that
	// document is returned with duplicate true and nothing changes, but that
	// what came with another mail loses its Parent. If d has a
	// SourcePath that the collection already has, ErrConflict. If its Parent is
	// not there, ErrNotFound.
	CreateDocument(ctx context.Context, d Document) (stored Document, duplicate bool, err error)
	// ReplaceFile adds v as the newest version of a document, pending, and
	// queues its ingestion; the live version keeps answering. The same bytes
	// as the latest version: duplicate true, nothing changes. Bytes that
	// another document of the collection has: ErrConflict. A version in work
	// is superseded.
	ReplaceFile(ctx context.Context, tenant TenantID, id DocumentID, v Version) (stored Document, duplicate bool, err error)
	// Reprocess queues the latest version again, as pending; one that is being
	// read already is left to it, one that is being embedded is not, nor one
	// that answers and was to be read in its own place. The live
	// version stays as it is: the same bytes become a version after it.
	Reprocess(ctx context.Context, tenant TenantID, id DocumentID) (Document, error)
	// Document returns one document.
	Document(ctx context.Context, tenant TenantID, id DocumentID) (Document, error)
	// ExistingDocuments returns the ids of those of the named documents that
	// exist, in no order; one query for up to 500, that reads nothing else.
	ExistingDocuments(ctx context.Context, tenant TenantID, ids []DocumentID) ([]DocumentID, error)
	// DocumentsByID returns those of the named documents that exist, in no
	// order; one query for up to 500.
	DocumentsByID(ctx context.Context, tenant TenantID, ids []DocumentID) ([]Document, error)
	// DocumentBySourcePath finds the document that was ingested from path.
	DocumentBySourcePath(ctx context.Context, tenant TenantID, collection CollectionID, path string) (Document, error)
	// Attached lists the documents that came with a mail, oldest first.
	Attached(ctx context.Context, tenant TenantID, parent DocumentID) ([]Document, error)
	// Documents lists a collection's documents.
	Documents(ctx context.Context, tenant TenantID, collection CollectionID, list List) (items []Document, nextCursor string, err error)
	// FilterDocuments returns the ids of the documents in the collections that
	// a filter selects, ascending; whether they are live does not matter.
	FilterDocuments(ctx context.Context, tenant TenantID, collections []CollectionID, f Filter) ([]DocumentID, error)
	// Labels lists the distinct labels of a tenant's documents in ascending
	// order, Tags their distinct tags, with how many documents have each;
	// collections, if not nil, are the only ones looked at.
	Labels(ctx context.Context, tenant TenantID, collections []CollectionID) ([]LabelCount, error)
	Tags(ctx context.Context, tenant TenantID, collections []CollectionID) ([]TagCount, error)
	// CountDocuments counts a tenant's documents by status ("" tenant: all tenants).
	CountDocuments(ctx context.Context, tenant TenantID) (map[Status]int, error)
	// UpdateDocument changes name, source path, labels and tags inside one
	// transaction, as UpdateAssistant does. ErrConflict: the collection has
	// another document from that path.
	UpdateDocument(ctx context.Context, tenant TenantID, id DocumentID, change func(*Document) error) (Document, error)
	// DeleteDocument removes a document with versions, text, chunks, log and
	// open ingestion jobs, and queues JobPurge with all its blob keys; so it
	// does with the documents that came with it.
	DeleteDocument(ctx context.Context, tenant TenantID, id DocumentID) error
	// DocumentLog lists the states a document went through, oldest first.
	DocumentLog(ctx context.Context, tenant TenantID, id DocumentID) ([]LogEntry, error)

	// Version returns a stored version of a document.
	Version(ctx context.Context, tenant TenantID, id DocumentID, number int) (Version, error)
	// SetStatus records the state of a version (a log entry is added when
	// the state or its cause differs from the present one). A version that comes
	// to be embedding while another is live gets a JobEmbed; the live one goes on
	// answering. ErrConflict: the version is no longer the latest, so its work is
	// void.
	SetStatus(ctx context.Context, ref VersionRef, s Status, p Progress, cause *Cause) error
	// SaveVersion stores what was read from a version: content type, text and
	// chunks, replacing what an earlier attempt stored. ErrConflict as SetStatus.
	SaveVersion(ctx context.Context, ref VersionRef, contentType string, text Text, chunks []Chunk) error
	// Publish makes a version live, removes the chunks and text of older
	// versions and queues JobPurge with their blob keys (Version: the older
	// version's number). The document is then ready or, with next
	// StatusEmbedding, embedding, with a JobEmbed queued unless one is open.
	// ErrConflict as SetStatus.
	Publish(ctx context.Context, ref VersionRef, at time.Time, next Status) error
	// QueueEmbedding queues JobEmbed for a document whose live version this is,
	// unless one is open: for that version, or for the one that is being embedded
	// to take its place. lost says that the index has none of the live version's
	// vectors any more. ErrConflict: another version is live.
	QueueEmbedding(ctx context.Context, ref VersionRef, lost bool) error
	// Embedded notes that every chunk of the live version has a vector in a
	// space, and makes a document that was embedding ready. ErrConflict:
	// another version is live. ErrSpaceMismatch: the space is neither the
	// collection's nor its next one.
	Embedded(ctx context.Context, ref VersionRef, space Space, at time.Time) error
	// LiveText returns the text of the live version; ErrNotFound while there is none.
	LiveText(ctx context.Context, tenant TenantID, id DocumentID) (Text, error)
	// LiveChunks lists the chunks of the live version by index.
	LiveChunks(ctx context.Context, tenant TenantID, id DocumentID, list List) (items []Chunk, nextCursor string, err error)
	// Hits resolves matches to chunks with their documents, in two queries for
	// any number of matches. A match whose chunk, document or collection is
	// gone is left out; the order is kept. Chunks count as soon as they are
	// saved and until a later version is published, so that a document answers
	// without a gap while the index changes from one version to the next.
	Hits(ctx context.Context, tenant TenantID, collections []CollectionID, matches []Match) ([]Hit, error)
	// EachLive calls fn for every document that the index should hold (those
	// with a live version, of every tenant), in ascending order of id.
	EachLive(ctx context.Context, fn func(d Document) error) error
	// Passages returns the chunks in the given ranges that exist, in no order;
	// one query for up to 50 ranges.
	Passages(ctx context.Context, tenant TenantID, ranges []PassageRange) ([]Chunk, error)
	// ForeignDocuments returns those of the documents that exist, but not in
	// these collections of the tenant: what an index must not have found there.
	ForeignDocuments(ctx context.Context, tenant TenantID, collections []CollectionID, ids []DocumentID) ([]DocumentID, error)
}

// KeyStore keeps API keys.
type KeyStore interface {
	// CreateKey stores a key. ErrConflict: the prefix is taken.
	CreateKey(ctx context.Context, k Key) error
	// KeyByPrefix finds a key, revoked and expired ones included.
	KeyByPrefix(ctx context.Context, prefix string) (Key, error)
	// Keys lists a tenant's keys.
	Keys(ctx context.Context, tenant TenantID, list List) (items []Key, nextCursor string, err error)
	// RevokeKey ends a key at once; revoking twice is no error.
	RevokeKey(ctx context.Context, tenant TenantID, id KeyID, at time.Time) error
}

// UpstreamStore keeps upstreams that were made through the API. Their secrets
// are encrypted in it. A secret that the store's key does not open comes back
// sealed (see [Secret]); it is kept as it is until another takes its place.
type UpstreamStore interface {
	// CreateUpstream stores an upstream. ErrConflict: the name is taken.
	CreateUpstream(ctx context.Context, u Upstream) error
	// Upstream finds an upstream by id or name.
	Upstream(ctx context.Context, tenant TenantID, ref string) (Upstream, error)
	// Upstreams lists a tenant's upstreams.
	Upstreams(ctx context.Context, tenant TenantID, list List) (items []Upstream, nextCursor string, err error)
	// UpdateUpstream changes an upstream inside one transaction, as
	// UpdateAssistant does. ErrConflict: the name is taken, or the name is
	// changed while assistants name the upstream by it.
	UpdateUpstream(ctx context.Context, tenant TenantID, id UpstreamID, change func(*Upstream) error) (Upstream, error)
	// DeleteUpstream removes an upstream. ErrConflict: assistants name it.
	DeleteUpstream(ctx context.Context, tenant TenantID, id UpstreamID) error
}

// JobStore is a queue of jobs that survives the process.
type JobStore interface {
	// ClaimJob claims a job that is due at now and not leased, for the length
	// of lease; ok is false when there is none. With kinds, only jobs of those
	// are claimed. JobIngest and JobPurge go before JobEmbed; collections take
	// turns, and within one the job that was queued first is claimed first.
	ClaimJob(ctx context.Context, now time.Time, lease time.Duration, kinds ...JobKind) (j Job, ok bool, err error)
	// RenewJob lengthens the lease of a claimed job. ErrConflict: the lease
	// was lost or the job is gone, so the work must stop.
	RenewJob(ctx context.Context, j Job, until time.Time) (Job, error)
	// FinishJob removes a claimed job. ErrConflict as RenewJob.
	FinishJob(ctx context.Context, j Job) error
	// RetryJob gives a claimed job back, to be claimed again at notBefore, when
	// it is its collection's turn again. Its Attempt is stored as it is in j.
	// ErrConflict as RenewJob.
	RetryJob(ctx context.Context, j Job, notBefore time.Time) error
	// CountJobs counts open jobs, those of some kinds or all.
	CountJobs(ctx context.Context, kinds ...JobKind) (int, error)
}

// MetaStore keeps the few facts about the installation itself, such as
// whether the first admin key was made.
type MetaStore interface {
	// Meta returns a value, "" when it was never set.
	Meta(ctx context.Context, key string) (string, error)
	// SetMetaOnce stores value under key unless it is set, and returns what is stored then.
	SetMetaOnce(ctx context.Context, key, value string) (stored string, err error)
	// Ping reports whether the database answers.
	Ping(ctx context.Context) error
}
