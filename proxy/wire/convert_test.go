package wire

import (
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
)

func lines(frames [][]byte) string {
	var b strings.Builder
	for _, f := range frames {
		b.Write(f)
		b.WriteByte('\n')
	}
	return b.String()
}

func TestAnAnswerBecomesFrames(t *testing.T) {
	const head = `{"object":"chat.completion.chunk","id":"x","created":1,"model":"m"`
	for _, c := range []struct {
		name, body string
		usage      bool
		want       []string
	}{
		{"text", `{"id":"x","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"a\u0062"},"finish_reason":"length"}]}`, true, []string{
			head + `,"choices":[{"index":0,"delta":{"role":"assistant","content":"a\u0062"},"finish_reason":null}]}`,
			head + `,"choices":[{"index":0,"delta":{},"finish_reason":"length"}]}`,
		}},
		{"usage that was asked for", `{"id":"x","created":1,"model":"m","choices":[{"message":{"role":"assistant"},"finish_reason":"stop"}],"usage":{"total_tokens":3}}`, true, []string{
			head + `,"choices":[{"index":0,"delta":{"role":"assistant"},"finish_reason":null}]}`,
			head + `,"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`,
			head + `,"choices":[],"usage":{"total_tokens":3}}`,
		}},
		{"usage that was not asked for", `{"id":"x","created":1,"model":"m","choices":[{"message":{"role":"assistant"},"finish_reason":"stop"}],"usage":{"total_tokens":3}}`, false, []string{
			head + `,"choices":[{"index":0,"delta":{"role":"assistant"},"finish_reason":null}]}`,
			head + `,"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`,
		}},
		{"usage null", `{"id":"x","created":1,"model":"m","choices":[{"message":{"role":"assistant"}}],"usage":null}`, true, []string{
			head + `,"choices":[{"index":0,"delta":{"role":"assistant"},"finish_reason":null}]}`,
			head + `,"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`,
		}},
		{"unknown members", `{"id":"x","created":1,"model":"m","timings":{"a":1},"citations":["u"],"choices":[{"message":{"content":"a","reasoning":"r"},"finish_reason":"stop","native":"STOP","logprobs":{"content":[]}}]}`, true, []string{
			head + `,"choices":[{"index":0,"delta":{"role":"assistant","content":"a","reasoning":"r"},"logprobs":{"content":[]},"finish_reason":null}]}`,
			head + `,"choices":[{"index":0,"delta":{},"native":"STOP","finish_reason":"stop"}],"timings":{"a":1},"citations":["u"]}`,
		}},
		{"tool calls get their index", `{"id":"x","created":1,"model":"m","choices":[{"message":{"role":"assistant","content":null,"tool_calls":[{"id":"a"},{"index":5,"id":"b"}, { }]}}]}`, true, []string{
			head + `,"choices":[{"index":0,"delta":{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"a"},{"index":5,"id":"b"}, {"index":2 }]},"finish_reason":null}]}`,
			head + `,"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`,
		}},
		{"annotations go with the finish", `{"id":"x","created":1,"model":"m","choices":[{"message":{"annotations":[{"a":1}],"role":"assistant","content":"a"},"finish_reason":"stop"}]}`, true, []string{
			head + `,"choices":[{"index":0,"delta":{"role":"assistant","content":"a"},"finish_reason":null}]}`,
			head + `,"choices":[{"index":0,"delta":{"annotations":[{"a":1}]},"finish_reason":"stop"}]}`,
		}},
		{"a choice without anything", `{"id":"x","created":1,"model":"m","choices":[{"message":null,"finish_reason":null}]}`, true, []string{
			head + `,"choices":[{"index":0,"delta":{"role":"assistant"},"finish_reason":null}]}`,
			head + `,"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`,
		}},
		{"two choices", `{"id":"x","created":1,"model":"m","z":1,"choices":[{"index":1,"message":{"role":"assistant","content":"b"},"finish_reason":"stop"},{"index":0,"message":{"role":"assistant","content":"a"},"finish_reason":"length"}]}`, true, []string{
			head + `,"choices":[{"index":1,"delta":{"role":"assistant","content":"b"},"finish_reason":null}]}`,
			head + `,"choices":[{"index":0,"delta":{"role":"assistant","content":"a"},"finish_reason":null}]}`,
			head + `,"choices":[{"index":1,"delta":{},"finish_reason":"stop"}]}`,
			head + `,"choices":[{"index":0,"delta":{},"finish_reason":"length"}],"z":1}`,
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := StreamFromJSON([]byte(c.body), c.usage)
			if err != nil {
				t.Fatal(err)
			}
			if want := strings.Join(c.want, "\n") + "\n"; lines(got) != want {
				t.Errorf("got\n%swant\n%s", lines(got), want)
			}
		})
	}
}

