package assistants

import (
	"encoding/json"
	"slices"
	"time"
)

// An Answer is a question with its answer, as an assistant with store_history keeps it.
type Answer struct {
	ID        AnswerID
	TenantID  TenantID
	Assistant AssistantID
	Thread    ThreadID
	CreatedAt time.Time // when the question came

	Key          KeyID // "": the request had none
	User         string
	RequestID    string
	CompletionID string // that the client got as id; "": none
	Model        string // that the upstream was asked for

	Question  string // the last message of the user
	Text      string // the answer's first choice, as the client got it
	Truncated bool   // one of the two was too long to be kept whole
	Finish    string // finish_reason of the choice; "": it has none
	Outcome   AnswerOutcome
	Code      string // of the error that ended the answer; "": none

	CitationStatus string
	Citations      json.RawMessage // the citations object without links; nil: there is none
	Cited          []int           // numbers of the sources that the answer cites

	Tokens    *Tokens // nil: the model server did not tell
	FirstByte time.Duration
	Took      time.Duration

	Feedback      *Feedback // nil: none
	Verifications []Verification
}

// AnswerOutcome is how an answer ended.
type AnswerOutcome string

// Outcomes of answers.
const (
	AnswerComplete    AnswerOutcome = "complete"
	AnswerInterrupted AnswerOutcome = "interrupted" // the client left
	AnswerFailed      AnswerOutcome = "failed"      // its stream ended with an error
)

// Bounds of what is kept of an answer, in bytes. Longer texts are cut.
const (
	MaxKeptQuestion = 64 << 10
	MaxKeptAnswer   = 1 << 20
	MaxComment      = 4 << 10
)

// Bounded returns the answer as stores can keep it: its texts are UTF-8 without NUL
// and not longer than their bounds.
func (a Answer) Bounded() Answer {
	a.Truncated = a.Truncated || len(a.Question) > MaxKeptQuestion || len(a.Text) > MaxKeptAnswer
	a.Question = boundedText(a.Question, MaxKeptQuestion)
	a.Text = boundedText(a.Text, MaxKeptAnswer)
	for _, text := range []*string{&a.User, &a.RequestID, &a.CompletionID, &a.Model, &a.Finish, &a.Code} {
		*text = boundedText(*text, maxAuditName)
	}
	return a
}

// Size is about how many bytes the answer takes in memory.
func (a Answer) Size() int { return len(a.Question) + len(a.Text) + len(a.Citations) + 1<<10 }

// Verified reports whether a person has confirmed every source that the answer cites.
func (a Answer) Verified() bool {
	for _, source := range a.Cited {
		if !slices.ContainsFunc(a.Verifications, func(v Verification) bool { return v.Source == source && v.Result == SourceConfirmed }) {
			return false
		}
	}
	return len(a.Cited) > 0
}

// Rating is what a person thinks of an answer.
type Rating string

// Ratings of answers.
const (
	RatingUp   Rating = "up"
	RatingDown Rating = "down"
)

// Ratings lists every rating.
var Ratings = []Rating{RatingUp, RatingDown}

// Feedback is what a person says of an answer.
type Feedback struct {
	Rating  Rating
	Comment string
	Key     KeyID // that sent it
	At      time.Time
}

// SourceResult is what a person found when comparing a source with its document.
type SourceResult string

// Results of verifications.
const (
	SourceConfirmed SourceResult = "confirmed" // the source says what the answer says
	SourceRejected  SourceResult = "rejected"
)

// SourceResults lists every result.
var SourceResults = []SourceResult{SourceConfirmed, SourceRejected}

// A Verification says that a person has compared a source of an answer with its document.
type Verification struct {
	Source int          `json:"source"` // its number
	Result SourceResult `json:"result"`
	Key    KeyID        `json:"key"` // that sent it
	At     time.Time    `json:"at"`
}

// A Thread is a conversation: the stored answers of an assistant with the same thread id.
type Thread struct {
	ID        ThreadID
	TenantID  TenantID
	Assistant AssistantID
	Title     string // beginning of its first stored question
	User      string // of its first stored question; "": not named
	Answers   int
	CreatedAt time.Time // of its first stored answer
	UpdatedAt time.Time // of its last one
}

// MaxThreadTitle bounds the title of a thread, in bytes.
const MaxThreadTitle = 200

// TitleOf is the title of a thread that begins with a question.
func TitleOf(question string) string { return boundedText(question, MaxThreadTitle) }

// An AnswerQuery selects stored answers of an assistant; its zero value selects all.
type AnswerQuery struct {
	Thread     ThreadID  // "": any
	User       string    // "": any
	Key        KeyID     // "": any
	Completion string    // "": any
	Ratings    []Rating  // one of these; none: any, also unrated ones
	From, To   time.Time // from the one, up to before the other; zero: unbounded
}

// IsZero reports whether the query selects all.
func (q AnswerQuery) IsZero() bool {
	return q.Thread == "" && q.User == "" && q.Key == "" && q.Completion == "" && len(q.Ratings) == 0 && q.From.IsZero() && q.To.IsZero()
}
