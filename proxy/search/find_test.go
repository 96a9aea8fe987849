package search

import (
	"slices"
	"testing"

	"footnote/assistants"
	"footnote/assistants/retrieval"
)

// TestThatThereIsNothingToSearchIsSaidOfAllCollectionsOnly has collections that are empty
// beside others, which says nothing of the search.
func TestThatThereIsNothingToSearchIsSaidOfAllCollectionsOnly(t *testing.T) {
	const empty, unread, other = "This assistant has no documents yet.", "None of this assistant's documents can be searched yet; their status says why.", "Something else."
	for name, c := range map[string]struct {
		parts [][]string // the warnings of each collection
		want  []string
	}{
		"all are empty":           {[][]string{{empty}, {empty}}, []string{empty}},
		"some are not read yet":   {[][]string{{empty}, {unread}}, []string{empty, unread}},
		"one is empty":            {[][]string{{empty, other}, nil}, []string{other}},
		"one is not read yet":     {[][]string{nil, {unread}}, nil},
		"other warnings are kept": {[][]string{{other}, {other}}, []string{other}},
	} {
		t.Run(name, func(t *testing.T) {
			_, h := newSightWorld()
			j := &job{Handler: h, settings: assistants.DefaultSettings()}
			var parts []*part
			for _, warnings := range c.parts {
				parts = append(parts, &part{result: retrieval.Result{Trace: retrieval.Trace{Warnings: warnings}}})
			}
			all, err := j.merge(parts, 10)
			if err != nil || !slices.Equal(all.warnings, c.want) {
				t.Errorf("%v, %q", err, all.warnings)
			}
		})
	}
}
