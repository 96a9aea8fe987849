package proxy_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"

	"footnote/assistants"
	"footnote/proxy"
	"footnote/proxy/upstream"
	"footnote/proxy/upstream/upstreamtest"
)

// letters is an embedder in this process: a text's vector is its length and 1,
// and its tokens are its bytes.
type letters struct{ err error }

func (l letters) Space(context.Context) (assistants.Space, error) {
	return assistants.Space{Model: "letters", Dimensions: 2}, l.err
}

func (letters) EmbedPassages(_ context.Context, texts []string) ([][]float32, error) {
	var vectors [][]float32
	for _, text := range texts {
		vectors = append(vectors, []float32{float32(len(text)), 0.1})
	}
	return vectors, nil
}

func (letters) CountTokens(text string) int { return len(text) }

const embeddingsPath = "/v1/embeddings"

type embeddingAnswer struct {
	Object string
	Data   []struct {
		Object    string
		Index     int
		Embedding json.RawMessage
	}
	Model string
	Usage struct {
		PromptTokens int `json:"prompt_tokens"`
		TotalTokens  int `json:"total_tokens"`
	}
	Error struct{ Code, Param, Message string }
}

func (f *fixture) embed(t *testing.T, body string, header ...string) (int, embeddingAnswer) {
	t.Helper()
	req := f.post(t, embeddingsPath, body, header...)
	resp, raw := f.send(req)
	var a embeddingAnswer
	if err := json.Unmarshal(raw, &a); err != nil {
		t.Fatalf("%d %s", resp.StatusCode, raw)
	}
	return resp.StatusCode, a
}

func (f *fixture) post(t *testing.T, path, body string, header ...string) *http.Request {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	return req
}

func TestTheEmbedderInThisProcessAnswersInOpenAIsShape(t *testing.T) {
	f := newFixture(t, fixture{upstreamURL: "http://127.0.0.1:1/v1", embeddings: proxy.Embeddings{Local: letters{}}})
	for body, lengths := range map[string][]float32{
		`{"model":"letters","input":"abc"}`:                                              {3},
		`{"model":"letters","input":["a","ééé","a"],"user":"u","encoding_format":null}`:  {1, 6, 1},
		`{"input":["a\u0062"],"model":"support","encoding_format":"float"}`:              {2}, // the name of an assistant
		`{"model":"letters","input":["abc"],"encoding_format":"base64","dimensions":2}`:  {3},
		`{"model":"letters","input":"abc","encoding_format":"base64","dimensions":null}`: {3},
	} {
		status, a := f.embed(t, body)
		if status != 200 || a.Object != "list" || a.Model != "letters" || len(a.Data) != len(lengths) || a.Usage.PromptTokens != a.Usage.TotalTokens || a.Usage.TotalTokens == 0 {
			t.Errorf("%s: %d %+v", body, status, a)
			continue
		}
		for i, item := range a.Data {
			want := []float32{lengths[i], 0.1}
			if got := numbersOf(t, item.Embedding); item.Object != "embedding" || item.Index != i || !slices.Equal(got, want) {
				t.Errorf("%s: %d is %s", body, i, item.Embedding)
			}
		}
		if base64 := strings.Contains(body, "base64"); base64 != (a.Data[0].Embedding[0] == '"') {
			t.Errorf("%s: %s", body, a.Data[0].Embedding)
		}
	}
}

// numbersOf reads a vector in either form.
func numbersOf(t *testing.T, raw json.RawMessage) (numbers []float32) {
	t.Helper()
	if raw[0] == '[' {
		if err := json.Unmarshal(raw, &numbers); err != nil {
			t.Fatal(err)
		}
		return numbers
	}
	var data []byte
	if err := json.Unmarshal(raw, &data); err != nil { // a string of base64
		t.Fatal(err)
	}
	for i := 0; i < len(data); i += 4 {
		numbers = append(numbers, math.Float32frombits(binary.LittleEndian.Uint32(data[i:])))
	}
	return numbers
}

