package tracing

import (
	"context"
	"net/http"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestTracingCostsNoMemoryWhileItIsOff(t *testing.T) {
	ctx, h := context.Background(), http.Header{"Traceparent": {"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}}
	var off *Tracer
	if n := testing.AllocsPerRun(100, func() {
		ctx, request := off.StartRequest(ctx, h, "POST /v1/chat/completions")
		ctx, span := StartCall(ctx, "chat")
		span.Text("a", "b")
		span.Int("a", 1)
		span.Bool("a", true)
		span.Fail("500")
		span.End()
		request.End()
		if Header(ctx) != "" || TraceID(ctx) != "" {
			t.Error("there is a trace")
		}
	}); n != 0 {
		t.Errorf("%v allocations for each request", n)
	}
}
