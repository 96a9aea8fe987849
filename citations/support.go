package citations

import (
	"slices"
	"unicode/utf8"
)

// The support check says whether a source carries the claim it is cited for,
// without a model: it compares numbers, dates, names, negations and words.
// FORMAT.md specifies it under "Support and quote".

// A claim is a sentence with a marker.
type claim struct {
	text  string // the sentence, markers blanked out
	focus [2]int // bytes of text the marker answers for
	own   []int  // passages of the marker
	group []int  // passages of all markers directly beside it
}

// A finding is what the check says about a claim.
type finding struct {
	level               string
	score               float64
	passage, start, end int // bytes of the quotation in a passage; start == end: none
}

// Levels of support.
const (
	supported   = "supported"   // the sources say so
	weak        = "weak"        // they speak of it, but do not clearly say so
	unsupported = "unsupported" // they say otherwise, or nothing of it
)

const (
	maxPassage  = 64 << 10 // bytes of a passage that are read
	maxClaim    = 2000     // bytes of a claim
	maxPassages = 16       // passages read for one marker
	maxChecked  = 40       // numbers and dates of a claim; one with more is weak at most
)

// A checker holds the passages, taken apart when first needed.
type checker struct {
	passages   []string
	analysed   []*analysed
	similarity func(claim, passage string) float64

	// The claim at hand: markers of one sentence come in a row.
	text      string
	claim     *analysed
	focus     [2]int
	last      claim
	result    finding
	known     bool
	unchecked bool // the claim has more facts than are looked at

	// Scratch, used again for every claim.
	terms                  []term
	hits                   []hit
	scores                 []float64
	seen                   []int32
	covered                []float64
	anywhere               []float64
	union                  []float64 // the best of every term, over all passages: in the sentences that match
	elsewhere              []float64 // and anywhere
	mates                  []int32
	readings               []reading
	facts                  []factFinding
	taken                  []bool
	compared               []standing // every fact of the claim with every one of the passage
	marked                 []bool     // tokens of the passage at hand that the claim has
	quoted                 []int32    // tokens of the best passage that the claim has
	names                  []nameFinding
	equals, rivals, others []int32 // facts
	phrases                []phrase
	parts                  []int32 // of the sentence at hand
	total                  float64 // weight of the terms in focus
	steps                  int
}

func newChecker(passages []string, similarity func(claim, passage string) float64) *checker {
	return &checker{passages: passages, analysed: make([]*analysed, len(passages)), similarity: similarity}
}

// passage is a passage, taken apart.
func (k *checker) passage(i int) *analysed {
	if k.analysed[i] == nil {
		k.analysed[i] = analyse(cutRunes(k.passages[i], maxPassage), english)
		k.steps += k.analysed[i].steps
	}
	return k.analysed[i]
}

// cutRunes is the beginning of a text, cut between runes.
func cutRunes(s string, size int) string {
	if len(s) <= size {
		return s
	}
	for size > 0 && !utf8.RuneStart(s[size]) {
		size--
	}
	return s[:size]
}

// check compares a claim with the passages it is cited for.
func (k *checker) check(c claim) finding {
	if k.known && c.text == k.last.text && c.focus == k.last.focus && slices.Equal(c.own, k.last.own) && slices.Equal(c.group, k.last.group) {
		return k.result
	}
	k.result = k.find(c)
	k.last = claim{c.text, c.focus, slices.Clone(c.own), slices.Clone(c.group)}
	k.known = true
	return k.result
}

func (k *checker) find(c claim) finding {
	nothing := finding{level: unsupported, passage: -1}
	own := k.valid(nil, c.own)
	if len(own) == 0 {
		return nothing
	}
	text, focus := cutClaim(c.text, c.focus)
	if k.claim == nil || k.text != text {
		if k.claim == nil {
			k.claim = new(analysed)
		}
		k.text = text
		k.claim.read(cleanClaim(text), k.passage(own[0]).language)
		k.unchecked = len(k.claim.facts) > maxChecked
		k.claim.facts = k.claim.facts[:min(len(k.claim.facts), maxChecked)]
		k.steps += k.claim.steps
	}
	k.focus = focus
	all := k.valid(own, c.group)
	v := k.judge(k.claim, all, len(own))
	f := finding{level: v.level, score: decimals(v.score), passage: -1}
	if v.best != nil && v.best.first >= 0 && v.level != unsupported || v.quotable {
		f.passage = v.best.passage
		f.start, f.end = k.quote(k.claim, v.best, v.level == unsupported)
	}
	return f
}

// valid appends the passages that exist, each once.
func (k *checker) valid(list, indices []int) []int {
	list = slices.Clip(list)
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
	if len(text) <= maxClaim {
		return text, focus
	}
	from := min(max(0, focus[1]-maxClaim), len(text)-maxClaim)
	for from < len(text) && !utf8.RuneStart(text[from]) {
		from++
	}
	text = cutRunes(text[from:], maxClaim)
	return text, [2]int{max(0, focus[0]-from), min(focus[1]-from, len(text))}
}

// inFocus reports whether a token stands in the part the marker answers for.
func (k *checker) inFocus(c *analysed, tok int32) bool {
	t := &c.tokens[tok]
	return int(t.end) > k.focus[0] && int(t.start) < k.focus[1]
}
