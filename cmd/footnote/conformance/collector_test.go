package conformance

import (
	"encoding/json"
	"net/http"
	"testing"
)

// A collector puts the chunks of a stream together as people do.
type collector struct{ shown shown }

// choice returns the choice of an index, which a chunk may be the first to name.
func (c *collector) choice(index int) *shownChoice {
	for len(c.shown.Choices) <= index {
		c.shown.Choices = append(c.shown.Choices, shownChoice{Index: len(c.shown.Choices)})
	}
	return &c.shown.Choices[index]
}

// call returns the tool call of an index.
func (c *shownChoice) call(index int) *shownToolCall {
	for len(c.ToolCalls) <= index {
		c.ToolCalls = append(c.ToolCalls, shownToolCall{})
	}
	return &c.ToolCalls[index]
}

// add appends to what is known of a tool call.
func (t *shownToolCall) add(id, name, arguments string) {
	t.ID += id
	t.Name += name
	t.Arguments += arguments
}

// chunk notes a chunk, the citations on it if there are any, and its usage.
func (c *collector) chunk(object, model string, citations any, finish bool) {
	c.shown.Chunks++
	c.shown.Object, c.shown.Model = object, model
	if citations != nil {
		c.shown.CitationsChunks++
		c.shown.Citations, c.shown.CitationsOnFinish = citations, finish
	}
}

func (c *collector) usage(total, choices int) {
	c.shown.Usage, c.shown.UsageChoices = total, &choices
}

// decoded reads JSON that a client shows as it came; nil for none.
func decoded(raw string) any {
	var v any
	if json.Unmarshal([]byte(raw), &v) != nil {
		return nil
	}
	return v
}

// httpClient is one whose connections end with the test.
func httpClient(t *testing.T) *http.Client {
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// The requests of testdata/requests.json, in the words of Go. What is sent is
// compared with the file.
const (
	asksOffices = "How many vacation days do employees get per year in Leeds and in Osaka?"
	asksPicture = "Does this picture say how many vacation days employees get per year?"
	dataURL     = "data:image/png;base64,iVBORw0KGgo="
	webURL      = "http://picture.test/never-fetched.png" // replaced by one of the model server's
	toolPurpose = "Counts the local holidays of an office [1]."
)

var (
	vendor       = map[string]any{"keep": []any{"me", 2.5, nil}}
	officeSchema = map[string]any{
		"type": "object", "properties": map[string]any{"office": map[string]any{"type": "string"}},
		"required": []string{"office"}, "additionalProperties": false,
	}
	vacationSchema = map[string]any{
		"type": "object", "required": []string{"days", "note"}, "additionalProperties": false,
		"properties": map[string]any{"days": map[string]any{"type": "integer"}, "note": map[string]any{"type": "string"}},
	}
	toolResults = []string{"8 days", "9 days"}
)
