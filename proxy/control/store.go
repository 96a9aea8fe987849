package control

import (
	"context"
	"time"

	"footnote/assistants"
	"footnote/assistants/evaluation"
	"footnote/assistants/evaluation/runs"
)

// Store is the database of the control API: one small interface for each kind
// of resource, because each group of handlers needs one or two of them.
//
// Every method returns an error wrapping ErrUnavailable when the database cannot
// answer, and the context's error when the context ends. Methods that take an id
// return ErrNotFound when it is absent or belongs to another tenant. Methods
// that take a List return a FieldError on "cursor" for a cursor of another list.
// Methods whose name ends with If do nothing if check, which may be nil, returns
// an error for what is stored; they call it inside the transaction and return
// its error.
// The comments below name the other errors.
type Store interface {
	AssistantStore
	VisibleStore
	DocumentStore
	VersionStore
	CollectionStore
	CountStore
	KeyStore
	UpstreamStore
	RequestStore
	AuditStore
	QuestionStore
	RunStore
	AnswerStore
}

// AssistantStore keeps assistants with their settings.
type AssistantStore interface {
	// CreateAssistant returns ErrConflict when the slug is taken, and a
	// FieldError on "settings.upstream" or "settings.collections" when they
	// name what the tenant does not have.
	CreateAssistant(ctx context.Context, a assistants.Assistant) error
	// Assistant finds an assistant by id or slug.
	Assistant(ctx context.Context, tenant assistants.TenantID, ref string) (assistants.Assistant, error)
	FindAssistants(ctx context.Context, tenant assistants.TenantID, q assistants.AssistantQuery, list assistants.List) (assistants.Listing[assistants.Assistant], error)
	// UpdateAssistant applies change in a transaction. It returns the error of
	// change as it is, and otherwise the errors of CreateAssistant.
	UpdateAssistant(ctx context.Context, tenant assistants.TenantID, ref string, change func(*assistants.Assistant) error) (assistants.Assistant, error)
	// DeleteAssistantIf removes an assistant with its collection and documents.
	DeleteAssistantIf(ctx context.Context, tenant assistants.TenantID, ref string, check func(assistants.Assistant) error) error
}

// VisibleStore finds what a key may see. What the key may not see is ErrNotFound,
// so that an answer does not reveal that it exists.
type VisibleStore interface {
	AssistantInSight(ctx context.Context, tenant assistants.TenantID, ref string, sight assistants.Sight) (assistants.Assistant, error)
	// AssistantOfDocument finds the assistant in whose own collection a document is.
	AssistantOfDocument(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID, sight assistants.Sight) (assistants.Assistant, error)
	// ReadersOfDocument lists other assistants that read the document's
	// collection; none is not an error.
	ReadersOfDocument(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID, sight assistants.Sight) ([]assistants.Assistant, error)
}

// DocumentStore keeps documents; a [Library] adds them.
type DocumentStore interface {
	Document(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID) (assistants.Document, error)
	Documents(ctx context.Context, tenant assistants.TenantID, collection assistants.CollectionID, list assistants.List) (items []assistants.Document, nextCursor string, err error)
	// DocumentsByID returns those of the named documents that exist, in no order.
	DocumentsByID(ctx context.Context, tenant assistants.TenantID, ids []assistants.DocumentID) ([]assistants.Document, error)
	FindDocuments(ctx context.Context, tenant assistants.TenantID, collection assistants.CollectionID, q assistants.DocumentQuery, list assistants.List) (assistants.Listing[assistants.Document], error)
	// DocumentBySourcePath returns ErrNotFound when no document came from path.
	DocumentBySourcePath(ctx context.Context, tenant assistants.TenantID, collection assistants.CollectionID, path string) (assistants.Document, error)
	// UpdateDocument applies change in a transaction and returns its error as
	// it is. ErrConflict: the collection has another document from that path.
	UpdateDocument(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID, change func(*assistants.Document) error) (assistants.Document, error)
	// CheckSupersedes returns the FieldError with which UpdateDocument would refuse
	// d.Supersedes for a stored document.
	CheckSupersedes(ctx context.Context, d assistants.Document) error
	// MoveDocument moves a document with what is attached to it. ErrNotFound also for
	// the collection. ErrConflict: it is attached itself, or being processed, or the
	// collection has its bytes or its path already.
	MoveDocument(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID, to assistants.CollectionID, check func(assistants.Document) error) (assistants.Document, error)
	DeleteDocumentIf(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID, check func(assistants.Document) error) error
}

