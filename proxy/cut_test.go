package proxy_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"
	"unicode/utf8"
)

// everyStream runs a test on each stream of the corpus.
func everyStream(t *testing.T, test func(t *testing.T, s stream)) {
	t.Helper()
	for _, s := range corpus(t) {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			test(t, s)
		})
	}
}

func TestNoCutOfAStreamChangesAByteOfTheAnswer(t *testing.T) {
	step := 29
	if nightly {
		step = 1
	}
	everyStream(t, func(t *testing.T, s stream) {
		for _, settings := range []string{citesOn, `{}`} {
			p := newPlayback(t, settings, s.request)
			whole := p.stream(s)
			same := func(how string, got *recorded) {
				if got.status != whole.status || !bytes.Equal(got.body.Bytes(), whole.body.Bytes()) {
					t.Errorf("%s %s:\n%d %q\nin one piece:\n%d %q", settings, how, got.status, &got.body, whole.status, &whole.body)
				}
			}
			same("byte by byte", p.streamFrom(s, iotest.OneByteReader(s.read())))
			same("with its end", p.streamFrom(s, iotest.DataErrReader(s.read())))
			for cut := 1 + len(s.name)%step; cut < len(s.body); cut += step {
				same(fmt.Sprintf("cut at %d, %q|%q", cut, s.body[max(0, cut-20):cut], s.body[cut:min(len(s.body), cut+20)]), p.stream(s, cut))
				if t.Failed() {
					return
				}
			}
		}
	})
}

func TestEveryStreamIsReadAsItsLabelSays(t *testing.T) {
	everyStream(t, func(t *testing.T, s stream) {
		upstream := readEvents(t, s.body)
		for _, settings := range []string{`{}`, citesOn} {
			got := newPlayback(t, settings, s.request).stream(s)
			if s.refused != 0 {
				if got.status != s.refused || got.body.String() != string(s.body) {
					t.Errorf("%d %s, the upstream said %d %s", got.status, &got.body, s.refused, s.body)
				}
				continue
			}
			if s.status != 200 {
				if code := errorCode(got); got.status != s.status || code != s.end {
					t.Errorf("%d %s, want %d %s", got.status, &got.body, s.status, s.end)
				}
				continue
			}
			read := readEvents(t, got.body.Bytes())
			end := s.end
			if end != "[DONE]" {
				end = "error " + end
			}
			if got.status != 200 || read.end != end || !bytes.HasSuffix(got.body.Bytes(), []byte("}\n\n")) && !bytes.HasSuffix(got.body.Bytes(), []byte("}\n\ndata: [DONE]\n\n")) {
				t.Fatalf("%d, ended with %q, want %q:\n%s", got.status, read.end, end, &got.body)
			}
			want := upstream.events
			if end != "[DONE]" && len(read.events) == len(want)-1 {
				want = want[:len(read.events)] // the last one reported the error
			}
			sameEvents(t, read.events, want)
			if (read.citations != "") != (settings == citesOn && end == "[DONE]") {
				t.Errorf("%s: citations %q", settings, read.citations)
			}
			if read.citations == "" {
				continue
			}
			if cites := numbers(t, read.citations); cites != s.cites {
				t.Errorf("cites %q, want %q, in %q", cites, s.cites, read.texts(t))
			}
			if s.answer != nil {
				recorded := readAnswer(t, s.answer)
				if texts := recorded.texts(t); !slices.Equal(texts, read.texts(t)) {
					t.Errorf("the recorded answer says %q, the stream %q", texts, read.texts(t))
				}
			}
		}
	})
}

func errorCode(w *recorded) string {
	var report struct{ Error struct{ Code string } }
	_ = json.Unmarshal(w.body.Bytes(), &report) // an answer that is none has no code
	return report.Error.Code
}

func TestABrokenStreamIsAnErrorForWhoAskedForJSON(t *testing.T) {
	everyStream(t, func(t *testing.T, s stream) {
		if s.end == "[DONE]" {
			return
		}
		got := newPlayback(t, citesOn, s.request).ask(false, "text/event-stream", s.read())
		if code := errorCode(got); got.status < 400 || code != s.end || s.status != 200 && got.status != s.status {
			t.Errorf("%d %s, want %s", got.status, &got.body, s.end)
		}
	})
}

