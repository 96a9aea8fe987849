// Package tracing makes OpenTelemetry spans of requests, retrievals and calls of model
// servers.
//
// It obeys two rules. Nothing that users or documents say is in a span, and no key and no
// address: spans go to another company as easily as to one's own server. While tracing is
// off it costs no memory: a span below a request that has none is a zero [Span], which
// does nothing.
//
// It must not import the SDK: cmd/footnote sets that up.
package tracing

import (
	"context"
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// Scope is the name of the instrumentation.
const Scope = "footnote"

// A Tracer makes the spans of requests. A nil Tracer makes none.
type Tracer struct{ tracer trace.Tracer }

// New returns a tracer whose spans go to a provider.
func New(p trace.TracerProvider) *Tracer { return &Tracer{p.Tracer(Scope)} }

// traceparent reads and writes the header of W3C's Trace Context.
var traceparent propagation.TraceContext

// StartRequest begins the span of a client's request. It continues the trace that the
// client's headers name.
func (t *Tracer) StartRequest(ctx context.Context, h http.Header, name string) (context.Context, Span) {
	if t == nil {
		return ctx, Span{}
	}
	ctx, span := t.tracer.Start(traceparent.Extract(ctx, propagation.HeaderCarrier(h)), name, trace.WithSpanKind(trace.SpanKindServer))
	return ctx, Span{span}
}

// Start begins a span within the one of a context. Without that one it is the zero Span.
func Start(ctx context.Context, name string) (context.Context, Span) {
	return start(ctx, name, trace.SpanKindInternal)
}

// StartCall begins the span of a call to another server.
func StartCall(ctx context.Context, name string) (context.Context, Span) {
	return start(ctx, name, trace.SpanKindClient)
}

func start(ctx context.Context, name string, kind trace.SpanKind) (context.Context, Span) {
	parent := trace.SpanFromContext(ctx)
	if !parent.IsRecording() {
		return ctx, Span{}
	}
	ctx, span := parent.TracerProvider().Tracer(Scope).Start(ctx, name, trace.WithSpanKind(kind))
	return ctx, Span{span}
}

// Header is the value of the header traceparent for a call of another server; "": the
// context has no span.
func Header(ctx context.Context) string {
	if !trace.SpanContextFromContext(ctx).IsValid() {
		return ""
	}
	carrier := propagation.MapCarrier{}
	traceparent.Inject(ctx, carrier)
	return carrier["traceparent"]
}

// TraceID is the id of the trace of a context, for logs; "": there is none.
func TraceID(ctx context.Context) string {
	if c := trace.SpanContextFromContext(ctx); c.IsValid() {
		return c.TraceID().String()
	}
	return ""
}

// A Span is one piece of work of a trace. The zero Span does nothing.
type Span struct{ span trace.Span }

// Text adds an attribute. It must not be what a user or a document says.
func (s Span) Text(name, value string) {
	if s.span != nil {
		s.span.SetAttributes(attribute.String(name, value))
	}
}

// Int adds an attribute.
func (s Span) Int(name string, value int) {
	if s.span != nil {
		s.span.SetAttributes(attribute.Int(name, value))
	}
}

// Bool adds an attribute.
func (s Span) Bool(name string, value bool) {
	if s.span != nil {
		s.span.SetAttributes(attribute.Bool(name, value))
	}
}

// Fail notes what kind of error ended the work: a code or a status, never a message.
func (s Span) Fail(kind string) {
	if s.span != nil {
		s.span.SetAttributes(attribute.String("error.type", kind))
		s.span.SetStatus(codes.Error, "")
	}
}

// End ends the span.
func (s Span) End() {
	if s.span != nil {
		s.span.End()
	}
}
