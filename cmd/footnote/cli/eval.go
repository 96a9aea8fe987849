package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"footnote/assistants/evaluation"

	"footnote/cmd/footnote/console"
)

// An evalRun asks an assistant the questions of gold sets.
type evalRun struct {
	p             *program
	assistant     string
	set           []string // settings tried for retrieval, as name=value
	retrievalOnly bool     // retrieval only
	judge         bool     // have the model judge answers
	uncited       bool     // ask with citations off as well
	baselines     bool
	asJSON        bool
	save          string
	compare       string
	name          string
	topK          int
	parallel      int
}

func (p *program) evalCommand() *cobra.Command {
	run := evalRun{p: p}
	cmd := &cobra.Command{
		Use: "eval FILE.jsonl…", Short: "Measure an assistant by questions whose answers are known", Args: cobra.MinimumNArgs(1),
		Long: `Puts the questions of a gold set through the whole pipeline and tells how often the right document,
page and passage were found, whether the pages that answers cite are the right ones, how answers use
markers, and how long it took. A gold set has a JSON object per line:

  {"id":"q1","document":"handbook.pdf","question":"How long is the notice period?","pages":[12],
   "passage":"the period of notice is four weeks","answer":"Four weeks"}

"pages" are all pages that answer, "passage" a few words as they stand there; without them only
documents are judged. A conversation has "turns" ([{"role":"user","content":"…"},…]) instead of
"question". Hits count in the order of the sources. Every question asks the assistant's model once;
--retrieval-only asks none. --judge asks once more, whether the answer says the same as "answer".

--without-citations tells what citing costs: questions with an "answer" are asked once more with
citations off, and the shares of right answers stand side by side. An answer is right if the expected
words stand in it; if they do not, one of up to five words is wrong, and a longer one needs --judge.`,
		Example: `  footnote eval --assistant handbook gold.jsonl
  footnote eval --assistant handbook --retrieval-only --set search_mode=FullText --save words.json gold.jsonl
  footnote eval --assistant handbook --retrieval-only --compare words.json gold.jsonl
  footnote eval --assistant handbook --without-citations --judge gold.jsonl`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(run.set) > 0 && !run.retrievalOnly {
				return errors.New("--set tries settings for retrieval alone; add --retrieval-only, or change the assistant")
			}
			if run.judge && run.retrievalOnly {
				return errors.New("--judge needs answers; leave --retrieval-only out")
			}
			if run.uncited && run.retrievalOnly {
				return errors.New("--without-citations needs answers; leave --retrieval-only out")
			}
			return p.withData(cmd.Context(), func(ctx context.Context, c *client) error { return run.evaluate(ctx, c, args) })
		},
	}
	f := cmd.Flags()
	f.StringVarP(&run.assistant, "assistant", "a", "", "id or slug of the assistant")
	f.BoolVar(&run.retrievalOnly, "retrieval-only", false, "judge what is found, and ask no model")
	f.BoolVar(&run.judge, "judge", false, "also have the assistant's model compare each answer with the expected one")
	f.BoolVar(&run.uncited, "without-citations", false, "also ask with citations off, and compare how many answers are right")
	f.StringArrayVar(&run.set, "set", nil, "a setting tried for this run, such as search_mode=FullText; may be repeated")
	f.BoolVar(&run.baselines, "baselines", false, "also judge plain BM25, the first pages and random pages over the same passages")
	f.BoolVar(&run.asJSON, "json", false, "print the run as JSON")
	f.StringVar(&run.save, "save", "", "write the run to a file, for --compare")
	f.StringVar(&run.compare, "compare", "", "a saved run to compare this one with, question by question")
	f.StringVar(&run.name, "name", "", "name of the run in tables (default: the assistant and --set)")
	f.IntVar(&run.topK, "top-k", 10, "passages asked for each question")
	f.IntVar(&run.parallel, "parallel", 4, "questions at once")
	_ = cmd.MarkFlagRequired("assistant") // fails only for a flag that does not exist
	p.serverFlags(cmd)
	return cmd
}