// sameEvents fails unless the client got all events of the upstream, with
// nothing but our members added to one of them, and at most one of our own.
func sameEvents(t *testing.T, got, want []string) {
	t.Helper()
	for i, data := range want {
		if i >= len(got) {
			t.Fatalf("%d events of %d", len(got), len(want))
		}
		data = strings.ToValidUTF8(data, "\ufffd")
		a, b := decoded(t, got[i]), decoded(t, data)
		if _, ours := a["retrieval"]; ours {
			for _, name := range []string{"citations", "retrieval"} {
				delete(a, name)
				if moved, ok := a["upstream_"+name]; ok {
					delete(a, "upstream_"+name)
					a[name] = moved
				}
			}
		} else if got[i] != strings.NewReplacer("\n", " ", "\r", " ").Replace(data) {
			t.Errorf("event %d is %s, want %s", i, got[i], data)
		}
		if !reflect.DeepEqual(a, b) {
			t.Errorf("event %d is %s, want %s", i, got[i], data)
		}
	}
	if len(got) > len(want)+1 || len(got) > len(want) && !strings.Contains(got[len(want)], `"delta":{},"finish_reason":"stop"}],"citations":{`) {
		t.Errorf("%d events of %d: %v", len(got), len(want), got[len(want):])
	}
}

func decoded(t *testing.T, data string) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal([]byte(data), &m); err != nil {
		t.Fatal(data, err)
	}
	return m
}

// cited is what the tests look at in a citations object.
type cited struct {
	Status            string
	ReferencedIndices []int `json:"referenced_indices"`
	InvalidIndices    []int `json:"invalid_indices"`
	Markers           []struct {
		Choice, Start, End int
		Indices, Invalid   []int
	}
}

func readCited(t failer, object string) cited {
	t.Helper()
	var c cited
	if err := json.Unmarshal([]byte(object), &c); err != nil {
		t.Fatal(object, err)
	}
	return c
}

// numbers are the numbers of all markers in order, as labels write them.
func numbers(t *testing.T, object string) string {
	t.Helper()
	c := readCited(t, object)
	if c.Status == "skipped" {
		return "skipped"
	}
	var list []string
	choice := 0
	for _, m := range c.Markers {
		if m.Choice != choice {
			list, choice = append(list, "/"), m.Choice
		}
		for _, n := range m.Indices {
			list = append(list, strconv.Itoa(n))
		}
		for _, n := range m.Invalid {
			list = append(list, "!"+strconv.Itoa(n))
		}
	}
	return strings.Join(list, " ")
}

// readAnswer reads a JSON answer as a stream with one event.
func readAnswer(t failer, raw []byte) reading {
	t.Helper()
	r := reading{choices: map[int]*said{}, end: "[DONE]"}
	var m struct{ Choices []struct{ Index int } }
	if err := json.Unmarshal(raw, &m); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	r.read(t, strings.ReplaceAll(string(raw), `"message":`, `"delta":`))
	return r
}

