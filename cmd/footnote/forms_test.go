package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"footnote/citations"
	"footnote/citations/formattest"
)

// A speaker is a model server that says what a request asks for: the text of
// its member "says" in the way of its member "how". Nothing else of an answer
// is different, so that the program's citations must be the same.
type speaker struct{ *httptest.Server }

type speech struct {
	Says string
	How  string
	N    int // choices, all of the same text
}

func startSpeaker(t *testing.T) speaker {
	t.Helper()
	s := speaker{httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked speech
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		asked.N = max(asked.N, 1)
		if asked.How == "json" {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, asked.whole()) // a client that left is the test's to notice
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, strings.Join(asked.events(), "\n\n")+"\n\n")
	}))}
	t.Cleanup(s.Close)
	return s
}

func quoted(text string) string {
	raw, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

func (s speech) whole() string {
	var choices []string
	for i := range s.N {
		choices = append(choices, fmt.Sprintf(`{"index":%d,"message":{"role":"assistant","content":%s},"finish_reason":"stop"}`, i, quoted(s.Says)))
	}
	return `{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[` + strings.Join(choices, ",") + `]}`
}

// events are the answer as a stream. The ways of cutting it: "whole", "runes",
// "thirds"; "noise" puts between the runes whatever else a stream may hold, each
// with a marker where none counts.
func (s speech) events() (events []string) {
	chunk := func(choice int, delta, reason string) {
		events = append(events, fmt.Sprintf(`data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":%d,"delta":%s,"finish_reason":%s}]}`, choice, delta, reason))
	}
	for i := range s.N {
		chunk(i, `{"role":"assistant","content":""}`, "null")
	}
	for k, piece := range s.pieces() {
		for i := range s.N {
			chunk(i, `{"content":`+quoted(piece)+`}`, "null")
		}
		if s.How != "noise" {
			continue
		}
		switch k % 6 {
		case 0:
			events = append(events, ": keep-alive [3]")
		case 1:
			chunk(0, `{"tool_calls":[{"index":0,"id":"call","type":"function","function":{"name":"f","arguments":"[3]"}}]}`, "null")
		case 2:
			events = append(events, `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[],"usage":{"prompt_tokens":1,"completion_tokens":3,"total_tokens":4}}`)
		case 3:
			chunk(0, `{"reasoning_content":"so [3]","reasoning":"so [3]"}`, "null")
		case 4:
			chunk(0, `{"refusal":"no [3]"}`, "null")
		case 5:
			events = append(events, `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"logprobs":{"content":[{"token":"[3]","logprob":-1,"bytes":null,"top_logprobs":[]}]},"finish_reason":null}]}`)
		}
	}
	for i := range s.N {
		chunk(i, `{}`, `"stop"`)
	}
	return append(events, "data: [DONE]")
}

func (s speech) pieces() []string {
	switch runes := []rune(s.Says); {
	case s.How == "whole" || len(runes) < 3:
		return []string{s.Says}
	case s.How == "thirds":
		a, b := len(runes)/3, 2*len(runes)/3
		return []string{string(runes[:a]), string(runes[a:b]), string(runes[b:])}
	default:
		return strings.Split(s.Says, "")
	}
}

// A listener asks the program, as many at a time as the tests run.
type listener struct {
	*process
	client   *http.Client
	question string
}

// startListener starts the program with an assistant of three documents, and
// one of none.
func startListener(t *testing.T) *listener {
	t.Helper()
	up := startSpeaker(t)
	l := &listener{question: "When may an employee travel?", client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16}}}
	t.Cleanup(l.client.CloseIdleConnections)
	l.process = start(t, t.TempDir(), nil, "FOOTNOTE_UPSTREAM_URL="+up.URL+"/v1", "FOOTNOTE_UPSTREAM_MODEL=m")
	settings := map[string]any{"enable_rag": true, "enable_citations": true, "retrieval_score_threshold": 0.01}
	for _, name := range []string{"Known", "Unknown"} {
		if status := l.json("POST", "/v1.0/assistants", map[string]any{"name": name, "settings": settings}, nil); status != http.StatusCreated {
			t.Fatal(status)
		}
	}
	handbook, err := os.ReadFile(filepath.Join("demo", "documents", "travel-policy.pdf"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"leave.md": "# Leave\n\nEvery employee may travel on 27 days of leave. " + strings.Repeat("é", 250) + "\n",
		"hours.md": "# Hours\n\nAn employee who has to travel counts the hours.\n",
	} {
		if _, status := l.note("known", name, text); status != http.StatusAccepted {
			t.Fatal(status)
		}
	}
	if _, status := l.note("known", "travel-policy.pdf", string(handbook)); status != http.StatusAccepted {
		t.Fatal(status)
	}
	l.documents("known")
	return l
}

