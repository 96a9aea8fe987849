package responses

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/goleak"

	"footnote/assistants"
	"footnote/proxy/access"
	"footnote/proxy/apierr"
	"footnote/proxy/front"
	"footnote/proxy/openapi/openapitest"
	"footnote/proxy/sse"
)

func TestMain(m *testing.M) {
	gin.SetMode(gin.ReleaseMode)
	slog.SetDefault(slog.New(slog.DiscardHandler))
	goleak.VerifyTestMain(m)
}

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// A world is the handler behind a real HTTP server. The test itself is the chat, and
// keeps the stored answers.
type world struct {
	t      *testing.T
	server *httptest.Server
	caller access.Principal

	chat    http.HandlerFunc // what answers the next chat
	path    string           // of the last chat
	header  http.Header
	asked   map[string]any // its body
	answers []assistants.Answer
	flushed int
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, caller: access.Principal{Tenant: "default", Key: assistants.Key{ID: "key_test", Scopes: []assistants.Scope{assistants.ScopeChat}}}}
	f := front.New(front.Config{MaxBodyBytes: 1 << 20, MaxInFlightBytes: 1 << 24, MaxAnswerMemory: 1 << 20}, slog.New(slog.DiscardHandler))
	f.Observe(prometheus.NewRegistry())
	h := New(Deps{Front: f, Chat: w.ask, Answers: w, History: w, Now: func() time.Time { return noon }})
	engine := gin.New()
	engine.Use(func(c *gin.Context) { c.Header("X-Request-Id", "req_test") })
	serve := func(answer func(*gin.Context, access.Principal) error) gin.HandlerFunc {
		return apierr.Handle(func(c *gin.Context) error { return answer(c, w.caller) })
	}
	engine.POST("/v1/responses", serve(h.Create))
	engine.POST("/assistants/:assistant/v1/responses", serve(h.Create))
	engine.GET("/v1/responses/:answer", serve(h.Get))
	engine.DELETE("/v1/responses/:answer", serve(h.Delete))
	w.server = httptest.NewServer(engine)
	w.server.Client().Transport = openapitest.Transport(t, w.server.Client().Transport)
	t.Cleanup(w.server.Close)
	return w
}

// ask is the chat.
func (w *world) ask(rw http.ResponseWriter, r *http.Request, caller access.Principal) {
	raw, err := io.ReadAll(r.Body)
	w.path, w.header, w.asked = r.Method+" "+r.URL.Path, r.Header, nil
	if len(raw) > 0 {
		err = errors.Join(err, json.Unmarshal(raw, &w.asked))
	}
	if err != nil || caller.Key.ID != w.caller.Key.ID {
		w.t.Errorf("the chat's request: %v, of %v", err, caller)
	}
	w.chat(rw, r)
}

// Flush implements History.
func (w *world) Flush(context.Context) error {
	w.flushed++
	return nil
}

// AssistantOfAnswer implements Answers.
func (w *world) AssistantOfAnswer(_ context.Context, tenant assistants.TenantID, id assistants.AnswerID, _ assistants.Sight, of assistants.KeyID) (assistants.Assistant, error) {
	for _, a := range w.answers {
		if a.ID == id && a.TenantID == tenant && (of == "" || of == a.Key) {
			return assistants.Assistant{ID: a.Assistant}, nil
		}
	}
	return assistants.Assistant{}, assistants.ErrNotFound
}

// Answer implements Answers.
func (w *world) Answer(_ context.Context, _ assistants.TenantID, id assistants.AnswerID) (assistants.Answer, error) {
	for _, a := range w.answers {
		if a.ID == id {
			return a, nil
		}
	}
	return assistants.Answer{}, assistants.ErrNotFound
}

// FindAnswers implements Answers, the newest first.
func (w *world) FindAnswers(_ context.Context, _ assistants.TenantID, assistant assistants.AssistantID, q assistants.AnswerQuery, list assistants.List) (found assistants.Listing[assistants.Answer], err error) {
	if !list.Descending || list.Limit != maxTurns {
		w.t.Errorf("listed by %+v", list)
	}
	for i := len(w.answers) - 1; i >= 0; i-- {
		if a := w.answers[i]; a.Assistant == assistant && a.Thread == q.Thread && a.CreatedAt.Before(q.To) {
			found.Items = append(found.Items, a)
		}
	}
	return found, nil
}

// says makes the chat answer with JSON.
func says(status int, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// streams makes the chat answer with these writes.
func streams(writes ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set(answerHeader, "ans_1")
		for _, piece := range writes {
			if _, err := io.WriteString(w, piece); err != nil {
				return
			}
			w.(http.Flusher).Flush()
		}
	}
}

// send sends a request and returns the answer.
func (w *world) send(method, path, body string) (*http.Response, []byte) {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), method, w.server.URL+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := w.server.Client().Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	raw, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		w.t.Fatal(err)
	}
	return resp, raw
}

// respond sends a request, wants a status and returns what was answered.
func (w *world) respond(want int, body string) map[string]any {
	w.t.Helper()
	resp, raw := w.send("POST", "/v1/responses", body)
	var got map[string]any
	if err := json.Unmarshal(raw, &got); err != nil || resp.StatusCode != want {
		w.t.Fatalf("%.200s: %d %s, want %d", body, resp.StatusCode, raw, want)
	}
	return got
}

// A sent is an event as a client reads it.
type sent struct {
	name string
	data map[string]any
}

// events sends a request for a stream and returns its events, whose numbers must be right.
func (w *world) events(body string) (list []sent) {
	w.t.Helper()
	resp, raw := w.send("POST", "/v1/responses", body)
	if resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "text/event-stream" {
		w.t.Fatalf("%d %v %s", resp.StatusCode, resp.Header, raw)
	}
	reader := sse.NewReader(strings.NewReader(string(raw)), 1<<20)
	for {
		ev, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			w.t.Fatal(err)
		}
		s := sent{name: ev.Name}
		if err := json.Unmarshal(ev.Data, &s.data); err != nil || s.data["type"] != s.name || s.data["sequence_number"] != float64(len(list)) {
			w.t.Fatalf("event %d: %s %s, %v", len(list), ev.Name, ev.Data, err)
		}
		list = append(list, s)
	}
}

// at follows names and numbers into an answer.
func at(value any, path ...any) any {
	for _, step := range path {
		switch s := step.(type) {
		case string:
			members, _ := value.(map[string]any)
			value = members[s]
		case int:
			list, _ := value.([]any)
			if s >= len(list) {
				return nil
			}
			value = list[s]
		}
	}
	return value
}

// faultOf is the error of an answer.
func faultOf(got map[string]any) (code, param any) {
	return at(got, "error", "code"), at(got, "error", "param")
}
