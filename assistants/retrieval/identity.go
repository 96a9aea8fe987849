package retrieval

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/sync/singleflight"

	"footnote/assistants"
	"footnote/assistants/lexical"
)

// Names lists what documents are called.
type Names interface {
	// DocumentNames returns the documents of the collections that can be searched, by
	// id. The error wraps ErrUnavailable when the database cannot answer, or is that of
	// ctx.
	DocumentNames(ctx context.Context, tenant assistants.TenantID, collections []assistants.CollectionID) ([]assistants.DocumentName, error)
}

// Documents that look alike have the same words on the same pages. Which one a question
// is about is said by its names, years and versions, which stand in the names of the
// documents. They choose among documents; within one they say nothing.

const (
	// otherWorth is how much of a passage's score stays when a question names another
	// document beyond doubt.
	otherWorth = 0.45
	// doubt is the sum of weights at which a choice counts half.
	doubt = 1.5
	// maxChosen is the largest number of documents that are searched once more by
	// themselves. A question that fits more of them has chosen none.
	maxChosen = 24
	// wholeFit is a fit that counts as the best.
	wholeFit = 0.999
	// maxNamed is the largest number of documents that a warning names.
	maxNamed = 5
	// namesFresh is how long names are used although the index has changed since.
	namesFresh = 2 * time.Second
	// namesPatience bounds a read of names, which goes on after its question has ended.
	namesPatience = 30 * time.Second
	// maxNameLists is the largest number of sets of collections whose names are kept.
	maxNameLists = 64
)

const warnSeveral = "The question fits several documents: %s. Name the year, version or number that you mean."

// A nameIndex finds documents by the parts of their names.
type nameIndex struct {
	generation uint64
	read       time.Time
	documents  []assistants.DocumentName
	having     map[string][]int32 // part of a name → documents
}

func newNameIndex(documents []assistants.DocumentName, generation uint64, read time.Time) *nameIndex {
	x := &nameIndex{generation: generation, read: read, documents: documents, having: map[string][]int32{}}
	for i, d := range documents {
		for part := range partsOf(withoutExtension(d.Name)) {
			x.having[part] = append(x.having[part], int32(i)) //nolint:gosec // there are not so many
		}
	}
	return x
}

// A choice says how well each document fits a question, from 0 to 1. Documents without
// an entry do not fit at all.
type choice struct {
	fits  map[assistants.DocumentID]float64
	best  []assistants.DocumentName // those that fit best
	named map[string]bool           // terms of the question that chose them
	sure  float64                   // 0–1
}

// choose weighs the documents by what a question names. The rarer a part of a name is
// among them, the more it weighs.
func (x *nameIndex) choose(question string) choice {
	scores, named := map[int32]float64{}, map[string]bool{}
	for part := range partsOf(question) {
		found := x.having[part]
		if len(found) == 0 || len(found) == len(x.documents) {
			continue
		}
		weight := math.Log(float64(len(x.documents)) / float64(len(found)))
		for _, i := range found {
			scores[i] += weight
		}
		if !isNumber(part) {
			for _, term := range lexical.QueryTerms(part) {
				named[term] = true
			}
		}
	}
	if len(scores) == 0 {
		return choice{}
	}
	most := slices.Max(slices.Collect(maps.Values(scores)))
	c := choice{fits: make(map[assistants.DocumentID]float64, len(scores)), named: named, sure: most / (most + doubt)}
	for i, score := range scores {
		fit := score / most
		c.fits[x.documents[i].ID] = fit
		if fit >= wholeFit {
			c.best = append(c.best, x.documents[i])
		}
	}
	slices.SortFunc(c.best, func(a, b assistants.DocumentName) int { return cmp.Compare(a.Name, b.Name) })
	if len(c.best) > 1 && asksForNewest(question) {
		c.preferNewest()
	}
	return c
}

