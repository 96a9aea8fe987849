package retrieval

import (
	"cmp"
	_ "embed"
	"slices"
	"strconv"
	"strings"

	"footnote/assistants"
	"footnote/assistants/lexical"
)

//go:embed identity.txt
var identityFile string

var identityLists = lexical.Lists(identityFile)

// Phrases and words of identity.txt.
var (
	newestPhrases = phrasesOf("newest")
	pastPhrases   = phrasesOf("past")
	olderWords    = lexical.Set(identityLists["older"])
	documentWords = lexical.Set(identityLists["document"])
	versionWords  = lexical.Set(identityLists["version"])
	replaceWords  = lexical.Set(identityLists["replaces"])
	passingWords  = lexical.Set(identityLists["passing"])
	partsOfYear   = lexical.Set(identityLists["part of a year"])
)

// phrasesOf returns the phrases of a list, each between spaces.
func phrasesOf(list string) []string {
	var phrases []string
	for line := range strings.Lines(identityLists[list]) {
		phrases = append(phrases, " "+strings.TrimSpace(line)+" ")
	}
	return phrases
}

// spaced is a text as phrases are looked for in it: its words, folded, between spaces.
func spaced(text string) string {
	return " " + strings.Join(lexical.Folded(text), " ") + " "
}

func says(text string, phrases []string) bool {
	text = spaced(text)
	return slices.ContainsFunc(phrases, func(p string) bool { return strings.Contains(text, p) })
}

func asksForNewest(question string) bool { return says(question, newestPhrases) }

func asksForPast(question string) bool { return says(question, pastPhrases) }

// asksForOlder reports whether a question asks for the document before the last one, as in
// "the previous version", "the old rental agreement" and "le contrat précédent".
func asksForOlder(question string) bool {
	words := lexical.Folded(question)
	for i, word := range words {
		if olderWords[word] && (i > 0 && namesDocument(words[i-1:i]) || namesDocument(words[i+1:min(i+3, len(words))])) {
			return true
		}
	}
	return false
}

// namesDocument reports whether the first of some words is one for a document, or describes
// one that the next word is for.
func namesDocument(words []string) bool {
	if len(words) == 0 || len(lexical.Terms(words[0])) == 0 {
		return false
	}
	return documentWords[words[0]] || versionWords[words[0]] || len(lexical.Kinds(strings.Join(words, " "))) > 0
}

// A release is what the name of a document says of its version, and what the name is
// without that. Documents of one family with different releases replace each other.
type release struct {
	family  string
	date    []int // the year, then month and day, or the quarter
	version []int
	amended bool
}

// releaseOf returns the release of a document. If its name has no year, that of its
// profile counts.
func releaseOf(name string, p assistants.Profile) release {
	var family []string
	var r release
	pieces := lexical.Folded(strings.Join(piecesOf(withoutExtension(name)), " "))
	numbers := func(i, most int) (list []int) {
		for ; i+1 < len(pieces) && len(list) < most && isNumber(pieces[i+1]) && !isYear(pieces[i+1]); i++ {
			n, _ := strconv.Atoi(pieces[i+1]) // the largest number if it is too long
			list = append(list, n)
		}
		return list
	}
	for i := 0; i < len(pieces); i++ {
		piece := pieces[i]
		switch more := numbers(i, 2); {
		case isYear(piece):
			year, _ := strconv.Atoi(piece)
			r.date = append([]int{year}, append(r.date, more...)...)
			i += len(more)
		case partsOfYear[piece] && len(more) > 0:
			r.date = append(r.date, more[0])
			i++
		case versionWords[piece] && len(more) > 0:
			r.version = numbers(i, len(pieces))
			i += len(r.version)
		case replaceWords[piece]:
			r.amended = true
		case !passingWords[piece]:
			family = append(family, piece)
		}
	}
	if r.date == nil && len(p.Years) > 0 {
		r.date = []int{slices.Max(p.Years)}
	}
	r.family = strings.Join(family, " ")
	return r
}

// compare finds which of two releases is the later one. Dates say nothing if one of the two
// has none.
func (r release) compare(other release) int {
	if len(r.date) > 0 && len(other.date) > 0 {
		if c := slices.Compare(r.date, other.date); c != 0 {
			return c
		}
	}
	if c := slices.Compare(r.version, other.version); c != 0 {
		return c
	}
	switch {
	case r.amended && !other.amended:
		return 1
	case other.amended && !r.amended:
		return -1
	}
	return 0
}

// later reports whether a document is a later release of the same document as another.
func later(d, other assistants.Document) bool {
	p, _ := d.Profile()
	q, _ := other.Profile()
	r, s := releaseOf(d.Name, p), releaseOf(other.Name, q)
	return r.family != "" && r.family == s.family && r.compare(s) > 0
}

// compareAge finds which of two look-alikes is the newer one: by what their names and
// profiles say of their release, by the other numbers of their names, then by the time of
// their upload.
func compareAge(d, other named) int {
	return cmp.Or(d.release.compare(other.release), slices.Compare(d.numbers, other.numbers), d.CreatedAt.Compare(other.CreatedAt))
}
