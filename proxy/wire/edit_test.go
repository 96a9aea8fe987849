package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// noMarkers is an edit as the removal of citation markers is one.
func noMarkers(s string) string {
	for i := range 10 {
		s = strings.ReplaceAll(s, fmt.Sprintf(" [%d]", i), "")
		s = strings.ReplaceAll(s, fmt.Sprintf("[%d]", i), "")
	}
	return s
}

// editCases are bodies with the edits made on them and the exact bytes wanted.
var editCases = []struct {
	name string
	edit func(r *Request)
	body string
	want string
}{
	// The model.
	{"the model is replaced where it stands", func(r *Request) { r.SetModel("gpt") }, `{"a":1,"model" : "m" ,"messages":[{}]}`, `{"a":1,"model" : "gpt" ,"messages":[{}]}`},
	{"the model is escaped", func(r *Request) { r.SetModel("a\"b\n\u2028") }, `{"model":"m","messages":[{}]}`, `{"model":"a\"b\n\u2028","messages":[{}]}`},
	{"an escaped key keeps its bytes", func(r *Request) { r.SetModel("gpt") }, `{"mod\u0065l":"m","messages":[{}]}`, `{"mod\u0065l":"gpt","messages":[{}]}`},
	{"a missing model is added at the end", func(r *Request) { r.SetModel("gpt") }, "{\"messages\":[{}] \n}\n", "{\"messages\":[{}],\"model\":\"gpt\" \n}\n"},
	{"the same model keeps its bytes", func(r *Request) { r.SetModel("m") }, `{"model":"\u006d","messages":[{}]}`, `{"model":"\u006d","messages":[{}]}`},
	{"the last model set counts", func(r *Request) { r.SetModel("a"); r.SetModel("b") }, `{"model":"m","messages":[{}]}`, `{"model":"b","messages":[{}]}`},
	{"setting the model back keeps its bytes", func(r *Request) { r.SetModel("a"); r.SetModel("m") }, `{"model":"m","messages":[{}]}`, `{"model":"m","messages":[{}]}`},
	{"a model inside a message is not the model", func(r *Request) { r.SetModel("gpt") }, `{"messages":[{"model":"x"}],"model":"m"}`, `{"messages":[{"model":"x"}],"model":"gpt"}`},
	{"an empty model is set all the same", func(r *Request) { r.SetModel("") }, `{"model":"m","messages":[{}]}`, `{"model":"","messages":[{}]}`},
	// Defaults.
	{"a default fills what is missing", func(r *Request) { r.SetDefault("temperature", []byte("0.2")) }, `{"messages":[{}]}`, `{"messages":[{}],"temperature":0.2}`},
	{"a default yields to the client", func(r *Request) { r.SetDefault("temperature", []byte("0.2")) }, `{"temperature":0,"messages":[{}]}`, `{"temperature":0,"messages":[{}]}`},
	{"a default yields to null", func(r *Request) { r.SetDefault("temperature", []byte("0.2")) }, `{"temperature":null,"messages":[{}]}`, `{"temperature":null,"messages":[{}]}`},
	{"a default yields to an escaped key", func(r *Request) { r.SetDefault("top_p", []byte("1")) }, `{"top\u005fp":0.1,"messages":[{}]}`, `{"top\u005fp":0.1,"messages":[{}]}`},
	{"several defaults keep their order", func(r *Request) { r.SetDefault("b", []byte("1")); r.SetDefault("a", []byte("[2]")) }, `{"messages":[{}] }`, `{"messages":[{}],"b":1,"a":[2] }`},
	{"a second default replaces the first", func(r *Request) { r.SetDefault("b", []byte("1")); r.SetDefault("b", []byte("2")) }, `{"messages":[{}]}`, `{"messages":[{}],"b":2}`},
	{"a model and a default", func(r *Request) { r.SetDefault("b", []byte("1")); r.SetModel("m") }, `{"messages":[{}]}`, `{"messages":[{}],"model":"m","b":1}`},
	// The system prompt.
	{"a system prompt goes first", func(r *Request) { r.SetSystemPrompt("Be \"brief\"") }, `{"messages":[{"role":"user"}]}`, `{"messages":[{"role":"system","content":"Be \"brief\""},{"role":"user"}]}`},
	{"white space after the bracket stays", func(r *Request) { r.SetSystemPrompt("P") }, "{\"messages\": [\n  {\"role\":\"user\"}\n]}", "{\"messages\": [{\"role\":\"system\",\"content\":\"P\"},\n  {\"role\":\"user\"}\n]}"},
	{"a system prompt yields to a system message", func(r *Request) { r.SetSystemPrompt("P") }, `{"messages":[{"role":"user"},{"role":"system","content":"S"}]}`, `{"messages":[{"role":"user"},{"role":"system","content":"S"}]}`},
	{"a system prompt yields to a developer message", func(r *Request) { r.SetSystemPrompt("P") }, `{"messages":[{"role":"developer"}]}`, `{"messages":[{"role":"developer"}]}`},
	{"an empty system prompt is none", func(r *Request) { r.SetSystemPrompt("") }, `{"messages":[{}]}`, `{"messages":[{}]}`},
	// The context.
	{"context goes to the system string", func(r *Request) { r.AddContext("C") }, `{"messages":[{"role":"system","content":"S"},{"role":"user"}]}`, `{"messages":[{"role":"system","content":"S\n\nC"},{"role":"user"}]}`},
	{"context keeps the escapes before it", func(r *Request) { r.AddContext("C") }, `{"messages":[{"content":"\u0053\\","role":"system"}]}`, `{"messages":[{"content":"\u0053\\\n\nC","role":"system"}]}`},
	{"context is escaped", func(r *Request) { r.AddContext("a\"b\\c\nd\u2028<e>\x01") }, `{"messages":[{"role":"system","content":"S"}]}`, `{"messages":[{"role":"system","content":"S\n\na\"b\\c\nd\u2028<e>\u0001"}]}`},
	{"context alone fills an empty string", func(r *Request) { r.AddContext("C") }, `{"messages":[{"role":"system","content":""}]}`, `{"messages":[{"role":"system","content":"C"}]}`},
	{"context goes to the first of several", func(r *Request) { r.AddContext("C") }, `{"messages":[{"role":"user"},{"role":"developer","content":"D"},{"role":"system","content":"S"}]}`, `{"messages":[{"role":"user"},{"role":"developer","content":"D\n\nC"},{"role":"system","content":"S"}]}`},
	{"context becomes a part", func(r *Request) { r.AddContext("C") }, `{"messages":[{"role":"system","content":[{"type":"text","text":"S"} ]}]}`, `{"messages":[{"role":"system","content":[{"type":"text","text":"S"} ,{"type":"text","text":"C"}]}]}`},
	{"context becomes the only part", func(r *Request) { r.AddContext("C") }, `{"messages":[{"role":"system","content":[ ]}]}`, `{"messages":[{"role":"system","content":[ {"type":"text","text":"C"}]}]}`},
	{"context replaces null", func(r *Request) { r.AddContext("C") }, `{"messages":[{"role":"system","content": null }]}`, `{"messages":[{"role":"system","content": "C" }]}`},
	{"context is added where content is missing", func(r *Request) { r.AddContext("C") }, `{"messages":[{"role":"system" }]}`, `{"messages":[{"role":"system","content":"C" }]}`},
	{"content of no known form is left alone", func(r *Request) { r.AddContext("C") }, `{"messages":[{"role":"system","content":7}]}`, `{"messages":[{"role":"system","content":"C"},{"role":"system","content":7}]}`},
	{"without a system message there will be one", func(r *Request) { r.AddContext("C") }, `{"messages":[{"role":"user","content":"x"}]}`, `{"messages":[{"role":"system","content":"C"},{"role":"user","content":"x"}]}`},
	{"a system prompt and context make one message", func(r *Request) { r.SetSystemPrompt("P"); r.AddContext("C") }, `{"messages":[{}]}`, `{"messages":[{"role":"system","content":"P\n\nC"},{}]}`},
	{"in either order", func(r *Request) { r.AddContext("C"); r.SetSystemPrompt("P") }, `{"messages":[{}]}`, `{"messages":[{"role":"system","content":"P\n\nC"},{}]}`},
	{"context added twice", func(r *Request) { r.AddContext("C"); r.AddContext("D") }, `{"messages":[{"role":"system","content":"S"}]}`, `{"messages":[{"role":"system","content":"S\n\nC\n\nD"}]}`},
	{"the last of double contents gets the context", func(r *Request) { r.AddContext("C") }, `{"messages":[{"role":"system","content":"a","content":"b"}]}`, `{"messages":[{"role":"system","content":"a","content":"b\n\nC"}]}`},
	{"an escaped role is a role", func(r *Request) { r.AddContext("C") }, `{"messages":[{"role":"\u0073ystem","content":"S"}]}`, `{"messages":[{"role":"\u0073ystem","content":"S\n\nC"}]}`},
	// Inserted messages.
	{"messages go before the first", insertTurns, `{"messages":[ {"role":"user"}]}`, `{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}, {"role":"user"}]}`},
	{"messages go behind a system message", insertTurns, `{"messages":[{"role":"system"} , {"role":"user"}]}`, `{"messages":[{"role":"system"},{"role":"user","content":"q"},{"role":"assistant","content":"a"} , {"role":"user"}]}`},
	{"messages go behind all that lead", insertTurns, `{"messages":[{"role":"system"},{"role":"developer"},{"role":"user"},{"role":"system"}]}`, `{"messages":[{"role":"system"},{"role":"developer"},{"role":"user","content":"q"},{"role":"assistant","content":"a"},{"role":"user"},{"role":"system"}]}`},
	{"messages go behind the only one", insertTurns, `{"messages":[{"role":"system"}]}`, `{"messages":[{"role":"system"},{"role":"user","content":"q"},{"role":"assistant","content":"a"}]}`},
	{"a system message further on does not lead", insertTurns, `{"messages":[{"role":"user"},{"role":"system"}]}`, `{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"},{"role":"user"},{"role":"system"}]}`},
	{"messages go behind our system message", func(r *Request) { insertTurns(r); r.AddContext("C"); r.SetSystemPrompt("P") }, `{"messages":[{"role":"user"}]}`, `{"messages":[{"role":"system","content":"P\n\nC"},{"role":"user","content":"q"},{"role":"assistant","content":"a"},{"role":"user"}]}`},
	{"messages go behind the message with the context", func(r *Request) { insertTurns(r); r.AddContext("C") }, `{"messages":[{"role":"system" },{"role":"user"}]}`, `{"messages":[{"role":"system","content":"C" },{"role":"user","content":"q"},{"role":"assistant","content":"a"},{"role":"user"}]}`},
	{"behind context of its own and content of no known form", func(r *Request) { insertTurns(r); r.AddContext("C") }, `{"messages":[{"role":"system","content":7},{"role":"user"}]}`, `{"messages":[{"role":"system","content":"C"},{"role":"system","content":7},{"role":"user","content":"q"},{"role":"assistant","content":"a"},{"role":"user"}]}`},
	{"inserted messages keep their order", func(r *Request) { insertTurns(r); r.InsertMessages(Message{"user", "r"}) }, `{"messages":[{}]}`, `{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"},{"role":"user","content":"r"},{}]}`},
	{"inserted messages are escaped", func(r *Request) { r.InsertMessages(Message{"us\"er", "a\"b\n\u2028"}) }, `{"messages":[{}]}`, `{"messages":[{"role":"us\"er","content":"a\"b\n\u2028"},{}]}`},
	{"inserted messages are not edited", func(r *Request) { r.InsertMessages(Message{"assistant", "a [1]"}); r.EditAssistantText(noMarkers) }, `{"messages":[{"role":"assistant","content":"b [1]"}]}`, `{"messages":[{"role":"assistant","content":"a [1]"},{"role":"assistant","content":"b"}]}`},
	{"no messages leave the bytes", func(r *Request) { r.InsertMessages() }, `{"messages":[{}]}`, `{"messages":[{}]}`},
	// Texts of the assistant.
	{"the assistant's text is edited", func(r *Request) { r.EditAssistantText(noMarkers) }, `{"messages":[{"role":"assistant","content":"It grew [1]."}]}`, `{"messages":[{"role":"assistant","content":"It grew."}]}`},
	{"what is not edited keeps its bytes", func(r *Request) { r.EditAssistantText(noMarkers) }, `{"messages":[{"role":"assistant","content":"caf\u00e9 \/"},{"role":"assistant","content":"caf\u00e9 [1]"}]}`, `{"messages":[{"role":"assistant","content":"caf\u00e9 \/"},{"role":"assistant","content":"caf\u00e9"}]}`},
	{"escapes beside what is taken out stay", func(r *Request) { r.EditAssistantText(noMarkers) }, `{"messages":[{"role":"assistant","content":"\u0047rew\n\ud83d\ude00 \/ [1].\u2028\"Yes\" [2]"}]}`, `{"messages":[{"role":"assistant","content":"\u0047rew\n\ud83d\ude00 \/.\u2028\"Yes\""}]}`},
	{"a character that begins like the next goes whole", func(r *Request) {
		r.EditAssistantText(func(s string) string { return strings.ReplaceAll(s, "é", "") })
	}, `{"messages":[{"role":"assistant","content":"aéè\u0041éb\/"}]}`, `{"messages":[{"role":"assistant","content":"aè\u0041b\/"}]}`},
	{"other roles keep their markers", func(r *Request) { r.EditAssistantText(noMarkers) }, `{"messages":[{"role":"user","content":"a [1]"},{"role":"tool","content":"b [1]"},{"role":"system","content":"c [1]"}]}`, `{"messages":[{"role":"user","content":"a [1]"},{"role":"tool","content":"b [1]"},{"role":"system","content":"c [1]"}]}`},
	{"text parts are edited, others not", func(r *Request) { r.EditAssistantText(noMarkers) }, `{"messages":[{"role":"assistant","content":[{"type":"text","text":"a [1]"},{"type":"refusal","refusal":"b [1]"},{"text":"c [2]","type":"text","x":1}]}]}`, `{"messages":[{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"refusal","refusal":"b [1]"},{"text":"c","type":"text","x":1}]}]}`},
	{"a text part does not become empty", func(r *Request) { r.EditAssistantText(noMarkers) }, `{"messages":[{"role":"assistant","content":[{"type":"text","text":" [1]"},{"type":"text","text":"a [1]"}]}]}`, `{"messages":[{"role":"assistant","content":[{"type":"text","text":" [1]"},{"type":"text","text":"a"}]}]}`},
	{"tool arguments keep their markers", func(r *Request) { r.EditAssistantText(noMarkers) }, `{"messages":[{"role":"assistant","content":null,"tool_calls":[{"function":{"arguments":"{\"a\":\"[1]\"}"}}]}]}`, `{"messages":[{"role":"assistant","content":null,"tool_calls":[{"function":{"arguments":"{\"a\":\"[1]\"}"}}]}]}`},
	{"edits of a text combine", func(r *Request) { r.EditAssistantText(strings.ToUpper); r.EditAssistantText(noMarkers) }, `{"messages":[{"role":"assistant","content":"a [1]"}]}`, `{"messages":[{"role":"assistant","content":"A"}]}`},
	{"an edit taken back keeps the bytes", func(r *Request) { r.EditAssistantText(strings.ToUpper); r.EditAssistantText(strings.ToLower) }, `{"messages":[{"role":"assistant","content":"\u0061 [1]"}]}`, `{"messages":[{"role":"assistant","content":"\u0061 [1]"}]}`},
	// Extensions.
	{"an extension in the middle", (*Request).StripExtensions, `{"a":1, "citation_options":{} , "messages":[{}]}`, `{"a":1, "messages":[{}]}`},
	{"an extension first", (*Request).StripExtensions, `{ "citation_options":{} , "messages":[{}]}`, `{ "messages":[{}]}`},
	{"an extension last", (*Request).StripExtensions, `{"messages":[{}] , "citation_options":{} }`, `{"messages":[{}] }`},
	{"two last", (*Request).StripExtensions, `{"messages":[{}] , "citation_options":{} , "metadata_filter":{"a":[1]}` + "\n}", `{"messages":[{}]` + "\n}"},
	{"all three, between others", (*Request).StripExtensions, `{"citation_options":{},"a":1,"retrieval_options":{},"messages":[{}],"metadata_filter":{}}`, `{"a":1,"messages":[{}]}`},
	{"that of debugging", (*Request).StripExtensions, `{"debug_options":{"request":true,"settings":{"a":[1]}},"messages":[{}]}`, `{"messages":[{}]}`},
	{"escaped names too", (*Request).StripExtensions, `{"cit\u0061tion_options":{},"messages":[{}]}`, `{"messages":[{}]}`},
	{"names inside others stay", (*Request).StripExtensions, `{"metadata":{"citation_options":1},"messages":[{"metadata_filter":1}]}`, `{"metadata":{"citation_options":1},"messages":[{"metadata_filter":1}]}`},
	{"what is taken out may hold anything", (*Request).StripExtensions, `{"metadata_filter":{"a":"}, \"model\":1"},"messages":[{}]}`, `{"messages":[{}]}`},
	{"stripping twice", func(r *Request) { r.StripExtensions(); r.StripExtensions() }, `{"messages":[{}],"citation_options":{}}`, `{"messages":[{}]}`},
	{"stripping the last and adding a default", func(r *Request) { r.StripExtensions(); r.SetDefault("a", []byte("1")) }, `{"messages":[{}] ,"citation_options":{} }`, `{"messages":[{}],"a":1 }`},
	{"stripping the last and adding the model", func(r *Request) { r.SetModel("m"); r.StripExtensions() }, `{"messages":[{}],"citation_options":{}}`, `{"messages":[{}],"model":"m"}`},
	// All together.
	{"everything at once", everything,
		"{\n \"citation_options\": {},\n \"messages\": [\n  {\"role\": \"system\", \"content\": \"S\"},\n  {\"role\": \"assistant\", \"content\": \"A [1]\"},\n  {\"role\": \"user\", \"content\": \"q [1]\"}\n ],\n \"model\": \"m\",\n \"big\": 12345678901234567890,\n \"retrieval_options\": {}\n}\n",
		"{\n \"messages\": [\n  {\"role\": \"system\", \"content\": \"S\\n\\nC\"},\n  {\"role\": \"assistant\", \"content\": \"A\"},\n  {\"role\": \"user\", \"content\": \"q [1]\"}\n ],\n \"model\": \"gpt\",\n \"big\": 12345678901234567890,\"temperature\":0.2\n}\n"},
}

