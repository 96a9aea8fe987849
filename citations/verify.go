package citations

import (
	"bytes"
	"fmt"
	"slices"
	"unicode/utf8"

	"footnote/citations/support"
)

// pageAt returns the page of a character of the passage, nil if it is unknown.
func (s *Source) pageAt(char int) *int {
	switch {
	case s.PageNumber == nil:
		return nil
	case len(s.Pages) > 0:
		page := *s.PageNumber
		for _, p := range s.Pages {
			if p.Char <= char {
				page = p.Page
			}
		}
		return &page
	case s.PageEnd == nil || *s.PageEnd == *s.PageNumber || char == s.CharStart:
		return s.PageNumber
	default:
		return nil
	}
}

// keepClaim keeps a sentence for the check of its markers.
func (c *choice) keepClaim(s sentence) {
	text, offset := c.scan.textOf(s)
	for len(text) > 0 && !utf8.RuneStart(text[0]) { // the beginning of a long sentence was cut off
		text, offset = text[1:], offset+1
	}
	claim := &claimText{bytes.Clone(text), offset}
	for _, m := range s.markers {
		m.claim = claim
		for i := max(m.start-offset, 0); i < m.end-offset; i++ {
			claim.text[i] = ' '
		}
	}
	c.tracker.unchecked = append(c.tracker.unchecked, claimed{c, slices.Clone(s.markers)})
}

// A claimed is a complete sentence whose markers are to be checked.
type claimed struct {
	choice *choice
	marks  []*mark
}

// CheckClaims checks the sentences that are complete so far, so that the end of the
// text waits for little. A stream calls it while it waits for more text; without it,
// [Tracker.Result] checks all. It does nothing where the check asks a model for the
// similarity of texts, which may take long.
func (t *Tracker) CheckClaims() {
	if len(t.unchecked) == 0 || t.set.opt.Similarity != nil || t.fault != nil {
		return
	}
	defer func() {
		if reason := recover(); reason != nil {
			t.fault = fmt.Errorf("citations: checking failed: %v", reason)
		}
	}()
	v := t.verifier()
	for _, s := range t.unchecked {
		markers := make([]Marker, len(s.marks))
		for i, m := range s.marks {
			markers[i] = s.choice.marker(m)
		}
		v.checkSentence(s.marks, markers)
	}
	v.check.Release() // not after a panic
	clear(t.unchecked)
	t.unchecked = t.unchecked[:0]
}

// A verifier checks the markers of an answer against the passages.
type verifier struct {
	set     *Set
	check   *support.Checker
	numbers []int // number of each passage's source in this answer; 0 if it is not cited

	// The passages of number n are first[n]-1, next[first[n]-1]-1 and so on; 0 ends the list.
	first, next []int
	seen        []bool // scratch memory
}

// verifier returns a verifier with the numbers that the sources have by now.
func (t *Tracker) verifier() *verifier {
	passages := t.set.passages
	count := len(passages)
	room := make([]int, 2*count+len(t.set.sources)+1)
	v := &verifier{set: t.set, numbers: room[:count:count], next: room[count : 2*count], first: room[2*count:], seen: make([]bool, count)}
	texts, known := make([]string, count), make([]*support.Passage, count)
	for i := count - 1; i >= 0; i-- {
		texts[i], known[i] = passages[i].whole()
		n := passages[i].Index
		if t.set.opt.Renumber {
			if n = 0; t.numbers.newNumbers != nil {
				n = t.numbers.newNumbers[passages[i].Index]
			}
		}
		v.numbers[i] = n
		v.next[i], v.first[n] = v.first[n], i+1
	}
	v.check = support.NewOf(texts, known, t.set.opt.Similarity)
	return v
}

// fillIn fills in the support and the quotes of the markers of r, which correspond to
// marks. It checks the claims that were not checked yet.
func (t *Tracker) fillIn(r *Citations, marks []*mark) {
	var v *verifier
	for i := 0; i < len(marks); {
		next := i + 1
		for next < len(marks) && marks[next].claim == marks[i].claim {
			next++
		}
		if marks[i].claim != nil && marks[i].backing == nil {
			if v == nil {
				v = t.verifier()
			}
			v.checkSentence(marks[i:next], r.Markers[i:next])
		}
		i = next
	}
	if v != nil {
		v.check.Release()
	}
	for i, m := range marks {
		if d := m.backing; d != nil {
			r.Markers[i].Support, r.Markers[i].SupportScore, r.Markers[i].Quote = d.level, &d.score, d.quote
		}
	}
}

// checkSentence checks the markers of one sentence. Adjacent markers share the text since
// the markers before them; the last group also has the text after it.
func (v *verifier) checkSentence(marks []*mark, markers []Marker) {
	text := marks[0].claim
	whole := string(text.text)
	from := 0
	for i := 0; i < len(marks); {
		next := i + 1
		for next < len(marks) && text.blank(marks[next-1].end, marks[next].start) {
			next++
		}
		to := min(max(marks[i].start-text.offset, from), len(text.text))
		switch {
		case next == len(marks):
			to = len(text.text)
		case i == 0 && leadIn(text.text[from:to]): // "[1] says so, and [2] …", "According to [1] …"
			to = max(marks[next].start-text.offset, to)
		}
		group := v.passages(markers[i:next])
		for k := i; k < next; k++ {
			own := v.passages(markers[k : k+1])
			if len(own) == 0 {
				continue // it has no source
			}
			f := v.check.Check(support.Claim{Text: whole, Focus: [2]int{from, to}, Own: own, Group: group})
			marks[k].backing = &backing{f.Level, f.Score, v.quote(f)}
		}
		from, i = to, next
	}
}

// leadIns can stand before a marker that begins a sentence, in lower case.
var leadIns = setOf("as in per see source according-to as-per based-on laut nach gemäß wie selon d'après d’après")

// leadIn reports whether the text before a marker makes no claim by itself.
func leadIn(text []byte) bool {
	words := bytes.Fields(text)
	return len(words) == 0 || len(words) <= 2 && leadIns[string(bytes.ToLower(bytes.Join(words, []byte("-"))))]
}

// blank reports whether the scanned text between two positions is blank.
func (c *claimText) blank(from, to int) bool {
	from, to = max(from-c.offset, 0), min(to-c.offset, len(c.text))
	return from >= to || len(bytes.TrimSpace(c.text[from:to])) == 0
}

// passages returns the passages that markers cite, each once.
func (v *verifier) passages(markers []Marker) []int {
	var list []int
	for _, m := range markers {
		for _, n := range m.Indices {
			for p := v.first[n] - 1; p >= 0; p = v.next[p] - 1 {
				if !v.seen[p] {
					v.seen[p] = true
					list = append(list, p)
				}
			}
		}
	}
	for _, p := range list {
		v.seen[p] = false
	}
	return list
}

// quote returns the passage text of a finding with its place in the document, nil if the
// finding has none.
func (v *verifier) quote(f support.Finding) *Quote {
	if f.Start >= f.End {
		return nil
	}
	src := &v.set.passages[f.Passage]
	above := len(src.headed()) - len(src.Text) // the table's header, which is not part of the passage
	if f.End <= above {
		return nil
	}
	from, to := max(f.Start-above, 0), f.End-above
	text := src.Text[from:to]
	start := src.CharStart - src.Lead + utf8.RuneCountInString(src.Text[:from])
	return &Quote{
		Index: v.numbers[f.Passage], Text: text, Header: src.headed()[f.HeaderStart:f.HeaderEnd],
		CharStart: start, CharEnd: start + utf8.RuneCountInString(text), PageNumber: src.pageAt(start),
	}
}
