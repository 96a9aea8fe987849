package wire

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// view is a frame without its memory.
type view struct {
	choices           []FrameChoice
	failed, hasChoice bool
}

func scan(t testing.TB, data string) view {
	t.Helper()
	var c Frame
	if err := ScanFrame([]byte(data), &c); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	return view{said(c.Choices), c.Error, c.HasChoices}
}

// said is what choices say, without where they say it.
func said(choices []FrameChoice) []FrameChoice {
	choices = slices.Clone(choices)
	for i := range choices {
		choices[i].content = span{}
	}
	return choices
}

func TestWhatAFrameSays(t *testing.T) {
	for data, want := range map[string]view{
		`{}`:               {},
		`{"choices":[]}`:   {hasChoice: true},
		`{"choices":null}`: {},
		`{"choices":{}}`:   {},
		`{"choices":[],"usage":{"total_tokens":3}}`:                  {hasChoice: true},
		`{"choices":[null,1,"x",[]]}`:                                {hasChoice: true},
		`{"choices":[{}]}`:                                           {choices: []FrameChoice{{}}, hasChoice: true},
		`{"choices":[{"delta":{}}]}`:                                 {choices: []FrameChoice{{}}, hasChoice: true},
		`{"choices":[{"delta":null}]}`:                               {choices: []FrameChoice{{}}, hasChoice: true},
		`{"choices":[{"delta":"x"}]}`:                                {choices: []FrameChoice{{}}, hasChoice: true},
		`{"choices":[{"index":2,"delta":{"content":"a"}}]}`:          {choices: []FrameChoice{{Index: 2, Content: "a"}}, hasChoice: true},
		`{"choices":[{"delta":{"content":"a"},"index":2}]}`:          {choices: []FrameChoice{{Index: 2, Content: "a"}}, hasChoice: true},
		`{"choices":[{"index":-1},{"index":"x"},{}]}`:                {choices: []FrameChoice{{}, {Index: 1}, {Index: 2}}, hasChoice: true},
		`{"choices":[{"delta":{"content":""}}]}`:                     {choices: []FrameChoice{{}}, hasChoice: true},
		`{"choices":[{"delta":{"content":null}}]}`:                   {choices: []FrameChoice{{}}, hasChoice: true},
		`{"choices":[{"delta":{"content":7}}]}`:                      {choices: []FrameChoice{{}}, hasChoice: true},
		`{"choices":[{"delta":{"content":"caf\u00e9 \"q\"\n[1]"}}]}`: {choices: []FrameChoice{{Content: "café \"q\"\n[1]"}}, hasChoice: true},
		`{"choices":[{"delta":{"cont\u0065nt":"a"}}]}`:               {choices: []FrameChoice{{Content: "a"}}, hasChoice: true},
		`{"ch\u006fices":[{"d\u0065lta":{"content":"a"}}]}`:          {choices: []FrameChoice{{Content: "a"}}, hasChoice: true},
		`{"choices":[{"delta":{"content":[{"type":"text","text":"a"},{"type":"reference"},{"type":"text","text":"\u0062"}]}}]}`: {choices: []FrameChoice{{Content: "ab"}}, hasChoice: true},
		`{"choices":[{"delta":{"content":"a","content":"b"}}]}`:                                                                 {choices: []FrameChoice{{Content: "b"}}, hasChoice: true},
		`{"choices":[{"delta":{"content":"a"}}],"choices":[]}`:                                                                  {hasChoice: true},
		`{"choices":[{"message":{"content":"a"}}]}`:                                                                             {choices: []FrameChoice{{}}, hasChoice: true},
		`{"choices":[{"delta":{"reasoning_content":"a [2]","reasoning":"b","thinking":"c","refusal":"d"}}]}`:                    {choices: []FrameChoice{{}}, hasChoice: true},
		`{"choices":[{"delta":{"x":{"content":"a"}}}],"content":"b"}`:                                                           {choices: []FrameChoice{{}}, hasChoice: true},
		`{"choices":[{"finish_reason":"stop","delta":{"content":"end"}}]}`:                                                      {choices: []FrameChoice{{Content: "end", FinishReason: "stop"}}, hasChoice: true},
		`{"choices":[{"finish_reason":null}]}`:                                                                                  {choices: []FrameChoice{{}}, hasChoice: true},
		`{"choices":[{"finish_reason":""}]}`:                                                                                    {choices: []FrameChoice{{}}, hasChoice: true},
		`{"choices":[{"finish_reason":1}]}`:                                                                                     {choices: []FrameChoice{{}}, hasChoice: true},
		`{"choices":[{"finish_reason":"length"}]}`:                                                                              {choices: []FrameChoice{{FinishReason: "length"}}, hasChoice: true},
		`{"choices":[{"finish_reason":"tool_calls"}]}`:                                                                          {choices: []FrameChoice{{FinishReason: "tool_calls"}}, hasChoice: true},
		`{"choices":[{"finish_reason":"content_filter"}]}`:                                                                      {choices: []FrameChoice{{FinishReason: "content_filter"}}, hasChoice: true},
		`{"choices":[{"finish_reason":"eos_t\u006fken"}]}`:                                                                      {choices: []FrameChoice{{FinishReason: "eos_token"}}, hasChoice: true},
		`{"choices":[{"delta":{"tool_calls":[{"index":0}]}}]}`:                                                                  {choices: []FrameChoice{{ToolCalls: true}}, hasChoice: true},
		`{"choices":[{"delta":{"tool_calls":[]}}]}`:                                                                             {choices: []FrameChoice{{}}, hasChoice: true},
		`{"choices":[{"delta":{"tool_calls":null}}]}`:                                                                           {choices: []FrameChoice{{}}, hasChoice: true},
		`{"choices":[{"delta":{"function_call":{"arguments":"x"}}}]}`:                                                           {choices: []FrameChoice{{ToolCalls: true}}, hasChoice: true},
		`{"choices":[{"delta":{"function_call":null}}]}`:                                                                        {choices: []FrameChoice{{}}, hasChoice: true},
		`{"choices":[{"delta":{"tool_calls":[{"function":{"arguments":"[1]"}}],"content":"x"}}]}`:                               {choices: []FrameChoice{{Content: "x", ToolCalls: true}}, hasChoice: true},
		// Errors.
		`{"error":{"message":"x"}}`:                            {failed: true},
		`{"error":"x"}`:                                        {failed: true},
		`{"error":null,"choices":[]}`:                          {hasChoice: true},
		`{"error":"","choices":[]}`:                            {hasChoice: true},
		`{"error":{},"choices":[]}`:                            {hasChoice: true},
		`{"error":false,"choices":[]}`:                         {hasChoice: true},
		`{"err\u006fr":{"code":502}}`:                          {failed: true},
		`{"type":"error","error":{"type":"overloaded_error"}}`: {failed: true},
		`{"id":"gen","error":{"code":502,"message":"x"},"choices":[{"delta":{"content":""},"finish_reason":"error"}]}`: {choices: []FrameChoice{{FinishReason: "error"}}, failed: true, hasChoice: true},
		`{"choices":[{"delta":{},"finish_reason":"error","error":{"message":"x"}}]}`:                                   {choices: []FrameChoice{{FinishReason: "error"}}, failed: true, hasChoice: true},
		`{"choices":[{"error":{"message":"x"},"delta":{},"finish_reason":"error"}]}`:                                   {choices: []FrameChoice{{FinishReason: "error"}}, failed: true, hasChoice: true},
		`{"choices":[{"delta":{},"finish_reason":"error","error":null}]}`:                                              {choices: []FrameChoice{{FinishReason: "error"}}, hasChoice: true},
		`{"choices":[{"delta":{},"finish_reason":"error"}]}`:                                                           {choices: []FrameChoice{{FinishReason: "error"}}, hasChoice: true},
		`{"choices":[{"delta":{},"finish_reason":"stop","error":{"message":"late"}}]}`:                                 {choices: []FrameChoice{{FinishReason: "stop"}}, hasChoice: true},
		`{"detail":"Not Found"}`:                      {failed: true},
		`{"detail":[{"msg":"x"}]}`:                    {failed: true},
		`{"object":"error","message":"x","code":400}`: {failed: true},
		`{"detail":"x","choices":[{"delta":{}}]}`:     {choices: []FrameChoice{{}}, hasChoice: true},
		`{"message":null,"detail":""}`:                {},
	} {
		if got := scan(t, data); !reflect.DeepEqual(got, want) && !(len(got.choices) == 0 && len(want.choices) == 0 && got.failed == want.failed && got.hasChoice == want.hasChoice) {
			t.Errorf("%s:\ngot  %+v\nwant %+v", data, got, want)
		}
	}
}

