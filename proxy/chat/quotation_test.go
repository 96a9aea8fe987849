package chat

import (
	"fmt"
	"strings"
	"testing"

	"footnote/citations"
)

func TestQuotationsAreFoundWhereverTheyStand(t *testing.T) {
	const passage = "The warranty of the sensor lasts twenty-four months from delivery."
	found := &grounded{sources: citations.NewSet([]citations.Source{{DocumentID: "d", Text: passage}, {DocumentID: "e", Text: "sixteen letters!"}}, citations.Options{})}
	in := &inbound{}
	in.settings.SystemPrompt = "You are the assistant of a company that sells sensors."
	for words, want := range map[string]bool{
		"":                                  false,
		"no such model":                     false,
		"too long: " + passage[10:42]:       true,
		"too long: " + passage[10:41]:       false, // a byte less
		passage:                             true,
		"cannot read sixteen letters! here": true,
		"cannot read sixteen letters here":  false,
		"bad role: " + in.settings.SystemPrompt[20:] + "…":   true,
		strings.Repeat("x", maxChecked-32) + passage[:32]:    true,
		strings.Repeat("x", maxChecked-32+1) + passage[:32]:  false, // beyond what is looked at
		strings.Repeat("warranty ", 400) + "of the sensors ": false,
	} {
		if got := quotes(words, ourPrompt(in, found)); got != want {
			t.Errorf("%.60q: %v", words, got)
		}
	}
}

// An upstream cannot choose words that make the search read a text twice.
func TestLookingForQuotationsReadsTheTextsOnce(t *testing.T) {
	hostile := strings.Repeat(strings.Repeat("e", 31)+"x", 128)
	prompt := strings.Repeat("e", 31) + strings.Repeat("ey", 1<<19)
	q, total := newQuotation(hostile), len(prompt)
	found := q.in(prompt)
	for i := range 50 {
		text := strings.Repeat(fmt.Sprint(i, "e"), 1000)
		total += len(text)
		found = found || q.in(text)
	}
	if found || q.looked > total || len(q.windows) > 32 {
		t.Errorf("found %v: %d looks at %d bytes, %d windows", found, q.looked, total, len(q.windows))
	}
}
