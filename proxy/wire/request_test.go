package wire

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

const oneMessage = `"messages":[{"role":"user","content":"x"}]`

// list is a list of n equal elements.
func list(element string, n int) string {
	return "[" + strings.TrimSuffix(strings.Repeat(element+",", n), ",") + "]"
}

// refusals are requests with the code and the parameter they are refused with.
var refusals = []struct {
	name, body, code, param string
}{
	// Not JSON, or not one object.
	{"an empty body", "", "invalid_json", ""},
	{"white space alone", " \r\n\t ", "invalid_json", ""},
	{"a byte order mark", "\xEF\xBB\xBF{" + oneMessage + "}", "invalid_json", ""},
	{"a byte order mark alone", "\xEF\xBB\xBF", "invalid_json", ""},
	{"UTF-16", "\xff\xfe{\x00}\x00", "invalid_json", ""},
	{"a byte that is not UTF-8", `{"model":"m","messages":[{"role":"user","content":"` + "\xff" + `"}]}`, "invalid_utf8", ""},
	{"Latin-1 in a field that nothing reads", `{"user":"M` + "\xfc" + `ller",` + oneMessage + `}`, "invalid_utf8", ""},
	{"a surrogate as UTF-8", `{"user":"` + "\xed\xa0\x80" + `",` + oneMessage + `}`, "invalid_utf8", ""},
	{"cut short", `{"model":"m",` + oneMessage, "invalid_json", ""},
	{"cut in a string", `{"model":"m`, "invalid_json", ""},
	{"cut in the messages", `{"messages":[{"role":"user"`, "invalid_json", ""},
	{"cut after a key", `{"messages"`, "invalid_json", ""},
	{"cut after a colon", `{"messages":`, "invalid_json", ""},
	{"one brace", `{`, "invalid_json", ""},
	{"words after it", `{` + oneMessage + `} x`, "invalid_json", ""},
	{"a second document", `{` + oneMessage + `}{` + oneMessage + `}`, "invalid_json", ""},
	{"a second document on its own line", `{` + oneMessage + "}\n{}", "invalid_json", ""},
	{"a brace too many", `{` + oneMessage + `}}`, "invalid_json", ""},
	{"NUL after it", `{` + oneMessage + "}\x00", "invalid_json", ""},
	{"a list", `[{` + oneMessage + `}]`, "invalid_json", ""},
	{"a string", `"x"`, "invalid_json", ""},
	{"null", `null`, "invalid_json", ""},
	{"a number", `1`, "invalid_json", ""},
	{"a form", `model=m&messages=x`, "invalid_json", ""},
	{"a comma too many", `{` + oneMessage + `,}`, "invalid_json", ""},
	{"a comma too many in the messages", `{"messages":[{"role":"user"},]}`, "invalid_json", ""},
	{"a comma too many in a message", `{"messages":[{"role":"user",}]}`, "invalid_json", ""},
	{"single quotes", `{'messages':[{}]}`, "invalid_json", ""},
	{"a comment", `{` + oneMessage + `/* x */}`, "invalid_json", ""},
	{"NaN", `{"temperature":NaN,` + oneMessage + `}`, "invalid_json", ""},
	{"a raw line end in a string", "{\"messages\":[{\"content\":\"a\nb\"}]}", "invalid_json", ""},
	{"a bad escape", `{"messages":[{"content":"\x41"}]}`, "invalid_json", ""},
	{"bad JSON says more than a bad field before it", `{"stream":"x","messages":3,`, "invalid_json", ""},
	// Depth.
	{"10,001 levels in a field", `{` + oneMessage + `,"x":` + strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth) + `}`, "invalid_json", ""},
	{"10,001 levels in a message", `{"messages":[{"x":` + strings.Repeat("[", maxDepth-2) + strings.Repeat("]", maxDepth-2) + `}]}`, "invalid_json", ""},
	{"a million open brackets", `{"x":` + strings.Repeat("[", 1<<20), "invalid_json", ""},
	{"a million open objects", strings.Repeat(`{"a":`, 1<<20), "invalid_json", ""},
	// Keys that some readers take for the same.
	{"model twice", `{"model":"a",` + oneMessage + `,"model":"b"}`, "duplicate_key", "model"},
	{"model twice, once escaped", `{"model":"a",` + oneMessage + `,"mod\u0065l":"b"}`, "duplicate_key", "model"},
	{"model and Model", `{"model":"a","Model":"b",` + oneMessage + `}`, "duplicate_key", "model"},
	{"MODEL before model", `{"MODEL":"a","model":"b",` + oneMessage + `}`, "duplicate_key", "model"},
	{"Model alone", `{"Model":"a",` + oneMessage + `}`, "duplicate_key", "model"},
	{"mODEL escaped", `{"\u004dodel":"a",` + oneMessage + `}`, "duplicate_key", "model"},
	{"messages with a long s", `{"me\u017fſages":[{"role":"user"}]}`, "duplicate_key", "messages"},
	{"messages and its long s", `{` + oneMessage + `,"meſſages":[]}`, "duplicate_key", "messages"},
	{"a Kelvin sign", `{` + oneMessage + `,"max_to\u212aens":1}`, "duplicate_key", "max_tokens"},
	{"Messages of the wrong type", `{"Messages":7,` + oneMessage + `}`, "duplicate_key", "messages"},
	{"Stream", `{"Stream":true,` + oneMessage + `}`, "duplicate_key", "stream"},
	{"retrieval_Options", `{"retrieval_Options":{},` + oneMessage + `}`, "duplicate_key", "retrieval_options"},
	{"a field that is not ours, twice", `{"seed":1,` + oneMessage + `,"seed":1}`, "duplicate_key", "seed"},
	{"a field that is not ours, twice in two cases", `{"seed":1,` + oneMessage + `,"Seed":1}`, "duplicate_key", "Seed"},
	{"an empty key twice", `{"":1,"":2,` + oneMessage + `}`, "duplicate_key", ""},
	{"a key twice among a hundred", `{` + manyFields(100) + `"X7":1,` + oneMessage + `}`, "duplicate_key", "X7"},
	{"a double key says more than a bad field", `{"stream":"x","messages":3,"messages":4}`, "duplicate_key", "messages"},
	// Messages.
	{"no messages", `{"model":"m"}`, "missing_required_parameter", "messages"},
	{"nothing", `{}`, "missing_required_parameter", "messages"},
	{"messages null", `{"messages":null}`, "invalid_type", "messages"},
	{"messages empty", `{"messages":[]}`, "invalid_value", "messages"},
	{"messages empty with a space", `{"messages":[ ]}`, "invalid_value", "messages"},
	{"messages a string", `{"messages":"hi"}`, "invalid_type", "messages"},
	{"messages an object", `{"messages":{"role":"user"}}`, "invalid_type", "messages"},
	{"messages a number", `{"messages":1}`, "invalid_type", "messages"},
	{"a message that is a string", `{"messages":["hi"]}`, "invalid_type", "messages[0]"},
	{"a message that is null", `{"messages":[{},{},{},null]}`, "invalid_type", "messages[3]"},
	{"a message that is a list", `{"messages":[{},[]]}`, "invalid_type", "messages[1]"},
	{"the first bad message is named", `{"messages":[{},1,"x",null]}`, "invalid_type", "messages[1]"},
	{"10,001 messages", `{"messages":` + list("{}", maxMessages+1) + `}`, "invalid_value", "messages"},
	{"a million messages", `{"messages":` + list("{}", 1<<20) + `}`, "invalid_value", "messages"},
	// Model, n, stream.
	{"model null", `{"model":null,` + oneMessage + `}`, "invalid_type", "model"},
	{"model a number", `{"model":4,` + oneMessage + `}`, "invalid_type", "model"},
	{"model a list", `{"model":["m"],` + oneMessage + `}`, "invalid_type", "model"},
	{"stream a string", `{"stream":"true",` + oneMessage + `}`, "invalid_type", "stream"},
	{"stream a number", `{"stream":1,` + oneMessage + `}`, "invalid_type", "stream"},
	{"stream an object", `{"stream":{},` + oneMessage + `}`, "invalid_type", "stream"},
	{"n zero", `{"n":0,` + oneMessage + `}`, "invalid_value", "n"},
	{"n minus zero", `{"n":-0,` + oneMessage + `}`, "invalid_value", "n"},
	{"n negative", `{"n":-1,` + oneMessage + `}`, "invalid_value", "n"},
	{"n 129", `{"n":129,` + oneMessage + `}`, "invalid_value", "n"},
	{"n 1000", `{"n":1000,` + oneMessage + `}`, "invalid_value", "n"},
	{"n beyond 64 bits", `{"n":99999999999999999999,` + oneMessage + `}`, "invalid_value", "n"},
	{"n a fraction", `{"n":1.5,` + oneMessage + `}`, "invalid_type", "n"},
	{"n with an exponent", `{"n":1e1,` + oneMessage + `}`, "invalid_type", "n"},
	{"n a string", `{"n":"1",` + oneMessage + `}`, "invalid_type", "n"},
	{"n true", `{"n":true,` + oneMessage + `}`, "invalid_type", "n"},
	{"n a list", `{"n":[1],` + oneMessage + `}`, "invalid_type", "n"},
	// Our extensions.
	{"debug_options a list", `{"debug_options":[],` + oneMessage + `}`, "invalid_type", "debug_options"},
	{"debug settings a string", `{"debug_options":{"settings":"x"},` + oneMessage + `}`, "invalid_type", "debug_options.settings"},
	{"debug request null and twice", `{"debug_options":{"request":null,"request":true},` + oneMessage + `}`, "duplicate_key", "debug_options.request"},
	{"debug of another", `{"debug_options":{"x":1},` + oneMessage + `}`, "unsupported_parameter", "debug_options.x"},
	{"retrieval_options a list", `{"retrieval_options":[],` + oneMessage + `}`, "invalid_type", "retrieval_options"},
	{"retrieval_options true", `{"retrieval_options":true,` + oneMessage + `}`, "invalid_type", "retrieval_options"},
	{"enabled a string", `{"retrieval_options":{"enabled":"no"},` + oneMessage + `}`, "invalid_type", "retrieval_options.enabled"},
	{"enabled twice", `{"retrieval_options":{"enabled":true,"enabled":false},` + oneMessage + `}`, "duplicate_key", "retrieval_options.enabled"},
	{"top_k zero", `{"retrieval_options":{"top_k":0},` + oneMessage + `}`, "invalid_value", "retrieval_options.top_k"},
	{"top_k 51", `{"retrieval_options":{"top_k":51},` + oneMessage + `}`, "invalid_value", "retrieval_options.top_k"},
	{"top_k a fraction", `{"retrieval_options":{"top_k":2.0},` + oneMessage + `}`, "invalid_type", "retrieval_options.top_k"},
	{"top_k twice", `{"retrieval_options":{"top_k":1,"top_k":2},` + oneMessage + `}`, "duplicate_key", "retrieval_options.top_k"},
	{"passages an object", `{"retrieval_options":{"passages":{}},` + oneMessage + `}`, "invalid_type", "retrieval_options.passages"},
	{"a passage a string", `{"retrieval_options":{"passages":["x"]},` + oneMessage + `}`, "invalid_type", "retrieval_options.passages[0]"},
	{"a passage without id", `{"retrieval_options":{"passages":[{"text":"x"}]},` + oneMessage + `}`, "missing_required_parameter", "retrieval_options.passages[0].id"},
	{"a passage without text", `{"retrieval_options":{"passages":[{"id":"a","text":"x"},{"id":"b"}]},` + oneMessage + `}`, "missing_required_parameter", "retrieval_options.passages[1].text"},
	{"a passage of white space", `{"retrieval_options":{"passages":[{"id":"a","text":" \n"}]},` + oneMessage + `}`, "invalid_value", "retrieval_options.passages[0].text"},
	{"a passage with a number as text", `{"retrieval_options":{"passages":[{"id":"a","text":7}]},` + oneMessage + `}`, "invalid_type", "retrieval_options.passages[0].text"},
	{"a passage whose id is null", `{"retrieval_options":{"passages":[{"id":null,"text":"x"}]},` + oneMessage + `}`, "invalid_type", "retrieval_options.passages[0].id"},
	{"two passages of one id", `{"retrieval_options":{"passages":[{"id":"a","text":"x"},{"id":"a","text":"y"}]},` + oneMessage + `}`, "invalid_value", "retrieval_options.passages[1].id"},
	{"a passage with a member twice", `{"retrieval_options":{"passages":[{"id":"a","text":"x","text":"y"}]},` + oneMessage + `}`, "duplicate_key", "retrieval_options.passages[0].text"},
	{"a passage with an unknown member", `{"retrieval_options":{"passages":[{"id":"a","text":"x","score":1}]},` + oneMessage + `}`, "unsupported_parameter", "retrieval_options.passages[0].score"},
	{"a passage on page 0", `{"retrieval_options":{"passages":[{"id":"a","text":"x","page_number":0}]},` + oneMessage + `}`, "invalid_value", "retrieval_options.passages[0].page_number"},
	{"a passage at a script", `{"retrieval_options":{"passages":[{"id":"a","text":"x","url":"javascript:alert(1)"}]},` + oneMessage + `}`, "invalid_value", "retrieval_options.passages[0].url"},
	{"a passage at a relative address", `{"retrieval_options":{"passages":[{"id":"a","text":"x","url":"/a"}]},` + oneMessage + `}`, "invalid_value", "retrieval_options.passages[0].url"},
	{"a passage at an address with a password", `{"retrieval_options":{"passages":[{"id":"a","text":"x","url":"https://a:b@c/"}]},` + oneMessage + `}`, "invalid_value", "retrieval_options.passages[0].url"},
	{"collections a string", `{"retrieval_options":{"collections":"coll_a"},` + oneMessage + `}`, "invalid_type", "retrieval_options.collections"},
	{"a collection that is no id", `{"retrieval_options":{"collections":["coll_a",7]},` + oneMessage + `}`, "invalid_type", "retrieval_options.collections[1]"},
	{"no collections", `{"retrieval_options":{"collections":[]},` + oneMessage + `}`, "invalid_value", "retrieval_options.collections"},
	{"only without passages", `{"retrieval_options":{"only":true},` + oneMessage + `}`, "invalid_value", "retrieval_options.only"},
	{"only a string", `{"retrieval_options":{"only":"yes","passages":[{"id":"a","text":"x"}]},` + oneMessage + `}`, "invalid_type", "retrieval_options.only"},
	{"only twice", `{"retrieval_options":{"only":true,"only":true,"passages":[{"id":"a","text":"x"}]},` + oneMessage + `}`, "duplicate_key", "retrieval_options.only"},
	{"an unknown option", `{"retrieval_options":{"topk":3},` + oneMessage + `}`, "unsupported_parameter", "retrieval_options.topk"},
	{"citation_options a list", `{"citation_options":["events"],` + oneMessage + `}`, "invalid_type", "citation_options"},
	{"events a string", `{"citation_options":{"events":"true"},` + oneMessage + `}`, "invalid_type", "citation_options.events"},
	{"events twice", `{"citation_options":{"events":true,"events":true},` + oneMessage + `}`, "duplicate_key", "citation_options.events"},
	{"in_message a number", `{"citation_options":{"in_message":1},` + oneMessage + `}`, "invalid_type", "citation_options.in_message"},
	{"an unknown citation option", `{"citation_options":{"event":true},` + oneMessage + `}`, "unsupported_parameter", "citation_options.event"},
	{"an option in another case", `{"retrieval_options":{"Top_K":3},` + oneMessage + `}`, "unsupported_parameter", "retrieval_options.Top_K"},
	{"citation_options true", `{"citation_options":true,` + oneMessage + `}`, "invalid_type", "citation_options"},
	{"metadata_filter a list", `{"metadata_filter":[],` + oneMessage + `}`, "invalid_type", "metadata_filter"},
	{"metadata_filter a string", `{"metadata_filter":"a=1",` + oneMessage + `}`, "invalid_type", "metadata_filter"},
	{"more members than anybody sends", `{` + manyFields(maxFields) + oneMessage + `}`, "invalid_value", ""},
}

