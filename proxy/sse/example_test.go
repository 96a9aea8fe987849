package sse_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"footnote/proxy/sse"
)

// A relay forwards the events that came in the right form as the very bytes
// that came, and frames the others anew.
func ExampleReader() {
	upstream := strings.NewReader(": warming up\n\n" +
		"data: {\"n\":1}\n\n" +
		"id: 2\r\ndata: {\"n\":\r\ndata: 2}\r\n\r\n" +
		"data: [DONE]\n\n")
	r := sse.NewReader(upstream, 8<<20)
	for {
		ev, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		frame := ev.Raw
		if frame == nil {
			frame = sse.AppendData(nil, ev.Data)
		}
		fmt.Printf("%q %v\n", frame, sse.IsDone(ev.Data))
	}
	// Output:
	// "data: {\"n\":1}\n\n" false
	// "data: {\"n\": 2}\n\n" false
	// "data: [DONE]\n\n" true
}

// llama.cpp used to report a failure on a line that is no field of the format.
func ExampleEvent_errorLine() {
	r := sse.NewReader(strings.NewReader("error: {\"code\":500,\"message\":\"no slot\"}\n\n"), 8<<20)
	ev, err := r.Next()
	fmt.Printf("%s %v\n", ev.ErrorLine, err)
	// Output: {"code":500,"message":"no slot"} <nil>
}

func ExampleAppendData() {
	_, _ = os.Stdout.Write(sse.AppendData(nil, []byte("{\n  \"a\": 1\n}")))
	// Output: data: {   "a": 1 }
}