// object is the citations object of an answer, as the program wrote it.
func (l *listener) object(t *testing.T, assistant string, s speech, also ...string) json.RawMessage {
	t.Helper()
	return l.asked(t, assistant, s, append(also, `,"retrieval_options":{"top_k":3}`)...)
}

// asked is the same with members of the test's own.
func (l *listener) asked(t *testing.T, assistant string, s speech, also ...string) json.RawMessage {
	t.Helper()
	body := fmt.Sprintf(`{"model":%q,"messages":[{"role":"user","content":%q}],"stream":%v,"says":%s,"how":%q,"n":%d%s}`,
		assistant, l.question, s.How != "json", quoted(s.Says), s.How, max(s.N, 1), strings.Join(also, ""))
	req, err := http.NewRequest(http.MethodPost, l.url+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+testAdminKey)
	resp, err := l.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%d %v %s", resp.StatusCode, err, raw)
	}
	if s.How == "json" {
		return citationsIn(t, raw)
	}
	var object json.RawMessage
	for line := range bytes.Lines(raw) {
		data, ok := bytes.CutPrefix(line, []byte("data: "))
		if !ok || !bytes.Contains(data, []byte(`"citations"`)) {
			continue
		}
		if object != nil {
			t.Fatalf("two chunks with citations: %s", raw)
		}
		object = citationsIn(t, data)
	}
	return object
}

func citationsIn(t *testing.T, raw []byte) json.RawMessage {
	t.Helper()
	var answer struct{ Citations json.RawMessage }
	if err := json.Unmarshal(raw, &answer); err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	return answer.Citations
}

// Every row of the tables of markers, whole and in a stream however it is cut:
// the same object, and the one that the row says.
func TestEveryFormIsTheSameThroughTheProgramHoweverItComes(t *testing.T) {
	l := startListener(t)
	for _, c := range formattest.Cases(t, filepath.Join("..", "..", "citations", "FORMAT.md"), formattest.Markers...) {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			whole := l.object(t, "known", speech{Says: c.Text, How: "json"})
			for _, how := range []string{"whole", "thirds", "runes", "noise"} {
				if got := l.object(t, "known", speech{Says: c.Text, How: how}); !bytes.Equal(got, whole) {
					t.Errorf("streamed %s:\n%s\nas JSON:\n%s", how, got, whole)
				}
			}
			checkObject(t, whole, c.Text, c.Numbers(t))
		})
	}
}

