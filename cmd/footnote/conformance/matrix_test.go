package conformance

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// matrixFormats are the columns of the table in this folder's README.
var matrixFormats = []string{"native", "openai", "perplexity", "azure", "markdown", "none"}

// matrixRows are its rows: what people write to ask in that way. A second client
// that shows the same needs no rows of its own.
var matrixRows = []struct{ client, way, words string }{
	{"openai-node", "create", "openai-node `create`"},
	{"openai-node", "stream", "… with `stream: true`"},
	{"openai-node", "helper", "… `.stream()`, the final object"},
	{"openai-node", "events", "… with `stream: true` and `citation_options: {events: true}`"},
	{"openai-node", "in_message", "… `create` with `citation_options: {in_message: true}`"},
	{"openai-node", "in_message_helper", "… `.stream()` with it, the final object"},
	{"openai-python", "create", "openai-python 3 and 2 `create`"},
	{"openai-python", "raw", "… `with_raw_response.create`"},
	{"openai-python", "stream", "… with `stream=True`"},
	{"openai-python", "helper", "… `.stream()`, the final object"},
	{"openai-python", "events", "… with `stream=True` and `events`"},
	{"openai-python", "in_message", "… `create` with `in_message`"},
	{"openai-python", "in_message_stream", "… with `stream=True` and `in_message`"},
	{"openai-python", "in_message_helper", "… `.stream()` with `in_message`, the final object"},
	{"openai-go", "create", "openai-go `New`, `JSON.ExtraFields`"},
	{"openai-go", "stream", "… `NewStreaming`, the same of chunks"},
	{"openai-go", "events", "… `NewStreaming` with `option.WithJSONSet(\"citation_options\", …)`"},
	{"openai-go", "in_message", "… `New` with it, the message's `ExtraFields`"},
	{"openai-go", "accumulator", "… the accumulator's completion"},
	{"go-openai", "create", "go-openai `CreateChatCompletion`"},
	{"go-openai", "stream", "… `Recv`"},
	{"go-openai", "raw", "… `RecvRaw`"},
	{"@ai-sdk/openai", "create", "AI SDK, `@ai-sdk/openai` `.chat()`: `generateText`, `response.body`"},
	{"@ai-sdk/openai", "stream", "… `streamText`, `includeRawChunks`"},
	{"@ai-sdk/openai", "ui", "… `toUIMessageStream({sendSources: true})`, so `useChat`"},
	{"@ai-sdk/openai-compatible", "create", "AI SDK, `@ai-sdk/openai-compatible`: `generateText`, `response.body`"},
	{"@ai-sdk/openai-compatible", "stream", "… `streamText`, `includeRawChunks`"},
	{"@ai-sdk/openai-compatible", "extracted", "… `generateText`, `metadataExtractor`"},
	{"@ai-sdk/openai-compatible", "extracted_stream", "… `streamText`, `metadataExtractor`"},
	{"@ai-sdk/openai-compatible", "ui", "… `toUIMessageStream`"},
	{"@ai-sdk/perplexity", "create", "AI SDK, `@ai-sdk/perplexity`: `generateText`, `response.body`"},
	{"@ai-sdk/perplexity", "stream", "… `streamText`, `includeRawChunks`"},
	{"@ai-sdk/perplexity", "ui", "… `toUIMessageStream({sendSources: true})`"},
	{"LangChain JS", "create", "LangChain JS `invoke`"},
	{"LangChain JS", "stream", "… `stream`"},
	{"LangChain JS", "raw", "… `invoke` with `__includeRawResponse`"},
	{"LangChain JS", "raw_stream", "… `stream` with it"},
	{"LangChain Python", "create", "LangChain Python `invoke`"},
	{"LangChain Python", "stream", "… `stream`"},
	{"LangChain Python", "subclass", "… `invoke` of the subclass below"},
	{"LangChain Python", "subclass_stream", "… `stream` of it"},
	{"LlamaIndex TS", "create", "LlamaIndex TS `chat`, `raw`"},
	{"LlamaIndex TS", "stream", "… with `stream: true`, `raw` of each part"},
	{"LlamaIndex Python", "create", "LlamaIndex Python `OpenAILike` `chat`, `raw`"},
	{"LlamaIndex Python", "stream", "… `stream_chat`, `raw` of each part"},
	{"litellm", "create", "litellm `completion`"},
	{"litellm", "stream", "… with `stream=True`"},
}

