package support

import (
	"slices"
	"unicode/utf8"
)

// New returns a checker of claims about passages. A similarity of 0 to 1 between a claim and
// a sentence, if given, is asked about claims that the words leave open.
func New(passages []string, similarity func(claim, passage string) float64) *Checker {
	return &Checker{passages: passages, analysed: make([]*analysed, len(passages)), similarity: similarity}
}

// passage returns a passage, analysed.
func (k *Checker) passage(i int) *analysed {
	switch {
	case k.analysed[i] != nil:
	case k.shared != nil && k.shared[i] != nil:
		k.analysed[i] = k.shared[i].analysis()
	default:
		k.analysed[i] = analysePassage(k.passages[i])
		k.steps += k.analysed[i].steps
	}
	return k.analysed[i]
}

// cutRunes returns the beginning of a text, cut between runes.
func cutRunes(s string, size int) string {
	if len(s) <= size {
		return s
	}
	for size > 0 && !utf8.RuneStart(s[size]) {
		size--
	}
	return s[:size]
}

// Check compares a claim with the passages it cites.
func (k *Checker) Check(c Claim) Finding {
	if k.known && c.Text == k.last.Text && c.Focus == k.last.Focus && slices.Equal(c.Own, k.last.Own) && slices.Equal(c.Group, k.last.Group) {
		return k.result
	}
	found, remembered := k.recall(c)
	if !remembered {
		found = k.find(c)
		k.remember(c, found)
	}
	k.result = found
	k.last = Claim{c.Text, c.Focus, append(k.last.Own[:0], c.Own...), append(k.last.Group[:0], c.Group...)}
	k.known = true
	return k.result
}

func (k *Checker) find(c Claim) Finding {
	nothing := Finding{Level: Unsupported, Passage: -1}
	all := k.valid(k.cited[:0], c.Own)
	own := len(all)
	if own == 0 {
		return nothing
	}
	text, focus := cutClaim(c.Text, c.Focus)
	if !k.claimRead || k.text != text {
		if k.claim == nil {
			k.claim = new(analysed)
		}
		k.text, k.claimRead = text, true
		k.claim.read(cleanClaim(text), k.passage(all[0]).language)
		k.claim.buildIndex(false)
		clear(k.prefixed)
		k.keys = k.keys[:0]
		k.unchecked = len(k.claim.facts) > maxChecked
		k.claim.facts = k.claim.facts[:min(len(k.claim.facts), maxChecked)]
		k.steps += k.claim.steps
	}
	k.focus = focus
	all = k.valid(all, c.Group)
	k.cited = all
	v := k.judge(k.claim, all, own)
	f := Finding{Level: v.level, Score: decimals(v.score), Passage: -1}
	if v.best != nil && v.best.first >= 0 && v.level != Unsupported || v.quotable {
		f.Passage = v.best.passage
		f.Start, f.End = k.quote(k.claim, v.best, v.level == Unsupported)
		if v.row[0] < v.row[1] && v.row[1]-v.row[0] <= maxQuote {
			p := k.passage(f.Passage)
			f.Start, f.End = trimQuote(p.raw, v.row[0], v.row[1])
		}
		f.HeaderStart, f.HeaderEnd = k.headerOf(f)
	}
	return f
}

// headerOf returns the header of the table that a quotation is a row of.
func (k *Checker) headerOf(f Finding) (start, end int) {
	p := k.passage(f.Passage)
	row := p.rowAt(f.Start)
	if f.Start >= f.End || row == nil || row.header[0] == row.header[1] {
		return 0, 0
	}
	return trimQuote(p.raw, row.header[0], row.header[1])
}

// valid appends the passages that exist, each once.
func (k *Checker) valid(list, indices []int) []int {
	for _, i := range indices {
		if i >= 0 && i < len(k.passages) && !slices.Contains(list, i) && len(list) < maxPassages {
			list = append(list, i)
		}
	}
	return list
}

// cutClaim keeps the part of a long claim that ends with its focus.
func cutClaim(text string, focus [2]int) (string, [2]int) {
	focus[0] = min(max(focus[0], 0), len(text))
	focus[1] = min(max(focus[1], focus[0]), len(text))
	if focus[0] == focus[1] {
		focus = [2]int{0, len(text)}
	}
	if len(text) <= MaxClaim {
		return text, focus
	}
	from := min(max(0, focus[1]-MaxClaim), len(text)-MaxClaim)
	for from < len(text) && !utf8.RuneStart(text[from]) {
		from++
	}
	text = cutRunes(text[from:], MaxClaim)
	for i := range focus {
		focus[i] = min(max(0, focus[i]-from), len(text)) // bytes that are no characters may be cut as well
	}
	return text, focus
}

// inFocus reports whether a token stands in the part the marker answers for.
func (k *Checker) inFocus(c *analysed, tok int32) bool {
	t := &c.tokens[tok]
	return int(t.end) > k.focus[0] && int(t.start) < k.focus[1]
}
