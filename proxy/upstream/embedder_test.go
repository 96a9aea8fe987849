package upstream

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"footnote/assistants"
)

// An embeddingServer is a model server for embeddings. Its vectors tell their
// texts: (length of the text, 1).
type embeddingServer struct {
	*httptest.Server
	mu       sync.Mutex
	asked    []embeddingRequest
	before   func(n int, w http.ResponseWriter, r embeddingRequest) bool // answers the n-th request, from 1, in its place
	encoding string
}

type embeddingRequest struct {
	Input      []string
	Model      string
	Dimensions int
	header     http.Header
	path       string
}

func newEmbeddingServer(t *testing.T) *embeddingServer {
	t.Helper()
	s := &embeddingServer{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		req := embeddingRequest{header: r.Header.Clone(), path: r.URL.Path}
		if json.NewDecoder(r.Body).Decode(&req) != nil {
			return // the client left in the middle of it
		}
		s.mu.Lock()
		s.asked = append(s.asked, req)
		n, before := len(s.asked), s.before
		s.mu.Unlock()
		if before != nil && before(n, w, req) {
			return
		}
		s.answer(w, req)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *embeddingServer) answer(w http.ResponseWriter, r embeddingRequest) {
	var items []string
	for i, text := range r.Input {
		vector := fmt.Sprintf("[%d, 1]", len(text))
		if s.encoding == "base64" {
			raw := binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(len(text))))
			raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(1))
			vector = fmt.Sprintf("%q", base64.StdEncoding.EncodeToString(raw))
		}
		items = append(items, fmt.Sprintf(`{"object":"embedding","index":%d,"embedding":%s}`, i, vector))
	}
	slices.Reverse(items) // only the index gives the order
	fmt.Fprintf(w, `{"object":"list","data":[%s],"model":%q,"usage":{"prompt_tokens":3,"total_tokens":3}}`, strings.Join(items, ","), r.Model)
}

func (s *embeddingServer) requests() []embeddingRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

const embeddingKey = "sk-embedding-secret-0123456789"

func (s *embeddingServer) embedder(t *testing.T, change func(*EmbedderConfig)) *Embedder {
	t.Helper()
	cfg := EmbedderConfig{Server: HTTPConfig{BaseURL: s.URL + "/v1", APIKey: embeddingKey}, Model: "embed-1", Backoff: time.Microsecond}
	if change != nil {
		change(&cfg)
	}
	e, err := NewEmbedder(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e
}

// isOf reports whether a vector is that of a text.
func isOf(v []float32, text string) bool {
	size := math.Hypot(float64(len(text)), 1)
	return len(v) == 2 && math.Abs(float64(v[0])-float64(len(text))/size) < 1e-6 && math.Abs(float64(v[1])-1/size) < 1e-6
}

func textsOf(n int) []string {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = strings.Repeat("x", i+1)
	}
	return texts
}

func embedAll(t *testing.T, e *Embedder, texts []string) {
	t.Helper()
	vectors, err := e.EmbedPassages(context.Background(), texts)
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range texts {
		if !isOf(vectors[i], text) {
			t.Fatalf("text %d has the vector %v", i, vectors[i])
		}
	}
}

func TestVectorsComeInTheTextsOrderAndOfLength1(t *testing.T) {
	for _, encoding := range []string{"float", "base64"} {
		s := newEmbeddingServer(t)
		s.encoding = encoding
		e := s.embedder(t, nil)
		embedAll(t, e, textsOf(250))
		for _, r := range s.requests() {
			if r.Model != "embed-1" || r.path != "/v1/embeddings" || r.header.Get("Authorization") != "Bearer "+embeddingKey || len(r.Input) > maxBatchTexts {
				t.Errorf("asked %s for %d texts as %q", r.path, len(r.Input), r.Model)
			}
		}
		if n := len(s.requests()); n != 3 {
			t.Errorf("%s: %d requests for 250 texts", encoding, n)
		}
		q, err := e.EmbedQuery(context.Background(), "what?")
		if err != nil || !isOf(q.Vector, "what?") || q.Trust != 1 || q.Space != (assistants.Space{Model: "embed-1", Dimensions: 2}) {
			t.Errorf("%s: %+v, %v", encoding, q, err)
		}
		if vectors, err := e.EmbedPassages(context.Background(), nil); err != nil || len(vectors) != 0 {
			t.Errorf("of no texts: %v, %v", vectors, err)
		}
	}
}

