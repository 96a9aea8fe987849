package search

import (
	"testing"

	"footnote/citations"
)

// A8: markers that cannot be read cost an answer its citations, and nothing else.
func TestA8AnAnswerWhoseMarkersCannotBeReadIsLeft(t *testing.T) {
	set := citations.NewSet([]citations.Source{{DocumentName: "Fox.md", Score: .9}}, citations.Options{Answers: func(string) (float64, bool) { panic("broken") }})
	r := answerReader{set: set, sources: set.Sources(), to: silent{}, cited: map[int]bool{}, began: func() {}}
	r.read("Yes [1].")
	a := &Answer{Citations: []Citation{}}
	if status := r.end(a); status != citations.StatusError || r.fault == nil {
		t.Errorf("%s, %v", status, r.fault)
	}
	if a.Answer != "Yes." || len(a.Citations) != 0 || a.Confidence != .5 || a.Message != citations.Disclaimer || len(a.Warnings) != 0 {
		t.Errorf("%+v", a)
	}
}
