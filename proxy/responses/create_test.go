package responses

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"footnote/assistants"
)

const citedAnswer = `{"id":"c1","choices":[{"index":0,"message":{"role":"assistant","content":"It is 27 [1][2]."},"finish_reason":"stop"}],
	"usage":{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10,"prompt_tokens_details":{"cached_tokens":2},"completion_tokens_details":{"reasoning_tokens":1}},
	"citations":{"status":"cited","sources":[{"index":1,"document_id":"doc_a","document_name":"a.pdf","score":0.9,"excerpt":"27","content_type":"application/pdf","chunk_index":1,"char_start":0,"char_end":2,"citation":"(Source)"},
		{"index":2,"document_id":"doc_b","document_name":"b.pdf","score":0.8,"excerpt":"27","content_type":"application/pdf","chunk_index":1,"char_start":0,"char_end":2,"citation":"(Source)"}],
	"referenced_indices":[1,2],"markers":[{"choice":0,"start":9,"end":12,"indices":[1],"claim_start":0,"claim_end":16},{"choice":0,"start":12,"end":15,"indices":[2],"claim_start":0,"claim_end":16}],
	"invalid_indices":[],"coverage":1,"confidence":0.7,"confidence_percent":70,"confidence_level":"medium",
	"confidence_factors":{"relevance":0.8,"sources":0.6,"similarity":0.8,"method":"relevance_proxy"},"offset_unit":"codepoint","warnings":[]}}`

func TestAChatsAnswerIsAResponse(t *testing.T) {
	w := newWorld(t)
	w.chat = says(200, citedAnswer, answerHeader, "ans_1", "X-Ratelimit-Limit-Requests", "9")
	resp, raw := w.send("POST", "/v1/responses", `{"model":"handbook","input":"How many?","instructions":"Be brief.","metadata":{"a":"b"},"max_output_tokens":99,"temperature":0,"user":"u"}`)
	var got map[string]any
	if err := json.Unmarshal(raw, &got); err != nil || resp.StatusCode != 200 || resp.Header.Get("X-Ratelimit-Limit-Requests") != "9" || resp.Header.Get("X-Request-Id") != "req_test" {
		t.Fatalf("%d %v %s", resp.StatusCode, resp.Header, raw)
	}
	for path, want := range map[string]any{
		"id": "ans_1", "object": "response", "status": "completed", "model": "handbook", "instructions": "Be brief.", "store": true, "user": "u",
		"max_output_tokens": 99.0, "temperature": 0.0, "created_at": float64(noon.Unix()), "error": nil, "incomplete_details": nil,
	} {
		if got[path] != want {
			t.Errorf("%s is %v, want %v", path, got[path], want)
		}
	}
	content := at(got, "output", 0, "content", 0)
	want := map[string]any{"type": "output_text", "text": "It is 27 [1][2].", "logprobs": []any{}, "annotations": []any{
		map[string]any{"type": "file_citation", "file_id": "doc_a", "filename": "a.pdf", "index": 9.0},
		map[string]any{"type": "file_citation", "file_id": "doc_b", "filename": "b.pdf", "index": 12.0},
	}}
	if !reflect.DeepEqual(content, want) {
		t.Errorf("content %v\nwant %v", content, want)
	}
	usage := map[string]any{
		"input_tokens": 7.0, "input_tokens_details": map[string]any{"cached_tokens": 2.0}, "output_tokens": 3.0,
		"output_tokens_details": map[string]any{"reasoning_tokens": 1.0}, "total_tokens": 10.0,
	}
	if !reflect.DeepEqual(got["usage"], usage) || at(got, "citations", "status") != "cited" || at(got, "metadata", "a") != "b" {
		t.Errorf("usage %v, citations %v", got["usage"], got["citations"])
	}
	if w.path != "POST /v1/chat/completions" || w.header.Get(formatHeader) != "native" || w.header.Get(historyHeader) != "" {
		t.Errorf("the chat was asked by %s with %v", w.path, w.header)
	}
	if resp, _ := w.send("POST", "/assistants/handbook/v1/responses", `{"input":"x","store":false}`); resp.StatusCode != 200 ||
		w.path != "POST /assistants/handbook/v1/chat/completions" || w.header.Get(historyHeader) != "off" {
		t.Errorf("at an assistant's address: %s, %v", w.path, w.header)
	}
}

