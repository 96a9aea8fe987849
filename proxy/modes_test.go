package proxy_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// with is the settings of an assistant that cites, and these.
func with(settings string) string {
	return strings.TrimSuffix(citesOn, "}") + "," + settings + "}"
}

// modes are settings that change what a client gets of an answer.
var modes = []string{
	`"marker_mode":"strip"`,
	`"citation_renumber":true`,
	`"citation_format":"azure"`,
	`"citation_format":"azure","marker_mode":"strip","citation_offset_unit":"byte"`,
	`"citation_format":"markdown"`,
	`"citation_format":"markdown","citation_renumber":true,"citation_numbering":"document","citation_offset_unit":"utf16"`,
	`"citation_format":"markdown","marker_mode":"strip","citation_renumber":true,"no_marker_policy":"all_sources"`,
	`"citation_format":"none","citation_renumber":true`,
	`"citation_format":"openai","citation_link_mode":"Authenticated","orphan_policy":"disclaim"`,
	`"citation_format":"perplexity","citation_link_mode":"Authenticated","marker_mode":"strip"`,
	`"orphan_policy":"error","marker_mode":"strip"`,
	`"no_marker_policy":"fail","citation_renumber":true`,
}

// got is what a client makes of an answer in one form.
func (r reading) got(t failer) string {
	t.Helper()
	end := r.end
	if end == "[DONE]" {
		end = ""
	}
	return fmt.Sprintf("%q %s %s", r.texts(t), r.citations, end)
}

// A refusal leaves a JSON client without the text that a stream's client has.
func sameAnswer(t failer, how string, stream reading, w *recorded) {
	t.Helper()
	if code := errorCode(w); code != "" {
		if stream.end != "error "+code || w.status != 502 {
			t.Fatalf("%s: %d %s, the stream ended with %q", how, w.status, code, stream.end)
		}
		return
	}
	if got, want := readAnswer(t, w.body.Bytes()).got(t), stream.got(t); got != want {
		t.Fatalf("%s\n%s\nthe stream\n%s", how, got, want)
	}
}

// However an answer comes and however it is cut, its client gets the same text
// and the same object, in every mode.
func TestAnAnswerIsTheSameInEveryFormAndMode(t *testing.T) {
	for _, mode := range modes {
		t.Run(mode, func(t *testing.T) {
			p := newPlayback(t, with(mode), "")
			rapid.Check(t, func(t *rapid.T) {
				a := drawInvented(t, 1)
				s := stream{body: a.body}
				whole := p.stream(s)
				cuts := rapid.SliceOfNDistinct(rapid.IntRange(0, len(a.body)), 0, 5, rapid.ID).Draw(t, "cuts")
				slices.Sort(cuts)
				if got := p.stream(s, cuts...); !bytes.Equal(got.body.Bytes(), whole.body.Bytes()) {
					t.Fatalf("cut\n%s\nin one piece\n%s", &got.body, &whole.body)
				}
				read := readEvents(t, whole.body.Bytes())
				sameAnswer(t, "collected", read, p.ask(false, "text/event-stream", s.read()))
				answer := readEvents(t, a.body).answer(t)
				sameAnswer(t, "JSON", read, p.ask(false, "application/json", bytes.NewReader(answer)))
				streamed := readEvents(t, p.ask(true, "application/json", bytes.NewReader(answer)).body.Bytes())
				if streamed.got(t) != read.got(t) {
					t.Fatalf("JSON, streamed\n%s\nthe stream\n%s", streamed.got(t), read.got(t))
				}
			})
		})
	}
}

func TestNoCutOfARewrittenStreamChangesAByteOfTheAnswer(t *testing.T) {
	step := 97
	if nightly {
		step = 17
	}
	for _, mode := range []string{`"marker_mode":"strip"`, `"citation_format":"azure"`, `"citation_format":"markdown","citation_renumber":true`} {
		everyStream(t, func(t *testing.T, s stream) {
			members := s.request
			if members == "" || members == "{}" {
				members = `{"citation_options":{"events":true,"in_message":true}}`
			}
			p := newPlayback(t, with(mode), members)
			whole := p.stream(s)
			same := func(how string, got *recorded) {
				if got.status != whole.status || !bytes.Equal(got.body.Bytes(), whole.body.Bytes()) {
					t.Errorf("%s %s:\n%d %q\nin one piece:\n%d %q", mode, how, got.status, &got.body, whole.status, &whole.body)
				}
			}
			same("byte by byte", p.streamFrom(s, iotest.OneByteReader(s.read())))
			for cut := 1 + len(s.name)%step; cut < len(s.body) && !t.Failed(); cut += step {
				same(fmt.Sprint("cut at ", cut), p.stream(s, cut))
			}
			if s.status != 200 || s.refused != 0 || s.end != "[DONE]" || !utf8.Valid(s.body) {
				return // of bytes that are no text, each frame makes its own best
			}
			read := readEvents(t, whole.body.Bytes())
			if len(read.choices) == 1 || !strings.Contains(mode, "renumber") {
				sameAnswer(t, "collected", read, p.ask(false, "text/event-stream", s.read()))
			}
		})
	}
}

