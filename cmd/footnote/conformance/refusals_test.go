package conformance

import (
	"fmt"
	"net/http"
)

// A refusal is an answer of the model server without a completion, and what
// clients see of it. By the statuses that SDKs retry on, they ask again twice.
type refusal struct {
	play func(*call)
	want shownError
}

// The model server's own words, which pass as they are.
var (
	tooLong    = shownError{Status: 400, Message: "The context is 8192 tokens long.", Type: "invalid_request_error", Param: "messages", Code: "context_length_exceeded"}
	noModel    = shownError{Status: 404, Message: "The model is not here.", Type: "invalid_request_error", Param: "model", Code: "model_not_found"}
	tooLarge   = shownError{Status: 413, Message: "The image is too large.", Type: "invalid_request_error", Code: "image_too_large"}
	notValid   = shownError{Status: 422, Message: "The schema is not valid.", Type: "invalid_request_error", Param: "response_format", Code: "invalid_schema"}
	tooFast    = shownError{Status: 429, Message: "You are too fast.", Type: "requests", Code: "rate_limit_exceeded"}
	wrong      = shownError{Status: 500, Message: "Something went wrong.", Type: "server_error", Code: "internal"}
	badGateway = shownError{Status: 502, Message: "A gateway is bad.", Type: "server_error", Code: "bad_gateway"}
	loading    = shownError{Status: 503, Message: "Loading model", Type: "unavailable_error", Code: "loading"}
	timedOut   = shownError{Status: 504, Message: "A gateway waited in vain.", Type: "server_error", Code: "timeout"}
)

// Ours, about the model server.
var (
	authFailed = shownError{
		Status: 502, Type: "upstream_error", Code: "upstream_auth_failed",
		Message: "The model server refused this server's credentials; its operator has to check the upstream's API key.",
	}
	noAnswer = shownError{Status: 502, Type: "upstream_error", Code: "upstream_invalid_response", Message: "The upstream's answer is no chat completion."}
	hungUp   = shownError{Status: 502, Type: "upstream_error", Code: "upstream_invalid_response", Message: "The model server closed the connection or sent no valid answer."}
)

var refused = map[string]refusal{
	"refused_400": {says(tooLong), tooLong},
	// Our key's trouble, not the client's: its words stay here.
	"refused_401": {says(shownError{Status: 401, Message: "Incorrect API key provided: sk-secret.", Code: "invalid_api_key"}), authFailed},
	"refused_403": {says(shownError{Status: 403, Message: "This key may not do that.", Code: "permission_denied"}), authFailed},
	"refused_404": {says(noModel), noModel},
	"refused_413": {says(tooLarge), tooLarge},
	"refused_422": {says(notValid), notValid},
	"refused_429": {says(tooFast, "Retry-After: 1"), tooFast},
	"refused_500": {says(wrong), wrong},
	"refused_502": {says(badGateway), badGateway},
	"refused_503": {says(loading, "Retry-After: 1"), loading},
	"refused_504": {says(timedOut), timedOut},
	// A wait that no client keeps: they obey the request not to try again.
	"refused_for_long": {says(tooFast, "Retry-After: 600"), tooFast},
	"a_web_page": {func(c *call) {
		c.Header().Set("Content-Type", "text/html")
		c.send("<!doctype html><p>Welcome to nginx!</p>")
	}, noAnswer},
	"hung_up": {func(c *call) { c.reset() }, hungUp},
}

// says answers with an error in OpenAI's form.
func says(e shownError, headers ...string) func(*call) {
	param := "null"
	if e.Param != "" {
		param = fmt.Sprintf("%q", e.Param)
	}
	body := fmt.Sprintf(`{"error":{"message":%q,"type":%q,"param":%s,"code":%q}}`, e.Message, e.Type, param, e.Code)
	return func(c *call) { c.json(e.Status, body, headers...) }
}

// A breach is a failure in the middle of an answer. What clients see is
// the same for all of an upstream's ways to tell it; only when nothing has been
// sent yet does it have a status.
type breach struct {
	stream func(*call) // after the first text
	whole  func(*call) // instead of the answer
	want   shownError  // of the stream
	// wantWhole is the answer to a request that does not stream, if not want.
	wantWhole *shownError
}

func (b breach) play(c *call) {
	if c.streaming() {
		c.beginning()
		b.stream(c)
		return
	}
	b.whole(c)
}

var (
	crashed  = shownError{Status: 502, Message: "The model crashed.", Type: "upstream_error", Code: "upstream_error"}
	overload = shownError{Status: 503, Message: "Overloaded", Type: "server_error", Code: "overloaded"}
	cutOff   = shownError{
		Status: 502, Type: "upstream_error", Code: "upstream_stream_interrupted",
		Message: "The model server's answer broke off before it was complete.",
	}
)

const crash = `{"error":{"message":"The model crashed.","type":"server_error","param":null,"code":null}}`

func crashes(c *call) { c.json(http.StatusOK, crash) }

var broken = map[string]breach{
	"error_openai": {
		stream: func(c *call) { c.event(crash) }, whole: crashes, want: crashed,
	},
	"error_vllm": {
		stream: func(c *call) { c.event(crash); c.event("[DONE]") }, whole: crashes, want: crashed,
	},
	"error_anthropic": {
		stream: func(c *call) {
			c.send("event: error\n")
			c.event(`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`)
		},
		whole: func(c *call) {
			c.json(http.StatusOK, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`)
		},
		want: overload,
	},
	"error_openrouter": {
		stream: func(c *call) {
			c.event(`{"id":"gen-1","object":"chat.completion.chunk","created":1,"model":"m","error":{"code":502,"message":"The model crashed."},` +
				`"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}`)
			c.event("[DONE]")
		},
		whole: crashes, want: crashed,
	},
	"error_llamacpp": {
		stream: func(c *call) {
			c.send(`error: {"code":500,"message":"The model crashed.","type":"server_error"}` + "\n\n")
			c.event("[DONE]")
		},
		whole: crashes, want: crashed,
	},
	"cut":   {stream: (*call).reset, whole: func(c *call) { c.beginning(); c.reset() }, want: cutOff},
	"ended": {stream: func(*call) {}, whole: (*call).beginning, want: cutOff, wantWhole: &noAnswer},
}
