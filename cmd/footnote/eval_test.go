package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"footnote/assistants/evaluation"
	"footnote/proxy/upstream/upstreamtest"
)

// An assistant that knows two short files is judged by four questions, as
// tables and as JSON, with baselines and against an earlier run.
func TestEvalJudgesAnAssistant(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("bees.md", "# Honey\n\nA colony needs 20 kg of honey to come through the winter. Wax melts at 63 °C and darkens with age.\n")
	write("boats.md", "# Boats\n\nThe keel of a yacht is made of lead. Sails are cut from Dacron cloth.\n")
	write("gold.jsonl", `{"id":"honey","document":"bees.md","question":"How much honey does a colony need for the winter?","passage":"20 kg of honey","answer":"20 kg"}
{"id":"wax","document":"bees","question":"When does wax melt?","passage":"Wax melts at 63"}
{"id":"keel","document":"boats.md","question":"What is a yacht's keel made of?","passage":"made of lead"}
{"id":"more","document":"boats.md","turns":[{"role":"user","content":"What are sails cut from?"},{"role":"assistant","content":"Dacron cloth [1]."},{"role":"user","content":"And the keel of a yacht?"}],"passage":"made of lead"}
`)
	p := start(t, dir, nil)
	defer p.kill()
	remote := []string{"--url", p.url, "--key", testAdminKey, "--assistant", "things"}
	call := func(command string, args ...string) (string, string, int) {
		return run(t, dir, append(append([]string{command}, remote...), args...)...)
	}
	if _, stderr, code := call("ingest", "--create", "bees.md", "boats.md"); code != 0 {
		t.Fatal(stderr)
	}
	stdout, stderr, code := call("eval", "--save", "before.json", "--baselines", "gold.jsonl")
	if code != 0 || stderr != "" {
		t.Fatalf("%d %s", code, stderr)
	}
	for _, want := range []string{"things  4", "plain BM25", "first page", "random", "retrieval p50", "marker compliance", "100.0 %"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
	// The upstream is no language model, so its judgements are unclear.
	if stdout, stderr, code = call("eval", "--judge", "gold.jsonl"); code != 0 || !strings.Contains(stdout, "answers as expected") || !strings.Contains(stdout, "– of 0, 1 unclear") {
		t.Errorf("%d %s\n%s", code, stderr, stdout)
	}
	stdout, stderr, code = call("eval", "--json", "--retrieval-only", "--set", "search_mode=FullText", "--set", "retrieval_score_threshold=1", "--compare", "before.json", "gold.jsonl")
	var got struct {
		evaluation.Run
		Summary    evaluation.Summary
		Comparison *evaluation.Comparison
	}
	if err := json.Unmarshal([]byte(stdout), &got); err != nil || code != 0 {
		t.Fatalf("%d %s %v\n%s", code, stderr, err, stdout)
	}
	if got.Name != "things search_mode=FullText retrieval_score_threshold=1" || got.Summary.Questions != 4 || got.Summary.Document.Hit5 != 0.75 || got.Summary.Chat != nil || got.Comparison == nil || got.Outcomes[3].Question != "And the keel of a yacht?" {
		t.Errorf("%+v", got)
	}
}

// A model that answers rightly only without citations is found out: both answers to each
// question are compared with the expected one.
func TestEvalTellsWhatCitingCosts(t *testing.T) {
	t.Parallel()
	answer := func(text string) upstreamtest.Script {
		return upstreamtest.JSON(`{"id":"c","choices":[{"index":0,"message":{"role":"assistant","content":"` + text + `"},"finish_reason":"stop"}]}`)
	}
	far := modelServer(t)
	dir := t.TempDir()
	p := evalWorld(t, dir, "", "FOOTNOTE_UPSTREAM_URL="+far.URL(), "FOOTNOTE_UPSTREAM_MODEL=m")
	if err := os.WriteFile(filepath.Join(dir, "gold.jsonl"), []byte(strings.ReplaceAll(goldLines, `"}`, `","answer":"20 kg of honey"}`)), 0o600); err != nil {
		t.Fatal(err)
	}
	// Each question is asked with citations, then without.
	far.Play(answer("Twenty [1]."), answer("It needs 20 kg of honey."), answer("20 kg [1] of honey."), answer("20 kg of honey."))
	stdout, stderr, code := run(t, dir, "eval", "--url", p.url, "--key", testAdminKey, "--assistant", "things", "--parallel", "1", "--without-citations", "gold.jsonl")
	if code != 0 || !strings.Contains(stdout, "right with / without citations") || !strings.Contains(stdout, "50.0 / 100.0 % of 2, 0 unclear") {
		t.Fatalf("%d %s\n%s", code, stderr, stdout)
	}
	const rule = "cite it using bracket notation"
	for i, r := range far.Requests() {
		if cites := strings.Contains(string(r.Body), rule); cites != (i%2 == 0) || !strings.Contains(string(r.Body), []string{"# Honey", "# Wax"}[i/2]) {
			t.Errorf("request %d: %s", i, r.Body)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "none.jsonl"), []byte(goldLines), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, stderr, code := run(t, dir, "eval", "--url", p.url, "--key", testAdminKey, "--assistant", "things", "--without-citations", "none.jsonl"); code != 1 || !strings.Contains(stderr, `with an "answer"`) {
		t.Errorf("%d %s", code, stderr)
	}
}

// What a gold set asks of documents that are not there is said, on stderr and in
// the JSON; documents of a further collection are there.
func TestEvalNamesWhatCannotBeFound(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"bees.md": "Wax melts at 63 °C.\n", "boats.md": "The keel is made of lead.\n",
		"gold.jsonl": `{"id":"wax","document":"bees","question":"When does wax melt?","passage":"63 °C"}
{"id":"keel","document":"boats","question":"What is the keel made of?"}
{"id":"cars","document":"cars.pdf","question":"What is a car made of?","pages":[3]}
`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := start(t, dir, nil)
	defer p.kill()
	remote := []string{"--url", p.url, "--key", testAdminKey, "--assistant"}
	for name, file := range map[string]string{"things": "bees.md", "sea": "boats.md"} {
		if _, stderr, code := run(t, dir, append(append([]string{"ingest"}, remote...), name, "--create", file)...); code != 0 {
			t.Fatal(stderr)
		}
	}
	var sea struct {
		Collection string `json:"collection_id"`
	}
	p.request("GET", "/v1.0/assistants/sea", "", nil, &sea)
	if code := p.json("PATCH", "/v1.0/assistants/things/settings", map[string]any{"collections": []string{sea.Collection}}, nil); code != 200 {
		t.Fatal(code)
	}
	stdout, stderr, code := run(t, dir, append(append([]string{"eval"}, remote...), "things", "--json", "--retrieval-only", "gold.jsonl")...)
	const warning = `The assistant has no document "cars.pdf", so these questions count as not found: cars.`
	var got struct {
		evaluation.Run
		Warnings []string
	}
	if err := json.Unmarshal([]byte(stdout), &got); err != nil || code != 0 || stderr != "Warning: "+warning+"\n" || len(got.Warnings) != 1 || got.Warnings[0] != warning {
		t.Errorf("%d %v %q\n%s", code, err, stderr, stdout)
	}
	if o := got.Outcomes[0]; o.PassageRank == nil || *o.PassageRank != 1 {
		t.Errorf("%+v", o)
	}
}

func TestEvalRefusesWhatItCannotDo(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"gold.jsonl": `{"id":"a","document":"x","question":"y"}`, "bad.jsonl": "{}\nx\n", "run.json": "{}",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := start(t, dir, nil)
	defer p.kill()
	for _, c := range []struct {
		args string
		want string
	}{
		{"gold.jsonl", `no assistant "absent"`},
		{"absent.jsonl", "absent.jsonl"},
		{"bad.jsonl", "line 2"},
		{"gold.jsonl gold.jsonl", `the id "a"`},
		{"--compare run.json gold.jsonl", "no run saved by --save"},
		{"--set search_mode=Vector gold.jsonl", "--retrieval-only"},
		{"--retrieval-only --set search_mode gold.jsonl", "name=value"},
		{"--retrieval-only --judge gold.jsonl", "--judge needs answers"},
		{"--retrieval-only --without-citations gold.jsonl", "--without-citations needs answers"},
	} {
		args := append([]string{"eval", "--url", p.url, "--key", testAdminKey, "--assistant", "absent"}, strings.Fields(c.args)...)
		if _, stderr, code := run(t, dir, args...); code != 1 || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: exit %d, %s", c.args, code, stderr)
		}
	}
}
