package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"footnote/assistants/retrieval"
	"footnote/proxy/upstream"
	"footnote/proxy/upstream/extractive"
	"footnote/proxy/wire"
)

// A languageModel lets the stages of retrieval ask the model that answers the
// chat: at the same upstream, with the same key and bounds.
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

// maxCompletion bounds the answer to a stage of retrieval, in bytes.
const maxCompletion = 256 << 10

// A completionRequest is what a stage of retrieval sends. The newest models
// refuse max_tokens and other temperatures than their default; older servers do
// not know max_completion_tokens.
type completionRequest struct {
	Model               string              `json:"model"`
	Messages            []completionMessage `json:"messages"`
	MaxTokens           int                 `json:"max_tokens,omitempty"`
	MaxCompletionTokens int                 `json:"max_completion_tokens,omitempty"`
	Temperature         *float64            `json:"temperature,omitempty"`
}

type completionMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

var errNoCompletion = errors.New("the model's answer holds no text")

// Complete implements [retrieval.Model].
func (m languageModel) Complete(ctx context.Context, p retrieval.Prompt) (string, error) {
	ctx, cancel := m.h.Bounded(ctx)
	defer cancel(nil)
	req := completionRequest{Model: m.in.model, MaxTokens: p.MaxTokens, Temperature: &p.Temperature}
	for _, t := range p.Messages {
		req.Messages = append(req.Messages, completionMessage{Role: t.Role, Content: t.Text})
	}
	text, status, err := m.send(ctx, req)
	if status == http.StatusBadRequest {
		req.MaxTokens, req.MaxCompletionTokens, req.Temperature = 0, p.MaxTokens, nil
		text, _, err = m.send(ctx, req)
	}
	return text, err
}

// send makes one call. The error for a failed one names only its status.
func (m languageModel) send(ctx context.Context, req completionRequest) (text string, status int, err error) {
	body, err := json.Marshal(req)
	if err != nil {
		return "", 0, err
	}
	resp, err := m.in.client.Chat(ctx, upstream.Call{Body: body, Model: req.Model})
	if err != nil {
		m.h.deps.Metrics.upstream(0)
		return "", 0, err
	}
	defer resp.Body.Close() //nolint:errcheck // it was read or is not needed
	m.h.deps.Metrics.upstream(resp.Status)
	if resp.Status != http.StatusOK {
		return "", resp.Status, fmt.Errorf("the upstream answered %s", http.StatusText(resp.Status))
	}
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxCompletion))
	if err != nil {
		return "", resp.Status, err
	}
	answer, err := wire.ReadResponse(raw)
	if err != nil {
		return "", resp.Status, err
	}
	if text = answer.Choices()[0].Text; text == "" {
		return "", resp.Status, errNoCompletion
	}
	return text, resp.Status, nil
}