// preferNewest leaves of documents whose names differ in their numbers only the last one.
func (c *choice) preferNewest() {
	newest := map[string]assistants.DocumentName{}
	for _, d := range c.best {
		kind := kindOf(d.Name)
		if old, ok := newest[kind]; !ok || slices.Compare(numbersOf(d.Name), numbersOf(old.Name)) > 0 {
			newest[kind] = d
		}
	}
	c.best = slices.DeleteFunc(c.best, func(d assistants.DocumentName) bool {
		if newest[kindOf(d.Name)].ID == d.ID {
			return false
		}
		c.fits[d.ID] = 0
		return true
	})
}

// lookAlikes are the documents that fit best, if there are several whose names differ in
// their numbers only.
func (c choice) lookAlikes() []assistants.DocumentName {
	if len(c.best) < 2 || len(c.best) > maxNamed || slices.ContainsFunc(c.best[1:], func(d assistants.DocumentName) bool { return kindOf(d.Name) != kindOf(c.best[0].Name) }) {
		return nil
	}
	return c.best
}

// worth is what the score of a passage of a document is multiplied by.
func (c choice) worth(d assistants.DocumentID) float64 {
	return 1 - (1-otherWorth)*c.sure*(1-c.fits[d])
}

// identify returns what a question chooses among the documents that are searched, if
// names are known. permitted are those documents, nil for all. A question that names only
// others has chosen none.
//
// fresh reports that the names are those of the index as it is now.
func (w *run) identify(ctx context.Context, question string, permitted []assistants.DocumentID) (c choice, fresh bool, err error) {
	if w.names == nil {
		return choice{}, true, nil
	}
	x, err := w.nameLists.get(ctx, w.q.Tenant, w.q.Collections, w.trace.Generation, w.now(), func(ctx context.Context) ([]assistants.DocumentName, error) {
		return w.names.DocumentNames(ctx, w.q.Tenant, w.q.Collections)
	})
	if err != nil {
		return choice{}, false, err
	}
	c = x.choose(question)
	if permitted != nil && !slices.ContainsFunc(c.best, func(d assistants.DocumentName) bool { return slices.Contains(permitted, d.ID) }) {
		c = choice{}
	}
	return c, x.generation == w.trace.Generation, nil
}

// chosen returns the documents that are searched once more by themselves: the best ones
// of those that may be searched.
func (c choice) chosen(permitted []assistants.DocumentID) []assistants.DocumentID {
	if len(c.best) == 0 || len(c.best) > maxChosen {
		return nil
	}
	ids := make([]assistants.DocumentID, 0, len(c.best))
	for _, d := range c.best {
		if permitted == nil || slices.Contains(permitted, d.ID) {
			ids = append(ids, d.ID)
		}
	}
	slices.Sort(ids)
	return ids
}

// without returns the terms that did not choose a document: in the chosen ones they say
// little, since a name stands on pages about anything. Years stay.
func (c choice) without(terms []string) []string {
	left := slices.DeleteFunc(slices.Clone(terms), func(term string) bool { return c.named[term] })
	if len(left) == 0 {
		return terms
	}
	return left
}

// weigh lowers the scores of passages of other documents than the chosen ones, and puts
// the matches in order.
func (c choice) weigh(matches []assistants.Match, threshold float64) []assistants.Match {
	if c.sure == 0 {
		return matches
	}
	for i := range matches {
		matches[i].Score *= c.worth(matches[i].DocumentID)
	}
	matches = slices.DeleteFunc(matches, func(m assistants.Match) bool { return m.Score < threshold })
	slices.SortStableFunc(matches, func(a, b assistants.Match) int { return cmp.Compare(b.Score, a.Score) })
	return matches
}

// warnOfLookAlikes warns when passages of several documents were found and the question
// does not say which of them it means.
func (w *run) warnOfLookAlikes(c choice, matches []assistants.Match) {
	alike := c.lookAlikes()
	if alike == nil {
		return
	}
	var names []string
	for _, d := range alike {
		if slices.ContainsFunc(matches, func(m assistants.Match) bool { return m.DocumentID == d.ID }) {
			names = append(names, d.Name)
		}
	}
	if len(names) > 1 {
		w.warn(fmt.Sprintf(warnSeveral, strings.Join(names, ", ")))
	}
}

// A narrowing is a choice and the documents that are searched by themselves.
type narrowing struct {
	choice
	alone []assistants.DocumentID
}

