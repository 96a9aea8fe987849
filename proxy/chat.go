package proxy

import (
	"context"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"footnote/proxy/upstream"
)

// handleChatCompletions answers one chat request.
func (s *Server) handleChatCompletions(c *gin.Context) error {
	if err := s.front.Admit(c); err != nil {
		return err
	}
	defer s.front.Leave()
	ex, err := s.newExchange(c)
	defer s.release(ex)
	if err != nil {
		return err
	}
	if err := s.retrieve(c, ex); err != nil {
		return err
	}
	s.prepare(ex)

	ctx, cancel := s.bounded(c.Request.Context())
	defer cancel(nil)
	defer s.record(c, ex)
	if ex.req.Stream() {
		return s.answerStream(ctx, cancel, c, ex)
	}
	return s.answerJSON(ctx, c, ex)
}

// bounded derives the context of the upstream call: it ends with the client's
// request and with the server.
func (s *Server) bounded(parent context.Context) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	unhook := context.AfterFunc(s.stop, func() { cancel(errShuttingDown) })
	return ctx, func(cause error) { unhook(); cancel(cause) }
}

// ask sends the prepared request to the upstream. An answer that is no success
// is a *refusal.
func (s *Server) ask(ctx context.Context, c *gin.Context, ex *exchange) (*upstream.Response, error) {
	resp, err := ex.client.Chat(ctx, ex.call(c))
	if err != nil {
		s.deps.Metrics.upstream(0)
		if cause := context.Cause(ctx); cause != nil {
			return nil, stopReason(cause)
		}
		return nil, err
	}
	ex.answer, ex.upstream = resp, resp.Status
	s.deps.Metrics.upstream(resp.Status)
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
	writeBody(c, r.status, r.body)
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
func (s *Server) record(c *gin.Context, ex *exchange) {
	if ex.tracker != nil && ex.tracker.Fault() != nil {
		s.deps.Log.Error("an answer could not be scanned", "request_id", requestIDOf(c), "model", ex.model, "error", ex.tracker.Fault())
	}
	if !ex.firstByte.IsZero() {
		s.deps.Metrics.firstByte(ex.req.Stream(), ex.firstByte.Sub(ex.start))
	}
	if ex.cited != nil && ex.tracker != nil {
		s.deps.Metrics.citations(ex.cited)
	}
}