// checkObject compares an object with the numbers that a text is known to cite,
// and with what the library says of the text.
func checkObject(t *testing.T, raw json.RawMessage, text string, numbers []int) {
	t.Helper()
	var got citations.Citations
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Sources) != 3 {
		t.Fatalf("%d sources, want all three", len(got.Sources))
	}
	cited, invalid, scores := []int{}, []int{}, []float64{}
	slices.Sort(numbers)
	for _, n := range slices.Compact(numbers) {
		if n > len(got.Sources) {
			invalid = append(invalid, n)
			continue
		}
		cited = append(cited, n)
		scores = append(scores, got.Sources[n-1].Score)
	}
	status := citations.StatusCited
	if len(cited) == 0 {
		status = citations.StatusNone
	}
	if got.Status != status || !slices.Equal(got.ReferencedIndices, cited) || !slices.Equal(got.InvalidIndices, invalid) {
		t.Errorf("%s, cited %v, invalid %v; want %s %v %v", got.Status, got.ReferencedIndices, got.InvalidIndices, status, cited, invalid)
	}
	checkConfidence(t, got.Confidence, scores)
	tracker := citations.NewSet(got.Sources, citations.Options{}).Tracker()
	tracker.Write(0, text)
	want := tracker.Result().Markers
	if len(want) != len(got.Markers) {
		t.Fatalf("markers %+v, want %+v", got.Markers, want)
	}
	points := []rune(text)
	for i, m := range got.Markers {
		w := want[i]
		if m.Start != w.Start || m.End != w.End || m.ClaimStart != w.ClaimStart || m.ClaimEnd != w.ClaimEnd ||
			!slices.Equal(m.Indices, w.Indices) || !slices.Equal(m.Invalid, w.Invalid) {
			t.Errorf("marker %+v, want %+v", m, w)
		}
		if written := string(points[m.Start:m.End]); strings.ContainsAny(written[:1], "0123456789 ") || !strings.ContainsAny(written, "]】］") {
			t.Errorf("the offsets of %+v are those of %q", m, written)
		}
	}
}

// checkConfidence computes the confidence of Y1 to Y4 on its own.
func checkConfidence(t *testing.T, got citations.Confidence, scores []float64) {
	t.Helper()
	want, level := 0.0, "low"
	if n := len(scores); n > 0 {
		mean := 0.0
		for _, s := range scores {
			mean += s / float64(n)
		}
		want = min(1, 0.7*mean+0.3*map[int]float64{1: 0.3, 2: 0.6, 3: 1}[n])
	}
	switch {
	case want >= 0.8:
		level = "high"
	case want >= 0.5:
		level = "medium"
	}
	if math.Abs(got.Confidence-want) > 0.0015 || got.ConfidenceLevel != level {
		t.Errorf("confidence %v %s of %v, want %v %s", got.Confidence, got.ConfidenceLevel, scores, want, level)
	}
}

// K-012: choices that come in turns, rune by rune.
func TestChoicesThatComeInTurnsAreToldApart(t *testing.T) {
	l := startListener(t)
	for _, text := range []string{"A [1][3].", "`x[1]` [2]", "a 【1†source】 [1, 2", "```\n[1]\n```\n\\[2\\]"} {
		whole := l.object(t, "known", speech{Says: text, How: "json", N: 3})
		for _, how := range []string{"runes", "thirds", "noise"} {
			if got := l.object(t, "known", speech{Says: text, How: how, N: 3}); !bytes.Equal(got, whole) {
				t.Errorf("%q streamed %s:\n%s\nas JSON:\n%s", text, how, got, whole)
			}
		}
	}
}

// K-013: what is not the answer's text is not scanned.
func TestWhatIsNotTheTextIsNotScanned(t *testing.T) {
	l := startListener(t)
	for _, also := range []string{`,"response_format":{"type":"json_object"}`,
		`,"response_format":{"type":"json_schema","json_schema":{"name":"x","schema":{}}}`,
		`,"tools":[{"type":"function","function":{"name":"f"}}],"tool_choice":"required"`} {
		for _, how := range []string{"json", "runes"} {
			var got citations.Citations
			if err := json.Unmarshal(l.object(t, "known", speech{Says: `{"a": "So [1] [9]."}`, How: how}, also), &got); err != nil {
				t.Fatal(err)
			}
			if got.Status != citations.StatusSkipped || len(got.Markers)+len(got.ReferencedIndices)+len(got.InvalidIndices) > 0 {
				t.Errorf("%s %s: %+v", how, also, got)
			}
		}
	}
}

