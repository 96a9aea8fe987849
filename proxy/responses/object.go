package responses

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"footnote/assistants"
	"footnote/proxy/apierr"
)

// A response is OpenAI's object response. citations and retrieval are this server's own.
type response struct {
	ID                 string            `json:"id"`
	Object             string            `json:"object"`
	CreatedAt          int64             `json:"created_at"`
	Status             string            `json:"status"`
	Background         bool              `json:"background"`
	Error              *fault            `json:"error"`
	IncompleteDetails  *incomplete       `json:"incomplete_details"`
	Instructions       *string           `json:"instructions"`
	MaxOutputTokens    *int              `json:"max_output_tokens"`
	Model              string            `json:"model"`
	Output             []item            `json:"output"`
	ParallelToolCalls  bool              `json:"parallel_tool_calls"`
	PreviousResponseID *string           `json:"previous_response_id"`
	Reasoning          reasoning         `json:"reasoning"`
	Store              bool              `json:"store"`
	Temperature        *float64          `json:"temperature"`
	Text               json.RawMessage   `json:"text"`
	ToolChoice         string            `json:"tool_choice"`
	Tools              json.RawMessage   `json:"tools"`
	TopP               *float64          `json:"top_p"`
	Truncation         string            `json:"truncation"`
	Usage              *usage            `json:"usage"`
	User               *string           `json:"user"`
	Metadata           map[string]string `json:"metadata"`
	Citations          json.RawMessage   `json:"citations,omitempty"`
	Retrieval          json.RawMessage   `json:"retrieval,omitempty"`
}

type (
	fault struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	}
	incomplete struct {
		Reason string `json:"reason"`
	}
	reasoning struct {
		Effort  *string `json:"effort"`
		Summary *string `json:"summary"` // never
	}
	usage struct {
		InputTokens   int64         `json:"input_tokens"`
		InputDetails  inputDetails  `json:"input_tokens_details"`
		OutputTokens  int64         `json:"output_tokens"`
		OutputDetails outputDetails `json:"output_tokens_details"`
		TotalTokens   int64         `json:"total_tokens"`
	}
	inputDetails struct {
		Cached int64 `json:"cached_tokens"`
	}
	outputDetails struct {
		Reasoning int64 `json:"reasoning_tokens"`
	}
	// An item is the answer as a message, the only item of an output.
	item struct {
		ID      string `json:"id"`
		Type    string `json:"type"`
		Status  string `json:"status"`
		Role    string `json:"role"`
		Content []part `json:"content"`
	}
)

// A part is the text of a message, or the model's refusal to write one.
type part struct {
	refused     bool
	text        string
	annotations []json.RawMessage
}

// MarshalJSON encodes the part as its type.
func (p part) MarshalJSON() ([]byte, error) {
	if p.refused {
		return encode(struct {
			Type    string `json:"type"`
			Refusal string `json:"refusal"`
		}{"refusal", p.text})
	}
	return encode(struct {
		Type        string            `json:"type"`
		Text        string            `json:"text"`
		Annotations []json.RawMessage `json:"annotations"`
		Logprobs    []string          `json:"logprobs"` // none
	}{"output_text", p.text, orEmpty(p.annotations), []string{}})
}

// Statuses of responses.
const (
	statusInProgress = "in_progress"
	statusCompleted  = "completed"
	statusIncomplete = "incomplete"
	statusFailed     = "failed"
)

// object begins the response to a request, which is in progress. header is that of the
// chat's answer.
func (in *request) object(header http.Header, now time.Time) *response {
	r := newResponse(cmp.Or(header.Get(answerHeader), string(assistants.NewAnswerID())), now)
	r.Store = header.Get(answerHeader) != ""
	r.Instructions, r.MaxOutputTokens, r.Model, r.Temperature, r.TopP, r.User = in.instructions, in.limit, in.model, in.temperature, in.topP, in.user
	r.Reasoning.Effort = in.effort
	if in.model == "" { // the key's default assistant, or that of the address
		r.Model = header.Get("X-Footnote-Assistant")
	}
	if in.previous != "" {
		r.PreviousResponseID = &in.previous
	}
	if in.metadata != nil {
		r.Metadata = in.metadata
	}
	if in.tools != nil {
		r.Tools = in.tools
	}
	if in.unused {
		r.ToolChoice = "none"
	}
	var text struct{ Format json.RawMessage }
	if in.text != nil && json.Unmarshal(in.text, &text) == nil && given(text.Format) {
		r.Text = in.text
	}
	return r
}

func newResponse(id string, at time.Time) *response {
	return &response{
		ID: id, Object: "response", CreatedAt: at.Unix(), Status: statusInProgress, Output: []item{}, ParallelToolCalls: true,
		Text: json.RawMessage(`{"format":{"type":"text"}}`), ToolChoice: "auto", Tools: json.RawMessage("[]"), Truncation: "disabled", Metadata: map[string]string{},
	}
}

// itemPrefix begins the id of a message, before that of its response.
const itemPrefix = "msg_"

// itemID is the id of the only item of a response.
func (r *response) itemID() string { return itemPrefix + r.ID }

// message is the only item of a response.
func (r *response) message(status string, content ...part) item {
	return item{ID: r.itemID(), Type: "message", Status: status, Role: "assistant", Content: orEmpty(content)}
}

