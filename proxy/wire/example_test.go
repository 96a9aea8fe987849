package wire_test

import (
	"fmt"
	"strings"

	"footnote/proxy/wire"
)

// The request is edited, never encoded anew: spaces, the large integer and the
// unknown member come out as they went in.
func ExampleRequest_AddContext() {
	body := `{"model": "handbook", "seed": 12345678901234567890, "x_vendor": {"b":1,"a":2},
 "messages": [{"role": "user", "content": "How many days off?"}], "retrieval_options": {"top_k": 3}}`
	r, err := wire.ReadRequest([]byte(body))
	if err != nil {
		fmt.Println(err)
		return
	}
	r.SetModel("gpt-4o")
	r.AddContext("Sources:\n[1] 30 days")
	r.StripExtensions()
	fmt.Println(r.LastUserText())
	fmt.Println(string(r.Body()))
	// Output:
	// How many days off?
	// {"model": "gpt-4o", "seed": 12345678901234567890, "x_vendor": {"b":1,"a":2},
	//  "messages": [{"role":"system","content":"Sources:\n[1] 30 days"},{"role": "user", "content": "How many days off?"}]}
}

func ExampleReadRequest_refused() {
	_, err := wire.ReadRequest([]byte(`{"model":"cheap","MODEL":"expensive","messages":[{}]}`))
	e := err.(*wire.Error)
	fmt.Println(e.Code, e.Param)
	// Output: duplicate_key model
}

func ExampleRequest_EditAssistantText() {
	r, err := wire.ReadRequest([]byte(`{"messages":[{"role":"assistant","content":"It grew [1]."},{"role":"user","content":"By [1]?"}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	r.EditAssistantText(func(s string) string { return strings.ReplaceAll(s, " [1]", "") })
	fmt.Println(string(r.Body()))
	// Output: {"messages":[{"role":"assistant","content":"It grew."},{"role":"user","content":"By [1]?"}]}
}

func ExampleSplice() {
	answer := "{\n  \"citations\": [\"https://upstream\"],\n  \"choices\": []\n}\n"
	fmt.Print(string(wire.Splice(nil, []byte(answer), wire.Member{Key: "citations", Value: []byte(`{"status":"none"}`)})))
	// Output:
	// {
	//   "upstream_citations": ["https://upstream"],
	//   "choices": [],"citations":{"status":"none"}
	// }
}

func ExampleScanFrame() {
	var scanned wire.Frame // one for all frames of a stream
	for _, data := range []string{
		`{"choices":[{"index":0,"delta":{"content":"caf\u00e9 [1]"}}]}`,
		`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`,
	} {
		if err := wire.ScanFrame([]byte(data), &scanned); err != nil {
			fmt.Println(err)
		}
		for _, c := range scanned.Choices {
			fmt.Printf("%d %q %q\n", c.Index, c.Content, c.FinishReason)
		}
	}
	// Output:
	// 0 "café [1]" ""
	// 0 "" "stop"
}

func ExampleAddAnnotations() {
	finish := `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
	fmt.Println(string(wire.AddAnnotations([]byte(finish), 0, []byte(`[{"type":"url_citation"}]`), true)))
	// Output: {"choices":[{"index":0,"delta":{"annotations":[{"type":"url_citation"}]},"finish_reason":"stop"}]}
}

func ExampleErrorObject() {
	for _, body := range []string{
		`{"error":{"message":"Overloaded","type":"overloaded_error"}}`,
		`{"error":{"code":503,"message":"Loading model"}}`,
		`{"error":"model not found"}`,
		`{"detail":"Not Found"}`,
	} {
		message, typ, _, code, ok := wire.ErrorObject([]byte(body))
		fmt.Printf("%v %s|%s|%s\n", ok, message, typ, code)
	}
	// Output:
	// true Overloaded|overloaded_error|
	// true Loading model||503
	// true model not found||
	// true Not Found||
}

func ExampleRedact() {
	fmt.Println(wire.Redact(`Post "https://llm.internal:8443/v1": dial tcp 10.1.2.3:8443: refused (key sk-abcdef123456)`))
	// Output: Post "[url]": dial tcp [address]: refused (key [secret])
}

func ExampleCollector() {
	c := wire.NewCollector()
	for _, data := range []string{
		`{"id":"x","choices":[{"index":0,"delta":{"role":"assistant","content":"Hel"}}]}`,
		`{"id":"x","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":"stop"}]}`,
	} {
		if err := c.Add([]byte(data)); err != nil {
			fmt.Println(err)
		}
	}
	answer, err := c.JSON()
	fmt.Println(string(answer), err)
	// Output: {"object":"chat.completion","id":"x","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}]} <nil>
}

func ExampleStreamFromJSON() {
	frames, err := wire.StreamFromJSON([]byte(`{"id":"x","choices":[{"message":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}],"usage":{"total_tokens":3}}`), true)
	for _, f := range frames {
		fmt.Println(string(f))
	}
	fmt.Println(err)
	// Output:
	// {"object":"chat.completion.chunk","id":"x","choices":[{"index":0,"delta":{"role":"assistant","content":"Hi"},"finish_reason":null}]}
	// {"object":"chat.completion.chunk","id":"x","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}
	// {"object":"chat.completion.chunk","id":"x","choices":[],"usage":{"total_tokens":3}}
	// <nil>
}
