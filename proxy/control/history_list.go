package control

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
	"footnote/proxy/apierr"
)

// A History keeps the answers of chats; see package assistants/history.
type History interface {
	// Flush waits until what was noted can be listed. ErrUnavailable.
	Flush(ctx context.Context) error
}

// An answerView is a stored question with its answer.
type answerView struct {
	ID                assistants.AnswerID      `json:"id"`
	AssistantID       assistants.AssistantID   `json:"assistant_id"`
	ThreadID          assistants.ThreadID      `json:"thread_id"`
	CreatedAt         time.Time                `json:"created_at"`
	KeyID             assistants.KeyID         `json:"key_id,omitempty"`
	UserID            string                   `json:"user_id,omitempty"`
	RequestID         string                   `json:"request_id"`
	CompletionID      string                   `json:"completion_id,omitempty"`
	Model             string                   `json:"model"`
	Question          string                   `json:"question"`
	Answer            string                   `json:"answer"`
	Truncated         bool                     `json:"truncated"`
	FinishReason      string                   `json:"finish_reason,omitempty"`
	Outcome           assistants.AnswerOutcome `json:"outcome"`
	Code              string                   `json:"code,omitempty"`
	CitationStatus    string                   `json:"citation_status,omitempty"`
	Citations         json.RawMessage          `json:"citations,omitempty"`
	ReferencedIndices []int                    `json:"referenced_indices"`
	Verified          bool                     `json:"verified"`
	Verifications     []verificationView       `json:"verifications"`
	Feedback          *feedbackView            `json:"feedback"`
	Usage             *tokensView              `json:"usage"`
	FirstByteMS       float64                  `json:"first_byte_ms"`
	ResponseTimeMS    float64                  `json:"response_time_ms"`
}

type feedbackView struct {
	Rating    assistants.Rating `json:"rating"`
	Comment   string            `json:"comment"`
	KeyID     assistants.KeyID  `json:"key_id"`
	CreatedAt time.Time         `json:"created_at"`
}

type verificationView struct {
	Source    int                     `json:"source"`
	Result    assistants.SourceResult `json:"result"`
	KeyID     assistants.KeyID        `json:"key_id"`
	CreatedAt time.Time               `json:"created_at"`
}

type tokensView struct {
	PromptTokens     int64 `json:"prompt_tokens"`
	CompletionTokens int64 `json:"completion_tokens"`
}

func viewAnswer(a assistants.Answer) answerView {
	v := answerView{
		ID: a.ID, AssistantID: a.Assistant, ThreadID: a.Thread, CreatedAt: stamp(a.CreatedAt), KeyID: a.Key, UserID: a.User,
		RequestID: a.RequestID, CompletionID: a.CompletionID, Model: a.Model, Question: a.Question, Answer: a.Text, Truncated: a.Truncated,
		FinishReason: a.Finish, Outcome: a.Outcome, Code: a.Code, CitationStatus: a.CitationStatus, Citations: a.Citations,
		ReferencedIndices: a.Cited, Verified: a.Verified(), Verifications: []verificationView{},
		FirstByteMS: milliseconds(a.FirstByte), ResponseTimeMS: milliseconds(a.Took),
	}
	for _, done := range a.Verifications {
		v.Verifications = append(v.Verifications, verificationView{done.Source, done.Result, done.Key, stamp(done.At)})
	}
	if f := a.Feedback; f != nil {
		v.Feedback = &feedbackView{f.Rating, f.Comment, f.Key, stamp(f.At)}
	}
	if a.Tokens != nil {
		v.Usage = &tokensView{a.Tokens.Prompt, a.Tokens.Completion}
	}
	return v
}

func tagOfAnswer(a assistants.Answer) string { return tagOf(viewAnswer(a)) }

type threadView struct {
	ID          assistants.ThreadID    `json:"id"`
	AssistantID assistants.AssistantID `json:"assistant_id"`
	Title       string                 `json:"title"`
	UserID      string                 `json:"user_id,omitempty"`
	Answers     int                    `json:"answers"`
	CreatedAt   time.Time              `json:"created_at"`
	UpdatedAt   time.Time              `json:"updated_at"`
}

func viewThread(t assistants.Thread) threadView {
	return threadView{t.ID, t.Assistant, t.Title, t.User, t.Answers, stamp(t.CreatedAt), stamp(t.UpdatedAt)}
}

// historyOf returns the assistant in the path, once all that was noted of it can be found.
func (a *api) historyOf(c *gin.Context) (assistants.Assistant, error) {
	owner, err := a.assistant(c)
	if err != nil || a.History == nil {
		return owner, err
	}
	return owner, a.History.Flush(c.Request.Context())
}