// VersionStore keeps the versions of documents and what was read from them.
type VersionStore interface {
	Version(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID, number int) (assistants.Version, error)
	// Reprocess queues the latest version again.
	Reprocess(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID) (assistants.Document, error)
	DocumentLog(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID) ([]assistants.LogEntry, error)
	// LiveText returns ErrNotFound while no version is live.
	LiveText(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID) (assistants.Text, error)
	LiveChunks(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID, list assistants.List) (items []assistants.Chunk, nextCursor string, err error)
}

// CollectionStore keeps collections.
type CollectionStore interface {
	// Collections returns those of the named collections that exist.
	Collections(ctx context.Context, tenant assistants.TenantID, ids []assistants.CollectionID) ([]assistants.Collection, error)
	ListCollections(ctx context.Context, tenant assistants.TenantID, list assistants.List) (items []assistants.Collection, nextCursor string, err error)
	// CreateCollection, UpdateCollectionIf and DeleteCollectionIf are for shared
	// collections. The last two return ErrConflict for an assistant's, and
	// DeleteCollectionIf for one that assistants read.
	CreateCollection(ctx context.Context, c assistants.Collection) error
	UpdateCollectionIf(ctx context.Context, tenant assistants.TenantID, id assistants.CollectionID, change assistants.CollectionChange, check func(assistants.CollectionState) error) (assistants.Collection, error)
	DeleteCollectionIf(ctx context.Context, tenant assistants.TenantID, id assistants.CollectionID, check func(assistants.CollectionState) error) error
	// CollectionUses may leave out collections without documents.
	CollectionUses(ctx context.Context, tenant assistants.TenantID, ids []assistants.CollectionID) (map[assistants.CollectionID]assistants.CollectionUse, error)
	// Reembed queues the embedding of a collection's documents in a space.
	Reembed(ctx context.Context, tenant assistants.TenantID, id assistants.CollectionID, space assistants.Space) (assistants.Collection, error)
}

// CountStore counts documents and jobs.
type CountStore interface {
	// Labels and Tags list the distinct ones in ascending order; collections
	// nil: of all documents of the tenant.
	Labels(ctx context.Context, tenant assistants.TenantID, collections []assistants.CollectionID) ([]assistants.LabelCount, error)
	Tags(ctx context.Context, tenant assistants.TenantID, collections []assistants.CollectionID) ([]assistants.TagCount, error)
	CountDocuments(ctx context.Context, tenant assistants.TenantID) (map[assistants.Status]int, error)
	// CountJobs counts the open jobs of the whole installation.
	CountJobs(ctx context.Context, kinds ...assistants.JobKind) (int, error)
}

// KeyStore keeps API keys.
type KeyStore interface {
	// CreateKey returns ErrConflict when the prefix is taken.
	CreateKey(ctx context.Context, k assistants.Key) error
	FindKeys(ctx context.Context, tenant assistants.TenantID, q assistants.KeyQuery, list assistants.List) (assistants.Listing[assistants.Key], error)
	Key(ctx context.Context, tenant assistants.TenantID, id assistants.KeyID) (assistants.Key, error)
	// UpdateKey applies change, to the name and the limits, in a transaction. It returns
	// the error of change as it is.
	UpdateKey(ctx context.Context, tenant assistants.TenantID, id assistants.KeyID, change func(*assistants.Key) error) (assistants.Key, error)
	// RevokeKeyIf may be repeated.
	RevokeKeyIf(ctx context.Context, tenant assistants.TenantID, id assistants.KeyID, at time.Time, check func(assistants.Key) error) error
}