func TestWhatIsNoFrameIsRefused(t *testing.T) {
	for _, data := range []string{
		"", " ", "null", "1", `"x"`, "[]", `[{"choices":[]}]`, "[DONE]", "Internal Server Error", "<html>", "{", `{"choices":[{"delta":{"content":"cut`,
		`{"choices":[{"delta":{"content":"a"}}]`, `{"choices":[]}}`, `{"choices":[]} {"choices":[]}`, `{"choices":[{"delta":{"content":"a",}}]}`, `{"choices":[,]}`,
		`{"choices":[{"index":01}]}`, `{"choices":[{"finish_reason":stop}]}`, `{"choices":[{"finish_reason":"stop}]}`, `{"choices":[{"delta":{"tool_calls":[}}]}`,
		`{"choices":[{"delta":{"content":["a}}]}`, `{"choices":[{"delta":{"function_call":{}}]}`, `{"error":}`, `{"error":{}`, "{\"a\":\"\n\"}", `{"choices":[{"delta":`,
		`{"choices":[{"delta":{"content"`, `{"choices":[{"delta":{"content":`, `{"choices":`, `{"choices":[`, `{"error":`, `{"detail":`, `{"choices":[{"index":`, `{"choices":[{"error":`,
		strings.Repeat(`{"choices":[`, maxDepth), `{"x":` + strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth) + `}`,
	} {
		c := Frame{Choices: []FrameChoice{{Content: "old"}}}
		if err := ScanFrame([]byte(data), &c); err == nil {
			t.Errorf("%.80s was taken for a frame", data)
		}
	}
}

