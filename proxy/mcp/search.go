package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"footnote/citations"
	"footnote/proxy/apierr"
)

var searchTool = &sdk.Tool{
	Name: "search", Title: "Search documents", Annotations: readOnly(),
	Description: "Finds the passages of the documents that a question is about. Each passage ends with its source: (Source: document, page, chunk). No model is asked.",
	InputSchema: schema(`{"type":"object","additionalProperties":false,"required":["query"],"properties":{
		"query":{"type":"string","minLength":1,"maxLength":500,"description":"What to look for: a question or words, at most 500 characters."},
		"assistant":` + assistantProperty + `,
		"limit":{"type":"integer","minimum":1,"maximum":50,"description":"How many passages at most. Without it the assistant's setting counts."}}}`),
	OutputSchema: schema(`{"type":"object","required":["assistant","results"],"properties":{
		"assistant":{"type":"string","description":"The assistant whose documents were searched."},
		"results":{"type":"array","description":"The passages, the best first.","items":` + sourceSchema + `},
		"warnings":{"type":"array","items":{"type":"string"}}}}`),
}

// sourceSchema is the schema of a source. Its members are those of the API.
const sourceSchema = `{"type":"object","required":["document_id","document_name"],"properties":{
	"document_id":{"type":"string"},"document_name":{"type":"string"},"score":{"type":"number","description":"From 0 to 1."},
	"page_number":{"type":"integer"},"chunk_index":{"type":"integer"},"text":{"type":"string","description":"The passage."},
	"citation":{"type":"string","description":"(Source: document, page, chunk)"},"download_url":{"type":"string"}}}`

type searchInput struct {
	Query     string `json:"query"`
	Assistant string `json:"assistant"`
	Limit     int    `json:"limit"` // 0: the assistant's setting
}

type searchOutput struct {
	Assistant string            `json:"assistant"`
	Results   []json.RawMessage `json:"results"`
	Warnings  []string          `json:"warnings,omitempty"`
}

// search is the tool search. It asks the API for the passages, as a client does.
func (h *Handler) search(ctx context.Context, c *call, in searchInput, tell progress) ([]string, searchOutput, error) {
	var out searchOutput
	if strings.TrimSpace(in.Query) == "" {
		return nil, out, apierr.Invalid("query", "query must not be empty.")
	}
	a, err := h.choose(ctx, c, in.Assistant, c.caller.Sight())
	if err != nil {
		return nil, out, err
	}
	tell(ctx, 0, 1, "Searching the documents of "+a.Name)
	request := map[string]any{"query": in.Query}
	if in.Limit > 0 {
		request["top_k"] = in.Limit
	}
	var found struct {
		Data      []json.RawMessage `json:"data"`
		Retrieval struct {
			Warnings []string `json:"warnings"`
		} `json:"retrieval"`
	}
	if err := h.ask(ctx, c, http.MethodPost, "/v1.0/assistants/"+string(a.ID)+"/retrieve", request, &found); err != nil {
		return nil, out, err
	}
	out = searchOutput{Assistant: a.Slug, Results: found.Data, Warnings: found.Retrieval.Warnings}
	texts := make([]string, len(found.Data))
	for i, raw := range found.Data {
		var p struct{ Text, Citation string }
		if err := json.Unmarshal(raw, &p); err != nil {
			return nil, out, err
		}
		texts[i] = citations.AppendCitation(p.Text, p.Citation)
	}
	tell(ctx, 1, 1, fmt.Sprintf("Passages found: %d", len(texts)))
	if len(texts) == 0 {
		texts = append(texts, "No passage of the documents fits the query.")
	}
	for _, w := range out.Warnings {
		texts = append(texts, "Note: "+w)
	}
	return texts, out, nil
}