func insertTurns(r *Request) { r.InsertMessages(Message{"user", "q"}, Message{"assistant", "a"}) }

func everything(r *Request) {
	r.StripExtensions()
	r.SetModel("gpt")
	r.SetDefault("temperature", []byte("0.2"))
	r.SetSystemPrompt("P")
	r.AddContext("C")
	r.EditAssistantText(noMarkers)
}

func TestEditsChangeExactlyTheirBytes(t *testing.T) {
	for _, c := range editCases {
		t.Run(c.name, func(t *testing.T) {
			r := mustRead(t, c.body)
			c.edit(r)
			if got := string(r.Body()); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if string(r.body) != c.body {
				t.Errorf("the client's bytes were changed to %s", r.body)
			}
			if again := string(r.Body()); again != c.want {
				t.Errorf("the second Body gives %s", again)
			}
		})
	}
}

func TestTheBodyCanBeAskedForBetweenEdits(t *testing.T) {
	r := mustRead(t, `{"model":"m","messages":[{"role":"user","content":"x"}]}`)
	for _, step := range []struct {
		edit func()
		want string
	}{
		{func() {}, `{"model":"m","messages":[{"role":"user","content":"x"}]}`},
		{func() { r.SetModel("n") }, `{"model":"n","messages":[{"role":"user","content":"x"}]}`},
		{func() { r.AddContext("C") }, `{"model":"n","messages":[{"role":"system","content":"C"},{"role":"user","content":"x"}]}`},
		{func() { r.SetSystemPrompt("P") }, `{"model":"n","messages":[{"role":"system","content":"P\n\nC"},{"role":"user","content":"x"}]}`},
		{func() { r.SetModel("m") }, `{"model":"m","messages":[{"role":"system","content":"P\n\nC"},{"role":"user","content":"x"}]}`},
	} {
		step.edit()
		if got := string(r.Body()); got != step.want {
			t.Errorf("got  %s\nwant %s", got, step.want)
		}
	}
}