// in says what is seen in a format, as the table has it.
func (s sight) in(format string) string {
	if class := s.failsWith("cited", format); class != "" {
		return "raises `" + class + "`"
	}
	l := layouts[format]
	var seen []string
	for _, part := range []struct {
		is    bool
		words string
	}{
		{l.footer, "list in the text"},
		{s.sources != "" && s.shows(l), "**sources**"},
		{s.top && l.object, "object"},
		{s.inMessage && l.object, "object in the message"},
		{s.events && l.object, "events"},
		{(s.top || s.first) && l.list, "URLs"},
		{s.annotations && l.annotations, "annotations"},
		{s.context && l.context, "context"},
	} {
		if part.is {
			seen = append(seen, part.words)
		}
	}
	if len(seen) == 0 {
		return "–"
	}
	return strings.Join(seen, ", ")
}

// shows reports whether a format has what the client shows as sources of its own.
func (s sight) shows(l layout) bool {
	return s.sources == "annotations" && l.annotations || s.sources == "citations" && l.list
}

// TestTheTableOfFormatsSaysWhatEachClientSees compares this folder's README with
// what the other tests hold the clients to.
func TestTheTableOfFormatsSaysWhatEachClientSees(t *testing.T) {
	table := "| | " + strings.Join(matrixFormats, " | ") + " |\n|---|" + strings.Repeat("---|", len(matrixFormats)) + "\n"
	var told []string
	for _, row := range matrixRows {
		s, ok := sights[row.client][row.way]
		if !ok {
			t.Fatalf("%s is not asked by %s", row.client, row.way)
		}
		told = append(told, row.client+"/"+row.way)
		table += "| " + row.words
		for _, format := range matrixFormats {
			table += " | " + s.in(format)
		}
		table += " |\n"
	}
	for client := range sights {
		for way := range sights[client] {
			if client != "openai-python 2" && !slices.Contains(told, client+"/"+way) {
				t.Errorf("the table says nothing of %s by %s", client, way)
			}
		}
	}
	raw, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(raw), "<!-- made by matrix_test.go -->\n")
	if got, _, _ := strings.Cut(rest, "<!-- end -->"); got != table {
		t.Errorf("README.md has the table\n%s\nwhat is tested makes\n%s", got, table)
	}
}

// frameworkRows are the rows of the table of frameworks in this folder's README.
var frameworkRows = []struct {
	first  string
	client string
}{
	{"Vercel AI SDK 6: `@ai-sdk/openai` 3, `.chat()`", "@ai-sdk/openai"},
	{"… `@ai-sdk/openai-compatible` 2", "@ai-sdk/openai-compatible"},
	{"… `@ai-sdk/perplexity` 3", "@ai-sdk/perplexity"},
	{"LangChain JS, `@langchain/openai` 1.5", "LangChain JS"},
	{"LangChain Python, `langchain-openai` 1.7", "LangChain Python"},
	{"LlamaIndex TS, `@llamaindex/openai` 0.4", "LlamaIndex TS"},
	{"LlamaIndex Python, `OpenAILike` 0.8", "LlamaIndex Python"},
	{"litellm 1.93", "litellm"},
}

// advice are the formats to choose for a client: those whose sources it shows as its
// own, or the list in the text.
func advice(client string) string {
	var formats []string
	for _, format := range matrixFormats {
		if slices.ContainsFunc(names(sights[client]), func(way string) bool { return sights[client][way].shows(layouts[format]) }) {
			formats = append(formats, "`"+format+"`")
		}
	}
	if len(formats) == 0 {
		return "`markdown`"
	}
	return strings.Join(formats, ", ")
}

func TestTheReadmeSaysWhatEachFrameworkShows(t *testing.T) {
	rows := readmeTable(t, 3)
	if len(rows) != len(frameworkRows)+1 {
		t.Fatalf("%d rows, want %d", len(rows)-1, len(frameworkRows))
	}
	for i, want := range frameworkRows {
		row := rows[i+1]
		if row[0] != want.first || row[1] != advice(want.client) {
			t.Errorf("row %d is about %q and %q, want %q and %q", i+1, row[0], row[1], want.first, advice(want.client))
		}
		fails, sources := false, false
		for _, s := range sights[want.client] {
			fails, sources = fails || len(s.fails) > 0, sources || s.sources != ""
		}
		for word, is := range map[string]bool{"raise": fails, "`source` parts": sources, "the list in the text": !sources} {
			if strings.Contains(row[2], word) != is {
				t.Errorf("%s: %q says %q: %v, want %v", want.client, row[2], word, !is, is)
			}
		}
	}
}

// readmeTable returns the rows with so many cells of the README's tables of clients.
func readmeTable(t *testing.T, cells int) [][]string {
	t.Helper()
	raw, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(string(raw), "\n## What each client shows\n")
	if !ok {
		t.Fatal("the README does not say what each client shows")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	var rows [][]string
	for line := range strings.Lines(section) {
		if row := strings.Split(strings.Trim(line, "| \n"), " | "); strings.HasPrefix(line, "| ") && len(row) == cells {
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 {
		t.Fatalf("no table with %d columns", cells)
	}
	return rows
}
