package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// The bad example: a relay that decodes what passes through it into structs
// and encodes it again, as gateways commonly do. It does what Footnote does as
// far as the figures go: puts the same sources into the prompt, finds the
// markers, adds citations to the answer. It is written with ordinary care and
// flushes each event as it comes.

type (
	decodedRequest struct {
		Model               string           `json:"model"`
		Messages            []decodedMessage `json:"messages"`
		Stream              bool             `json:"stream"`
		Temperature         *float64         `json:"temperature,omitempty"`
		MaxCompletionTokens int              `json:"max_completion_tokens,omitempty"`
		User                string           `json:"user,omitempty"`
	}
	decodedMessage struct {
		Role        string            `json:"role"`
		Content     string            `json:"content"`
		Refusal     *string           `json:"refusal"`
		Annotations []json.RawMessage `json:"annotations,omitempty"`
	}
	decodedDelta struct {
		Role    string  `json:"role,omitempty"`
		Content *string `json:"content,omitempty"`
		Refusal *string `json:"refusal,omitempty"`
	}
	decodedChoice struct {
		Index        int             `json:"index"`
		Message      *decodedMessage `json:"message,omitempty"`
		Delta        *decodedDelta   `json:"delta,omitempty"`
		Logprobs     json.RawMessage `json:"logprobs"`
		FinishReason *string         `json:"finish_reason"`
	}
	decodedUsage struct {
		PromptTokens            int            `json:"prompt_tokens"`
		CompletionTokens        int            `json:"completion_tokens"`
		TotalTokens             int            `json:"total_tokens"`
		PromptTokensDetails     map[string]int `json:"prompt_tokens_details,omitempty"`
		CompletionTokensDetails map[string]int `json:"completion_tokens_details,omitempty"`
	}
	decodedAnswer struct {
		ID                string            `json:"id"`
		Object            string            `json:"object"`
		Created           int64             `json:"created"`
		Model             string            `json:"model"`
		Choices           []decodedChoice   `json:"choices"`
		Usage             *decodedUsage     `json:"usage,omitempty"`
		ServiceTier       string            `json:"service_tier,omitempty"`
		SystemFingerprint string            `json:"system_fingerprint,omitempty"`
		Obfuscation       string            `json:"obfuscation,omitempty"`
		Citations         *decodedCitations `json:"citations,omitempty"`
	}
	decodedCitations struct {
		Status            string          `json:"status"`
		Sources           []decodedSource `json:"sources"`
		ReferencedIndices []int           `json:"referenced_indices"`
		Markers           []decodedMarker `json:"markers"`
	}
	decodedSource struct {
		Index        int    `json:"index"`
		DocumentID   string `json:"document_id"`
		DocumentName string `json:"document_name"`
		Excerpt      string `json:"excerpt"`
	}
	decodedMarker struct {
		Start   int    `json:"start"`
		End     int    `json:"end"`
		Indices string `json:"indices"`
	}
)

// A decodingRelay is the relay's handler.
type decodingRelay struct {
	client  http.Client
	url     string
	sources []decodedSource
	prompt  string
}

// runDecoding is the role of the relay.
func runDecoding(upstream string) error {
	r := &decodingRelay{client: http.Client{Transport: tunedTransport(), Timeout: 10 * time.Minute}, url: "http://" + upstream + "/v1/chat/completions"}
	var prompt strings.Builder
	prompt.WriteString("Answer from these sources and cite them as [n].\n")
	for i := range sourceCount {
		s := decodedSource{Index: i + 1, DocumentID: fmt.Sprintf("doc_%d", i/3), DocumentName: fmt.Sprintf("manual-%d.pdf", i/3), Excerpt: sourceText(i + 1)}
		fmt.Fprintf(&prompt, "\n[%d] %s, page %d\n%s\n", s.Index, s.DocumentName, i+1, s.Excerpt)
		r.sources = append(r.sources, s)
	}
	r.prompt = prompt.String()
	return serveChild(plainServer(r), "", nil)
}

// ServeHTTP relays one chat request.
func (r *decodingRelay) ServeHTTP(w http.ResponseWriter, in *http.Request) {
	if err := r.relay(w, in); err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
	}
}

func (r *decodingRelay) relay(w http.ResponseWriter, in *http.Request) error {
	var req decodedRequest
	if err := json.NewDecoder(in.Body).Decode(&req); err != nil {
		return err
	}
	req.Messages = append([]decodedMessage{{Role: "system", Content: r.prompt}}, req.Messages...)
	body, err := json.Marshal(req)
	if err != nil {
		return err
	}
	out, err := http.NewRequestWithContext(in.Context(), http.MethodPost, r.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	out.Header.Set("Content-Type", "application/json")
	resp, err := r.client.Do(out)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	w.Header().Set("Content-Type", resp.Header.Get("Content-Type"))
	if req.Stream {
		return r.relayStream(w, resp.Body)
	}
	var answer decodedAnswer
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, resp.Body); err != nil { // its end, so that the connection can be used again
		return err
	}
	var text strings.Builder
	for _, choice := range answer.Choices {
		text.WriteString(choice.Message.Content)
	}
	answer.Citations = r.cite(text.String())
	return json.NewEncoder(w).Encode(answer)
}

func (r *decodingRelay) relayStream(w http.ResponseWriter, body io.Reader) error {
	var text strings.Builder
	flush := http.NewResponseController(w).Flush
	lines := bufio.NewScanner(body)
	for lines.Scan() {
		data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data: "))
		if !ok {
			continue
		}
		if string(data) != "[DONE]" {
			var chunk decodedAnswer
			if err := json.Unmarshal(data, &chunk); err != nil {
				return err
			}
			for _, choice := range chunk.Choices {
				if choice.Delta.Content != nil {
					text.WriteString(*choice.Delta.Content)
				}
				if choice.FinishReason != nil {
					chunk.Citations = r.cite(text.String())
				}
			}
			var err error
			if data, err = json.Marshal(chunk); err != nil {
				return err
			}
		}
		if _, err := fmt.Fprintf(w, "data: %s\n\n", data); err != nil {
			return err
		}
		if err := flush(); err != nil {
			return err
		}
	}
	return lines.Err()
}

// cite finds the markers of a text.
func (r *decodingRelay) cite(text string) *decodedCitations {
	c := &decodedCitations{Status: "cited", Sources: r.sources}
	for _, at := range markerForm.FindAllStringSubmatchIndex(text, -1) {
		c.Markers = append(c.Markers, decodedMarker{Start: at[0], End: at[1], Indices: text[at[2]:at[3]]})
	}
	c.ReferencedIndices, _ = citedIn(text)
	return c
}