// UpstreamStore keeps the upstreams that were made through the API.
type UpstreamStore interface {
	// CreateUpstream returns ErrConflict when the name is taken.
	CreateUpstream(ctx context.Context, u assistants.Upstream) error
	// Upstream finds an upstream by id or name.
	Upstream(ctx context.Context, tenant assistants.TenantID, ref string) (assistants.Upstream, error)
	Upstreams(ctx context.Context, tenant assistants.TenantID, list assistants.List) (items []assistants.Upstream, nextCursor string, err error)
	// UpdateUpstream applies change in a transaction and returns its error as
	// it is. ErrConflict: the name is taken, or it changes while assistants
	// name the upstream by it.
	UpdateUpstream(ctx context.Context, tenant assistants.TenantID, id assistants.UpstreamID, change func(*assistants.Upstream) error) (assistants.Upstream, error)
	// DeleteUpstreamIf returns ErrConflict while assistants name the upstream.
	DeleteUpstreamIf(ctx context.Context, tenant assistants.TenantID, id assistants.UpstreamID, check func(assistants.Upstream) error) error
}

// RequestStore keeps requests with an idempotency key. Its methods return
// ErrConflict when another attempt has the request, or the request is gone.
type RequestStore interface {
	// ReserveRequest begins an attempt, or returns what is stored under the key
	// with reserved false.
	ReserveRequest(ctx context.Context, r assistants.IdempotentRequest, now time.Time) (stored assistants.IdempotentRequest, reserved bool, err error)
	// RenewRequest moves the end of an attempt's lease.
	RenewRequest(ctx context.Context, r assistants.IdempotentRequest, until time.Time) (assistants.IdempotentRequest, error)
	AnswerRequest(ctx context.Context, r assistants.IdempotentRequest) error
	// ForgetRequest frees the key of an attempt that changed nothing.
	ForgetRequest(ctx context.Context, r assistants.IdempotentRequest) error
}

// AuditStore reads the audit log and the usage; an [AuditLog] writes them.
type AuditStore interface {
	// Usage returns figures by hour; of more than assistants.MaxUsage, one more than that.
	Usage(ctx context.Context, tenant assistants.TenantID, q assistants.UsageQuery) ([]assistants.Usage, error)
	// FindAudit lists events by creation.
	FindAudit(ctx context.Context, tenant assistants.TenantID, q assistants.AuditQuery, list assistants.List) (assistants.Listing[assistants.AuditEvent], error)
}

// QuestionStore keeps gold questions.
type QuestionStore interface {
	// AddQuestions stores all of an assistant's new questions or none, and returns
	// them as stored. With replace, those whose gold id is known replace the stored
	// ones; otherwise, and for too many questions, ErrConflict.
	AddQuestions(ctx context.Context, tenant assistants.TenantID, assistant assistants.AssistantID, questions []runs.Gold, replace bool) ([]runs.Gold, error)
	GoldQuestion(ctx context.Context, tenant assistants.TenantID, id assistants.GoldID) (runs.Gold, error)
	FindQuestions(ctx context.Context, tenant assistants.TenantID, assistant assistants.AssistantID, list assistants.List) (assistants.Listing[runs.Gold], error)
	// ReplaceQuestionIf keeps the gold id if q has none. ErrConflict: it is taken.
	ReplaceQuestionIf(ctx context.Context, tenant assistants.TenantID, id assistants.GoldID, q evaluation.Question, at time.Time, check func(runs.Gold) error) (runs.Gold, error)
	DeleteQuestionIf(ctx context.Context, tenant assistants.TenantID, id assistants.GoldID, check func(runs.Gold) error) error
	// AssistantOfQuestion finds the assistant that a question belongs to, if it is in sight.
	AssistantOfQuestion(ctx context.Context, tenant assistants.TenantID, id assistants.GoldID, sight assistants.Sight) (assistants.Assistant, error)
}