// manyFields are n different members, each before a comma.
func manyFields(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"x%d":%d,`, i, i)
	}
	return b.String()
}

func TestBadRequestsAreRefused(t *testing.T) {
	for _, c := range refusals {
		t.Run(c.name, func(t *testing.T) {
			r, err := ReadRequest([]byte(c.body))
			var e *Error
			if !errors.As(err, &e) || r != nil {
				t.Fatalf("got %v, %v", r, err)
			}
			if e.Code != c.code || e.Param != c.param {
				t.Errorf("got %s %q, want %s %q", e.Code, e.Param, c.code, c.param)
			}
			if len(e.Message) < 10 || len(e.Message) > 200 || e.Error() != e.Message {
				t.Errorf("message %q is no sentence for a client", e.Message)
			}
		})
	}
}

func TestAParameterNameIsCutToASaneLength(t *testing.T) {
	long := strings.Repeat("é", 1<<16)
	for _, body := range []string{
		`{"` + long + `":1,"` + long + `":2,` + oneMessage + `}`,
		`{"retrieval_options":{"` + long + `":1},` + oneMessage + `}`,
	} {
		_, err := ReadRequest([]byte(body))
		var e *Error
		if !errors.As(err, &e) || len(e.Param) > 100 || len(e.Message) > 200 {
			t.Errorf("got %.300v", err)
		}
	}
}

// accepted are bodies that are not ours to judge.
var accepted = []struct{ name, body string }{
	{"an empty message", `{"messages":[{}]}`},
	{"10,000 messages", `{"messages":` + list("{}", maxMessages) + `}`},
	{"10,000 levels", `{` + oneMessage + `,"x":` + strings.Repeat("[", maxDepth-1) + strings.Repeat("]", maxDepth-1) + `}`},
	{"10,000 members", `{` + manyFields(maxFields-1) + oneMessage + `}`},
	{"an unknown role", `{"messages":[{"role":"critic","content":"x"}]}`},
	{"a role that is a number", `{"messages":[{"role":1}]}`},
	{"content that is a number", `{"messages":[{"role":"user","content":5}]}`},
	{"content of unknown parts", `{"messages":[{"role":"user","content":[{"type":"video"},1,null,"x"]}]}`},
	{"an image at a link-local address", `{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"http://169.254.169.254/"}}]}]}`},
	{"a hot temperature", `{"temperature":"hot",` + oneMessage + `}`},
	{"a temperature of 1e400", `{"temperature":1e400,` + oneMessage + `}`},
	{"max_tokens of -1", `{"max_tokens":-1,` + oneMessage + `}`},
	{"17 stops", `{"stop":` + list(`"x"`, 17) + `,` + oneMessage + `}`},
	{"retrieval_options null", `{"retrieval_options":null,` + oneMessage + `}`},
	{"enabled null", `{"retrieval_options":{"enabled":null},` + oneMessage + `}`},
	{"top_k null", `{"retrieval_options":{"top_k":null},` + oneMessage + `}`},
	{"citation_options null", `{"citation_options":null,` + oneMessage + `}`},
	{"events null", `{"citation_options":{"events":null},` + oneMessage + `}`},
	{"metadata_filter null", `{"metadata_filter":null,` + oneMessage + `}`},
	{"stream null", `{"stream":null,` + oneMessage + `}`},
	{"n null", `{"n":null,` + oneMessage + `}`},
	{"stream_options of the wrong type", `{"stream_options":7,` + oneMessage + `}`},
	{"keys that are ours, inside", `{"metadata":{"model":1,"Model":2,"model":3},` + oneMessage + `}`},
	{"double keys in a message", `{"messages":[{"role":"user","role":"user","Role":1}]}`},
	{"a key that begins like ours", `{"models":1,"model_":2,"messages_":3,"streams":4,` + oneMessage + `}`},
	{"base_url and api_key", `{"api_base":"http://x","base_url":"http://y","api_key":"z",` + oneMessage + `}`},
	{"extensions without members", `{"retrieval_options":{},"citation_options":{},"metadata_filter":{},` + oneMessage + `}`},
	{"white space around", " \n{" + oneMessage + "}\r\n\t "},
}

func TestWhatIsNotOursToJudgePasses(t *testing.T) {
	for _, c := range accepted {
		r, err := ReadRequest([]byte(c.body))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := r.Body(); string(got) != c.body {
			t.Errorf("%s: the body changed", c.name)
		}
	}
}

func TestACorpusOfOddRequestsPassesByteForByte(t *testing.T) {
	for name, body := range corpus(t, "requests") {
		before := string(body)
		r, err := ReadRequest(body)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		r.Messages()
		r.EditAssistantText(func(s string) string { return s })
		r.SetModel(r.Model())
		if !r.HasModel() {
			r = mustRead(t, before)
		}
		r.AddContext("")
		r.SetSystemPrompt("")
		got := r.Body()
		if string(got) != before {
			t.Errorf("%s: got %s", name, got)
		}
		if &got[0] != &r.body[0] {
			t.Errorf("%s: the unedited body was copied", name)
		}
	}
}

func TestHostileBodiesCostLittleMemory(t *testing.T) {
	const size = 9 << 20
	for name, body := range map[string]string{
		"empty objects as messages": `{"messages":` + list("{}", size/3) + `}`,
		"empty objects elsewhere":   `{"x":` + list("{}", size/3) + `,` + oneMessage + `}`,
		"open brackets":             strings.Repeat("[", size),
		"open objects":              strings.Repeat(`{"a":`, size/5),
		"brackets in the text":      `{"messages":[{"role":"user","content":"` + strings.Repeat("[", size) + `"}]}`,
		"members":                   `{` + manyFields(size/16) + oneMessage + `}`,
		"one member again":          `{` + strings.Repeat(`"x":1,`, size/6) + oneMessage + `}`,
		"members of a message":      `{"messages":[{` + strings.TrimSuffix(strings.Repeat(`"role":"a",`, size/11), ",") + `}]}`,
		"escaped keys":              `{` + strings.Repeat(`"\u0061":1,`, size/11) + oneMessage + `}`,
	} {
		raw := []byte(body)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := ReadRequest(raw)
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 16<<20 {
			t.Errorf("%s: %d bytes were allocated (%v)", name, used, err)
		}
	}
}

func TestWhatIsReadOfARequest(t *testing.T) {
	r := mustRead(t, `{"model":"hand\u0062ook","stream":true,"stream_options":{"include_usage":true},"n":3,`+oneMessage+`}`)
	if r.Model() != "handbook" || !r.HasModel() || !r.Stream() || !r.IncludeUsage() || r.N() != 3 {
		t.Errorf("got %q %v %v %v %d", r.Model(), r.HasModel(), r.Stream(), r.IncludeUsage(), r.N())
	}
	r = mustRead(t, `{`+oneMessage+`}`)
	if r.Model() != "" || r.HasModel() || r.Stream() || r.IncludeUsage() || r.N() != 1 {
		t.Errorf("defaults: got %q %v %v %v %d", r.Model(), r.HasModel(), r.Stream(), r.IncludeUsage(), r.N())
	}
	r = mustRead(t, `{"model":"","stream":false,"stream_options":{"include_usage":false},"n":128,`+oneMessage+`}`)
	if r.Model() != "" || !r.HasModel() || r.Stream() || r.IncludeUsage() || r.N() != 128 {
		t.Errorf("zero values: got %q %v %v %v %d", r.Model(), r.HasModel(), r.Stream(), r.IncludeUsage(), r.N())
	}
}

func TestHas(t *testing.T) {
	r := mustRead(t, `{"temperature":0,"top_p":null,"se\u0065d":1,"x":{"inner":1},`+oneMessage+`}`)
	for field, want := range map[string]bool{
		"temperature": true, "top_p": true, "seed": true, "messages": true, "x": true,
		"inner": false, "model": false, "role": false, "Temperature": false, "": false,
	} {
		if got := r.Has(field); got != want {
			t.Errorf("Has(%q) = %v", field, got)
		}
	}
}

func TestMaxTokens(t *testing.T) {
	for body, want := range map[string]int{
		`"max_tokens":100`:                              100,
		`"max_completion_tokens":200`:                   200,
		`"max_tokens":100,"max_completion_tokens":200`:  200,
		`"max_completion_tokens":null,"max_tokens":100`: 100,
		`"max_completion_tokens":0,"max_tokens":7`:      7,
		`"max_tokens":null`:                             0,
		`"max_tokens":-1`:                               0,
		`"max_tokens":"100"`:                            0,
		`"max_tokens":1.5`:                              0,
		`"max_tokens":99999999999999999999`:             0,
		`"x":1`:                                         0,
	} {
		got, ok := mustRead(t, `{`+body+`,`+oneMessage+`}`).MaxTokens()
		if got != want || ok != (want > 0) {
			t.Errorf("%s: got %d, %v", body, got, ok)
		}
	}
}

func TestJSONMode(t *testing.T) {
	for format, want := range map[string]bool{
		`{"type":"json_object"}`: true,
		`{"type":"json_schema","json_schema":{"name":"x","schema":{"type":"text"}}}`: true,
		`{"json_schema":{"type":"text"},"type":"json_\u0073chema"}`:                  true,
		`{"type":"text"}`:              false,
		`{"type":"grammar"}`:           false,
		`{"type":7}`:                   false,
		`{}`:                           false,
		`null`:                         false,
		`"json_object"`:                false,
		`[{"type":"json_object"}]`:     false,
		`{"x":{"type":"json_object"}}`: false,
	} {
		if got := mustRead(t, `{"response_format":`+format+`,`+oneMessage+`}`).JSONMode(); got != want {
			t.Errorf("%s: got %v", format, got)
		}
	}
	if mustRead(t, `{`+oneMessage+`}`).JSONMode() {
		t.Error("without a format there is no JSON mode")
	}
}

func TestForcedTool(t *testing.T) {
	for body, want := range map[string]bool{
		`"tool_choice":"auto"`:     false,
		`"tool_choice":"none"`:     false,
		`"tool_choice":"required"`: true,
		`"tool_choice":"any"`:      true,
		`"tool_choice":null`:       false,
		`"tool_choice":{"type":"function","function":{"name":"f"}}`:                             true,
		`"tool_choice":{"type":"custom","custom":{"name":"f"}}`:                                 true,
		`"tool_choice":{"type":"auto"}`:                                                         false,
		`"tool_choice":{"type":"none"}`:                                                         false,
		`"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto"}}`:                false,
		`"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"required","tools":[]}}`: true,
		`"tool_choice":{}`:              false,
		`"tool_choice":[]`:              false,
		`"tool_choice":7`:               false,
		`"function_call":"auto"`:        false,
		`"function_call":"none"`:        false,
		`"function_call":{"name":"f"}`:  true,
		`"function_call":{}`:            false,
		`"function_call":null`:          false,
		`"tools":[{"type":"function"}]`: false,
	} {
		if got := mustRead(t, `{`+body+`,`+oneMessage+`}`).ForcedTool(); got != want {
			t.Errorf("%s: got %v", body, got)
		}
	}
}

