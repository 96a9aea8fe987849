package wire

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// shout marks a text that was edited, and whose it is.
func shout(choice int, text string) string {
	return fmt.Sprint(choice, strings.ToUpper(text))
}

func rewriteFrame(t testing.TB, c *Frame, data string, edit func(int, string) string) string {
	t.Helper()
	if err := ScanFrame([]byte(data), c); err != nil {
		t.Fatal(err)
	}
	raw := []byte(data)
	got := string(c.Rewrite(nil, raw, edit))
	if string(raw) != data {
		t.Errorf("the data itself was changed to %s", raw)
	}
	return got
}

func TestRewritingAFrameChangesItsTextsAndNoOtherByte(t *testing.T) {
	for _, c := range []struct{ name, data, want string }{
		{"a string", `{"id":"c", "choices":[{"index":0,"delta":{"content":"abc" },"finish_reason":null}] }`, `{"id":"c", "choices":[{"index":0,"delta":{"content":"0ABC" },"finish_reason":null}] }`},
		{"what needs escapes", `{"choices":[{"delta":{"content":"\u00e9\n\"\/"}}]}`, `{"choices":[{"delta":{"content":"0É\n\"/"}}]}`},
		{"text parts", `{"choices":[{"delta":{"content":[{"type":"text","text":"a"},{"type":"image_url","text":"x"},"b",{"type":"output_text","text":"c"}]}}]}`,
			`{"choices":[{"delta":{"content":[{"type":"text","text":"0A"},{"type":"image_url","text":"x"},"0B",{"type":"output_text","text":"0C"}]}}]}`},
		{"every choice", `{"choices":[{"index":1,"delta":{"content":"a"}},null,{"index":4,"delta":{"content":"b"}}]}`, `{"choices":[{"index":1,"delta":{"content":"1A"}},null,{"index":4,"delta":{"content":"4B"}}]}`},
		{"nothing said", `{"choices":[{"delta":{"content":""}},{"delta":{"content":null}},{"delta":{}},{},{"delta":null}]}`, `{"choices":[{"delta":{"content":""}},{"delta":{"content":null}},{"delta":{}},{},{"delta":null}]}`},
		{"reasoning, refusal, tools", `{"choices":[{"delta":{"reasoning_content":"a","refusal":"b","tool_calls":[{"function":{"arguments":"c"}}],"audio":{"transcript":"d"}},"content":"e","text":"f"}],"content":"g"}`,
			`{"choices":[{"delta":{"reasoning_content":"a","refusal":"b","tool_calls":[{"function":{"arguments":"c"}}],"audio":{"transcript":"d"}},"content":"e","text":"f"}],"content":"g"}`},
		{"no choices", `{"choices":[],"usage":{}}`, `{"choices":[],"usage":{}}`},
		{"the last of two contents", `{"choices":[{"delta":{"content":"a","content":"b"}}]}`, `{"choices":[{"delta":{"content":"a","content":"0B"}}]}`},
	} {
		var scanned Frame
		if got := rewriteFrame(t, &scanned, c.data, shout); got != c.want {
			t.Errorf("%s: got  %s\nwant %s", c.name, got, c.want)
		}
	}
}

