package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"footnote/assistants/evaluation"
)

// evalOptions of `footnote-bench eval`.
type evalOptions struct {
	footnote  string // path of the real program
	gold      string // folder of the gold sets
	documents string // folder of the documents they are about
	demo      string // folder of the demo's documents
	model     string // packed weights of the built-in embedder; "": none
	second    string // packed weights of its multilingual model; "": none
	runs      string // folder for the runs as JSON; "": they are not kept
	out       string // the report is written to; "": none
	limit     int    // questions of each set; 0: all
}

func evalCommand(ctx context.Context, args []string, out io.Writer) error {
	var o evalOptions
	f := flag.NewFlagSet("eval", flag.ContinueOnError)
	f.StringVar(&o.footnote, "footnote", "bin/footnote", "the `program`")
	f.StringVar(&o.gold, "gold", "cmd/footnote/gold", "`folder` of the gold sets")
	f.StringVar(&o.documents, "documents", ".cache/gold", "`folder` of the documents they are about")
	f.StringVar(&o.demo, "demo", "cmd/footnote/demo/documents", "`folder` of the demo's documents")
	f.StringVar(&o.model, "model", "", "packed weights of the built-in embedder, a `file`; without them there are no vectors")
	f.StringVar(&o.second, "multilingual", "", "packed weights of its multilingual model, a `file`; with them everything is asked a second time, using both models")
	f.StringVar(&o.runs, "runs", "", "keep every run as JSON in this `folder`")
	f.StringVar(&o.out, "out", "", "write the report to this `file`, too")
	f.IntVar(&o.limit, "limit", 0, "questions of each set, for a trial; 0: all")
	if err := f.Parse(args); err != nil {
		return err
	}
	if f.NArg() > 0 {
		return errors.New("there are no arguments but flags")
	}
	if o.second != "" && o.model == "" {
		return errors.New("--multilingual needs --model, too")
	}
	report, err := (&evalBench{evalOptions: o}).run(ctx)
	if err != nil {
		return err
	}
	fmt.Fprint(out, report)
	if o.out == "" || o.limit > 0 {
		return nil
	}
	return os.WriteFile(o.out, []byte(report), 0o644) //nolint:gosec // everybody may read it
}

// A goldDocument is a line of the list of documents.
type goldDocument struct {
	Name, Package, Version, Language string
	Pages                            int
}

// Sets of questions.
const (
	setTuning        = "questions"
	setHeldOut       = "questions_heldout"
	setConversations = "conversations"
	setDemo          = "demo"
)

// evalModes are the search modes in which every set is asked, and their names in tables.
var evalModes = [][2]string{{"FullText", "full text"}, {"Vector", "vectors"}, {"Hybrid", "hybrid"}}

// An evalBench measures with the real program how well the right pages are found and cited.
type evalBench struct {
	evalOptions
	goldDocuments []goldDocument
	sets          map[string][]evaluation.Question
	server        *server
}

// run asks everything and returns the report.
func (e *evalBench) run(ctx context.Context) (string, error) {
	if err := e.read(); err != nil {
		return "", err
	}
	r, err := e.askAll(ctx, nil, e.model)
	if err == nil {
		err = e.keep(r) // before the second half, which may fail
	}
	if err == nil && e.second != "" {
		var both *evalReport
		if both, err = e.askAll(ctx, []string{"FOOTNOTE_EMBEDDING_MODEL=multilingual"}, e.model, e.second); err == nil {
			r.add(both)
			err = e.keep(r)
		}
	}
	if err != nil {
		return "", err
	}
	return r.String(), nil
}

// askAll asks everything of a new server with these weights.
func (e *evalBench) askAll(ctx context.Context, env []string, weights ...string) (_ *evalReport, err error) {
	if e.server, err = newServer(e.footnote, env...); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, e.server.stop()) }()
	for _, file := range weights {
		if file == "" {
			continue
		}
		if err := e.server.command(ctx, "model", "import", "--data-dir", e.server.data(), file); err != nil {
			return nil, err
		}
	}
	if err := e.server.start(ctx); err != nil {
		return nil, err
	}
	start := time.Now()
	ready, err := e.ingest(ctx)
	if err != nil {
		return nil, err
	}
	r := &evalReport{listed: e.goldDocuments, documents: ready, ingested: time.Since(start)}
	for _, set := range []string{setTuning, setHeldOut} {
		for _, perDocument := range []bool{true, false} {
			if err := e.askModes(ctx, r, scene{set: set, perDocument: perDocument}); err != nil {
				return nil, err
			}
		}
	}
	if len(e.sets[setConversations]) > 0 {
		if err := e.askFollowUps(ctx, r); err != nil {
			return nil, err
		}
	}
	if len(e.sets[setDemo]) > 0 {
		return r, e.askModes(ctx, r, scene{set: setDemo})
	}
	return r, nil
}

// read reads the gold sets and the list of documents. A folder needs no
// conversations and no questions about the demo.
func (e *evalBench) read() error {
	raw, err := os.ReadFile(filepath.Join(e.gold, "documents.json"))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, &e.goldDocuments); err != nil {
		return fmt.Errorf("documents.json: %w", err)
	}
	e.sets = map[string][]evaluation.Question{}
	for _, set := range []string{setTuning, setHeldOut, setConversations, setDemo} {
		f, err := os.Open(filepath.Join(e.gold, set+".jsonl"))
		if errors.Is(err, os.ErrNotExist) && (set == setConversations || set == setDemo) {
			continue
		}
		if err != nil {
			return err
		}
		questions, err := evaluation.Read(f)
		if err = errors.Join(err, f.Close()); err != nil {
			return fmt.Errorf("%s.jsonl: %w", set, err)
		}
		if e.limit > 0 {
			questions = questions[:min(len(questions), e.limit)]
		}
		e.sets[set] = questions
	}
	return nil
}

// A scene is a set of questions and the assistants that are asked: one for each
// document, or one that has all of them.
type scene struct {
	set         string
	perDocument bool
}

func (s scene) String() string {
	switch {
	case s.set == setDemo:
		return "demo"
	case s.perDocument:
		return s.set + ", a document per assistant"
	}
	return s.set + ", all documents in one"
}

// assistantOf names the assistant that is asked about a document.
func (s scene) assistantOf(document string) string {
	switch {
	case s.set == setDemo:
		return "demo"
	case s.perDocument:
		return "d-" + slug(document)
	}
	return "all"
}

func slug(name string) string {
	name = strings.ToLower(strings.TrimSuffix(name, filepath.Ext(name)))
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, name)
}