func TestEveryPrefixAndEveryWrongByteOfAFrameIsJudgedAsEncodingJSONDoes(t *testing.T) {
	var c Frame
	for name, stream := range corpus(t, "streams") {
		for _, f := range frames(stream) {
			for i := range f {
				if ScanFrame(f[:i], &c) == nil {
					t.Fatalf("%s: %s was taken for a frame", name, f[:i])
				}
				wrong := append([]byte(nil), f...)
				for _, b := range []byte("\x00\"\\{}[],: 0x") {
					wrong[i] = b
					if got, want := ScanFrame(wrong, &c) == nil, json.Valid(wrong); got != want {
						t.Fatalf("%s: %s: got %v, encoding/json says %v", name, wrong, got, want)
					}
				}
			}
		}
	}
}

// slowScan reads a frame by way of encoding/json.
func slowScan(t testing.TB, data []byte) []FrameChoice {
	var frame struct {
		Choices []struct {
			Index *int
			Delta struct {
				Content      any
				ToolCalls    []any `json:"tool_calls"`
				FunctionCall any   `json:"function_call"`
			}
			FinishReason *string `json:"finish_reason"`
		}
	}
	if err := json.Unmarshal(data, &frame); err != nil {
		t.Fatal(err)
	}
	var all []FrameChoice
	for i, c := range frame.Choices {
		one := FrameChoice{Index: i, ToolCalls: len(c.Delta.ToolCalls) > 0 || c.Delta.FunctionCall != nil}
		if c.Index != nil {
			one.Index = *c.Index
		}
		if c.FinishReason != nil {
			one.FinishReason = *c.FinishReason
		}
		switch content := c.Delta.Content.(type) {
		case string:
			one.Content = content
		case []any:
			for _, p := range content {
				if at(p, "type") == "text" {
					one.Content += at(p, "text").(string)
				}
			}
		}
		all = append(all, one)
	}
	return all
}

func TestRecordedStreamsAreReadAsEncodingJSONReadsThem(t *testing.T) {
	for name, stream := range corpus(t, "streams") {
		if name == "cut_surrogates" {
			continue // a frame alone does not say what they are
		}
		var c Frame
		for _, f := range frames(stream) {
			if err := ScanFrame(f, &c); err != nil {
				t.Fatalf("%s: %v in %s", name, err, f)
			}
			if want := slowScan(t, f); len(want) != len(c.Choices) || len(want) > 0 && !reflect.DeepEqual(said(c.Choices), want) {
				t.Errorf("%s: %s\ngot  %+v\nwant %+v", name, f, c.Choices, want)
			}
			if c.Error {
				t.Errorf("%s: %s was taken for an error", name, f)
			}
		}
	}
}

