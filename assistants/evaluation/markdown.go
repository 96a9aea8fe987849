package evaluation

import (
	"fmt"
	"slices"
	"strings"
)

// RunNamed returns the run of a name, or nil.
func RunNamed(runs []Run, name string) *Run {
	if i := slices.IndexFunc(runs, func(r Run) bool { return r.Name == name }); i >= 0 {
		return &runs[i]
	}
	return nil
}

// MarkdownRanks writes a Markdown table of hit rates, with a row for each run.
func MarkdownRanks(b *strings.Builder, runs []Run) {
	b.WriteString("| | questions | document @1 | @5 | page @1 | @5 | @10 | MRR | passage @1 | @5 | @10 | MRR |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, run := range runs {
		s := Summarise(run.Outcomes)
		fmt.Fprintf(b, "| %s | %d | %.1f | %.1f | %.1f | **%.1f** | %.1f | %.3f | %.1f | %.1f | %.1f | %.3f |\n", run.Name, s.Questions,
			100*s.Document.Hit1, 100*s.Document.Hit5, 100*s.Page.Hit1, 100*s.Page.Hit5, 100*s.Page.Hit10, s.Page.MRR,
			100*s.Passage.Hit1, 100*s.Passage.Hit5, 100*s.Passage.Hit10, s.Passage.MRR)
	}
	b.WriteString("\n")
}

// MarkdownComparisons writes a list that compares pairs of runs. It skips a pair
// if one of its runs is missing.
func MarkdownComparisons(b *strings.Builder, runs []Run, pairs [][2]string) {
	for _, pair := range pairs {
		if first, second := RunNamed(runs, pair[0]), RunNamed(runs, pair[1]); first != nil && second != nil {
			b.WriteString("* ")
			WriteComparison(b, pair[0], pair[1], Compare(first.Outcomes, second.Outcomes))
		}
	}
	b.WriteString("\n")
}

// MarkdownLanguages writes the page hits of each run by language. It writes
// nothing if all questions have the same language.
func MarkdownLanguages(b *strings.Builder, runs []Run) {
	var languages []string
	for _, o := range runs[0].Outcomes {
		if l := languageOf(o); !slices.Contains(languages, l) {
			languages = append(languages, l)
		}
	}
	if len(languages) < 2 {
		return
	}
	slices.Sort(languages)
	parts := make([]string, len(languages))
	for i, l := range languages {
		questions := 0
		parts[i] = l
		for _, run := range runs {
			s := Summarise(slices.DeleteFunc(slices.Clone(run.Outcomes), func(o Outcome) bool { return languageOf(o) != l }))
			parts[i] += fmt.Sprintf(", %s %.0f", run.Name, 100*s.Page.Hit5)
			questions = s.Questions
		}
		parts[i] += fmt.Sprintf(" of %d", questions)
	}
	b.WriteString("Page hit@5 by language: " + strings.Join(parts, "; ") + ".\n\n")
}

func languageOf(o Outcome) string {
	if o.Cross {
		return o.Language + " (asked in another)"
	}
	return o.Language
}
