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

// A languageModel is the model that answers a chat, as the stages of retrieval
// ask it: at the same upstream, with the same key and bounds.
type languageModel struct {
	h  *Handler
	ex *exchange
}

// languageModel is the model behind an exchange; nil when its upstream quotes
// sources and is no language model.
func (h *Handler) languageModel(ex *exchange) retrieval.Model {
	if _, quotes := ex.client.(*extractive.Client); quotes {
		return nil
	}
	return languageModel{h, ex}
}

// maxCompletion bounds the answer to a stage of retrieval, in bytes.
const maxCompletion = 256 << 10

// A completionRequest is what a stage of retrieval sends. The newest models
// refuse max_tokens and every temperature but their own; older servers know no
// max_completion_tokens.
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
	req := completionRequest{Model: m.ex.model, MaxTokens: p.MaxTokens, Temperature: &p.Temperature}
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

// send makes one call. Of an answer that is no success only its status is told.
func (m languageModel) send(ctx context.Context, req completionRequest) (text string, status int, err error) {
	body, err := json.Marshal(req)
	if err != nil {
		return "", 0, err
	}
	resp, err := m.ex.client.Chat(ctx, upstream.Call{Body: body, Model: req.Model})
	if err != nil {
		m.h.deps.Metrics.upstream(0)
		return "", 0, err
	}
	defer resp.Body.Close() //nolint:errcheck // it was read, or is given up
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
