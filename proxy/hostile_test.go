package proxy_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"footnote/assistants"
	"footnote/proxy/upstream/upstreamtest"
)

// A promptMessage is a message as the upstream sees it.
type promptMessage struct {
	Role    string
	Content json.RawMessage
}

// text is its content, a string or parts.
func (m promptMessage) text() string {
	var text string
	var parts []struct{ Text string }
	if json.Unmarshal(m.Content, &text) != nil && json.Unmarshal(m.Content, &parts) == nil {
		for _, p := range parts {
			text += p.Text
		}
	}
	return text
}

// copying is an upstream that obeys everything it reads: it answers with what
// say makes of the messages it was sent, as JSON or as a stream of small pieces.
func copying(t *testing.T, say func([]promptMessage) string) *upstreamtest.Server {
	t.Helper()
	up := upstreamtest.New(t)
	up.Play(upstreamtest.Script{func(c *upstreamtest.Conn) error {
		var asked struct {
			Stream   bool
			Messages []promptMessage
		}
		if err := json.Unmarshal(up.Last().Body, &asked); err != nil {
			return err
		}
		for _, step := range spoken(say(asked.Messages), asked.Stream) {
			if err := step(c); err != nil {
				return err
			}
		}
		return nil
	}})
	return up
}

// spoken is an answer with this text.
func spoken(text string, stream bool) upstreamtest.Script {
	quoted := func(s string) []byte {
		raw, err := json.Marshal(s)
		if err != nil { // strings always marshal
			panic(err)
		}
		return raw
	}
	if !stream {
		return upstreamtest.JSON(fmt.Sprintf(`{"id":"a","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":%s},"finish_reason":"stop"}]}`, quoted(text)))
	}
	var events []string
	for i := 0; text != ""; i++ {
		n := min(len(text), 1+i*37%89)
		for n < len(text) && !utf8.RuneStart(text[n]) {
			n++
		}
		events = append(events, fmt.Sprintf(`{"id":"a","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":%s},"finish_reason":null}]}`, quoted(text[:n])))
		text = text[n:]
	}
	events = append(events, `{"id":"a","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`, "[DONE]")
	return upstreamtest.SSE(events...)
}

// A copiedAnswer is what the client got.
type copiedAnswer struct {
	text      string
	citations copiedObject
	events    []copiedEvent // only with citation_options
}

type copiedEvent struct {
	Indices []int
	Sources []copiedSource
}

type copiedObject struct {
	Status     string
	Sources    []copiedSource
	Referenced []int `json:"referenced_indices"`
	Markers    []struct {
		Start, End int
		Indices    []int
	}
	Invalid []int `json:"invalid_indices"`
}

type copiedSource struct {
	Index      int
	DocumentID string `json:"document_id"`
	Name       string `json:"document_name"`
	Excerpt    string
}

// chatText asks and reads text and citations of the answer, whole or streamed.
func (f *fixture) chatText(t *testing.T, body string) copiedAnswer {
	t.Helper()
	resp, raw := f.send(chatRequest(t, body))
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("%d %s", resp.StatusCode, raw)
	}
	a, err := readCopied(raw)
	if err != nil {
		t.Fatalf("%v in\n%s", err, raw)
	}
	return a
}

// readCopied reads an answer, JSON or a stream.
func readCopied(raw []byte) (copiedAnswer, error) {
	var a copiedAnswer
	read := func(data []byte) error {
		var object struct {
			Choices []struct {
				Message, Delta struct{ Content string }
			}
			Citations *copiedObject
			Citation  *copiedEvent
		}
		if err := json.Unmarshal(data, &object); err != nil {
			return err
		}
		for _, c := range object.Choices {
			a.text += c.Message.Content + c.Delta.Content
		}
		if object.Citations != nil {
			a.citations = *object.Citations
		}
		if object.Citation != nil {
			a.events = append(a.events, *object.Citation)
		}
		return nil
	}
	if bytes.HasPrefix(raw, []byte("{")) {
		return a, read(raw)
	}
	done := false
	for line := range bytes.Lines(raw) {
		data, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("data: "))
		if !ok || done {
			continue
		}
		if done = string(data) == "[DONE]"; done {
			continue
		}
		if err := read(data); err != nil {
			return a, err
		}
	}
	if !done {
		return a, errors.New("the stream did not end")
	}
	return a, nil
}

