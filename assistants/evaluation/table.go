package evaluation

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// WriteRanks prints the hit rates in percent, a line for each run.
func WriteRanks(w io.Writer, runs []Run) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	head := []string{"", "n"}
	for _, what := range []string{"document", "page", "passage"} {
		head = append(head, what+" @1", "@5", "@10", "MRR")
	}
	fmt.Fprintln(t, strings.Join(head, "\t")+"\t")
	for _, r := range runs {
		s := Summarise(r.Outcomes)
		cells := []string{r.Name, fmt.Sprint(s.Questions)}
		for _, x := range []Ranks{s.Document, s.Page, s.Passage} {
			if x.Questions == 0 {
				cells = append(cells, "–", "–", "–", "–")
				continue
			}
			cells = append(cells, percent(x.Hit1), percent(x.Hit5), percent(x.Hit10), fmt.Sprintf("%.3f", x.MRR))
		}
		fmt.Fprintln(t, strings.Join(cells, "\t")+"\t")
	}
	return t.Flush()
}

// WriteChat prints how answers cite.
func WriteChat(w io.Writer, c *ChatSummary) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if c.Judged+c.Unclear > 0 {
		passed := "–"
		if c.Judged > 0 {
			passed = percent(c.Passed) + " %"
		}
		fmt.Fprintf(t, "answers as expected\t%s of %d, %d unclear\n", passed, c.Judged, c.Unclear)
	}
	for _, line := range [][2]string{
		{"first page cited is right", shareOf(c.FirstPage, c.FirstPageN) + " answers that had the page"},
		{"pages cited are right", shareOf(c.CitedPages, c.Cites)},
		{"marker compliance", percent(c.Compliance) + " %"},
		{"coverage", percent(c.Coverage) + " %"},
		{"claims supported / weak / unsupported", fmt.Sprintf("%s / %s / %s %%", percent(c.Supported), percent(c.Weak), percent(c.Unsupported))},
		{"answer, p50 / p95", fmt.Sprintf("%.0f / %.0f ms", c.Latency.P50, c.Latency.P95)},
	} {
		fmt.Fprintf(t, "%s\t%s\n", line[0], line[1])
	}
	if s := c.Citing; s != nil {
		right := "–"
		if s.Questions > 0 {
			right = fmt.Sprintf("%s / %s %%", percent(s.Cited), percent(s.Uncited))
		}
		fmt.Fprintf(t, "right with / without citations\t%s of %d, %d unclear\n", right, s.Questions, s.Unclear)
		fmt.Fprintf(t, "answer without citations, p50 / p95\t%.0f / %.0f ms\n", s.Latency.P50, s.Latency.P95)
	}
	return t.Flush()
}

// WriteLatency prints how long retrievals and their stages took.
func WriteLatency(w io.Writer, s Summary) {
	fmt.Fprintf(w, "retrieval p50 %.1f ms, p95 %.1f ms", s.Latency.P50, s.Latency.P95)
	names := make([]string, 0, len(s.Stages))
	for name := range s.Stages {
		names = append(names, name)
	}
	slices.Sort(names)
	for i, name := range names {
		separator := ", "
		if i == 0 {
			separator = "; mean of "
		}
		fmt.Fprintf(w, "%s%s %.1f ms", separator, name, s.Stages[name].Mean)
	}
	fmt.Fprintln(w)
}

// WriteComparison prints how the second run differs from the first.
func WriteComparison(w io.Writer, first, second string, c Comparison) {
	fmt.Fprintf(w, "%s against %s, %d questions: page hit@5 %+.1f points (%d gained, %d lost, p = %.3f), MRR %+.3f (p = %.3f)\n",
		second, first, c.Questions, 100*c.Hit5.Change, len(c.Better), len(c.Worse), c.Hit5.P, c.MRR.Change, c.MRR.P)
}

// shareOf is a share of n; of none it is unknown.
func shareOf(x float64, n int) string {
	if n == 0 {
		return "– of 0"
	}
	return fmt.Sprintf("%s %% of %d", percent(x), n)
}

func percent(x float64) string { return fmt.Sprintf("%.1f", 100*x) }