func TestExtensions(t *testing.T) {
	yes, no, five := true, false, 5
	for body, want := range map[string]Extensions{
		`"x":1`:                                                      {},
		`"retrieval_options":{}`:                                     {},
		`"retrieval_options":{"enabled":true}`:                       {Retrieval: RetrievalOptions{Enabled: &yes}},
		`"retrieval_options":{"enabled":false}`:                      {Retrieval: RetrievalOptions{Enabled: &no}},
		`"retrieval_options":{"top_k":5}`:                            {Retrieval: RetrievalOptions{TopK: &five}},
		`"retrieval_options":{"top\u005fk":5,"enabled":true}`:        {Retrieval: RetrievalOptions{Enabled: &yes, TopK: &five}},
		`"citation_options":{}`:                                      {},
		`"citation_options":{"events":true}`:                         {Citations: CitationOptions{Events: true}},
		`"citation_options":{"in_message":true}`:                     {Citations: CitationOptions{InMessage: true}},
		`"citation_options":{"uncited":true}`:                        {Citations: CitationOptions{Uncited: true}},
		`"citation_options":{"in_\u006dessage":true,"events":false}`: {Citations: CitationOptions{InMessage: true}},
		`"metadata_filter":{"a":1}`:                                  {MetadataFilter: true},
		`"metadata":{"citation_options":{}}`:                         {},
	} {
		if got := mustRead(t, `{`+body+`,`+oneMessage+`}`).Extensions(); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v", body, got)
		}
	}
}

