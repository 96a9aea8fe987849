package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"footnote/citations"
	"footnote/proxy/sse"
)

func (p *program) askCommand() *cobra.Command {
	var assistant string
	cmd := &cobra.Command{
		Use: "ask QUESTION", Short: "Ask an assistant; the answer streams with its numbered sources", Args: cobra.MinimumNArgs(1),
		Example: `  footnote ask --assistant handbook "How many vacation days do I get?"
  footnote ask --url http://127.0.0.1:8080 --key fn-… --assistant handbook "…"`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withData(cmd.Context(), func(ctx context.Context, c *client) error {
				return p.ask(ctx, c, assistant, strings.Join(args, " "))
			})
		},
	}
	cmd.Flags().StringVarP(&assistant, "assistant", "a", "", "id or slug of the assistant")
	_ = cmd.MarkFlagRequired("assistant") // fails only for a flag that does not exist
	p.serverFlags(cmd)
	return cmd
}

// A streamedChunk is what ask reads of a chunk.
type streamedChunk struct {
	Choices []struct {
		Delta struct {
			Content string `json:"content"`
		} `json:"delta"`
	} `json:"choices"`
	Citations *shownCitations `json:"citations"`
	Error     *apiError       `json:"error"`
}

// shownCitations are the parts of the citations that ask shows.
type shownCitations struct {
	Status            string               `json:"status"`
	Truncated         bool                 `json:"truncated"`
	ReferencedIndices []int                `json:"referenced_indices"`
	InvalidIndices    []int                `json:"invalid_indices"`
	OffsetUnit        citations.OffsetUnit `json:"offset_unit"`
	ConfidencePercent int                  `json:"confidence_percent"`
	ConfidenceLevel   string               `json:"confidence_level"`
	Warnings          []string             `json:"warnings"`
	Sources           []struct {
		Index         int    `json:"index"`
		DocumentName  string `json:"document_name"`
		PageNumber    int    `json:"page_number"`
		SectionHeader string `json:"section_header"`
		Excerpt       string `json:"excerpt"`
	} `json:"sources"`
	Markers []struct {
		Indices      []int   `json:"indices"`
		ClaimStart   int     `json:"claim_start"`
		ClaimEnd     int     `json:"claim_end"`
		Support      string  `json:"support"`
		SupportScore float64 `json:"support_score"`
		Quote        *struct {
			Index      int    `json:"index"`
			Text       string `json:"text"`
			PageNumber int    `json:"page_number"`
		} `json:"quote"`
	} `json:"markers"`

	answer string // the text that the offsets count in
}

// evidence returns what the markers say about a source: its first quote, and the
// claims that it does not support.
func (c *shownCitations) evidence(source int) (quote string, page int, unsupported []string) {
	for _, m := range c.Markers {
		if !slices.Contains(m.Indices, source) {
			continue
		}
		if q := m.Quote; q != nil && q.Index == source && quote == "" {
			quote, page = q.Text, q.PageNumber
		}
		if m.Support == "unsupported" {
			claim := strings.Join(strings.Fields(c.OffsetUnit.Slice(c.answer, m.ClaimStart, m.ClaimEnd)), " ")
			if !slices.Contains(unsupported, claim) {
				unsupported = append(unsupported, claim)
			}
		}
	}
	return quote, page, unsupported
}

// ask streams one answer to the output, then lists what it cites.
func (p *program) ask(ctx context.Context, c *client, assistant, question string) error {
	body, err := json.Marshal(map[string]any{
		"model": assistant, "stream": true,
		"messages": []map[string]string{{"role": "user", "content": question}},
	})
	if err != nil {
		return err
	}
	resp, err := c.do(ctx, http.MethodPost, "/assistants/"+url.PathEscape(assistant)+"/v1/chat/completions", "application/json", bytes.NewReader(body),
		"X-Footnote-Citation-Format", "native") // not the assistant's own format
	if err != nil {
		return err
	}
	cited, err := p.printStream(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return err
	}
	p.printSources(cited)
	return nil
}

// printStream writes the text of a stream as it comes and returns its citations.
func (p *program) printStream(r io.Reader) (*shownCitations, error) {
	var cited *shownCitations
	var answer strings.Builder
	events := sse.NewReader(r, 8<<20)
	for {
		ev, err := events.Next()
		if err != nil {
			fmt.Fprintln(p.Out)
			return cited, fmt.Errorf("the answer broke off: %w", err)
		}
		if sse.IsDone(ev.Data) {
			fmt.Fprintln(p.Out)
			return cited, nil
		}
		var chunk streamedChunk
		if err := json.Unmarshal(ev.Data, &chunk); err != nil {
			return cited, fmt.Errorf("the answer cannot be read: %w", err)
		}
		if chunk.Error != nil {
			fmt.Fprintln(p.Out)
			return cited, chunk.Error
		}
		for _, choice := range chunk.Choices {
			fmt.Fprint(p.Out, choice.Delta.Content)
			answer.WriteString(choice.Delta.Content)
		}
		if chunk.Citations != nil {
			cited = chunk.Citations
			cited.answer = answer.String()
		}
	}
}

// printSources lists the cited sources, and says so when there are none.
func (p *program) printSources(cited *shownCitations) {
	if cited == nil {
		return
	}
	switch cited.Status {
	case "cited":
		fmt.Fprintf(p.Out, "\nSources (confidence %d %%, %s):\n", cited.ConfidencePercent, cited.ConfidenceLevel)
	case "no_sources":
		fmt.Fprintln(p.Out, "\nNo passage of the documents fits the question.")
	case "none":
		fmt.Fprintf(p.Out, "\nThe answer cites none of the %d sources it was given.\n", len(cited.Sources))
	default:
		fmt.Fprintf(p.Out, "\nCitations: %s\n", cited.Status)
	}
	for _, s := range cited.Sources {
		if !slices.Contains(cited.ReferencedIndices, s.Index) {
			continue
		}
		quote, page, unsupported := cited.evidence(s.Index)
		if quote == "" {
			quote, page = s.Excerpt, s.PageNumber
		}
		where := s.DocumentName
		if page > 0 {
			where += fmt.Sprintf(", page %d", page)
		}
		if s.SectionHeader != "" {
			where += ", " + s.SectionHeader
		}
		fmt.Fprintf(p.Out, "  [%d] %s\n      %s\n", s.Index, where, strings.Join(strings.Fields(quote), " "))
		for _, claim := range unsupported {
			fmt.Fprintln(p.Out, "      This source does not support the claim:", claim)
		}
	}
	for _, n := range cited.InvalidIndices {
		fmt.Fprintf(p.Out, "  [%d] is none of the sources that the model was given.\n", n)
	}
	for _, w := range cited.Warnings {
		fmt.Fprintln(p.Out, "  Note:", w)
	}
}
