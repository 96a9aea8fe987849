package upstream

import (
	"context"
	"errors"
	"io"
	"net/http"
)

// A Call is one chat completion asked of an upstream. An HTTP upstream sends the
// body. Answerers that are not language models use the question and the passages, so
// that no code has to parse a prompt.
type Call struct {
	Body       []byte                                       // the request in OpenAI's form, edited for this upstream
	Stream     bool                                         // the body's "stream"
	Model      string                                       // the body's "model"
	Question   string                                       // the user's last question
	Passages   func() []Passage                             // called only by answerers that need it; nil if there are none
	Reword     func(question string, texts []string) string // puts a question into the words of texts; nil: it stays as it is
	Naming     []string                                     // terms of the question that only name the document it is about
	Unsearched error                                        // why there was no search for Passages: ErrNoRetrieval, ErrNotWanted or its failure; nil if there was one
	Header     http.Header                                  // the client's headers; only OpenAI-Beta and traceparent are used
}

// Reasons why there was no search for the passages of a call.
var (
	ErrNoRetrieval = errors.New("the assistant has no retrieval")
	ErrNotWanted   = errors.New("no search was wanted or needed")
)

// A Passage is a numbered source of a call.
type Passage struct {
	Index   int    // the number of its marker, from 1; 0 if it is not to be cited
	Name    string // of its document
	Section string // the heading above the text, "" for none
	Text    string
	// TableHeader is the header of the table that the text continues, "" for none.
	TableHeader string
	Page        int     // 0: unknown
	Score       float64 // relevance to the question, 0–1; 0 if unknown
}

// A Response is an upstream's answer with any status that a client may see. The body
// is decoded (no Content-Encoding is left) and, unless it is an event stream,
// bounded. It must be closed. Its read errors are io.EOF, the error of the call's
// context, an [*Error], or an error of the connection.
type Response struct {
	Status int
	Header http.Header
	Body   io.ReadCloser

	secrets secrets
	body    *answerBody
}

// Complete declares that the rest of the body does not matter. After Close, its end
// is read in the background for a moment, so that the connection can be reused. The
// context of the call no longer ends it.
func (r *Response) Complete() {
	if r.body != nil {
		r.body.complete = r.body.unhook()
	}
}

// Reported is [Reported] for a failure in this answer. It also removes the
// upstream's key and headers from the message, whatever they look like.
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
	// Chat sends one chat completion. Its errors are [*Error], or the cause of the
	// context if that ended. An answer with an error status is a Response.
	Chat(ctx context.Context, c Call) (*Response, error)
	// Models lists the server's models, possibly from a short memory, with the errors
	// of Chat.
	Models(ctx context.Context) ([]Model, error)
	// Timeouts are the bounds of a call, without zero values.
	Timeouts() Timeouts
}