func TestWrongRequestsForEmbeddingsAreToldWhatIsWrong(t *testing.T) {
	f := newFixture(t, fixture{upstreamURL: "http://127.0.0.1:1/v1", embeddings: proxy.Embeddings{Local: letters{}}})
	many := strings.TrimSuffix(strings.Repeat(`"a",`, 2049), ",")
	long := strings.Repeat("a", 4067)
	for _, c := range []struct {
		body, code, param string
		status            int
	}{
		{`{"input":"a"}`, "missing_required_parameter", "model", 400},
		{`{"model":7,"input":"a"}`, "invalid_type", "model", 400},
		{`{"model":"letters"}`, "missing_required_parameter", "input", 400},
		{`{"model":"letters","input":null}`, "invalid_type", "input", 400},
		{`{"model":"letters","input":{"text":"a"}}`, "invalid_type", "input", 400},
		{`{"model":"letters","input":""}`, "invalid_value", "input", 400},
		{`{"model":"letters","input":[]}`, "invalid_value", "input", 400},
		{`{"model":"letters","input":["a",""]}`, "invalid_value", "input[1]", 400},
		{`{"model":"letters","input":[1,2,3]}`, "invalid_type", "input[0]", 400},
		{`{"model":"letters","input":[[1,2],[3]]}`, "invalid_type", "input[0]", 400},
		{`{"model":"letters","input":["a",2]}`, "invalid_type", "input[1]", 400},
		{`{"model":"letters","input":[` + many + `]}`, "invalid_value", "input", 400},
		{`{"model":"letters","input":["a","` + long + `"]}`, "invalid_value", "input[1]", 400},
		{`{"model":"letters","input":[` + strings.TrimSuffix(strings.Repeat(`"`+long[:4000]+`",`, 17), ",") + `]}`, "invalid_value", "input", 400},
		{`{"model":"letters","input":"a","encoding_format":"int8"}`, "invalid_value", "encoding_format", 400},
		{`{"model":"letters","input":"a","dimensions":3}`, "invalid_value", "dimensions", 400},
		{`{"model":"letters","input":"a","dimensions":"2"}`, "invalid_type", "dimensions", 400},
		{`{"model":"letters","input":"a","input":"b"}`, "duplicate_key", "input", 400},
		{`{"model":"letters","Input":"a"}`, "duplicate_key", "input", 400},
		{`{"model":"letters","input":"a"`, "invalid_json", "", 400},
		{`["a"]`, "invalid_json", "", 400},
		{`{"model":"text-embedding-3-small","input":"a"}`, "model_not_found", "model", 404},
	} {
		status, a := f.embed(t, c.body)
		if status != c.status || a.Error.Code != c.code || a.Error.Param != c.param || a.Error.Message == "" {
			t.Errorf("%.80s: %d %+v", c.body, status, a.Error)
		}
	}
	if resp, _ := f.send(f.post(t, embeddingsPath, `{"model":"letters","input":"a"}`, "Content-Type", "text/plain")); resp.StatusCode != 415 {
		t.Errorf("as text: %d", resp.StatusCode)
	}
}

func TestWithoutAnEmbedderThatIsSaidWithARemedy(t *testing.T) {
	for name, e := range map[string]proxy.Embeddings{"nobody": {}, "no weights": {Local: letters{assistants.ErrNoEmbedder}}} {
		f := newFixture(t, fixture{upstreamURL: "http://127.0.0.1:1/v1", embeddings: e})
		resp, raw := f.send(f.post(t, embeddingsPath, `{"model":"letters","input":"a"}`))
		if resp.StatusCode != 503 || !bytes.Contains(raw, []byte(`"embedder_unavailable"`)) || !bytes.Contains(raw, []byte("footnote model import")) || resp.Header.Get("X-Should-Retry") != "false" {
			t.Errorf("%s: %d %s %v", name, resp.StatusCode, raw, resp.Header)
		}
	}
}

func TestEmbeddingsNeedAKeyForChatsOrForSearch(t *testing.T) {
	f := newFixture(t, fixture{upstreamURL: "http://127.0.0.1:1/v1", embeddings: proxy.Embeddings{Local: letters{}}, anonymous: 100})
	for _, c := range []struct {
		scopes []assistants.Scope
		want   int
	}{
		{[]assistants.Scope{assistants.ScopeChat}, 200}, {[]assistants.Scope{assistants.ScopeSearch}, 200}, {[]assistants.Scope{assistants.ScopeAdmin}, 200}, {nil, 403},
	} {
		key := f.keys.add(func(k *assistants.Key) { k.Scopes = c.scopes })
		if status, a := f.embed(t, `{"model":"letters","input":"a"}`, "Authorization", "Bearer "+key); status != c.want {
			t.Errorf("%v: %d %+v", c.scopes, status, a)
		}
	}
	bound := f.keys.add(func(k *assistants.Key) { k.Assistants = []assistants.AssistantID{"asst_another"} })
	if status, a := f.embed(t, `{"model":"support","input":"a"}`, "Authorization", "Bearer "+bound); status != 404 {
		t.Errorf("by the name of an assistant that the key may not see: %d %+v", status, a)
	}
	for _, header := range []string{"Bearer sk-anything", "Bearer fn-unknown"} {
		req := f.post(t, embeddingsPath, `{"model":"support","input":"a"}`, "Authorization", header)
		if resp, raw := f.send(req); resp.StatusCode != 401 {
			t.Errorf("%q: %d %s", header, resp.StatusCode, raw)
		}
	}
}

