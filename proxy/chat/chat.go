package chat

import (
	"context"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"footnote/proxy/access"
	"footnote/proxy/upstream"
)

// Complete answers one chat request of the caller. It fills in the entry for the
// access log.
func (h *Handler) Complete(c *gin.Context, caller access.Principal, entry *Entry) error {
	if err := h.deps.Front.Admit(c); err != nil {
		return err
	}
	defer h.deps.Front.Leave()
	ex, err := h.newExchange(c, caller)
	defer h.release(ex)
	defer func() { *entry = ex.entry() }()
	if err != nil {
		return err
	}
	if err := h.retrieve(c, ex); err != nil {
		return err
	}
	h.prepare(ex)

	ctx, cancel := h.Bounded(c.Request.Context())
	defer cancel(nil)
	defer h.record(c, ex)
	if ex.req.Stream() {
		return h.answerStream(ctx, cancel, c, ex)
	}
	return h.answerJSON(ctx, c, ex)
}

// ask sends the prepared request to the upstream. An answer that is no success
// is a *refusal.
func (h *Handler) ask(ctx context.Context, c *gin.Context, ex *exchange) (*upstream.Response, error) {
	resp, err := ex.client.Chat(ctx, ex.call(c))
	if err != nil {
		h.deps.Metrics.upstream(0)
		if cause := context.Cause(ctx); cause != nil {
			return nil, cause
		}
		return nil, err
	}
	ex.answer, ex.upstream = resp, resp.Status
	h.deps.Metrics.upstream(resp.Status)
	if resp.Status == http.StatusOK {
		return resp, nil
	}
	body, err := readAnswer(ctx, resp.Body, maxErrorBytes, nil)
	_ = resp.Body.Close() // read, or given up
	if err != nil {
		return nil, err
	}
	return nil, &refusal{resp.Status, upstream.RefusalHeaders(resp.Status, resp.Header), body, ex}
}

// isEventStream reports whether an upstream's answer is a stream.
func isEventStream(resp *upstream.Response) bool {
	return strings.HasPrefix(strings.ToLower(resp.Header.Get("Content-Type")), "text/event-stream")
}

// A refusal is an upstream's answer with a status other than 200. The client
// gets its status and body as they came.
type refusal struct {
	status int
	header http.Header
	body   []byte
	ex     *exchange
}

// Error says the status only; the body is the client's.
func (r *refusal) Error() string { return "the upstream answered " + http.StatusText(r.status) }

func (r *refusal) write(c *gin.Context) {
	setHeaders(c.Writer.Header(), r.header)
	WriteBody(c, r.status, r.body)
}

// asFrame is the refusal as an error that fits into a stream that has begun.
func (r *refusal) asFrame() error {
	if fault := r.ex.bodyFault(r.body); fault != nil {
		return fault
	}
	return upstream.Reported(r.Error()+".", "", "", "")
}

func setHeaders(to, from http.Header) {
	for name, values := range from {
		to[name] = values
	}
}

// record counts when the answer began and what it cited.
func (h *Handler) record(c *gin.Context, ex *exchange) {
	if ex.tracker != nil && ex.tracker.Fault() != nil {
		h.deps.Log.Error("an answer could not be scanned", "request_id", requestIDOf(c), "model", ex.model, "error", ex.tracker.Fault())
	}
	if !ex.firstByte.IsZero() {
		h.deps.Metrics.firstByte(ex.req.Stream(), ex.firstByte.Sub(ex.start))
	}
	if ex.cited != nil && ex.tracker != nil {
		h.deps.Metrics.citations(ex.cited)
	}
}