func TestLinksAreAnnotationsOfTheirOwn(t *testing.T) {
	w := newWorld(t)
	w.chat = says(200, `{"choices":[{"index":0,"message":{"content":"27 [1].","annotations":[{"type":"other"},
		{"type":"url_citation","url_citation":{"start_index":3,"end_index":6,"title":"a.pdf, page 1","url":"https://docs.example/a#page=1"}}]},"finish_reason":"stop"}]}`)
	got := w.respond(200, `{"input":"x"}`)
	want := []any{map[string]any{"type": "url_citation", "start_index": 3.0, "end_index": 6.0, "title": "a.pdf, page 1", "url": "https://docs.example/a#page=1"}}
	if annotations := at(got, "output", 0, "content", 0, "annotations"); !reflect.DeepEqual(annotations, want) {
		t.Errorf("annotations %v", annotations)
	}
	if got["store"] != false || !assistants.IsID("ans_", got["id"].(string)) || got["usage"] != nil {
		t.Errorf("not stored: %v", got)
	}
}

func TestAnAnswerThatIsNotWholeSaysWhy(t *testing.T) {
	w := newWorld(t)
	for finish, want := range map[string]string{"length": "max_output_tokens", "content_filter": "content_filter"} {
		w.chat = says(200, `{"choices":[{"index":0,"message":{"content":"It is"},"finish_reason":"`+finish+`"}]}`)
		got := w.respond(200, `{"input":"x"}`)
		if got["status"] != "incomplete" || at(got, "incomplete_details", "reason") != want || at(got, "output", 0, "status") != "incomplete" {
			t.Errorf("%s: %v", finish, got)
		}
	}
	w.chat = says(200, `{"choices":[{"index":0,"message":{"content":null,"refusal":"I will not."},"finish_reason":"stop"}]}`)
	if got := at(w.respond(200, `{"input":"x"}`), "output", 0, "content", 0); !reflect.DeepEqual(got, map[string]any{"type": "refusal", "refusal": "I will not."}) {
		t.Errorf("a refusal: %v", got)
	}
	w.chat = says(200, `no JSON`)
	if code, _ := faultOf(w.respond(502, `{"input":"x"}`)); code != "upstream_invalid_response" {
		t.Errorf("an answer that cannot be read: %v", code)
	}
	w.chat = says(200, `{"choices":[{"message":{"content":"`+strings.Repeat("a", 1<<20)+`"}}]}`)
	if code, _ := faultOf(w.respond(503, `{"input":"x"}`)); code != "overloaded" {
		t.Errorf("an answer without room: %v", code)
	}
}

func TestTheErrorsOfAChatArePassedOn(t *testing.T) {
	w := newWorld(t)
	for _, body := range []string{`{"input":"x","model":"m"}`, `{"input":"x","model":"m","stream":true}`} {
		w.chat = says(404, `{"error":{"message":"No.","type":"invalid_request_error","param":"model","code":"model_not_found"}}`, "Retry-After", "3")
		resp, raw := w.send("POST", "/v1/responses", body)
		if resp.StatusCode != 404 || !strings.Contains(string(raw), `"code":"model_not_found"`) || resp.Header.Get("Retry-After") != "3" || resp.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %d %v %s", body, resp.StatusCode, resp.Header, raw)
		}
	}
	w.chat = says(400, `{"error":{"message":"No.","type":"invalid_request_error","param":"retrieval_options.collections","code":"invalid_value"}}`)
	for _, more := range []string{"", `,"stream":true`} {
		got := w.respond(400, `{"input":"x","tools":[{"type":"file_search","vector_store_ids":["coll_a"]}]`+more+`}`)
		if _, param := faultOf(got); param != "tools[0].vector_store_ids" {
			t.Errorf("the parameter is %v", param)
		}
	}
}

