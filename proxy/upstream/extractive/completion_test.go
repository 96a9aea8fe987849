package extractive

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	gopenai "github.com/sashabaranov/go-openai"

	"footnote/proxy/upstream"
)

const (
	question = "How many days of holiday do I get?"
	reply    = "Every full-time employee has 27 days of paid holiday a year, public holidays not included [1]."
)

func TestJSONAnswerHasOpenAIsForm(t *testing.T) {
	status, kind, body := chat(t, upstream.Call{Body: []byte(`{"model":"x","messages":[]}`), Question: question, Passages: given(handbook[:1])})
	want := `{"id":"chatcmpl-test","object":"chat.completion","created":1767225600,"model":"footnote-extractive","choices":[{"index":0,` +
		`"message":{"role":"assistant","content":"` + reply + `","refusal":null},"logprobs":null,"finish_reason":"stop"}],` +
		`"usage":{"prompt_tokens":3,"completion_tokens":16,"total_tokens":19},"system_fingerprint":null}`
	if status != 200 || kind != "application/json" || body != want {
		t.Errorf("%d %s\n got %s\nwant %s", status, kind, body, want)
	}
}

func TestStreamHasOpenAIsForm(t *testing.T) {
	passages := []upstream.Passage{{Index: 1, Text: "A holiday has 27 days."}}
	status, kind, body := chat(t, upstream.Call{
		Body: []byte(`{"stream":true,"stream_options":{"include_usage":true}}`), Stream: true, Question: "holiday", Passages: given(passages),
	})
	frame := func(choices, more string) string {
		return `data: {"id":"chatcmpl-test","object":"chat.completion.chunk","created":1767225600,"model":"footnote-extractive","choices":[` +
			choices + `]` + more + `,"system_fingerprint":null}` + "\n\n"
	}
	delta := func(s string) string {
		return frame(`{"index":0,"delta":{`+s+`},"logprobs":null,"finish_reason":null}`, "")
	}
	want := delta(`"role":"assistant","content":""`) + delta(`"content":"A"`) + delta(`"content":" holiday"`) + delta(`"content":" has"`) +
		delta(`"content":" 27"`) + delta(`"content":" days"`) + delta(`"content":" [1]."`) +
		frame(`{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}`, "") +
		frame("", `,"usage":{"prompt_tokens":5,"completion_tokens":6,"total_tokens":11}`) + "data: [DONE]\n\n"
	if status != 200 || kind != "text/event-stream" || body != want {
		t.Errorf("%d %s\n got %s\nwant %s", status, kind, body, want)
	}
	if _, _, body = chat(t, upstream.Call{Body: []byte(`{"stream":true}`), Stream: true, Question: "holiday", Passages: given(passages)}); strings.Contains(body, "usage") {
		t.Error("usage was sent to a client that did not ask for it")
	}
}

func TestAStreamGivesOneEventPerRead(t *testing.T) {
	resp, err := client().Chat(t.Context(), upstream.Call{Stream: true, Question: question, Passages: given(handbook)})
	if err != nil {
		t.Fatal(err)
	}
	p := make([]byte, 64<<10)
	for {
		n, err := resp.Body.Read(p)
		if err == io.EOF {
			break
		}
		if err != nil || strings.Count(string(p[:n]), "\n\n") != 1 {
			t.Fatalf("%q %v", p[:n], err)
		}
	}
}

// text puts an answer together: of JSON, or of the deltas of a stream.
func text(t *testing.T, body string, choice int) (content, finish string) {
	t.Helper()
	type part struct{ Content string }
	take := func(raw string) {
		var o struct {
			Choices []struct {
				Index          int
				Message, Delta part
				FinishReason   string `json:"finish_reason"`
			}
		}
		if err := json.Unmarshal([]byte(raw), &o); err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		for _, c := range o.Choices {
			if c.Index == choice {
				content += c.Message.Content + c.Delta.Content
				finish += c.FinishReason
			}
		}
	}
	if !strings.HasPrefix(body, "data:") {
		take(body)
		return content, finish
	}
	for frame := range strings.SplitSeq(body, "\n\n") {
		if data := strings.TrimPrefix(frame, "data: "); data != "" && data != "[DONE]" {
			take(data)
		}
	}
	return content, finish
}

func TestParametersAreHonouredInBothForms(t *testing.T) {
	for name, c := range map[string]struct{ body, want, finish string }{
		"none":                  {`{}`, reply, "stop"},
		"max_tokens":            {`{"max_tokens":3}`, "Every full-time employee", "length"},
		"max_completion_tokens": {`{"max_completion_tokens":1,"max_tokens":9}`, "Every", "length"},
		"exactly enough":        {`{"max_tokens":16}`, reply, "stop"},
		"stop":                  {`{"stop":" has"}`, "Every full-time employee", "stop"},
		"several stops":         {`{"stop":["paid"," 27",""]}`, "Every full-time employee has", "stop"},
		"no stop":               {`{"stop":null,"n":null,"max_tokens":null}`, reply, "stop"},
		"JSON mode":             {`{"response_format":{"type":"json_object"}}`, `{"answer":"` + strings.Replace(reply, " [1]", "", 1) + `"}`, "stop"},
		"a JSON schema":         {`{"response_format":{"type":"json_schema"}}`, `{"answer":"` + strings.Replace(reply, " [1]", "", 1) + `"}`, "stop"},
		"text":                  {`{"response_format":{"type":"text"}}`, reply, "stop"},
		"what has no meaning":   {`{"temperature":0,"tools":[{}],"tool_choice":"required","seed":1,"x":{}}`, reply, "stop"},
	} {
		for _, stream := range []bool{false, true} {
			_, _, body := chat(t, upstream.Call{Body: []byte(c.body), Stream: stream, Question: question, Passages: given(handbook[:1])})
			if got, finish := text(t, body, 0); got != c.want || finish != c.finish {
				t.Errorf("%s, stream %v: got %q (%s), want %q (%s)", name, stream, got, finish, c.want, c.finish)
			}
		}
	}
}