func TestViewsShowWhatTheClientSent(t *testing.T) {
	r := mustRead(t, `{"model":"m","messages":[{"role":"assistant","content":"a [1]"},{"role":"user","content":"x"}]}`)
	everything(r)
	if r.Model() != "m" || r.Has("temperature") || len(r.Messages()) != 2 || r.Messages()[0].Text != "a [1]" {
		t.Errorf("got %q %v %v", r.Model(), r.Has("temperature"), r.Messages())
	}
}

// editWithMaps makes the edits of everything the slow way, on decoded JSON.
func editWithMaps(t testing.TB, body []byte, context, prompt string) object {
	v := decode(t, body).(object)
	for _, name := range extensions {
		delete(v, name)
	}
	v["model"] = "gpt"
	if _, ok := v["temperature"]; !ok {
		v["temperature"] = json.Number("0.2")
	}
	messages := v["messages"].([]any)
	var system object
	for _, one := range messages {
		m := one.(object)
		if role := m["role"]; system == nil && (role == "system" || role == "developer") {
			system = m
		}
		if m["role"] != "assistant" {
			continue
		}
		if s, ok := m["content"].(string); ok {
			m["content"] = noMarkers(s)
		}
		parts, _ := m["content"].([]any)
		for _, p := range parts {
			if part, ok := p.(object); ok && part["type"] == "text" {
				part["text"] = noMarkers(part["text"].(string))
			}
		}
	}
	added := object{"role": "system", "content": prompt + "\n\n" + context}
	if system == nil {
		v["messages"] = append([]any{added}, messages...)
		return v
	}
	switch c := system["content"].(type) {
	case string:
		system["content"] = strings.TrimPrefix(c+"\n\n"+context, "\n\n")
	case []any:
		system["content"] = append(c, object{"type": "text", "text": context})
	case nil:
		system["content"] = context
	default:
		added["content"] = context
		v["messages"] = append([]any{added}, messages...)
	}
	return v
}

