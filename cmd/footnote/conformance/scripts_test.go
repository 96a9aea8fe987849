package conformance

import (
	"net/http"
	"strings"
)

// A script is an answer of the model, for both kinds of requests.
type script struct {
	choices string   // of the JSON
	chunks  []string // the choices of each chunk
}

// play answers as it was asked.
func (s script) play(c *call) {
	if c.streaming() {
		s.stream(c, c.usage())
	} else {
		s.whole(c)
	}
}

// playOther answers as it was not asked.
func (s script) playOther(c *call) {
	if c.streaming() {
		s.whole(c)
	} else {
		s.stream(c, true)
	}
}

func (s script) whole(c *call) {
	c.json(http.StatusOK, envelope("chat.completion", s.choices, usage))
}

func (s script) stream(c *call, withUsage bool) {
	for _, choices := range s.chunks {
		c.chunk(choices)
	}
	if withUsage {
		c.event(envelope("chat.completion.chunk", "", usage))
	}
	c.event("[DONE]")
}

// The texts that the model says. Markers are cut between chunks.
const (
	answerText = "Employees get 27 vacation days per year [1]. Ask the pilot [7]."
	otherText  = "It is 27 days [1]."
	jsonText   = `{"days": 27, "note": "see [1]"}`
)

var question = script{
	choices: `{"index":0,"message":{"role":"assistant","content":"` + answerText + `","refusal":null},"logprobs":null,"finish_reason":"stop"}`,
	chunks: []string{
		`{"index":0,"delta":{"role":"assistant","content":"","refusal":null},"logprobs":null,"finish_reason":null}`,
		`{"index":0,"delta":{"content":"Employees get 27 "},"logprobs":null,"finish_reason":null}`,
		`{"index":0,"delta":{"content":"vacation days per year ["},"logprobs":null,"finish_reason":null}`,
		`{"index":0,"delta":{"content":"1]. Ask the pilot [7]"},"logprobs":null,"finish_reason":null}`,
		`{"index":0,"delta":{"content":"."},"logprobs":null,"finish_reason":null}`,
		`{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}`,
	},
}

// Arguments of tools are not for us, whatever they look like.
const (
	leedsArguments = `{"office":"Leeds [1]"}`
	osakaArguments = `{"office":"Osaka [2]"}`
)

var tools = script{
	choices: `{"index":0,"message":{"role":"assistant","content":null,"refusal":null,"tool_calls":[` +
		`{"id":"call_leeds","type":"function","function":{"name":"local_holidays","arguments":"{\"office\":\"Leeds [1]\"}"}},` +
		`{"id":"call_osaka","type":"function","function":{"name":"local_holidays","arguments":"{\"office\":\"Osaka [2]\"}"}}]},"logprobs":null,"finish_reason":"tool_calls"}`,
	chunks: []string{
		`{"index":0,"delta":{"role":"assistant","content":null},"logprobs":null,"finish_reason":null}`,
		`{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_leeds","type":"function","function":{"name":"local_holidays","arguments":""}}]},"logprobs":null,"finish_reason":null}`,
		`{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"office\":"}}]},"logprobs":null,"finish_reason":null}`,
		`{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"Leeds ["}}]},"logprobs":null,"finish_reason":null}`,
		`{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"1]\"}"}}]},"logprobs":null,"finish_reason":null}`,
		`{"index":0,"delta":{"tool_calls":[{"index":1,"id":"call_osaka","type":"function","function":{"name":"local_holidays","arguments":""}}]},"logprobs":null,"finish_reason":null}`,
		`{"index":0,"delta":{"tool_calls":[{"index":1,"function":{"arguments":"{\"office\":\"Osaka [2]\"}"}}]},"logprobs":null,"finish_reason":null}`,
		`{"index":0,"delta":{},"logprobs":null,"finish_reason":"tool_calls"}`,
	},
}

// Two answers with their own index, which end one after the other.
var choices = script{
	choices: `{"index":0,"message":{"role":"assistant","content":"` + answerText + `","refusal":null},"logprobs":null,"finish_reason":"stop"},` +
		`{"index":1,"message":{"role":"assistant","content":"` + otherText + `","refusal":null},"logprobs":null,"finish_reason":"stop"}`,
	chunks: []string{
		`{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}`,
		`{"index":1,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}`,
		`{"index":0,"delta":{"content":"Employees get 27 vacation days per year ["},"logprobs":null,"finish_reason":null}`,
		`{"index":1,"delta":{"content":"It is 27 days [1"},"logprobs":null,"finish_reason":null}`,
		`{"index":0,"delta":{"content":"1]. Ask the pilot [7]."},"logprobs":null,"finish_reason":null}`,
		`{"index":1,"delta":{"content":"]."},"logprobs":null,"finish_reason":null}`,
		`{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}`,
		`{"index":1,"delta":{},"logprobs":null,"finish_reason":"stop"}`,
	},
}