// TestRequestsBecomeChats compares chat requests with those for responses.
func TestRequestsBecomeChats(t *testing.T) {
	w := newWorld(t)
	w.chat = says(200, `{"choices":[{"message":{"content":"a"}}]}`)
	for body, want := range map[string]string{
		`{"input":"hi","model":"m"}`: `{"model":"m","messages":[{"role":"user","content":"hi"}]}`,
		`{"input":[{"role":"developer","content":"d"},{"type":"message","role":"user","content":[{"type":"input_text","text":"a"},{"type":"input_text","text":"b"}]},
			{"id":"msg_1","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","text":"c","annotations":[],"logprobs":[]},{"type":"refusal","refusal":"d"}]}],"instructions":"i"}`: `{"messages":[
			{"role":"system","content":"i"},{"role":"system","content":"d"},{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},{"role":"assistant","content":"cd"}]}`,
		`{"input":"hi","max_output_tokens":5,"temperature":0.5,"top_p":1,"user":"u","prompt_cache_key":"k","safety_identifier":"s","reasoning":{"effort":"low","summary":null},
			"metadata":{"not":"sent"},"parallel_tool_calls":true,"include":[],"background":false,"truncation":"disabled","service_tier":"auto","top_logprobs":0,
			"conversation":null,"prompt":null,"max_tool_calls":null,"store":true,"tools":[],"tool_choice":"none","stream":false}`: `{"messages":[{"role":"user","content":"hi"}],
			"max_completion_tokens":5,"temperature":0.5,"top_p":1,"user":"u","prompt_cache_key":"k","safety_identifier":"s","reasoning_effort":"low"}`,
		`{"input":"hi","text":{"format":{"type":"json_schema","name":"n","schema":{"type":"object"},"strict":true},"verbosity":"low"}}`: `{"messages":[{"role":"user","content":"hi"}],"verbosity":"low",
			"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":{"type":"object"},"strict":true}}}`,
		`{"input":"hi","text":{"format":{"type":"json_object"}}}`: `{"messages":[{"role":"user","content":"hi"}],"response_format":{"type":"json_object"}}`,
		`{"input":"hi","text":{"format":{"type":"text"}}}`:        `{"messages":[{"role":"user","content":"hi"}]}`,
		`{"input":"hi","tools":[{"type":"file_search","vector_store_ids":["coll_a"],"max_num_results":3,"filters":{"type":"gte","key":"year","value":2025},"ranking_options":{"ranker":"auto","score_threshold":0}}]}`: `{
			"messages":[{"role":"user","content":"hi"}],"retrieval_options":{"collections":["coll_a"],"top_k":3},
			"metadata_filter":{"required_tags":[{"key":"year","condition":"IsNotNull"}],"excluded_tags":[{"key":"year","condition":"LessThan","value":"2025"}]}}`,
		`{"input":"hi","tool_choice":"none","tools":[{"type":"file_search","vector_store_ids":["coll_a"]}]}`: `{
			"messages":[{"role":"user","content":"hi"}],"retrieval_options":{"collections":["coll_a"],"enabled":false}}`,
		`{"input":"hi","tool_choice":{"type":"file_search"},"retrieval_options":{"top_k":2},"metadata_filter":{"required_labels":["hr"]}}`: `{
			"messages":[{"role":"user","content":"hi"}],"retrieval_options":{"top_k":2},"metadata_filter":{"required_labels":["hr"]}}`,
	} {
		w.respond(200, body)
		var wanted map[string]any
		if err := json.Unmarshal([]byte(want), &wanted); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(w.asked, wanted) {
			t.Errorf("%s becomes %v\nwant %v", body, w.asked, wanted)
		}
	}
}

