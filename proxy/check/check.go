// Package check answers POST /v1/check: whether a text that is there already is borne
// out by documents, or by passages that come with the request.
//
// It obeys one rule: no model is asked. It imports no database and no index; its
// caller passes them in behind the interfaces of this package.
package check

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
	"footnote/assistants/retrieval"
	"footnote/citations"
	"footnote/proxy/access"
	"footnote/proxy/apierr"
	"footnote/proxy/front"
	"footnote/proxy/grounding"
	"footnote/proxy/links"
)

// Directory finds assistants.
type Directory interface {
	// KnownAssistant finds an assistant in sight by id or slug; ErrNotFound,
	// ErrUnavailable. Callers share it and must not change it.
	KnownAssistant(ctx context.Context, tenant assistants.TenantID, ref string, sight assistants.Sight) (*assistants.Assistant, error)
}

// Retriever finds the passages for a statement.
type Retriever interface {
	// Retrieve returns hits in order of score. An error means that nothing was searched.
	Retrieve(ctx context.Context, q retrieval.Query) (retrieval.Result, error)
}

// Audit is the part of the audit log that checks need.
type Audit interface {
	// Record notes what has ended, without waiting for the database.
	Record(e assistants.AuditEvent)
}

// Deps are the parts that a handler works with. All are required but Embedder,
// Audit and Limits.
type Deps struct {
	Directory Directory
	Retriever Retriever
	Front     *front.Front
	Links     *links.Links
	Embedder  grounding.Embedder // compares by meaning; nil: nothing does
	Log       *slog.Logger
	Audit     Audit          // nil: nothing is kept
	Limits    *access.Limits // nil: there are none
}

// A Handler answers checks. It is safe for concurrent use.
type Handler struct{ deps Deps }

// New returns a handler.
func New(d Deps) *Handler { return &Handler{d} }

// asSearch counts a check as a search.
var asSearch = access.Ask{Kind: access.Search}

// Check answers one request of the caller.
func (h *Handler) Check(c *gin.Context, caller access.Principal) (err error) {
	if err := caller.Require(assistants.ScopeSearch); err != nil {
		return err
	}
	if err := h.deps.Front.Admit(c); err != nil {
		return err
	}
	defer h.deps.Front.Leave()
	event := assistants.AuditEvent{
		ID: assistants.NewAuditID(), TenantID: caller.Tenant, CreatedAt: time.Now(), Action: assistants.AuditCheck,
		Key: caller.Key.ID, KeyName: caller.Key.Name, Address: c.ClientIP(), RequestID: c.Writer.Header().Get(apierr.RequestIDHeader),
		Status: http.StatusInternalServerError, Code: apierr.CodeInternal, // unless the request is answered
	}
	defer func() {
		if h.deps.Audit != nil {
			event.Took = time.Since(event.CreatedAt)
			h.deps.Audit.Record(event)
		}
	}()
	verdict, err := h.verdict(c, caller, &event)
	if err != nil {
		event.Status, event.Code = apierr.StatusAndCode(err)
		return err
	}
	event.Status, event.Code = http.StatusOK, ""
	body := append(verdict.AppendJSON([]byte(`{"citations":`)), '}')
	c.Data(http.StatusOK, "application/json", body)
	return nil
}

// verdict reads the request and checks its text.
func (h *Handler) verdict(c *gin.Context, caller access.Principal, event *assistants.AuditEvent) (*citations.Citations, error) {
	body, err := h.deps.Front.ReadJSON(c)
	if err != nil {
		return nil, err
	}
	defer body.Release()
	in, err := readRequest(body.Bytes)
	if err != nil {
		return nil, err
	}
	if in.passages != nil {
		pass, err := h.deps.Limits.Admit(c.Request.Context(), caller, nil, asSearch)
		if err != nil {
			return nil, err
		}
		defer pass.Release(0)
		set := citations.NewSet(grounding.Brought(in.passages, in.text), citations.Options{Support: true})
		t := set.Tracker()
		t.Write(0, in.text)
		event.Results = len(in.passages)
		return t.Result(), nil
	}
	if !assistants.NamesAssistant(in.assistant) {
		return nil, assistants.ErrNotFound
	}
	a, err := h.deps.Directory.KnownAssistant(c.Request.Context(), caller.Tenant, in.assistant, caller.Sight())
	if err != nil {
		return nil, err
	}
	pass, err := h.deps.Limits.Admit(c.Request.Context(), caller, a, asSearch)
	if err != nil {
		return nil, err
	}
	defer pass.Release(0)
	event.Assistant, event.Collections = a.ID, a.Settings.Searches(a.CollectionID)
	return h.attribute(c, a, in, event)
}