func TestLongTextsGoInSmallerBatches(t *testing.T) {
	s := newEmbeddingServer(t)
	long := strings.Repeat("y", 40_000)
	embedAll(t, s.embedder(t, nil), []string{long, long, long, "x", "xx"})
	for _, r := range s.requests() {
		if size := len(strings.Join(r.Input, "")); size > maxBatchTokens*bytesPerToken {
			t.Errorf("a request of %d bytes", size)
		}
	}
}

func TestTheLengthOfVectorsIsFoundByAskingOnce(t *testing.T) {
	s := newEmbeddingServer(t)
	e := s.embedder(t, nil)
	if st := e.Status(); st.State != assistants.EmbedderUntried || st.Space.Model != "embed-1" || st.Space.Dimensions != 0 {
		t.Errorf("status %+v", st)
	}
	for range 3 {
		if space, err := e.Space(context.Background()); err != nil || space.Dimensions != 2 {
			t.Fatalf("%v, %v", space, err)
		}
	}
	if n := len(s.requests()); n != 1 {
		t.Errorf("asked %d times", n)
	}
	if st := e.Status(); st.State != assistants.EmbedderReady || st.Space.Dimensions != 2 || st.Reason != "" {
		t.Errorf("status %+v", st)
	}
}

func TestAskedForDimensionsAreSentAndInsistedOn(t *testing.T) {
	s := newEmbeddingServer(t)
	good := s.embedder(t, func(c *EmbedderConfig) { c.Dimensions = 2 })
	embedAll(t, good, textsOf(1))
	if r := s.requests()[0]; r.Dimensions != 2 {
		t.Errorf("asked for %d dimensions", r.Dimensions)
	}
	other := s.embedder(t, func(c *EmbedderConfig) { c.Dimensions = 3 })
	if space, err := other.Space(context.Background()); err != nil || space.Dimensions != 3 {
		t.Errorf("%v, %v", space, err)
	}
	if _, err := other.EmbedQuery(context.Background(), "what?"); !errors.Is(err, assistants.ErrUnavailable) || !strings.Contains(err.Error(), "2 dimensions instead of 3") {
		t.Errorf("error %v", err)
	}
}