func TestMessagesAreDecoded(t *testing.T) {
	r := mustRead(t, `{"messages":[
		{"role":"system","content":"Be \"brief\"\n"},
		{"role":"user","content":[{"type":"text","text":"Look:"},{"type":"image_url","image_url":{"url":"data:,"}},{"type":"text","text":"caf\u00e9"}]},
		{"role":"assistant","content":null,"tool_calls":[{"id":"c"}]},
		{"role":"tool","content":"sunny"},
		{"content":"no role"},
		{"role":"user"},
		{"role":7,"content":8},
		{"role":"user","content":[]},
		{"role":"user","content":["bare",{"type":"input_text","text":"in"},{"type":"output_text","text":"out"},{"type":"text"},{"type":"text","text":null},{"type":"refusal","refusal":"no"},{"text":"untyped"}]},
		{"r\u006fle":"us\u0065r","content":"\ud83d\ude00 \ud83d"}]}`)
	want := []Message{
		{"system", "Be \"brief\"\n"}, {"user", "Look:\ncafé"}, {"assistant", ""}, {"tool", "sunny"}, {"", "no role"},
		{"user", ""}, {"", ""}, {"user", ""}, {"user", "bare\nin\nout"}, {"user", "😀 \ufffd"},
	}
	if got := r.Messages(); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestOfDoubleMembersOfAMessageTheLastCounts(t *testing.T) {
	r := mustRead(t, `{"messages":[{"role":"system","role":"user","content":"first","content":"last"}]}`)
	if got := r.LastUserText(); got != "last" {
		t.Errorf("got %q", got)
	}
}

func TestLastUserText(t *testing.T) {
	for messages, want := range map[string]string{
		`{"role":"user","content":"a"}`:                                                                   "a",
		`{"role":"user","content":"a"},{"role":"user","content":"b"}`:                                     "b",
		`{"role":"user","content":"a"},{"role":"assistant","content":"b"}`:                                "a",
		`{"role":"user","content":"a"},{"role":"assistant","content":null},{"role":"tool","content":"t"}`: "a",
		`{"role":"system","content":"a"}`:                                                                 "",
		`{"role":"User","content":"a"}`:                                                                   "",
		`{"role":"user","content":"a"},{"role":"user","content":""}`:                                      "",
		`{"role":"user","content":"a"},{"role":"user","content":[{"type":"image_url"}]}`:                  "",
		`{"role":"user","content":[{"type":"text","text":"x"},{"type":"text","text":"y"}]}`:               "x\ny",
		`{"role":"user","content":"[1]"}`:                                                                 "[1]",
		`{"role":"user","content":"  😀  "}`:                                                               "  😀  ",
	} {
		if got := mustRead(t, `{"messages":[`+messages+`]}`).LastUserText(); got != want {
			t.Errorf("%s: got %q, want %q", messages, got, want)
		}
	}
}

// As OpenAI does: only an assistant's message may be without content, and empty text is text.
func TestContentThatIsNoTextIsRefusedByName(t *testing.T) {
	for messages, want := range map[string]string{
		`{"role":"user","content":123}`:                        "messages[0].content invalid_type",
		`{"role":"user","content":true}`:                       "messages[0].content invalid_type",
		`{"role":"user","content":{"type":"text","text":"x"}}`: "messages[0].content invalid_type",
		`{"role":"user","content":null}`:                       "messages[0].content invalid_type",
		`{"role":"user"}`:                                      "messages[0].content missing_required_parameter",
		`{}`:                                                   "messages[0].content missing_required_parameter",
		`{"role":"user","content":"x"},{"role":"assistant","content":-1}`:         "messages[1].content invalid_type",
		`{"role":"system","content":"x"},{"role":"tool","tool_call_id":"c"}`:      "messages[1].content missing_required_parameter",
		`{"role":"user","content":"x","content":7}`:                               "messages[0].content invalid_type",
		`{"role":"user","content":""}`:                                            "",
		`{"role":"user","content":[{"type":"text","text":"x"}]}`:                  "",
		`{"role":"wizard","content":"x"},{"role":7,"content":"x"}`:                "",
		`{"role":"assistant","content":null,"tool_calls":[]}`:                     "",
		`{"role":"assistant","tool_calls":[]},{"role":"tool","content":"[1]"}`:    "",
		`{"role":"function","name":"f","content":null},{"r\u006fle":"assistant"}`: "",
	} {
		err := mustRead(t, `{"messages":[`+messages+`]}`).CheckContent()
		var e *Error
		if got := errors.As(err, &e); got != (want != "") || got && (e.Param+" "+e.Code != want || e.Message == "") {
			t.Errorf("%s: %v", messages, err)
		}
	}
}
