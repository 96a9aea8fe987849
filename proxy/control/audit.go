package control

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
	"footnote/proxy/access"
	"footnote/proxy/apierr"
)

// An AuditLog keeps who did what; see package assistants/audit.
type AuditLog interface {
	// Begin stores an event before a change is made. ErrUnavailable: the change must
	// not be made.
	Begin(ctx context.Context, e assistants.AuditEvent) error
	// Record notes an event that has ended, without waiting for the database.
	Record(e assistants.AuditEvent)
	// Flush waits until what was recorded can be listed. ErrUnavailable.
	Flush(ctx context.Context) error
}

// Recent tells what an AuditLog counts in memory.
type Recent interface {
	// Recent returns the figures of the last hour's chats that ended in this process, a
	// minute each, the oldest first, and those without chats too.
	Recent(tenant assistants.TenantID) []assistants.UsageMinute
}

const auditKey = "footnote.control.audit"

// audited calls a route's handler and notes the request in the audit log: a change
// before it is made, and its end afterwards.
func (a *api) audited(c *gin.Context, rt route, p access.Principal) (err error) {
	if rt.action == "" || a.Audit == nil {
		return allowed(c, rt, p)
	}
	e := &assistants.AuditEvent{
		ID: assistants.NewAuditID(), TenantID: p.Tenant, CreatedAt: a.Now(), Action: rt.action, Key: p.Key.ID, KeyName: p.Key.Name,
		Address: c.ClientIP(), RequestID: c.Writer.Header().Get(apierr.RequestIDHeader), Target: targetOf(c),
	}
	c.Set(auditKey, e)
	e.Status, e.Code = 500, apierr.CodeInternal // unless the handler returns
	defer func() {
		e.Took = a.Now().Sub(e.CreatedAt)
		a.Audit.Record(*e)
	}()
	if rt.action != assistants.AuditSearch && rt.need.check(p) == nil {
		begun := *e
		begun.Status, begun.Code = 0, ""
		err = a.Audit.Begin(c.Request.Context(), begun)
	}
	if err == nil {
		err = allowed(c, rt, p)
	}
	e.Status, e.Code = c.Writer.Status(), ""
	if err != nil {
		e.Status, e.Code = apierr.StatusAndCode(err)
		e.Fields = nil // they may be anything
	}
	return err
}

// targetOf returns the id in the path of a request, "" if it has none. Handlers that
// make something, or find an assistant by its slug, know a better one.
func targetOf(c *gin.Context) string {
	for _, kind := range []struct{ param, prefix string }{
		{"assistant", "asst_"}, {"document", "doc_"}, {"collection", "coll_"}, {"upstream", "up_"}, {"key", "key_"},
		{"question", "gold_"}, {"run", "run_"},
		{"answer", "ans_"},
	} {
		if id := c.Param(kind.param); assistants.IsID(kind.prefix, id) {
			return id
		}
	}
	return ""
}

// eventOf returns the event of a request, for a handler to fill in. If the request is
// not audited, nobody reads it.
func eventOf(c *gin.Context) *assistants.AuditEvent {
	if e, ok := c.Value(auditKey).(*assistants.AuditEvent); ok {
		return e
	}
	return &assistants.AuditEvent{}
}

// noteFields notes the names of a body's members, and of the settings in it.
func noteFields(c *gin.Context, body []byte) {
	var members map[string]json.RawMessage
	if json.Unmarshal(body, &members) != nil {
		return // it is refused
	}
	var names []string
	for name, raw := range members {
		var settings map[string]json.RawMessage
		if name != "settings" || json.Unmarshal(raw, &settings) != nil {
			names = append(names, name)
		}
		for setting := range settings {
			names = append(names, name+"."+setting)
		}
	}
	slices.Sort(names)
	eventOf(c).Fields = names
}

// noteRepeated notes what an earlier request made, whose answer is repeated.
func noteRepeated(c *gin.Context, body []byte) {
	var made struct{ ID string }
	if json.Unmarshal(body, &made) == nil { // else it was an error, or several documents
		noteMade(c, made.ID)
	}
}

func noteMade(c *gin.Context, id string) {
	e := eventOf(c)
	if assistants.IsID("doc_", id) {
		e.Documents = append(e.Documents, assistants.DocumentID(id))
		return
	}
	if e.Target = id; assistants.IsID("asst_", id) {
		e.Assistant = assistants.AssistantID(id)
	}
}
