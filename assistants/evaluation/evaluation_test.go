package evaluation

import (
	"bytes"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestAGoldSetIsReadOrEveryWrongLineIsNamed(t *testing.T) {
	good := "\xef\xbb\xbf" + `{"id":"a","document":"x.pdf","question":"How?","pages":[3,4],"passage":"so","answer":"So."}

{"document":"y","turns":[{"role":"user","content":"How?"},{"role":"assistant","content":"So."},{"role":"user","content":"And then?"}],"written_out":"How then?"}
`
	got, err := Read(strings.NewReader(good))
	if err != nil || len(got) != 2 || got[0].Pages[1] != 4 || got[1].ID != "line-3" || len(got[1].Messages()) != 3 || got[0].Messages()[0] != (Turn{"user", "How?"}) {
		t.Errorf("%v, %+v", err, got)
	}
	bad := map[string]string{
		`{"id":"a","document":"x"}`:                            "question or turns is missing",
		`{"id":"a","question":"x"}`:                            "document is missing",
		`{"id":"a","document":"x","question":"x","pages":[0]}`: "count from 1",
		`{"id":"a","document":"x","question":"x","page":1}`:    `unknown field "page"`,
		`{"id":"a","document":"x","question":"x"} {}`:          "nothing else",
		`[]`: "JSON object",
		`{"id":"a","document":"x","turns":[{"role":"assistant","content":"x"}]}`:            "role user",
		`{"id":"a","document":"x","turns":[{"role":"tool","content":"x"},{"role":"user"}]}`: "and content",
		`{"id":"a","document":"x","question":"x","turns":[{"role":"user","content":"x"}]}`:  "either",
		"": "no question",
		`{"id":"a","document":"x","question":"x"}` + "\n" + `{"id":"a","document":"x","question":"x"}`: "line 2: the id",
	}
	for lines, want := range bad {
		if _, err := Read(strings.NewReader(lines)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", lines, err, want)
		}
	}
	_, err = Read(strings.NewReader("x\n\ny\n"))
	if err == nil || !strings.Contains(err.Error(), "line 1") || !strings.Contains(err.Error(), "line 3") {
		t.Error(err)
	}
}

func TestRanksAreTheFirstRightSource(t *testing.T) {
	q := Question{ID: "q", Document: "Manual.PDF", Question: "?", Pages: []int{7, 9}, Passage: "The depart-\nment pays “twice” a year"}
	sources := []Source{
		{Document: "other.pdf", Page: 7, PageEnd: 7, Text: "the department pays twice a year"},
		{Document: "manual.pdf", Page: 3, PageEnd: 6},
		{Document: "folder/manual.pdf", Page: 8, PageEnd: 9, Text: "unlike"},
		{Document: "manual.pdf", Page: 7, Text: "First. The department pays 'twice' a year, they say."},
	}
	o := Score(q, Retrieved{Sources: sources, Mode: "Hybrid", MS: 2})
	if o.DocumentRank != 2 || *o.PageRank != 3 || *o.PassageRank != 4 || strings.Join(o.Found, "; ") != "other.pdf, page 7; manual.pdf, pages 3–6; folder/manual.pdf, pages 8–9; manual.pdf, page 7" {
		t.Errorf("%+v %d %d", o, *o.PageRank, *o.PassageRank)
	}
	if o := Score(q, Retrieved{}); o.DocumentRank != 0 || *o.PageRank != 0 || *o.PassageRank != 0 {
		t.Errorf("nothing found: %+v", o)
	}
	if o := Score(Question{Document: "manual", Question: "?"}, Retrieved{Sources: sources}); o.PageRank != nil || o.PassageRank != nil || o.DocumentRank != 2 {
		t.Errorf("nothing known of pages: %+v", o)
	}
}

func TestAPassageThatAnotherChunkContinuesCounts(t *testing.T) {
	q := judge(Question{Document: "d", Question: "?", Passage: "one two three four five six seven eight nine ten"})
	for text, want := range map[string]bool{
		"zero one two three four five six seven": true, "eight nine ten eleven": false, "": false, "ten nine eight seven six five four three two one": false,
	} {
		if got := q.isPassage(Source{Document: "d", Text: text}); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestAShortPassageIsFoundWhole(t *testing.T) {
	for passage, texts := range map[string]map[string]bool{
		"63 °C": {"Wax melts at 63 °C and darkens.": true, "Wax melts at 64 °C.": false, "63": false},
		"月末まで":  {"経費の精算は月末までです": true, "経費の精算": false},
		"a b-c": {"x Ab\nC y": true, "ab": false, "": false},
	} {
		q := judge(Question{Document: "d", Question: "?", Passage: passage})
		for text, want := range texts {
			if got := q.isPassage(Source{Document: "d", Text: text}); got != want {
				t.Errorf("%q in %q: %v", passage, text, got)
			}
		}
	}
}

func TestQuestionsThatCannotBeAnsweredAreNamed(t *testing.T) {
	documents := []Document{{Name: "Manual.pdf", Pages: 12, Found: true}, {Name: "notes.md", Found: true}, {Name: "scan.pdf"}}
	questions := []Question{
		{ID: "a", Document: "manual", Pages: []int{12, 14}}, {ID: "b", Document: "manual.pdf", Pages: []int{13}},
		{ID: "c", Document: "notes.md", Pages: []int{1}}, {ID: "d", Document: "notes"}, {ID: "e", Document: "scan"}, {ID: "f", Document: "other.txt"},
	}
	for _, id := range []string{"g", "h", "i", "j", "k", "l"} {
		questions = append(questions, Question{ID: id, Document: "far/Other.md"})
	}
	want := []string{
		`"manual" ends with page 12, and questions name later ones: a, b.`, `"notes.md" has no pages, and questions name some: c.`,
		`"scan" cannot be searched yet, so these questions count as not found: e.`,
		`The assistant has no document "other.txt", so these questions count as not found: f, g, h, i, j and 2 more.`,
	}
	if got := Check(questions, documents, true); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := Check(questions, documents, false); !slices.Equal(got, want[:3]) {
		t.Errorf("not all documents are known: %q", got)
	}
	if got := Check([]Question{{ID: "a", Document: "manual", Pages: []int{12}}}, documents, true); got != nil {
		t.Errorf("%q", got)
	}
}

func TestCitedPagesAreThoseOfTheQuotes(t *testing.T) {
	q := Question{Document: "d", Question: "?", Pages: []int{2}}
	half := 0.5
	sources := []Source{{Document: "d", Page: 1, PageEnd: 2}, {Document: "d", Page: 5}, {Document: "e", Page: 2}}
	got := ScoreAnswer(q, Answered{Status: "cited", Sources: sources, Coverage: &half, Invalid: 1, Cited: []Cite{
		{Source: 0, Page: 1, Support: "supported"}, {Source: 0, Page: 2, Support: "weak"}, {Source: 0, Support: "unsupported"}, {Source: 1}, {Source: 2}, {Source: 9},
	}})
	if got.Cites != 5 || got.CitesGold != 2 || got.FirstGold || !got.GoldAmong || got.Supported != 1 || got.Weak != 1 || got.Unsupported != 1 {
		t.Errorf("%+v", got)
	}
	got = ScoreAnswer(q, Answered{Status: "cited", Sources: sources, Cited: []Cite{{Source: 0}, {Source: 1}}})
	if !got.FirstGold || got.CitesGold != 1 {
		t.Errorf("%+v", got)
	}
}

func ranked(id string, page int) Outcome {
	return Outcome{ID: id, DocumentRank: 1, PageRank: &page, Mode: "Hybrid", MS: float64(page), StagesMS: map[string]float64{"text": 2}}
}

func TestSummaries(t *testing.T) {
	s := Summarise([]Outcome{ranked("a", 1), ranked("b", 4), ranked("c", 8), ranked("d", 0), {ID: "e", Error: "x", PageRank: new(int)}})
	near := func(got, want float64) bool { return math.Abs(got-want) < 1e-9 }
	if s.Questions != 5 || s.Failed != 1 || !near(s.Page.Hit1, 0.2) || !near(s.Page.Hit5, 0.4) || !near(s.Page.Hit10, 0.6) || !near(s.Page.MRR, (1+0.25+0.125)/5) || !near(s.Document.Hit1, 0.8) {
		t.Errorf("%+v", s)
	}
	if s.Passage.Questions != 0 || s.Chat != nil || s.Latency != (Latency{1, 8, 8}) || s.Stages["text"] != (Mean{2, 4}) {
		t.Errorf("%+v", s)
	}
	one, none := 1.0, 0.0
	chat := func(c ChatOutcome) Outcome { return Outcome{DocumentRank: 1, Chat: &c} }
	c := Summarise([]Outcome{
		chat(ChatOutcome{Status: "cited", GoldAmong: true, Cites: 2, CitesGold: 1, FirstGold: true, Coverage: &one, Supported: 2, MS: 1}),
		chat(ChatOutcome{Status: "cited", GoldAmong: true, Cites: 1, Invalid: 1, Coverage: &none, Unsupported: 2, MS: 3}),
		chat(ChatOutcome{Status: "cited", Cites: 1, MS: 2}), // its sources had no right page: no fault of its citing
		chat(ChatOutcome{Status: "none", GoldAmong: true, MS: 2}),
		chat(ChatOutcome{Status: "no_sources", MS: 9}),
	}).Chat
	if c.Answers != 5 || c.FirstPageN != 2 || !near(c.FirstPage, 0.5) || !near(c.CitedPages, 0.25) || !near(c.Compliance, 0.5) || !near(c.Coverage, 0.5) || !near(c.Supported, 0.5) || c.Latency.P50 != 2 {
		t.Errorf("%+v", c)
	}
}

func TestRunsAreComparedInPairs(t *testing.T) {
	var first, second []Outcome
	for i := range 20 {
		id := string(rune('a' + i))
		first, second = append(first, ranked(id, 6)), append(second, ranked(id, 2))
	}
	first, second = append(first, ranked("x", 1)), append(second, ranked("x", 1))
	second = append(second, ranked("only here", 1))
	c := Compare(first, second)
	if c.Questions != 21 || len(c.Better) != 20 || len(c.Worse) != 0 || math.Abs(c.Hit5.P-2*math.Pow(0.5, 20)) > 1e-12 || c.MRR.P > 0.001 || c.MRR.Change < 0.3 {
		t.Errorf("%+v", c)
	}
	if c := Compare(first, first); c.Hit5.P != 1 || c.MRR.P != 1 || c.Hit5.Change != 0 {
		t.Errorf("a run against itself: %+v", c)
	}
	if p := mcnemar(5, 1); math.Abs(p-2*7.0/64) > 1e-12 { // by hand: (C(6,0)+C(6,1))/2⁶, both sides
		t.Errorf("mcnemar(5, 1) = %v", p)
	}
	if c := Compare(second, first); len(c.Worse) != 20 || c.MRR.Change > -0.3 {
		t.Errorf("the other way round: %+v", c)
	}
}

func TestBaselines(t *testing.T) {
	var passages []Source
	for i := range 30 {
		passages = append(passages, Source{Document: "d", Page: 30 - i, Text: "filler words about nothing at all"})
	}
	passages[10].Text = "The bees dance in the dark hive"
	passages[20].Text = "Bees, bees and bees: a very long passage that goes on about many other things than those that were asked for here today"
	questions := []Question{{ID: "q", Document: "d", Question: "What do bees do in the hive?", Pages: []int{20}}}
	want := map[string]int{"first page": 0, "plain BM25": 1}
	for _, b := range Baselines(passages) {
		o := b.Judge(questions)[0]
		if rank, ok := want[b.Name]; ok && *o.PageRank != rank {
			t.Errorf("%s: rank %d, found %v", b.Name, *o.PageRank, o.Found)
		}
	}
	for _, b := range Baselines(nil) {
		if o := b.Judge(questions)[0]; o.DocumentRank != 0 {
			t.Errorf("%s finds something in nothing", b.Name)
		}
	}
}

// A parrot always finds the same page, and fails for the question "fail".
type parrot struct {
	mu    sync.Mutex
	asked int
}

func (p *parrot) Retrieve(ctx context.Context, messages []Turn) (Retrieved, error) {
	if messages[0].Content == "fail" {
		return Retrieved{}, errors.New("broken")
	}
	return Retrieved{Sources: []Source{{Document: "d", Page: len(messages)}}, Mode: "Hybrid"}, ctx.Err()
}

func (p *parrot) Ask(context.Context, Question) (Answered, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked++
	return Answered{Status: "cited", Sources: []Source{{Document: "d", Page: 1}}, Cited: []Cite{{Source: 0}}}, nil
}

func TestQuestionsThatFailCountAsNotFound(t *testing.T) {
	questions := []Question{{ID: "1", Document: "d", Question: "a", Pages: []int{1}}, {ID: "2", Document: "d", Question: "fail", Pages: []int{1}}, {ID: "3", Document: "d", Question: "c", Pages: []int{2}}}
	var reported []int
	p := &parrot{}
	got, err := Evaluate(context.Background(), p, questions, Options{Chat: true, Parallel: 2, Progress: func(done, all int) { reported = append(reported, done, all) }})
	if err != nil || len(got) != 3 || got[0].ID != "1" || *got[0].PageRank != 1 || got[1].Error != "broken" || *got[1].PageRank != 0 || *got[2].PageRank != 0 || p.asked != 2 || !got[0].Chat.FirstGold {
		t.Errorf("%v %+v", err, got)
	}
	if len(reported) != 6 || reported[4] != 3 || reported[5] != 3 {
		t.Errorf("progress %v", reported)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if got, err := Evaluate(ctx, p, questions, Options{}); !errors.Is(err, context.Canceled) || len(got) != 0 {
		t.Errorf("%v %+v", err, got)
	}
}

func TestTables(t *testing.T) {
	s := Summarise([]Outcome{ranked("a", 1), ranked("b", 0)})
	s.Chat = &ChatSummary{Answers: 2, FirstPage: 0.5, FirstPageN: 2, Compliance: 1}
	var b bytes.Buffer
	if err := WriteRanks(&b, []Run{{Name: "run", Outcomes: []Outcome{ranked("a", 1), ranked("b", 0)}}}); err != nil {
		t.Fatal(err)
	}
	WriteLatency(&b, s)
	if err := WriteChat(&b, s.Chat); err != nil {
		t.Fatal(err)
	}
	WriteComparison(&b, "old", "new", Compare([]Outcome{ranked("a", 0)}, []Outcome{ranked("a", 1)}))
	for _, want := range []string{"50.0  50.0  50.0  0.500", "–", "retrieval p50", "mean of text 2.0 ms", "50.0 % of 2 answers", "– of 0\n", "new against old, 1 questions: page hit@5 +100.0 points (1 gained, 0 lost, p = 1.000), MRR +1.000"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}
