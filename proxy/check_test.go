package proxy_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"footnote/assistants"
	"footnote/assistants/retrieval"
	"footnote/citations"
)

// checkRequest is a request to check a text, with the admin's key.
func checkRequest(t *testing.T, body string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/check", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	return req
}

// checked sends a check and decodes its citations.
func checked(t *testing.T, f *fixture, body string) citations.Citations {
	t.Helper()
	resp, raw := f.send(checkRequest(t, body))
	var got struct{ Citations citations.Citations }
	if err := json.Unmarshal(raw, &got); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%d %s", resp.StatusCode, raw)
	}
	return got.Citations
}

func hitOf(id, text string, page int) assistants.Hit {
	return assistants.Hit{Score: 0.8, Document: assistants.Document{ID: assistants.DocumentID("doc_" + id), Name: id + ".pdf"},
		Chunk: assistants.Chunk{ID: assistants.ChunkID("chunk_" + id), Text: text, CharStart: 100, CharEnd: 100 + len(text), Page: page, PageEnd: page}}
}

func TestATextIsCheckedByTheDocumentsOfAnAssistant(t *testing.T) {
	leave, notice := hitOf("leave", "Every employee gets 27 days of leave.", 4), hitOf("notice", "The notice period is four weeks.", 9)
	var mu sync.Mutex
	var asked []string
	set := assistants.DefaultSettings()
	set.EnableReranking, set.EnableQueryRewrite, set.EnableRetrievalGate = true, true, true
	f := newFixture(t, fixture{upstreamURL: "http://127.0.0.1:1/v1", settings: set, retrieve: func(_ context.Context, q retrieval.Query) (retrieval.Result, error) {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, q.Text)
		if q.Model != nil || q.Gate || q.Rewrite != nil || q.Rerank != nil {
			t.Errorf("a model is asked: %+v", q)
		}
		if strings.Contains(q.Text, "cheese") {
			return retrieval.Result{}, nil
		}
		return retrieval.Result{Hits: []assistants.Hit{leave, notice}}, nil
	}})
	text := "# Rules\n\nThe notice period is four weeks [7]. Every employee gets 30 days of leave.\nIs that so? The moon is made of cheese."
	got := checked(t, f, fmt.Sprintf(`{"assistant":"support","text":%q}`, text))
	var verdicts []string
	for _, m := range got.Markers {
		quote := ""
		if m.Quote != nil {
			quote = fmt.Sprintf(" [%d] p%d %s", m.Quote.Index, *m.Quote.PageNumber, m.Quote.Text)
		}
		verdicts = append(verdicts, fmt.Sprintf("%s|%s %v%s", string([]rune(text)[m.ClaimStart:m.ClaimEnd]), m.Support, m.Indices, quote))
	}
	want := []string{
		"The notice period is four weeks [7].|supported [1] [1] p9 The notice period is four weeks.",
		"Every employee gets 30 days of leave.|unsupported [] [2] p4 Every employee gets 27 days of leave.",
		"The moon is made of cheese.|unsupported []",
	}
	if !slices.Equal(verdicts, want) {
		t.Errorf("%q\nwant %q", verdicts, want)
	}
	if got.Status != "cited" || !slices.Equal(got.ReferencedIndices, []int{1}) || *got.Coverage != 0.333 || len(got.Sources) != 2 || len(asked) != 3 {
		t.Errorf("%+v, asked %q", got, asked)
	}
}

func TestATextIsCheckedByPassagesOfTheRequest(t *testing.T) {
	f := newFixture(t, fixture{upstreamURL: "http://127.0.0.1:1/v1", settings: assistants.DefaultSettings(), retrieve: func(context.Context, retrieval.Query) (retrieval.Result, error) {
		t.Error("the documents are searched")
		return retrieval.Result{}, nil
	}})
	got := checked(t, f, `{"text":"The notice period is six weeks [1]. Notice is given in writing [2][9]. Nothing else counts here.",
		"passages":[{"id":"contract-7","name":"Contract","text":"The notice period is four weeks.","page_number":3,"url":"https://example.com/7"},{"id":"b","text":"Notice is given in writing."}]}`)
	if len(got.Markers) != 3 || got.Markers[0].Support != "unsupported" || *got.Markers[0].Quote.PageNumber != 3 || got.Markers[1].Support != "supported" ||
		!slices.Equal(got.InvalidIndices, []int{9}) || *got.Coverage != 0.667 || got.Sources[0].DownloadURL != "https://example.com/7" {
		t.Errorf("%+v", got)
	}
}

func TestALongTextIsCheckedAsFarAsItIsSaid(t *testing.T) {
	f := newFixture(t, fixture{upstreamURL: "http://127.0.0.1:1/v1", settings: assistants.DefaultSettings(), hits: []assistants.Hit{hitOf("a", "Rule number 7 is good.", 1)}})
	var text strings.Builder
	for i := range 201 {
		fmt.Fprintf(&text, "Rule number %d is good. ", i)
	}
	got := checked(t, f, fmt.Sprintf(`{"assistant":"support","text":%q}`, text.String()))
	if len(got.Markers) != 200 || !got.Truncated || !strings.Contains(strings.Join(got.Warnings, " "), "first 200 of 201 statements") {
		t.Errorf("%d markers, %v", len(got.Markers), got.Warnings)
	}
}

