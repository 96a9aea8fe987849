package search

import (
	"context"

	"footnote/assistants/tokens"
	"footnote/proxy/access"
)

// admit holds a request against the limits of its key and its assistant, once it is known
// that the caller may make it. An answer has tokens as a chat has; other requests have
// none, because no model is asked.
func (j *job) admit(ctx context.Context, route string) (*access.Pass, error) {
	ask := access.Ask{Kind: access.Search, Stream: j.in.stream}
	if route == "search" && j.in.synthesize {
		ask.Tokens = func() int { return tokens.Count(j.in.query) }
	}
	return j.deps.Limits.Admit(ctx, j.caller, j.assistant, ask)
}
