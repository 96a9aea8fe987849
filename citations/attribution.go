package citations

import (
	"cmp"
	"slices"
	"unicode"
	"unicode/utf8"

	"footnote/citations/support"
)

// An Attribution says for each statement of a text which passage bears it out. The
// passages that it uses are numbered in the order of their first use.
type Attribution struct {
	statements []Statement
	findings   []finding // one for each statement
	set        *Set
	found      bool // there was a passage for some statement
}

// A finding is the passage that says most about a statement.
type finding struct {
	support.Finding
	source int // place in the set, -1: none
}

// Attribute compares each statement with the passages that were found for it, each
// passage by itself: the values of two passages never make up one statement. The
// options give the unit of offsets and the similarity; the others do not count.
func Attribute(statements []Statement, evidence [][]Source, opt Options) *Attribution {
	a := &Attribution{statements: statements, findings: make([]finding, len(statements))}
	passages, of := distinct(evidence)
	texts, known := make([]string, len(passages)), make([]*support.Passage, len(passages))
	for i := range passages {
		texts[i], known[i] = passages[i].whole()
	}
	a.found = len(passages) > 0
	check := support.NewOf(texts, known, opt.Similarity)
	var used []Source
	places := map[int]int{} // passage → place among used
	for i, s := range statements {
		best := choose(s, check, passages, of[i])
		a.findings[i] = finding{best, -1}
		if best.Passage < 0 || best.Start >= best.End {
			continue
		}
		place, known := places[best.Passage]
		if !known {
			place = len(used)
			places[best.Passage] = place
			used = append(used, passages[best.Passage])
		}
		a.findings[i].source, a.findings[i].Passage = place, place
	}
	check.Release() // not after a panic
	a.set = NewSet(used, Options{Unit: opt.Unit})
	return a
}

// choose returns what the passages that were found for a statement say of it. The one
// that bears it out counts only if it is about the same thing: a passage that shares
// more words with the statement and does not bear it out speaks against it.
func choose(s Statement, check *support.Checker, passages []Source, found []int) support.Finding {
	best := support.Finding{Level: support.Unsupported, Passage: -1}
	var nearest support.Finding // of those that do not bear it out
	shared, against := 0.0, -1.0
	words := wordsOf(s.Text)
	for _, p := range found {
		one := []int{p}
		f := check.Check(support.Claim{Text: s.Text, Focus: [2]int{0, len(s.Text)}, Own: one, Group: one})
		f.Passage = p
		share := words.sharedWith(passages[p].headed()[f.Start:f.End])
		if f.Level == support.Unsupported && share > against {
			nearest, against = f, share
		}
		if best.Passage < 0 || better(f, best) {
			best, shared = f, share
		}
	}
	switch {
	case best.Start >= best.End: // no words of a passage can be shown for it
		best.Level = support.Unsupported
	case best.Level != support.Unsupported && against > shared:
		return nearest
	case best.Level == support.Supported && (against == shared || shared < leastShared || len(s.Text) > support.MaxClaim):
		best.Level = support.Weak // the passages disagree, the words are others, or the end was not compared
	}
	return best
}

// leastShared is the share of a statement's words that a quotation has which bears it out.
const leastShared = 0.5

// A wordSet holds the beginnings of the words of a text, which stand for their forms.
type wordSet map[string]bool

// wordsOf returns the words of a text but for short ones and numbers. In scripts without
// spaces each character counts.
func wordsOf(text string) wordSet {
	set := wordSet{}
	eachWord(text, func(beginning []byte) { set[string(beginning)] = true })
	return set
}

// eachWord calls yield with the beginning of each word that counts.
func eachWord(text string, yield func(beginning []byte)) {
	const shortest = 4
	var room [shortest * utf8.UTFMax]byte
	word, letters := room[:0], 0
	end := func() {
		if letters >= shortest {
			yield(word)
		}
		word, letters = room[:0], 0
	}
	for _, r := range text {
		switch {
		case r > unicode.MaxLatin1 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai):
			end()
			yield(utf8.AppendRune(word, r))
		case unicode.IsLetter(r):
			if letters < shortest {
				word = utf8.AppendRune(word, unicode.ToLower(r))
			}
			letters++
		default:
			end()
		}
	}
	end()
}

// sharedWith returns the share of the words that another text has, too; 1 if there are
// none.
func (w wordSet) sharedWith(text string) float64 {
	if len(w) == 0 {
		return 1
	}
	shared := wordSet{}
	eachWord(text, func(beginning []byte) {
		if w[string(beginning)] && !shared[string(beginning)] {
			shared[string(beginning)] = true
		}
	})
	return float64(len(shared)) / float64(len(w))
}

// distinct returns all passages once, and for each statement the places of its own.
func distinct(evidence [][]Source) (passages []Source, of [][]int) {
	type key struct {
		chunk, document string
		start           int
	}
	places := map[key]int{}
	of = make([][]int, len(evidence))
	for i, list := range evidence {
		for _, src := range list {
			k := key{src.ChunkID, src.DocumentID, src.CharStart}
			place, known := places[k]
			if !known {
				place = len(passages)
				places[k] = place
				passages = append(passages, src)
			}
			passages[place].Score = max(passages[place].Score, src.Score)
			of[i] = append(of[i], place)
		}
	}
	return passages, of
}

// better reports whether f says more for its statement than g.
func better(f, g support.Finding) bool {
	return cmp.Or(cmp.Compare(rank(f), rank(g)), cmp.Compare(f.Score, g.Score)) > 0
}

// rank returns a number that is higher for a better level.
func rank(f support.Finding) int {
	switch f.Level {
	case support.Supported:
		return 2
	case support.Weak:
		return 1
	}
	return 0
}

// Sources is the set of the passages that are used, for links and warnings. It must
// not change after Result.
func (a *Attribution) Sources() *Set { return a.set }

// Result returns the object: a marker at the end of each statement. A statement that
// no passage bears out is unsupported and has no indices; its quote, if there is one,
// is of the passage that comes nearest.
func (a *Attribution) Result() *Citations {
	r := a.set.result(StatusNone)
	v := verifier{set: a.set, numbers: make([]int, len(a.set.passages))}
	for i := range v.numbers {
		v.numbers[i] = i + 1
	}
	scores := make([]float64, len(a.statements))
	cover := coverage{factual: len(a.statements)}
	for i, s := range a.statements {
		f := a.findings[i]
		scores[i] = f.Score
		m := Marker{
			Start: s.End, End: s.End, ClaimStart: s.Start, ClaimEnd: s.End, Indices: []int{},
			Support: f.Level, SupportScore: &scores[i],
		}
		if f.source >= 0 {
			m.Quote = v.quote(f.Finding)
			if f.Level != support.Unsupported {
				m.Indices = []int{f.source + 1}
				if f.Level == support.Supported {
					cover.cited++
				}
				r.ReferencedIndices = append(r.ReferencedIndices, f.source+1)
			}
		}
		r.Markers = append(r.Markers, m)
	}
	slices.Sort(r.ReferencedIndices)
	r.ReferencedIndices = slices.Compact(r.ReferencedIndices)
	share := cover.share()
	r.Coverage = &share
	var cited []float64
	for _, n := range r.ReferencedIndices {
		cited = append(cited, r.Sources[n-1].Score)
	}
	switch {
	case len(cited) > 0:
		r.Status = StatusCited
	case !a.found:
		r.Status = StatusNoSources
	}
	r.Confidence = ConfidenceOf(cited)
	return r
}
