package proxy_test

import (
	"fmt"
	"strings"
	"testing"

	"footnote/proxy/upstream/upstreamtest"
)

// says is a chunk with text for choice 0, stops a finish chunk.
func says(text string) string { return saysAs(0, text) }

func saysAs(choice int, text string) string {
	return fmt.Sprintf(`{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":%d,"delta":{"content":%q},"finish_reason":null}]}`, choice, text)
}

func stops() string { return endsWith(0, `"stop"`) }

// endsWith is a chunk with an empty delta and a finish reason in JSON.
func endsWith(choice int, reason string) string {
	return fmt.Sprintf(`{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":%d,"delta":{},"finish_reason":%s}]}`, choice, reason)
}

// added is the finish chunk that we add when an upstream sends none.
const added = `{"object":"chat.completion.chunk","id":"c","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`

// sends is a stream of events that is left open, ends one whose body ends well.
func sends(data ...string) upstreamtest.Script {
	s := upstreamtest.Stream()
	for _, d := range data {
		s = s.Then(upstreamtest.Event(d))
	}
	return s
}

func ends(data ...string) upstreamtest.Script { return sends(data...).Then(upstreamtest.EndStream()) }

const (
	interrupted = "upstream_stream_interrupted"
	invalid     = "upstream_invalid_response"
)

func TestUpstreamFaultsCutStreams(t *testing.T) {
	text, more := says("The fox [1]"), says(" crosses [2]")
	head := upstreamtest.Head(200, "Content-Type: text/event-stream", "Content-Length: 99999")
	playFaults(t, []fault{
		{id: "U-018 reset", ask: asStream, script: sends(text, more).Then(upstreamtest.Resets()), want: cut(interrupted, text, more)},
		{id: "U-018 closed, the chunks not ended", ask: asStream, script: sends(text, more).Then(upstreamtest.Closes()), want: cut(interrupted, text, more)},
		{id: "U-018 half closed", ask: asStream, script: sends(text).Then(upstreamtest.CloseWrite(), upstreamtest.Hangs()), want: cut(interrupted, text)},
		{id: "U-018 closed before the announced length", ask: asStream, script: upstreamtest.Raw(head, "data: "+text+"\n\n").Then(upstreamtest.Closes()),
			want: cut(interrupted, text)},
		{id: "U-018 closed in mid-frame", ask: asStream, script: sends(text).Then(upstreamtest.Chunk("data: "+more[:40]), upstreamtest.Closes()),
			want: cut(interrupted, text)},
		{id: "U-018 reset in mid-frame", ask: asStream, script: sends(text).Then(upstreamtest.Chunk("data: "+more[:40]), upstreamtest.Resets()),
			want: cut(interrupted, text)},
		{id: "U-018 ended well in mid-frame", ask: asStream, script: sends(text).Then(upstreamtest.Chunk("data: "+more[:40]), upstreamtest.EndStream()),
			want: cut(interrupted, text)},
		{id: "U-018 a frame without its line end", ask: asStream, script: sends(text).Then(upstreamtest.Chunk("data: "+more), upstreamtest.EndStream()),
			want: cut(interrupted, text, more)},
		{id: "U-018 cut inside a rune", ask: asStream, script: sends(text).Then(upstreamtest.Chunk("data: {\"choices\":[{\"delta\":{\"content\":\"\xf0\x9f"), upstreamtest.Closes()),
			want: cut(interrupted, text)},
		{id: "U-018 a chunk size that is none", ask: asStream, script: sends(text).Then(upstreamtest.Bytes("zz\r\n"), upstreamtest.Hangs()),
			want: cut(interrupted, text)},
		{id: "U-018 reset behind the headers", ask: asStream, script: sends().Then(upstreamtest.Resets()), want: refuses(502, interrupted)},
		{id: "U-018 reset behind a comment", ask: asStream, script: sends().Then(upstreamtest.Chunk(": wait\n\n"), upstreamtest.Resets()), want: refuses(502, interrupted)},
		{id: "U-042 headers, data and reset at once", ask: asStream,
			script: upstreamtest.Raw(upstreamtest.Head(200, "Content-Type: text/event-stream") + "data: " + text + "\n\n").Then(upstreamtest.Resets()),
			want:   cut(interrupted, text)},
		{id: "U-042 a whole answer and reset at once", ask: asStream,
			script: upstreamtest.Raw(upstreamtest.Head(200, "Content-Type: text/event-stream") + "data: " + text + "\n\ndata: " + stops() + "\n\ndata: [DONE]\n\n").Then(upstreamtest.Resets()),
			want:   streams(text, stops())},
	})
}

