package upstream

import (
	"context"
	"io"
	"net/http"
)

// A Call is one chat completion asked of an upstream. An HTTP upstream sends
// the body; answerers that are no language model use the question and the
// passages, so that nobody has to parse a prompt.
type Call struct {
	Body       []byte           // the request in OpenAI's form, edited for this upstream
	Stream     bool             // what the body says about "stream"
	Model      string           // what the body says about "model"
	Question   string           // what the user asked last
	Passages   func() []Passage // made only for those who ask; nil: none
	Unsearched error            // why Passages could not be looked for; nil: they were, or nobody wanted them
	Header     http.Header      // the client's headers; only OpenAI-Beta and traceparent are used
}

// A Passage is a numbered source of a call.
type Passage struct {
	Index   int    // the number of its marker, from 1; 0: it is not to be cited
	Name    string // of its document
	Section string // the heading above the text, "" for none
	Text    string
	Page    int     // 0: unknown
	Score   float64 // how well it fits the question, 0–1 (CONTRACT 2.1); 0: unknown
}

// A Response is an upstream's answer, of any status that may be shown to the
// client. The body is decoded (no Content-Encoding is left) and, unless it is
// an event stream, bounded; it must be closed. Its read errors are io.EOF,
// the error of the call's context, an [*Error], or an error of the connection.
type Response struct {
	Status int
	Header http.Header
	Body   io.ReadCloser

	secrets secrets
	body    *answerBody
}

// Complete says that nothing matters that may still come: once the body is
// closed, its end is read in the background, for a moment, so that the
// connection can be used again. The context of the call no longer ends it.
func (r *Response) Complete() {
	if r.body != nil {
		r.body.complete = r.body.unhook()
	}
}

// Reported is [Reported] for a failure that stands in this answer in words: our
// own key and headers are taken out of them, whatever they look like.
func (r *Response) Reported(message, typ, param, code string) error {
	mask := r.secrets.mask
	return Reported(mask(message), mask(typ), mask(param), mask(code))
}

// A Model is an entry of an upstream's list of models.
type Model struct {
	ID      string `json:"id"`
	Created int64  `json:"created"` // Unix seconds, 0: unknown
	OwnedBy string `json:"owned_by"`
}

// A Client is a model server.
type Client interface {
	// Chat sends one chat completion. Its errors are [*Error], or the cause of
	// the context when that ended. An answer with an error status is a Response.
	Chat(ctx context.Context, c Call) (*Response, error)
	// Models lists the server's models; it may answer from a short memory.
	// Its errors are as those of Chat.
	Models(ctx context.Context) ([]Model, error)
}
