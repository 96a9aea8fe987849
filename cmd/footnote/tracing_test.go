package main

import (
	"encoding/hex"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"footnote/proxy/upstream/upstreamtest"
)

// A traceReceiver takes traces as OTLP over HTTP.
type traceReceiver struct {
	*httptest.Server
	mu      sync.Mutex
	spans   []*tracepb.Span
	service string
	raw     strings.Builder
}

func newTraceReceiver(t *testing.T) *traceReceiver {
	t.Helper()
	r := &traceReceiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		var in collector.ExportTraceServiceRequest
		raw, err := io.ReadAll(req.Body)
		if err == nil {
			err = proto.Unmarshal(raw, &in)
		}
		if err != nil || req.URL.Path != "/v1/traces" {
			t.Errorf("%s: %v", req.URL.Path, err)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.raw.Write(raw)
		for _, of := range in.GetResourceSpans() {
			for _, a := range of.GetResource().GetAttributes() {
				if a.GetKey() == "service.name" {
					r.service = a.GetValue().GetStringValue()
				}
			}
			for _, scope := range of.GetScopeSpans() {
				r.spans = append(r.spans, scope.GetSpans()...)
			}
		}
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	t.Cleanup(r.Close)
	return r
}

// under are the spans with a name whose parent has an id.
func (r *traceReceiver) under(parent []byte, name string) (spans []*tracepb.Span) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.spans {
		if s.GetName() == name && string(s.GetParentSpanId()) == string(parent) {
			spans = append(spans, s)
		}
	}
	return spans
}

// attributes are those of a span.
func attributes(s *tracepb.Span) map[string]any {
	all := map[string]any{}
	for _, a := range s.GetAttributes() {
		switch v := a.GetValue(); {
		case v.GetStringValue() != "":
			all[a.GetKey()] = v.GetStringValue()
		case v.GetIntValue() != 0:
			all[a.GetKey()] = int(v.GetIntValue())
		default:
			all[a.GetKey()] = v.GetBoolValue()
		}
	}
	return all
}

const (
	clientTrace = "4bf92f3577b34da6a3ce929d0e0e4736"
	clientSpan  = "00f067aa0ba902b7"
	clientTP    = "00-" + clientTrace + "-" + clientSpan + "-01"
	secretText  = "The canary sings in the cellar"
)

// tracedChat asks with a traceparent of the client, and returns the body.
func (p *process) tracedChat(stream bool) string {
	p.t.Helper()
	body := `{"model":"traced","messages":[{"role":"user","content":"Where does the canary sing?"}]}`
	if stream {
		body = strings.Replace(body, "{", `{"stream":true,`, 1)
	}
	req, err := http.NewRequest("POST", p.url+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+testAdminKey)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Traceparent", clientTP)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		p.t.Fatal(resp.StatusCode, err, string(raw))
	}
	return string(raw)
}

// tracedServer is a server with an assistant whose first model server fails.
func tracedServer(t *testing.T, far *upstreamtest.Server, env ...string) *process {
	t.Helper()
	p := start(t, t.TempDir(), nil, append(env, "FOOTNOTE_UPSTREAM_URL="+far.URL(), "FOOTNOTE_UPSTREAM_MODEL=m", "FOOTNOTE_UPSTREAM_API_KEY=sk-canary")...)
	p.must(201, "POST", "/v1.0/assistants", map[string]any{"name": "Traced", "slug": "traced", "settings": map[string]any{
		"enable_rag": true, "enable_citations": true, "upstream_fallbacks": []any{map[string]string{"upstream": "builtin:extractive"}},
	}}, nil)
	uploadFile(t, p, "traced", "cellar.txt", secretText+" every morning, and nobody knows why.")
	p.documents("traced")
	return p
}