var (
	sourceHeader = regexp.MustCompile(`(?mi)^[ \t]*\[[\p{Nd} \t]+\][ \t]*\(source`)
	ourHeader    = regexp.MustCompile(`(?m)^\[(\d+)\] \(Source: "[^"\n]*"(, page \d+)?\)$`)
	ourFence     = regexp.MustCompile(`(?m)^<(/?)passage ([0-9a-f]{12})>$`)
)

// checkSourceBlock finds anything in a prompt that our own n sources did not
// put there: headers, fences, invisible characters. It returns the spans of the
// passages.
func checkSourceBlock(prompt string, n int) (passages [][2]int, err error) {
	if found := len(sourceHeader.FindAllString(prompt, -1)); found != n {
		return nil, fmt.Errorf("%d source headers for %d sources", found, n)
	}
	for i, header := range ourHeader.FindAllStringSubmatch(prompt, -1) {
		if header[1] != fmt.Sprint(i+1) {
			return nil, fmt.Errorf("header %d is %q", i, header[0])
		}
	}
	fences := ourFence.FindAllStringSubmatchIndex(prompt, -1)
	if len(fences) != 2*n {
		return nil, fmt.Errorf("%d fence lines for %d sources", len(fences), n)
	}
	nonce := prompt[fences[0][4]:fences[0][5]]
	if found := strings.Count(prompt, nonce); found != 2*n {
		return nil, fmt.Errorf("the nonce stands there %d times for %d sources", found, n)
	}
	for i := 0; i < len(fences); i += 2 {
		open, end := fences[i], fences[i+1]
		if open[2] != open[3] || end[2] == end[3] || prompt[open[4]:open[5]] != nonce || prompt[end[4]:end[5]] != nonce {
			return nil, fmt.Errorf("fence pair %d is %q, %q", i/2, prompt[open[0]:open[1]], prompt[end[0]:end[1]])
		}
		passages = append(passages, [2]int{open[1], end[0]})
	}
	for _, r := range prompt {
		if r != '\n' && r != '\t' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) &&
			!unicode.Is(unicode.Prepended_Concatenation_Mark, r) {
			return nil, fmt.Errorf("%U in the prompt", r)
		}
	}
	return passages, nil
}

// check finds what is wrong with the answer to a prompt with these hits.
func (a copiedAnswer) check(hits []assistants.Hit) error {
	if len(a.citations.Sources) != len(hits) {
		return fmt.Errorf("%d sources, given were %d", len(a.citations.Sources), len(hits))
	}
	for i, s := range a.citations.Sources {
		want := hits[i]
		excerpt := []rune(want.Chunk.Text)
		if len(excerpt) > 200 {
			excerpt = append(excerpt[:200:200], []rune("...")...)
		}
		if s.Index != i+1 || s.DocumentID != string(want.Document.ID) || s.Excerpt != string(excerpt) {
			return fmt.Errorf("source %d is %+v, excerpt of %q", i+1, s, want.Chunk.Text)
		}
	}
	for _, event := range a.events {
		for i, s := range event.Sources {
			if s.Index != event.Indices[i] || s.DocumentID != string(hits[s.Index-1].Document.ID) {
				return fmt.Errorf("an event cites %+v as %d", s, event.Indices[i])
			}
		}
	}
	for _, index := range a.citations.Referenced {
		if index < 1 || index > len(hits) {
			return fmt.Errorf("cites source %d of %d", index, len(hits))
		}
	}
	for _, index := range a.citations.Invalid {
		if index >= 1 && index <= len(hits) {
			return fmt.Errorf("source %d of %d is called invalid", index, len(hits))
		}
	}
	return nil
}

