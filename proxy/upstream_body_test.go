package proxy_test

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"footnote/proxy/upstream/upstreamtest"
)

// whole is an answer with spacing and members that an encoder would lose.
const whole = "{\"id\":\"c\", \"choices\":[ {\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"The fox \\u005b1] \\ud83e\\udd8a\"},\"finish_reason\":\"stop\"} ],\"usage\":{\"total_tokens\":13,\"cost\":0.10}, \"x\":[1.0]}"

func TestUpstreamFaultsAnswersThatAreNone(t *testing.T) {
	page := "<!DOCTYPE html><title>Sign in</title>"
	rows := []fault{
		{id: "U-012 markup", script: upstreamtest.Status(200, page, "Content-Type: text/html"), want: refuses(502, invalid)},
		{id: "U-012 markup that claims to be JSON", script: upstreamtest.JSON(page), want: refuses(502, invalid)},
		{id: "U-012 markup that claims to be a stream", ask: asStream, script: upstreamtest.Status(200, page, "Content-Type: text/event-stream"), want: refuses(502, "upstream_error")},
		{id: "U-012 nothing", script: upstreamtest.JSON(""), want: refuses(502, invalid)},
		{id: "U-012 white space", script: upstreamtest.JSON(" \n"), want: refuses(502, invalid)},
		{id: "U-012 no content type", script: upstreamtest.Raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]"), want: refuses(502, invalid)},
		{id: "U-012 204", script: upstreamtest.Raw("HTTP/1.1 204 No Content\r\n\r\n"), want: refuses(502, invalid)},
		{id: "U-012 205", script: upstreamtest.Status(205, ""), want: refuses(502, invalid)},
		{id: "U-012 status 999", script: upstreamtest.Status(999, refused), want: refuses(502, invalid)},
		{id: "U-012 another status of success", script: upstreamtest.Status(202, `{"id":"job"}`), want: passes(202, `{"id":"job"}`)},
	}
	for _, body := range []string{`{}`, `{"id":"c"}`, `{"choices":[]}`, `{"choices":null}`, `{"choices":{}}`, `{"choices":[1]}`, `null`, `[]`, `"text"`, `7`,
		`{"choices":[{"index":0,"message":{"content":"cut`, `{"choices":[{"index":0,"message":{"content":"x"}}]} {}`, `{"object":"list","data":[]}`} {
		want := refuses(502, invalid)
		if strings.HasPrefix(body, "{") && json.Valid([]byte(body)) {
			want.bare = body
		}
		rows = append(rows, fault{id: "U-012 " + body, script: upstreamtest.JSON(body), want: want})
	}
	playFaults(t, rows)
}