func TestEditsOfOddRequestsMeanWhatTheyMeanOnDecodedJSON(t *testing.T) {
	const context, prompt = "Sources:\n[1] (\"a\\b\") caf\u00e9 \u2028 \U0001F600", "Be brief."
	for name, body := range corpus(t, "requests") {
		r := mustRead(t, string(body))
		r.StripExtensions()
		r.SetModel("gpt")
		r.SetDefault("temperature", []byte("0.2"))
		r.SetSystemPrompt(prompt)
		r.AddContext(context)
		r.EditAssistantText(noMarkers)
		got := r.Body()
		want, err := json.Marshal(editWithMaps(t, body, context, prompt))
		if err != nil {
			t.Fatal(err)
		}
		if !equalJSON(t, got, want) {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, want)
		}
		if _, err := ReadRequest(got); err != nil {
			t.Errorf("%s: the edited request is refused: %v", name, err)
		}
	}
}

func TestOneEditLeavesEveryOtherByteOfOddRequests(t *testing.T) {
	const mark = "\x02MARK\x03"
	quoted := string(appendEscaped(nil, mark))
	for name, body := range corpus(t, "requests") {
		for edit, do := range map[string]func(*Request){
			"SetModel":        func(r *Request) { r.SetModel(mark) },
			"SetDefault":      func(r *Request) { r.SetDefault(mark, []byte("1")) },
			"SetSystemPrompt": func(r *Request) { r.SetSystemPrompt(mark) },
			"AddContext":      func(r *Request) { r.AddContext(mark) },
		} {
			r := mustRead(t, string(body))
			do(r)
			got := r.Body()
			i := bytes.Index(got, []byte(quoted))
			if i < 0 {
				if edit != "SetSystemPrompt" || r.instructions() < 0 {
					t.Errorf("%s, %s: nothing was changed", name, edit)
				}
				continue
			}
			// What stands before and after one place is the client's, byte for byte.
			prefix, suffix := commonEnds(body, got)
			if changed := len(got) - prefix - suffix; changed > len(quoted)+len(`{"role":"system","content":"`)+8 {
				t.Errorf("%s, %s: %d bytes changed: %s", name, edit, changed, got[prefix:len(got)-suffix])
			}
			if lost := len(body) - prefix - suffix; lost > 0 && edit != "SetModel" && string(body[prefix:prefix+lost]) != "null" {
				t.Errorf("%s, %s: %q was lost", name, edit, body[prefix:prefix+lost])
			}
		}
	}
}

