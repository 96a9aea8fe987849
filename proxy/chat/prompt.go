package chat

import (
	"encoding/json"

	"footnote/assistants"
	"footnote/citations"
)

// fillPrompt edits the request for the upstream: the model, the assistant's
// defaults and its system prompt, and the sources. Every other byte stays.
// It reports whether the answer must stay as it is, because the client asked for
// JSON or for a certain tool call, which markers would break.
func (h *Handler) fillPrompt(in *inbound, g *grounded) (plain bool) {
	in.req.StripExtensions()
	if in.req.Model() != in.model {
		in.req.SetModel(in.model)
	}
	if in.assistant == nil {
		return false
	}
	set := in.settings
	setDefault := func(field string, v any) {
		raw, err := json.Marshal(v)
		if err == nil { // numbers always marshal
			in.req.SetDefault(field, raw)
		}
	}
	if set.Temperature != nil {
		setDefault("temperature", *set.Temperature)
	}
	if set.TopP != nil {
		setDefault("top_p", *set.TopP)
	}
	if set.MaxTokens != nil && !in.req.Has("max_completion_tokens") {
		setDefault("max_tokens", *set.MaxTokens)
	}
	if set.SystemPrompt != "" {
		in.req.SetSystemPrompt(set.SystemPrompt)
	}
	if in.summary != "" {
		in.req.AddContext(in.summary)
	}
	if in.cites() && set.HistoryMarkers == assistants.HistoryStrip {
		in.req.EditAssistantText(citations.StripAnswer)
	}
	if g.sources == nil {
		return false
	}
	plain = in.req.JSONMode() || in.req.ForcedTool()
	block, size, examples := in.fit(g.sources, citations.PromptOptions{
		Secret: h.cfg.PromptSecret, Cite: in.cites(), Instruct: !plain, Template: set.CitationPrompt,
	})
	h.refuseWithoutSources(in, g) // perhaps none fits
	in.req.AddContextJSON(block)
	in.added = size
	in.req.InsertMessages(examples...)
	return plain
}