var structured = script{
	choices: `{"index":0,"message":{"role":"assistant","content":"{\"days\": 27, \"note\": \"see [1]\"}","refusal":null},"logprobs":null,"finish_reason":"stop"}`,
	chunks: []string{
		`{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}`,
		`{"index":0,"delta":{"content":"{\"days\": 2"},"logprobs":null,"finish_reason":null}`,
		`{"index":0,"delta":{"content":"7, \"note\": \"see [1]\"}"},"logprobs":null,"finish_reason":null}`,
		`{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}`,
	},
}

var logprobs = script{
	choices: `{"index":0,"message":{"role":"assistant","content":"` + otherText + `","refusal":null},"logprobs":{"content":[` +
		token("It is 27 days ") + "," + token("[") + "," + token("1") + "," + token("].") + `],"refusal":null},"finish_reason":"stop"}`,
	chunks: []string{
		`{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}`,
		tokenChunk("It is 27 days "), tokenChunk("["), tokenChunk("1"), tokenChunk("]."),
		`{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}`,
	},
}

// token is an entry of logprobs with its second best.
func token(s string) string {
	return `{"token":"` + s + `","logprob":-0.01,"bytes":null,"top_logprobs":[{"token":"` + s + `","logprob":-0.01,"bytes":null},{"token":"~","logprob":-4.5,"bytes":null}]}`
}

func tokenChunk(s string) string {
	return `{"index":0,"delta":{"content":"` + s + `"},"logprobs":{"content":[` + token(s) + `],"refusal":null},"finish_reason":null}`
}

// Answers for the formats. What is cited is not ASCII all over, so that offsets
// differ by their unit, and has markers of two forms, one of them a second time.
const (
	citedText   = "Beschäftigte bekommen 🏖️ 27 Urlaubstage [1]. 東京の休日は別です[2]。Unused days expire in March【1】."
	uncitedText = "Ask the people of the personnel department 🙂."
)

// citedMarkers are those of the cited text.
var citedMarkers = []string{"[1]", "[2]", "【1】"}

var citing = script{
	choices: `{"index":0,"message":{"role":"assistant","content":"` + citedText + `","refusal":null},"logprobs":null,"finish_reason":"stop"}`,
	chunks: []string{
		`{"index":0,"delta":{"role":"assistant","content":"","refusal":null},"logprobs":null,"finish_reason":null}`,
		`{"index":0,"delta":{"content":"Beschäftigte bekommen 🏖️ 27 Urlaubstage ["},"logprobs":null,"finish_reason":null}`,
		`{"index":0,"delta":{"content":"1]. 東京の休日は別です[2"},"logprobs":null,"finish_reason":null}`,
		`{"index":0,"delta":{"content":"]。Unused days expire in March【1】"},"logprobs":null,"finish_reason":null}`,
		`{"index":0,"delta":{"content":"."},"logprobs":null,"finish_reason":null}`,
		`{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}`,
	},
}

var notCiting = script{
	choices: `{"index":0,"message":{"role":"assistant","content":"` + uncitedText + `","refusal":null},"logprobs":null,"finish_reason":"stop"}`,
	chunks: []string{
		`{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}`,
		`{"index":0,"delta":{"content":"Ask the people of the "},"logprobs":null,"finish_reason":null}`,
		`{"index":0,"delta":{"content":"personnel department 🙂."},"logprobs":null,"finish_reason":null}`,
		`{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}`,
	},
}

// second cites the second source only.
var second = script{
	choices: `{"index":0,"message":{"role":"assistant","content":"Leeds has holidays of its own [2].","refusal":null},"logprobs":null,"finish_reason":"stop"}`,
	chunks: []string{
		`{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}`,
		`{"index":0,"delta":{"content":"Leeds has holidays of its own [2"},"logprobs":null,"finish_reason":null}`,
		`{"index":0,"delta":{"content":"]."},"logprobs":null,"finish_reason":null}`,
		`{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}`,
	},
}

// scripts are what the model server plays, by the name that a model's name begins with.
var scripts = map[string]func(*call){
	"question":       question.play,
	"cited":          citing.play,
	"uncited":        notCiting.play,
	"second":         second.play,
	"tools":          tools.play,
	"tools_answered": question.play,
	"choices":        choices.play,
	"structured":     structured.play,
	"logprobs":       logprobs.play,
	"images":         question.play,
	"too_fast":       question.play,
	"converted":      question.playOther,
	"silence": func(c *call) {
		c.beginning()
		c.silence()
		for _, choices := range question.chunks[3:] {
			c.chunk(choices)
		}
		c.event("[DONE]")
	},
	"silence_error": func(c *call) {
		c.beginning()
		c.silence()
		c.event(crash)
	},
	"left": func(c *call) {
		c.chunk(question.chunks[0])
		c.chunk(question.chunks[1])
		<-c.request.Context().Done()
		close(c.server.left(c.name))
	},
}

// beginning sends the first part of an answer, as JSON or as chunks.
func (c *call) beginning() {
	if c.streaming() {
		for _, choices := range question.chunks[:3] {
			c.chunk(choices)
		}
		return
	}
	c.Header().Set("Content-Type", "application/json")
	half, _, _ := strings.Cut(envelope("chat.completion", question.choices, usage), "vacation")
	c.send(half)
}