func TestChecksThatAreWrongAreRefused(t *testing.T) {
	f := newFixture(t, fixture{upstreamURL: "http://127.0.0.1:1/v1", settings: assistants.DefaultSettings()})
	for body, want := range map[string]string{
		`{"assistant":"support"}`:                                                           "400 missing_required_parameter text",
		`{"text":"A b c."}`:                                                                 "400 missing_required_parameter assistant",
		`{"text":" \n","assistant":"support"}`:                                              "400 invalid_value text",
		`{"text":7,"assistant":"support"}`:                                                  "400 invalid_type text",
		`{"text":"A b c.","assistant":"other"}`:                                             "404 not_found ",
		`{"text":"A b c.","assistant":null}`:                                                "400 invalid_type assistant",
		`{"text":"A b c.","passages":[]}`:                                                   "400 invalid_value passages",
		`{"text":"A b c.","passages":null}`:                                                 "400 invalid_type passages",
		`{"text":"A b c.","passages":[{"id":"a"}]}`:                                         "400 missing_required_parameter passages[0].text",
		`{"text":"A b c.","passages":[],"assistant":"s"}`:                                   "400 invalid_value passages",
		`{"text":"A b c.","passages":[],"metadata_filter":{}}`:                              "400 invalid_value metadata_filter",
		`{"text":"A b c.","assistant":"support","metadata_filter":{"required_labels":"x"}}`: "400 invalid_value metadata_filter",
		`{"text":"A b c.","assistant":"support","threshold":1}`:                             "400 unsupported_parameter threshold",
		`{"text":"A b c.","text":"x","assistant":"support"}`:                                "400 duplicate_key text",
		"{\"text\":\"A b c \xff.\",\"assistant\":\"support\"}":                              "400 invalid_utf8 ",
		`{"text":"` + strings.Repeat("é", 100_001) + `","assistant":"support"}`:             "400 invalid_value text",
	} {
		resp, raw := f.send(checkRequest(t, body))
		var got struct {
			Error struct{ Code, Param string }
		}
		if err := json.Unmarshal(raw, &got); err != nil {
			t.Fatal(err)
		}
		if s := fmt.Sprintf("%d %s %s", resp.StatusCode, got.Error.Code, got.Error.Param); s != want {
			t.Errorf("%.80s: %s, want %s", body, raw, want)
		}
	}
}

func TestACheckThatCannotSearchFailsAsAWhole(t *testing.T) {
	f := newFixture(t, fixture{upstreamURL: "http://127.0.0.1:1/v1", settings: assistants.DefaultSettings(), retrieve: func(_ context.Context, q retrieval.Query) (retrieval.Result, error) {
		if strings.Contains(q.Text, "second") {
			return retrieval.Result{}, errors.New("secret-host:6334 is down")
		}
		return retrieval.Result{}, nil
	}})
	resp, raw := f.send(checkRequest(t, `{"assistant":"support","text":"This is the first. This is the second."}`))
	if resp.StatusCode != http.StatusServiceUnavailable || !strings.Contains(string(raw), "retrieval_unavailable") || strings.Contains(string(raw), "secret") {
		t.Errorf("%d %s", resp.StatusCode, raw)
	}
}

func TestACheckEndsWhenItsClientLeaves(t *testing.T) {
	begun, ended := make(chan struct{}), make(chan struct{})
	var once sync.Once
	f := newFixture(t, fixture{upstreamURL: "http://127.0.0.1:1/v1", settings: assistants.DefaultSettings(), retrieve: func(ctx context.Context, _ retrieval.Query) (retrieval.Result, error) {
		close(begun)
		<-ctx.Done()
		once.Do(func() { close(ended) })
		return retrieval.Result{}, ctx.Err()
	}})
	ctx, cancel := context.WithCancel(t.Context())
	req := checkRequest(t, `{"assistant":"support","text":"This is the first."}`).WithContext(ctx)
	req.URL.Scheme, req.URL.Host = "http", strings.TrimPrefix(f.url, "http://")
	req.Header.Set("Authorization", "Bearer "+adminKey)
	go func() { <-begun; cancel() }()
	if resp, err := http.DefaultClient.Do(req); err == nil {
		resp.Body.Close()
		t.Error("the client got an answer")
	}
	<-ended
}

func TestAPanicWhileATextIsCheckedFailsTheCheckOnly(t *testing.T) {
	f := newFixture(t, fixture{upstreamURL: "http://127.0.0.1:1/v1", settings: assistants.DefaultSettings(), retrieve: func(context.Context, retrieval.Query) (retrieval.Result, error) {
		panic("internal text")
	}})
	resp, raw := f.send(checkRequest(t, `{"assistant":"support","text":"The notice period is four weeks. Notice is given in writing."}`))
	if resp.StatusCode != http.StatusServiceUnavailable || strings.Contains(string(raw), "internal text") {
		t.Errorf("%d %s", resp.StatusCode, raw)
	}
}