func TestAnswersOfNoUseAreRefusedAndNotAskedForAgain(t *testing.T) {
	item := func(index, vector string) string { return fmt.Sprintf(`{"index":%s,"embedding":%s}`, index, vector) }
	list := func(items ...string) string { return `{"data":[` + strings.Join(items, ",") + `]}` }
	nan := base64.StdEncoding.EncodeToString(binary.LittleEndian.AppendUint32([]byte{0, 0, 128, 63}, math.Float32bits(float32(math.NaN()))))
	inf := base64.StdEncoding.EncodeToString(binary.LittleEndian.AppendUint32([]byte{0, 0, 128, 63}, math.Float32bits(float32(math.Inf(-1)))))
	for name, body := range map[string]string{
		"fewer":                    list(item("0", "[1,2]")),
		"more":                     list(item("0", "[1,2]"), item("1", "[1,2]"), item("2", "[1,2]")),
		"one twice":                list(item("0", "[1,2]"), item("0", "[1,2]")),
		"an index beyond":          list(item("0", "[1,2]"), item("2", "[1,2]")),
		"a negative index":         list(item("0", "[1,2]"), item("-1", "[1,2]")),
		"one without index":        list(item("1", "[1,2]"), `{"embedding":[1,2]}`),
		"zero":                     list(item("0", "[1,2]"), item("1", "[0,0]")),
		"empty":                    list(item("0", "[1,2]"), item("1", "[]")),
		"short":                    list(item("0", "[1,2]"), item("1", "[1]")),
		"null":                     list(item("0", "[1,2]"), item("1", "[1,null]")),
		"no vector":                list(item("0", "[1,2]"), `{"index":1}`),
		"words":                    list(item("0", "[1,2]"), item("1", `["a","b"]`)),
		"NaN as text":              list(item("0", "[1,2]"), item("1", "[1,NaN]")),
		"too large for 32 bits":    list(item("0", "[1,2]"), item("1", "[1,1e39]")),
		"NaN in base64":            list(item("0", `"`+nan+`"`), item("1", `"`+nan+`"`)),
		"infinite in base64":       list(item("0", `"`+inf+`"`), item("1", `"`+inf+`"`)),
		"no base64":                list(item("0", "[1,2]"), item("1", `"#"`)),
		"base64 of half a number":  list(item("0", "[1,2]"), item("1", `"AAA="`)),
		"no JSON":                  `<html>`,
		"a list":                   `[]`,
		"nothing":                  ``,
		"no data":                  `{"object":"list"}`,
		"an error with status 200": `{"error":{"message":"no such model","type":"invalid_request_error","code":"model_not_found"}}`,
	} {
		s := newEmbeddingServer(t)
		s.before = func(_ int, w http.ResponseWriter, _ embeddingRequest) bool {
			fmt.Fprint(w, body)
			return true
		}
		e := s.embedder(t, nil)
		vectors, err := e.EmbedPassages(context.Background(), []string{"a", "bb"})
		if _, typed := errors.AsType[*Error](err); !typed || !errors.Is(err, assistants.ErrUnavailable) || vectors != nil {
			t.Errorf("%s: %v, %v", name, vectors, err)
		}
		if n := len(s.requests()); n != 1 {
			t.Errorf("%s: asked %d times", name, n)
		}
		if st := e.Status(); st.State != assistants.EmbedderFailing || st.Reason == "" {
			t.Errorf("%s: status %+v", name, st)
		}
	}
}

func TestPassingFailuresAreAskedAgain(t *testing.T) {
	for name, fail := range map[string]func(w http.ResponseWriter){
		"429":                  func(w http.ResponseWriter) { w.WriteHeader(429) },
		"429 with a wait":      func(w http.ResponseWriter) { w.Header().Set("Retry-After-Ms", "1"); w.WriteHeader(429) },
		"408":                  func(w http.ResponseWriter) { w.WriteHeader(408) },
		"500":                  func(w http.ResponseWriter) { w.WriteHeader(500) },
		"503":                  func(w http.ResponseWriter) { w.Header().Set("Retry-After", "0"); w.WriteHeader(503) },
		"529":                  func(w http.ResponseWriter) { w.WriteHeader(529) },
		"a closed connection":  func(http.ResponseWriter) { panic(http.ErrAbortHandler) },
		"a cut answer":         func(w http.ResponseWriter) { w.Header().Set("Content-Length", "900"); fmt.Fprint(w, `{"data":[`) },
		"overloaded, in words": func(w http.ResponseWriter) { fmt.Fprint(w, `{"error":{"message":"busy","type":"overloaded_error"}}`) },
	} {
		s := newEmbeddingServer(t)
		s.before = func(n int, w http.ResponseWriter, _ embeddingRequest) bool {
			if n <= 3 {
				fail(w)
			}
			return n <= 3
		}
		e := s.embedder(t, nil)
		vectors, err := e.EmbedPassages(context.Background(), []string{"xx"})
		if err != nil || !isOf(vectors[0], "xx") || len(s.requests()) != 4 {
			t.Errorf("%s: %v after %d requests", name, err, len(s.requests()))
		}
		if st := e.Status(); st.State != assistants.EmbedderReady {
			t.Errorf("%s: status %+v", name, st)
		}
	}
}

