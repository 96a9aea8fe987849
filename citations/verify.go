package citations

import (
	"fmt"
	"strings"
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
	c.blanked = append(c.blanked[:0], text...)
	for _, m := range s.markers {
		for i := max(m.start-offset, 0); i < m.end-offset; i++ {
			c.blanked[i] = ' '
		}
	}
	claim := &claimText{text: string(c.blanked), offset: offset}
	for _, m := range s.markers {
		m.claim = claim
	}
	c.tracker.unchecked = true
}

// CheckClaims checks the sentences that are complete so far, so that the end of the
// text waits for little. A stream calls it while it waits for more text; without it,
// [Tracker.Result] checks all. It does nothing where the check asks a model for the
// similarity of texts, which may take long.
func (t *Tracker) CheckClaims() {
	if !t.unchecked || t.set.opt.Similarity != nil || t.fault != nil {
		return
	}
	t.unchecked = false
	defer func() {
		if reason := recover(); reason != nil {
			t.fault = fmt.Errorf("citations: checking failed: %v", reason)
		}
	}()
	v := t.verifier()
	for _, c := range t.choices {
		for c.checked < len(c.markers) && c.markers[c.checked].claim != nil {
			next := endOfClaim(c.markers, c.checked)
			v.checkSentence(c, c.markers[c.checked:next])
			c.checked = next
		}
	}
	v.release() // not after a panic
}

// endOfClaim returns where the markers end that have the same claim as marks[i].
func endOfClaim(marks []*mark, i int) int {
	next := i + 1
	for next < len(marks) && marks[next].claim == marks[i].claim {
		next++
	}
	return next
}

// A verifier checks the markers of an answer against the passages.
type verifier struct {
	set     *Set
	texts   []string
	known   []*support.Passage
	check   *support.Checker // nil between the checks
	numbers []int            // number of each passage's source in this answer; 0 if it is not cited

	// The passages of number n are first[n]-1, next[first[n]-1]-1 and so on; 0 ends the list.
	first, next []int

	seen       []bool // scratch memory, like the next two
	own, group []int
}

// verifier returns the tracker's verifier with the numbers that the sources have by now.
func (t *Tracker) verifier() *verifier {
	if t.check == nil {
		t.check = newVerifier(t.set)
		t.check.number(&t.numbers)
	} else if t.set.opt.Renumber {
		t.check.number(&t.numbers)
	}
	t.check.check = support.NewOf(t.check.texts, t.check.known, t.set.opt.Similarity)
	return t.check
}

// number notes the numbers that the sources of the passages have in an answer.
func (v *verifier) number(answer *renumbering) {
	clear(v.first)
	for i := len(v.numbers) - 1; i >= 0; i-- {
		n := v.set.passages[i].Index
		if v.set.opt.Renumber {
			if answer.newNumbers == nil {
				n = 0
			} else {
				n = answer.newNumbers[n]
			}
		}
		v.numbers[i] = n
		v.next[i], v.first[n] = v.first[n], i+1
	}
}

// newVerifier returns a verifier without numbers.
func newVerifier(set *Set) *verifier {
	count := len(set.passages)
	room := make([]int, 2*count+len(set.sources)+1)
	v := &verifier{
		set: set, texts: make([]string, count), known: make([]*support.Passage, count), seen: make([]bool, count),
		numbers: room[:count:count], next: room[count : 2*count], first: room[2*count:],
	}
	for i := range v.texts {
		v.texts[i], v.known[i] = set.passages[i].whole()
	}
	return v
}

// release gives back the memory of the check.
func (v *verifier) release() {
	v.check.Release()
	v.check = nil
}

// fillIn fills in the support and the quotes of the markers of r, which correspond to
// marks. It checks the claims that were not checked yet.
func (t *Tracker) fillIn(r *Citations, marks []*mark) {
	var v *verifier
	for i := 0; i < len(marks); {
		next := endOfClaim(marks, i)
		if claim := marks[i].claim; claim != nil && !claim.checked {
			if v == nil {
				v = t.verifier()
			}
			v.checkSentence(t.choices[r.Markers[i].Choice], marks[i:next])
		}
		i = next
	}
	if v != nil {
		v.release()
	}
	for i, m := range marks {
		if d := &m.backing; d.level != "" {
			r.Markers[i].Support, r.Markers[i].SupportScore, r.Markers[i].Quote = d.level, &d.score, d.quote
		}
	}
}

// checkSentence checks the markers of one sentence. Adjacent markers share the text since
// the markers before them; the last group also has the text after it.
func (v *verifier) checkSentence(c *choice, marks []*mark) {
	text := marks[0].claim
	text.checked = true
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
		v.group = v.passages(v.group[:0], c, marks[i:next])
		for k := i; k < next; k++ {
			v.own = v.passages(v.own[:0], c, marks[k:k+1])
			if len(v.own) == 0 {
				continue // it has no source
			}
			f := v.check.Check(support.Claim{Text: text.text, Focus: [2]int{from, to}, Own: v.own, Group: v.group})
			marks[k].backing = backing{f.Level, f.Score, v.quote(f)}
		}
		from, i = to, next
	}
}

// leadIns can stand before a marker that begins a sentence, in lower case.
var leadIns = setOf("as in per see source according-to as-per based-on laut nach gemäß wie selon d'après d’après")

// leadIn reports whether the text before a marker makes no claim by itself.
func leadIn(text string) bool {
	words := strings.Fields(text)
	return len(words) == 0 || len(words) <= 2 && leadIns[strings.ToLower(strings.Join(words, "-"))]
}

// blank reports whether the scanned text between two positions is blank.
func (c *claimText) blank(from, to int) bool {
	from, to = max(from-c.offset, 0), min(to-c.offset, len(c.text))
	return from >= to || strings.TrimSpace(c.text[from:to]) == ""
}

// passages appends the passages that markers of a choice cite, each once.
func (v *verifier) passages(list []int, c *choice, marks []*mark) []int {
	for _, m := range marks {
		for _, n := range c.numbers[m.first:m.orphans] {
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
