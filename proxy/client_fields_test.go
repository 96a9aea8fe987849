package proxy_test

import (
	"strings"
	"testing"

	"footnote/assistants"
	"footnote/assistants/retrieval"
)

func TestFieldsThatAreReadHaveToBeRight(t *testing.T) {
	c := newClients(t, fixture{maxBody: 4 << 20})
	model := func(value string) string { return strings.Replace(plainRequest, `"support"`, value, 1) }
	many := "[" + strings.Repeat("{},", 10_000) + "{}]"
	c.refuses(t, []badRequest{
		{"C-007 messages missing", post(chatPath, `{"model":"support"}`), 400, "missing_required_parameter", "messages"},
		{"C-007 messages null", post(chatPath, withMessages("null")), 400, "invalid_type", "messages"},
		{"C-007 messages empty", post(chatPath, withMessages("[]")), 400, "invalid_value", "messages"},
		{"C-007 messages a string", post(chatPath, withMessages(`"hi"`)), 400, "invalid_type", "messages"},
		{"C-007 messages an object", post(chatPath, withMessages(`{"role":"user"}`)), 400, "invalid_type", "messages"},
		{"C-007 10,001 messages", post(chatPath, withMessages(many)), 400, "invalid_value", "messages"},
		{"C-008 a message that is no object", post(chatPath, withMessages(`[{"role":"user","content":"hi"},"hi"]`)), 400, "invalid_type", "messages[1]"},
		{"C-008 a message that is null", post(chatPath, withMessages(`[null]`)), 400, "invalid_type", "messages[0]"},
		{"C-009 model missing", post(chatPath, `{"messages":[{}]}`), 404, "model_not_found", "model"},
		{"C-009 model empty", post(chatPath, model(`""`)), 404, "model_not_found", "model"},
		{"C-009 model null", post(chatPath, model("null")), 400, "invalid_type", "model"},
		{"C-009 model a number", post(chatPath, model("7")), 400, "invalid_type", "model"},
		{"C-009 model unknown", post(chatPath, model(`"gpt-x"`)), 404, "model_not_found", "model"},
		{"C-009 model a path", post(chatPath, model(`"../../etc/passwd"`)), 404, "model_not_found", "model"},
		{"C-009 model a path to it", post(chatPath, model(`"../support"`)), 404, "model_not_found", "model"},
		{"C-009 model in capitals", post(chatPath, model(`"SUPPORT"`)), 404, "model_not_found", "model"},
		{"C-009 model with a homoglyph", post(chatPath, model(`"suppоrt"`)), 404, "model_not_found", "model"},
		{"C-009 model with a space", post(chatPath, model(`"support "`)), 404, "model_not_found", "model"},
		{"C-009 model with NUL", post(chatPath, model(`"support\u0000"`)), 404, "model_not_found", "model"},
		{"C-009 1 MB of model", post(chatPath, model(`"`+strings.Repeat("x", 1<<20)+`"`)), 404, "model_not_found", "model"},
		{"C-009 model with markup", post(chatPath, model(`"<script>\u001b[2J\r\n"`)), 404, "model_not_found", "model"},
		{"C-010 n 0", post(chatPath, chatBody(`,"n":0`)), 400, "invalid_value", "n"},
		{"C-010 n -1", post(chatPath, chatBody(`,"n":-1`)), 400, "invalid_value", "n"},
		{"C-010 n 129", post(chatPath, chatBody(`,"n":129`)), 400, "invalid_value", "n"},
		{"C-010 n 1000", post(chatPath, chatBody(`,"n":1000`)), 400, "invalid_value", "n"},
		{"C-010 n 99999999999999999999", post(chatPath, chatBody(`,"n":99999999999999999999`)), 400, "invalid_value", "n"},
		{"C-010 n 1.5", post(chatPath, chatBody(`,"n":1.5`)), 400, "invalid_type", "n"},
		{"C-010 n a string", post(chatPath, chatBody(`,"n":"2"`)), 400, "invalid_type", "n"},
		{"C-010 temperature NaN", post(chatPath, chatBody(`,"temperature":NaN`)), 400, "invalid_json", ""},
		{"C-012 stream a string", post(chatPath, chatBody(`,"stream":"true"`)), 400, "invalid_type", "stream"},
		{"C-012 stream 1", post(chatPath, chatBody(`,"stream":1`)), 400, "invalid_type", "stream"},
		{"C-012 stream an object", post(chatPath, chatBody(`,"stream":{}`)), 400, "invalid_type", "stream"},
		{"C-012 an extension of ours misspelt", post(chatPath, chatBody(`,"retrieval_options":{"topk":1}`)), 400, "unsupported_parameter", "retrieval_options.topk"},
		{"C-012 an extension of ours of the wrong type", post(chatPath, chatBody(`,"retrieval_options":{"enabled":"no"}`)), 400, "invalid_type", "retrieval_options.enabled"},
		{"C-012 passages of an unknown form", post(chatPath, chatBody(`,"retrieval_options":{"passages":[{"id":"a","text":7}]}`)), 400, "invalid_type", "retrieval_options.passages[0].text"},
		{"C-012 passages for an assistant without retrieval", post(chatPath, chatBody(`,"retrieval_options":{"passages":[{"id":"a","text":"x"}]}`)), 400, "invalid_value", "retrieval_options.passages"},
	})
	c.wantNoSecret(t, "the log", c.log.String(), "passwd", "script")
}

