package evaluation

// An Outcome is the result of one question. Ranks count from 1; 0 is "not found".
type Outcome struct {
	ID           string             `json:"id"`
	Document     string             `json:"document"`
	Language     string             `json:"language,omitempty"`
	Kind         string             `json:"kind,omitempty"`
	Cross        bool               `json:"cross,omitempty"`
	Question     string             `json:"question"` // the last user message
	DocumentRank int                `json:"document_rank"`
	PageRank     *int               `json:"page_rank,omitempty"`    // nil: no page is known
	PassageRank  *int               `json:"passage_rank,omitempty"` // nil: no passage is known
	Found        []string           `json:"found,omitempty"`        // the first sources, as "name, page 3"
	Mode         string             `json:"mode,omitempty"`
	MS           float64            `json:"ms"`
	StagesMS     map[string]float64 `json:"stages_ms,omitempty"`
	Chat         *ChatOutcome       `json:"chat,omitempty"` // nil: no answer was requested
	Error        string             `json:"error,omitempty"`
}

// A ChatOutcome counts the citations of the answer to one question.
type ChatOutcome struct {
	Status      string   `json:"status"`
	GoldAmong   bool     `json:"gold_among_sources"` // a page that answers was among the sources
	Cites       int      `json:"cites"`              // sources cited by markers, each marker counted
	CitesGold   int      `json:"cites_gold"`         // those cites that are on a page that answers
	FirstGold   bool     `json:"first_gold"`         // the first cite is on a page that answers
	Invalid     int      `json:"invalid,omitempty"`
	Coverage    *float64 `json:"coverage,omitempty"`
	Supported   int      `json:"supported"`
	Weak        int      `json:"weak"`
	Unsupported int      `json:"unsupported"`
	MS          float64  `json:"ms"`
	// Judgement compares the answer with the expected one; nil: nobody was asked.
	Judgement *Judgement `json:"judgement,omitempty"`
	// Citing compares the answer with one without citations; nil: that was not asked for.
	Citing *CitedAndNot `json:"citing,omitempty"`
}

// shownSources is how many sources an outcome lists.
const shownSources = 5

func newOutcome(q Question) Outcome {
	messages := q.Messages()
	return Outcome{
		ID: q.ID, Document: q.Document, Language: q.Language, Kind: q.Kind, Cross: q.Cross,
		Question: messages[len(messages)-1].Content,
	}
}

// Score judges what was found for a question.
func Score(q Question, r Retrieved) Outcome {
	j, o := judge(q), newOutcome(q)
	o.Mode, o.MS, o.StagesMS = r.Mode, r.MS, r.StagesMS
	o.DocumentRank = rank(r.Sources, j.isDocument)
	o.PageRank, o.PassageRank = j.ranks(r.Sources)
	for _, s := range r.Sources[:min(len(r.Sources), shownSources)] {
		o.Found = append(o.Found, s.label())
	}
	return o
}

func (j judged) ranks(sources []Source) (page, passage *int) {
	if j.knowsPages() {
		n := rank(sources, j.isPage)
		page = &n
	}
	if len(j.passage) > 0 {
		n := rank(sources, j.isPassage)
		passage = &n
	}
	return page, passage
}

// ScoreAnswer judges what an answer cites. A cited source is right if the quote
// that supports the claim is on a page that answers. Without a quote, it is right
// if the source touches such a page.
func ScoreAnswer(q Question, a Answered) *ChatOutcome {
	j := judge(q)
	c := &ChatOutcome{Status: a.Status, Invalid: a.Invalid, Coverage: a.Coverage, MS: a.MS, Judgement: a.Judgement, Citing: a.Citing}
	c.GoldAmong = rank(a.Sources, j.isPage) > 0
	for i, cite := range a.Cited {
		if cite.Source < 0 || cite.Source >= len(a.Sources) {
			continue
		}
		s := a.Sources[cite.Source]
		if cite.Page > 0 {
			s.Page, s.PageEnd = cite.Page, cite.Page
		}
		gold := j.isPage(s)
		c.Cites++
		if gold {
			c.CitesGold++
			c.FirstGold = c.FirstGold || i == 0
		}
		switch cite.Support {
		case "supported":
			c.Supported++
		case "weak":
			c.Weak++
		case "unsupported":
			c.Unsupported++
		}
	}
	return c
}