// server is an embedding server of the upstream's kind.
func server(t *testing.T, scripts ...upstreamtest.Script) (*upstreamtest.Server, *upstream.Embedder) {
	t.Helper()
	far := upstreamtest.New(t, scripts...)
	e, err := upstream.NewEmbedder(upstream.EmbedderConfig{Server: upstream.HTTPConfig{BaseURL: far.URL(), APIKey: "sk-embedding-0123456789"}, Model: "embed-1"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return far, e
}

func TestRequestsToAnEmbeddingServerPassByteForByte(t *testing.T) {
	const answer = `{ "object":"list", "data":[{"embedding":"AACAPw==","index":0,"x":1.50}],"model":"embed-1-0001","usage":{"prompt_tokens":1,"total_tokens":1}, "extra":[1e2]}`
	far, e := server(t, upstreamtest.JSON(answer))
	f := newFixture(t, fixture{upstreamURL: "http://127.0.0.1:1/v1", embeddings: proxy.Embeddings{Server: e, Local: letters{}}, passthrough: true})
	for body, sent := range map[string]string{
		`{ "input" : [[1,2],[3]], "model":"embed-1","encoding_format":"base64", "dimensions":2,"x":{"y":1.0}}`: ``,
		`{"model":"support","input":"a"}`:       `{"model":"embed-1","input":"a"}`,
		`{"model":"another-one","input":["a"]}`: ``, // requests pass through, so the server may know it
	} {
		if sent == "" {
			sent = body
		}
		resp, raw := f.send(f.post(t, embeddingsPath, body, "Cookie", "c=1", "Idempotency-Key", "k", "Openai-Beta", "b"))
		if resp.StatusCode != 200 || string(raw) != answer {
			t.Errorf("%s: %d %s", body, resp.StatusCode, raw)
		}
		got := far.Last()
		if string(got.Body) != sent || got.Path != "/v1/embeddings" || got.Header.Get("Authorization") != "Bearer sk-embedding-0123456789" || got.Header.Get("Openai-Beta") != "b" ||
			got.Header.Get("Cookie")+got.Header.Get("Idempotency-Key") != "" {
			t.Errorf("%s was sent as %s %s %v", body, got.Path, got.Body, got.Header)
		}
	}
	without := newFixture(t, fixture{upstreamURL: "http://127.0.0.1:1/v1", embeddings: proxy.Embeddings{Server: e}})
	if status, a := without.embed(t, `{"model":"another-one","input":["a"]}`); status != 404 || a.Error.Code != "model_not_found" {
		t.Errorf("without pass-through: %d %+v", status, a)
	}
}

func TestRefusalsOfAnEmbeddingServerKeepTheirStatus(t *testing.T) {
	for status, want := range map[int]int{400: 400, 404: 404, 429: 429, 500: 500, 503: 503, 401: 502, 403: 502, 302: 502} {
		_, e := server(t, upstreamtest.Status(status, `{"error":{"message":"no","code":"c"}}`))
		f := newFixture(t, fixture{upstreamURL: "http://127.0.0.1:1/v1", embeddings: proxy.Embeddings{Server: e}})
		resp, raw := f.send(f.post(t, embeddingsPath, `{"model":"embed-1","input":"a"}`))
		if resp.StatusCode != want || want == status && string(raw) != `{"error":{"message":"no","code":"c"}}` || status == 429 && resp.Header.Get("Retry-After") == "" {
			t.Errorf("%d: %d %s %v", status, resp.StatusCode, raw, resp.Header)
		}
	}
}

func TestAClientThatLeavesEndsItsEmbeddings(t *testing.T) {
	began, ended := make(chan struct{}), make(chan error, 1)
	f := newFixture(t, fixture{upstreamURL: "http://127.0.0.1:1/v1", embeddings: proxy.Embeddings{Local: waiting{began, ended}}})
	ctx, cancel := context.WithCancel(context.Background())
	req := f.post(t, f.url+embeddingsPath, `{"model":"letters","input":"a"}`).WithContext(ctx)
	req.Header.Set("Authorization", "Bearer "+adminKey)
	go func() {
		<-began
		cancel()
	}()
	if resp, err := http.DefaultClient.Do(req); err == nil {
		t.Errorf("%d", resp.StatusCode)
	}
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// waiting embeds until its caller leaves.
type waiting struct {
	began chan struct{}
	ended chan error
}

func (w waiting) Space(ctx context.Context) (assistants.Space, error) { return letters{}.Space(ctx) }
func (w waiting) CountTokens(string) int                              { return 1 }
func (w waiting) EmbedPassages(ctx context.Context, _ []string) ([][]float32, error) {
	close(w.began)
	<-ctx.Done()
	w.ended <- context.Cause(ctx)
	return nil, context.Cause(ctx)
}