func TestUpstreamFaultsConversions(t *testing.T) {
	tools := `{"id":"c","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"t","type":"function","function":{"name":"f","arguments":"{\"a\":[1]}"}}]},"finish_reason":"tool_calls"}]}`
	text, more := says("The fox [1]"), says(" crosses")
	usage := `{"id":"c","choices":[],"usage":{"total_tokens":13}}`
	head := `{"object":"chat.completion.chunk","id":"c"`
	playFaults(t, []fault{
		{id: "U-013 JSON where a stream was asked", ask: asStream, script: upstreamtest.JSON(whole), want: streams(
			head+`,"choices":[{"index":0,"delta":{"role":"assistant","content":"The fox \u005b1] \ud83e\udd8a"},"finish_reason":null}]}`,
			head+`,"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"x":[1.0]}`)},
		{id: "U-013 JSON where a stream with usage was asked", ask: asStream, with: `"stream_options":{"include_usage":true},`, script: upstreamtest.JSON(whole), want: streams(
			head+`,"choices":[{"index":0,"delta":{"role":"assistant","content":"The fox \u005b1] \ud83e\udd8a"},"finish_reason":null}]}`,
			head+`,"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"x":[1.0]}`,
			head+`,"choices":[],"usage":{"total_tokens":13,"cost":0.10}}`)},
		{id: "U-013 JSON with tool calls where a stream was asked", ask: asStream, script: upstreamtest.JSON(tools), want: streams(
			head+`,"created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"t","type":"function","function":{"name":"f","arguments":"{\"a\":[1]}"}}]},"finish_reason":null}]}`,
			head+`,"created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`)},
		{id: "U-013 JSON behind a byte order mark", ask: asJSON, script: upstreamtest.JSON("\ufeff" + whole), want: answers(whole)},
		{id: "U-013 JSON behind a byte order mark where a stream was asked", ask: asStream, script: upstreamtest.JSON("\ufeff" + whole), want: streams(
			head+`,"choices":[{"index":0,"delta":{"role":"assistant","content":"The fox \u005b1] \ud83e\udd8a"},"finish_reason":null}]}`,
			head+`,"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"x":[1.0]}`)},
		{id: "U-013 a stream where JSON was asked", ask: asJSON, script: ends(text, more, stops(), usage, "[DONE]"), want: answers(
			`{"object":"chat.completion","id":"c","created":1,"model":"m","usage":{"total_tokens":13},"choices":[{"index":0,"message":{"role":"assistant","content":"The fox [1] crosses"},"finish_reason":"stop"}]}`)},
		{id: "U-013 a stream without [DONE] where JSON was asked", ask: asJSON, script: ends(text, stops()), want: answers(
			`{"object":"chat.completion","id":"c","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"The fox [1]"},"finish_reason":"stop"}]}`)},
		{id: "U-013 a stream of two choices where JSON was asked", ask: asJSON, with: `"n":2,`, script: ends(saysAs(1, "b"), text, endsWith(1, `"length"`), stops(), "[DONE]"), want: answers(
			`{"object":"chat.completion","id":"c","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"The fox [1]"},"finish_reason":"stop"},{"index":1,"message":{"role":"assistant","content":"b"},"finish_reason":"length"}]}`)},
		{id: "U-013 a stream that is cut where JSON was asked", ask: asJSON, script: sends(text).Then(upstreamtest.Closes()), want: refuses(502, interrupted)},
		{id: "U-013 a stream that is reset where JSON was asked", ask: asJSON, script: sends(text).Then(upstreamtest.Resets()), want: refuses(502, interrupted)},
		{id: "U-013 a stream without a finish chunk where JSON was asked", ask: asJSON, script: ends(text), want: refuses(502, interrupted)},
		{id: "U-013 a stream of one of two choices where JSON was asked", ask: asJSON, with: `"n":2,`, script: ends(text, stops()), want: refuses(502, interrupted)},
		{id: "U-013 an empty stream where JSON was asked", ask: asJSON, script: ends("[DONE]"), want: refuses(502, interrupted)},
		{id: "U-013 a stream that is none where JSON was asked", ask: asJSON, script: ends("{"), want: refuses(502, invalid)},
		{id: "U-013 a stream named in capitals", ask: asStream, script: upstreamtest.Raw(upstreamtest.Head(200, "Content-Type: TEXT/Event-Stream; charset=UTF-8", "Connection: close"),
			"data: "+text+"\n\ndata: "+stops()+"\n\ndata: [DONE]\n\n").Then(upstreamtest.Closes()), want: streams(text, stops())},
		{id: "U-013 a stream that claims to be JSON where JSON was asked", ask: asJSON, script: upstreamtest.JSON(events(text, stops(), "[DONE]")), want: refuses(502, invalid)},
		{id: "U-013 JSON without a Content-Type where a stream was asked", ask: asStream, script: upstreamtest.Status(200, "\n "+whole, "Content-Type:"), want: streams(
			head+`,"choices":[{"index":0,"delta":{"role":"assistant","content":"The fox \u005b1] \ud83e\udd8a"},"finish_reason":null}]}`,
			head+`,"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"x":[1.0]}`)},
	})
	for _, kind := range []string{"application/json", "text/plain; charset=utf-8", ""} {
		for _, opening := range []string{"", ": wait\n\n", "\ufeff", "\r\n", "event: message\n", "id: 1\n", "retry: 5\n"} {
			playFaults(t, []fault{
				{id: fmt.Sprintf("U-013 a stream of type %q that begins with %q", kind, opening), ask: asStream,
					script: upstreamtest.Status(200, opening+events(text, stops(), "[DONE]"), "Content-Type: "+kind), want: streams(text, stops())},
			})
		}
		playFaults(t, []fault{
			{id: fmt.Sprintf("U-013 a stream of type %q that is cut", kind), ask: asStream,
				script: upstreamtest.Raw(upstreamtest.Head(200, "Content-Type: "+kind, "Connection: close"), events(text)).Then(upstreamtest.Closes()), want: cut(interrupted, text)},
			{id: fmt.Sprintf("U-013 words of type %q", kind), ask: asStream, script: upstreamtest.Status(200, "dates: none", "Content-Type: "+kind), want: refuses(502, invalid)},
		})
	}
}