// RunStore keeps the runs of evaluations; a [Runs] works on them.
type RunStore interface {
	// CreateRun returns ErrConflict while another run of the assistant runs.
	CreateRun(ctx context.Context, r runs.Run) error
	Run(ctx context.Context, tenant assistants.TenantID, id assistants.RunID) (runs.Run, error)
	FindRuns(ctx context.Context, tenant assistants.TenantID, assistant assistants.AssistantID, list assistants.List) (assistants.Listing[runs.Run], error)
	// DeleteRunIf cancels a run that runs, and otherwise removes it with its outcomes.
	DeleteRunIf(ctx context.Context, tenant assistants.TenantID, id assistants.RunID, at time.Time, check func(runs.Run) error) (cancelled bool, err error)
	// Outcomes and ListOutcomes return what a run has measured, in the order of its
	// questions; nothing for an unknown run.
	Outcomes(ctx context.Context, tenant assistants.TenantID, id assistants.RunID) ([]evaluation.Outcome, error)
	ListOutcomes(ctx context.Context, tenant assistants.TenantID, id assistants.RunID, list assistants.List) (items []evaluation.Outcome, nextCursor string, err error)
	// AssistantOfRun finds the assistant that a run belongs to, if it is in sight.
	AssistantOfRun(ctx context.Context, tenant assistants.TenantID, id assistants.RunID, sight assistants.Sight) (assistants.Assistant, error)
}

// AnswerStore keeps questions and answers of assistants that store them; a [History]
// writes them.
type AnswerStore interface {
	// Answer returns ErrNotFound for an answer that was removed.
	Answer(ctx context.Context, tenant assistants.TenantID, id assistants.AnswerID) (assistants.Answer, error)
	// AssistantOfAnswer finds the assistant that an answer belongs to, if it is in sight
	// and, unless of is "", the answer to a question with that key; otherwise ErrNotFound.
	AssistantOfAnswer(ctx context.Context, tenant assistants.TenantID, id assistants.AnswerID, sight assistants.Sight, of assistants.KeyID) (assistants.Assistant, error)
	// FindAnswers lists answers by creation. A page of long answers ends before the
	// list's limit. An unknown assistant has none.
	FindAnswers(ctx context.Context, tenant assistants.TenantID, assistant assistants.AssistantID, q assistants.AnswerQuery, list assistants.List) (assistants.Listing[assistants.Answer], error)
	// FindThreads lists conversations by their last answer, of one user unless user is "".
	// An unknown assistant has none.
	FindThreads(ctx context.Context, tenant assistants.TenantID, assistant assistants.AssistantID, user string, list assistants.List) (assistants.Listing[assistants.Thread], error)
	// Thread returns ErrNotFound for a conversation without answers.
	Thread(ctx context.Context, tenant assistants.TenantID, assistant assistants.AssistantID, id assistants.ThreadID) (assistants.Thread, error)
	// UpdateAnswer applies change, to feedback and verifications, in a transaction and
	// returns its error as it is.
	UpdateAnswer(ctx context.Context, tenant assistants.TenantID, id assistants.AnswerID, change func(*assistants.Answer) error) (assistants.Answer, error)
	// RemoveAnswer returns ErrNotFound when the answer was removed before.
	RemoveAnswer(ctx context.Context, tenant assistants.TenantID, id assistants.AnswerID) error
	// RemoveAnswers returns the number of removed answers, also with an error, as it
	// removes in several transactions. ErrNotFound: the assistant is gone.
	RemoveAnswers(ctx context.Context, tenant assistants.TenantID, assistant assistants.AssistantID, q assistants.AnswerQuery) (int, error)
}
