package proxy

import (
	"context"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
	"footnote/citations"
	"footnote/proxy/upstream"
	"footnote/proxy/wire"
)

// handleChatCompletions answers one chat request.
func (s *Server) handleChatCompletions(c *gin.Context) error {
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
	resp, err := ex.client.Chat(ctx, ex.call(c))
	if err != nil {
		return s.upstreamFailed(ctx, ex, err)
	}
	defer func() { _ = resp.Body.Close() }() // the answer is read or given up; nothing is left to lose

	ex.upstream = resp.Status
	s.deps.Metrics.upstream(resp.Status)
	defer s.record(ex)
	return s.relay(ctx, cancel, c, ex, resp)
}

// bounded derives the context of the upstream call: it ends with the client's
// request and with the server.
func (s *Server) bounded(parent context.Context) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	unhook := context.AfterFunc(s.stop, func() { cancel(errShuttingDown) })
	return ctx, func(cause error) { unhook(); cancel(cause) }
}

// upstreamFailed names the reason of a call that brought no answer.
func (s *Server) upstreamFailed(ctx context.Context, ex *exchange, err error) error {
	s.deps.Metrics.upstream(0)
	if cause := context.Cause(ctx); cause != nil {
		return stopReason(cause)
	}
	return err
}

// relay sends the upstream's answer on, in the form the client asked for.
func (s *Server) relay(ctx context.Context, cancel context.CancelCauseFunc, c *gin.Context, ex *exchange, resp *upstream.Response) error {
	h := c.Writer.Header()
	for name, values := range upstream.ClientHeaders(resp.Header) {
		h[name] = values
	}
	if resp.Status != http.StatusOK {
		return s.relayError(ctx, c, resp)
	}
	eventStream := strings.HasPrefix(strings.ToLower(resp.Header.Get("Content-Type")), "text/event-stream")
	switch {
	case ex.req.Stream() && eventStream:
		return s.relayStream(ctx, cancel, c, ex, resp.Body)
	case ex.req.Stream():
		return s.streamJSON(ctx, cancel, c, ex, resp.Body)
	case eventStream:
		return s.collectStream(ctx, c, ex, resp.Body)
	default:
		return s.relayJSON(ctx, c, ex, resp.Body)
	}
}

// record counts when the answer began and what it cited.
func (s *Server) record(ex *exchange) {
	if !ex.firstByte.IsZero() {
		s.deps.Metrics.firstByte(ex.req.Stream(), ex.firstByte.Sub(ex.start))
	}
	if ex.tracker != nil {
		s.deps.Metrics.citations(ex.tracker.Result())
	}
}

// additions are the members that the answer gets from us, encoded.
func (ex *exchange) additions() ([]wire.Member, *citations.Citations, error) {
	if !ex.attaches() || ex.verdict == nil {
		return nil, nil, nil
	}
	verdict := ex.verdict()
	ex.status = verdict.Status
	object, err := verdict.Encode()
	if err != nil {
		return nil, nil, err
	}
	members := []wire.Member{{Key: "citations", Value: object}}
	found, err := ex.retrievalJSON()
	if err != nil {
		return nil, nil, err
	}
	if found != nil {
		members = append(members, wire.Member{Key: "retrieval", Value: found})
	}
	return members, verdict, nil
}

// annotations are OpenAI's url_citation objects of one choice, as a JSON array;
// nil unless links are on and something was cited.
func (ex *exchange) annotations(verdict *citations.Citations, choice int) ([]byte, error) {
	if verdict == nil || ex.settings.CitationLinkMode == assistants.LinkNone {
		return nil, nil
	}
	return verdict.Annotations(choice)
}
