package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"testing"

	"footnote/assistants"
)

// countingModel is a model server that says of each answer that it has 100 tokens.
func countingModel(t *testing.T) *httptest.Server {
	t.Helper()
	const usage = `"usage":{"prompt_tokens":90,"completion_tokens":10,"total_tokens":100}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct{ Stream bool }
		if r.Method == http.MethodGet {
			fmt.Fprint(w, `{"object":"list","data":[{"id":"m","object":"model"}]}`)
			return
		}
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			t.Error(err)
		}
		if !in.Stream {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"20 kg [1]."},"finish_reason":"stop"}],`+usage+`}`)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for _, data := range []string{
			`{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"20 kg [1]."},"finish_reason":null}]}`,
			`{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`,
			`{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[],` + usage + `}`,
			"[DONE]",
		} {
			fmt.Fprintf(w, "data: %s\n\n", data)
		}
	}))
	t.Cleanup(server.Close)
	return server
}

// used is what is used of each limit of a key or an assistant.
func (p *process) used(path string) map[assistants.Limit]int {
	p.t.Helper()
	var list struct {
		Data []struct {
			Limit assistants.Limit
			Used  *int
		}
	}
	if status := p.request("GET", path+"/limits", "", nil, &list); status != http.StatusOK {
		p.t.Fatal(status)
	}
	used := map[assistants.Limit]int{}
	for _, l := range list.Data {
		if l.Used != nil {
			used[l.Limit] = *l.Used
		}
	}
	return used
}

