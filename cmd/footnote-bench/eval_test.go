package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"footnote/assistants/evaluation"
)

// A gold set of two documents goes through the real program; the report has
// every set, with baselines and comparisons.
func TestEvalJudgesTheRealProgram(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{
		"gold/documents.json": `[{"name":"bees.md","package":"honey","version":"1","pages":1,"language":"en"},{"name":"boats.md","package":"sea","version":"2","pages":2,"language":"de"}]`,
		"gold/questions.jsonl": `{"id":"honey","document":"bees.md","language":"en","question":"How much honey does a colony need for the winter?","passage":"20 kg of honey"}
{"id":"kiel","document":"boats.md","language":"de","question":"Woraus ist der Kiel?","pages":[1],"passage":"Kiel ist aus Blei"}`,
		"gold/questions_heldout.jsonl": `{"id":"wax","document":"bees.md","language":"en","question":"When does wax melt?","passage":"Wax melts at 63"}`,
		"gold/conversations.jsonl":     `{"id":"c","document":"bees.md","language":"en","turns":[{"role":"user","content":"When does wax melt?"},{"role":"assistant","content":"At 63 °C [1]."},{"role":"user","content":"And honey?"}],"written_out":"How much honey does a colony need?","passage":"20 kg of honey"}`,
		"gold/demo.jsonl":              `{"id":"d","document":"note.txt","language":"en","question":"Who waters the plants?","passage":"Ada waters"}`,
		"docs/bees.md":                 "# Honey\n\nA colony needs 20 kg of honey to come through the winter. Wax melts at 63 °C.\n",
		"docs/boats.md":                "# Boote\n\nDer Kiel ist aus Blei. Segel schneidet man aus Tuch.\n",
		"demo/note.txt":                "Ada waters the plants on Mondays.\n",
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	in := func(name string) string { return filepath.Join(dir, name) }
	args := []string{"eval", "--footnote", realProgram(t), "--gold", in("gold"), "--documents", in("docs"), "--demo", in("demo"), "--runs", in("runs"), "--out", in("report.md")}
	var out bytes.Buffer
	if err := evalCommand(t.Context(), args[1:], &out); err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(in("report.md"))
	if err != nil || string(written) != out.String() {
		t.Errorf("the file is not what was printed: %v", err)
	}
	for _, want := range []string{
		"| bees.md | honey 1 | 1 | en |", "There were no weights", "## questions, a document per assistant", "## questions_heldout, all documents in one", "## demo",
		"| plain BM25 | 2 | 100.0", "| full text | 2 | 100.0 |", "full text against plain BM25", "de, first page", "| conversation | 1 |", "conversation against written out", "claims supported",
		"`kiel` Woraus ist der Kiel? (rank 0; found boats.md", // Markdown has no pages
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in the report:\n%s", want, out.String())
		}
	}
	runs, err := filepath.Glob(in("runs/*.json"))
	if err != nil || len(runs) < 5*5 {
		t.Errorf("%d runs were kept, %v", len(runs), err)
	}
}

func TestEvalSaysWhatIsMissing(t *testing.T) {
	dir := t.TempDir()
	if err := evalCommand(context.Background(), []string{"--gold", dir}, &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "documents.json") {
		t.Error(err)
	}
	e := &evalBench{evalOptions: evalOptions{documents: dir, gold: "gold"}}
	if _, err := e.path(goldDocument{Name: "absent.pdf"}); err == nil || !strings.Contains(err.Error(), "fetch.sh") {
		t.Error(err)
	}
}

// The report has what the multilingual model finds and what is found without it. The
// misses are those of the multilingual model.
func TestTheEvalReportComparesBothModels(t *testing.T) {
	outcomes := func(ranks ...int) (all []evaluation.Outcome) {
		for i, rank := range ranks {
			all = append(all, evaluation.Outcome{ID: string(rune('a' + i)), Document: "d.pdf", Language: "en", Question: "Why?", DocumentRank: 1, PageRank: &rank, PassageRank: &rank})
		}
		return all
	}
	report := func(ranks ...int) *evalReport {
		words := evaluation.Run{Name: "full text", Outcomes: outcomes(0, 0, 0)}
		found := evaluation.Run{Name: "hybrid", Outcomes: outcomes(ranks...)}
		chat := evaluation.Run{Outcomes: outcomes(ranks...)}
		return &evalReport{
			scenes: []sceneRuns{{scene: scene{set: setTuning}, runs: []evaluation.Run{words, found}, chat: chat}},
			followUps: []sceneRuns{{scene: scene{set: setConversations}, runs: []evaluation.Run{
				{Name: "written out", Outcomes: outcomes(ranks...)}, {Name: "conversation", Outcomes: outcomes(ranks...)},
			}}},
		}
	}
	r := report(1, 0, 0)
	r.add(report(1, 1, 0))
	text := r.String()
	for _, want := range []string{
		"| hybrid | 3 | 100.0 | 100.0 | 33.3 |", "| hybrid, multilingual | 3 | 100.0 | 100.0 | 66.7 |", "hybrid, multilingual against hybrid", "hybrid, multilingual against full text",
		"With the multilingual model:", "| conversation, multilingual | 3 |", "## Missed by hybrid, multilingual: questions", "* `c` Why?",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
	if strings.Contains(text, "* `b` Why?") {
		t.Errorf("what was found is among the misses:\n%s", text)
	}
}