// evaluate judges the gold sets as if they were one.
func (r *evalRun) evaluate(ctx context.Context, c *client, paths []string) error {
	questions, err := readGold(paths)
	if err != nil {
		return err
	}
	previous, err := readRun(r.compare)
	if err != nil {
		return err
	}
	settings, err := parseSettings(r.set)
	if err != nil {
		return err
	}
	assistant := &evaluation.Assistant{Send: c.call, Name: r.assistant, TopK: r.topK, Settings: settings, Uncited: r.uncited}
	if err := checkAssistant(ctx, c, assistant); err != nil { // a wrong name or key is reported once, not for each question
		return err
	}
	if r.judge {
		if assistant.Judge, err = judgePrompt(ctx, c, assistant); err != nil {
			return err
		}
	}
	documents, complete, err := readableDocuments(ctx, c, assistant)
	if err != nil {
		return err
	}
	if r.uncited && !slices.ContainsFunc(questions, func(q evaluation.Question) bool { return q.Answer != "" }) {
		return errors.New("--without-citations needs questions with an \"answer\"")
	}
	warnings := evaluation.Check(questions, documents, complete)
	for _, sentence := range warnings {
		fmt.Fprintln(r.p.Err, "Warning: "+sentence)
	}
	run := evaluation.Run{Name: r.runName(), Created: time.Now().UTC(), Settings: settings}
	bar := progressbar.NewOptions(len(questions), progressbar.OptionSetWriter(r.p.Err), progressbar.OptionSetDescription("questions"),
		progressbar.OptionShowCount(), progressbar.OptionClearOnFinish(), progressbar.OptionSetWidth(30), progressbar.OptionSetVisibility(console.IsTerminal(r.p.Err)))
	run.Outcomes, err = evaluation.Evaluate(ctx, assistant, questions, evaluation.Options{
		Chat: !r.retrievalOnly, Parallel: r.parallel, Progress: func(done, _ int) { _ = bar.Set(done) },
	})
	_ = bar.Finish() // a bar that cannot be drawn is not worth failing for
	if err != nil {
		return errors.New("interrupted; nothing was saved")
	}
	var baselines []evaluation.Run
	if r.baselines {
		if baselines, err = assistant.Baselines(ctx, questions); err != nil {
			return fmt.Errorf("read the passages for --baselines: %w", err)
		}
	}
	if err := r.report(evalReport{Run: run, Baselines: baselines, Warnings: warnings}, previous); err != nil {
		return err
	}
	return errors.Join(saveRun(r.save, run), evaluation.Failed(run.Outcomes))
}

func (r *evalRun) runName() string {
	if r.name != "" {
		return r.name
	}
	return strings.Join(append([]string{r.assistant}, r.set...), " ")
}

// readGold reads gold sets. Ids must be unique across all of them.
func readGold(paths []string) ([]evaluation.Question, error) {
	var all []evaluation.Question
	from := map[string]string{}
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		questions, err := evaluation.Read(f)
		if err = errors.Join(err, f.Close()); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		for _, q := range questions {
			if other, twice := from[q.ID]; twice {
				return nil, fmt.Errorf("%s: the id %q stands in %s, too", path, q.ID, other)
			}
			from[q.ID] = path
		}
		all = append(all, questions...)
	}
	return all, nil
}

// parseSettings parses settings of the form name=value. A value that is not JSON is a
// string.
func parseSettings(set []string) (map[string]any, error) {
	if len(set) == 0 {
		return nil, nil
	}
	out := map[string]any{}
	for _, s := range set {
		name, value, ok := strings.Cut(s, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("--set %q: write it as name=value, such as search_mode=FullText", s)
		}
		var v any
		if json.Unmarshal([]byte(value), &v) != nil {
			v = value
		}
		out[name] = v
	}
	return out, nil
}

func readRun(path string) (*evaluation.Run, error) {
	if path == "" {
		return nil, nil
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var run evaluation.Run
	if err := json.Unmarshal(raw, &run); err != nil || len(run.Outcomes) == 0 {
		return nil, fmt.Errorf("%s is no run saved by --save", path)
	}
	return &run, nil
}

// saveRun replaces the file in one step, so that it is never half written.
func saveRun(path string, run evaluation.Run) error {
	if path == "" {
		return nil
	}
	raw, err := json.MarshalIndent(run, "", " ")
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	_, err = f.Write(append(raw, '\n'))
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// An evalReport is what --json prints.
type evalReport struct {
	evaluation.Run
	Summary    evaluation.Summary     `json:"summary"`
	Baselines  []evaluation.Run       `json:"baselines,omitempty"`
	Comparison *evaluation.Comparison `json:"comparison,omitempty"`
	Warnings   []string               `json:"warnings,omitempty"` // what is wrong with the gold set
}

// report prints tables, or everything as JSON.
func (r *evalRun) report(rep evalReport, previous *evaluation.Run) error {
	run := rep.Run
	rep.Summary = evaluation.Summarise(run.Outcomes)
	if previous != nil {
		c := evaluation.Compare(previous.Outcomes, run.Outcomes)
		rep.Comparison = &c
	}
	if r.asJSON {
		return writeIndented(r.p.Out, rep)
	}
	runs := append([]evaluation.Run{run}, rep.Baselines...)
	if previous != nil {
		runs = append([]evaluation.Run{*previous}, runs...)
	}
	out := r.p.Out
	if err := evaluation.WriteRanks(out, runs); err != nil {
		return err
	}
	fmt.Fprintln(out)
	evaluation.WriteLatency(out, rep.Summary)
	if rep.Summary.Chat != nil {
		fmt.Fprintln(out)
		if err := evaluation.WriteChat(out, rep.Summary.Chat); err != nil {
			return err
		}
	}
	if previous != nil {
		fmt.Fprintln(out)
		evaluation.WriteComparison(out, previous.Name, run.Name, *rep.Comparison)
	}
	return nil
}

func writeIndented(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