// Azure sends the results of its prompt filter before the first choice. The
// answer has not begun with them, so a refusal behind them has a status.
func TestAFrameWithoutChoicesDoesNotOpenTheAnswer(t *testing.T) {
	const filter = `{"id":"","object":"","created":0,"model":"","choices":[],"prompt_filter_results":[{"prompt_index":0}]}`
	const slow = `{"error":{"message":"Rate limit reached.","type":"requests","param":null,"code":"429"}}`
	playFaults(t, []fault{
		{id: "429 in the second frame", ask: asStream, script: sends(filter, slow), want: refuses(429, "upstream_rate_limited")},
		{id: "reset behind it", ask: asStream, script: sends(filter).Then(upstreamtest.Resets()), want: refuses(502, interrupted)},
		{id: "an answer behind it", ask: asStream, script: ends(filter, says("The fox"), stops(), "[DONE]"), want: streams(filter, says("The fox"), stops())},
		{id: "429 behind a choice", ask: asStream, script: sends(filter, says("The"), slow), want: cut("upstream_rate_limited", filter, says("The"))},
	})
}

func TestUpstreamFaultsStreamsWithoutAnEnd(t *testing.T) {
	text := says("The fox [1]")
	usage := `{"id":"c","object":"chat.completion.chunk","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":4,"total_tokens":13}}`
	playFaults(t, []fault{
		{id: "U-025 no [DONE]", ask: asStream, script: ends(text, stops()), want: streams(text, stops())},
		{id: "U-025 no [DONE] behind the usage", ask: asStream, script: ends(text, stops(), usage), want: streams(text, stops(), usage)},
		{id: "U-025 no [DONE] and no end of the body", ask: asStream, script: sends(text, stops()).Then(upstreamtest.Closes()), want: streams(text, stops())},
		{id: "U-025 reset behind the finish chunk", ask: asStream, script: sends(text, stops()).Then(upstreamtest.Resets()), want: streams(text, stops())},
		{id: "U-025 cut inside the usage", ask: asStream, script: sends(text, stops()).Then(upstreamtest.Chunk("data: "+usage[:30]), upstreamtest.Closes()),
			want: streams(text, stops())},
		{id: "U-026 no finish chunk", ask: asStream, script: ends(text), want: cut(interrupted, text)},
		{id: "U-026 no finish chunk, then comments", ask: asStream, script: sends(text).Then(upstreamtest.Chunk(": bye\n\n"), upstreamtest.EndStream()),
			want: cut(interrupted, text)},
		{id: "U-026 a role and nothing more", ask: asStream, script: ends(says("")), want: cut(interrupted, says(""))},
		{id: "U-026 nothing at all", ask: asStream, script: ends(), want: refuses(502, interrupted)},
		{id: "U-026 [DONE] and nothing before it", ask: asStream, script: ends("[DONE]"), want: refuses(502, interrupted)},
		{id: "U-026 [DONE] behind comments", ask: asStream, script: sends().Then(upstreamtest.Chunk(": wait\n\n"), upstreamtest.Event("[DONE]"), upstreamtest.EndStream()),
			want: refuses(502, interrupted)},
		{id: "U-026 [DONE] without a finish chunk", ask: asStream, script: ends(text, "[DONE]"), want: outcome{frames: []string{text}, cited: []string{text, added}}},
		{id: "U-026 [DONE] behind the usage only", ask: asStream, script: ends(usage, "[DONE]"), want: outcome{frames: []string{usage},
			cited: []string{usage, `{"object":"chat.completion.chunk","id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`}}},
		{id: "U-026 text behind [DONE]", ask: asStream, script: ends(text, stops(), "[DONE]", says("late"), stops()), want: streams(text, stops())},
		{id: "U-026 an error behind [DONE]", ask: asStream, script: ends(text, stops(), "[DONE]", `{"error":{"message":"late"}}`), want: streams(text, stops())},
		{id: "U-026 a body that goes on for ever behind [DONE]", ask: asStream, script: sends(text, stops(), "[DONE]").Then(upstreamtest.Repeat(1<<30, "5\r\n: no\n\r\n")),
			want: streams(text, stops())},
	})
}

