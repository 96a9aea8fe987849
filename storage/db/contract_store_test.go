package db_test

import (
	"context"
	"time"

	"footnote/assistants"
	"footnote/assistants/evaluation"
	"footnote/assistants/evaluation/runs"
)

// contract is everything that the tests ask of a database. The methods of
// [db.Store] say what each of these does and which errors it returns.
type contract interface {
	CreateAssistant(ctx context.Context, a assistants.Assistant) error
	Assistant(ctx context.Context, tenant assistants.TenantID, ref string) (assistants.Assistant, error)
	AssistantInSight(ctx context.Context, tenant assistants.TenantID, ref string, sight assistants.Sight) (assistants.Assistant, error)
	AssistantOfDocument(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID, sight assistants.Sight) (assistants.Assistant, error)
	ReadersOfDocument(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID, sight assistants.Sight) ([]assistants.Assistant, error)
	Assistants(ctx context.Context, tenant assistants.TenantID, list assistants.List) (items []assistants.Assistant, nextCursor string, err error)
	FindAssistants(ctx context.Context, tenant assistants.TenantID, q assistants.AssistantQuery, list assistants.List) (assistants.Listing[assistants.Assistant], error)
	UpdateAssistant(ctx context.Context, tenant assistants.TenantID, ref string, change func(*assistants.Assistant) error) (assistants.Assistant, error)
	DeleteAssistant(ctx context.Context, tenant assistants.TenantID, ref string) error
	DeleteAssistantIf(ctx context.Context, tenant assistants.TenantID, ref string, check func(assistants.Assistant) error) error

	Collections(ctx context.Context, tenant assistants.TenantID, ids []assistants.CollectionID) ([]assistants.Collection, error)
	ListCollections(ctx context.Context, tenant assistants.TenantID, list assistants.List) (items []assistants.Collection, nextCursor string, err error)
	CreateCollection(ctx context.Context, c assistants.Collection) error
	UpdateCollectionIf(ctx context.Context, tenant assistants.TenantID, id assistants.CollectionID, change assistants.CollectionChange, check func(assistants.CollectionState) error) (assistants.Collection, error)
	SetMetadata(ctx context.Context, tenant assistants.TenantID, id assistants.CollectionID, metadata map[string]string) (assistants.Collection, error)
	DeleteCollectionIf(ctx context.Context, tenant assistants.TenantID, id assistants.CollectionID, check func(assistants.CollectionState) error) error
	CollectionUses(ctx context.Context, tenant assistants.TenantID, ids []assistants.CollectionID) (map[assistants.CollectionID]assistants.CollectionUse, error)
	FindCollections(ctx context.Context, tenant assistants.TenantID, list assistants.List) (assistants.Listing[assistants.Collection], error)
	AnsweredRequest(ctx context.Context, tenant assistants.TenantID, key string, now time.Time) (assistants.IdempotentRequest, error)
	CollectionFiles(ctx context.Context, tenant assistants.TenantID, ids []assistants.CollectionID) (map[assistants.CollectionID]assistants.CollectionFiles, error)
	ClaimSpace(ctx context.Context, tenant assistants.TenantID, id assistants.CollectionID, space assistants.Space) (assistants.Collection, error)
	Reembed(ctx context.Context, tenant assistants.TenantID, id assistants.CollectionID, space assistants.Space) (assistants.Collection, error)
	SwapSpace(ctx context.Context, tenant assistants.TenantID, id assistants.CollectionID, next assistants.Space, c assistants.Calibration, passages int) (old assistants.Space, swapped bool, err error)
	Calibrate(ctx context.Context, tenant assistants.TenantID, id assistants.CollectionID, space assistants.Space, c assistants.Calibration, passages int) error

	CreateDocument(ctx context.Context, d assistants.Document) (stored assistants.Document, duplicate bool, err error)
	ReplaceFile(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID, v assistants.Version) (stored assistants.Document, duplicate bool, err error)
	ReplaceFileIf(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID, v assistants.Version, check func(assistants.Document) error) (stored assistants.Document, duplicate bool, err error)
	Reprocess(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID) (assistants.Document, error)
	Document(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID) (assistants.Document, error)
	ExistingDocuments(ctx context.Context, tenant assistants.TenantID, ids []assistants.DocumentID) ([]assistants.DocumentID, error)
	DocumentsByID(ctx context.Context, tenant assistants.TenantID, ids []assistants.DocumentID) ([]assistants.Document, error)
	DocumentBySourcePath(ctx context.Context, tenant assistants.TenantID, collection assistants.CollectionID, path string) (assistants.Document, error)
	Attached(ctx context.Context, tenant assistants.TenantID, parent assistants.DocumentID) ([]assistants.Document, error)
	Documents(ctx context.Context, tenant assistants.TenantID, collection assistants.CollectionID, list assistants.List) (items []assistants.Document, nextCursor string, err error)
	FindDocuments(ctx context.Context, tenant assistants.TenantID, collection assistants.CollectionID, q assistants.DocumentQuery, list assistants.List) (assistants.Listing[assistants.Document], error)
	DocumentNames(ctx context.Context, tenant assistants.TenantID, collections []assistants.CollectionID, known []assistants.DocumentName) ([]assistants.DocumentName, error)
	FilterDocuments(ctx context.Context, tenant assistants.TenantID, collections []assistants.CollectionID, f assistants.Filter) ([]assistants.DocumentID, error)
	Labels(ctx context.Context, tenant assistants.TenantID, collections []assistants.CollectionID) ([]assistants.LabelCount, error)
	Tags(ctx context.Context, tenant assistants.TenantID, collections []assistants.CollectionID) ([]assistants.TagCount, error)
	Holdings(ctx context.Context, tenant assistants.TenantID, collections []assistants.CollectionID) (documents, searchable bool, err error)
	CountDocuments(ctx context.Context, tenant assistants.TenantID) (map[assistants.Status]int, error)
	CheckSupersedes(ctx context.Context, d assistants.Document) error
	UpdateDocument(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID, change func(*assistants.Document) error) (assistants.Document, error)
	DeleteDocument(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID) error
	MoveDocument(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID, to assistants.CollectionID, check func(assistants.Document) error) (assistants.Document, error)
	DeleteDocumentIf(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID, check func(assistants.Document) error) error
	DocumentLog(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID) ([]assistants.LogEntry, error)
	Version(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID, number int) (assistants.Version, error)
	SetStatus(ctx context.Context, ref assistants.VersionRef, s assistants.Status, p assistants.Progress, cause *assistants.Cause) error
	SaveVersion(ctx context.Context, ref assistants.VersionRef, contentType string, text assistants.Text, chunks []assistants.Chunk) error
	Publish(ctx context.Context, ref assistants.VersionRef, at time.Time, next assistants.Status) error
	QueueEmbedding(ctx context.Context, ref assistants.VersionRef, vectorsLost bool) error
	Embedded(ctx context.Context, ref assistants.VersionRef, space assistants.Space, at time.Time) error
	LiveText(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID) (assistants.Text, error)
	LiveChunks(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID, list assistants.List) (items []assistants.Chunk, nextCursor string, err error)
	Hits(ctx context.Context, tenant assistants.TenantID, collections []assistants.CollectionID, matches []assistants.Match) ([]assistants.Hit, error)
	EachLive(ctx context.Context, fn func(d assistants.Document) error) error
	Passages(ctx context.Context, tenant assistants.TenantID, ranges []assistants.PassageRange) ([]assistants.Chunk, error)
	ForeignDocuments(ctx context.Context, tenant assistants.TenantID, collections []assistants.CollectionID, ids []assistants.DocumentID) ([]assistants.DocumentID, error)

	CreateKey(ctx context.Context, k assistants.Key) error
	KeyByPrefix(ctx context.Context, prefix string) (assistants.Key, error)
	Key(ctx context.Context, tenant assistants.TenantID, id assistants.KeyID) (assistants.Key, error)
	Keys(ctx context.Context, tenant assistants.TenantID, list assistants.List) (items []assistants.Key, nextCursor string, err error)
	FindKeys(ctx context.Context, tenant assistants.TenantID, q assistants.KeyQuery, list assistants.List) (assistants.Listing[assistants.Key], error)
	RevokeKey(ctx context.Context, tenant assistants.TenantID, id assistants.KeyID, at time.Time) error
	UpdateKey(ctx context.Context, tenant assistants.TenantID, id assistants.KeyID, change func(*assistants.Key) error) (assistants.Key, error)
	MonthCount(ctx context.Context, tenant assistants.TenantID, subject string, month time.Time) (assistants.MonthCount, error)
	AddMonthCounts(ctx context.Context, counts []assistants.MonthCount) error
	RemoveMonthCounts(ctx context.Context, before time.Time) error
	ShareUses(ctx context.Context, subjects []assistants.LimitSubject, change func(texts []string, now time.Time) error) error
	RemoveSharedUses(ctx context.Context, before time.Time) error
	RevokeKeyIf(ctx context.Context, tenant assistants.TenantID, id assistants.KeyID, at time.Time, check func(assistants.Key) error) error

	CreateUpstream(ctx context.Context, u assistants.Upstream) error
	Upstream(ctx context.Context, tenant assistants.TenantID, ref string) (assistants.Upstream, error)
	Upstreams(ctx context.Context, tenant assistants.TenantID, list assistants.List) (items []assistants.Upstream, nextCursor string, err error)
	UpdateUpstream(ctx context.Context, tenant assistants.TenantID, id assistants.UpstreamID, change func(*assistants.Upstream) error) (assistants.Upstream, error)
	DeleteUpstream(ctx context.Context, tenant assistants.TenantID, id assistants.UpstreamID) error
	DeleteUpstreamIf(ctx context.Context, tenant assistants.TenantID, id assistants.UpstreamID, check func(assistants.Upstream) error) error

	ClaimJob(ctx context.Context, now time.Time, lease time.Duration, want assistants.JobFilter) (j assistants.Job, ok bool, err error)
	RenewJob(ctx context.Context, j assistants.Job, until time.Time) (assistants.Job, error)
	FinishJob(ctx context.Context, j assistants.Job) error
	RetryJob(ctx context.Context, j assistants.Job, notBefore time.Time) error
	CountJobs(ctx context.Context, kinds ...assistants.JobKind) (int, error)

	Meta(ctx context.Context, key string) (string, error)
	SetMetaOnce(ctx context.Context, key, value string) (stored string, err error)
	Ping(ctx context.Context) error

	ReserveRequest(ctx context.Context, r assistants.IdempotentRequest, now time.Time) (stored assistants.IdempotentRequest, reserved bool, err error)
	RenewRequest(ctx context.Context, r assistants.IdempotentRequest, until time.Time) (assistants.IdempotentRequest, error)
	AnswerRequest(ctx context.Context, r assistants.IdempotentRequest) error
	ForgetRequest(ctx context.Context, r assistants.IdempotentRequest) error
	RemoveExpiredRequests(ctx context.Context, now time.Time) (int, error)

	SaveStreams(ctx context.Context, streams []assistants.StoredStream) error
	StreamSince(ctx context.Context, tenant assistants.TenantID, key assistants.KeyID, id string, from int, now time.Time) (assistants.StoredStream, error)
	RemoveExpiredStreams(ctx context.Context, now time.Time) error

	SaveAudit(ctx context.Context, events []assistants.AuditEvent) error
	FindAudit(ctx context.Context, tenant assistants.TenantID, q assistants.AuditQuery, list assistants.List) (assistants.Listing[assistants.AuditEvent], error)
	RemoveAudit(ctx context.Context, before time.Time, limit int) (int, error)
	Usage(ctx context.Context, tenant assistants.TenantID, q assistants.UsageQuery) ([]assistants.Usage, error)
	RemoveUsage(ctx context.Context, before time.Time) error

	AddQuestions(ctx context.Context, tenant assistants.TenantID, assistant assistants.AssistantID, questions []runs.Gold, replace bool) ([]runs.Gold, error)
	GoldQuestion(ctx context.Context, tenant assistants.TenantID, id assistants.GoldID) (runs.Gold, error)
	FindQuestions(ctx context.Context, tenant assistants.TenantID, assistant assistants.AssistantID, list assistants.List) (assistants.Listing[runs.Gold], error)
	ReplaceQuestionIf(ctx context.Context, tenant assistants.TenantID, id assistants.GoldID, q evaluation.Question, at time.Time, check func(runs.Gold) error) (runs.Gold, error)
	DeleteQuestionIf(ctx context.Context, tenant assistants.TenantID, id assistants.GoldID, check func(runs.Gold) error) error
	AssistantOfQuestion(ctx context.Context, tenant assistants.TenantID, id assistants.GoldID, sight assistants.Sight) (assistants.Assistant, error)

	CreateRun(ctx context.Context, r runs.Run) error
	Run(ctx context.Context, tenant assistants.TenantID, id assistants.RunID) (runs.Run, error)
	FindRuns(ctx context.Context, tenant assistants.TenantID, assistant assistants.AssistantID, list assistants.List) (assistants.Listing[runs.Run], error)
	AssistantOfRun(ctx context.Context, tenant assistants.TenantID, id assistants.RunID, sight assistants.Sight) (assistants.Assistant, error)
	AddOutcome(ctx context.Context, r runs.Run, place int, o evaluation.Outcome) error
	EndRun(ctx context.Context, tenant assistants.TenantID, id assistants.RunID, s runs.Status, at time.Time) (runs.Run, error)
	InterruptRuns(ctx context.Context, at time.Time) (int, error)
	DeleteRunIf(ctx context.Context, tenant assistants.TenantID, id assistants.RunID, at time.Time, check func(runs.Run) error) (cancelled bool, err error)
	Outcomes(ctx context.Context, tenant assistants.TenantID, id assistants.RunID) ([]evaluation.Outcome, error)
	ListOutcomes(ctx context.Context, tenant assistants.TenantID, id assistants.RunID, list assistants.List) (items []evaluation.Outcome, nextCursor string, err error)

	SaveAnswers(ctx context.Context, answers []assistants.Answer) error
	Answer(ctx context.Context, tenant assistants.TenantID, id assistants.AnswerID) (assistants.Answer, error)
	AssistantOfAnswer(ctx context.Context, tenant assistants.TenantID, id assistants.AnswerID, sight assistants.Sight, of assistants.KeyID) (assistants.Assistant, error)
	FindAnswers(ctx context.Context, tenant assistants.TenantID, assistant assistants.AssistantID, q assistants.AnswerQuery, list assistants.List) (assistants.Listing[assistants.Answer], error)
	FindThreads(ctx context.Context, tenant assistants.TenantID, assistant assistants.AssistantID, user string, list assistants.List) (assistants.Listing[assistants.Thread], error)
	Thread(ctx context.Context, tenant assistants.TenantID, assistant assistants.AssistantID, id assistants.ThreadID) (assistants.Thread, error)
	UpdateAnswer(ctx context.Context, tenant assistants.TenantID, id assistants.AnswerID, change func(*assistants.Answer) error) (assistants.Answer, error)
	RemoveAnswer(ctx context.Context, tenant assistants.TenantID, id assistants.AnswerID) error
	RemoveAnswers(ctx context.Context, tenant assistants.TenantID, assistant assistants.AssistantID, q assistants.AnswerQuery) (int, error)
	RemoveOldAnswers(ctx context.Context, now time.Time) error
}