// CONTRACT 2: what is not read is not judged; it reaches the upstream byte for byte.
func TestWhatIsNotOursToJudgeIsForwarded(t *testing.T) {
	c := newClients(t, fixture{})
	image := `[{"role":"user","content":[{"type":"image_url","image_url":{"url":"http://169.254.169.254/latest/meta-data"}}]}]`
	c.accepts(t, []goodRequest{
		{"C-008 an unknown role", post(chatPath, withMessages(`[{"role":"wizard","content":"hi"}]`)), ""},
		{"C-008 content null", post(chatPath, withMessages(`[{"role":"user","content":null}]`)), ""},
		{"C-008 content a number", post(chatPath, withMessages(`[{"role":"user","content":7}]`)), ""},
		{"C-008 parts of unknown types", post(chatPath, withMessages(`[{"role":"user","content":[{"type":"smell"},7,null,[]]}]`)), ""},
		{"C-008 an image is not fetched", post(chatPath, withMessages(image)), ""},
		{"C-008 messages of nothing", post(chatPath, withMessages(`[{},{}]`)), ""},
		{"C-010 temperature a word", post(chatPath, chatBody(`,"temperature":"hot"`)), ""},
		{"C-010 temperature 1e400", post(chatPath, chatBody(`,"temperature":1e400`)), ""},
		{"C-010 max_tokens -1", post(chatPath, chatBody(`,"max_tokens":-1`)), ""},
		{"C-010 stop of 17", post(chatPath, chatBody(`,"stop":[`, strings.Repeat(`"x",`, 16), `"x"]`)), ""},
		{"C-010 n null", post(chatPath, chatBody(`,"n":null`)), ""},
		{"C-011 where to call and with which key", post(chatPath, chatBody(`,"api_base":"http://evil.test","base_url":"http://evil.test","api_key":"sk-evil","api_version":"x"`)), ""},
		{"C-011 citations and metadata of the client's", post(chatPath, chatBody(`,"citations":{"sources":[]},"metadata":{"sources":"x"}`)), ""},
		{"C-012 stream null", post(chatPath, chatBody(`,"stream":null`)), ""},
		{"C-012 stream false", post(chatPath, chatBody(`,"stream": false`)), ""},
		{"C-020 tools, calls and results", post(chatPath, `{"model":"support","tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}],"tool_choice":"auto","parallel_tool_calls":false,
 "messages":[{"role":"user","content":"hi"},{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\"x\": [1]}"}},{"id":"b","type":"function","function":{"name":"f","arguments":"{"}}]},{"role":"tool","tool_call_id":"a","content":"[1]"}]}`), ""},
		{"C-020 function_call of old", post(chatPath, chatBody(`,"functions":[{"name":"f"}],"function_call":{"name":"f"}`)), ""},
		{"C-021 formats, logprobs, audio, prediction", post(chatPath, chatBody(`,"response_format":{"type":"json_schema","json_schema":{"name":"s","schema":{}}},"logprobs":true,"top_logprobs":5,"modalities":["text","audio"],"audio":{"voice":"x"},"prediction":{"type":"content","content":"x"}`)), ""},
	})
	if got := c.up.Last().Host; got != c.up.Addr() {
		t.Errorf("C-011: called %s", got)
	}
	if got := c.up.Last().Header.Get("Authorization"); got != "Bearer sk-upstream" {
		t.Errorf("C-011: called with %s", got)
	}
}

