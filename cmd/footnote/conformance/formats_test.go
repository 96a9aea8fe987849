package conformance

import (
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

// formats are assistants with the same documents, each with settings of its own.
var formats = map[string]map[string]any{
	"native":     {},
	"openai":     {"citation_format": "openai"},
	"perplexity": {"citation_format": "perplexity"},
	"azure":      {"citation_format": "azure"},
	"markdown":   {"citation_format": "markdown"},
	"none":       {"citation_format": "none"},
	// Offsets as other languages count.
	"utf16": {"citation_offset_unit": "utf16"},
	"bytes": {"citation_offset_unit": "byte"},
}

// units are the formats that differ from native by the unit of offsets, and who asks in them.
var units = map[string][]string{"utf16": {"openai-node"}, "bytes": {"openai-go"}}

// cases are the scripts that are played in every format.
var cases = []string{"cited", "uncited", "tools", "error_openai"}

// TestEveryClientReadsEveryFormat asks by every client, streamed and not, in
// every format. None raises where its sight does not say so, the text arrives
// whole, and the rest equals what plain HTTP shows.
func TestEveryClientReadsEveryFormat(t *testing.T) {
	w := startAssistants(t, formats)
	truths := map[string]map[string]reading{}
	for format := range formats {
		truths[format] = map[string]reading{}
		for _, name := range cases[:3] {
			plain := w.plain(name, format)
			checkPlain(t, name, format, plain)
			truths[format][name] = plain.compared(t)
		}
	}
	runs := map[string]func() map[string]reading{}
	for name, prepare := range chosen(readers) {
		runs[name] = prepare(t, w) // one after the other, as some share an installation
	}
	var mu sync.Mutex
	got := map[string]reading{}
	t.Run("clients", func(t *testing.T) {
		for name, run := range runs {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				readings := run()
				mu.Lock()
				defer mu.Unlock()
				maps.Copy(got, readings)
			})
		}
	})
	for _, client := range names(chosen(sights)) {
		t.Run(client, func(t *testing.T) {
			for _, scenario := range scenariosOfFormats(client) {
				part := strings.SplitN(scenario, "/", 3)
				way := scenario[strings.LastIndex(scenario, "/")+1:]
				checkReading(t, sights[client][way], scenario, got[scenario].compared(t), truths[part[1]][part[0]])
				delete(got, scenario)
			}
		})
	}
	if len(got) > 0 {
		t.Errorf("no sight says what is seen of %q", names(got))
	}
}

// startAssistants starts a program with assistants of these names and settings.
func startAssistants(t *testing.T, settings map[string]map[string]any) *world {
	t.Helper()
	w := &world{upstream: startModelServer(t)}
	w.program = start(t, nil, "FOOTNOTE_UPSTREAM_URL="+w.upstream.baseURL(), "FOOTNOTE_UPSTREAM_API_KEY="+upstreamKey)
	w.base = w.rootURL()
	for _, name := range names(settings) {
		all := map[string]any{"enable_rag": true, "enable_citations": true, "citation_link_mode": "Public"}
		maps.Copy(all, settings[name])
		w.assistant(name, all)
		w.uploadManual(name)
	}
	for name := range settings {
		poll(t, "the documents are ready", func() bool { return w.documentsReady(name, 2) })
	}
	w.chatKey = w.key(map[string]any{"name": "chat", "scopes": []string{"chat"}})
	w.readRequests()
	return w
}

// plain is what plain HTTP shows.
func (w *world) plain(name, format string) reading {
	w.t.Helper()
	request := maps.Clone(w.requests["converted"])
	if name == "tools" {
		request = maps.Clone(w.requests["tools"])
	}
	request["model"] = name + "/" + format + "/plain HTTP/create"
	var body json.RawMessage
	if code := w.post("/assistants/"+format+"/v1/chat/completions", request, &body); code != http.StatusOK {
		w.t.Fatalf("plain HTTP in %s: %d", format, code)
	}
	return decodeBody(w.t, body)
}

// streamed is what a stream shows, read by openai-go.
func (w *world) streamed(name, format string) reading {
	w.t.Helper()
	service := openai.NewChatCompletionService(option.WithAPIKey(w.chatKey), option.WithHTTPClient(httpClient(w.t)), option.WithMaxRetries(0))
	params := goRequests(w.picture())["converted"]
	params.Model = name + "/" + format + "/openai-go/stream"
	r, failure := goReadStream(service.NewStreaming(w.t.Context(), params, option.WithBaseURL(w.assistantURL(format))), false)
	if failure != nil {
		w.t.Fatalf("a stream in %s: %+v", format, *failure)
	}
	return r
}

// formatsOf are those that a client asks in.
func formatsOf(client string) []string {
	return slices.DeleteFunc(names(formats), func(format string) bool {
		clients, ok := units[format]
		return ok && !slices.Contains(clients, client) || sampled(client) && !slices.Contains(sampledFormats, format)
	})
}