func TestWhatIsNoAnswerBecomesNoFrames(t *testing.T) {
	for _, body := range []string{"", "[]", `{"error":"x"}`, `{"choices":[]}`, `{"choices":[{}]`, "<html>"} {
		if got, err := StreamFromJSON([]byte(body), true); err == nil || got != nil {
			t.Errorf("%s became %d frames", body, len(got))
		}
	}
}

func TestConvertedAnswersSayTheSame(t *testing.T) {
	for name, body := range corpus(t, "responses") {
		r, err := ReadResponse(body)
		if err != nil {
			t.Fatal(err)
		}
		got, err := StreamFromJSON(body, true)
		if err != nil {
			t.Fatal(err)
		}
		texts, calls, reasons := map[int]string{}, map[int]bool{}, map[int]string{}
		var c Frame
		for _, f := range got {
			if err := ScanFrame(f, &c); err != nil || c.Error || !c.HasChoices {
				t.Fatalf("%s: %v in %s", name, err, f)
			}
			for _, one := range c.Choices {
				texts[one.Index] += one.Content
				calls[one.Index] = calls[one.Index] || one.ToolCalls
				reasons[one.Index] += one.FinishReason
			}
		}
		for _, want := range r.Choices() {
			if want.FinishReason == "" {
				want.FinishReason = "stop"
			}
			if got := (Choice{want.Index, texts[want.Index], calls[want.Index], reasons[want.Index]}); got != want {
				t.Errorf("%s: got %+v, want %+v", name, got, want)
			}
		}
	}
}

// canonical is an answer as far as a conversion there and back keeps it.
func canonical(v any) any {
	o := v.(object)
	o["object"] = "chat.completion"
	byIndex := map[string]any{}
	list, _ := o["choices"].([]any)
	for i, one := range list {
		c := one.(object)
		if c["index"] == nil {
			c["index"] = i
		}
		delete(c, "delta")
		for key, value := range c {
			if value == nil {
				delete(c, key)
			}
		}
		m, _ := c["message"].(object)
		if m == nil {
			m = object{}
			c["message"] = m
		}
		for key, value := range m {
			if value == nil {
				delete(m, key)
			}
		}
		m["role"] = "assistant"
		if c["finish_reason"] == nil {
			c["finish_reason"] = "stop"
		}
		byIndex[strings.TrimSpace(toString(c["index"]))] = c
		delete(c, "index")
	}
	o["choices"] = byIndex
	for key, value := range o {
		if value == nil {
			delete(o, key)
		}
	}
	return o
}

func toString(v any) string {
	if s, ok := v.(interface{ String() string }); ok {
		return s.String()
	}
	return string(rune('0' + v.(int)))
}

