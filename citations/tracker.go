package citations

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"unicode/utf8"
)

// MaxMarkers is how many markers an object lists.
const MaxMarkers = 1000

// A Tracker scans the text of an answer's choices as it comes, hands it on, and
// says in the end what it cites. Where the set rewrites markers, the text that
// it hands on differs from what it was given; otherwise it keeps no more of it than
// the sentence that has begun. It is not safe for concurrent use.
type Tracker struct {
	set     *Set
	choices map[int]*choice
	last    *choice // the one written to last, mostly the only one
	numbers renumbering
	result  *Citations
	fault   error // the scanner failed: the rest of the answer passes as it is
}

// A choice is one alternative answer.
type choice struct {
	tracker   *Tracker
	index     int
	scan      scanner
	closed    bool
	markers   []*mark
	late      []Marker // where what no listed marker cites is cited first
	fresh     []mark   // made ahead, a few at a time
	numbers   []int    // those of all markers, in one list
	count     int
	completed int       // markers that Completed has told of
	cited     numberSet // numbers with a source
	invalid   numberSet // numbers without
	coverage  coverage
	begins    []byte // the beginning of the text, where it is compared with the question
	whole     bool   // begins has all that is kept
}

// A mark is what is kept of a marker until the object is made.
type mark struct {
	start, end         int // in the scanned text, in bytes
	from, to           int // in the client's text, in units
	claimFrom, claimTo int
	// Its numbers among those of the choice: from first with a source, from
	// orphans to last without.
	first, orphans, last int32
	claim                *claimText
}

// marker is the mark as the object lists it.
func (c *choice) marker(m *mark) Marker {
	return Marker{
		Choice: c.index, Start: m.from, End: m.to, ClaimStart: m.claimFrom, ClaimEnd: m.claimTo,
		Indices: slices.Clip(c.numbers[m.first:m.orphans]), Invalid: slices.Clip(c.numbers[m.orphans:m.last]),
	}
}

// Tracker returns a tracker for one answer to a prompt with these sources.
func (s *Set) Tracker() *Tracker {
	return &Tracker{set: s, choices: map[int]*choice{}, numbers: renumbering{count: len(s.sources)}}
}

// Write takes the next piece of a choice's text, cut anywhere, and returns what
// the client may have by now: text itself unless the set rewrites markers, when
// the beginning of what may become one is held back. It must not be called
// after Close of that choice, or Result.
func (t *Tracker) Write(index int, text string) (out string) {
	if t.fault != nil {
		return t.rest(t.choices[index]) + text
	}
	c := t.choice(index)
	defer func() {
		if r := recover(); r != nil {
			out = t.failed(c, r, text)
		}
	}()
	if t.set.opt.Answers != nil && !c.whole {
		c.keepBeginning(text)
	}
	c.scan.write(text)
	if !t.set.Rewrites() {
		return text
	}
	return c.scan.ruler.hand(false)
}

// Close ends a choice's text and returns what was held back of it. Calling it
// again returns nothing.
func (t *Tracker) Close(index int) (out string) {
	c := t.choices[index]
	if c == nil || c.closed {
		return ""
	}
	if t.fault != nil {
		return t.rest(c)
	}
	c.closed = true
	defer func() {
		if r := recover(); r != nil {
			out = t.failed(c, r, "")
		}
	}()
	c.scan.finish()
	return c.scan.ruler.hand(true)
}

// failed notes that the scanner failed, which it must not, at the piece that
// was written last, and returns what the client has not got: the answer is worth
// more than its citations.
func (t *Tracker) failed(c *choice, reason any, piece string) string {
	t.fault = fmt.Errorf("citations: scanning failed: %v", reason)
	if !t.set.Rewrites() {
		return piece
	}
	c.closed = false // not as it should be
	return t.rest(c)
}

// rest closes a choice after a failure and returns what was held back of it.
func (t *Tracker) rest(c *choice) string {
	if c == nil || c.closed || !t.set.Rewrites() {
		return ""
	}
	c.closed = true
	rest := string(c.scan.ruler.out)
	if c.scan.taken < len(c.scan.buf) {
		rest += string(c.scan.buf[c.scan.taken:])
	}
	return rest
}