func TestAStreamCitesWhatTheJSONAnswerCites(t *testing.T) {
	everyStream(t, func(t *testing.T, s stream) {
		if s.end != "[DONE]" || s.refused != 0 {
			return
		}
		upstream := readEvents(t, s.body)
		answers := [][]byte{upstream.answer(t)}
		if s.answer != nil {
			answers = append(answers, s.answer)
		}
		for _, unit := range []string{"codepoint", "utf16", "byte"} {
			p := newPlayback(t, strings.TrimSuffix(citesOn, "}")+`,"citation_offset_unit":"`+unit+`"}`, s.request)
			stream := readEvents(t, p.stream(s).body.Bytes())
			check := func(how string, got reading) {
				if got.citations != stream.citations {
					t.Errorf("%s in %s:\n%s\nthe stream:\n%s", how, unit, got.citations, stream.citations)
				}
				if !slices.Equal(got.texts(t), stream.texts(t)) {
					t.Errorf("%s says %q, the stream %q", how, got.texts(t), stream.texts(t))
				}
				for i, choice := range got.choices {
					if !reflect.DeepEqual(choice.calls, stream.choices[i].calls) || choice.function != stream.choices[i].function || choice.refusal != stream.choices[i].refusal {
						t.Errorf("%s calls %+v and refuses with %q, the stream %+v", how, choice.calls, choice.refusal, stream.choices[i])
					}
				}
			}
			for _, answer := range answers {
				check("the JSON answer", readAnswer(t, p.ask(false, "application/json", bytes.NewReader(answer)).body.Bytes()))
				check("the JSON answer, streamed", readEvents(t, p.ask(true, "application/json", bytes.NewReader(answer)).body.Bytes()))
			}
			check("the stream, as JSON", readAnswer(t, p.ask(false, "text/event-stream", s.read()).body.Bytes()))
			checkOffsets(t, unit, stream)
		}
	})
}

// checkOffsets cuts the markers out of the text that the client received (K-017).
func checkOffsets(t *testing.T, unit string, r reading) {
	t.Helper()
	for _, m := range readCited(t, r.citations).Markers {
		text := plain(t, r.choices[m.Choice].text)
		marker := slice(unit, text, m.Start, m.End)
		numbers := append(slices.Clone(m.Indices), m.Invalid...)
		opens := slices.ContainsFunc([]string{"[", "【", "［", `\[`}, func(b string) bool { return strings.HasPrefix(marker, b) })
		closes := slices.ContainsFunc([]string{"]", "】", "］"}, func(b string) bool { return strings.HasSuffix(marker, b) })
		if !opens || !closes || strings.ContainsAny(strings.Trim(marker, `[]\`), "[]") || len(numbers) == 0 {
			t.Errorf("%d–%d in %s is %q in %q", m.Start, m.End, unit, marker, text)
		}
	}
}

func slice(unit, text string, start, end int) string {
	switch unit {
	case "utf16":
		units := utf16.Encode([]rune(text))
		return string(utf16.Decode(units[start:end]))
	case "codepoint":
		points := []rune(text)
		return string(points[start:end])
	default:
		if !utf8.RuneStart(text[start]) {
			return ""
		}
		return text[start:end]
	}
}

// JavaScript cuts strings by UTF-16 code units; so must whoever uses our
// offsets in a browser (K-017).
func TestOffsetsInUTF16AreThoseOfJavaScript(t *testing.T) {
	type claim struct {
		Text       string
		Start, End int
		Marker     string
	}
	var claims []claim
	for _, s := range corpus(t) {
		if s.end != "[DONE]" || s.refused != 0 {
			continue
		}
		got := map[string]cited{}
		var read reading
		for _, unit := range []string{"utf16", "byte"} {
			p := newPlayback(t, strings.TrimSuffix(citesOn, "}")+`,"citation_offset_unit":"`+unit+`"}`, s.request)
			read = readEvents(t, p.stream(s).body.Bytes())
			got[unit] = readCited(t, read.citations)
		}
		for i, m := range got["utf16"].Markers {
			text, inBytes := plain(t, read.choices[m.Choice].text), got["byte"].Markers[i]
			if utf8.ValidString(text) && !strings.ContainsRune(text, utf8.RuneError) {
				claims = append(claims, claim{text, m.Start, m.End, text[inBytes.Start:inBytes.End]})
			}
		}
	}
	input, err := json.Marshal(claims)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", "-e", `
		const claims = JSON.parse(require("fs").readFileSync(0, "utf8"));
		for (const c of claims) {
			const got = c.Text.slice(c.Start, c.End);
			if (got !== c.Marker) console.log(JSON.stringify(c.Text), c.Start, c.End, got, c.Marker);
		}
		console.log(claims.length);`)
	cmd.Stdin = bytes.NewReader(input)
	out, err := cmd.CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != strconv.Itoa(len(claims)) || len(claims) < 200 {
		t.Errorf("%d markers, %v: %s", len(claims), err, out)
	}
}