func TestARewrittenFrameIsLikeTheOneBeforeAndKeepsItsOwnText(t *testing.T) {
	var scanned Frame
	for _, text := range []string{"one", "two, and longer", `\"x\"`, "é"} {
		data := `{"id":"c","choices":[{"index":2,"delta":{"content":"` + text + `"},"finish_reason":null}],"obfuscation":"` + text + `"}`
		want := strings.Replace(data, `"content":"`+text, `"content":"2`+strings.ToUpper(text), 1)
		if got := rewriteFrame(t, &scanned, data, shout); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestAnUnchangedTextKeepsItsBytes(t *testing.T) {
	same := func(_ int, text string) string { return text }
	data := []byte(`{"choices":[{"delta":{"content":"\u0061\/"}},{"delta":{"content":["\u0062"]}}]}`)
	var scanned Frame
	if err := ScanFrame(data, &scanned); err != nil {
		t.Fatal(err)
	}
	if got := scanned.Rewrite(nil, data, same); &got[0] != &data[0] {
		t.Errorf("%s was copied", got)
	}
	r, err := ReadResponse([]byte(`{"choices":[{"message":{"content":"\u0061"}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Rewrite(nil, same); &got[0] != &r.body[0] {
		t.Errorf("%s was copied", got)
	}
}

// A character that was cut between its surrogates goes out whole, with the
// second of the frames, when a text is rewritten: its halves are no text.
func TestHalvesOfACharacterGoOutAsOne(t *testing.T) {
	var scanned Frame
	var texts []string
	edit := func(_ int, text string) string { texts = append(texts, text); return text }
	first := rewriteFrame(t, &scanned, `{"choices":[{"delta":{"content":"a\ud83d"}}]}`, edit)
	second := rewriteFrame(t, &scanned, `{"choices":[{"delta":{"content":"\udcc8b"}}]}`, edit)
	if first != `{"choices":[{"delta":{"content":"a"}}]}` || second != `{"choices":[{"delta":{"content":"📈b"}}]}` || strings.Join(texts, "|") != "a|📈b" {
		t.Errorf("%s %s %q", first, second, texts)
	}
	rewriteFrame(t, &scanned, `{"choices":[{"delta":{"content":"\ud83d"}}]}`, edit)
	rewriteFrame(t, &scanned, `{"choices":[{"delta":{},"finish_reason":"stop"}]}`, edit)
	if one := scanned.Choices[0]; one.Content != "\ufffd" || one.HasContent() {
		t.Errorf("a half that nothing follows: %q, in a content %v", one.Content, one.HasContent())
	}
}

func TestRewritingAnAnswer(t *testing.T) {
	body := `{"id":"c","choices":[{"index":0,"message":{"role":"assistant","content":"a\u0062","refusal":"x"} },` +
		`{"index":1,"message":{"content":[{"type":"text","text":"c"},{"type":"refusal","refusal":"y"}]}},{"index":2,"message":{"content":null,"tool_calls":[1]}}],"usage":{}}`
	want := `{"id":"c","choices":[{"index":0,"message":{"role":"assistant","content":"0AB","refusal":"x"} },` +
		`{"index":1,"message":{"content":[{"type":"text","text":"1C"},{"type":"refusal","refusal":"y"}]}},{"index":2,"message":{"content":null,"tool_calls":[1]}}],"usage":{}}`
	r, err := ReadResponse([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(r.Rewrite(nil, shout)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestATextIsPutBehindThatOfAChoice(t *testing.T) {
	for _, c := range []struct {
		name, body string
		delta      bool
		want       string
	}{
		{"a message", `{"choices":[{"message":{"content":"a"}}]}`, false, `{"choices":[{"message":{"content":"a+0"}}]}`},
		{"an empty message", `{"choices":[{"message":{"content":""}}]}`, false, `{"choices":[{"message":{"content":"+0"}}]}`},
		{"a message that says nothing", `{"choices":[{"message":{"content":null}}]}`, false, `{"choices":[{"message":{"content":null}}]}`},
		{"the last text part", `{"choices":[{"message":{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"},{"type":"image_url"}]}}]}`, false,
			`{"choices":[{"message":{"content":[{"type":"text","text":"a"},{"type":"text","text":"b+0"},{"type":"image_url"}]}}]}`},
		{"no text part", `{"choices":[{"message":{"content":[]}}]}`, false, `{"choices":[{"message":{"content":[]}}]}`},
		{"each choice", `{"choices":[{"index":3,"message":{"content":"a"}},{"index":1,"message":{"content":"b"}}]}`, false, `{"choices":[{"index":3,"message":{"content":"a+3"}},{"index":1,"message":{"content":"b+1"}}]}`},
		{"the last choice of an index", `{"choices":[{"index":0,"message":{"content":"a"}},{"index":0,"message":{"content":"b"}}]}`, false, `{"choices":[{"index":0,"message":{"content":"a"}},{"index":0,"message":{"content":"b+0"}}]}`},
		{"a delta", `{"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}`, true, `{"choices":[{"delta":{"content":"a+0"},"finish_reason":"stop"}]}`},
		{"an empty delta", `{"choices":[{"delta":{"content":""},"finish_reason":"stop"}]}`, true, `{"choices":[{"delta":{"content":""},"finish_reason":"stop"}]}`},
		{"no delta", `{"choices":[{"message":{"content":"a"}}]}`, true, `{"choices":[{"message":{"content":"a"}}]}`},
		{"broken JSON", `{"choices":[{"message":{"content":"a"}}]`, false, `{"choices":[{"message":{"content":"a"}}]`},
	} {
		asked := map[int]bool{}
		got := string(AppendText([]byte(c.body), c.delta, func(choice int) string {
			if asked[choice] {
				return ""
			}
			asked[choice] = true
			return fmt.Sprint("+", choice)
		}))
		if got != c.want {
			t.Errorf("%s: got  %s\nwant %s", c.name, got, c.want)
		}
	}
}

func TestMembersAreAddedToChoices(t *testing.T) {
	ctx, cit := Member{"context", []byte(`{"citations":[]}`)}, Member{"citations", []byte("1")}
	for _, c := range []struct {
		name, body string
		choice     int
		delta      bool
		want       string
	}{
		{"a message", `{"choices":[{"message":{"content":"x" }}]}`, 0, false, `{"choices":[{"message":{"content":"x","context":{"citations":[]},"citations":1 }}]}`},
		{"a delta", `{"choices":[{"index":2,"delta":{"role":"assistant"}}]}`, 2, true, `{"choices":[{"index":2,"delta":{"role":"assistant","context":{"citations":[]},"citations":1}}]}`},
		{"an empty one", `{"choices":[{"delta":{ }}]}`, 0, true, `{"choices":[{"delta":{"context":{"citations":[]},"citations":1 }}]}`},
		{"null", `{"choices":[{"delta":null}]}`, 0, true, `{"choices":[{"delta":{"context":{"citations":[]},"citations":1}}]}`},
		{"none", `{"choices":[{}]}`, 0, true, `{"choices":[{"delta":{"context":{"citations":[]},"citations":1}}]}`},
		{"the upstream's own give way", `{"choices":[{"message":{"citations":[7],"context":null}}]}`, 0, false, `{"choices":[{"message":{"upstream_citations":[7],"upstream_context":null,"context":{"citations":[]},"citations":1}}]}`},
		{"a string", `{"choices":[{"message":"x"}]}`, 0, false, `{"choices":[{"message":"x"}]}`},
		{"another choice", `{"choices":[{"message":{}}]}`, 1, false, `{"choices":[{"message":{}}]}`},
		{"every choice", `{"choices":[{"message":{}},{"index":0,"message":{}}]}`, 0, false, `{"choices":[{"message":{"context":{"citations":[]},"citations":1}},{"index":0,"message":{"context":{"citations":[]},"citations":1}}]}`},
		{"broken JSON", `{"choices":[{"message":{}}]`, 0, false, `{"choices":[{"message":{}}]`},
	} {
		if got := string(AddToChoices([]byte(c.body), c.delta, to(c.choice, ctx, cit))); got != c.want {
			t.Errorf("%s: got  %s\nwant %s", c.name, got, c.want)
		}
	}
}

// to gives members to one choice.
func to(choice int, members ...Member) func(int) []Member {
	return func(c int) []Member {
		if c != choice {
			return nil
		}
		return members
	}
}

func TestFramesThatFootnoteAdds(t *testing.T) {
	last := []byte(`{"choices":[{"index":0,"delta":{"content":"x"}}],"model":"m","id":"c","usage":null,"created":7}`)
	head := `{"object":"chat.completion.chunk","id":"c","created":7,"model":"m","choices":[{"index":3,"delta":`
	if got, want := string(ContentFrame(last, 3, "a\n\"")), head+`{"content":"a\n\""},"finish_reason":null}]}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got, want := string(EmptyFrame(last, 3)), head+`{},"finish_reason":null}]}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got, want := string(EmptyFrame(nil, 0)), `{"object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":null}]}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// checkRewritten asserts that of an answer nothing but its texts changes.
func checkRewritten(t testing.TB, body []byte) {
	t.Helper()
	const mark = "\u2028\"marked\x00"
	marked := func(_ int, text string) string { return text + mark }
	blank := func(int, string) string { return "blank" }
	if r, err := ReadResponse(body); err == nil {
		got := r.Rewrite(nil, marked)
		again, err := ReadResponse(got)
		if err != nil || !json.Valid(got) {
			t.Fatalf("%q became %q", body, got)
		}
		if a, b := r.Rewrite(nil, blank), again.Rewrite(nil, blank); string(a) != string(b) {
			t.Fatalf("%q became %q: more than its texts", body, got)
		}
		was, is := r.Choices(), again.Choices()
		for i := range was {
			if strings.ReplaceAll(is[i].Text, mark, "") != strings.ToValidUTF8(strings.ReplaceAll(was[i].Text, mark, ""), "\ufffd") && utf8.ValidString(was[i].Text) {
				t.Fatalf("%q became %q", was[i].Text, is[i].Text)
			}
			was[i].Text, is[i].Text = "", ""
		}
		if !reflect.DeepEqual(was, is) {
			t.Fatalf("%q became %q", body, got)
		}
	}
	var c, d Frame
	if ScanFrame(body, &c) == nil {
		got := c.Rewrite(nil, body, marked)
		if err := ScanFrame(got, &d); err != nil || len(d.Choices) != len(c.Choices) {
			t.Fatalf("%q became %q: %v", body, got, err)
		}
		var e Frame
		if ScanFrame(body, &e) != nil || string(e.Rewrite(nil, body, blank)) != string(d.Rewrite(nil, got, blank)) {
			t.Fatalf("%q became %q: more than its texts", body, got)
		}
	}
	for _, delta := range []bool{false, true} {
		got := AppendText(body, delta, func(int) string { return mark })
		got = AddToChoices(got, delta, to(0, Member{"context", []byte(`{"}":"{"}`)}))
		if json.Valid(body) && !json.Valid(got) {
			t.Fatalf("%q became %q", body, got)
		}
	}
}

func FuzzRewriting(f *testing.F) {
	addCorpus(f, "responses")
	addCorpus(f, "streams")
	f.Add([]byte(`{"choices":[{"delta":{"content":"a\ud83d"},"message":{"content":["\udcc8",{"type":"text","text":""}]}}]}`))
	f.Fuzz(func(t *testing.T, body []byte) { checkRewritten(t, body) })
}

// However an answer is laid out, a text that was replaced can be put back.
func TestARewrittenTextCanBePutBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		space := rapid.SampledFrom([]string{"", " ", "\n\t"})
		var b strings.Builder
		b.WriteString(`{"x":[{"content":"no"}],` + space.Draw(t, "a") + `"choices":[`)
		n := rapid.IntRange(1, 3).Draw(t, "choices")
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			text := string(AppendString(nil, rapid.StringN(1, 20, -1).Draw(t, "text")))
			if rapid.Bool().Draw(t, "parts") {
				text = `[` + space.Draw(t, "b") + `{"text":` + text + `,"type":"text"},{"type":"audio","text":"no"}]`
			}
			fmt.Fprintf(&b, `{%s"index":%d,"message":{"content"%s:%s}}`, space.Draw(t, "c"), i, space.Draw(t, "d"), text)
		}
		b.WriteString(`]}` + space.Draw(t, "e"))
		r, err := ReadResponse([]byte(b.String()))
		if err != nil {
			t.Fatal(err)
		}
		other, err := ReadResponse(r.Rewrite(nil, func(i int, text string) string { return fmt.Sprint(i, "|", text) }))
		if err != nil {
			t.Fatal(err)
		}
		back := other.Rewrite(nil, func(_ int, text string) string { _, text, _ = strings.Cut(text, "|"); return text })
		if string(back) != b.String() {
			t.Fatalf("got  %q\nwant %q", back, b.String())
		}
	})
}
