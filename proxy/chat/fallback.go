package chat

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strconv"

	"footnote/assistants"
	"footnote/proxy/upstream"
)

// What happens when an upstream fails before the first byte of its answer.

// upstreamHeader tells the client which upstream answered. It has a number, not a
// name, because names are for admins.
const upstreamHeader = "X-Footnote-Upstream"

// causeSkipped is the cause of a fallback that was asked first because the upstream
// before it had failed in earlier chats.
const causeSkipped = "circuit_open"

// A candidate is an upstream that may answer, and the model to ask there.
type candidate struct {
	client upstream.Client
	model  string
	place  int // 0: the first, n: the n-th fallback
}

// A failure is how the first upstream failed.
type failure struct {
	err   error
	reply reply
	model string
	shown http.Header
}

// findFallbacks finds the upstreams that may answer in the place of the first. One
// that cannot be used is left out: it must not break chats that do not need it.
func (h *Handler) findFallbacks(ctx context.Context, in *inbound, tenant assistants.TenantID) error {
	in.several = len(in.settings.UpstreamFallbacks) > 0
	for i, f := range in.settings.UpstreamFallbacks {
		client, model, err := h.deps.Upstreams.Named(ctx, tenant, f.Upstream)
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		if f.Model != nil {
			model = *f.Model
		}
		if err != nil {
			h.deps.Log.Warn("a fallback cannot be used", "assistant", in.assistant.ID, "error", err)
		}
		if err == nil && model != "" {
			in.waiting = append(in.waiting, candidate{client, model, i + 1})
		}
	}
	return nil
}

// answerer says which upstream was asked last; "" if there is one only.
func (in *inbound) answerer() string {
	switch {
	case !in.several:
		return ""
	case in.turn == 0:
		return "primary"
	default:
		return "fallback-" + strconv.Itoa(in.turn)
	}
}

// chooseFirst begins with the first upstream that works. Where none is known to, it is
// the first of all: circuit breakers change the order, and refuse nothing.
func (r *relay) chooseFirst() {
	if len(r.in.waiting) == 0 {
		r.attempt = upstream.HealthOf(r.in.client).Begin()
		return
	}
	r.in.waiting = append([]candidate{{r.in.client, r.in.model, 0}}, r.in.waiting...)
	if r.askNext(); r.in.turn != 0 {
		r.h.deps.Metrics.fallbacks.WithLabelValues(causeSkipped).Inc()
	}
}

// askNext takes the first upstream that waits and works, or else the first that waits.
// It reports whether there is one.
func (r *relay) askNext() bool {
	waiting := r.in.waiting
	if len(waiting) == 0 {
		return false
	}
	chosen, attempt := upstream.Next(len(waiting), func(i int) *upstream.Health { return upstream.HealthOf(waiting[i].client) })
	next := waiting[chosen]
	r.attempt = attempt
	r.in.waiting = slices.Delete(waiting, chosen, chosen+1)
	r.in.client, r.in.model, r.in.turn = next.client, next.model, next.place
	if r.in.req.Model() != next.model {
		r.in.req.SetModel(next.model)
	}
	return true
}

// fallBack chooses the next upstream after err and reports whether there is one to
// be asked. The caller has sent nothing of an answer to the client. After a failure of
// the client's there is none, unless only a fallback has complained, which may be about
// its own model.
func (r *relay) fallBack(ctx context.Context, err error) bool {
	cause, failed := causeOf(err)
	r.attempt.End(outcomeOf(ctx, err), cause)
	if err == nil || cause == "" || ctx.Err() != nil {
		return false
	}
	if !failed {
		r.in.waiting = slices.DeleteFunc(r.in.waiting, func(c candidate) bool { return c.place != 0 })
	}
	turn, model := r.in.turn, r.in.model
	if !r.askNext() {
		return false
	}
	r.h.deps.Metrics.fallbacks.WithLabelValues(cause).Inc()
	r.h.deps.Log.Warn("an upstream failed; another is asked",
		"request_id", requestIDOf(r.c), "model", model, "next", r.in.answerer(), "error", err)
	if turn == 0 {
		r.primary = &failure{err, r.reply, model, r.shown}
	}
	r.showHeaders(nil)
	return true
}

// settle returns the error for the client. If every upstream failed, it is the
// primary's, as it would be without fallbacks: the operator mends that one, and a
// fallback's complaint would be about a model that the client did not ask for.
func (r *relay) settle(err error) error {
	_, isRefusal := errors.AsType[*refusal](err)
	_, isError := errors.AsType[*upstream.Error](err)
	if r.primary == nil || !isRefusal && !isError {
		return err
	}
	r.showHeaders(r.primary.shown)
	r.reply, r.in.model, r.in.turn = r.primary.reply, r.primary.model, 0
	return r.primary.err
}

// causeOf names what failed, for metrics. Only what is not the client's fault is a
// failure: no connection, no answer in time, 429, 5xx, and refused credentials.
func causeOf(err error) (cause string, failed bool) {
	if refused, ok := errors.AsType[*refusal](err); ok {
		status := refused.reply.Status
		return strconv.Itoa(status), status == http.StatusTooManyRequests || status >= http.StatusInternalServerError
	}
	if e, ok := errors.AsType[*upstream.Error](err); ok {
		return e.Code, e.Status == http.StatusTooManyRequests || e.Status >= http.StatusInternalServerError
	}
	return "", false
}

// outcomeOf is how the call of an upstream ended for its circuit breaker.
func outcomeOf(ctx context.Context, err error) upstream.Outcome {
	if err == nil {
		return upstream.Answered
	}
	if ctx.Err() != nil {
		return upstream.Abandoned
	}
	if refused, ok := errors.AsType[*refusal](err); ok {
		return upstream.OutcomeOfStatus(refused.reply.Status)
	}
	return upstream.OutcomeOf(err)
}

// clientHeaders are the headers of the upstream's answer for the client.
func (r *relay) clientHeaders() http.Header {
	h := upstream.ClientHeaders(r.reply.Header)
	if who := r.in.answerer(); who != "" {
		h.Set(upstreamHeader, who)
	}
	return h
}

// showHeaders sets an upstream's headers in the place of those of another that failed.
func (r *relay) showHeaders(h http.Header) {
	r.show(func(shown http.Header) {
		for name := range r.shown {
			shown.Del(name)
		}
		maps.Copy(shown, h)
	})
	r.shown = h
}