// Fault is why scanning failed, nil if it did not: a defect of ours, for the log.
func (t *Tracker) Fault() error { return t.fault }

// choice finds the choice of an index, or begins it.
func (t *Tracker) choice(index int) *choice {
	if t.last != nil && t.last.index == index {
		return t.last
	}
	c := t.choices[index]
	if c == nil {
		c = &choice{tracker: t, index: index, numbers: make([]int, 0, 16)}
		c.scan.begin(t.set.opt.Unit, c.found)
		c.scan.claim.sentence = c.sentence
		if t.set.Rewrites() {
			c.scan.edit = c.rewritten
			c.scan.ruler.edits, c.scan.ruler.strip = true, t.set.opt.Markers == MarkersStrip
		}
		t.choices[index] = c
	}
	t.last = c
	return c
}

// found records a marker: its numbers, and itself while the list has room.
func (c *choice) found(f found) (m *mark, cites bool) {
	c.count++
	count := len(c.tracker.set.sources)
	first := len(c.numbers)
	for i, n := range f.numbers {
		if n <= count && !slices.Contains(f.numbers[:i], n) { // [1, 1]
			n = c.tracker.number(n)
			if len(c.markers) >= MaxMarkers && !c.cited.has(n) {
				c.late = append(c.late, Marker{Choice: c.index, Start: f.start.unit, End: f.end.unit, Indices: []int{n}})
			}
			c.cited.add(n)
			c.numbers = append(c.numbers, n)
		}
	}
	between := len(c.numbers)
	for i, n := range f.numbers {
		if n > count && !slices.Contains(f.numbers[:i], n) {
			c.invalid.add(n)
			c.numbers = append(c.numbers, n)
		}
	}
	cites = between > first
	if len(c.markers) >= MaxMarkers {
		c.numbers = c.numbers[:first]
		return nil, cites
	}
	m = c.mark()
	*m = mark{
		start: f.start.at, end: f.end.at, from: f.start.unit, to: f.end.unit,
		first: int32(first), orphans: int32(between), last: int32(len(c.numbers)),
	}
	c.markers = append(c.markers, m)
	return m, cites
}

// mark returns room for one more.
func (c *choice) mark() *mark {
	if len(c.fresh) == 0 {
		c.fresh = make([]mark, 16)
	}
	m := &c.fresh[0]
	c.fresh = c.fresh[1:]
	return m
}

// sentence takes a sentence that has ended.
func (c *choice) sentence(s sentence) {
	text, _ := c.scan.textOf(s)
	c.coverage.add(text, s.cites, &c.scan.line)
	if c.tracker.set.opt.Support && len(s.markers) > 0 {
		c.keepClaim(s)
	}
}

// Completed returns the choice's markers that were completed since it was last
// called. Their claims are not known yet: the sentence may go on.
func (t *Tracker) Completed(index int) []Marker {
	c := t.choices[index]
	if c == nil || c.completed == len(c.markers) {
		return nil
	}
	var list []Marker
	for _, m := range c.markers[c.completed:] {
		list = append(list, c.marker(m))
	}
	c.completed = len(c.markers)
	return list
}

// Annotations decides what a choice's text ends with and returns the annotations
// that its own markers make (see [Citations.Annotations]): for a choice that has
// ended while others go on.
func (t *Tracker) Annotations(index int) []byte {
	if own := t.own(index); own != nil {
		return own.Annotations(index)
	}
	return nil
}

// Result ends the text of all choices and returns what they cite; calling it
// again returns the same.
func (t *Tracker) Result() *Citations {
	if t.result == nil {
		t.result = t.resolve()
	}
	return t.result
}