func TestWhatIsNotSupportedIsRefusedByName(t *testing.T) {
	w := newWorld(t)
	w.chat = func(http.ResponseWriter, *http.Request) { t.Error("the chat was asked") }
	for body, want := range map[string][2]string{
		`[]`: {"invalid_json", ""}, `{}`: {"missing_required_parameter", "input"}, `{"input":null}`: {"missing_required_parameter", "input"}, `{"input":""}`: {"invalid_value", "input"},
		`{"input":7}`: {"invalid_type", "input"}, `{"input":[]}`: {"invalid_value", "input"}, `{"input":"x","input":"y"}`: {"duplicate_key", "input"}, `{"input":"x","unknown":1}`: {"unsupported_parameter", "unknown"},
		`{"input":["x"]}`: {"invalid_type", "input[0]"},
		`{"input":[{"role":"tool","content":"x"}]}`:       {"invalid_value", "input[0].role"},
		`{"input":[{"role":"user"}]}`:                     {"missing_required_parameter", "input[0].content"},
		`{"input":[{"role":"user","content":null}]}`:      {"invalid_type", "input[0].content"},
		`{"input":[{"role":"user","content":[]}]}`:        {"invalid_value", "input[0].content"},
		`{"input":[{"role":"user","content":"x","a":1}]}`: {"unsupported_parameter", "input[0].a"},
		`{"input":[{"type":"item_reference"}]}`:           {"missing_required_parameter", "input[0].id"}, `{"input":[{"type":"item_reference","id":""}]}`: {"invalid_value", "input[0].id"},
		`{"input":[{"type":"item_reference","id":"msg_1","role":"user"}]}`:                                                {"unsupported_parameter", "input[0].role"},
		`{"input":[{"type":"reasoning","summary":[]}]}`:                                                                   {"unsupported_parameter", "input[0]"},
		`{"input":[{"role":"user","content":"x"},{"type":"function_call_output","call_id":"c","output":"o"}]}`:            {"unsupported_parameter", "input[1]"},
		`{"input":[{"role":"user","content":[{"type":"input_text","text":"x"},{"type":"input_image","image_url":"u"}]}]}`: {"unsupported_parameter", "input[0].content[1]"},
		`{"input":[{"role":"user","content":[{"type":"input_file","file_id":"doc_a"}]}]}`:                                 {"unsupported_parameter", "input[0].content[0]"},
		`{"input":[{"role":"user","content":[{"type":"input_text"}]}]}`:                                                   {"missing_required_parameter", "input[0].content[0].text"},
		`{"input":[{"role":"user","content":[{"text":"x"}]}]}`:                                                            {"missing_required_parameter", "input[0].content[0].type"},
		`{"input":[{"role":"user","content":[{"type":"input_text","text":7}]}]}`:                                          {"invalid_type", "input[0].content[0].text"},
		`{"input":[{"role":"user","content":[{"type":"input_text","text":"x","b":1}]}]}`:                                  {"unsupported_parameter", "input[0].content[0].b"},
		`{"input":"x","background":true}`:                                                                                 {"unsupported_parameter", "background"},
		`{"input":"x","conversation":"conv_1"}`:                                                                           {"unsupported_parameter", "conversation"},
		`{"input":"x","include":["file_search_call.results"]}`:                                                            {"unsupported_parameter", "include"},
		`{"input":"x","truncation":"auto"}`:                                                                               {"unsupported_parameter", "truncation"},
		`{"input":"x","max_tool_calls":1}`:                                                                                {"unsupported_parameter", "max_tool_calls"},
		`{"input":"x","reasoning":{"summary":"auto"}}`:                                                                    {"unsupported_parameter", "reasoning.summary"},
		`{"input":"x","reasoning":{"effort":1}}`:                                                                          {"invalid_type", "reasoning.effort"},
		`{"input":"x","temperature":2.1}`:                                                                                 {"invalid_value", "temperature"},
		`{"input":"x","top_p":"1"}`:                                                                                       {"invalid_type", "top_p"},
		`{"input":"x","max_output_tokens":0}`:                                                                             {"invalid_value", "max_output_tokens"},
		`{"input":"x","max_output_tokens":1.5}`:                                                                           {"invalid_type", "max_output_tokens"},
		`{"input":"x","stream":"true"}`:                                                                                   {"invalid_type", "stream"},
		`{"input":"x","stream_options":{"include_usage":true}}`:                                                           {"unsupported_parameter", "stream_options.include_usage"},
		`{"input":"x","metadata":{"a":1}}`:                                                                                {"invalid_type", "metadata"},
		`{"input":"x","metadata":{"a":"` + strings.Repeat("b", 513) + `"}}`:                                               {"invalid_value", "metadata"},
		`{"input":"x","tools":{}}`:                                                                                        {"invalid_type", "tools"},
		`{"input":"x","tools":[{}]}`:                                                                                      {"invalid_type", "tools[0].type"},
		`{"input":"x","tools":[{"type":"function","name":"f"}]}`:                                                          {"unsupported_parameter", "tools[0]"},
		`{"input":"x","tools":[{"type":"file_search"}]}`:                                                                  {"missing_required_parameter", "tools[0].vector_store_ids"},
		`{"input":"x","tools":[{"type":"file_search","vector_store_ids":[]}]}`:                                            {"invalid_value", "tools[0].vector_store_ids"},
		`{"input":"x","tools":[{"type":"file_search","vector_store_ids":["a"]},{"type":"file_search","vector_store_ids":["a"]}]}`: {"invalid_value", "tools[1]"},
		`{"input":"x","tools":[{"type":"file_search","vector_store_ids":["a"],"max_num_results":51}]}`:                            {"invalid_value", "tools[0].max_num_results"},
		`{"input":"x","tools":[{"type":"file_search","vector_store_ids":["a"],"ranking_options":{"score_threshold":0.5}}]}`:       {"unsupported_parameter", "tools[0].ranking_options.score_threshold"},
		`{"input":"x","tools":[{"type":"file_search","vector_store_ids":["a"],"filters":{"type":"in","key":"k","value":[1,2]}}]}`: {"unsupported_parameter", "tools[0].filters"},
		`{"input":"x","tools":[{"type":"file_search","vector_store_ids":["a"],"filters":{"type":"is"}}]}`:                         {"missing_required_parameter", "tools[0].filters.key"},
		`{"input":"x","tools":[{"type":"file_search","vector_store_ids":["a"]}],"retrieval_options":{}}`:                          {"invalid_value", "retrieval_options"},
		`{"input":"x","tool_choice":"any"}`:                                             {"invalid_value", "tool_choice"},
		`{"input":"x","tool_choice":{"type":"function","name":"f"}}`:                    {"unsupported_parameter", "tool_choice"},
		`{"input":"x","text":{"format":{"type":"grammar"}}}`:                            {"invalid_value", "text.format.type"},
		`{"input":"x","text":{"format":{"type":"json_schema","name":"n"}}}`:             {"missing_required_parameter", "text.format.schema"},
		`{"input":"x","text":{"format":{"type":"text","name":"n"}}}`:                    {"invalid_value", "text.format"},
		`{"input":"x","text":{"format":{"type":"json_schema","name":"n","schema":[]}}}`: {"invalid_type", "text.format.schema"},
		`{"input":"x","previous_response_id":"ans_1"}`:                                  {"invalid_value", "previous_response_id"},
		`{"input":"x","previous_response_id":""}`:                                       {"invalid_value", "previous_response_id"},
		"{\"input\":\"\xff\"}":                                                          {"invalid_utf8", ""},
	} {
		code, param := faultOf(w.respond(400, body))
		if param == nil {
			param = ""
		}
		if code != want[0] || param != want[1] {
			t.Errorf("%s: %v %v, want %v", body, code, param, want)
		}
	}
}
