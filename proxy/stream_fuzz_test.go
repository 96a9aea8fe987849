package proxy_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"pgregory.net/rapid"

	"footnote/proxy/wire"
)

// FuzzStream sends any bytes at all as an upstream's stream: however they are
// cut the client gets the same, with exactly one end, and a client that asked
// for JSON gets the same citations.
func FuzzStream(f *testing.F) {
	for _, s := range corpus(f) {
		f.Add(s.body, uint16(len(s.body)/2), s.request == `{"n":2}`)
	}
	servers := map[bool]*playback{false: newPlayback(f, citesOn, ""), true: newPlayback(f, citesOn, `{"n":2}`)}
	f.Fuzz(func(t *testing.T, body []byte, cut uint16, two bool) {
		s := stream{body: body, request: `{}`}
		p := servers[two]
		whole := p.howeverCut(t, s, cut)
		if whole.status != 200 {
			return
		}
		if !strings.HasSuffix(whole.body.String(), "data: [DONE]\n\n") || !saysSomething(&whole.body) {
			return
		}
		answer := p.ask(false, "text/event-stream", s.read())
		ours, _, _ := strings.Cut(after(answer.body.String(), `,"citations":{"status":`), `,"retrieval":{`)
		if answer.status != 200 || ours == "" || !strings.Contains(whole.body.String(), ours) {
			t.Fatalf("%q\nas a stream\n%s\nas JSON\n%d %s", body, &whole.body, answer.status, &answer.body)
		}
	})
}

// howeverCut is what a client gets of an upstream's stream, which is the same
// however that is cut: at one byte, and at every one. A stream that begins has one end.
func (p *playback) howeverCut(t *testing.T, s stream, cut uint16) *recorded {
	t.Helper()
	whole := p.stream(s)
	for _, got := range []*recorded{p.stream(s, int(cut)%(len(s.body)+1)), p.streamFrom(s, iotest.OneByteReader(s.read()))} {
		if got.status != whole.status || !bytes.Equal(got.body.Bytes(), whole.body.Bytes()) {
			t.Fatalf("cut\n%d %s\nin one piece\n%d %s", got.status, &got.body, whole.status, &whole.body)
		}
	}
	if whole.status == 200 {
		checkEnd(t, whole.body.String())
	}
	return whole
}

// saysSomething reports whether a stream has chunks with choices besides the
// one with our members, without which there is no JSON answer, and no chunk
// that says something twice, of which readers may choose either.
func saysSomething(body *bytes.Buffer) bool {
	var chunk wire.Frame
	found := false
	for _, event := range bytes.Split(body.Bytes(), []byte("\n\n")) {
		data := bytes.TrimPrefix(event, []byte("data: "))
		if wire.ScanFrame(data, &chunk) != nil {
			continue
		}
		if saysTwice(json.NewDecoder(bytes.NewReader(data))) {
			return false
		}
		found = found || len(chunk.Choices) > 0 && !bytes.Contains(event, []byte(`"referenced_indices":[`))
	}
	return found
}

// saysTwice reports whether an object in the next JSON value repeats a key.
func saysTwice(d *json.Decoder) bool {
	open, err := d.Token()
	if err != nil || open != json.Delim('{') && open != json.Delim('[') {
		return false
	}
	keys := map[json.Token]bool{}
	for d.More() {
		if open == json.Delim('{') {
			key, err := d.Token()
			if err != nil || keys[key] {
				return err == nil
			}
			keys[key] = true
		}
		if saysTwice(d) {
			return true
		}
	}
	_, _ = d.Token() // the closing bracket
	return false
}

// after is what follows the last occurrence of mark.
func after(s, mark string) string { return s[strings.LastIndex(s, mark)+1:] }

// checkEnd fails unless a stream ends once, as it should.
func checkEnd(t *testing.T, body string) {
	t.Helper()
	done := strings.HasSuffix(body, "data: [DONE]\n\n")
	last := body[strings.LastIndex(strings.TrimSuffix(body, "\n\n"), "\n\n")+1:]
	fault := strings.HasPrefix(strings.TrimLeft(last, "\n"), `data: {"error":{`)
	if done == fault || strings.Count(body, `"referenced_indices":[`) > 1 || strings.Count(body, `"referenced_indices":[`) != strings.Count(body, `"search_mode":"FullText"`) {
		t.Fatalf("ended with %q:\n%s", last, body)
	}
}

// An invented answer: texts made of what matters to the scanner, cut into
// deltas anywhere, its events framed in any way.
type invented struct {
	texts []string
	body  []byte
}