// X6, X9, X10, Z1 to Z4 and Z8: what an answer says of its sources.
func TestWhatAnAnswerSaysOfItsSources(t *testing.T) {
	l := startListener(t)
	for _, how := range []string{"json", "runes"} {
		var got citations.Citations
		if err := json.Unmarshal(l.object(t, "unknown", speech{Says: "So [1].", How: how}), &got); err != nil {
			t.Fatal(err)
		}
		if got.Status != citations.StatusNoSources || len(got.Sources) > 0 || len(got.ReferencedIndices) > 0 || !slices.Equal(got.InvalidIndices, []int{1}) {
			t.Errorf("X6: without sources: %+v", got)
		}
		if err := json.Unmarshal(l.object(t, "known", speech{Says: "", How: how}), &got); err != nil {
			t.Fatal(err)
		}
		if got.Status != citations.StatusNone || len(got.Sources) != 3 || len(got.Markers) > 0 {
			t.Errorf("X6: without text: %+v", got)
		}
		names := map[string]bool{}
		for i, s := range got.Sources {
			names[s.DocumentName] = true
			if s.Index != i+1 || i > 0 && s.Score > got.Sources[i-1].Score {
				t.Errorf("Z2, Z8: source %d of score %v stands at %d", s.Index, s.Score, i)
			}
			checkSource(t, s)
		}
		if len(names) != 3 {
			t.Errorf("the sources are of %v", names)
		}
	}
}

func checkSource(t *testing.T, s citations.Source) {
	t.Helper()
	page := "N/A" // Z4
	if s.DocumentName == "travel-policy.pdf" {
		if s.PageNumber == nil || *s.PageNumber < 1 || s.PageEnd == nil || *s.PageEnd < *s.PageNumber || s.ContentType != "application/pdf" {
			t.Fatalf("X10: %+v", s)
		}
		page = fmt.Sprint(*s.PageNumber)
	}
	if want := fmt.Sprintf("(Source: %s, page %s, chunk %d)", s.DocumentName, page, s.ChunkIndex); s.Citation != want {
		t.Errorf("Z1, Z3, Z4: %s, want %s", s.Citation, want)
	}
	if s.DocumentID == "" || s.ChunkID == "" || s.CharEnd <= s.CharStart || s.Score <= 0 || s.Excerpt == "" {
		t.Errorf("X10: %+v", s)
	}
	if s.DocumentName == "leave.md" {
		if n := utf8.RuneCountInString(s.Excerpt); n != 203 || !strings.HasSuffix(s.Excerpt, "é...") {
			t.Errorf("X9: an excerpt of %d code points: %s", n, s.Excerpt)
		}
	}
}

// K-020: an answer that breaks off has no citations, only its error.
func TestAnAnswerThatBreaksOffHasNoCitations(t *testing.T) {
	cut := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, speech{Says: "So [1] and [2].", How: "runes", N: 1}.events()[3]+"\n\n")
	}))
	t.Cleanup(cut.Close)
	p := start(t, t.TempDir(), nil, "FOOTNOTE_UPSTREAM_URL="+cut.URL+"/v1", "FOOTNOTE_UPSTREAM_MODEL=m")
	settings := map[string]any{"enable_rag": true, "enable_citations": true}
	if status := p.json("POST", "/v1.0/assistants", map[string]any{"name": "Known", "settings": settings}, nil); status != http.StatusCreated {
		t.Fatal(status)
	}
	raw := p.raw("/v1/chat/completions", `{"model":"known","stream":true,"messages":[{"role":"user","content":"Why?"}]}`)
	if !strings.Contains(raw, "upstream_stream_interrupted") || strings.Contains(raw, `"citations"`) || strings.Contains(raw, "[DONE]") {
		t.Errorf("%s", raw)
	}
}
