package retrieval

import (
	"slices"
	"testing"

	"footnote/assistants"
)

// A lexicon is an index that knows the terms of its passages.
type lexicon struct {
	*index
	terms []string
}

func (x lexicon) Knows(_ assistants.TenantID, _ []assistants.CollectionID, term string) bool {
	return slices.Contains(x.terms, term)
}

// TestANameThatNoDocumentMentionsIsWarnedOf: a report of the year that a question asks for is
// found, and it is about others.
func TestANameThatNoDocumentMentionsIsWarnedOf(t *testing.T) {
	x, s := world(2)
	list := []assistants.DocumentName{{ID: "doc00", Name: "Hamilton-2022-FinancialReport.pdf"}, {ID: "doc01", Name: "Ajax-2023-FinancialStatements.pdf"}}
	known := lexicon{x, []string{"debt", "total", "revenu", "schuld", "2022", "2023", "surrey", "hamilton"}}
	r := New(known, s, Options{Names: names{"t1": list}})
	for question, want := range map[string][]string{
		"What was Calgary's debt in 2022?":             {"No document mentions Calgary."},
		"Calgary's debt 2022":                          {"No document mentions Calgary."},
		"total debt of Calgary and Springfield, 2022":  {"No document mentions Calgary or Springfield."},
		"Total debt of Hamilton and Calgary in 2022":   {"No document mentions Calgary."},
		"Wie hoch war die Schuld von Kassel 2022?":     {"No document mentions Kassel."},
		"Surrey's total revenue in 2022":               nil, // a text mentions it
		"What was Hamilton's debt in 2022?":            nil,
		"What was the EBITDA in 2022?":                 nil, // an abbreviation
		"What was Calgary's debt?":                     nil, // no year, so no document is found by it
		"What was the wastage of Calgary in 2022?":     nil, // the documents may be in another language
		"What was the debt in 2022? Answer in French.": nil, // an instruction
		"Expenses 2022":                                nil,
	} {
		if res := retrieve(t, r, query(question)); !slices.Equal(res.Trace.Warnings, want) {
			t.Errorf("%s\nwarns %q, want %q", question, res.Trace.Warnings, want)
		}
	}
}
