package mcp

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"footnote/citations"
	"footnote/proxy/apierr"
)

var checkTool = &sdk.Tool{
	Name: "check", Title: "Check a text", Annotations: readOnly(),
	Description: "Says of each factual sentence of a text whether the documents bear it out, with the passage that does or that comes nearest. No model is asked.",
	InputSchema: schema(`{"type":"object","additionalProperties":false,"required":["text"],"properties":{
		"text":{"type":"string","minLength":1,"maxLength":100000,"description":"Plain text or Markdown."},
		"assistant":` + assistantProperty + `}}`),
	OutputSchema: schema(`{"type":"object","required":["assistant","sentences","coverage"],"properties":{
		"assistant":{"type":"string","description":"The assistant whose documents were searched."},
		"coverage":{"type":"number","description":"The share of the sentences that are borne out."},
		"sentences":{"type":"array","items":{"type":"object","required":["text","support"],"properties":{
			"text":{"type":"string"},"support":{"type":"string","enum":["supported","weak","unsupported"]},
			"quote":{"type":"string","description":"The words of the passage."},"citation":{"type":"string","description":"(Source: document, page, chunk)"}}}},
		"warnings":{"type":"array","items":{"type":"string"}}}}`),
}

type checkInput struct {
	Text      string `json:"text"`
	Assistant string `json:"assistant"`
}

type checkOutput struct {
	Assistant string            `json:"assistant"`
	Coverage  float64           `json:"coverage"`
	Sentences []checkedSentence `json:"sentences"`
	Warnings  []string          `json:"warnings,omitempty"`
}

type checkedSentence struct {
	Text     string `json:"text"`
	Support  string `json:"support"`
	Quote    string `json:"quote,omitempty"`
	Citation string `json:"citation,omitempty"`
}

// check is the tool check. It asks the API, as a client does.
func (h *Handler) check(ctx context.Context, c *call, in checkInput, tell progress) ([]string, checkOutput, error) {
	out := checkOutput{Sentences: []checkedSentence{}}
	if strings.TrimSpace(in.Text) == "" {
		return nil, out, apierr.Invalid("text", "text must not be empty.")
	}
	a, err := h.choose(ctx, c, in.Assistant, c.caller.Sight())
	if err != nil {
		return nil, out, err
	}
	tell(ctx, 0, 1, "Searching the documents of "+a.Name)
	var got struct{ Citations citations.Citations }
	if err := h.ask(ctx, c, http.MethodPost, "/v1/check", map[string]string{"text": in.Text, "assistant": string(a.ID)}, &got); err != nil {
		return nil, out, err
	}
	verdict := got.Citations
	out.Assistant, out.Warnings = a.Slug, verdict.Warnings
	if verdict.Coverage != nil {
		out.Coverage = *verdict.Coverage
	}
	texts := []string{fmt.Sprintf("Sentences checked: %d. Borne out: %.0f %%.", len(verdict.Markers), 100*out.Coverage)}
	for _, m := range verdict.Markers {
		s := checkedSentence{Text: verdict.OffsetUnit.Slice(in.Text, m.ClaimStart, m.ClaimEnd), Support: m.Support}
		text := s.Support + ": " + s.Text
		if m.Quote != nil {
			s.Quote, s.Citation = m.Quote.Text, citationOf(verdict.Sources, m.Quote.Index)
			text = citations.AppendCitation(text+"\n\n"+s.Quote, s.Citation)
		}
		out.Sentences, texts = append(out.Sentences, s), append(texts, text)
	}
	tell(ctx, 1, 1, texts[0])
	for _, w := range out.Warnings {
		texts = append(texts, "Note: "+w)
	}
	return texts, out, nil
}

// citationOf returns the citation line of the source with a number.
func citationOf(sources []citations.Source, number int) string {
	for i := range sources {
		if sources[i].Index == number {
			return sources[i].Citation
		}
	}
	return ""
}
