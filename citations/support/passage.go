package support

import "sync"

// A Passage is a text that is analysed when a claim first cites it, once for any number
// of checkers. It is safe for concurrent use.
type Passage struct {
	text     string
	once     sync.Once
	analysed *analysed
	grown    func(bytes int)

	mu         sync.Mutex
	remembered []checkedClaim // claims that cite the passage first
	oldest     int            // of remembered, once it is full
}

// NewPassage returns a passage. It calls grown with the change in bytes whenever its
// analysis or the claims that it remembers take more memory, or less.
func NewPassage(text string, grown func(bytes int)) *Passage {
	return &Passage{text: text, grown: grown}
}

// analysis returns the analysis of the passage. Nobody changes it.
func (p *Passage) analysis() *analysed {
	p.once.Do(func() {
		p.analysed = analysePassage(p.text)
		p.analysed.tablesOf() // finds them, so that nobody writes later
		p.grown(p.analysed.size())
	})
	return p.analysed
}

// analysePassage analyses a text of a source. Positions in it remain valid.
func analysePassage(text string) *analysed {
	return analyse(withoutURLs(withBars(cutRunes(text, maxPassage))), english)
}

// size is about how many bytes an analysis takes.
func (a *analysed) size() int {
	const fixed, perToken, perSpan, perFact, perNumeral, perSlot, perGrid = 600, 72, 16, 96, 56, 4, 56
	tables := 0
	for i := range a.tables {
		tables += perGrid + perSpan*cap(a.tables[i].rows)
	}
	return fixed + tables + len(a.raw) + cap(a.folded) + perToken*cap(a.tokens) + perSpan*(cap(a.sentences)+cap(a.clauses)) +
		perFact*cap(a.facts) + perNumeral*cap(a.numerals) + perSlot*cap(a.slots)
}

// NewOf is [New] for passages that may be analysed already. Those that are nil have
// their text in texts. Release gives its memory to the next checker.
func NewOf(texts []string, passages []*Passage, similarity func(claim, passage string) float64) *Checker {
	k, _ := idleCheckers.Get().(*Checker)
	if k == nil {
		k = new(Checker)
	}
	k.passages, k.shared, k.similarity = texts, passages, similarity
	k.analysed = zeroed(k.analysed, len(texts))
	return k
}

// idleCheckers holds checkers for their scratch memory.
var idleCheckers sync.Pool

// maxScratch bounds the tokens of a claim whose memory is kept.
const maxScratch = 1000

// Release gives back the memory of a checker, which must not be used any more.
func (k *Checker) Release() {
	if k.claim != nil && cap(k.claim.tokens) > maxScratch {
		return
	}
	k.passages, k.shared, k.similarity, k.text, k.claimRead, k.known, k.last, k.result, k.steps = nil, nil, nil, "", false, false, Claim{Own: k.last.Own[:0], Group: k.last.Group[:0]}, Finding{}, 0
	clear(k.analysed)
	k.met, k.split, k.comparedBy, k.cells, k.meetings = nil, nil, nil, nil, k.meetings[:cap(k.meetings)]
	for i := range k.meetings {
		k.meetings[i].passage = nil
	}
	if k.claim != nil {
		k.claim.raw = ""
	}
	idleCheckers.Put(k)
}