// A request is a trace: the client's goes on through ours to the model server, and
// nothing that anyone wrote is in it.
func TestARequestIsATraceFromTheClientToTheModelServer(t *testing.T) {
	t.Parallel()
	const frame = `{"id":"c","choices":[{"index":0,"delta":{"content":"ok"},"finish_reason":"stop"}]}`
	to := newTraceReceiver(t)
	far := modelServer(t, upstreamtest.SSE(frame, "[DONE]"))
	p := tracedServer(t, far, "OTEL_EXPORTER_OTLP_ENDPOINT="+to.URL, "OTEL_SERVICE_NAME=cellar")
	p.tracedChat(true)
	outgoing := far.Last().Header.Get("Traceparent")
	far.Play(upstreamtest.Status(503, `{"error":{"message":"away"}}`))
	p.tracedChat(false)
	p.request("GET", "/metrics", "", nil, nil)
	if code := p.stop(os.Interrupt); code != 0 { // flushes
		t.Fatalf("exit status %d\n%s", code, p.stderr)
	}

	parent, err := hex.DecodeString(clientSpan)
	if err != nil {
		t.Fatal(err)
	}
	requests := to.under(parent, "POST /v1/chat/completions")
	if len(requests) != 2 || to.service != "cellar" {
		t.Fatalf("%d requests of the service %q are traced, want 2", len(requests), to.service)
	}
	for i, request := range requests {
		if hex.EncodeToString(request.GetTraceId()) != clientTrace || request.GetKind() != tracepb.Span_SPAN_KIND_SERVER {
			t.Errorf("the client's trace does not go on: %v", request)
		}
		a := attributes(request)
		if id, _ := a["footnote.request_id"].(string); !strings.HasPrefix(id, "req_") || a["http.response.status_code"] != 200 || a["http.route"] != "/v1/chat/completions" {
			t.Errorf("the request: %v", a)
		}
		found := to.under(request.GetSpanId(), "retrieval")
		if len(found) != 1 || attributes(found[0])["footnote.retrieval.hits"] != 1 || attributes(found[0])["footnote.retrieval.mode"] == nil {
			t.Errorf("the retrieval: %v", found)
		}
		calls := to.under(request.GetSpanId(), "chat")
		if len(calls) != i+1 {
			t.Fatalf("request %d has %d calls of model servers, want %d", i, len(calls), i+1)
		}
		for n, call := range calls {
			a := attributes(call)
			if a["footnote.upstream.attempt"] != n+1 || a["footnote.upstream.stream"] != (i == 0) || call.GetKind() != tracepb.Span_SPAN_KIND_CLIENT || call.GetEndTimeUnixNano() > request.GetEndTimeUnixNano() {
				t.Errorf("call %d of request %d: %v", n, i, a)
			}
		}
		if i == 0 && outgoing != "00-"+clientTrace+"-"+hex.EncodeToString(calls[0].GetSpanId())+"-01" {
			t.Errorf("the model server got %q", outgoing)
		}
		if i == 1 {
			first, second := attributes(calls[0]), attributes(calls[1])
			if first["footnote.upstream.id"] != "default" || first["http.response.status_code"] != 503 || first["error.type"] != "503" || calls[0].GetStatus().GetCode() != tracepb.Status_STATUS_CODE_ERROR {
				t.Errorf("the call that failed: %v", first)
			}
			if second["footnote.upstream.id"] != "builtin:extractive" || second["footnote.upstream.fallback"] != 1 || second["http.response.status_code"] != 200 {
				t.Errorf("the fallback's: %v", second)
			}
		}
	}
	for _, secret := range []string{"canary", "cellar.txt", "sings", far.Addr(), testAdminKey, "/metrics"} {
		if strings.Contains(to.raw.String(), secret) {
			t.Errorf("a trace has %q", secret)
		}
	}
	if !strings.Contains(p.stderr.String(), `"trace_id":"`+clientTrace+`"`) {
		t.Error("the log has no trace ids")
	}
}

// What is not sampled is no span of ours, but the trace goes on through us. The SDK's
// complaints about its variables do not repeat keys.
func TestWhatIsNotSampledIsPassedOnAsSuch(t *testing.T) {
	t.Parallel()
	to := newTraceReceiver(t)
	far := modelServer(t, upstreamtest.JSON(completion))
	p := tracedServer(t, far, "OTEL_EXPORTER_OTLP_ENDPOINT="+to.URL, "OTEL_TRACES_SAMPLER=always_off", "OTEL_EXPORTER_OTLP_HEADERS=authorization canary-key")
	p.tracedChat(false)
	got := far.Last().Header.Get("Traceparent")
	if !strings.HasPrefix(got, "00-"+clientTrace+"-") || !strings.HasSuffix(got, "-00") || strings.Contains(got, clientSpan) {
		t.Errorf("the model server got %q", got)
	}
	if code := p.stop(os.Interrupt); code != 0 || to.raw.Len() > 0 {
		t.Errorf("exit status %d, and %d bytes of traces", code, to.raw.Len())
	}
	if log := p.stderr.String(); !strings.Contains(log, "a variable of OpenTelemetry is wrong") || strings.Contains(log, "canary-key") {
		t.Errorf("the log:\n%s", log)
	}
}