// scenariosOfFormats are the names of models that a client asks in its ways.
func scenariosOfFormats(client string) []string {
	var found []string
	for way := range sights[client] {
		for _, format := range formatsOf(client) {
			for _, name := range cases {
				found = append(found, strings.Join([]string{name, format, client, way}, "/"))
			}
		}
	}
	return found
}

// checkReading compares what a client showed with what its sight promises.
func checkReading(t *testing.T, s sight, scenario string, got, truth reading) {
	t.Helper()
	name, rest, _ := strings.Cut(scenario, "/")
	format, _, _ := strings.Cut(rest, "/")
	class := s.failsWith(name, format)
	switch {
	case name == "error_openai":
		checkRaised(t, s, scenario, got, class)
		return
	case class != "":
		if got.Error == nil || got.Error.Class != class {
			t.Errorf("%s: the client shows %+v, error %+v; it should raise %s", scenario, got, got.Error, class)
		}
		return
	case got.Error != nil:
		t.Errorf("%s: the client raises %+v", scenario, *got.Error)
		return
	}
	want := s.of(truth)
	checkPlaces(t, scenario, got, want)
	checkEvents(t, scenario, s, got, truth)
	got.Marked, got.Noted, got.Events = nil, nil, nil
	differs(t, scenario, got, want)
}

// of is what a sight lets be read of an answer.
func (s sight) of(truth reading) reading {
	want := reading{Text: truth.Text, Tools: truth.Tools}
	if s.dropsTools {
		want.Tools = nil
	}
	if s.top || s.first && truth.SearchResults != nil {
		want.Citations, want.SearchResults = truth.Citations, truth.SearchResults
	}
	if s.annotations {
		want.Annotations = truth.Annotations
	}
	if s.context {
		want.Context = truth.Context
	}
	// What a request asked for is only there where the format has an object of ours.
	if object, ok := truth.Citations.(map[string]any); ok && s.inMessage {
		want.InMessage = object
	}
	want.Sources = truth.links(s.sources)
	return want
}

// failsWith is the class of the error that an answer raises, if it does.
func (s sight) failsWith(name, format string) string {
	for _, key := range []string{name + "/" + format, "*/" + format, name + "/*"} {
		if class := s.fails[key]; class != "" {
			return class
		}
	}
	return ""
}

// checkRaised proves that an answer that breaks off raises, with the words that the
// server sent and after the text until then.
func checkRaised(t *testing.T, s sight, scenario string, got reading, class string) {
	t.Helper()
	if s.broken != "" {
		class = s.broken
	}
	beginning := "Employees get 27 vacation days per year ["
	switch e := got.Error; {
	case e == nil:
		t.Errorf("%s: the client shows no error but %q", scenario, got.Text)
	case class != "" && e.Class != class:
		t.Errorf("%s: the client raises %+v, want a %s", scenario, *e, class)
	case !s.mute && !strings.Contains(e.Message, crashed.Message):
		t.Errorf("%s: the client raises %+v", scenario, *e)
	case s.streams && !strings.HasPrefix(beginning, got.Text):
		t.Errorf("%s: before the error the client shows %q", scenario, got.Text)
	}
}

// checkPlaces proves that offsets fit the language that counts with them.
func checkPlaces(t *testing.T, scenario string, got, want reading) {
	t.Helper()
	if object, ok := want.Citations.(map[string]any); ok && object["status"] == "cited" && !slices.Equal(got.Marked, citedMarkers) {
		t.Errorf("%s: at the markers stands %q, want %q", scenario, got.Marked, citedMarkers)
	}
	if want.Annotations != nil && !slices.Equal(got.Noted, citedMarkers[:2]) {
		t.Errorf("%s: at the annotations stands %q, want %q", scenario, got.Noted, citedMarkers[:2])
	}
}

// checkEvents proves that each marker is sent when it is complete, with its sources.
func checkEvents(t *testing.T, scenario string, s sight, got, truth reading) {
	t.Helper()
	object, _ := truth.Citations.(map[string]any)
	markers, _ := object["markers"].([]any)
	if !s.events || object == nil {
		markers = nil
	}
	if len(got.Events) != len(markers) {
		t.Errorf("%s: %d events, want %d: %v", scenario, len(got.Events), len(markers), got.Events)
		return
	}
	all, _ := object["sources"].([]any)
	for i, m := range markers {
		marker, _ := m.(map[string]any)
		event, _ := got.Events[i].(map[string]any)
		for _, member := range []string{"choice", "start", "end", "indices"} {
			if !reflect.DeepEqual(event[member], marker[member]) {
				t.Errorf("%s: event %d has the %s %v, want %v", scenario, i, member, event[member], marker[member])
			}
		}
		indices, _ := marker["indices"].([]any)
		var want []any
		for _, n := range indices {
			if index, ok := n.(float64); ok {
				want = append(want, all[int(index)-1])
			}
		}
		if !reflect.DeepEqual(event["sources"], want) {
			t.Errorf("%s: event %d has the sources\n%v\nwant\n%v", scenario, i, event["sources"], want)
		}
	}
}