var (
	fragments = []string{"[1]", "[2]", "[1, 2]", "[1-3]", "【1†source】", "［１］", "[^2]", "[[3]]", `\[1\]`, "[doc1]", "[", "]", "1", "(", ")", "`", "```", "\n", "\n\n", "    ", "$", "$$", `\(`, `\)`, "<code>", "</code>",
		"https://x.test/?q=", ": ", ". ", "Revenue grew 15% ", "売上高は増えた。", "📈", "🇩🇪", "é", "\u2028", "-", "# ", "> ", "| a ", "~~~", "\\", "\"", "\x00", "\u202e"}
	lineEnds = []string{"\n", "\r\n", "\r"}
	noise    = []string{": ping", ":", "id: 7", "retry: 10", "data", "event: message", "x: y"}
)

// drawInvented invents an answer of at most so many choices.
func drawInvented(t *rapid.T, most int) invented {
	var a invented
	n := rapid.IntRange(1, most).Draw(t, "choices")
	lineEnd := rapid.SampledFrom(lineEnds).Draw(t, "line end")
	var b bytes.Buffer
	if rapid.Bool().Draw(t, "mark") {
		b.WriteString("\xEF\xBB\xBF")
	}
	send := func(data string) {
		if i := rapid.IntRange(0, 3*len(noise)).Draw(t, "noise"); i < len(noise) {
			b.WriteString(noise[i] + lineEnd)
			if noise[i] == "data" || rapid.Bool().Draw(t, "apart") {
				b.WriteString(lineEnd)
			}
		}
		b.WriteString(rapid.SampledFrom([]string{"data: ", "data:"}).Draw(t, "field") + data + lineEnd + lineEnd)
	}
	left := make([][]rune, n)
	for i := range n {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(fragments), 0, 12).Draw(t, "text"), "")
		a.texts, left[i] = append(a.texts, text), []rune(text)
		if text == "" {
			send(chunkOf(i, `""`, "null", ""))
		}
	}
	for open := n; open > 0; {
		i := rapid.IntRange(0, n-1).Draw(t, "choice")
		if left[i] == nil {
			continue
		}
		k := min(rapid.IntRange(1, 9).Draw(t, "delta"), len(left[i]))
		content, finish := quoted(string(left[i][:k])), "null"
		if rapid.Bool().Draw(t, "escaped") {
			content = escaped(string(left[i][:k]))
		}
		left[i] = left[i][k:]
		if len(left[i]) == 0 {
			left[i], open = nil, open-1
			if rapid.Bool().Draw(t, "finish with text") {
				finish = `"stop"`
			}
		}
		send(chunkOf(i, content, finish, ""))
		if left[i] == nil && finish == "null" {
			send(chunkOf(i, `""`, `"length"`, ""))
		}
	}
	if rapid.Bool().Draw(t, "usage") {
		send(`{"id":"chatcmpl-1","choices":[],"usage":{"total_tokens":3}}`)
	}
	if rapid.Bool().Draw(t, "done") {
		send("[DONE]")
	}
	a.body = b.Bytes()
	return a
}

// escaped writes a JSON string with every character as an escape.
func escaped(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, unit := range utf16.Encode([]rune(text)) {
		fmt.Fprintf(&b, `\u%04x`, unit)
	}
	b.WriteByte('"')
	return b.String()
}

// Any answer cites the same as JSON, as a stream, and as a stream cut anywhere.
func TestAnInventedAnswerCitesTheSameInEveryForm(t *testing.T) {
	servers := map[int]*playback{1: newPlayback(t, citesOn, ""), 2: newPlayback(t, citesOn, `{"n":2}`)}
	rapid.Check(t, func(t *rapid.T) {
		a := drawInvented(t, 2)
		p, s := servers[len(a.texts)], stream{body: a.body}
		whole := p.stream(s)
		cuts := rapid.SliceOfNDistinct(rapid.IntRange(0, len(a.body)), 0, 5, rapid.ID).Draw(t, "cuts")
		slices.Sort(cuts)
		if got := p.stream(s, cuts...); !bytes.Equal(got.body.Bytes(), whole.body.Bytes()) {
			t.Fatalf("cut\n%s\nin one piece\n%s", &got.body, &whole.body)
		}
		read := readEvents(t, whole.body.Bytes())
		if read.end != "[DONE]" || !slices.Equal(read.texts(t), a.texts) {
			t.Fatalf("%q, %q, want %q:\n%s", read.end, read.texts(t), a.texts, &whole.body)
		}
		collected := readAnswer(t, p.ask(false, "text/event-stream", s.read()).body.Bytes())
		answer := readAnswer(t, p.ask(false, "application/json", bytes.NewReader(read.answer(t))).body.Bytes())
		if collected.citations != read.citations || answer.citations != read.citations || !slices.Equal(collected.texts(t), a.texts) {
			t.Fatalf("%q\nthe stream  %s\ncollected   %s\nJSON answer %s", a.texts, read.citations, collected.citations, answer.citations)
		}
	})
}