func TestJSONModeIsValidJSONWhateverTheSourceSays(t *testing.T) {
	passages := []upstream.Passage{{Index: 1, Text: "The \"holiday\" is <b>free</b> \u2028 & \t costs {nothing}."}}
	_, _, body := chat(t, upstream.Call{Body: []byte(`{"response_format":{"type":"json_object"}}`), Question: "holiday", Passages: given(passages)})
	content, _ := text(t, body, 0)
	var o map[string]string
	if err := json.Unmarshal([]byte(content), &o); err != nil || o["answer"] == "" {
		t.Error(content, err)
	}
}

func TestEveryChoiceSaysTheSame(t *testing.T) {
	for _, stream := range []bool{false, true} {
		_, _, body := chat(t, upstream.Call{Body: []byte(`{"n":3}`), Stream: stream, Question: question, Passages: given(handbook[:1])})
		for i := range 3 {
			if got, finish := text(t, body, i); got != reply || finish != "stop" {
				t.Errorf("stream %v, choice %d: %q %q", stream, i, got, finish)
			}
		}
	}
}

func TestParametersThatAreWrongAreRefusedByName(t *testing.T) {
	for body, param := range map[string]string{
		`{"n":0}`: "n", `{"n":129}`: "n", `{"n":"2"}`: "n", `{"n":1.5}`: "n", `{"max_tokens":0}`: "max_tokens", `{"max_tokens":"many"}`: "max_tokens",
		`{"max_completion_tokens":-1}`: "max_completion_tokens", `{"stop":7}`: "stop", `{"stop":[7]}`: "stop",
		`{"response_format":"json"}`: "response_format", `{"stream_options":{"include_usage":"yes"}}`: "stream_options.include_usage",
	} {
		status, kind, got := chat(t, upstream.Call{Body: []byte(body), Stream: true})
		var e struct {
			Error struct{ Message, Type, Param, Code string }
		}
		if err := json.Unmarshal([]byte(got), &e); err != nil || status != 400 || kind != "application/json" ||
			e.Error.Param != param || e.Error.Type != "invalid_request_error" || e.Error.Message == "" || e.Error.Code == "" {
			t.Errorf("%s: %d %s", body, status, got)
		}
	}
	if status, _, got := chat(t, upstream.Call{Body: []byte(`[]x`)}); status != 400 {
		t.Error(status, got)
	}
}

func TestPiecesJoinToTheText(t *testing.T) {
	for _, s := range []string{"", " ", "a", "  two  words ", "経費の精算は月末までです。そのあとはできません。", "a\nb\n\nc", reply, strings.Repeat("x", 50)} {
		if got := strings.Join(pieces(s), ""); got != s {
			t.Errorf("%q becomes %q", s, got)
		}
	}
	if n := len(pieces("経費の精算は月末までです。そのあとはできません。")); n < 2 {
		t.Error("text without spaces comes in one piece")
	}
}

// server puts the answerer behind HTTP, for real clients.
func server(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		var req struct{ Stream bool }
		if err := json.Unmarshal(body, &req); err != nil {
			t.Error(err)
		}
		resp, err := New().Chat(r.Context(), upstream.Call{Body: body, Stream: req.Stream, Question: question, Passages: given(handbook[:1])})
		if err != nil {
			t.Error(err)
			return
		}
		w.Header().Set("Content-Type", resp.Header.Get("Content-Type"))
		w.WriteHeader(resp.Status)
		_, _ = io.Copy(w, resp.Body)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestOpenAIsOwnClientReadsBothForms(t *testing.T) {
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	c := openai.NewClient(option.WithBaseURL(server(t)), option.WithAPIKey("k"), option.WithHTTPClient(&http.Client{Transport: transport}))
	params := openai.ChatCompletionNewParams{
		Model: "m", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(question)},
		N: openai.Int(2), StreamOptions: openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)},
	}
	stream := c.Chat.Completions.NewStreaming(t.Context(), params)
	var all openai.ChatCompletionAccumulator
	for stream.Next() {
		if !all.AddChunk(stream.Current()) {
			t.Error("the accumulator refuses", stream.Current().RawJSON())
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	whole, err := c.Chat.Completions.New(t.Context(), params)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		if all.Choices[i].Message.Content != reply || whole.Choices[i].Message.Content != reply || all.Choices[i].FinishReason != "stop" {
			t.Errorf("%q %q", all.Choices[i].Message.Content, whole.Choices[i].Message.Content)
		}
	}
	if all.Usage.CompletionTokens == 0 || all.Usage.CompletionTokens != whole.Usage.CompletionTokens {
		t.Error(all.Usage.CompletionTokens, whole.Usage.CompletionTokens)
	}
}

func TestGoOpenAIReadsTheStream(t *testing.T) {
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	conf := gopenai.DefaultConfig("k")
	conf.BaseURL, conf.HTTPClient = server(t), &http.Client{Transport: transport}
	stream, err := gopenai.NewClientWithConfig(conf).CreateChatCompletionStream(t.Context(), gopenai.ChatCompletionRequest{
		Model: "m", Messages: []gopenai.ChatCompletionMessage{{Role: "user", Content: question}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stream.Close() }()
	got := ""
	for {
		chunk, err := stream.Recv()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got += chunk.Choices[0].Delta.Content
	}
	if got != reply {
		t.Errorf("%q", got)
	}
}