func TestUpstreamFaultsOddHTTP(t *testing.T) {
	raw := func(b string) upstreamtest.Script { return upstreamtest.Raw(b).Then(upstreamtest.Closes()) }
	good := upstreamtest.JSON(whole)
	trailers := upstreamtest.Raw(upstreamtest.Head(200, "Trailer: X-Sum", "Transfer-Encoding: chunked")).Then(upstreamtest.Chunk(whole), upstreamtest.Bytes("0\r\nX-Sum: 1\r\n\r\n"))
	playFaults(t, []fault{
		{id: "U-014 103 first", ask: asJSON, script: upstreamtest.Raw("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n").Then(good...), want: answers(whole)},
		{id: "U-014 103 first", ask: asStream, script: upstreamtest.Raw("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n").Then(ends(stops(), "[DONE]")...), want: streams(stops())},
		{id: "U-014 100 and 102 first", ask: asJSON, script: upstreamtest.Raw("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n").Then(good...), want: answers(whole)},
		{id: "U-014 1xx without end", script: upstreamtest.Script{upstreamtest.Repeat(1<<20, "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n")}, want: refuses(502, invalid)},
		{id: "U-014 101", script: upstreamtest.Raw("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n").Then(upstreamtest.Hangs()), want: refuses(502, invalid)},
		{id: "U-014 trailers", ask: asJSON, script: trailers, want: answers(whole)},
		{id: "U-014 trailers that are none", ask: asJSON, script: upstreamtest.Raw(upstreamtest.Head(200, "Transfer-Encoding: chunked")).Then(
			upstreamtest.Chunk(whole), upstreamtest.Bytes("0\r\n"+canaryKey+"\r\n\r\n"), upstreamtest.Closes()), want: refuses(502, interrupted)},
		{id: "U-014 trailers that are none, of a stream", ask: asStream, script: sends(says("x")).Then(upstreamtest.Bytes("0\r\n"+canaryKey+"\r\n\r\n"), upstreamtest.Closes()),
			want: cut(interrupted, says("x"))},
		{id: "U-014 a header of 100 KiB", ask: asJSON, script: upstreamtest.Status(200, whole, "X-Long: "+strings.Repeat("x", 100<<10)), want: answers(whole)},
		{id: "U-014 a header of 1 MiB", script: raw("HTTP/1.1 200 OK\r\nX-Long: " + strings.Repeat("x", 1<<20) + "\r\n\r\n"), want: refuses(502, invalid)},
		{id: "U-014 10,000 headers", script: raw("HTTP/1.1 200 OK\r\n" + strings.Repeat("X-Many: "+strings.Repeat("x", 40)+"\r\n", 10_000) + "\r\n"), want: refuses(502, invalid)},
		{id: "U-014 headers without end", script: upstreamtest.Raw("HTTP/1.1 200 OK\r\n").Then(upstreamtest.Repeat(1<<20, "X-More: yes\r\n")), want: refuses(502, invalid)},
		{id: "U-014 no status line", script: raw(canaryKey + " " + canaryPrompt + "\r\n\r\n"), want: refuses(502, invalid)},
		{id: "U-014 no header line", script: raw("HTTP/1.1 200 OK\r\n" + canaryKey + "\r\n\r\n"), want: refuses(502, invalid)},
		{id: "U-014 a header with a NUL", script: raw("HTTP/1.1 200 OK\r\nX: " + canaryKey + "\x00\r\n\r\n"), want: refuses(502, invalid)},
		{id: "U-014 status of two digits", script: raw("HTTP/1.1 20 OK\r\n\r\n"), want: refuses(502, invalid)},
		{id: "U-014 HTTP/0.9", script: raw("<html>" + canaryKey + "</html>"), want: refuses(502, invalid)},
		{id: "U-014 HTTP/1.0", ask: asJSON, script: raw("HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n" + whole), want: answers(whole)},
		{id: "U-014 HTTP/3.0", script: raw("HTTP/3.0 200 OK\r\nContent-Length: 2\r\n\r\n[]"), want: refuses(502, invalid)},
		{id: "U-014 another protocol", script: raw("SSH-2.0-OpenSSH_9.9\r\n"), want: refuses(502, invalid)},
		{id: "U-014 two lengths", script: raw("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"), want: refuses(502, invalid)},
		{id: "U-014 a negative length", script: raw("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n{}"), want: refuses(502, invalid)},
		{id: "U-014 an unknown transfer coding", script: raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: xchunked\r\n\r\n{}"), want: refuses(502, invalid)},
		{id: "U-014 length and chunks", ask: asJSON, script: upstreamtest.Raw("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n").Then(
			upstreamtest.Chunk(whole), upstreamtest.EndStream()), want: answers(whole)},
	})
}

func TestUpstreamFaultsBrokenBodies(t *testing.T) {
	half := whole[:len(whole)/2]
	playFaults(t, []fault{
		{id: "U-019 reset inside the body", ask: asJSON, script: upstreamtest.Raw(upstreamtest.Head(200, "Content-Length: 999"), half).Then(upstreamtest.Resets()), want: refuses(502, interrupted)},
		{id: "U-019 length too long", ask: asJSON, script: upstreamtest.Raw(upstreamtest.Head(200, "Content-Length: 999"), whole).Then(upstreamtest.Closes()), want: refuses(502, interrupted)},
		{id: "U-019 length too short", ask: asJSON, script: upstreamtest.Raw(upstreamtest.Head(200, "Content-Length: 50"), whole).Then(upstreamtest.Closes()), want: refuses(502, invalid)},
		{id: "U-019 length too short, and then our key", ask: asJSON, script: upstreamtest.Raw(upstreamtest.Head(200, "Content-Length: 50"), whole+canaryKey).Then(upstreamtest.Closes()), want: refuses(502, invalid)},
		{id: "U-019 something behind a whole answer", ask: asJSON, script: upstreamtest.JSON(whole).Then(upstreamtest.Bytes(canaryKey), upstreamtest.Hangs()), want: answers(whole)},
		{id: "U-019 length zero", ask: asJSON, script: upstreamtest.Raw(upstreamtest.Head(200, "Content-Length: 0"), whole).Then(upstreamtest.Closes()), want: refuses(502, invalid)},
		{id: "U-019 chunks not ended", ask: asJSON, script: upstreamtest.Raw(upstreamtest.Head(200, "Transfer-Encoding: chunked")).Then(upstreamtest.Chunk(whole), upstreamtest.Closes()), want: refuses(502, interrupted)},
		{id: "U-019 chunk sizes that are none", ask: asJSON, script: upstreamtest.Raw(upstreamtest.Head(200, "Transfer-Encoding: chunked"), "zz\r\n").Then(upstreamtest.Closes()), want: refuses(502, interrupted)},
		{id: "U-019 a chunk of 2^63 bytes", ask: asJSON, script: upstreamtest.Raw(upstreamtest.Head(200, "Transfer-Encoding: chunked"), "7fffffffffffffff\r\n"+half).Then(upstreamtest.Closes()), want: refuses(502, interrupted)},
		{id: "U-019 closed without a length, half", ask: asJSON, script: upstreamtest.Raw(upstreamtest.Head(200, "Connection: close"), half).Then(upstreamtest.Closes()), want: refuses(502, invalid)},
		{id: "U-019 reset where JSON was given to a stream", ask: asStream, script: upstreamtest.Raw(upstreamtest.Head(200, "Content-Length: 999"), half).Then(upstreamtest.Resets()), want: refuses(502, interrupted)},
		{id: "U-019 an answer before the question is read", ask: asJSON, with: `"x":"` + strings.Repeat("x", 900<<10) + `",`, script: upstreamtest.JSON(whole), want: answers(whole)},
	})
}

func TestUpstreamFaultsEncodings(t *testing.T) {
	stream := "data: " + says("The fox [1]") + "\n\ndata: " + stops() + "\n\ndata: [DONE]\n\n"
	json := func(body string, encodings ...string) upstreamtest.Script {
		var headers []string
		for _, e := range encodings {
			headers = append(headers, "Content-Encoding: "+e)
		}
		return upstreamtest.Status(200, body, headers...)
	}
	sse := func(body, encoding string) upstreamtest.Script {
		return upstreamtest.Status(200, body, "Content-Type: text/event-stream", "Content-Encoding: "+encoding)
	}
	zipped, events := encode(t, "gzip", whole), encode(t, "gzip", stream)
	bomb := strings.Repeat(encode(t, "gzip", strings.Repeat(" ", 1<<20)), 65)
	comments := strings.Repeat(encode(t, "gzip", strings.Repeat(": "+strings.Repeat("x", 1021)+"\n", 1<<10)), 65)
	rows := []fault{
		{id: "U-020 gzip", ask: asJSON, script: json(zipped, "gzip"), want: answers(whole)},
		{id: "U-020 deflate", ask: asJSON, script: json(encode(t, "zlib", whole), "deflate"), want: answers(whole)},
		{id: "U-020 bare deflate", ask: asJSON, script: json(encode(t, "flate", whole), "deflate"), want: answers(whole)},
		{id: "U-020 gzip twice", ask: asJSON, script: json(encode(t, "gzip", zipped), "gzip, gzip"), want: answers(whole)},
		{id: "U-020 gzip twice, in two headers", ask: asJSON, script: json(encode(t, "gzip", zipped), "gzip", "GZip"), want: answers(whole)},
		{id: "U-020 gzip twice, said once", ask: asJSON, script: json(encode(t, "gzip", zipped), "gzip"), want: refuses(502, invalid)},
		{id: "U-020 gzip three times", ask: asJSON, script: json(zipped, "gzip, gzip, gzip"), want: refuses(502, invalid)},
		{id: "U-020 gzip of an error", script: upstreamtest.Status(400, encode(t, "gzip", refused), "Content-Encoding: gzip"), want: passes(400, refused)},
		{id: "U-020 bomb", ask: asJSON, script: json(bomb, "gzip"), want: refuses(502, invalid)},
		{id: "U-020 bomb in a bomb", ask: asJSON, script: json(encode(t, "gzip", bomb), "gzip, gzip"), want: refuses(502, invalid)},
		{id: "U-020 bomb as a stream", ask: asStream, script: sse(comments, "gzip"), want: refuses(502, invalid)},
		{id: "U-020 no gzip", ask: asJSON, script: json(whole, "gzip"), want: refuses(502, invalid)},
		{id: "U-020 gzip with a bad sum", ask: asJSON, script: json(zipped[:len(zipped)-8]+"\x00\x00\x00\x00"+zipped[len(zipped)-4:], "gzip"), want: refuses(502, invalid)},
		{id: "U-020 gzip that is cut", ask: asJSON, script: json(zipped[:len(zipped)/2], "gzip"), want: refuses(502, interrupted)},
		{id: "U-020 gzip and something behind it", ask: asJSON, script: json(zipped+strings.Repeat("garbage", 3), "gzip"), want: refuses(502, invalid)},
		{id: "U-020 brotli", script: json(whole, "br"), want: refuses(502, invalid)},
		{id: "U-020 zstd", script: json(whole, "zstd"), want: refuses(502, invalid)},
		{id: "U-020 identity", ask: asJSON, script: json(whole, "identity"), want: answers(whole)},
		{id: "U-020 gzip stream", ask: asStream, script: sse(events, "gzip"), want: streams(says("The fox [1]"), stops())},
		{id: "U-020 gzip stream, cut", ask: asStream, script: sse(flushed(t, "data: "+says("The fox [1]")+"\n\n"), "gzip"), want: cut(interrupted, says("The fox [1]"))},
		{id: "U-020 gzip stream, garbled", ask: asStream, script: sse(flushed(t, "data: "+says("The fox [1]")+"\n\n")+"\xff\xff\xff\xff", "gzip"), want: cut(invalid, says("The fox [1]"))},
		{id: "U-020 no gzip stream", ask: asStream, script: sse(stream, "gzip"), want: refuses(502, invalid)},
		{id: "U-020 brotli stream", ask: asStream, script: sse(stream, "br"), want: refuses(502, invalid)},
	}
	playFaults(t, rows)
}

func encode(t *testing.T, how, s string) string {
	t.Helper()
	var b bytes.Buffer
	var w io.WriteCloser = gzip.NewWriter(&b)
	switch how {
	case "zlib":
		w = zlib.NewWriter(&b)
	case "flate":
		bare, err := flate.NewWriter(&b, flate.BestSpeed)
		if err != nil {
			t.Fatal(err)
		}
		w = bare
	}
	if _, err := io.WriteString(w, s); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// flushed is gzip that does not end.
func flushed(t *testing.T, s string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.WriteString(w, s); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
