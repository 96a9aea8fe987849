package chat

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"strconv"

	"footnote/assistants"
	"footnote/proxy/upstream"
)

// What happens when an upstream fails before the first byte of its answer.

// upstreamHeader tells the client which upstream answered. It has a number, not a
// name, because names are for admins.
const upstreamHeader = "X-Footnote-Upstream"

// A candidate is an upstream that may answer, and the model to ask there.
type candidate struct {
	client upstream.Client
	model  string
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
	for _, f := range in.settings.UpstreamFallbacks {
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
		if err != nil || model == "" {
			client = nil // it keeps its place, so that the others keep their numbers
		}
		in.fallbacks = append(in.fallbacks, candidate{client, model})
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

// fallBack chooses the next upstream after err and reports whether there is one to
// be asked. The caller has sent nothing of an answer to the client.
func (r *relay) fallBack(ctx context.Context, err error) bool {
	cause, failed := causeOf(err)
	if !failed || ctx.Err() != nil {
		return false
	}
	for len(r.in.fallbacks) > 0 {
		next := r.in.fallbacks[0]
		r.in.fallbacks = r.in.fallbacks[1:]
		r.in.turn++
		if next.client == nil {
			continue
		}
		r.h.deps.Metrics.fallbacks.WithLabelValues(cause).Inc()
		r.h.deps.Log.Warn("an upstream failed; its fallback is asked",
			"request_id", requestIDOf(r.c), "model", r.in.model, "next", r.in.answerer(), "error", err)
		if r.first == nil {
			r.first = &failure{err, r.reply, r.in.model, r.shown}
		}
		r.showHeaders(nil)
		r.in.client, r.in.model = next.client, next.model
		r.in.req.SetModel(next.model)
		return true
	}
	return false
}

// settle returns the error for the client. If every upstream failed, it is the
// first one's, as it would be without fallbacks: the operator mends that one, and a
// fallback's complaint would be about a model that the client did not ask for.
func (r *relay) settle(err error) error {
	_, isRefusal := errors.AsType[*refusal](err)
	_, isError := errors.AsType[*upstream.Error](err)
	if r.first == nil || !isRefusal && !isError {
		return err
	}
	r.showHeaders(r.first.shown)
	r.reply, r.in.model, r.in.turn = r.first.reply, r.first.model, 0
	return r.first.err
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