// Without an endpoint nothing is traced, and the client's header passes as it came.
func TestWithoutAnEndpointTheClientsTraceparentIsPassedOn(t *testing.T) {
	t.Parallel()
	to := newTraceReceiver(t)
	for _, env := range [][]string{nil, {"OTEL_EXPORTER_OTLP_ENDPOINT=" + to.URL, "OTEL_SDK_DISABLED=true"}} {
		far := modelServer(t, upstreamtest.JSON(completion))
		p := tracedServer(t, far, env...)
		p.tracedChat(false)
		if got := far.Last().Header.Get("Traceparent"); got != clientTP {
			t.Errorf("%v: the model server got %q", env, got)
		}
		p.stop(os.Interrupt)
		if strings.Contains(p.stderr.String(), "trace_id") || to.raw.Len() > 0 {
			t.Errorf("%v: something is traced", env)
		}
	}
}

// A receiver of traces that is away, or that hangs, harms no chat, and is logged.
func TestAReceiverOfTracesThatIsAwayHarmsNoChat(t *testing.T) {
	t.Parallel()
	far := modelServer(t, upstreamtest.JSON(completion))
	nobody := upstreamtest.New(t)
	nobody.CloseListener()
	p := tracedServer(t, far, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://"+nobody.Addr()+"/v1/traces", "OTEL_BSP_SCHEDULE_DELAY=10", "OTEL_EXPORTER_OTLP_TIMEOUT=100", "OTEL_EXPORTER_OTLP_PROTOCOL=grpc")
	for range 3 {
		p.tracedChat(false)
	}
	eventually(t, "the log says that traces could not be sent", func() bool { return strings.Contains(p.stderr.String(), "traces could not be sent") })
	if code := p.stop(os.Interrupt); code != 0 || !strings.Contains(p.stderr.String(), "http/protobuf") {
		t.Errorf("exit status %d\n%s", code, p.stderr)
	}
}

func TestErrorsOfTracesAreLoggedOnceAMinute(t *testing.T) {
	var log strings.Builder
	at := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	s := &seldom{log: slog.New(slog.NewTextHandler(&log, nil)), now: func() time.Time { return at }}
	for range 4 {
		s.Handle(io.ErrUnexpectedEOF)
		s.Handle(io.ErrUnexpectedEOF)
		at = at.Add(30 * time.Second)
	}
	if n := strings.Count(log.String(), "\n"); n != 2 {
		t.Errorf("%d lines in two minutes:\n%s", n, log.String())
	}
}

func TestTracesAreOnWhereTheEnvironmentNamesAReceiver(t *testing.T) {
	for env, want := range map[string]bool{
		"": false, "OTEL_EXPORTER_OTLP_ENDPOINT=": false, "OTEL_TRACES_SAMPLER=always_on": false,
		"OTEL_EXPORTER_OTLP_ENDPOINT=http://c:4318": true, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://c:4318/v1/traces": true,
		"OTEL_EXPORTER_OTLP_ENDPOINT=http://c:4318 OTEL_SDK_DISABLED=True":    false,
		"OTEL_EXPORTER_OTLP_ENDPOINT=http://c:4318 OTEL_TRACES_EXPORTER=none": false,
	} {
		values := map[string]string{}
		for pair := range strings.FieldsSeq(env) {
			name, value, _ := strings.Cut(pair, "=")
			values[name] = value
		}
		if got := tracesAreOn(func(name string) string { return values[name] }); got != want {
			t.Errorf("%q: %t", env, got)
		}
	}
}

func TestAnEndpointOfTracesThatIsNoURLIsRefusedAtTheStart(t *testing.T) {
	for _, endpoint := range []string{"collector:4318", "localhost:4318", "http://", "grpc://canary@c:4317"} {
		dir := t.TempDir()
		_, stderr, code := runIn(t, dir, []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + endpoint}, "serve", "--data-dir", dir)
		if code != 1 || !strings.Contains(stderr, "OTEL_EXPORTER_OTLP_ENDPOINT: it is no URL such as http://collector:4318") || strings.Contains(stderr, "canary") {
			t.Errorf("%s: %d %s", endpoint, code, stderr)
		}
	}
}