func TestAnAnswerSurvivesTheWayToFramesAndBack(t *testing.T) {
	for name, body := range corpus(t, "responses") {
		got, err := StreamFromJSON(body, true)
		if err != nil {
			t.Fatal(err)
		}
		c := NewCollector()
		for _, f := range got {
			if err := c.Add(f); err != nil {
				t.Fatalf("%s: %v in %s", name, err, f)
			}
		}
		back, err := c.JSON()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if g, w := canonical(decode(t, back)), canonical(decode(t, body)); !reflect.DeepEqual(g, w) {
			t.Errorf("%s:\ngot  %v\nwant %v", name, g, w)
		}
	}
}

func collect(t testing.TB, frames ...string) string {
	t.Helper()
	c := NewCollector()
	for _, f := range frames {
		buf := []byte(f)
		if err := c.Add(buf); err != nil {
			t.Fatalf("%v in %s", err, f)
		}
		clear(buf) // a collector must not hold on to a frame
	}
	b, err := c.JSON()
	if err != nil {
		t.Fatal(err)
	}
	if again, err := c.JSON(); err != nil || string(again) != string(b) {
		t.Errorf("asked again: %s, %v", again, err)
	}
	return string(b)
}

func TestFramesBecomeAnAnswer(t *testing.T) {
	choice := func(delta, rest string) string {
		return `{"id":"x","choices":[{"index":0,"delta":` + delta + rest + `}]}`
	}
	const stop = `,"finish_reason":"stop"`
	for _, c := range []struct {
		name   string
		frames []string
		want   string
	}{
		{"text", []string{choice(`{"role":"assistant","content":""}`, ``), choice(`{"content":"a\u0062"}`, ``), choice(`{"content":"\n"}`, stop)},
			`{"object":"chat.completion","id":"x","choices":[{"index":0,"message":{"role":"assistant","content":"a\u0062\n"},"finish_reason":"stop"}]}`},
		{"a surrogate pair in two frames", []string{choice(`{"content":"\ud83d"}`, ``), choice(`{"content":"\ude00"}`, stop)},
			`{"object":"chat.completion","id":"x","choices":[{"index":0,"message":{"role":"assistant","content":"\ud83d\ude00"},"finish_reason":"stop"}]}`},
		{"no content at all", []string{choice(`{}`, stop)},
			`{"object":"chat.completion","id":"x","choices":[{"index":0,"message":{"role":"assistant","content":null},"finish_reason":"stop"}]}`},
		{"null content stays null", []string{choice(`{"role":"assistant","content":null,"refusal":null}`, ``), choice(`{"refusal":"no"}`, stop)},
			`{"object":"chat.completion","id":"x","choices":[{"index":0,"message":{"role":"assistant","content":null,"refusal":"no"},"finish_reason":"stop"}]}`},
		{"null does not erase", []string{choice(`{"content":"a"}`, ``), choice(`{"content":null}`, stop)},
			`{"object":"chat.completion","id":"x","choices":[{"index":0,"message":{"role":"assistant","content":"a"},"finish_reason":"stop"}]}`},
		{"a role in every frame", []string{choice(`{"role":"assistant","content":"a"}`, ``), choice(`{"role":"assistant","content":"b"}`, stop)},
			`{"object":"chat.completion","id":"x","choices":[{"index":0,"message":{"role":"assistant","content":"ab"},"finish_reason":"stop"}]}`},
		{"a tool call in pieces", []string{
			choice(`{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"get","arguments":""}}]}`, ``),
			choice(`{"tool_calls":[{"index":0,"function":{"arguments":"{\"x\":"}}]}`, ``), choice(`{"tool_calls":[{"index":0,"function":{"arguments":"1}"}}]}`, `,"finish_reason":"tool_calls"`)},
			`{"object":"chat.completion","id":"x","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"get","arguments":"{\"x\":1}"}}]},"finish_reason":"tool_calls"}]}`},
		{"parallel calls, a gap, a late id", []string{
			choice(`{"tool_calls":[{"index":2,"function":{"name":"b","arguments":"2"}},{"index":0,"function":{"name":"a","arguments":"1"}}]}`, ``),
			choice(`{"tool_calls":[{"index":0,"id":"i0"},{"index":2,"id":"i2","function":{"arguments":"3"}}]}`, stop)},
			`{"object":"chat.completion","id":"x","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"function":{"name":"b","arguments":"23"},"id":"i2"},{"function":{"name":"a","arguments":"1"},"id":"i0"}]},"finish_reason":"stop"}]}`},
		{"id and name repeated", []string{
			choice(`{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"get","arguments":"x"}}]}`, ``),
			choice(`{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"get","arguments":"y"}}]}`, stop)},
			`{"object":"chat.completion","id":"x","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"get","arguments":"xy"}}]},"finish_reason":"stop"}]}`},
		{"several calls under one index", []string{
			choice(`{"tool_calls":[{"index":0,"id":"a","function":{"arguments":"1"}}]}`, ``), choice(`{"tool_calls":[{"index":0,"id":"b","function":{"arguments":"2"}}]}`, ``),
			choice(`{"tool_calls":[{"index":0,"function":{"arguments":"3"}}]}`, stop)},
			`{"object":"chat.completion","id":"x","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"a","function":{"arguments":"1"}},{"id":"b","function":{"arguments":"23"}}]},"finish_reason":"stop"}]}`},
		{"calls without an index", []string{choice(`{"tool_calls":[{"id":"a"}]}`, ``), choice(`{"tool_calls":[{"id":"b"},"odd"]}`, stop)},
			`{"object":"chat.completion","id":"x","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"a"},{"id":"b"},"odd"]},"finish_reason":"stop"}]}`},
		{"calls that hold only an index", []string{choice(`{"tool_calls":[{"index":0}]}`, stop)},
			`{"object":"chat.completion","id":"x","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{}]},"finish_reason":"stop"}]}`},
		{"unknown members of deltas", []string{choice(`{"reasoning":"a","n":1,"l":[1],"o":{"t":"x"}}`, ``), choice(`{"reasoning":"b","n":2,"l":[2],"o":{"t":"y","u":true}}`, stop)},
			`{"object":"chat.completion","id":"x","choices":[{"index":0,"message":{"role":"assistant","content":null,"reasoning":"ab","n":2,"l":[1,2],"o":{"t":"xy","u":true}},"finish_reason":"stop"}]}`},
		{"a value that changes its kind", []string{choice(`{"v":"a"}`, ``), choice(`{"v":{"b":1}}`, ``), choice(`{"v":[1]}`, stop)},
			`{"object":"chat.completion","id":"x","choices":[{"index":0,"message":{"role":"assistant","content":null,"v":[1]},"finish_reason":"stop"}]}`},
		{"texts and lists of parts in turn", []string{choice(`{"content":"a"}`, ``), choice(`{"content":[{"type":"x"}]}`, ``), choice(`{"content":"b"}`, ``), choice(`{"content":""}`, stop)},
			`{"object":"chat.completion","id":"x","choices":[{"index":0,"message":{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"x"},{"type":"text","text":"b"}]},"finish_reason":"stop"}]}`},
		{"an empty text before a list of parts", []string{choice(`{"content":""}`, ``), choice(`{"content":[{"type":"x"}]}`, stop)},
			`{"object":"chat.completion","id":"x","choices":[{"index":0,"message":{"role":"assistant","content":[{"type":"x"}]},"finish_reason":"stop"}]}`},
		{"unknown members of choices and frames: the last", []string{`{"id":"x","t":1,"choices":[{"delta":{"content":"a"},"native":"A"}]}`, `{"t":2,"u":null,"choices":[{"delta":{},"native":"B","finish_reason":"stop"}]}`},
			`{"object":"chat.completion","id":"x","t":2,"u":null,"choices":[{"index":0,"message":{"role":"assistant","content":"a"},"native":"B","finish_reason":"stop"}]}`},
		{"the first id, created and model; the last usage", []string{`{"id":"x","created":1,"model":"m","usage":null,"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}`, `{"id":"y","created":2,"model":"n","choices":[],"usage":{"total_tokens":1}}`, `{"choices":[],"usage":null}`},
			`{"object":"chat.completion","id":"x","created":1,"model":"m","usage":{"total_tokens":1},"choices":[{"index":0,"message":{"role":"assistant","content":"a"},"finish_reason":"stop"}]}`},
		{"choices in order of their index", []string{`{"choices":[{"index":1,"delta":{"content":"b"},"finish_reason":"stop"}]}`, `{"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"length"}]}`},
			`{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"a"},"finish_reason":"length"},{"index":1,"message":{"role":"assistant","content":"b"},"finish_reason":"stop"}]}`},
		{"logprobs are appended", []string{choice(`{"content":"a"}`, `,"logprobs":{"content":[{"token":"a"}],"refusal":null}`), choice(`{"content":"b"}`, `,"logprobs":{"content":[{"token":"b"}],"refusal":null}`), choice(`{}`, `,"logprobs":null`+stop)},
			`{"object":"chat.completion","id":"x","choices":[{"index":0,"message":{"role":"assistant","content":"ab"},"logprobs":{"content":[{"token":"a"},{"token":"b"}],"refusal":null},"finish_reason":"stop"}]}`},
		{"the last finish reason", []string{choice(`{"content":"a"}`, stop), choice(`{}`, `,"finish_reason":""`), choice(`{}`, `,"finish_reason":"length"`), choice(`{}`, `,"finish_reason":null`)},
			`{"object":"chat.completion","id":"x","choices":[{"index":0,"message":{"role":"assistant","content":"a"},"finish_reason":"length"}]}`},
		{"a message instead of a delta", []string{`{"choices":[{"index":0,"message":{"role":"assistant","content":"a"},"finish_reason":"stop"}]}`},
			`{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"a"},"finish_reason":"stop"}]}`},
		{"a message beside a delta", []string{`{"choices":[{"index":0,"message":{"content":"whole"},"delta":{"content":"a"},"finish_reason":"stop"}]}`},
			`{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"a"},"finish_reason":"stop"}]}`},
		{"LiteLLM's usage frame", []string{choice(`{"content":"a"}`, stop), `{"choices":[{"index":0,"delta":{}}],"usage":{"total_tokens":2}}`},
			`{"object":"chat.completion","id":"x","usage":{"total_tokens":2},"choices":[{"index":0,"message":{"role":"assistant","content":"a"},"finish_reason":"stop"}]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := collect(t, c.frames...); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestRecordedStreamsAreCollectedWhole(t *testing.T) {
	for name, stream := range corpus(t, "streams") {
		var parts []string
		texts, reasons := map[int]string{}, map[int]string{}
		for _, f := range frames(stream) {
			parts = append(parts, string(f))
			for _, one := range slowScan(t, f) {
				texts[one.Index] += one.Content
				if one.FinishReason != "" {
					reasons[one.Index] = one.FinishReason
				}
			}
		}
		r, err := ReadResponse([]byte(collect(t, parts...)))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if name == "cut_surrogates" {
			texts[0] = "😀 [1]"
		}
		for _, c := range r.Choices() {
			if c.Text != texts[c.Index] || c.FinishReason != reasons[c.Index] {
				t.Errorf("%s: got %+v, want %q %q", name, c, texts[c.Index], reasons[c.Index])
			}
		}
		if len(r.Choices()) != len(reasons) {
			t.Errorf("%s: %d choices, want %d", name, len(r.Choices()), len(reasons))
		}
	}
}

func TestAnAnswerThatWasCutIsNone(t *testing.T) {
	for name, frames := range map[string][]string{
		"no frame":              {},
		"no choice":             {`{"choices":[]}`, `{"usage":{}}`},
		"no finish":             {`{"choices":[{"delta":{"content":"a"}}]}`},
		"an empty finish":       {`{"choices":[{"delta":{"content":"a"},"finish_reason":""}]}`},
		"one of two unfinished": {`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"},{"index":1,"delta":{"content":"a"}}]}`},
	} {
		c := NewCollector()
		for _, f := range frames {
			if err := c.Add([]byte(f)); err != nil {
				t.Fatal(err)
			}
		}
		if b, err := c.JSON(); b != nil || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s: got %s, %v", name, b, err)
		}
		c.Finish()
		b, err := c.JSON()
		if strings.HasPrefix(name, "no frame") || name == "no choice" {
			if err == nil {
				t.Errorf("%s: the end mark made %s of it", name, b)
			}
			continue
		}
		r, err := ReadResponse(b)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, choice := range r.Choices() {
			if choice.FinishReason != "stop" {
				t.Errorf("%s: after the end mark: %s", name, b)
			}
		}
	}
}

