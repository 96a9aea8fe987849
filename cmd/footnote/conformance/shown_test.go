package conformance

// shown is what a client shows of an answer. The scripts of node/ and python/
// print it as JSON, under these names.
type shown struct {
	Object, Model string
	Choices       []shownChoice
	Citations     any // where the client reads them: a member of the answer, or of a chunk
	Usage         int // total_tokens

	// Of streams.
	Chunks            int
	CitationsChunks   int  `json:"citations_chunks"`
	CitationsOnFinish bool `json:"citations_on_finish"`
	UsageChoices      *int `json:"usage_choices"`

	// Of helpers that put a stream together: what is in their final object.
	FinalCitations any    `json:"final_citations"`
	TextOfEvents   string `json:"text_of_events"`

	// Of the response's headers.
	RequestID       string `json:"request_id"`
	AssistantHeader string `json:"assistant_header"`
	CitationsHeader string `json:"citations_header"`

	Answered *shown       // after the tools that were called have answered
	Models   *shownModels // of the list of models
	Error    *shownError  // in addition to what was shown before it
}

type shownChoice struct {
	Index        int
	Text         string
	FinishReason string          `json:"finish_reason"`
	ToolCalls    []shownToolCall `json:"tool_calls"`
	Logprobs     []string        // the tokens
	Annotations  any
	Parsed       any
}

type shownToolCall struct{ ID, Name, Arguments string }

type shownModels struct {
	IDs []string
	One struct{ ID, Object string }
}

// shownError is what a client shows of an error.
type shownError struct {
	Class     string
	Status    int
	Message   string
	Type      string
	Param     string
	Code      string
	RequestID string `json:"request_id"`
	// RetryAfter is the header that clients wait by.
	RetryAfter string `json:"retry_after"`
	Stack      string // of an error that no scenario expects
}

// text is what the first choice says.
func (s shown) text() string {
	if len(s.Choices) == 0 {
		return ""
	}
	return s.Choices[0].Text
}
