package evaluation

import (
	"context"
	"strings"
	"sync"
	"testing"
)

func outcome(id string, document int, page *int) Outcome {
	return Outcome{ID: id, Question: id + "?", DocumentRank: document, PageRank: page}
}

func TestEachQuestionIsBetterWorseOrTheSame(t *testing.T) {
	two, nine, none := 2, 9, 0
	first := []Outcome{outcome("lost", 1, &two), outcome("found", 1, &none), outcome("moved", 1, &nine), outcome("same", 3, nil), outcome("old", 1, nil)}
	second := []Outcome{outcome("lost", 1, &none), outcome("found", 1, &nine), outcome("moved", 1, &two), outcome("same", 3, nil), outcome("new", 1, nil)}
	want := []Change{
		{"lost", "lost?", Worse, "page", 2, 0}, {"found", "found?", Better, "page", 0, 9},
		{"moved", "moved?", Better, "page", 9, 2}, {"same", "same?", Same, "document", 3, 3},
	}
	got := Changes(first, second)
	if len(got) != len(want) {
		t.Fatalf("%+v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%+v, want %+v", got[i], want[i])
		}
	}
	a, b := Paired(first, second)
	figures := Figures(Summarise(a), Summarise(b))
	if len(a) != 4 || len(b) != 4 || figures["page hit@5"].Change != 0 || figures["page hit@1"] != (Figure{}) {
		t.Errorf("%d, %d, %v", len(a), len(b), figures)
	}
	if _, ok := figures["passage mrr"]; ok {
		t.Error("a figure of no question")
	}
	if c := Changes(nil, nil); c == nil || len(c) > 0 {
		t.Errorf("%v", c)
	}
}

func TestAFurtherDocumentAnswersAsWell(t *testing.T) {
	q := Question{ID: "q", Document: "a.pdf", Pages: []int{1}, Also: []Expected{{Document: "b.pdf", Pages: []int{5}}}, Question: "?"}
	o := Score(q, Retrieved{Sources: []Source{{Document: "b.pdf", Page: 1}, {Document: "c.pdf", Page: 1}, {Document: "b.pdf", Page: 4, PageEnd: 5}}})
	if o.DocumentRank != 1 || *o.PageRank != 3 {
		t.Errorf("%+v", o)
	}
	got := Check([]Question{q}, []Document{{Name: "a.pdf", Pages: 9, Found: true}, {Name: "b.pdf", Pages: 4, Found: true}}, true)
	if len(got) != 1 || !strings.Contains(got[0], `"b.pdf" ends with page 4`) {
		t.Error(got)
	}
	q.Also = []Expected{{}}
	if q.Validate() == nil {
		t.Error("a further document without a name is taken")
	}
}

// stubborn finds nothing, and answers nothing.
type stubborn struct{}

func (stubborn) Retrieve(context.Context, []Turn) (Retrieved, error) { return Retrieved{}, nil }
func (stubborn) Ask(context.Context, Question) (Answered, error)     { return Answered{}, nil }

func TestEachOutcomeIsToldWithItsPlace(t *testing.T) {
	questions := []Question{{ID: "a", Document: "x", Question: "?"}, {ID: "b", Document: "x", Question: "?"}, {ID: "c", Document: "x", Question: "?"}}
	var mu sync.Mutex
	places := map[int]string{}
	_, err := Evaluate(t.Context(), stubborn{}, questions, Options{Parallel: 2, Each: func(place int, o Outcome) {
		mu.Lock()
		defer mu.Unlock()
		places[place] = o.ID
	}})
	if err != nil || len(places) != 3 || places[0] != "a" || places[2] != "c" {
		t.Errorf("%v, %v", places, err)
	}
}
