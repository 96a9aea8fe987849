package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"footnote/cmd/footnote/console"
)

// A textCheck checks the text of a file by documents or passages.
type textCheck struct {
	p         *program
	assistant string
	passages  string // path of a file with passages
	threshold float64
	allowWeak bool
	asJSON    bool
}

func (p *program) checkTextCommand() *cobra.Command {
	run := textCheck{p: p}
	cmd := &cobra.Command{
		Use: "check-text FILE", Short: "Check whether documents bear out the sentences of a text", Args: func(cmd *cobra.Command, args []string) error { return notChecked(cobra.ExactArgs(1)(cmd, args)) },
		Long: `Checks each factual sentence of a text, plain or Markdown, and prints those that no document bears
out, with their line and the passage that comes nearest. FILE may be - for the standard input. No model
is asked.

With --assistant the documents of an assistant are searched for each sentence. With --passages the text
refers to passages by [1], [2] …: a file with a JSON object per line, with id, text and, if you like,
name, page_number and url; [n] is the n-th of them. Sentences without a number are then not checked.

The exit status is 1 if fewer sentences than --threshold (a share from 0 to 1) are borne out, so that a
pipeline can check documentation, or if there is no sentence to check. Sentences whose support is weak
count as borne out with --allow-weak. A text of which not every sentence could be checked fails, too.
It is 2 if the text could not be checked: a wrong flag, no such file, no answer from the server.`,
		Example: `  footnote check-text --assistant handbook README.md
  footnote check-text --url http://127.0.0.1:8080 --key fn-… --assistant handbook --threshold 0.9 - < answer.txt
  footnote check-text --passages sources.jsonl answer.md`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if (run.assistant == "") == (run.passages == "") {
				return notChecked(errors.New("give either --assistant or --passages"))
			}
			if run.threshold < 0 || run.threshold > 1 {
				return notChecked(errors.New("--threshold is a share from 0 to 1"))
			}
			var result checkedText
			err := p.withData(cmd.Context(), func(ctx context.Context, c *client) (err error) {
				result, err = run.check(ctx, c, args[0], cmd.InOrStdin())
				return err
			})
			if err != nil {
				return notChecked(err)
			}
			return result.verdict(run.threshold)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&run.assistant, "assistant", "a", "", "id or slug of the assistant whose documents are searched")
	f.StringVar(&run.passages, "passages", "", "file with the passages that the text refers to, a JSON object per line")
	f.Float64Var(&run.threshold, "threshold", 1, "least share of the sentences that must be borne out")
	f.BoolVar(&run.allowWeak, "allow-weak", false, "sentences with weak support count as borne out")
	f.BoolVar(&run.asJSON, "json", false, "print every sentence with its result as JSON")
	p.serverFlags(cmd)
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return notChecked(err) })
	return cmd
}

// notChecked gives an error the exit status 2. A text that was checked and fails has 1, so
// a script can tell the two apart.
func notChecked(err error) error {
	if err == nil {
		return nil
	}
	return &console.StatusError{Status: 2, Err: err}
}

// A checkedText is the result for a whole text.
type checkedText struct {
	File        string         `json:"file"`
	Claims      []checkedClaim `json:"claims"`
	Supported   int            `json:"supported"`
	Weak        int            `json:"weak"`
	Unsupported int            `json:"unsupported"`
	Share       float64        `json:"share"`     // of the claims that are borne out; 1 if there are none
	Truncated   bool           `json:"truncated"` // not every sentence was checked; such a text never passes
	Passed      bool           `json:"passed"`
	Warnings    []string       `json:"warnings"`
}

// A checkedClaim is the result for a sentence.
type checkedClaim struct {
	Line    int     `json:"line"`
	Text    string  `json:"text"`
	Support string  `json:"support"` // supported, weak or unsupported
	Score   float64 `json:"score"`
	// Where the nearest words stand; absent if there are none.
	Document string `json:"document,omitempty"`
	Page     int    `json:"page,omitempty"`
	Quote    string `json:"quote,omitempty"`
}

// check checks a file and prints the result.
func (r *textCheck) check(ctx context.Context, c *client, path string, stdin io.Reader) (checkedText, error) {
	result := checkedText{File: path, Claims: []checkedClaim{}, Share: 1, Warnings: []string{}}
	text, err := readText(path, stdin)
	if err != nil {
		return result, err
	}
	var passages []json.RawMessage
	if r.passages != "" {
		if passages, err = readPassages(r.passages); err != nil {
			return result, err
		}
	}
	for _, part := range partsOf(text) {
		if err := r.checkPart(ctx, c, part, passages, &result); err != nil {
			return result, err
		}
	}
	result.sum(r.allowWeak, r.threshold)
	return result, r.print(result)
}

// verdict says why a text fails that was checked; nil: it passes.
func (t *checkedText) verdict(threshold float64) error {
	switch {
	case t.Truncated:
		return errors.New("not every sentence was checked; divide long paragraphs")
	case len(t.Claims) == 0 && threshold > 0:
		return errors.New("there was no sentence to check")
	case !t.Passed:
		return fmt.Errorf("%.1f %% of the sentences are borne out; %.1f %% are needed", 100*t.Share, 100*threshold)
	}
	return nil
}

