package chat

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
	"footnote/citations"
	"footnote/proxy/apierr"
	"footnote/proxy/wire"
)

// Headers of the history. A client that sends the thread's id with its next question
// continues the conversation.
const (
	answerHeader = "X-Footnote-Answer"
	threadHeader = "X-Thread-Id"
)

// historyHeader keeps the answer to one request out of the history.
const historyHeader = "X-Footnote-History"

// threadHeaders name the conversation that a question belongs to: ours, and that of a
// widespread chat client.
var threadHeaders = []string{threadHeader, "X-Openwebui-Chat-Id"}

// A keeper gathers one answer for the history, as the client gets it. A nil keeper
// gathers nothing.
type keeper struct {
	answer assistants.Answer
	text   strings.Builder // of a stream's first choice
	frame  wire.Frame
	choice int
	begun  bool // choice is known
}

// newKeeper returns the keeper of an answer, nil unless the assistant stores its
// answers and the request allows that.
func (h *Handler) newKeeper(c *gin.Context, in *inbound, event *auditEvent) *keeper {
	wanted := in.assistant != nil && in.settings.StoreHistory && !isOff(c, historyHeader) && string(in.req.Raw("store")) != "false"
	if h.deps.History == nil || !wanted {
		return nil
	}
	return &keeper{answer: assistants.Answer{
		ID: assistants.NewAnswerID(), TenantID: in.assistant.TenantID, Assistant: in.assistant.ID, Thread: threadOf(c),
		Key: in.caller.Key.ID, User: event.User, RequestID: requestIDOf(c), Model: in.model, Question: in.req.LastUserText(),
	}}
}

// threadOf returns the conversation that a request belongs to, a new one unless it
// names one.
func threadOf(c *gin.Context) assistants.ThreadID {
	for _, name := range threadHeaders {
		if value := c.GetHeader(name); value != "" {
			return assistants.ThreadIDOf(value)
		}
	}
	return assistants.NewThreadID()
}

// headers tells the client how to find the answer in the history.
func (k *keeper) headers(c *gin.Context) {
	if k != nil {
		c.Header(answerHeader, string(k.answer.ID))
		c.Header(threadHeader, string(k.answer.Thread))
	}
}

// whole notes an answer that goes out as a whole.
func (k *keeper) whole(body []byte) {
	if k == nil {
		return
	}
	completion, err := wire.ReadResponse(body)
	if err != nil {
		return // it has no choice, and so no text
	}
	first := completion.Choices()[0]
	k.answer.Text, k.answer.Finish, k.answer.CompletionID = first.Text, first.FinishReason, wire.ID(body)
}

// sent notes the data of a frame that goes out.
func (k *keeper) sent(data []byte) {
	if k == nil || wire.ScanFrame(data, &k.frame) != nil {
		return
	}
	if k.answer.CompletionID == "" {
		k.answer.CompletionID = wire.ID(data)
	}
	for _, choice := range k.frame.Choices {
		if !k.begun {
			k.choice, k.begun = choice.Index, true
		}
		if choice.Index != k.choice {
			continue
		}
		if choice.FinishReason != "" {
			k.answer.Finish = choice.FinishReason
		}
		if k.text.Len() > assistants.MaxKeptAnswer {
			k.answer.Truncated = true
			continue
		}
		k.text.WriteString(choice.Content)
	}
}

// keep notes the answer in the history, once it has ended or broken off. An error of
// the upstream without an answer is not kept.
func (r *relay) keep(start time.Time) {
	k := r.keeper
	if k == nil || r.began.IsZero() || r.reply.Response == nil || r.reply.Status != 200 {
		return
	}
	a := k.answer
	a.Model = r.in.model // a fallback has its own
	a.CreatedAt, a.Took, a.FirstByte = start, time.Since(start), max(r.began.Sub(start), 1)
	if k.text.Len() > 0 {
		a.Text = k.text.String()
	}
	if r.in.settings.CitationFormat == assistants.FormatMarkdown {
		a.Text = citations.WithoutList(a.Text) // its links let anyone in who has them
	}
	a.Outcome = assistants.AnswerComplete
	switch {
	case r.left:
		a.Outcome = assistants.AnswerInterrupted
	case r.fault != nil:
		a.Outcome = assistants.AnswerFailed
		_, a.Code = apierr.StatusAndCode(r.fault)
	}
	if r.usage != nil {
		a.Tokens = &assistants.Tokens{Prompt: r.usage.Prompt, Completion: r.usage.Completion}
	}
	a.CitationStatus = r.status
	if verdict := r.keptVerdict(a.Outcome); verdict != nil {
		a.CitationStatus, a.Citations, a.Cited = verdict.Status, withoutLinks(verdict), slices.Clone(verdict.ReferencedIndices)
	}
	r.h.deps.History.Record(a)
}

// keptVerdict returns what a complete answer cites, also where the client is not told.
func (r *relay) keptVerdict(outcome assistants.AnswerOutcome) *citations.Citations {
	if outcome != assistants.AnswerComplete || !r.in.cites() {
		return nil
	}
	if r.verdict == nil {
		return r.judge()
	}
	return r.verdict
}

// withoutLinks returns the citations object without links, because they let anyone in
// who has them, and end.
func withoutLinks(c *citations.Citations) json.RawMessage {
	plain := *c
	plain.Sources = slices.Clone(c.Sources)
	for i := range plain.Sources {
		plain.Sources[i].DownloadURL = ""
	}
	return plain.AppendJSON(nil)
}