// A client that joins the texts of two frames gets one character of its halves.
func TestSurrogatesCutOverFramesAreOneCharacter(t *testing.T) {
	for _, c := range []struct{ frames, want []string }{
		{[]string{`a\ud83d`, `\ude00b`}, []string{"a", "😀b"}},
		{[]string{`\ud83d`, `\ude00`, `c`}, []string{"", "😀", "c"}},
		{[]string{`\uD83D`, ``, `\uDE00`}, []string{"", "", "😀"}},
		{[]string{`\ud83d`, `x`}, []string{"", "\ufffdx"}},
		{[]string{`\ud83d`, `\ud83d`, `\ude00`}, []string{"", "\ufffd", "😀"}},
		{[]string{`\ude00`, `\ude00`}, []string{"\ufffd", "\ufffd"}},
		{[]string{`\ude00\ud83d`, `\ude00`}, []string{"\ufffd", "😀"}},
		{[]string{`\ud83d`, `\ude00\ud83d`, `\ude01`}, []string{"", "😀", "😁"}},
		{[]string{`\\ud83d`, `\ude00`}, []string{`\ud83d`, "\ufffd"}},
		{[]string{`\\\ud83d`, `\ude00`}, []string{`\`, "😀"}},
		{[]string{`\ud83d\ude00`, `\ude00`}, []string{"😀", "\ufffd"}},
	} {
		var scanned Frame
		for i, text := range c.frames {
			if err := ScanFrame([]byte(`{"choices":[{"delta":{"content":"`+text+`"},"index":1}]}`), &scanned); err != nil {
				t.Fatal(err)
			}
			if got := scanned.Choices[0].Content; got != c.want[i] {
				t.Errorf("%q: frame %d is %q, want %q", c.frames, i, got, c.want[i])
			}
		}
	}
}

func TestAHalfCharacterWaitsForItsOwnChoiceAndItsEnd(t *testing.T) {
	var scanned Frame
	texts := map[int]string{}
	for _, frame := range []string{
		`{"choices":[{"index":0,"delta":{"content":"\ud83d"}},{"index":1,"delta":{"content":"\ud83d"}}]}`,
		`{"choices":[{"index":0,"delta":{"role":"assistant"}}]}`,
		`{"choices":[{"index":1,"delta":{"content":"\ude01"}}]}`,
		`{"choices":[{"index":0,"delta":{"content":"\ude00"}},{"index":2,"delta":{"content":"a\ud83d"}}]}`,
		`{"choices":[{"index":2,"delta":{},"finish_reason":"stop"}]}`,
		`{"choices":[{"index":1,"delta":{"content":"\ud83d"},"finish_reason":"stop"}]}`,
	} {
		if err := ScanFrame([]byte(frame), &scanned); err != nil {
			t.Fatal(err)
		}
		for _, c := range scanned.Choices {
			texts[c.Index] += c.Content
		}
	}
	if want := map[int]string{0: "😀", 1: "😁\ufffd", 2: "a\ufffd"}; !reflect.DeepEqual(texts, want) {
		t.Errorf("got %+q, want %+q", slices.Collect(maps.Values(texts)), slices.Collect(maps.Values(want)))
	}
}

func TestTextsOutliveTheirFrame(t *testing.T) {
	var c Frame
	var kept, want []string
	buf := make([]byte, 0, 4096)
	for i := range 500 {
		text := strings.Repeat(string(rune('a'+i%26)), i%300)
		if i%7 == 0 {
			text += "\n\"é"
		}
		buf = append(buf[:0], `{"choices":[{"delta":{"content":`...)
		buf = append(AppendString(buf, text), `}}]}`...)
		if err := ScanFrame(buf, &c); err != nil {
			t.Fatal(err)
		}
		kept, want = append(kept, c.Choices[0].Content), append(want, text)
		clear(buf)
	}
	if !reflect.DeepEqual(kept, want) {
		t.Error("a text changed after its frame was gone")
	}
}

func TestAFrameDoesNotHoldItsData(t *testing.T) {
	var c Frame
	if err := ScanFrame([]byte(`{"choices":[{"delta":{"content":"x"}}]}`), &c); err != nil || c.data != nil {
		t.Errorf("%v, still holds %d bytes", err, len(c.data))
	}
}

func TestScanningAFrameAllocatesNothing(t *testing.T) {
	for name, stream := range corpus(t, "streams") {
		if name == "mistral_parts" || name == "legacy_function_call" || name == "cut_surrogates" {
			continue // lists of parts, rare finish reasons and halves of characters may cost something
		}
		all := frames(stream)
		var c Frame
		got := testing.AllocsPerRun(20, func() {
			for _, f := range all {
				if err := ScanFrame(f, &c); err != nil {
					t.Fatal(err)
				}
			}
		})
		if got > 0 {
			t.Errorf("%s: %.0f allocations for %d frames", name, got, len(all))
		}
	}
}

// What a frame says does not depend on the frames that were scanned before it.
func TestAFrameLikeTheOneBeforeIsReadAsByItself(t *testing.T) {
	texts := []string{`""`, `"a"`, `"b c"`, `"\u00e9\n\"x"`, `"[1]"`, `"\ud83d\ude00"`, `"é"`, `null`, `[{"type":"text","text":"p"}]`, `"open`, `"bad \x"`, `"tab	"`}
	shapes := []string{
		`{"id":"c","choices":[{"index":0,"delta":{"content":%s},"finish_reason":null}],"created":1}`,
		`{"id":"c","choices":[{"index":1,"delta":{"content":%s},"finish_reason":null}],"created":1}`,
		`{"id":"c","choices":[{"index":0,"delta":{"content":%s},"finish_reason":"stop"}],"created":1}`,
		`{"id":"c","choices":[{"index":0,"delta":{"content":%s},"finish_reason":null}],"created":2}`,
		`{"id":"c","choices":[{"index":0,"delta":{"content":%s},"finish_reason":null}],"created":1`,
		`{"choices":[{"delta":{"content":%s,"tool_calls":[{}]}}]}`,
		`{"choices":[{"delta":{"content":%s}}],"choices":[{"delta":{}}]}`,
		`{"choices":[{"delta":{}}],"choices":[{"delta":{"content":%s}}]}`,
		`{"choices":[{"delta":{"content":"first","content":%s}}]}`,
		`{"choices":[{"delta":{"content":%s,"content":[{"type":"text","text":"last"}]}}]}`,
		`{"choices":[{"delta":{"content":%s},"delta":{}}]}`,
		`{"choices":[{"delta":{"content":%s}},{"index":1,"delta":{}}]}`,
		`{"choices":[{"delta":{"content":%s}}],"error":{"message":"x"}}`,
		`{"delta":{"content":%s},"choices":[]}`,
		`{"choices":[{"delta":{"content":%s}}],"obfuscation":""}`,
		`{"choices":[{"delta":{"content":%s}}],"obfuscation":"a\"b"}`,
		`{"choices":[{"delta":{"content":%s}}],"obfuscation":"abc","usage":null}`,
		`{"choices":[{"delta":{"content":%s}}],"obfuscation":"abcd","usage":null}`,
		`{"choices":[{"delta":{"content":%s}}],"obfuscation":"abcd","usage":{}}`,
		`{"choices":[{"delta":{"content":%s}}],"obfuscation":"abcd`,
		`{"choices":[{"delta":{"content":%s}}],"obfuscation":"abcd"`,
		`{"choices":[{"delta":{"content":%s}}],"detail":"abcd"}`,
		`{"choices":[{"delta":{"content":%s}}],"x":"y","error":"abcd"}`,
		`{"x":"abc","choices":[{"delta":{"content":%s}}]}`,
	}
	var frames []string
	for _, shape := range shapes {
		for _, text := range texts {
			frames = append(frames, fmt.Sprintf(shape, text))
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		var used Frame
		shape := rapid.IntRange(0, len(shapes)-1).Draw(t, "shape")
		for range 12 {
			if rapid.IntRange(0, 3).Draw(t, "another") == 0 {
				shape = rapid.IntRange(0, len(shapes)-1).Draw(t, "shape")
			}
			frame := frames[shape*len(texts)+rapid.IntRange(0, len(texts)-1).Draw(t, "text")]
			var fresh Frame
			want, got := ScanFrame([]byte(frame), &fresh), ScanFrame([]byte(frame), &used)
			if (want == nil) != (got == nil) {
				t.Fatalf("%s: %v, by itself %v", frame, got, want)
			}
			if want == nil && (!slices.Equal(fresh.Choices, used.Choices) || fresh.Error != used.Error || fresh.HasChoices != used.HasChoices) {
				t.Fatalf("%s: %+v, by itself %+v", frame, used.Choices, fresh.Choices)
			}
		}
	})
}
