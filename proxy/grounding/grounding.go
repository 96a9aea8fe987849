// Package grounding turns what retrieval and settings say into what citations
// need: hits become sources, settings become options, texts are compared by
// meaning, and the trace becomes the `retrieval` member of an answer.
//
// It obeys one rule: it only converts. It asks no model and no index (but for
// the embedder of comparisons), so that chat answers and the control API use it
// the same way. It imports no handlers and no gin.
package grounding

import (
	"footnote/assistants/retrieval"
	"footnote/proxy/wire"
)

// EmbedderRemedy says how a server gets an embedder.
const EmbedderRemedy = "Install the built-in one's weights with `make model` or `footnote model import` (for FOOTNOTE_EMBEDDING_MODEL=multilingual `make model-multilingual`, too), or set FOOTNOTE_EMBEDDING_URL; or choose search_mode Hybrid."

// Before lists the turns before the last message of the user.
func Before(r *wire.Request) []retrieval.Turn {
	messages := r.Messages()
	last := len(messages) - 1
	for last >= 0 && messages[last].Role != "user" {
		last--
	}
	turns := make([]retrieval.Turn, 0, max(last, 0))
	for _, m := range messages[:max(last, 0)] {
		turns = append(turns, retrieval.Turn{Role: m.Role, Text: m.Text})
	}
	return turns
}
