package proxy_test

import (
	"strings"
	"testing"

	"footnote/proxy/upstream/upstreamtest"
)

// sent is a body of events exactly as it is given, in one piece.
func sent(bytes string) upstreamtest.Script {
	return upstreamtest.Stream().Then(upstreamtest.Chunk(bytes), upstreamtest.EndStream())
}

// trickled is the same, every byte in a write and a chunk of its own.
func trickled(bytes string) upstreamtest.Script {
	s := upstreamtest.Stream()
	for i := range len(bytes) {
		s = s.Then(upstreamtest.Chunk(bytes[i : i+1]))
	}
	return s.Then(upstreamtest.EndStream())
}

func events(data ...string) string { return "data: " + strings.Join(data, "\n\ndata: ") + "\n\n" }

// wide is text whose encodings are cut in the worst places: a rune of four
// bytes, a surrogate pair in escapes, a marker.
func wide() string {
	return `{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"a 🦊 \ud83d\ude00 [1]\r\n"},"finish_reason":null}]}`
}

func TestUpstreamFaultsSplits(t *testing.T) {
	plain := events(wide(), stops(), "[DONE]")
	crlf := strings.ReplaceAll(plain, "\n", "\r\n")
	cr := strings.ReplaceAll(plain, "\n", "\r")
	rows := []fault{
		{id: "U-021 byte by byte", ask: asStream, script: trickled(plain), want: streams(wide(), stops())},
		{id: "U-021 byte by byte with CRLF", ask: asStream, script: trickled(crlf), want: streams(wide(), stops())},
		{id: "U-021 byte by byte with CR", ask: asStream, script: trickled(cr), want: streams(wide(), stops())},
		{id: "U-021 byte by byte with a BOM", ask: asStream, script: trickled("\ufeff" + plain), want: streams(wide(), stops())},
		{id: "U-021 byte by byte, headers included", ask: asStream, script: upstreamtest.Dribble(
			upstreamtest.Head(200, "Content-Type: text/event-stream", "Connection: close") + plain).Then(upstreamtest.Closes()), want: streams(wide(), stops())},
		{id: "U-021 JSON byte by byte", ask: asJSON, script: upstreamtest.Dribble(upstreamtest.Head(200, "Connection: close") + whole).Then(upstreamtest.Closes()), want: answers(whole)},
		{id: "U-021 byte by byte where JSON was asked", ask: asJSON, script: trickled(events(says("The 🦊 [1]"), stops(), "[DONE]")), want: answers(
			`{"object":"chat.completion","id":"c","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"The 🦊 [1]"},"finish_reason":"stop"}]}`)},
		{id: "U-021 all in one write", ask: asStream, script: upstreamtest.Raw(upstreamtest.Head(200, "Content-Type: text/event-stream", "Connection: close") + plain).Then(upstreamtest.Closes()),
			want: streams(wide(), stops())},
	}
	for _, at := range []string{"\x9f\xa6", `\ud83d`, `\ude00`, "[1", "1]", "data", "\n\ndata: [D", "ONE]"} {
		cut := strings.Index(plain, at) + 1
		rows = append(rows, fault{id: "U-021 split behind the first byte of " + strings.ToValidUTF8(at, "?"), ask: asStream, want: streams(wide(), stops()),
			script: upstreamtest.Stream().Then(upstreamtest.Chunk(plain[:cut]), upstreamtest.Chunk(plain[cut:]), upstreamtest.EndStream())})
	}
	playFaults(t, rows)
}

func TestUpstreamFaultsLineEnds(t *testing.T) {
	a, b := says("The fox [1]"), stops()
	plain := events(a, b, "[DONE]")
	playFaults(t, []fault{
		{id: "U-022 CRLF", ask: asStream, script: sent(strings.ReplaceAll(plain, "\n", "\r\n")), want: streams(a, b)},
		{id: "U-022 CR", ask: asStream, script: sent(strings.ReplaceAll(plain, "\n", "\r")), want: streams(a, b)},
		{id: "U-022 mixed", ask: asStream, script: sent("data: " + a + "\r\n\ndata: " + b + "\n\r\ndata: [DONE]\r\r"), want: streams(a, b)},
		{id: "U-022 many blank lines", ask: asStream, script: sent("\n\n\r\n\n" + strings.ReplaceAll(plain, "\n\n", "\n\n\n\r\r\n")), want: streams(a, b)},
		{id: "U-022 no blank line at the end", ask: asStream, script: sent(strings.TrimSuffix(plain, "\n")), want: streams(a, b)},
		{id: "U-022 no line end at the end", ask: asStream, script: sent(strings.TrimRight(plain, "\n")), want: streams(a, b)},
		{id: "U-022 the finish chunk last and without a line end", ask: asStream, script: sent(strings.TrimRight(events(a, b), "\n")), want: streams(a, b)},
		{id: "U-022 BOM", ask: asStream, script: sent("\ufeff" + plain), want: streams(a, b)},
		{id: "U-022 BOM and CRLF", ask: asStream, script: sent("\ufeff" + strings.ReplaceAll(plain, "\n", "\r\n")), want: streams(a, b)},
	})
}