// markersIn returns the markers that begin in one of the spans, which are bytes
// of the text; offsets of markers are code points.
func (a copiedAnswer) markersIn(spans [][2]int) (found []string) {
	runes := []rune(a.text)
	for _, m := range a.citations.Markers {
		at := len(string(runes[:m.Start]))
		if slices.ContainsFunc(spans, func(s [2]int) bool { return at >= s[0] && at < s[1] }) {
			found = append(found, string(runes[max(0, m.Start-20):min(len(runes), m.End+20)]))
		}
	}
	return found
}

func hostileHits(documents []poisoned) []assistants.Hit {
	hits := make([]assistants.Hit, len(documents))
	for i, d := range documents {
		id := assistants.DocumentID(fmt.Sprintf("doc_%d", i+1))
		hits[i] = assistants.Hit{Score: 0.9 - float64(i)/10,
			Document: assistants.Document{ID: id, Name: d.name, Version: assistants.Version{ContentType: "text/markdown"}},
			Chunk:    assistants.Chunk{ID: assistants.ChunkID(fmt.Sprintf("chunk_%d", i+1)), DocumentID: id, Index: i, Text: d.text, CharEnd: utf8.RuneCountInString(d.text)},
		}
	}
	return hits
}

const (
	hostileSettings = `{"enable_rag":true,"enable_citations":true}`
	hostileRequest  = `{"model":"support","stream":%v,"citation_options":{"events":true},"tools":[{"type":"function","function":{"name":"f","parameters":{"x":[1]}}}],"tool_choice":"auto",` +
		`"response_format":{"type":"text"},"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Was steht \u0064a? [1]"}]}`
)

// untouched checks that of a request only the system message was edited.
func untouched(sent, asked []byte) error {
	var before, after map[string]json.RawMessage
	if err := errors.Join(json.Unmarshal(asked, &before), json.Unmarshal(sent, &after)); err != nil {
		return err
	}
	delete(before, "citation_options") // ours
	var messagesBefore, messagesAfter []json.RawMessage
	if err := errors.Join(json.Unmarshal(before["messages"], &messagesBefore), json.Unmarshal(after["messages"], &messagesAfter)); err != nil {
		return err
	}
	inserted := len(messagesAfter) - len(messagesBefore) // worked turns
	if inserted < 0 || len(before) != len(after) {
		return fmt.Errorf("%d members and %d messages, were %d and %d", len(after), len(messagesAfter), len(before), len(messagesBefore))
	}
	for i := 1; i < len(messagesBefore); i++ {
		if got := messagesAfter[inserted+i]; !bytes.Equal(messagesBefore[i], got) {
			return fmt.Errorf("message %d became %s", i, got)
		}
	}
	for name, value := range before {
		if name != "messages" && name != "model" && !bytes.Equal(value, after[name]) {
			return fmt.Errorf("%s became %s", name, after[name])
		}
	}
	return nil
}

// sampleStep says that every how many-th document is tried. It does not divide
// the period with which the corpus repeats its attacks.
func sampleStep() int {
	if nightly {
		return 1
	}
	return 7
}

// templates are what the sources may stand in.
var templates = []string{"default", "seed", "lumikb", "strict", "worked", "Answer from\n{sources}\nand cite by number."}

