package runs

import (
	"time"

	"footnote/assistants"
	"footnote/assistants/evaluation"
)

// Bounds of what is stored.
const (
	MaxQuestions = 1000     // of an assistant, and so of a run
	MaxQuestion  = 32 << 10 // bytes of a question as JSON
)

// A Gold is a stored gold question. Its Question.ID is unique within the
// assistant; runs are compared by it.
type Gold struct {
	ID        assistants.GoldID
	Tenant    assistants.TenantID
	Assistant assistants.AssistantID
	Question  evaluation.Question
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Status is the state of a run.
type Status string

// States of runs. A run begins as running and ends in one of the others.
const (
	Running     Status = "running"
	Completed   Status = "completed"   // every question was asked
	Cancelled   Status = "cancelled"   // a client ended it
	Interrupted Status = "interrupted" // the server ended before the run did
)

// A Run puts the questions that an assistant has when it begins to that assistant.
type Run struct {
	ID        assistants.RunID
	Tenant    assistants.TenantID
	Assistant assistants.AssistantID
	Name      string         // for people; may be empty
	Settings  map[string]any // tried for retrieval instead of the assistant's own; nil: none
	TopK      int            // passages asked for each question
	Answers   bool           // also ask for answers
	Judge     bool           // also have the model judge answers whose expected answer is known
	Status    Status
	Total     int // questions
	Done      int // those with a stored outcome
	CreatedAt time.Time
	EndedAt   *time.Time          // nil: it runs
	Summary   *evaluation.Summary // of the outcomes; nil: it runs
}
