package conformance

import (
	"bytes"
	"encoding/json"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A reading is what a client lets its user read of an answer, under the names of
// the wire, wherever it keeps them. The scripts print it as JSON.
type reading struct {
	Text  string
	Tools []shownToolCall

	Citations     any // the object, or Perplexity's list
	SearchResults any `json:"search_results"`
	Annotations   any
	Context       any
	InMessage     any `json:"in_message"`
	Events        []any
	// Sources are what the client itself calls by a name of its own, and shows.
	Sources []link

	Marked []string // what stands where the markers say
	Noted  []string // what stands where the annotations say

	Error *shownError
}

type link struct{ Title, URL string }

// signed is the part of a public link that says until when it holds.
var signed = regexp.MustCompile(`(/v1\.0/links/)[^/\s")]+(/[^/\s")]+/doc_[^/\s")]+/[^/\s")]+/)[0-9]+/`)

// compared is a reading without what differs between two equal answers: how
// long their links hold, and the spaces in the arguments of tools.
func (r reading) compared(t *testing.T) reading {
	t.Helper()
	raw, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var c reading
	if err := json.Unmarshal(signed.ReplaceAll(raw, []byte("${1}signature${2}time/")), &c); err != nil {
		t.Fatal(err)
	}
	for i, call := range c.Tools {
		var compact bytes.Buffer
		if err := json.Compact(&compact, []byte(call.Arguments)); err != nil {
			t.Errorf("the arguments %q of %s are no JSON", call.Arguments, call.Name)
		}
		c.Tools[i].Arguments = compact.String()
	}
	if len(c.Tools) == 0 {
		c.Tools = nil
	}
	if len(c.Sources) == 0 {
		c.Sources = nil
	}
	if len(c.Marked) == 0 {
		c.Marked = nil
	}
	return c
}

// decodeBody reads the JSON of an answer.
func decodeBody(t *testing.T, raw []byte) reading {
	t.Helper()
	var body struct {
		Choices []struct {
			Message struct {
				Content   string
				ToolCalls []struct {
					ID       string
					Function struct{ Name, Arguments string }
				} `json:"tool_calls"`
				Annotations any
				Context     any
				Citations   any
			}
		}
		Citations     any
		SearchResults any `json:"search_results"`
	}
	if err := json.Unmarshal(raw, &body); err != nil || len(body.Choices) == 0 {
		t.Fatalf("%v in %s", err, raw)
	}
	m := body.Choices[0].Message
	r := reading{
		Text: m.Content, Citations: body.Citations, SearchResults: body.SearchResults,
		Annotations: m.Annotations, Context: m.Context, InMessage: m.Citations,
	}
	for _, c := range m.ToolCalls {
		r.Tools = append(r.Tools, shownToolCall{c.ID, c.Function.Name, c.Function.Arguments})
	}
	return r
}

// chunk adds a chunk that a client shows as it came.
func (r *reading) chunk(t *testing.T, raw string) {
	t.Helper()
	var chunk struct {
		Choices []struct {
			Delta struct {
				Annotations []any
				Context     any
				Citations   any
			}
		}
		Citations     any
		SearchResults any `json:"search_results"`
		Citation      any
	}
	if err := json.Unmarshal([]byte(raw), &chunk); err != nil {
		t.Errorf("%v in %s", err, raw)
		return
	}
	if chunk.Citations != nil {
		r.Citations = chunk.Citations
	}
	if chunk.SearchResults != nil {
		r.SearchResults = chunk.SearchResults
	}
	if chunk.Citation != nil {
		r.Events = append(r.Events, chunk.Citation)
	}
	for _, c := range chunk.Choices {
		if len(c.Delta.Annotations) > 0 {
			known, _ := r.Annotations.([]any)
			r.Annotations = slices.Concat(known, c.Delta.Annotations)
		}
		if c.Delta.Context != nil {
			r.Context = c.Delta.Context
		}
		if c.Delta.Citations != nil {
			r.InMessage = c.Delta.Citations
		}
	}
}

// top notes the members next to the choices, as JSON, if it is there.
func (r *reading) top(citations, results string) {
	if v := decoded(citations); v != nil {
		r.Citations = v
	}
	if v := decoded(results); v != nil {
		r.SearchResults = v
	}
}

// located slices the text where markers and annotations say that they stand, by
// the unit that the citations name.
func (r reading) located() reading {
	object, _ := r.Citations.(map[string]any)
	text := sliceOfRunes(r.Text)
	if object["offset_unit"] == "byte" {
		text = func(start, end int) string { return r.Text[start:end] }
	}
	markers, _ := object["markers"].([]any)
	for _, m := range markers {
		r.Marked = append(r.Marked, at(m, "start", "end", text))
	}
	annotations, _ := r.Annotations.([]any)
	for _, a := range annotations {
		note, _ := a.(map[string]any)
		r.Noted = append(r.Noted, at(note["url_citation"], "start_index", "end_index", text))
	}
	return r
}

func sliceOfRunes(text string) func(start, end int) string {
	runes := []rune(text)
	return func(start, end int) string { return string(runes[start:end]) }
}

// at is what stands at a place.
func at(place any, from, to string, text func(start, end int) string) string {
	members, _ := place.(map[string]any)
	start, ok := members[from].(float64)
	end, ok2 := members[to].(float64)
	if !ok || !ok2 {
		return ""
	}
	return text(int(start), int(end))
}

// links are the sources that a client makes of annotations, or of Perplexity's list.
func (r reading) links(from string) []link {
	var found []link
	annotations, _ := r.Annotations.([]any)
	if from == "annotations" {
		for _, a := range annotations {
			note, _ := a.(map[string]any)
			cited, _ := note["url_citation"].(map[string]any)
			title, _ := cited["title"].(string)
			url, _ := cited["url"].(string)
			found = append(found, link{title, url})
		}
	}
	urls, _ := r.Citations.([]any)
	if from == "citations" {
		for _, u := range urls {
			url, _ := u.(string)
			found = append(found, link{URL: url})
		}
	}
	return found
}

// opens reports whether a link shows a document to everyone who has it.
func opens(t *testing.T, url string) bool {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := httpClient(t).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if err := resp.Body.Close(); err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode == http.StatusOK && strings.HasPrefix(resp.Header.Get("Content-Type"), "text/")
}

// differs reports two readings that are not equal, member by member.
func differs(t *testing.T, name string, got, want reading) {
	t.Helper()
	g, w := reflect.ValueOf(got), reflect.ValueOf(want)
	for i := range g.NumField() {
		if a, b := g.Field(i).Interface(), w.Field(i).Interface(); !reflect.DeepEqual(a, b) {
			t.Errorf("%s: the client shows %s\n%v\nwant\n%v", name, g.Type().Field(i).Name, a, b)
		}
	}
}
