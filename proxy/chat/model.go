package chat

import (
	"context"
	"strings"

	"footnote/assistants/retrieval"
	"footnote/proxy/completion"
	"footnote/proxy/upstream"
	"footnote/proxy/upstream/extractive"
)

// A languageModel lets the stages of retrieval ask the model that answers the
// chat: at the same upstream, with the same key and bounds. While that one fails, they
// ask its fallback.
type languageModel struct {
	h  *Handler
	in *inbound
}

// languageModel returns the model that answers a request; nil when its upstream
// only quotes sources.
func (h *Handler) languageModel(in *inbound) retrieval.Model {
	if _, quotes := in.client.(*extractive.Client); quotes {
		return nil
	}
	return languageModel{h, in}
}

// helper is the first upstream that works and has a model.
func (in *inbound) helper() (upstream.Client, string) {
	if !upstream.HealthOf(in.client).Working() {
		for _, c := range in.waiting {
			if _, quotes := c.client.(*extractive.Client); !quotes && upstream.HealthOf(c.client).Working() {
				return c.client, c.model
			}
		}
	}
	return in.client, in.model
}

// Complete implements [retrieval.Model].
func (m languageModel) Complete(ctx context.Context, p retrieval.Prompt) (string, error) {
	ctx, cancel := m.h.Bounded(ctx)
	defer cancel(nil)
	client, model := m.in.helper()
	req := completion.Request{Model: model, MaxTokens: p.MaxTokens, Temperature: &p.Temperature}
	for _, t := range p.Messages {
		req.Messages = append(req.Messages, completion.Message{Role: t.Role, Content: t.Text})
	}
	var text strings.Builder
	err := completion.Ask(ctx, client, completion.Call{Request: req, Observe: m.h.deps.Metrics.Upstream}, func(piece string) { text.WriteString(piece) })
	if err != nil {
		return "", err
	}
	return text.String(), nil
}
