package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// The requests and answers. Every process of a run makes them by the same rules, so
// that processes need not exchange them to compare them.

const (
	streamChunks = 200 // chunks of a stream, the finish chunk included
	chunkBytes   = 260 // data of one chunk, about
	replyBytes   = 1 << 10
	sourceCount  = 10
	modelName    = "bench"
)

// sentences are the text of conversations, sources and answers.
var sentences = []string{
	"The pump has to be vented before it is started for the first time, and again after every change of the filter.",
	"Employees who join in the course of a year get one twelfth of the yearly vacation for every full month.",
	"„Größe“ und Maße stehen auf dem Typenschild; die Angabe in Klammern gilt für Geräte vor 2019.",
	"Open the cover (four screws, T20), take out the board and note the position of the jumpers \"J3\" and \"J4\".",
	"The warranty ends 24 months after delivery, or after 4,000 hours of operation, whichever comes first.",
	"Réglez d'abord la pression à 1,5 bar, puis attendez que l'indicateur devienne vert.",
	"A reading above 80 °C means that the sensor is not connected; the display then shows E-17.",
	"Travel expenses are paid within two weeks, provided that the receipts were handed in by the 5th of the month.",
	"See the table below:\n| part | number |\n|---|---|\n| seal | 40-1177 |\n| spring | 40-1180 |",
	"If the light blinks twice, the tank is empty; if it blinks three times, call the service under +49 30 5550 0.",
	"Working from home is possible on up to three days a week, after the probation period, by agreement with the team.",
	"The protocol is versioned: a server that does not know a field has to keep it, and not to drop it.",
}

// question is the last message of every conversation, with a number in place of the
// zeros that makes it another question.
const question = "What do I have to do before the pump of model " + anyNumber + " is started for the first time, and what does the display show when the sensor is missing?"

// anyNumber is the place of a number.
const anyNumber = "00000000"

// numberText is a number of the length of anyNumber.
func numberText(n int) string { return fmt.Sprintf("%0*d", len(anyNumber), n%1e8) }

// conversation is the body of a chat request of about size bytes: earlier
// turns, with markers in the answers as they come back from chat clients, and
// a question at the end.
func conversation(size int, stream bool) []byte {
	type message struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	messages := []message{{"system", "You answer questions about our products and rules, briefly and politely."}}
	for n, length := 0, len(question)+300; length < size; n++ {
		m := message{"user", sentences[(5*n)%len(sentences)] + " What about that?"}
		if n%2 == 1 {
			m = message{"assistant", sentences[n%len(sentences)] + " [1] " + sentences[(3*n+1)%len(sentences)] + " [2, 4]"}
		}
		messages = append(messages, m)
		length += len(m.Content) + 40
	}
	messages = append(messages, message{"user", question})
	return mustJSON(map[string]any{
		"model": modelName, "messages": messages, "stream": stream, "temperature": 0.2, "max_completion_tokens": 800, "user": "u-4711",
	})
}

// mustJSON encodes a value whose encoding cannot fail.
func mustJSON(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return raw
}

// answerPieces is an answer with markers, cut as models cut it: a marker may
// come whole or in up to three pieces.
func answerPieces(n int) []string {
	var pieces []string
	words := strings.Fields(sentences[0] + " " + sentences[4] + " " + sentences[6] + " " + sentences[10])
	markers := [][]string{{" [", "3", "]"}, {" [1]"}, {" [2", ", 5]"}, {" [", "10]"}}
	for i := 0; len(pieces) < n; i++ {
		if i%14 == 13 && n-len(pieces) >= 3 {
			pieces = append(pieces, markers[i/14%len(markers)]...)
			continue
		}
		pieces = append(pieces, " "+words[i%len(words)])
	}
	return pieces
}

// streamData are the chunks of a stream, without the framing.
func streamData(nonce string) [][]byte {
	const envelope = `{"id":"chatcmpl-%s","object":"chat.completion.chunk","created":1767225600,"model":"gpt-4o-mini-2024-07-18","system_fingerprint":"fp_0f9c4bf5d1","choices":[{"index":0,"delta":%s,"logprobs":null,"finish_reason":%s}],"obfuscation":"%s"}`
	chunk := func(delta, finish string) []byte {
		bare := fmt.Sprintf(envelope, nonce, delta, finish, "")
		return fmt.Appendf(nil, envelope, nonce, delta, finish, strings.Repeat("xA9kQ2", 40)[:max(0, chunkBytes-len(bare))])
	}
	data := [][]byte{chunk(`{"role":"assistant","content":"","refusal":null}`, "null")}
	for _, piece := range answerPieces(streamChunks - 2) {
		data = append(data, chunk(`{"content":`+string(mustJSON(piece))+`}`, "null"))
	}
	return append(data, chunk(`{}`, `"stop"`))
}

// eventStream is the body of a stream: its events and [DONE].
func eventStream(data [][]byte) []byte {
	var body []byte
	for _, d := range data {
		body = appendEvent(body, d)
	}
	return appendEvent(body, []byte("[DONE]"))
}

func appendEvent(to, data []byte) []byte {
	to = append(to, "data: "...)
	to = append(to, data...)
	return append(to, "\n\n"...)
}

// jsonReply is the body of an answer that is no stream.
func jsonReply() []byte {
	const envelope = `{"id":"chatcmpl-B9MHDbslfkBeAs8l4bebGdFOJ6PeG","object":"chat.completion","created":1767225600,"model":"gpt-4o-mini-2024-07-18","choices":[{"index":0,"message":{"role":"assistant","content":%s,"refusal":null,"annotations":[]},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":1117,"completion_tokens":146,"total_tokens":1263,"prompt_tokens_details":{"cached_tokens":0,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0,"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}},"service_tier":"default","system_fingerprint":"fp_0f9c4bf5d1"}`
	var body []byte
	for n := 1; len(body) < replyBytes; n++ {
		body = fmt.Appendf(nil, envelope, mustJSON(strings.TrimSpace(strings.Join(answerPieces(n), ""))))
	}
	return body
}

// document is the text of document n: about 400 bytes with words of the question, and
// its number. Its title has no number: a question would choose that one document by it.
func document(n int) string {
	text := fmt.Sprintf("# Manual\n\nModel %s has a pump and a sensor of its own, and a display.", numberText(n))
	for i := range 3 {
		text += fmt.Sprintf(" %s This is rule %d of model %s.", sentences[(n*(i+1)+n/len(sentences)+5*i)%len(sentences)], 10*n+i, numberText(n))
	}
	return text + "\n"
}

// markerForm matches every marker of answerPieces.
var markerForm = regexp.MustCompile(`\[(\d+(?:, \d+)*)\]`)

// citedIn lists the numbers that a text cites, ascending, and how many markers it has.
func citedIn(text string) (indices []int, markers int) {
	seen := map[int]bool{}
	for _, m := range markerForm.FindAllStringSubmatch(text, -1) {
		markers++
		for number := range strings.SplitSeq(m[1], ", ") {
			if n, err := strconv.Atoi(number); err == nil { // digits only
				seen[n] = true
			}
		}
	}
	for n := 1; n <= 999; n++ {
		if seen[n] {
			indices = append(indices, n)
		}
	}
	return indices, markers
}