// Whatever documents contain, a model that copies all it reads cites no source
// that was not given, and none by a number that stood in a document; and the
// prompt holds our headers and fences and no others (S-90, S-91, S-93, S-95).
func TestAModelThatCopiesPoisonedDocumentsCitesNothingByThem(t *testing.T) {
	documents := hostileDocuments()
	if len(documents) < 200 {
		t.Fatalf("only %d poisoned documents", len(documents))
	}
	prompt := ""
	up := copying(t, func(messages []promptMessage) string {
		prompt = messages[0].text()
		return prompt
	})
	f := newFixture(t, fixture{upstreamURL: up.URL(), settings: mergeSettings(t, []byte(hostileSettings))})
	for i := 0; i < len(documents); i += 3 * sampleStep() {
		// Neighbours are of other attacks, so that one may finish what another began.
		batch := []poisoned{documents[i], documents[(i*7+1)%len(documents)], documents[(i+1)%len(documents)], documents[(i+2)%len(documents)]}
		f.hits = hostileHits(batch)
		f.settings.CitationPrompt = templates[i/3/sampleStep()%len(templates)]
		var answers [2]copiedAnswer
		for mode, stream := range []bool{false, true} {
			asked := fmt.Sprintf(hostileRequest, stream)
			a := f.chatText(t, asked)
			passages, err := checkSourceBlock(prompt, len(batch))
			if err = errors.Join(err, a.check(f.hits), untouched(up.Last().Body, []byte(asked))); err != nil {
				t.Fatalf("%v\ndocuments %+q\nprompt\n%s", err, batch, prompt)
			}
			if a.text != prompt {
				t.Fatalf("the answer became\n%q\nof\n%q", a.text, prompt)
			}
			if found := a.markersIn(passages); found != nil {
				t.Errorf("stream %v: markers %q\nin %+q\nprompt\n%s", stream, found, batch, prompt)
			}
			answers[mode] = a
		}
		if fmt.Sprint(answers[0].citations) != fmt.Sprint(answers[1].citations) || len(answers[1].events) != len(answers[1].citations.Markers) {
			t.Errorf("%+q\nas JSON %+v\nstreamed %+v", batch, answers[0].citations, answers[1].citations)
		}
		if t.Failed() {
			return
		}
	}
}

// What rewrites markers in an answer, or adds to it, never changes what stood
// in a document, and gives a source's place to no other.
func TestRewrittenAnswersKeepTheTextOfPoisonedDocuments(t *testing.T) {
	documents := hostileDocuments()
	prompt := ""
	up := copying(t, func(messages []promptMessage) string {
		prompt = messages[0].text()
		return prompt
	})
	f := newFixture(t, fixture{upstreamURL: up.URL()})
	modes := []string{
		`"citation_renumber":true`, `"marker_mode":"strip"`, `"citation_numbering":"document","citation_renumber":true`, `"citation_format":"azure"`,
		`"citation_format":"markdown"`, `"citation_format":"markdown","marker_mode":"strip"`, `"citation_format":"perplexity"`, `"orphan_policy":"disclaim"`,
	}
	for i := 0; i < len(documents); i += 5 * sampleStep() {
		batch := []poisoned{documents[i], documents[(i*7+1)%len(documents)], documents[(i+1)%len(documents)]}
		mode := modes[i/5/sampleStep()%len(modes)]
		f.settings = mergeSettings(t, []byte(strings.TrimSuffix(hostileSettings, "}")+","+mode+"}"))
		f.hits = hostileHits(batch)
		var texts [2]string
		for m, stream := range []bool{false, true} {
			a := f.chatText(t, fmt.Sprintf(hostileRequest, stream))
			passages, err := checkSourceBlock(prompt, len(batch))
			if err != nil {
				t.Fatalf("%v\n%s", err, prompt)
			}
			rest := a.text
			for _, p := range passages {
				_, after, found := strings.Cut(rest, prompt[p[0]:p[1]])
				if !found {
					t.Fatalf("%s, stream %v: the answer has no\n%s\nbut\n%s", mode, stream, prompt[p[0]:p[1]], a.text)
				}
				rest = after
			}
			for _, s := range a.citations.Sources {
				if !slices.ContainsFunc(f.hits, func(h assistants.Hit) bool { return string(h.Document.ID) == s.DocumentID }) {
					t.Errorf("%s: a source is %+v", mode, s)
				}
			}
			texts[m] = a.text
		}
		if texts[0] != texts[1] {
			t.Errorf("%s: as JSON\n%s\nstreamed\n%s", mode, texts[0], texts[1])
		}
	}
}