// listHistory lists the stored answers of an assistant, the newest first.
func (a *api) listHistory(c *gin.Context) error {
	owner, err := a.historyOf(c)
	if err != nil {
		return err
	}
	list, err := queriedListOf(c)
	if err != nil {
		return err
	}
	q, err := answerQueryOf(c, &list)
	if err != nil {
		return err
	}
	found, err := a.Store.FindAnswers(c.Request.Context(), owner.TenantID, owner.ID, q, list)
	if err != nil {
		return err
	}
	answerListing(c, list, found, viewAnswer)
	return nil
}

// answerQueryOf reads which stored answers are asked for, and in which order.
func answerQueryOf(c *gin.Context, list *assistants.List) (q assistants.AnswerQuery, err error) {
	oldestFirst, err := choice(c, "sort", "-created_at", "created_at")
	if list.Descending = !oldestFirst; err != nil {
		return q, err
	}
	for _, name := range c.QueryArray("rating") {
		if !slices.Contains(assistants.Ratings, assistants.Rating(name)) {
			return q, apierr.Invalid("rating", fmt.Sprintf("rating must be one of %s.", joined(assistants.Ratings)))
		}
		if !slices.Contains(q.Ratings, assistants.Rating(name)) {
			q.Ratings = append(q.Ratings, assistants.Rating(name))
		}
	}
	thread := ""
	for _, name := range []struct {
		param string
		into  *string
	}{{"thread_id", &thread}, {"user_id", &q.User}, {"completion_id", &q.Completion}} {
		if *name.into, err = queriedName(c, name.param); err != nil {
			return q, err
		}
	}
	if thread != "" {
		q.Thread = assistants.ThreadIDOf(thread)
	}
	key, err := idParameter(c, "key_id", "key_")
	if err != nil {
		return q, err
	}
	q.Key = assistants.KeyID(key)
	if q.From, err = timeParameter(c, "from"); err != nil {
		return q, err
	}
	q.To, err = timeParameter(c, "to")
	return q, err
}

// queriedName reads a query parameter that is a name; "" when it was not sent.
func queriedName(c *gin.Context, name string) (string, error) {
	value, given, err := apierr.QueryOnce(c, name)
	if err != nil || !given {
		return "", err
	}
	return value, checkQueried(name, value)
}

// exportHistory writes every stored answer that a query selects as a line of JSON.
func (a *api) exportHistory(c *gin.Context) error {
	owner, err := a.historyOf(c)
	if err != nil {
		return err
	}
	list := assistants.List{Limit: exportPage}
	q, err := answerQueryOf(c, &list)
	if err != nil {
		return err
	}
	lines := json.NewEncoder(c.Writer)
	lines.SetEscapeHTML(false)
	for begun := false; ; begun = true {
		found, err := a.Store.FindAnswers(c.Request.Context(), owner.TenantID, owner.ID, q, list)
		switch {
		case err != nil && !begun:
			return err
		case err != nil:
			a.Log.ErrorContext(c.Request.Context(), "the history could not be read to its end", "error", err)
			panic(http.ErrAbortHandler) // after a clean end the file would look complete
		case !begun:
			c.Header("Content-Type", "application/jsonl")
			c.Header("Content-Disposition", `attachment; filename="history.jsonl"`)
			c.Header("Cache-Control", "no-store")
			c.Status(http.StatusOK)
		}
		for _, answer := range found.Items {
			if lines.Encode(viewAnswer(answer)) != nil {
				return nil //nolint:nilerr // the client has left
			}
		}
		c.Writer.Flush()
		if list.Cursor = found.Next; found.Next == "" {
			return nil
		}
	}
}

// exportPage is how many answers an export holds in memory.
const exportPage = 20

// listThreads lists the conversations of an assistant, those with the newest answer first.
func (a *api) listThreads(c *gin.Context) error {
	owner, err := a.historyOf(c)
	if err != nil {
		return err
	}
	list, err := queriedListOf(c)
	if err != nil {
		return err
	}
	user, err := queriedName(c, "user_id")
	if err != nil {
		return err
	}
	list.Descending = true
	found, err := a.Store.FindThreads(c.Request.Context(), owner.TenantID, owner.ID, user, list)
	if err != nil {
		return err
	}
	answerListing(c, list, found, viewThread)
	return nil
}

// thread returns the conversation in the path and its assistant.
func (a *api) thread(c *gin.Context) (assistants.Assistant, assistants.Thread, error) {
	if !assistants.IsThreadID(c.Param("thread")) {
		return assistants.Assistant{}, assistants.Thread{}, assistants.ErrNotFound
	}
	owner, err := a.historyOf(c)
	if err != nil {
		return owner, assistants.Thread{}, err
	}
	found, err := a.Store.Thread(c.Request.Context(), owner.TenantID, owner.ID, assistants.ThreadID(c.Param("thread")))
	return owner, found, err
}

func (a *api) getThread(c *gin.Context) error {
	_, found, err := a.thread(c)
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, viewThread(found))
	return nil
}
