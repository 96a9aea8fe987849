// Package extractive is the built-in answerer: it answers a question by quoting the
// most relevant sentences of the sources, each with the marker of its source. It is
// not a language model, and its model name says so. It lets a first run work on a
// bare machine, and serves tests.
//
// It obeys two rules. It reads the question and the passages of a call and never the
// prompt, so that no text of a document can pass for anything else. And its answers
// are in the sources, word for word: white space is normalised, Markdown signs are
// removed, and text that could be read as a marker is defused. If nothing fits, it
// says that it found nothing, and if nothing was searched, it says that and why.
//
// Answers have the form of OpenAI's API, streamed or not. Of a request's parameters
// it honours n, max_tokens, max_completion_tokens, stop, response_format (JSON mode
// gives {"answer": …}, without markers) and stream_options.include_usage. Tools and
// sampling have no meaning here. Tokens are counted as words.
//
// It must not import anything of this module but assistants, upstream, wire, lexical
// and sse.
package extractive

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"footnote/proxy/upstream"
)

// Model is the name of the only model.
const Model = "footnote-extractive"

// released is the creation time of the model in lists: 1 January 2026.
const released = 1767225600

// Nothing is the answer if no passage is about the question.
const Nothing = "I could not find anything about that in the available documents."

// Unsearched is the answer if the documents could not be searched, so that their
// content is unknown.
const Unsearched = "The documents could not be searched, so I cannot say what they tell about that."

// NoRetrieval is the answer of an assistant that searches no documents.
const NoRetrieval = "This assistant does not search documents, and the built-in answerer can only quote them. Switch its setting enable_rag on, or connect a language model."

// NotWanted is the answer to a message for which no search was wanted or possible.
const NotWanted = "No documents were searched for this message, and the built-in answerer can only quote them. To have it answered, connect a language model."

// A Client answers calls. It is safe for concurrent use.
type Client struct {
	now   func() time.Time
	id    func() string
	fixed string // the answer to everything; "": it quotes
}

// New returns the answerer.
func New() *Client {
	return &Client{now: time.Now, id: func() string { return "chatcmpl-" + rand.Text() }}
}

// NewFixed returns an answerer that says the same to everything.
func NewFixed(answer string) *Client {
	c := New()
	c.fixed = answer
	return c
}

// Models lists the only model. The error is always nil.
func (c *Client) Models(context.Context) ([]upstream.Model, error) {
	return []upstream.Model{{ID: Model, Created: released, OwnedBy: "footnote"}}, nil
}

// Chat answers a call. A parameter of the wrong type is answered with status
// 400, as a model server would do. The only error is the context's cause.
func (c *Client) Chat(ctx context.Context, call upstream.Call) (*upstream.Response, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	params, refusal := readParams(call.Body)
	if refusal != nil {
		return respond(ctx, 400, "application/json", refusal), nil
	}
	a := params.shape(c.answerText(call, !params.jsonMode()))
	a.id, a.created = c.id(), c.now().Unix()
	a.promptTokens = countWords(call.Body)
	if call.Stream {
		return respond(ctx, 200, "text/event-stream", a.frames()...), nil
	}
	return respond(ctx, 200, "application/json", a.json()), nil
}

// answerText returns the text of the answer to a call, with or without markers.
func (c *Client) answerText(call upstream.Call, marked bool) string {
	if c.fixed != "" {
		return c.fixed
	}
	switch {
	case errors.Is(call.Unsearched, upstream.ErrNoRetrieval):
		return NoRetrieval
	case errors.Is(call.Unsearched, upstream.ErrNotWanted):
		return NotWanted
	case call.Unsearched != nil:
		return Unsearched
	}
	var passages []upstream.Passage
	if call.Passages != nil {
		passages = call.Passages()
	}
	question := call.Question
	if call.Reword != nil {
		texts := make([]string, len(passages))
		for i := range passages {
			texts[i] = passages[i].Text
		}
		question = call.Reword(question, texts)
	}
	return answer(question, call.Naming, passages, marked)
}

// Timeouts implements [upstream.Client] with the defaults; an answer takes no time.
func (c *Client) Timeouts() upstream.Timeouts { return upstream.Timeouts{}.WithDefaults() }