func TestFailuresThatStayAreNotAskedAgain(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		header [2]string
		code   string
	}{
		"a refused key":     {401, [2]string{}, CodeAuthFailed},
		"forbidden":         {403, [2]string{}, CodeAuthFailed},
		"no such model":     {404, [2]string{}, CodeReported},
		"a redirect":        {307, [2]string{"Location", "http://127.0.0.1:1/"}, CodeInvalidResponse},
		"an hour to wait":   {429, [2]string{"Retry-After", "3600"}, CodeRateLimited},
		"nothing to answer": {204, [2]string{}, CodeInvalidResponse},
	} {
		s := newEmbeddingServer(t)
		s.before = func(_ int, w http.ResponseWriter, _ embeddingRequest) bool {
			if c.header[0] != "" {
				w.Header().Set(c.header[0], c.header[1])
			}
			w.WriteHeader(c.status)
			return true
		}
		_, err := s.embedder(t, nil).EmbedPassages(context.Background(), []string{"xx"})
		typed, ok := errors.AsType[*Error](err)
		if !ok || typed.Code != c.code || !errors.Is(err, assistants.ErrUnavailable) || len(s.requests()) != 1 {
			t.Errorf("%s: %v after %d requests", name, err, len(s.requests()))
		}
	}
}

func TestAQuestionIsAskedTwiceAtMostAndNotBeyondItsDeadline(t *testing.T) {
	s := newEmbeddingServer(t)
	s.before = func(_ int, w http.ResponseWriter, _ embeddingRequest) bool { w.WriteHeader(503); return true }
	e := s.embedder(t, nil)
	if _, err := e.EmbedQuery(context.Background(), "what?"); !errors.Is(err, assistants.ErrUnavailable) || len(s.requests()) != 2 {
		t.Errorf("%v after %d requests", err, len(s.requests()))
	}
	s.before = func(_ int, w http.ResponseWriter, _ embeddingRequest) bool {
		w.Header().Set("Retry-After-Ms", "1900")
		w.WriteHeader(429)
		return true
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second) // too short for the wait, long for the answer
	defer cancel()
	if _, err := e.EmbedQuery(ctx, "what?"); !errors.Is(err, assistants.ErrUnavailable) || len(s.requests()) != 3 {
		t.Errorf("%v after %d requests", err, len(s.requests()))
	}
}

func TestASilentServerIsGivenUp(t *testing.T) {
	s := newEmbeddingServer(t)
	silent := make(chan struct{})
	s.before = func(int, http.ResponseWriter, embeddingRequest) bool { <-silent; return false }
	t.Cleanup(func() { close(silent) }) // runs before the server is closed
	e := s.embedder(t, func(c *EmbedderConfig) {
		c.QueryTimeout = 20 * time.Millisecond
		c.Server.Timeouts.Total = 20 * time.Millisecond
	})
	_, err := e.EmbedQuery(context.Background(), "what?")
	if typed, ok := errors.AsType[*Error](err); !ok || typed.Code != CodeTimeout {
		t.Errorf("a question: %v", err)
	}
	_, err = e.EmbedPassages(context.Background(), []string{"x"})
	if typed, ok := errors.AsType[*Error](err); !ok || typed.Code != CodeTimeout {
		t.Errorf("passages: %v", err)
	}
}

// A chat has less time for a question than the server may take: that it is too
// slow must show as well.
func TestASilentServerShowsInTheStatusWhoeverGivesUp(t *testing.T) {
	s := newEmbeddingServer(t)
	silent := make(chan struct{})
	s.before = func(int, http.ResponseWriter, embeddingRequest) bool { <-silent; return false }
	t.Cleanup(func() { close(silent) }) // runs before the server is closed
	e := s.embedder(t, nil)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if _, err := e.EmbedQuery(ctx, "what?"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a question: %v", err)
	}
	if st := e.Status(); st.State != assistants.EmbedderFailing || st.Reason == "" {
		t.Errorf("status %+v", st)
	}
	left, leave := context.WithCancel(context.Background())
	leave()
	e = s.embedder(t, nil)
	if _, err := e.EmbedQuery(left, "what?"); !errors.Is(err, context.Canceled) || e.Status().State == assistants.EmbedderFailing {
		t.Errorf("a caller who left: %v, %+v", err, e.Status())
	}
}

func TestACallerThatLeavesEndsItsRequests(t *testing.T) {
	s := newEmbeddingServer(t)
	gone := errors.New("the caller left")
	ctx, cancel := context.WithCancelCause(context.Background())
	silent := make(chan struct{})
	s.before = func(int, http.ResponseWriter, embeddingRequest) bool { cancel(gone); <-silent; return true }
	t.Cleanup(func() { close(silent) })
	e := s.embedder(t, nil)
	if _, err := e.EmbedPassages(ctx, textsOf(900)); !errors.Is(err, gone) && !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if st := e.Status(); st.State != assistants.EmbedderUntried {
		t.Errorf("that counts as a failure of the server: %+v", st)
	}
}

