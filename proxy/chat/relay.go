package chat

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"footnote/assistants/retrieval"
	"footnote/proxy/access"
	"footnote/proxy/front"
	"footnote/proxy/tracing"
	"footnote/proxy/upstream"
	"footnote/proxy/wire"
)

// A relay brings the upstream's answer to one request to its client.
type relay struct {
	h *Handler
	c *gin.Context
	finisher
	reply  reply // of the upstream
	memory *front.Share
	keeper *keeper // nil: the answer is not kept
	pass   *access.Pass

	began   time.Time                      // when the client's answer began; zero: it did not
	left    bool                           // the client left before its stream was complete
	fault   error                          // what ended a stream that had begun
	primary *failure                       // of the first upstream, if another was asked after it; nil: none
	asked   int                            // how many calls of upstreams were begun
	attempt upstream.Attempt               // the call of the upstream, for its health
	shown   http.Header                    // of the upstream, set on the client's answer
	show    func(change func(http.Header)) // changes the headers of the client's answer
	usage   *wire.Usage                    // as the model server counts it; nil: it did not tell
	debug   []byte                         // what the client learns of the request; nil: it did not ask, or knows
	parts   int                            // an estimate of the tokens of the answer, where it does not tell
}

// run asks the upstream and brings its answer to the client.
func (r *relay) run() error {
	ctx, cancel := r.h.Bounded(r.c.Request.Context())
	defer cancel(nil)
	r.chooseFirst()
	defer func() { r.attempt.End(upstream.Abandoned, "") }() // after a panic
	if r.in.req.Stream() {
		return r.stream(ctx, cancel)
	}
	return r.json(ctx)
}

// ask sends the request to the upstream. An answer with another status than 200
// is a *refusal.
func (r *relay) ask(ctx context.Context) (*reply, error) {
	r.reply = reply{}
	body := r.in.req.Body()
	if r.in.req.Extensions().Debug.Request {
		r.debug = debugMember(body)
	}
	resp, err := r.in.client.Chat(ctx, upstream.Call{
		Body: body, Stream: r.in.req.Stream(), Model: r.in.model, Header: PassedHeaders(r.c),
		Question:   r.found.question,
		Reword:     retrieval.Rewording(r.found.result.Trace.Synonyms),
		Naming:     r.found.result.Trace.Naming,
		Passages:   func() []upstream.Passage { return r.found.passages(r.in.cites()) },
		Unsearched: r.found.unsearched(r.in),
	})
	if err != nil {
		r.h.deps.Metrics.Upstream(0)
		if cause := context.Cause(ctx); cause != nil {
			return nil, cause
		}
		return nil, err
	}
	r.pass.Own(resp.Header)
	r.reply = reply{resp, r.in, r.found}
	r.h.deps.Metrics.Upstream(resp.Status)
	if resp.Status == http.StatusOK {
		if !r.in.req.Stream() {
			r.attempt.FirstByte()
		}
		return &r.reply, nil
	}
	body, err = readAnswer(ctx, resp.Body, maxErrorBytes, nil, r.memory)
	_ = resp.Body.Close() // it was read or is not needed
	if err == nil {
		err = unknownPath(resp.Status, body)
	}
	if err != nil {
		return nil, err
	}
	return nil, &refusal{&reply{resp, r.in, r.found}, upstream.RefusalHeaders(resp.Status, resp.Header), body}
}

// startSpan begins the span of one call of an upstream, to the end of its answer.
func (r *relay) startSpan(ctx context.Context) (context.Context, tracing.Span) {
	ctx, span := tracing.StartCall(ctx, "chat")
	r.asked++
	span.Text("footnote.upstream.id", cmp.Or(upstream.HealthOf(r.in.client).ID(), upstream.BuiltinExtractive))
	span.Int("footnote.upstream.fallback", r.in.turn)
	span.Int("footnote.upstream.attempt", r.asked)
	span.Bool("footnote.upstream.stream", r.in.req.Stream())
	span.Text("gen_ai.operation.name", "chat")
	span.Text("gen_ai.request.model", r.in.model)
	return ctx, span
}

// endSpan ends the span of a call that ended with err.
func (r *relay) endSpan(ctx context.Context, span tracing.Span, err error) {
	if r.reply.Response != nil {
		span.Int("http.response.status_code", r.reply.Status)
	}
	if cause, _ := causeOf(err); cause != "" {
		span.Fail(cause)
	} else if ctx.Err() != nil {
		span.Fail("canceled")
	}
	span.End()
}

// begin notes that the client's answer begins.
func (r *relay) begin() {
	if r.began.IsZero() {
		r.began = time.Now()
	}
}

// record counts when the answer began and what it cites.
func (r *relay) record(start time.Time) {
	metrics := r.h.deps.Metrics
	if r.tracker != nil && r.tracker.Fault() != nil {
		r.h.deps.Log.Error("an answer could not be scanned", "request_id", requestIDOf(r.c), "model", r.in.model, "error", r.tracker.Fault())
	}
	if !r.began.IsZero() {
		metrics.firstByte(r.in.req.Stream(), r.began.Sub(start))
	}
	if r.verdict != nil && r.tracker != nil {
		metrics.citations(r.verdict)
	}
}
