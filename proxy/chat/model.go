package chat

import (
	"context"
	"strings"

	"footnote/assistants/retrieval"
	"footnote/proxy/completion"
	"footnote/proxy/upstream"
	"footnote/proxy/upstream/extractive"
	"footnote/proxy/wire"
)

// A languageModel lets the stages of retrieval ask the model that answers the
// chat: at the same upstream, with the same key and bounds, or at its fallbacks.
type languageModel struct {
	h  *Handler
	in *inbound
}

// isQuoting reports whether a client is the built-in answerer, which quotes sources and reads no
// prompt.
func isQuoting(client upstream.Client) bool {
	_, ok := client.(*extractive.Client)
	return ok
}

// languageModel returns the model that answers a request; nil when its upstream
// only quotes sources.
func (h *Handler) languageModel(in *inbound) retrieval.Model {
	if isQuoting(in.client) {
		return nil
	}
	return languageModel{h, in}
}

// Complete implements [retrieval.Model].
func (m languageModel) Complete(ctx context.Context, p retrieval.Prompt) (string, error) {
	ctx, cancel := m.h.Bounded(ctx)
	defer cancel(nil)
	targets := []completion.Target{{Client: m.in.client, Model: m.in.model}}
	for _, next := range m.in.waiting {
		if !isQuoting(next.client) {
			targets = append(targets, completion.Target{Client: next.client, Model: next.model})
		}
	}
	req := completion.Request{MaxTokens: p.MaxTokens, Temperature: &p.Temperature}
	for _, t := range p.Messages {
		req.Messages = append(req.Messages, completion.Message{Role: t.Role, Content: t.Text})
	}
	var text strings.Builder
	var used wire.Usage
	defer func() { m.in.helped.add(used) }()
	call := completion.Call{Request: req, Observe: m.h.deps.Metrics.Upstream, Counted: func(prompt, answer int64) { used = wire.Usage{Prompt: prompt, Completion: answer} }}
	err := completion.AskInTurn(ctx, targets, call, func(piece string) { text.WriteString(piece) })
	if err != nil {
		return "", err
	}
	return text.String(), nil
}