func (t *Tracker) resolve() (r *Citations) {
	defer func() {
		if reason := recover(); reason != nil {
			t.fault = fmt.Errorf("citations: checking failed: %v", reason)
			r = t.set.disclaimed(nil)
		}
	}()
	for index := range t.choices {
		t.Close(index)
	}
	if t.fault != nil {
		return t.set.disclaimed(nil)
	}
	r = t.set.result(StatusNone)
	r.Sources = t.numbers.order(r.Sources)
	r.ends = make(map[int]int, len(t.choices))
	var cited, invalid numberSet
	var cover coverage
	var marks []*mark
	count := 0
	for _, c := range t.inOrder() {
		marks = append(marks, c.markers...)
		r.Markers = slices.Grow(r.Markers, len(c.markers))
		for _, m := range c.markers {
			r.Markers = append(r.Markers, c.marker(m))
		}
		r.unlisted = append(r.unlisted, c.late...)
		r.ends[c.index] = c.scan.ruler.units
		count += c.count
		cover.factual, cover.cited = cover.factual+c.coverage.factual, cover.cited+c.coverage.cited
		cited.join(&c.cited)
		invalid.join(&c.invalid)
	}
	if r.Truncated = count > MaxMarkers; r.Truncated {
		r.unlisted = slices.Concat(r.Markers[MaxMarkers:], r.unlisted)
		marks, r.Markers = marks[:MaxMarkers], r.Markers[:MaxMarkers]
	}
	r.ReferencedIndices, r.InvalidIndices = cited.list(), invalid.list()
	share := cover.share()
	r.Coverage = &share
	switch {
	case len(t.set.sources) == 0:
		r.Status = StatusNoSources
	case len(r.ReferencedIndices) > 0:
		r.Status = StatusCited
	}
	scores := make([]float64, 0, len(r.ReferencedIndices))
	for _, n := range r.ReferencedIndices {
		scores = append(scores, r.Sources[n-1].Score)
	}
	r.Confidence = SourceScoreTable.confidence(scores, t.similarity(len(scores)))
	r = t.set.judged(r)
	if t.set.opt.Support && r.err == nil && len(r.Markers) > 0 {
		t.verify(r, marks)
	}
	return r
}

// similarity is that of the question and the first answer, nil if nobody knows
// it or nothing is cited, when it does not count.
func (t *Tracker) similarity(cited int) *float64 {
	if t.set.opt.Answers == nil || cited == 0 {
		return nil
	}
	text := StripAnswer(string(t.inOrder()[0].begins))
	similarity, ok := t.set.opt.Answers(text)
	if !ok || math.IsNaN(similarity) {
		return nil
	}
	return &similarity
}

// maxBegins is how many bytes of an answer's beginning are kept for its
// similarity: more than an embedding model reads.
const maxBegins = 2 << 10

// keepBeginning keeps the beginning of an answer.
func (c *choice) keepBeginning(text string) {
	room := maxBegins - len(c.begins)
	if len(text) > room {
		for room > 0 && !utf8.RuneStart(text[room]) {
			room--
		}
		text, c.whole = text[:room], true
	}
	c.begins = append(c.begins, text...)
}

// inOrder are the choices by their index.
func (t *Tracker) inOrder() []*choice {
	list := make([]*choice, 0, len(t.choices))
	for _, c := range t.choices {
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b *choice) int { return cmp.Compare(a.index, b.index) })
	return list
}

// A numberSet holds numbers up to maxNumber.
type numberSet [maxNumber/64 + 1]uint64

func (s *numberSet) empty() bool { return *s == numberSet{} }

func (s *numberSet) has(n int) bool { return s[n/64]&(1<<(n%64)) != 0 }

func (s *numberSet) add(n int) { s[n/64] |= 1 << (n % 64) }

func (s *numberSet) join(other *numberSet) {
	for i := range s {
		s[i] |= other[i]
	}
}

// list is the numbers in ascending order, not nil.
func (s *numberSet) list() []int {
	list := []int{}
	for i, rest := range s {
		for ; rest != 0; rest &= rest - 1 {
			list = append(list, i*64+bits.TrailingZeros64(rest))
		}
	}
	return list
}