// C-017: our system prompt fills in for one that the client left out, and comes
// first; the client's own stay as they are.
func TestTheOrderOfSystemMessagesIsFixedAndTheClientsTextStays(t *testing.T) {
	c := newClients(t, fixture{settings: mergeSettings(t, []byte(`{"system_prompt":"Ours."}`))})
	fifty := strings.Repeat(`{"role":"system","content":"Theirs."},`, 50)
	upstream := func(list string) string { return `{"model":"base-model","messages":` + list + `}` }
	c.accepts(t, []goodRequest{
		{"C-017 none of the client's", post(chatPath, withMessages(`[{"role":"user","content":"hi"}]`)), upstream(`[{"role":"system","content":"Ours."},{"role":"user","content":"hi"}]`)},
		{"C-017 one of the client's", post(chatPath, withMessages(`[{"role":"system","content":"Theirs."},{"role":"user","content":"hi"}]`)), ""},
		{"C-017 a developer message", post(chatPath, withMessages(`[{"role":"developer","content":"Theirs."},{"role":"user","content":"hi"}]`)), ""},
		{"C-017 fifty", post(chatPath, withMessages(`[`+fifty+`{"role":"user","content":"hi"}]`)), ""},
	})
}

// C-018: whatever the last question is, the request goes on.
func TestAnyQuestionIsAnswered(t *testing.T) {
	citing := mergeSettings(t, []byte(`{"enable_rag":true,"enable_citations":true}`))
	c := newClients(t, fixture{maxBody: 4 << 20, settings: citing})
	for name, row := range map[string]struct{ content, status string }{
		"empty":         {`""`, "skipped"},
		"white space":   {`" \n\t"`, "skipped"},
		"null":          {`null`, "skipped"},
		"only an image": {`[{"type":"image_url","image_url":{"url":"data:image/png;base64,AA=="}}]`, "skipped"},
		"1 MB":          {`"` + strings.Repeat("What? ", 170_000) + `"`, "no_sources"},
		"only emoji":    {`"😀"`, "no_sources"},
		"only [1]":      {`"[1]"`, "no_sources"},
	} {
		t.Run("C-018 "+name, func(t *testing.T) {
			a := c.exchange(t, post(chatPath, withMessages(`[{"role":"user","content":`+row.content+`}]`)))
			if a.Response == nil || a.StatusCode != 200 || !strings.Contains(string(a.body), `"citations":{"status":"`+row.status+`"`) {
				t.Errorf("%+v", a)
			}
			if !strings.Contains(string(c.up.Last().Body), `"content":`+row.content) {
				t.Error("the upstream did not get the question")
			}
			c.settle(t)
		})
	}
	if retrieval.MaxQueryBytes != 8<<10 { // what the real retriever searches for; its own tests prove that it cuts there
		t.Error("C-018: the query is not capped at 8 KiB")
	}
}

// C-019: when only the client's own text is too long, the upstream says so in its own words.
func TestAPromptBeyondTheWindowLosesSourcesAndIsNotJudged(t *testing.T) {
	citing := mergeSettings(t, []byte(`{"enable_rag":true,"enable_citations":true,"context_window":2048}`))
	c := newClients(t, fixture{settings: citing, hits: []assistants.Hit{oneHit()}})
	a := c.exchange(t, post(chatPath, withMessages(`[{"role":"user","content":"`+strings.Repeat("word ", 4000)+`"}]`)))
	if a.StatusCode != 200 || !strings.Contains(string(a.body), `"sources":[]`) || !strings.Contains(string(a.body), `"warnings":[`) || strings.Contains(string(c.up.Last().Body), "Revenue grew") {
		t.Errorf("C-019: %d %s", a.StatusCode, a.body)
	}
	if a = c.exchange(t, post(chatPath, plainRequest)); !strings.Contains(string(a.body), `"document_name":"q3.pdf"`) {
		t.Errorf("C-019: a prompt that fits lost its source: %s", a.body)
	}
	c.settle(t)
}
