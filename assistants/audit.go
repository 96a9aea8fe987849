package assistants

import (
	"strings"
	"time"
	"unicode/utf8"
)

// An AuditEvent says who did what, when, from where, and how it ended. It has the
// question of a chat or a search and the ids of what was found, but never an answer,
// a passage or a secret.
type AuditEvent struct {
	ID        AuditID
	TenantID  TenantID
	CreatedAt time.Time // when the request came
	Action    AuditAction
	Status    int    // of HTTP; 0: not known, because the server ended before its answer
	Code      string // of the error; "": none

	Key       KeyID // "": the request had none
	KeyName   string
	User      string // what the request calls its end user; "": nothing
	Address   string // of the client
	RequestID string

	Assistant   AssistantID    // "": none
	Target      string         // id of what was made, changed or deleted; "": nothing, or Documents
	Fields      []string       // names of what was changed in it
	Model       string         // that a chat asked for
	Query       string         // of a chat or a search
	Collections []CollectionID // that were searched, or got documents
	Documents   []DocumentID   // that were found, uploaded, changed or deleted
	Results     int            // passages found
	Took        time.Duration

	Chat *ChatOutcome // of a chat that usage is counted from; it is not stored with the event
}

// AuditAction is what an event is about.
type AuditAction string

// Actions. AuditGap stands for events that could not be kept: Results is their number.
const (
	AuditChat                AuditAction = "chat"
	AuditSearch              AuditAction = "search"
	AuditCheck               AuditAction = "check"
	AuditAssistantCreate     AuditAction = "assistant.create"
	AuditAssistantUpdate     AuditAction = "assistant.update"
	AuditAssistantDelete     AuditAction = "assistant.delete"
	AuditSettingsUpdate      AuditAction = "settings.update"
	AuditDocumentUpload      AuditAction = "document.upload"
	AuditDocumentReplace     AuditAction = "document.replace"
	AuditDocumentUpdate      AuditAction = "document.update"
	AuditDocumentMove        AuditAction = "document.move"
	AuditDocumentReprocess   AuditAction = "document.reprocess"
	AuditDocumentDelete      AuditAction = "document.delete"
	AuditDocumentsBulk       AuditAction = "documents.bulk"
	AuditCollectionCreate    AuditAction = "collection.create"
	AuditCollectionUpdate    AuditAction = "collection.update"
	AuditCollectionReprocess AuditAction = "collection.reprocess"
	AuditCollectionDelete    AuditAction = "collection.delete"
	AuditUpstreamCreate      AuditAction = "upstream.create"
	AuditUpstreamUpdate      AuditAction = "upstream.update"
	AuditUpstreamDelete      AuditAction = "upstream.delete"
	AuditKeyCreate           AuditAction = "key.create"
	AuditKeyUpdate           AuditAction = "key.update"
	AuditKeyRevoke           AuditAction = "key.revoke"
	AuditGoldCreate          AuditAction = "eval_question.create"
	AuditGoldUpdate          AuditAction = "eval_question.update"
	AuditGoldDelete          AuditAction = "eval_question.delete"
	AuditGoldImport          AuditAction = "eval_questions.import"
	AuditRunCreate           AuditAction = "eval_run.create"
	AuditRunDelete           AuditAction = "eval_run.delete"
	AuditHistoryDelete       AuditAction = "history.delete"
	AuditFeedbackUpdate      AuditAction = "feedback.update"
	AuditFeedbackDelete      AuditAction = "feedback.delete"
	AuditVerificationUpdate  AuditAction = "verification.update"
	AuditVerificationDelete  AuditAction = "verification.delete"
	AuditGap                 AuditAction = "audit.gap"
)

// AuditActions lists every action.
var AuditActions = []AuditAction{
	AuditChat, AuditSearch, AuditCheck, AuditAssistantCreate, AuditAssistantUpdate, AuditAssistantDelete, AuditSettingsUpdate,
	AuditDocumentUpload, AuditDocumentReplace, AuditDocumentUpdate, AuditDocumentMove, AuditDocumentReprocess, AuditDocumentDelete, AuditDocumentsBulk,
	AuditCollectionCreate, AuditCollectionUpdate, AuditCollectionReprocess, AuditCollectionDelete,
	AuditUpstreamCreate, AuditUpstreamUpdate, AuditUpstreamDelete, AuditKeyCreate, AuditKeyUpdate, AuditKeyRevoke,
	AuditGoldCreate, AuditGoldUpdate, AuditGoldDelete, AuditGoldImport, AuditRunCreate, AuditRunDelete,
	AuditHistoryDelete, AuditFeedbackUpdate, AuditFeedbackDelete, AuditVerificationUpdate, AuditVerificationDelete, AuditGap,
}

// AuditResult is how what an event is about ended.
type AuditResult string

// Results of events.
const (
	AuditOK          AuditResult = "ok"
	AuditRefused     AuditResult = "refused"     // for a mistake of the request
	AuditInterrupted AuditResult = "interrupted" // the client left
	AuditFailed      AuditResult = "failed"      // of the server or the model server
	AuditUnknown     AuditResult = "unknown"     // the server ended before its answer
)

// AuditResults lists every result.
var AuditResults = []AuditResult{AuditOK, AuditRefused, AuditInterrupted, AuditFailed, AuditUnknown}

// statusClientClosed is the status of a request whose client left.
const statusClientClosed = 499

// Result is how it ended. A stream can fail after its status was sent.
func (e AuditEvent) Result() AuditResult {
	switch {
	case e.Status == 0:
		return AuditUnknown
	case e.Status == statusClientClosed:
		return AuditInterrupted
	case e.Status >= 500 || e.Status < 400 && e.Code != "":
		return AuditFailed
	case e.Status >= 400:
		return AuditRefused
	}
	return AuditOK
}

// Bounds of an event, in bytes and in items. Longer values are cut.
const (
	maxAuditQuery = 4 << 10
	maxAuditName  = 255
	maxAuditItems = 1000
)

// Bounded returns the event as stores can keep it: its texts are UTF-8 without NUL,
// and neither they nor its lists are longer than their bounds.
func (e AuditEvent) Bounded() AuditEvent {
	e.Query = boundedText(e.Query, maxAuditQuery)
	for _, text := range []*string{&e.KeyName, &e.User, &e.Model, &e.Address, &e.RequestID, &e.Target, &e.Code} {
		*text = boundedText(*text, maxAuditName)
	}
	e.Collections = e.Collections[:min(len(e.Collections), maxAuditItems)]
	e.Documents = e.Documents[:min(len(e.Documents), maxAuditItems)]
	e.Fields = e.Fields[:min(len(e.Fields), maxAuditItems)]
	return e
}

// boundedText returns a text as stores can keep it, cut to limit bytes.
func boundedText(text string, limit int) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
	if len(text) <= limit {
		return text
	}
	end := limit
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return strings.Clone(text[:end]) // so that the whole is not kept in memory
}

// An AuditQuery selects events; its zero value selects all.
type AuditQuery struct {
	Actions   []AuditAction // one of these; none: any
	Result    AuditResult   // "": any
	Key       KeyID         // "": any
	Assistant AssistantID   // "": any
	From, To  time.Time     // from the one, up to before the other; zero: unbounded
}
