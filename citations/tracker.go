package citations

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"unicode/utf8"
)

// MaxMarkers is the number of markers that an object lists.
const MaxMarkers = 1000

// A Tracker scans the text of an answer's choices as it arrives, returns the
// client's text, and reports the citations at the end. Where the set rewrites
// markers, the client's text differs from the input. Otherwise the tracker only
// keeps the sentence that has begun. It is not safe for concurrent use.
type Tracker struct {
	set     *Set
	choices map[int]*choice
	last    *choice // the choice of the last write, usually the only one
	numbers renumbering
	result  *Citations

	unchecked bool      // there are sentences that may be checked
	check     *verifier // nil: nothing was checked so far
	fault     error     // the scanner failed; the rest of the answer passes unchanged
}

// A choice is one alternative answer.
type choice struct {
	tracker   *Tracker
	index     int
	scan      scanner
	closed    bool
	markers   []*mark
	late      []Marker // markers beyond MaxMarkers that are the first to cite a source
	free      []mark   // allocated in advance, a few at a time
	numbers   []int    // of all markers, in one list
	count     int
	completed int       // markers that Completed has returned
	checked   int       // markers whose claims CheckClaims has checked
	blanked   []byte    // scratch memory
	cited     numberSet // numbers that have a source
	invalid   numberSet // numbers that have none
	coverage  coverage
	uncited   []Span // the factual sentences without a marker, as counted; see [ruler.real]
	begins    []byte // the beginning of the text, kept if it is compared with the question
	whole     bool   // begins is complete
}

// marker returns the mark as the object lists it.
func (c *choice) marker(m *mark) Marker {
	place := c.scan.ruler.real
	return Marker{
		Choice: c.index, Start: place(m.from), End: place(m.to), ClaimStart: place(m.claimFrom), ClaimEnd: place(m.claimTo),
		Indices: slices.Clip(c.numbers[m.first:m.orphans]), Invalid: slices.Clip(c.numbers[m.orphans:m.last]),
	}
}

// Tracker returns a tracker for one answer to a prompt with these sources.
func (s *Set) Tracker() *Tracker {
	return &Tracker{set: s, choices: map[int]*choice{}, numbers: renumbering{count: len(s.sources)}}
}

// Write takes the next piece of a choice's text, cut anywhere, and returns the text
// that is ready for the client: the same text, unless the set rewrites markers. Then
// it holds back the beginning of what may become a marker. It must not be called
// after Close of that choice, or after Result.
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
	return c.scan.ruler.drain(false)
}

// Close ends a choice's text and returns the text that was held back. A second call
// returns nothing.
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
	return c.scan.ruler.drain(true)
}

// failed records a panic of the scanner at the last piece, and returns the text that
// the client still lacks: the answer is worth more than its citations.
func (t *Tracker) failed(c *choice, reason any, piece string) string {
	t.fault = fmt.Errorf("citations: scanning failed: %v", reason)
	if !t.set.Rewrites() {
		return piece
	}
	c.closed = false // it did not close normally
	return t.rest(c)
}

// rest closes a choice after a failure and returns the text that was held back.
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

// Fault is the reason why scanning failed, for the log; nil if it did not.
func (t *Tracker) Fault() error { return t.fault }

// choice returns the choice with an index, and begins it if necessary.
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
			c.scan.edit = c.replacement
			c.scan.ruler.edits, c.scan.ruler.strip = true, t.set.opt.Markers == MarkersStrip
		}
		t.choices[index] = c
	}
	t.last = c
	return c
}

// found records the numbers of a marker, and the marker itself while the list has
// room.
func (c *choice) found(f found) (m *mark, cites bool) {
	c.count++
	count := len(c.tracker.set.sources)
	first := len(c.numbers)
	for i, n := range f.numbers {
		if n <= count && !slices.Contains(f.numbers[:i], n) { // [1, 1]
			n = c.number(n)
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

// mark returns a new mark.
func (c *choice) mark() *mark {
	if len(c.free) == 0 {
		c.free = make([]mark, 8)
	}
	m := &c.free[0]
	c.free = c.free[1:]
	return m
}

// sentence takes a complete sentence.
func (c *choice) sentence(s sentence) {
	text, _ := c.scan.textOf(s)
	if c.coverage.add(text, s.cites, &c.scan.line) && c.tracker.set.opt.Uncited && len(c.uncited) < MaxMarkers {
		c.uncited = append(c.uncited, Span{c.index, s.start.unit, s.end.unit})
	}
	if c.tracker.set.opt.Support && len(s.markers) > 0 {
		c.keepClaim(s)
	}
}

// Completed returns the choice's markers that were completed since the last call, not while
// what follows a removed marker can still move it. Their claims are not known yet, because the
// sentence may continue.
func (t *Tracker) Completed(index int) []Marker {
	c := t.choices[index]
	if c == nil || c.completed == len(c.markers) || c.scan.ruler.gap.open {
		return nil
	}
	var list []Marker
	for _, m := range c.markers[c.completed:] {
		list = append(list, c.marker(m))
	}
	c.completed = len(c.markers)
	return list
}

// Annotations ends a choice's text and returns the annotations of its own markers
// (see [Citations.Annotations]), for a choice that has ended while others continue.
func (t *Tracker) Annotations(index int) []byte {
	if own := t.citationsOf(index); own != nil {
		return own.Annotations(index)
	}
	return nil
}

// Result ends the text of all choices and returns their citations. A second call
// returns the same.
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
			r = t.set.disclaimedResult(nil)
		}
	}()
	for index := range t.choices {
		t.Close(index)
	}
	if t.fault != nil {
		return t.set.disclaimedResult(nil)
	}
	r = t.set.result(StatusNone)
	r.Sources = t.numbers.order(r.Sources)
	r.ends = make(map[int]int, len(t.choices))
	var cited, invalid numberSet
	var cover coverage
	var marks []*mark
	count := 0
	for _, c := range t.inOrder() {
		if marks == nil {
			marks = slices.Clip(c.markers)
		} else {
			marks = append(marks, c.markers...)
		}
		r.Markers = slices.Grow(r.Markers, len(c.markers))
		for _, m := range c.markers {
			r.Markers = append(r.Markers, c.marker(m))
		}
		for _, s := range c.uncited {
			r.Uncited = append(r.Uncited, Span{s.Choice, c.scan.ruler.real(s.Start), c.scan.ruler.real(s.End)})
		}
		r.unlisted = append(r.unlisted, c.late...)
		r.ends[c.index] = c.scan.ruler.real(c.scan.ruler.units)
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
	r = t.set.applyPolicies(r)
	if t.set.opt.Support && r.err == nil && len(r.Markers) > 0 {
		t.fillIn(r, marks)
	}
	return r
}

// similarity returns the similarity of the question and the first answer. It is nil
// if it is unknown, and if nothing is cited, when it does not count.
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

// maxBegins is the number of bytes that are kept of an answer's beginning for its
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

// inOrder returns the choices by index.
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

// list returns the numbers in ascending order, never nil.
func (s *numberSet) list() []int {
	list := []int{}
	for i, rest := range s {
		for ; rest != 0; rest &= rest - 1 {
			list = append(list, i*64+bits.TrailingZeros64(rest))
		}
	}
	return list
}