func TestAServerThatTakesFewTextsGetsFewer(t *testing.T) {
	for _, status := range []int{400, 413, 422} {
		s := newEmbeddingServer(t)
		s.before = func(_ int, w http.ResponseWriter, r embeddingRequest) bool {
			if len(r.Input) > 30 {
				w.WriteHeader(status)
			}
			return len(r.Input) > 30
		}
		e := s.embedder(t, nil)
		embedAll(t, e, textsOf(96))
		before := len(s.requests())
		embedAll(t, e, textsOf(96))
		if n := len(s.requests()) - before; n != 4 {
			t.Errorf("%d: %d requests the second time", status, n)
		}
	}
	s := newEmbeddingServer(t)
	s.before = func(_ int, w http.ResponseWriter, _ embeddingRequest) bool { w.WriteHeader(400); return true }
	if _, err := s.embedder(t, nil).EmbedPassages(context.Background(), textsOf(64)); !errors.Is(err, assistants.ErrUnavailable) {
		t.Errorf("a server that takes nothing: %v", err)
	}
	if n := len(s.requests()); n > 14 { // twice at each of seven sizes
		t.Errorf("%d requests for nothing", n)
	}
}

func TestRequestsForPassagesAreBoundedAndDoNotKeepQuestionsWaiting(t *testing.T) {
	s := newEmbeddingServer(t)
	release := make(chan struct{})
	var now, most atomic.Int64
	s.before = func(_ int, _ http.ResponseWriter, r embeddingRequest) bool {
		if r.Input[0] != "what?" {
			n := now.Add(1)
			for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
			}
			<-release
			now.Add(-1)
		}
		return false
	}
	e := s.embedder(t, nil)
	var g sync.WaitGroup
	for range 3 {
		g.Go(func() {
			if _, err := e.EmbedPassages(context.Background(), textsOf(600)); err != nil {
				t.Error(err)
			}
		})
	}
	for now.Load() < passageCalls {
		if _, err := e.EmbedQuery(context.Background(), "what?"); err != nil {
			t.Fatal(err)
		}
	}
	close(release)
	g.Wait()
	if most.Load() != passageCalls {
		t.Errorf("%d at a time", most.Load())
	}
}

func TestWhatAServerSaysShowsNoSecret(t *testing.T) {
	s := newEmbeddingServer(t)
	s.before = func(_ int, w http.ResponseWriter, _ embeddingRequest) bool {
		w.WriteHeader(400)
		fmt.Fprintf(w, `{"error":{"message":"bad key %s at https://internal.example.com/x and 10.0.0.7","type":"invalid_request_error"}}`, embeddingKey)
		return true
	}
	e := s.embedder(t, nil)
	_, err := e.EmbedPassages(context.Background(), []string{"the text of a user"})
	for _, secret := range []string{embeddingKey, "internal.example.com", "10.0.0.7", "the text of a user"} {
		if strings.Contains(fmt.Sprint(err), secret) || strings.Contains(e.Status().Reason, secret) {
			t.Errorf("%q is in %v, or in %q", secret, err, e.Status().Reason)
		}
	}
}

func TestAnEmbedderIsNotMadeOfABadConfiguration(t *testing.T) {
	for _, cfg := range []HTTPConfig{{BaseURL: "ftp://x"}, {BaseURL: "http://x/v1", APIKey: "a b"}} {
		if _, err := NewEmbedder(EmbedderConfig{Server: cfg, Model: "m"}); err == nil {
			t.Errorf("%+v", cfg)
		}
	}
	e, err := parseEndpoint("https://api.example.com/v1/embeddings?api-version=1")
	if err != nil || e.join(embeddingsPath).String() != "https://api.example.com/v1/embeddings?api-version=1" || e.join(chatPath).Path != "/v1/chat/completions" {
		t.Errorf("%v, %v", e, err)
	}
}