// A completion is what a chat has answered.
type completion struct {
	text, refusal string
	finish        string
	annotations   []json.RawMessage // the chat's
	usage         *usage            // nil: the model server did not tell
	citations     json.RawMessage
	retrieval     json.RawMessage
}

// answered ends the response with an answer.
func (r *response) answered(c completion) {
	p := part{text: c.text}
	if c.text == "" && c.refusal != "" {
		p = part{refused: true, text: c.refusal}
	} else {
		p.annotations = annotationsOf(c.annotations, c.citations)
	}
	r.Status = statusCompleted
	switch c.finish {
	case "length":
		r.Status, r.IncompleteDetails = statusIncomplete, &incomplete{"max_output_tokens"}
	case "content_filter":
		r.Status, r.IncompleteDetails = statusIncomplete, &incomplete{"content_filter"}
	}
	r.Output, r.Usage, r.Citations, r.Retrieval = []item{r.message(r.Status, p)}, c.usage, c.citations, c.retrieval
}

// Objects of chats, as far as they are read.
type (
	chatAnswer struct {
		Choices []struct {
			Index   int         `json:"index"`
			Message chatMessage `json:"message"`
			Delta   chatMessage `json:"delta"`
			Finish  string      `json:"finish_reason"`
		} `json:"choices"`
		Usage     *chatUsage      `json:"usage"`
		Citations json.RawMessage `json:"citations"`
		Retrieval json.RawMessage `json:"retrieval"`
		Error     *struct {
			Message string `json:"message"`
			Code    string `json:"code"`
		} `json:"error"`
	}
	chatMessage struct {
		Content     string            `json:"content"`
		Refusal     string            `json:"refusal"`
		Annotations []json.RawMessage `json:"annotations"`
	}
	chatUsage struct {
		Prompt        int64          `json:"prompt_tokens"`
		PromptDetails *inputDetails  `json:"prompt_tokens_details"`
		Completion    int64          `json:"completion_tokens"`
		Details       *outputDetails `json:"completion_tokens_details"`
		Total         int64          `json:"total_tokens"`
	}
)

func (u *chatUsage) usage() *usage {
	if u == nil {
		return nil
	}
	out := &usage{InputTokens: u.Prompt, OutputTokens: u.Completion, TotalTokens: cmp.Or(u.Total, u.Prompt+u.Completion)}
	if u.PromptDetails != nil {
		out.InputDetails = *u.PromptDetails
	}
	if u.Details != nil {
		out.OutputDetails = *u.Details
	}
	return out
}

// readCompletion reads the answer of a chat.
func readCompletion(body []byte) (completion, error) {
	var got chatAnswer
	if err := json.Unmarshal(body, &got); err != nil {
		return completion{}, &apierr.Error{Status: http.StatusBadGateway, Code: "upstream_invalid_response",
			Message: "The model server's answer could not be read.", Cause: err}
	}
	c := completion{usage: got.Usage.usage(), citations: got.Citations, retrieval: got.Retrieval}
	if len(got.Choices) > 0 {
		first := got.Choices[0]
		c.text, c.refusal, c.finish, c.annotations = first.Message.Content, first.Message.Refusal, first.Finish, first.Message.Annotations
	}
	return c, nil
}

// annotationsOf returns the annotations of a response: the chat's, which lead to addresses,
// or without any, the files that are cited, where they are.
func annotationsOf(chat []json.RawMessage, citations json.RawMessage) (list []json.RawMessage) {
	for _, raw := range chat {
		var nested struct {
			Type     string          `json:"type"`
			Citation json.RawMessage `json:"url_citation"`
		}
		var flat struct {
			Type  string `json:"type"`
			Start int    `json:"start_index"`
			End   int    `json:"end_index"`
			Title string `json:"title"`
			URL   string `json:"url"`
		}
		if json.Unmarshal(raw, &nested) != nil || nested.Type != "url_citation" || json.Unmarshal(nested.Citation, &flat) != nil {
			continue // of a model server's own kind
		}
		flat.Type = nested.Type
		list = appendJSON(list, flat)
	}
	if list != nil {
		return list
	}
	type source struct {
		Index    int    `json:"index"`
		Document string `json:"document_id"`
		Name     string `json:"document_name"`
	}
	var cited struct {
		Sources []source `json:"sources"`
		Markers []struct {
			Start   int   `json:"start"`
			Indices []int `json:"indices"`
		} `json:"markers"`
	}
	if json.Unmarshal(citations, &cited) != nil {
		return nil // the answer is not cited
	}
	for _, marker := range cited.Markers {
		for _, number := range marker.Indices {
			at := slices.IndexFunc(cited.Sources, func(s source) bool { return s.Index == number })
			if at < 0 {
				continue
			}
			list = appendJSON(list, struct {
				Type     string `json:"type"`
				FileID   string `json:"file_id"`
				Filename string `json:"filename"`
				Index    int    `json:"index"`
			}{"file_citation", cited.Sources[at].Document, cited.Sources[at].Name, marker.Start})
		}
	}
	return list
}

func appendJSON(list []json.RawMessage, value any) []json.RawMessage {
	raw, err := encode(value)
	if err != nil {
		return list // strings and numbers always encode
	}
	return append(list, raw)
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// encode is JSON with all texts as they are.
func encode(value any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