// quotedTurns are what insertTurns adds, with a comma on one side.
const quotedTurns = `{"role":"user","content":"q"},{"role":"assistant","content":"a"}`

// withoutTurns takes what insertTurns added out of a body.
func withoutTurns(t testing.TB, body []byte) string {
	for _, turns := range []string{"," + quotedTurns, quotedTurns + ","} {
		if before, after, found := strings.Cut(string(body), turns); found {
			return before + after
		}
	}
	t.Fatalf("nothing was inserted: %s", body)
	return ""
}

func TestWithoutTheInsertedMessagesOddRequestsAreAsTheyWere(t *testing.T) {
	for name, body := range corpus(t, "requests") {
		r := mustRead(t, string(body))
		before, places := r.Messages(), len(r.messages)
		insertTurns(r)
		got := r.Body()
		if restored := withoutTurns(t, got); restored != string(body) {
			t.Errorf("%s:\ngot  %s\nwant %s", name, restored, body)
		}
		after := mustRead(t, string(got)).Messages()
		if len(after) != places+2 {
			t.Fatalf("%s: %d messages became %d", name, places, len(after))
		}
		lead := 0
		for lead < places && (before[lead].Role == "system" || before[lead].Role == "developer") {
			lead++
		}
		if want := slices.Concat(before[:lead], []Message{{"user", "q"}, {"assistant", "a"}}, before[lead:]); !slices.Equal(after, want) {
			t.Errorf("%s: the messages became %v, want %v", name, after, want)
		}
	}
}