func TestACollectorRefusesWhatIsNoObject(t *testing.T) {
	for _, f := range []string{"", "[DONE]", "[]", "null", `{"a":1`, `{"a":1} {}`} {
		if err := NewCollector().Add([]byte(f)); err == nil {
			t.Errorf("%q was taken", f)
		}
	}
}

func TestDeepDeltasAreCollectedWithoutDeepJoins(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 5000) + `"x"` + strings.Repeat("}", 5000)
	got := collect(t, `{"choices":[{"delta":{"d":`+deep+`}}]}`, `{"choices":[{"delta":{"d":`+deep+`},"finish_reason":"stop"}]}`)
	if _, err := ReadResponse([]byte(got)); err != nil {
		t.Errorf("%v in %.200s", err, got)
	}
}

func TestFinishFrame(t *testing.T) {
	for _, c := range []struct {
		last    string
		choices []int
		want    string
	}{
		{`{"id":"x","object":"chat.completion.chunk","created":12345678901234567890,"model":"m\u00e9","usage":null,"choices":[{"index":0,"delta":{"content":"a"}}]}`, nil,
			`{"object":"chat.completion.chunk","id":"x","created":12345678901234567890,"model":"m\u00e9","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`},
		{`{"id":"x"}`, []int{0, 2}, `{"object":"chat.completion.chunk","id":"x","choices":[{"index":0,"delta":{},"finish_reason":"stop"},{"index":2,"delta":{},"finish_reason":"stop"}]}`},
		{`{}`, nil, `{"object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`},
		{``, nil, `{"object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`},
		{`broken`, []int{1}, `{"object":"chat.completion.chunk","choices":[{"index":1,"delta":{},"finish_reason":"stop"}]}`},
	} {
		got := FinishFrame([]byte(c.last), c.choices...)
		if string(got) != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
		if s := scan(t, string(got)); !s.hasChoice || s.choices[0].FinishReason != "stop" {
			t.Errorf("%s is no finish frame", got)
		}
	}
}

// MiniMax ends a stream with the whole message once more.
func TestAMessageBehindDeltasIsNotTakenTwice(t *testing.T) {
	c := NewCollector()
	for i, frame := range []string{
		`{"choices":[{"index":0,"delta":{"content":"Grew "}}]}`,
		`{"choices":[{"index":0,"delta":{"content":"[1]."},"finish_reason":"stop"}]}`,
		`{"choices":[{"index":0,"finish_reason":"stop","message":{"content":"Grew [1]."}}]}`,
	} {
		if err := c.Add([]byte(frame)); err != nil {
			t.Fatal(err)
		}
		if got, want := c.Finished(), min(i, 1); got != want {
			t.Errorf("%d choices finished after frame %d, want %d", got, i, want)
		}
	}
	got, err := c.JSON()
	if want := `{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Grew [1]."},"finish_reason":"stop"}]}`; err != nil || string(got) != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
}
