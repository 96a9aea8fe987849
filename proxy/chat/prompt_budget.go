package chat

import (
	"footnote/assistants"
	"footnote/assistants/tokens"
	"footnote/citations"
	"footnote/proxy/wire"
)

// What the prompt takes and how much of the sources has room in the context window.

// defaultAnswerTokens is kept free for the answer when nobody bounds it.
const defaultAnswerTokens = 1024

// promptRoom is how many tokens the whole prompt may take: the context window
// less the answer.
func (ex *exchange) promptRoom() int {
	window := assistants.DefaultContextWindow
	if ex.settings.ContextWindow != nil {
		window = *ex.settings.ContextWindow
	} else if known, ok := tokens.ContextWindow(ex.model); ok {
		window = known
	}
	answer, ok := ex.req.MaxTokens()
	switch {
	case ok:
	case ex.settings.MaxTokens != nil:
		answer = *ex.settings.MaxTokens
	default:
		answer = defaultAnswerTokens
	}
	return window - answer
}

// sourceRoom is what of room is left for the source block: less what the
// client sent and our own system prompt.
func (ex *exchange) sourceRoom(room int) int {
	instructed := false
	for _, m := range ex.req.Messages() {
		room -= tokens.CountUpTo(m.Text, max(room, 0)) + perMessage
		instructed = instructed || m.Role == "system" || m.Role == "developer"
	}
	if !instructed {
		room -= tokens.Count(ex.settings.SystemPrompt) + perMessage
	}
	for _, field := range []string{"tools", "functions", "response_format"} {
		room -= tokens.CountUpTo(string(ex.req.Raw(field)), max(room, 0))
	}
	return max(room, 0)
}

// perMessage is what a message takes beside its text: role and separators, as
// OpenAI counts them.
const perMessage = 4

// fit returns the source block and the worked turns that have room in the
// prompt. Turns are left out before sources are: the sources are the answer.
func (ex *exchange) fit(options citations.PromptOptions) (block string, worked []wire.Message) {
	block = ex.sources.Prompt(options)
	if block == "" {
		return "", nil
	}
	size := ex.req.Size() + len(ex.settings.SystemPrompt) + len(block)
	turns := 0 // tokens at most
	for _, turn := range options.Turns() {
		worked = append(worked, wire.Message{Role: "user", Text: turn.Question}, wire.Message{Role: "assistant", Text: turn.Answer})
		turns += len(turn.Question) + len(turn.Answer) + 2*perMessage
	}
	room := ex.promptRoom()
	// A token is at least a byte, so a prompt that fits in bytes fits in
	// tokens; counting, which is slow, is only needed near the window.
	if size+turns <= room {
		return block, worked
	}
	left := ex.sourceRoom(room)
	if worked != nil {
		turns = 0
		for _, m := range worked {
			turns += tokens.Count(m.Text) + perMessage
		}
		if tokens.CountUpTo(block, left) <= left-turns {
			return block, worked
		}
		worked = nil
		ex.sources.Warn("The worked examples of the prompt were left out because the prompt would exceed the context window.")
	}
	if ex.sources.Fit(options, left, tokens.Count) > 0 {
		block = ex.sources.Prompt(options)
	}
	return block, worked
}
