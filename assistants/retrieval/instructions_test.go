package retrieval

import (
	"slices"
	"strings"
	"testing"

	"footnote/assistants/lexical"
)

func TestSentencesThatSayHowToAnswerAreNotSearchedFor(t *testing.T) {
	for question, want := range map[string]string{
		"What was the capex of Acme in 2022? Answer by looking at the cash flow statement only.": "What was the capex of Acme in 2022? cash flow statement",
		"Give your answer in USD millions. What was the capex of Acme?":                          "What was the capex of Acme?",
		"Assume that you are an analyst. Answer the question briefly: what was the capex?":       "what was the capex?",
		"Use the P&L only. Did the margin improve?":                                              "Did the margin improve?",
		"What is the capex (in USD millions) of Acme?":                                           "What is the capex of Acme?",
		"How far above the forecast was it (in FY2022, USD millions)?":                           "How far above the forecast was it (in FY2022, USD millions)?",
		"What is the revenue (in Europe, in millions)?":                                          "What is the revenue (in Europe, in millions)?",
		"Wie hoch ist der Umsatz (in Mio. Euro)?":                                                "Wie hoch ist der Umsatz?",
		"Wie hoch ist der Gewinn? Stütze dich auf die Gewinn- und Verlustrechnung.":              "Wie hoch ist der Gewinn? gewinn und verlustrechnung",
		"Wie lang ist die Kündigungsfrist? Beantworte kurz.":                                     "Wie lang ist die Kündigungsfrist?",
		"Antworten Sie in einem Satz. Wie lang ist die Frist?":                                   "Wie lang ist die Frist?",
		"Use the arrow keys to choose. Which key starts it?":                                     "Use the arrow keys to choose. Which key starts it?",
		"Answer briefly.":                    "Answer briefly.", // nothing else is asked
		"Answer the phone: is it allowed?":   "is it allowed?",
		"What does \"answer briefly\" mean?": "What does \"answer briefly\" mean?",
		"":                                   "",
	} {
		if got := withoutInstructions(question); got != want {
			t.Errorf("%q is searched for as %q, want %q", question, got, want)
		}
	}
}

// They still count for passages that have their words, too.
func TestInstructionsWeighLess(t *testing.T) {
	x, s := world(1)
	e := &embedder{trust: 1}
	retrieve(t, New(x, s, Options{Embedder: e, Spaces: known(0.2)}), query("What was the capex? Answer from the cash flow statement only."))
	q := x.asked[0]
	if len(q.Wordings) != 1 || !slices.Contains(q.Wordings[0], "statement") || slices.Contains(q.Terms, "answer") || !slices.Equal(e.asked, []string{"What was the capex? cash flow statement"}) {
		t.Errorf("searched for %q and %q, embedded %q", q.Terms, q.Wordings, e.asked)
	}
}

func TestCuesAreInLowerCaseAndUnique(t *testing.T) {
	seen := map[string]bool{}
	for language, lines := range lexical.Lists(instructionFile) {
		for line := range strings.Lines(lines) {
			line = strings.TrimSpace(line)
			if line != strings.ToLower(line) || seen[line] {
				t.Errorf("%s: %q", language, line)
			}
			seen[line] = true
		}
	}
}