func TestUpstreamFaultsFinishReasons(t *testing.T) {
	text, together := says("The fox [1]"), strings.Replace(says(" crosses [2]."), "null", `"stop"`, 1)
	playFaults(t, []fault{
		{id: "U-032 in the chunk with text", ask: asStream, script: ends(text, together, "[DONE]"), want: streams(text, together)},
		{id: "U-032 on the only chunk", ask: asStream, script: ends(together, "[DONE]"), want: streams(together)},
		{id: "U-032 in a chunk of its own", ask: asStream, script: ends(text, stops(), "[DONE]"), want: streams(text, stops())},
		{id: "U-032 twice", ask: asStream, script: ends(text, stops(), stops(), "[DONE]"), want: streams(text, stops(), stops())},
		{id: "U-032 with the text, then alone", ask: asStream, script: ends(together, stops(), "[DONE]"), want: streams(together, stops())},
		{id: "U-032 twice with text between", ask: asStream, script: ends(text, stops(), text, stops(), "[DONE]"), want: streams(text, stops(), text, stops())},
		{id: "U-032 and then an empty delta", ask: asStream, script: ends(text, stops(), says(""), "[DONE]"), want: streams(text, stops(), says(""))},
		{id: "U-032 null throughout", ask: asStream, script: ends(text, endsWith(0, "null"), "[DONE]"),
			want: outcome{frames: []string{text, endsWith(0, "null")}, cited: []string{text, endsWith(0, "null"), added}}},
		{id: "U-032 an empty string throughout", ask: asStream, script: ends(text, endsWith(0, `""`), "[DONE]"),
			want: outcome{frames: []string{text, endsWith(0, `""`)}, cited: []string{text, endsWith(0, `""`), added}}},
		{id: "U-032 error without an error", ask: asStream, script: ends(text, endsWith(0, `"error"`), "[DONE]"), want: streams(text, endsWith(0, `"error"`))},
		{id: "U-032 of an unknown kind", ask: asStream, script: ends(text, endsWith(0, `"eos_token"`), "[DONE]"), want: streams(text, endsWith(0, `"eos_token"`))},
		{id: "U-032 length", ask: asStream, script: ends(text, endsWith(0, `"length"`), "[DONE]"), want: streams(text, endsWith(0, `"length"`))},
		{id: "U-032 then an error", ask: asStream, script: ends(text, stops(), `{"error":{"message":"too late","code":"late"}}`),
			want: outcome{code: "upstream_error", says: "too late", frames: []string{text, stops()}}},
	})
}

func TestUpstreamFaultsSeveralChoices(t *testing.T) {
	a, b, c := saysAs(0, "The fox [1]"), saysAs(1, "A river [2]"), saysAs(2, "Dawn [3]")
	endA, endB, endC := endsWith(0, `"stop"`), endsWith(1, `"length"`), endsWith(2, `"stop"`)
	both := `{"id":"c","choices":[{"index":1,"delta":{"content":"x"},"finish_reason":"stop"},{"index":0,"delta":{},"finish_reason":"stop"},{"index":2,"delta":{},"finish_reason":"stop"}]}`
	playFaults(t, []fault{
		{id: "U-033 interleaved", ask: asStream, with: `"n":3,`, script: ends(a, b, a, c, endB, a, c, endA, c, endC, "[DONE]"), want: streams(a, b, a, c, endB, a, c, endA, c, endC)},
		{id: "U-033 one ends before another begins", ask: asStream, with: `"n":3,`, script: ends(a, endA, b, endB, c, endC, "[DONE]"), want: streams(a, endA, b, endB, c, endC)},
		{id: "U-033 all end on one chunk", ask: asStream, with: `"n":3,`, script: ends(a, b, c, both, "[DONE]"), want: streams(a, b, c, both)},
		{id: "U-033 no [DONE]", ask: asStream, with: `"n":3,`, script: ends(a, b, c, endA, endB, endC), want: streams(a, b, c, endA, endB, endC)},
		{id: "U-033 one never ends", ask: asStream, with: `"n":3,`, script: ends(a, b, c, endA, endC), want: cut(interrupted, a, b, c, endA, endC)},
		{id: "U-033 one never begins", ask: asStream, with: `"n":3,`, script: ends(a, b, endA, endB), want: cut(interrupted, a, b, endA, endB)},
		{id: "U-033 one has no end but [DONE]", ask: asStream, with: `"n":3,`, script: ends(a, b, c, endA, endC, "[DONE]"), want: streams(a, b, c, endA, endC)},
		{id: "U-033 more than were asked for", ask: asStream, script: ends(a, b, endA, endB, "[DONE]"), want: streams(a, b, endA, endB)},
	})
}
