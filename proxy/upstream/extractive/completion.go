package extractive

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"footnote/proxy/sse"
	"footnote/proxy/upstream"
)

// A completion is an answer before it is written as JSON or as a stream. All its
// choices are the same.
type completion struct {
	id           string
	created      int64
	pieces       []string
	choices      int
	finish       string // "stop" or "length"
	promptTokens int
	usageChunk   bool
}

type usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
}

func (c completion) usage() usage {
	n := len(c.pieces) * c.choices
	return usage{Prompt: c.promptTokens, Completion: n, Total: c.promptTokens + n}
}

type message struct {
	Role    string  `json:"role"`
	Content string  `json:"content"`
	Refusal *string `json:"refusal"`
}

type choice struct {
	Index    int       `json:"index"`
	Message  *message  `json:"message,omitempty"`
	Delta    *delta    `json:"delta,omitempty"`
	Logprobs *struct{} `json:"logprobs"`
	Finish   *string   `json:"finish_reason"`
}

type delta struct {
	Role    string  `json:"role,omitempty"`
	Content *string `json:"content,omitempty"`
}

type object struct {
	ID          string   `json:"id"`
	Object      string   `json:"object"`
	Created     int64    `json:"created"`
	Model       string   `json:"model"`
	Choices     []choice `json:"choices"`
	Usage       *usage   `json:"usage,omitempty"`
	Fingerprint *string  `json:"system_fingerprint"`
}

// json returns the answer as one object.
func (c completion) json() []byte {
	text, total := strings.Join(c.pieces, ""), c.usage()
	o := object{ID: c.id, Object: "chat.completion", Created: c.created, Model: Model, Usage: &total}
	for i := range c.choices {
		o.Choices = append(o.Choices, choice{
			Index: i, Message: &message{Role: "assistant", Content: text}, Finish: &c.finish,
		})
	}
	return encode(o)
}

// frames returns the answer as the events of a stream, including the end mark. The
// choices alternate.
func (c completion) frames() [][]byte {
	var out [][]byte
	add := func(d delta, finish *string) {
		for i := range c.choices {
			out = append(out, c.frame([]choice{{Index: i, Delta: &d, Finish: finish}}, nil))
		}
	}
	add(delta{Role: "assistant", Content: new(string)}, nil)
	for _, piece := range c.pieces {
		add(delta{Content: &piece}, nil)
	}
	add(delta{}, &c.finish)
	if c.usageChunk {
		total := c.usage()
		out = append(out, c.frame([]choice{}, &total))
	}
	return append(out, []byte(sse.Done))
}

func (c completion) frame(choices []choice, u *usage) []byte {
	return sse.AppendData(nil, encode(object{
		ID: c.id, Object: "chat.completion.chunk", Created: c.created, Model: Model, Choices: choices, Usage: u,
	}))
}

// encode writes JSON as OpenAI does, with <, > and & as they are.
func encode(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		// Only a change of the types above can cause this.
		panic(fmt.Sprintf("extractive: encode %T: %v", v, err))
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

func respond(ctx context.Context, status int, contentType string, parts ...[]byte) *upstream.Response {
	h := http.Header{"Content-Type": {contentType}}
	return &upstream.Response{Status: status, Header: h, Body: &partsReader{ctx: ctx, parts: parts}}
}

// A partsReader returns at most one part per read, so that a stream is forwarded
// event by event. It ends with its context, like a connection.
type partsReader struct {
	ctx   context.Context
	parts [][]byte
}

// Read reads from the next part.
func (r *partsReader) Read(p []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
	}
	for len(r.parts) > 0 && len(r.parts[0]) == 0 {
		r.parts = r.parts[1:]
	}
	if len(r.parts) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.parts[0])
	r.parts[0] = r.parts[0][n:]
	return n, nil
}

// Close drops the unread parts.
func (r *partsReader) Close() error {
	r.parts = nil
	return nil
}

// countWords estimates tokens: stretches between spaces, long ones by length.
func countWords(b []byte) int {
	n := 0
	for word := range bytes.FieldsSeq(b) {
		n += 1 + len(word)/12
	}
	return n
}
