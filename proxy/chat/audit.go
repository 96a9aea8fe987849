package chat

import (
	"encoding/json"
	"time"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
	"footnote/proxy/access"
	"footnote/proxy/apierr"
)

// An auditEvent becomes what the audit log says of a chat.
type auditEvent struct {
	assistants.AuditEvent
	left     bool  // the client left before its answer was complete
	fault    error // what ended a stream that had begun
	returned bool  // the relay did not panic
}

func (h *Handler) newEvent(c *gin.Context, caller access.Principal, start time.Time) *auditEvent {
	if h.deps.Audit == nil {
		return &auditEvent{AuditEvent: assistants.AuditEvent{Chat: &assistants.ChatOutcome{}}}
	}
	return &auditEvent{AuditEvent: assistants.AuditEvent{
		ID: assistants.NewAuditID(), TenantID: caller.Tenant, CreatedAt: start, Action: assistants.AuditChat,
		Key: caller.Key.ID, KeyName: caller.Key.Name, Address: c.ClientIP(), RequestID: requestIDOf(c), Chat: &assistants.ChatOutcome{},
	}}
}

func (e *auditEvent) received(in *inbound) {
	e.Model = in.model
	if in.assistant != nil {
		e.Assistant, e.TenantID = in.assistant.ID, in.assistant.TenantID
	}
	if in.req == nil {
		return // it could not be read
	}
	e.Query = in.req.LastUserText()
	if in.model == "" {
		e.Model = in.req.Model()
	}
	_ = json.Unmarshal(in.req.Raw("user"), &e.User) // another type than text names nobody
}

func (e *auditEvent) retrieved(in *inbound, found *grounded) {
	if !in.retrieves() || found.skipped {
		return
	}
	e.Collections = in.settings.Searches(in.assistant.CollectionID)
	e.Documents, e.Results = assistants.DocumentsOf(found.result.Hits), len(found.result.Hits)
}

func (e *auditEvent) answered(r *relay) {
	e.left, e.fault = r.left, r.fault
	e.Model = r.in.model // a fallback has its own
	e.Chat.Citations = r.status
	if !r.began.IsZero() {
		e.Chat.FirstByte = max(r.began.Sub(e.CreatedAt), 1)
	}
	if r.usage != nil {
		helped := &r.in.helped
		e.Chat.Tokens = &assistants.Tokens{Prompt: r.usage.Prompt + helped.prompt.Load(), Completion: r.usage.Completion + helped.completion.Load()}
	}
}

// audit notes a chat that has ended with err, or with the status of its answer.
func (h *Handler) audit(c *gin.Context, e *auditEvent, err error) {
	if h.deps.Audit == nil {
		return
	}
	e.Status, e.Took = c.Writer.Status(), time.Since(e.CreatedAt)
	switch {
	case e.left:
		e.Status = apierr.StatusClientClosed
	case e.fault != nil:
		_, e.Code = apierr.StatusAndCode(e.fault)
	case err != nil:
		e.Status, e.Code = apierr.StatusAndCode(err)
	case !e.returned:
		e.Status, e.Code = apierr.StatusAndCode(apierr.Internal())
	}
	h.deps.Audit.Record(e.AuditEvent)
}
