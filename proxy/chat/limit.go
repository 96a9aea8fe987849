package chat

import (
	"sync/atomic"

	"github.com/gin-gonic/gin"

	"footnote/assistants/tokens"
	"footnote/proxy/access"
	"footnote/proxy/wire"
)

// bytesPerToken is how long a token is in most texts.
const bytesPerToken = 4

// maxEstimated bounds the tokens that are counted before a request is admitted.
const maxEstimated = 32_768

// admit holds a request against the limits of its key and its assistant, once it is
// known that the caller may make it. What is refused asks no index and no model.
func (h *Handler) admit(c *gin.Context, in *inbound) (*access.Pass, error) {
	if h.deps.Limits == nil {
		return nil, nil
	}
	pass, err := h.deps.Limits.Admit(c.Request.Context(), in.caller, in.assistant, access.Ask{
		Kind: access.Chat, Stream: in.req.Stream(), Tokens: in.estimate,
	})
	pass.SetHeaders(c.Writer.Header())
	return pass, err
}

// estimate counts the tokens that a request has before passages are added to it.
func (in *inbound) estimate() int {
	n := 0
	for _, m := range in.req.Messages() {
		if n < maxEstimated {
			n += tokens.CountUpTo(m.Text, maxEstimated)
		} else {
			n += len(m.Text) / bytesPerToken
		}
	}
	return n
}

// spent adds up the tokens of calls that may happen at once.
type spent struct{ prompt, completion atomic.Int64 }

func (s *spent) add(u wire.Usage) {
	s.prompt.Add(u.Prompt)
	s.completion.Add(u.Completion)
}

func (s *spent) tokens() int { return int(s.prompt.Load() + s.completion.Load()) }

// tokens are those of the prompt and the answer: as the model server counts them, or
// else an estimate. A request that no model answered has none.
func (r *relay) tokens(prompt int) int {
	switch {
	case r == nil || r.usage == nil && r.parts == 0:
		return 0
	case r.usage == nil:
		return prompt + r.parts
	}
	return int(r.usage.Prompt + r.usage.Completion)
}