// form is an upload of files, as its type and its bytes.
func form(t *testing.T, fields map[string]string, files ...string) (contentType string, body []byte) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for name, value := range fields {
		if err := w.WriteField(name, value); err != nil {
			t.Fatal(err)
		}
	}
	for i, text := range files {
		part, err := w.CreateFormFile("file", fmt.Sprintf("%d-%d.md", len(text), i))
		if err == nil {
			_, err = io.WriteString(part, text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return w.FormDataContentType(), b.Bytes()
}

// TestEachDoorCountsOnceAgainstTheLimitsOfKeyAndAssistant comes in through each door and
// looks at what is used afterwards.
func TestEachDoorCountsOnceAgainstTheLimitsOfKeyAndAssistant(t *testing.T) {
	t.Parallel()
	model := countingModel(t)
	p := start(t, t.TempDir(), []string{"--demo"}, "FOOTNOTE_UPSTREAM_URL="+model.URL+"/v1", "FOOTNOTE_UPSTREAM_MODEL=m")
	p.documents("handbook")
	limits, settings := map[string]any{"searches_per_minute": 1000}, map[string]any{"upstream": nil}
	for _, name := range []string{"requests_per_minute", "tokens_per_minute", "uploads_per_minute", "concurrent_streams", "requests_per_month", "tokens_per_month"} {
		limits[name] = 100_000
	}
	maps.Copy(settings, limits)
	if status := p.json("PATCH", "/v1.0/assistants/handbook", map[string]any{"settings": settings}, nil); status != http.StatusOK {
		t.Fatal(status)
	}
	var handbook struct {
		CollectionID string `json:"collection_id"`
	}
	if status := p.request("GET", "/v1.0/assistants/handbook", "", nil, &handbook); status != http.StatusOK {
		t.Fatal(status)
	}
	var made struct{ ID, Key string }
	if status := p.json("POST", "/v1.0/keys", map[string]any{"name": "doors", "scopes": []string{"admin", "chat", "search"}, "limits": limits}, &made); status != http.StatusCreated {
		t.Fatal(status)
	}
	send := func(path, contentType string, body []byte) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.url+path, bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", contentType)
		req.Header.Set("Authorization", "Bearer "+made.Key)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := io.ReadAll(resp.Body)
		if err = errors.Join(err, resp.Body.Close()); err != nil || resp.StatusCode/100 != 2 {
			t.Errorf("%s: %d %s %v", path, resp.StatusCode, answer, err)
		}
	}
	post := func(path, body string) func() {
		return func() { t.Helper(); send(path, "application/json", []byte(body)) }
	}
	upload := func(path string, fields map[string]string, files ...string) func() {
		return func() { t.Helper(); contentType, body := form(t, fields, files...); send(path, contentType, body) }
	}
	tool := func(name string, arguments map[string]any) func() {
		return func() {
			t.Helper()
			if result, texts := newAgent(t, agents["http"](t, p, made.Key), "").call(name, arguments, nil); result.IsError {
				t.Errorf("%s: %v", name, texts)
			}
		}
	}
	const question = `"How many vacation days do I get per year?"`
	type uses = map[assistants.Limit]int
	chat := uses{assistants.RequestsPerMinute: 1, assistants.TokensPerMinute: 100, assistants.RequestsPerMonth: 1, assistants.TokensPerMonth: 100}
	answer := uses{assistants.SearchesPerMinute: 1, assistants.TokensPerMinute: 100, assistants.TokensPerMonth: 100}
	search, none := uses{assistants.SearchesPerMinute: 1}, uses{}
	uploads := func(n int) uses { return uses{assistants.UploadsPerMinute: n} }
	for _, door := range []struct {
		name           string
		come           func()
		key, assistant uses
	}{
		{"chat", post("/v1/chat/completions", `{"model":"handbook","messages":[{"role":"user","content":`+question+`}]}`), chat, chat},
		{"chat, streamed", post("/v1/chat/completions", `{"model":"handbook","stream":true,"messages":[{"role":"user","content":`+question+`}]}`), chat, chat},
		{"response", post("/v1/responses", `{"model":"handbook","input":`+question+`}`), chat, chat},
		{"response, streamed", post("/v1/responses", `{"model":"handbook","stream":true,"input":`+question+`}`), chat, chat},
		{"search", post("/v1/search", `{"query":`+question+`,"assistant":"handbook"}`), answer, answer},
		{"search, streamed", post("/v1/search", `{"query":`+question+`,"assistant":"handbook","stream":true}`), answer, answer},
		{"search without an assistant", post("/v1/search", `{"query":`+question+`}`), answer, none},
		{"search without an answer", post("/v1/search", `{"query":`+question+`,"assistant":"handbook","synthesize":false}`), search, search},
		{"quick", post("/v1/search/quick", `{"query":`+question+`,"assistant":"handbook"}`), search, search},
		{"check", post("/v1/check", `{"text":"You get 30 vacation days.","assistant":"handbook"}`), search, search},
		{"check of passages", post("/v1/check", `{"text":"You get 30 days.","passages":[{"id":"1","text":"You get 30 days."}]}`), search, none},
		{"retrieve", post("/v1.0/assistants/handbook/retrieve", `{"query":`+question+`}`), search, search},
		{"vector store search", post("/v1/vector_stores/"+handbook.CollectionID+"/search", `{"query":["vacation","days"]}`), search, none},
		{"file", upload("/v1/files", map[string]string{"purpose": "assistants"}, "A text."), uploads(1), none},
		{"documents", upload("/v1.0/assistants/handbook/documents", nil, "One text.", "Another text."), uploads(2), uploads(2)},
		{"tool search", tool("search", map[string]any{"query": "vacation", "assistant": "handbook"}), search, search},
		{"tool ask", tool("ask", map[string]any{"question": "How many vacation days?", "assistant": "handbook"}), chat, chat},
		{"tool check", tool("check", map[string]any{"text": "You get 30 vacation days.", "assistant": "handbook"}), search, search},
	} {
		keyBefore, assistantBefore := p.used("/v1.0/keys/"+made.ID), p.used("/v1.0/assistants/handbook")
		door.come()
		for of, change := range map[string]struct {
			path         string
			before, want uses
		}{
			"key":       {"/v1.0/keys/" + made.ID, keyBefore, door.key},
			"assistant": {"/v1.0/assistants/handbook", assistantBefore, door.assistant},
		} {
			var got uses
			t.Cleanup(func() {
				if !maps.Equal(got, change.want) {
					t.Logf("%s used %v of the %s, want %v", door.name, got, of, change.want)
				}
			})
			eventually(t, door.name+" is counted", func() bool { // a client may see the end of an answer a moment earlier
				got = uses{}
				for limit, n := range p.used(change.path) {
					if d := n - change.before[limit]; d != 0 {
						got[limit] = d
					}
				}
				return maps.Equal(got, change.want)
			})
		}
	}
	var usage struct {
		Total struct {
			Requests  int64
			Tokens    struct{ Requests, Prompt, Completion int64 }
			Citations struct{ Cited int64 }
		}
	}
	const answers = 8 // four chats, three searches and what the tool was asked
	eventually(t, "usage counts every answer of a model", func() bool {
		status := p.request("GET", "/v1.0/usage?key_id="+made.ID, "", nil, &usage)
		return status == http.StatusOK && usage.Total.Requests >= answers
	})
	if n := usage.Total; n.Requests != answers || n.Tokens.Requests != answers || n.Tokens.Prompt != 90*answers || n.Tokens.Completion != 10*answers || n.Citations.Cited != answers {
		t.Errorf("usage is %+v, want %d answers", n, answers)
	}
}