// replace replaces the matches of the documents that were searched by themselves. The
// name is no part of that search, so the best of them keeps the score that it had with
// the name, and the others keep their distance from it.
func (n narrowing) replace(all, alone []assistants.Match) []assistants.Match {
	if len(alone) == 0 || alone[0].Score <= 0 { // nothing to keep a distance from
		return all
	}
	best := alone[0].Score
	rest := all[:0]
	for _, m := range all {
		if slices.Contains(n.alone, m.DocumentID) {
			best = max(best, m.Score)
		} else {
			rest = append(rest, m)
		}
	}
	for _, m := range alone {
		m.Score *= best / alone[0].Score
		rest = append(rest, m)
	}
	slices.SortStableFunc(rest, func(a, b assistants.Match) int { return cmp.Compare(b.Score, a.Score) })
	return rest
}

// A nameLists keeps the names of the documents of sets of collections.
type nameLists struct {
	reads singleflight.Group // by key; many questions at once ask the database once
	mu    sync.Mutex
	known map[string]*nameIndex
}

// get returns the names for collections, reading them if they may have changed. A read
// that the caller does not wait for goes on for the next one.
func (l *nameLists) get(ctx context.Context, tenant assistants.TenantID, collections []assistants.CollectionID, generation uint64, now time.Time, read func(context.Context) ([]assistants.DocumentName, error)) (*nameIndex, error) {
	var name strings.Builder
	name.WriteString(string(tenant))
	name.WriteByte(' ')
	for _, c := range collections {
		name.WriteString(string(c))
		name.WriteByte(' ')
	}
	key := name.String()
	l.mu.Lock()
	x := l.known[key]
	l.mu.Unlock()
	if x != nil && (generation != 0 && x.generation == generation || now.Sub(x.read) < namesFresh) {
		return x, nil
	}
	// A read of an older generation may have missed the newest documents.
	reading := l.reads.DoChan(key+strconv.FormatUint(generation, 10), func() (_ any, err error) {
		defer func() {
			if reason := recover(); reason != nil { // it would end the program
				err = fmt.Errorf("names of documents: panic: %v\n%s", reason, debug.Stack())
			}
		}()
		bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), namesPatience)
		defer cancel()
		documents, err := read(bounded)
		if err != nil {
			return nil, err
		}
		x := newNameIndex(documents, generation, now)
		l.keep(key, x)
		return x, nil
	})
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case done := <-reading:
		if done.Err != nil {
			return nil, done.Err
		}
		return done.Val.(*nameIndex), nil //nolint:forcetypeassert // the function above returns it
	}
}

func (l *nameLists) keep(key string, x *nameIndex) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known == nil || len(l.known) >= maxNameLists {
		l.known = map[string]*nameIndex{}
	}
	l.known[key] = x
}

// Parts of names and questions, in lower case.
var (
	// fiscal matches a year of which only the end is written, as in FY21.
	fiscal = regexp.MustCompile(`\b(?:fy|fiscal(?: year)?|gj|geschäftsjahr) ?'?(\d\d)\b`)
	// quarter matches a quarter of a year, as in Q3, 3Q and third quarter.
	quarter = regexp.MustCompile(`\b(?:(first|second|third|fourth|erstes?|zweites?|drittes?|viertes?)[ -]+quart(?:er|al)|quart(?:er|al) (\d)|(\d)q)\b`)
	// numbering matches what stands between a word and its number.
	numbering = regexp.MustCompile(`\b(?:no|nr|number|nummer)\b\.? *(\d)`)
	// newest matches what asks for the last of several.
	newest = regexp.MustCompile(`(?i)\b(?:latest|newest|most recent|current(?:ly)?|now|today|at present|as amended|this year'?s?|neueste[rns]?|letzte[rns]?|aktuell(?:e[rns]?)?|derzeit|heute|dieses jahr(?:es)?)\b`)
)

var ordinals = map[string]string{"first": "1", "second": "2", "third": "3", "fourth": "4", "erstes": "1", "zweites": "2", "drittes": "3", "viertes": "4", "erste": "1", "zweite": "2", "dritte": "3", "vierte": "4"}

