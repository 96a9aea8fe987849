package chat

import (
	"math"

	"footnote/assistants"
	"footnote/assistants/tokens"
	"footnote/citations"
	"footnote/proxy/wire"
)

// How many tokens the prompt may have, and which sources fit.

// window is the size of the model's context in tokens: the smallest of all models that
// may get the prompt. The built-in answerer reads none, so it has no bound.
func (in *inbound) window() int {
	if in.settings.ContextWindow != nil {
		return *in.settings.ContextWindow
	}
	window := math.MaxInt
	if !isQuoting(in.client) {
		window = windowOf(in.model)
	}
	for _, next := range in.waiting {
		if !isQuoting(next.client) {
			window = min(window, windowOf(next.model))
		}
	}
	return window
}

// promptRoom is how many tokens the whole prompt may take: the context window
// less the answer.
func (in *inbound) promptRoom() int {
	answer, ok := in.req.MaxTokens()
	switch {
	case ok:
	case in.settings.MaxTokens != nil:
		answer = *in.settings.MaxTokens
	default:
		answer = assistants.DefaultAnswerTokens
	}
	return in.window() - answer
}

// windowOf is the context of a model in tokens.
func windowOf(model string) int {
	if known, ok := tokens.ContextWindow(model); ok {
		return known
	}
	return assistants.DefaultContextWindow
}

// sourceRoom is the number of tokens left for the source block: room less the
// client's messages and the assistant's system prompt.
func (in *inbound) sourceRoom(room int) int {
	instructed := false
	for _, m := range in.req.Messages() {
		room -= tokens.CountUpTo(m.Text, max(room, 0)) + perMessage
		instructed = instructed || m.Role == "system" || m.Role == "developer"
	}
	if !instructed {
		room -= tokens.Count(in.settings.SystemPrompt) + perMessage
	}
	room -= tokens.Count(in.summary)
	for _, field := range []string{"tools", "functions", "response_format"} {
		room -= tokens.CountUpTo(string(in.req.Raw(field)), max(room, 0))
	}
	return max(room, 0)
}

// perMessage is what a message takes besides its text: role and separators, as
// OpenAI counts them.
const perMessage = 4

// fit returns the source block, as the inside of a JSON string, and the example turns that
// fit into the prompt. size is the length of the block. It drops the examples first, because
// the answer is in the sources.
func (in *inbound) fit(sources *citations.Set, options citations.PromptOptions) (block []byte, size int, examples []wire.Message) {
	block, size = sources.PromptJSON(options)
	if sources.Empty() {
		return block, size, nil
	}
	prompt := in.req.Size() + len(in.settings.SystemPrompt) + len(in.summary) + size
	turns := 0 // tokens at most
	for _, turn := range options.Turns() {
		examples = append(examples, wire.Message{Role: "user", Text: turn.Question}, wire.Message{Role: "assistant", Text: turn.Answer})
		turns += len(turn.Question) + len(turn.Answer) + 2*perMessage
	}
	room := in.promptRoom()
	// A token is at least a byte, so a prompt that fits in bytes fits in
	// tokens; counting, which is slow, is only needed near the window.
	if prompt+turns <= room {
		return block, size, examples
	}
	left := in.sourceRoom(room)
	if examples != nil {
		turns = 0
		for _, m := range examples {
			turns += tokens.Count(m.Text) + perMessage
		}
		if tokens.CountUpTo(sources.Prompt(options), left) <= left-turns {
			return block, size, examples
		}
		examples = nil
		sources.Warn("The worked examples of the prompt were left out because the prompt would exceed the context window.")
	}
	if sources.Fit(options, left, tokens.Count) > 0 {
		block, size = sources.PromptJSON(options)
	}
	return block, size, examples
}
