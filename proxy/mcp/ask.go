package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"footnote/citations"
	"footnote/proxy/apierr"
	"footnote/proxy/sse"
)

var askTool = &sdk.Tool{
	Name: "ask", Title: "Ask an assistant", Annotations: readOnly(),
	Description: "Asks an assistant a question and returns its whole answer. Each [n] in the answer stands for one of the sources that follow it, with document and page.",
	InputSchema: schema(`{"type":"object","additionalProperties":false,"required":["question"],"properties":{
		"question":{"type":"string","minLength":1,"maxLength":100000,"description":"The question, in whole sentences. The assistant does not know what was said before."},
		"assistant":` + assistantProperty + `}}`),
	OutputSchema: schema(`{"type":"object","required":["assistant","answer"],"properties":{
		"assistant":{"type":"string","description":"The assistant that answered."},
		"answer":{"type":"string"},
		"citations":{"type":"object","description":"What the markers [n] in the answer stand for.","required":["status","sources"],"properties":{
			"status":{"type":"string"},
			"sources":{"type":"array","items":` + sourceSchema + `},
			"referenced_indices":{"type":"array","items":{"type":"integer"}},
			"warnings":{"type":"array","items":{"type":"string"}}}}}}`),
}

type askInput struct {
	Question  string `json:"question"`
	Assistant string `json:"assistant"`
}

type askOutput struct {
	Assistant string          `json:"assistant"`
	Answer    string          `json:"answer"`
	Citations json.RawMessage `json:"citations,omitempty"` // absent: the assistant cites nothing
}

// askAssistant is the tool ask. It sends a chat request, as a client does.
func (h *Handler) askAssistant(ctx context.Context, c *call, in askInput, tell progress) ([]string, askOutput, error) {
	var out askOutput
	if strings.TrimSpace(in.Question) == "" {
		return nil, out, apierr.Invalid("question", "question must not be empty.")
	}
	sight := c.caller.Sight()
	sight.Public = true // as for every chat
	a, err := h.choose(ctx, c, in.Assistant, sight)
	if err != nil {
		return nil, out, err
	}
	tell(ctx, 0, 0, "Looking for passages in the documents of "+a.Name)
	request := map[string]any{
		"model": a.Slug, "stream": true,
		"messages": []map[string]string{{"role": "user", "content": in.Question}},
	}
	header := http.Header{"X-Footnote-Citation-Format": {"native"}} // not the assistant's own format
	out.Assistant = a.Slug
	err = h.stream(ctx, c, "/assistants/"+string(a.ID)+"/v1/chat/completions", request, header, func(r io.Reader) error {
		return readAnswer(r, &out, func(written int) {
			tell(ctx, float64(written), 0, fmt.Sprintf("Writing the answer: %d characters so far", written))
		})
	})
	if err != nil {
		return nil, out, err
	}
	sources, err := listSources(out.Citations)
	return append([]string{out.Answer}, sources...), out, err
}

// maxEvent bounds one event of an answer, in bytes.
const maxEvent = 8 << 20

// progressStep is how many characters of an answer come between two notes of progress.
const progressStep = 200

// readAnswer reads the stream of a chat and says now and then how many characters
// have come.
func readAnswer(r io.Reader, out *askOutput, written func(int)) error {
	var text strings.Builder
	events := sse.NewReader(r, maxEvent)
	count, said := 0, 0
	for {
		ev, err := events.Next()
		if err != nil {
			e := apierr.New(http.StatusBadGateway, apierr.CodeUpstreamUnavailable, "The answer broke off. Ask again.")
			e.Cause = err
			return e
		}
		if sse.IsDone(ev.Data) {
			out.Answer = text.String()
			return nil
		}
		var chunk struct {
			Choices []struct {
				Delta struct{ Content string }
			}
			Citations json.RawMessage
			Error     *struct{ Message, Code string }
		}
		switch err := json.Unmarshal(ev.Data, &chunk); {
		case err != nil:
			return fmt.Errorf("a chunk of the answer: %w", err)
		case chunk.Error != nil:
			return apierr.New(http.StatusBadGateway, chunk.Error.Code, chunk.Error.Message)
		}
		for _, choice := range chunk.Choices {
			text.WriteString(choice.Delta.Content)
			count += utf8.RuneCountInString(choice.Delta.Content)
		}
		if chunk.Citations != nil {
			out.Citations = chunk.Citations
		}
		if count-said >= progressStep {
			said = count
			written(count)
		}
	}
}

// listSources returns the texts that follow an answer: the sources it cites, and what
// else there is to know about them.
func listSources(raw json.RawMessage) (texts []string, err error) {
	if raw == nil {
		return nil, nil
	}
	var cited struct {
		Status     string   `json:"status"`
		Referenced []int    `json:"referenced_indices"`
		Warnings   []string `json:"warnings"`
		Sources    []struct {
			Index    int    `json:"index"`
			Excerpt  string `json:"excerpt"`
			Citation string `json:"citation"`
		} `json:"sources"`
	}
	if err := json.Unmarshal(raw, &cited); err != nil {
		return nil, fmt.Errorf("citations of an answer: %w", err)
	}
	for _, s := range cited.Sources {
		if slices.Contains(cited.Referenced, s.Index) {
			texts = append(texts, citations.AppendCitation(fmt.Sprintf("[%d] %s", s.Index, s.Excerpt), s.Citation))
		}
	}
	switch cited.Status {
	case citations.StatusNoSources:
		texts = append(texts, "Note: No passage of the documents fits the question.")
	case citations.StatusNone:
		texts = append(texts, "Note: The answer cites none of its sources.")
	}
	for _, w := range cited.Warnings {
		texts = append(texts, "Note: "+w)
	}
	return texts, nil
}