// checkPart has the server check a part of the text.
func (r *textCheck) checkPart(ctx context.Context, c *client, part textPart, passages []json.RawMessage, result *checkedText) error {
	body := map[string]any{"text": part.text}
	if passages != nil {
		body["passages"] = passages
	} else {
		body["assistant"] = r.assistant
	}
	var got struct {
		Citations shownCitations `json:"citations"`
	}
	if err := c.call(ctx, http.MethodPost, "/v1/check", body, &got); err != nil {
		if fault, ok := errors.AsType[*apiError](err); ok && fault.Status == http.StatusNotFound && passages == nil {
			return fmt.Errorf("there is no assistant %q that this key may use", r.assistant)
		}
		return fmt.Errorf("line %d: %w", part.line, err)
	}
	cited := &got.Citations
	result.Warnings = append(result.Warnings, cited.Warnings...)
	result.Truncated = result.Truncated || cited.Truncated
	for i, m := range cited.Markers {
		claim := cited.claim(i, part)
		last := len(result.Claims) - 1
		if i > 0 && m.ClaimStart == cited.Markers[i-1].ClaimStart { // several markers of one sentence
			if worse(claim.Support, result.Claims[last].Support) {
				result.Claims[last] = claim
			}
			continue
		}
		result.Claims = append(result.Claims, claim)
	}
	return nil
}

// claim is the result of marker i of a part.
func (c *shownCitations) claim(i int, part textPart) checkedClaim {
	m := c.Markers[i]
	before := c.OffsetUnit.Slice(part.text, 0, m.ClaimStart)
	claim := checkedClaim{
		Line: part.line + strings.Count(before, "\n"), Support: m.Support, Score: m.SupportScore,
		Text: strings.Join(strings.Fields(c.OffsetUnit.Slice(part.text, m.ClaimStart, m.ClaimEnd)), " "),
	}
	if claim.Support == "" { // the number belongs to no passage
		claim.Support = "unsupported"
	}
	if m.Quote == nil {
		return claim
	}
	claim.Quote, claim.Page = strings.Join(strings.Fields(m.Quote.Text), " "), m.Quote.PageNumber
	for _, s := range c.Sources {
		if s.Index == m.Quote.Index {
			claim.Document = s.DocumentName
		}
	}
	return claim
}

// worse reports whether support a is worse than b.
func worse(a, b string) bool {
	rank := map[string]int{"supported": 2, "weak": 1}
	return rank[a] < rank[b]
}

func (t *checkedText) sum(allowWeak bool, threshold float64) {
	for _, claim := range t.Claims {
		switch claim.Support {
		case "supported":
			t.Supported++
		case "weak":
			t.Weak++
		default:
			t.Unsupported++
		}
	}
	good := t.Supported
	if allowWeak {
		good += t.Weak
	}
	if len(t.Claims) > 0 {
		t.Share = float64(good) / float64(len(t.Claims))
	}
	t.Passed = t.Share >= threshold && !t.Truncated
}

func (r *textCheck) print(result checkedText) error {
	if r.asJSON {
		e := json.NewEncoder(r.p.Out)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		return e.Encode(result)
	}
	for _, claim := range result.Claims {
		if claim.Support == "supported" {
			continue
		}
		fmt.Fprintf(r.p.Out, "%s:%d: %s: %s\n", result.File, claim.Line, claim.Support, claim.Text)
		if claim.Quote == "" {
			fmt.Fprintln(r.p.Out, "    No passage comes near.")
			continue
		}
		where := claim.Document
		if claim.Page > 0 {
			where += fmt.Sprintf(", page %d", claim.Page)
		}
		fmt.Fprintf(r.p.Out, "    %s: %s\n", where, claim.Quote)
	}
	for _, w := range result.Warnings {
		fmt.Fprintln(r.p.Err, "Note:", w)
	}
	_, err := fmt.Fprintf(r.p.Out, "%d sentences checked: %d supported, %d weak, %d unsupported.\n", len(result.Claims), result.Supported, result.Weak, result.Unsupported)
	return err
}

func readText(path string, stdin io.Reader) (string, error) {
	if path == "-" {
		raw, err := io.ReadAll(stdin)
		return string(raw), err
	}
	raw, err := os.ReadFile(path)
	return string(raw), err
}

// readPassages reads the lines of a file. The server checks what they hold.
func readPassages(path string) ([]json.RawMessage, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	passages := []json.RawMessage{}
	for i, line := range bytes.Split(raw, []byte("\n")) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if !json.Valid(line) {
			return nil, fmt.Errorf("%s: line %d is not JSON", path, i+1)
		}
		passages = append(passages, line)
	}
	if len(passages) == 0 {
		return nil, fmt.Errorf("%s has no passage", path)
	}
	return passages, nil
}