// What tells a marker early tells what the object tells in the end.
func TestEventsTellTheMarkersOfTheObject(t *testing.T) {
	for _, mode := range []string{`"marker_mode":"keep"`, `"marker_mode":"strip"`, `"citation_renumber":true,"citation_format":"markdown"`} {
		p := newPlayback(t, with(mode), `{"citation_options":{"events":true}}`)
		rapid.Check(t, func(t *rapid.T) {
			a := drawInvented(t, 1)
			read := readEvents(t, p.stream(stream{body: a.body}).body.Bytes())
			type marker struct {
				Choice, Start, End int
				Indices, Invalid   []int
			}
			var told, want []marker
			for _, event := range read.events {
				var f struct{ Citation *marker }
				if err := json.Unmarshal([]byte(event), &f); err != nil {
					t.Fatal(err)
				}
				if f.Citation != nil {
					told = append(told, *f.Citation)
					if !strings.Contains(event, `"delta":{},"finish_reason":null}]`) {
						t.Fatalf("an event that says something: %s", event)
					}
				}
			}
			for _, m := range readCited(t, read.citations).Markers {
				want = append(want, marker(m))
			}
			if !reflect.DeepEqual(told, want) {
				t.Fatalf("%s: told %v, the object has %v", mode, told, want)
			}
		})
	}
}

// A stream that breaks off loses nothing of what was held back: [1] stays [1]
// when it is renumbered, so the client must have exactly what came.
func TestABrokenStreamLosesNothingThatWasHeldBack(t *testing.T) {
	p := newPlayback(t, with(`"citation_renumber":true`), `{"n":2}`)
	rapid.Check(t, func(t *rapid.T) {
		var body bytes.Buffer
		want := map[int]string{}
		pieces := rapid.SliceOfN(rapid.SampledFrom([]string{"[1]", "[", "1", "]", " ", "a", "【1", "†source】", "[1][", "(", "`", "\n", "[^1", "$", "\\[1"}), 1, 12).Draw(t, "pieces")
		for _, piece := range pieces {
			choice := rapid.IntRange(0, 1).Draw(t, "choice")
			finish := "null"
			if rapid.IntRange(0, 9).Draw(t, "finish") == 0 {
				finish = `"stop"`
			}
			want[choice] += piece
			fmt.Fprintf(&body, "data: %s\n\n", chunkOf(choice, quoted(piece), finish, ""))
		}
		cut := rapid.IntRange(0, 40).Draw(t, "cut")
		fmt.Fprintf(&body, "data: %s", chunkOf(0, `"lost"`, "null", "")[:cut])
		read := readEvents(t, p.stream(stream{body: body.Bytes(), breaks: true}).body.Bytes())
		if read.end == "[DONE]" {
			return // both choices had ended
		}
		for choice, text := range want {
			if got := plain(t, read.choices[choice].text); got != text {
				t.Fatalf("choice %d: got %q, want %q", choice, got, text)
			}
		}
	})
}

// FuzzRewrittenStream is FuzzStream where everything that can be done to a
// stream is done: texts are rewritten, lists follow them, markers are sent as events.
func FuzzRewrittenStream(f *testing.F) {
	for _, s := range corpus(f) {
		f.Add(s.body, uint16(len(s.body)/2), s.request == `{"n":2}`)
	}
	const mode = `"citation_format":"markdown","citation_renumber":true,"citation_link_mode":"Authenticated"`
	servers := map[bool]*playback{}
	for two, n := range map[bool]int{false: 1, true: 2} {
		servers[two] = newPlayback(f, with(mode), fmt.Sprintf(`{"n":%d,"citation_options":{"events":true}}`, n))
	}
	f.Fuzz(func(t *testing.T, body []byte, cut uint16, two bool) {
		whole := servers[two].howeverCut(t, stream{body: body}, cut)
		if whole.status == 200 && bytes.Contains(whole.body.Bytes(), []byte(`"citations":{"status":"error"`)) {
			t.Fatalf("%q: the scanner failed: %s", body, &whole.body)
		}
	})
}