// hints are what a text contains that the expression of the same name can match: most
// texts contain none, and looking for them is far cheaper.
var (
	fiscalHints    = []string{"fy", "fiscal", "gj", "geschäftsjahr"}
	numberingHints = []string{"no", "nr", "number", "nummer"}
	quarterHints   = []string{"quart", "q"}
)

func containsAny(text string, hints []string) bool {
	return slices.ContainsFunc(hints, func(hint string) bool { return strings.Contains(text, hint) })
}

func asksForNewest(question string) bool { return newest.MatchString(question) }

// partsOf returns the parts of a name or a question that can identify a document: its words
// without those that only join others, years, and words with the next word or number.
func partsOf(text string) map[string]bool {
	text = strings.ToLower(strings.ReplaceAll(text, "_", " "))
	if strings.ContainsAny(text, "0123456789") {
		if containsAny(text, fiscalHints) {
			text = fiscal.ReplaceAllString(text, "20$1")
		}
		if containsAny(text, numberingHints) {
			text = numbering.ReplaceAllString(text, "$1")
		}
	}
	if containsAny(text, quarterHints) {
		text = quarter.ReplaceAllStringFunc(text, func(m string) string {
			groups := quarter.FindStringSubmatch(m)
			return "q" + cmp.Or(ordinals[groups[1]], groups[2], groups[3])
		})
	}
	pieces := piecesOf(text)
	parts := make(map[string]bool, 2*len(pieces))
	for i, p := range pieces {
		p = base(p)
		pieces[i] = p
		switch {
		case p == "version", p == "ver":
			pieces[i] = "v"
		case isNumber(p) && !isYear(p), len(p) == 1:
			// Alone it says little; with the word before it, it may be a name.
		case len(lexical.Terms(p)) > 0:
			parts[p] = true
		}
		for n := 1; n <= 2 && n <= i; n++ {
			if joined := strings.Join(pieces[i-n:i+1], ""); len(joined) > 1 {
				parts[joined] = true
			}
		}
	}
	return parts
}

// piecesOf returns the years, runs of letters and runs of digits of a text.
func piecesOf(text string) []string {
	var pieces []string
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		end := i + size
		switch {
		case startsWithYear(text[i:]):
			end = i + 4
		case r >= '0' && r <= '9':
			for end < len(text) && text[end] >= '0' && text[end] <= '9' {
				end++
			}
		case unicode.IsLetter(r):
			for end < len(text) {
				r, size = utf8.DecodeRuneInString(text[end:])
				if !unicode.IsLetter(r) && !unicode.IsMark(r) {
					break
				}
				end += size
			}
		default:
			i = end
			continue
		}
		pieces = append(pieces, text[i:end])
		i = end
	}
	return pieces
}

func startsWithYear(text string) bool {
	return len(text) >= 4 && (text[:2] == "19" || text[:2] == "20") && text[2]-'0' <= 9 && text[3]-'0' <= 9
}

// base is a piece, a plural of a longer word without its ending.
func base(p string) string {
	if len(p) > 4 && strings.HasSuffix(p, "s") && !strings.HasSuffix(p, "ss") {
		p = p[:len(p)-1]
	}
	return p
}

func isNumber(p string) bool { return p[0] >= '0' && p[0] <= '9' }

func isYear(p string) bool {
	return len(p) == 4 && (strings.HasPrefix(p, "19") || strings.HasPrefix(p, "20"))
}

// kindOf is a name without its numbers. Documents of one kind look alike.
func kindOf(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, withoutExtension(name))
}

// numbersOf are the numbers of a name, in order.
func numbersOf(name string) []int {
	var numbers []int
	for _, p := range piecesOf(withoutExtension(name)) {
		if n, err := strconv.Atoi(p); err == nil {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

// withoutExtension is a file's name without folders and without what says its format.
func withoutExtension(name string) string {
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	if dot := strings.LastIndexByte(name, '.'); dot > 0 && len(name)-dot <= 5 {
		name = name[:dot]
	}
	return name
}