// commonEnds are the lengths of what a and b begin and end with alike.
func commonEnds(a, b []byte) (prefix, suffix int) {
	for prefix < len(a) && prefix < len(b) && a[prefix] == b[prefix] {
		prefix++
	}
	for suffix < len(a)-prefix && suffix < len(b)-prefix && a[len(a)-1-suffix] == b[len(b)-1-suffix] {
		suffix++
	}
	return prefix, suffix
}

func TestStrippingIsTheInverseOfAdding(t *testing.T) {
	member := rapid.SampledFrom([]string{
		`"model":"m"`, `"a" : [1, {"b":2}]`, `"x":"},{"`, `"z":null`, `"citation_options":{"events":true}`, `"retrieval_options" : {"top_k":3}`, `"metadata_filter":{ }`,
	})
	space := rapid.SampledFrom([]string{"", " ", "\n  ", "\t"})
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfNDistinct(member, 0, 7, func(s string) string { return s }).Draw(t, "members")
		i := rapid.IntRange(0, len(parts)).Draw(t, "place of messages")
		parts = append(parts[:i:i], append([]string{`"messages":[{"citation_options":1}]`}, parts[i:]...)...)
		var kept []string
		body := "{"
		for i, p := range parts {
			if i > 0 {
				body += ","
			}
			body += space.Draw(t, "before") + p + space.Draw(t, "after")
			if !strings.Contains(p, "_options\"") && !strings.Contains(p, "_filter") || strings.Contains(p, "messages") {
				kept = append(kept, p)
			}
		}
		body += "}"
		r, err := ReadRequest([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		r.StripExtensions()
		got := string(r.Body())
		if !json.Valid([]byte(got)) {
			t.Fatalf("%s became %s", body, got)
		}
		strip := func(s string) string { return strings.NewReplacer(" ", "", "\n", "", "\t", "").Replace(s) }
		if want := "{" + strings.Join(kept, ",") + "}"; strip(got) != strip(want) {
			t.Fatalf("%s became %s, want %s", body, got, want)
		}
		if len(kept) == len(parts) && got != body {
			t.Fatalf("nothing was to be stripped, yet %s became %s", body, got)
		}
	})
}
