package assistants

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"strings"

	"github.com/oklog/ulid/v2"
)

// Identifiers are opaque strings with a prefix that names their kind, such as
// "doc_01k9…". They are safe in URLs and sort by creation time.
type (
	// TenantID identifies a tenant; everything stored belongs to one.
	TenantID string
	// AssistantID identifies an assistant ("asst_…").
	AssistantID string
	// CollectionID identifies a collection of documents ("coll_…").
	CollectionID string
	// DocumentID identifies a document ("doc_…").
	DocumentID string
	// ChunkID identifies a chunk ("chunk_…").
	ChunkID string
	// KeyID identifies an API key ("key_…"); it is not the secret.
	KeyID string
	// JobID identifies a job ("job_…").
	JobID string
	// UpstreamID identifies a stored upstream ("up_…").
	UpstreamID string
	// AuditID identifies an event of the audit log ("audit_…").
	AuditID string
	// GoldID identifies a gold question ("gold_…").
	GoldID string
	// RunID identifies a run of an evaluation ("run_…").
	RunID string
	// AnswerID identifies a stored answer ("ans_…").
	AnswerID string
	// ThreadID identifies a conversation with an assistant: a client's own id, or "thr_…".
	ThreadID string
)

// DefaultTenant is the tenant of an installation with a single tenant.
const DefaultTenant TenantID = "default"

// NewAssistantID returns a fresh assistant id.
func NewAssistantID() AssistantID { return AssistantID("asst_" + newULID()) }

// NewCollectionID returns a fresh collection id.
func NewCollectionID() CollectionID { return CollectionID("coll_" + newULID()) }

// NewDocumentID returns a fresh document id.
func NewDocumentID() DocumentID { return DocumentID("doc_" + newULID()) }

// NewKeyID returns a fresh key id.
func NewKeyID() KeyID { return KeyID("key_" + newULID()) }

// NewJobID returns a fresh job id.
func NewJobID() JobID { return JobID("job_" + newULID()) }

// NewUpstreamID returns a fresh id of a stored upstream.
func NewUpstreamID() UpstreamID { return UpstreamID(upstreamPrefix + newULID()) }

// NewAuditID returns a fresh id of an event of the audit log.
func NewAuditID() AuditID { return AuditID("audit_" + newULID()) }

// NewGoldID returns a fresh id of a gold question.
func NewGoldID() GoldID { return GoldID("gold_" + newULID()) }

// NewRunID returns a fresh id of a run of an evaluation.
func NewRunID() RunID { return RunID("run_" + newULID()) }

// NewAnswerID returns a fresh id of a stored answer.
func NewAnswerID() AnswerID { return AnswerID("ans_" + newULID()) }

// NewThreadID returns a fresh id of a conversation.
func NewThreadID() ThreadID { return ThreadID("thr_" + newULID()) }

// NewBatchID returns a fresh id of files that were put into a vector store together.
func NewBatchID() string { return "vsfb_" + newULID() }

// ThreadIDOf returns the id of the conversation that a client calls name. It is the
// name itself if that is safe in URLs, and otherwise made from it.
func ThreadIDOf(name string) ThreadID {
	if IsThreadID(name) {
		return ThreadID(name)
	}
	sum := sha256.Sum256([]byte(name))
	enc := base32.HexEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:16])
	return ThreadID("thr_" + strings.ToLower(enc))
}

// IsThreadID reports whether s has the form of a thread's id: up to 64 letters of
// ASCII, digits, "-" and "_".
func IsThreadID(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c != '_' && c != '-' {
			return false
		}
	}
	return s != "" && len(s) <= 64
}

// IsID reports whether s has the form of an id with the given prefix. Callers
// check it before they ask a store.
func IsID(prefix, s string) bool {
	tail, ok := strings.CutPrefix(s, prefix)
	if !ok || tail == "" || len(tail) > 40 {
		return false
	}
	for i := 0; i < len(tail); i++ {
		if c := tail[i]; (c < '0' || c > '9') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return true
}

// NewChunkID returns the id of a chunk. It is a function of its arguments, so
// that a job that runs twice writes the same chunks instead of duplicates.
func NewChunkID(document DocumentID, version, index int) ChunkID {
	var tail [16]byte
	binary.BigEndian.PutUint64(tail[:8], uint64(version))
	binary.BigEndian.PutUint64(tail[8:], uint64(index))
	sum := sha256.Sum256(append([]byte(document), tail[:]...))
	enc := base32.HexEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:16])
	return ChunkID("chunk_" + strings.ToLower(enc))
}

func newULID() string { return strings.ToLower(ulid.Make().String()) }

// upstreamPrefix is the prefix of the ids of stored upstreams.
const upstreamPrefix = "up_"