func TestUpstreamFaultsCommentsAndFields(t *testing.T) {
	a, b := says("The fox [1]"), stops()
	around := func(noise string) upstreamtest.Script {
		return sent(noise + "data: " + a + "\n\n" + noise + "data: " + b + "\n\n" + noise + "data: [DONE]\n\n" + noise)
	}
	var rows []fault
	for name, noise := range map[string]string{
		"a ping":                       ": ping\n\n",
		"a ping without a blank line":  ": ping\n",
		"an empty comment":             ":\n\n",
		"OpenRouter's comment":         ": OPENROUTER PROCESSING\n\n",
		"a comment that looks like us": ": keep-alive\n",
		"a comment of 1 MiB":           ": " + strings.Repeat("x", 1<<20) + "\n\n",
		"a comment with data in it":    ": data: [DONE]\n\n",
		"retry":                        "retry: 3000\n\n",
		"id":                           "id: 7\n\n",
		"id on the same event":         "id: 7\n",
		"retry and id":                 "retry: 1\nid: 7\n",
		"unknown fields":               "foo: bar\nbaz\n",
		"an event name":                "event: message\n",
		"a name without data":          "event: ping\n\n",
		"empty data":                   "data:\n\n",
		"empty data with a space":      "data: \n\n",
		"a field without a colon":      "data\n\n",
	} {
		rows = append(rows, fault{id: "U-023 " + name, ask: asStream, script: around(noise), want: streams(a, b)})
	}
	rows = append(rows, fault{id: "U-023 nothing but comments", ask: asStream, script: sent(strings.Repeat(": ping\n\n", 100)), want: refuses(502, interrupted)},
		fault{id: "U-023 comments where JSON was asked", ask: asJSON, script: around(": ping\n\nid: 1\n"), want: answers(
			`{"object":"chat.completion","id":"c","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"The fox [1]"},"finish_reason":"stop"}]}`)})
	playFaults(t, rows)
}

func TestUpstreamFaultsDataLines(t *testing.T) {
	a, b := says("The fox [1]"), stops()
	lines := strings.ReplaceAll(a, `,"choices"`, ",\ndata: \"choices\"")
	joined := strings.ReplaceAll(a, `,"choices"`, `, "choices"`)
	playFaults(t, []fault{
		{id: "U-024 several lines", ask: asStream, script: sent("data: " + lines + "\n\n" + events(b, "[DONE]")), want: streams(joined, b)},
		{id: "U-024 several lines, CRLF", ask: asStream, script: sent(strings.ReplaceAll("data: "+lines+"\n\n"+events(b, "[DONE]"), "\n", "\r\n")), want: streams(joined, b)},
		{id: "U-024 several lines of the finish chunk", ask: asStream, script: sent(events(a) + "data: {\ndata:  " + b[1:] + "\n\ndata: [DONE]\n\n"), want: streams(a, "{  "+b[1:])},
		{id: "U-024 no space", ask: asStream, script: sent(strings.ReplaceAll(events(a, b, "[DONE]"), "data: ", "data:")), want: streams(a, b)},
		{id: "U-024 two spaces", ask: asStream, script: sent(strings.ReplaceAll(events(a, b, "[DONE]"), "data: ", "data:  ")), want: streams(" "+a, " "+b)},
		{id: "U-024 space behind [DONE]", ask: asStream, script: sent(events(a, b, "[DONE] ")), want: streams(a, b)},
		{id: "U-024 [DONE] with text", ask: asStream, script: sent(events(a, b, "[DONE] bye")), want: streams(a, b)},
		{id: "U-024 [done]", ask: asStream, script: sent(events(a, b) + "data:[done]\n\n"), want: streams(a, b)},
		{id: "U-024 [DONE] without a blank line", ask: asStream, script: sent(events(a, b) + "data: [DONE]\n"), want: streams(a, b)},
		{id: "U-024 [DONE] in the text", ask: asStream, script: sent(events(says("[DONE]"), b, "[DONE]")), want: streams(says("[DONE]"), b)},
		{id: "U-024 no JSON", ask: asStream, script: sent(events(a, "{", b, "[DONE]")), want: cut(invalid, a)},
		{id: "U-024 two objects in one event", ask: asStream, script: sent(events(a, "{}{}", b, "[DONE]")), want: cut(invalid, a)},
		{id: "U-024 a list", ask: asStream, script: sent(events(a, "["+a+"]", "[DONE]")), want: cut(invalid, a)},
		{id: "U-024 a NUL", ask: asStream, script: sent(events(a, b+"\x00", "[DONE]")), want: cut(invalid, a)},
		{id: "U-024 no JSON at first", ask: asStream, script: sent(events("oops", a)), want: refuses(502, invalid)},
		{id: "U-024 JSON of another kind", ask: asStream, script: sent(events(a, `{"type":"ping"}`, b, "[DONE]")), want: streams(a, `{"type":"ping"}`, b)},
	})
}
