package evaluation

// A Verdict says how the second run did on a question, compared with the first.
type Verdict string

// Verdicts.
const (
	Better Verdict = "better"
	Worse  Verdict = "worse"
	Same   Verdict = "same"
)

// A Change is how two runs did on one question. Ranks count from 1; 0 is "not found".
type Change struct {
	ID       string  `json:"id"`
	Question string  `json:"question"`
	Verdict  Verdict `json:"verdict"`
	By       string  `json:"by"` // what was ranked: page, passage or document
	First    int     `json:"first_rank"`
	Second   int     `json:"second_rank"`
}

// Changes judges each question that both runs have, in the order of the second
// run. The page decides; if no page is known, the passage; otherwise the document.
func Changes(first, second []Outcome) []Change {
	byID := make(map[string]Outcome, len(first))
	for _, o := range first {
		byID[o.ID] = o
	}
	changes := []Change{}
	for _, b := range second {
		a, ok := byID[b.ID]
		if !ok {
			continue
		}
		c := Change{ID: b.ID, Question: b.Question, Verdict: Same, By: "document", First: a.DocumentRank, Second: b.DocumentRank}
		switch {
		case a.PageRank != nil && b.PageRank != nil:
			c.By, c.First, c.Second = "page", *a.PageRank, *b.PageRank
		case a.PassageRank != nil && b.PassageRank != nil:
			c.By, c.First, c.Second = "passage", *a.PassageRank, *b.PassageRank
		}
		switch before, after := reciprocal(c.First), reciprocal(c.Second); {
		case after > before:
			c.Verdict = Better
		case after < before:
			c.Verdict = Worse
		}
		changes = append(changes, c)
	}
	return changes
}

// Paired returns the outcomes of the questions that both runs have, so that
// their figures can be compared.
func Paired(first, second []Outcome) (a, b []Outcome) {
	return among(first, second), among(second, first)
}

// among returns those outcomes whose question is among others.
func among(outcomes, others []Outcome) []Outcome {
	known := make(map[string]bool, len(others))
	for _, o := range others {
		known[o.ID] = true
	}
	var out []Outcome
	for _, o := range outcomes {
		if known[o.ID] {
			out = append(out, o)
		}
	}
	return out
}

// A Figure is a figure of two runs.
type Figure struct {
	First  float64 `json:"first"`
	Second float64 `json:"second"`
	Change float64 `json:"change"`
}

// Figures returns the figures of two summaries by name, such as "page hit@5". A
// figure is missing if one of the runs does not have it.
func Figures(first, second Summary) map[string]Figure {
	out := map[string]Figure{}
	b := second.figures()
	for name, x := range first.figures() {
		if y, ok := b[name]; ok {
			out[name] = Figure{First: x, Second: y, Change: y - x}
		}
	}
	return out
}

func (s Summary) figures() map[string]float64 {
	out := map[string]float64{"failed": float64(s.Failed)}
	for name, r := range map[string]Ranks{"document": s.Document, "page": s.Page, "passage": s.Passage} {
		if r.Questions == 0 {
			continue
		}
		out[name+" hit@1"], out[name+" hit@5"], out[name+" hit@10"], out[name+" mrr"] = r.Hit1, r.Hit5, r.Hit10, r.MRR
	}
	if s.Latency != (Latency{}) {
		out["retrieval p50 ms"], out["retrieval p95 ms"] = s.Latency.P50, s.Latency.P95
	}
	if c := s.Chat; c != nil {
		out["first_cited_page"], out["cited_pages"], out["marker_compliance"], out["coverage"] = c.FirstPage, c.CitedPages, c.Compliance, c.Coverage
		if c.Judged > 0 {
			out["passed"] = c.Passed
		}
		out["supported"], out["weak"], out["unsupported"] = c.Supported, c.Weak, c.Unsupported
	}
	return out
}
