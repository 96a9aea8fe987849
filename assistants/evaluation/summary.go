package evaluation

import (
	"math"
	"slices"
)

// Ranks holds the shares (0–1) of questions whose right result was among the first
// 1, 5 and 10.
type Ranks struct {
	Questions int     `json:"questions"`
	Hit1      float64 `json:"hit@1"`
	Hit5      float64 `json:"hit@5"`
	Hit10     float64 `json:"hit@10"`
	MRR       float64 `json:"mrr"` // mean of 1/rank, 0 if not found
}

// A Summary has the figures of a run.
type Summary struct {
	Questions int             `json:"questions"`
	Failed    int             `json:"failed"`
	Document  Ranks           `json:"document"`
	Page      Ranks           `json:"page"`
	Passage   Ranks           `json:"passage"`
	Chat      *ChatSummary    `json:"chat,omitempty"`
	Latency   Latency         `json:"latency_ms"`
	Stages    map[string]Mean `json:"stages_ms,omitempty"`
}

// A ChatSummary sums up the citations of all answers. Shares are 0–1.
type ChatSummary struct {
	Answers int `json:"answers"`
	// FirstPage is the share of answers whose first cite is on a page that
	// answers, among the answers that cite and had such a page among their sources.
	FirstPage  float64 `json:"first_cited_page"`
	FirstPageN int     `json:"first_cited_page_of"`
	// CitedPages is the share of all cites that are on a page that answers.
	CitedPages float64 `json:"cited_pages"`
	Cites      int     `json:"cites"`
	// Compliance is the share of answers that cite at least one source and no
	// number without a source, among the answers that had sources.
	Compliance  float64 `json:"marker_compliance"`
	Coverage    float64 `json:"coverage"` // mean
	Supported   float64 `json:"supported"`
	Weak        float64 `json:"weak"`
	Unsupported float64 `json:"unsupported"`
	// Judged answers passed or failed; Passed is the share that passed. What the judge
	// said of the Unclear ones is neither.
	Judged  int     `json:"judged"`
	Passed  float64 `json:"passed"`
	Unclear int     `json:"judged_unclear"`
	Latency Latency `json:"latency_ms"`
	// Citing compares answers with and without citations; nil: none was asked without.
	Citing *CitingSummary `json:"citing,omitempty"`
}

// Latency are percentiles, in milliseconds.
type Latency struct {
	P50 float64 `json:"p50"`
	P95 float64 `json:"p95"`
	Max float64 `json:"max"`
}

// A Mean is a mean and the number of its values.
type Mean struct {
	Mean float64 `json:"mean"`
	Of   int     `json:"of"`
}

// Summarise sums up outcomes. Those that failed count as not found.
func Summarise(outcomes []Outcome) Summary {
	s := Summary{Questions: len(outcomes), Stages: map[string]Mean{}}
	var took []float64
	for _, o := range outcomes {
		s.Document.add(o.DocumentRank)
		if o.PageRank != nil {
			s.Page.add(*o.PageRank)
		}
		if o.PassageRank != nil {
			s.Passage.add(*o.PassageRank)
		}
		if o.Error != "" {
			s.Failed++
		}
		if o.Mode != "" {
			took = append(took, o.MS)
		}
		for name, ms := range o.StagesMS {
			m := s.Stages[name]
			m.Mean += ms
			m.Of++
			s.Stages[name] = m
		}
	}
	for _, r := range []*Ranks{&s.Document, &s.Page, &s.Passage} {
		r.divide()
	}
	for name, m := range s.Stages {
		s.Stages[name] = Mean{m.Mean / float64(m.Of), m.Of}
	}
	s.Latency = latency(took)
	s.Chat = summariseChat(outcomes)
	return s
}

func (r *Ranks) add(rank int) {
	r.Questions++
	if rank == 0 {
		return
	}
	r.MRR += 1 / float64(rank)
	for _, at := range []struct {
		limit int
		share *float64
	}{{1, &r.Hit1}, {5, &r.Hit5}, {10, &r.Hit10}} {
		if rank <= at.limit {
			*at.share++
		}
	}
}

func (r *Ranks) divide() {
	for _, v := range []*float64{&r.Hit1, &r.Hit5, &r.Hit10, &r.MRR} {
		*v = share(*v, r.Questions)
	}
}

func share(n float64, of int) float64 {
	if of == 0 {
		return 0
	}
	return n / float64(of)
}

func summariseChat(outcomes []Outcome) *ChatSummary {
	var (
		c                                      ChatSummary
		took                                   []float64
		first, gold, sourced, compliant, rated int
		covered                                float64
		coverages                              int
		supported, weak, unsupported           int
		passed                                 int
	)
	for _, o := range outcomes {
		a := o.Chat
		if a == nil {
			continue
		}
		c.Answers++
		took = append(took, a.MS)
		c.Cites += a.Cites
		gold += a.CitesGold
		if a.GoldAmong && a.Cites > 0 {
			c.FirstPageN++
			if a.FirstGold {
				first++
			}
		}
		if a.Status == "cited" || a.Status == "none" {
			sourced++
			if a.Cites > 0 && a.Invalid == 0 {
				compliant++
			}
		}
		if a.Coverage != nil {
			covered += *a.Coverage
			coverages++
		}
		switch j := a.Judgement; {
		case j == nil:
		case j.Result == Unclear:
			c.Unclear++
		default:
			c.Judged++
			if j.Result == Pass {
				passed++
			}
		}
		supported, weak, unsupported = supported+a.Supported, weak+a.Weak, unsupported+a.Unsupported
	}
	if c.Answers == 0 {
		return nil
	}
	rated = supported + weak + unsupported
	c.FirstPage, c.CitedPages = share(float64(first), c.FirstPageN), share(float64(gold), c.Cites)
	c.Compliance, c.Coverage = share(float64(compliant), sourced), share(covered, coverages)
	c.Supported, c.Weak, c.Unsupported = share(float64(supported), rated), share(float64(weak), rated), share(float64(unsupported), rated)
	c.Passed = share(float64(passed), c.Judged)
	c.Latency = latency(took)
	c.Citing = summariseCiting(outcomes)
	return &c
}

// latency computes percentiles by the nearest-rank method.
func latency(ms []float64) Latency {
	if len(ms) == 0 {
		return Latency{}
	}
	ms = slices.Sorted(slices.Values(ms))
	at := func(p float64) float64 { return ms[max(0, int(math.Ceil(p*float64(len(ms))))-1)] }
	return Latency{P50: at(0.5), P95: at(0.95), Max: ms[len(ms)-1]}
}
