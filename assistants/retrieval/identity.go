package retrieval

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"footnote/assistants"
)

// Names lists what documents are called and what they are.
type Names interface {
	// DocumentNames returns the documents of the collections that can be searched, by
	// id. known are those of an earlier read; the unchanged ones need not be read again.
	// The error wraps ErrUnavailable when the database cannot answer, or is that of ctx.
	DocumentNames(ctx context.Context, tenant assistants.TenantID, collections []assistants.CollectionID, known []assistants.DocumentName) ([]assistants.DocumentName, error)
}

// Documents that look alike have the same words on the same pages. Which one a question
// is about is said by its names, years, versions and kinds, which stand in the names of the
// documents and in their profiles. They choose among documents; within one they say nothing.

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
	// describedWorth is what a part of a profile weighs; a part of a name weighs 1.
	describedWorth = 0.6
	// newestSure is how sure the choice is of a question that asks for the latest and names
	// no document.
	newestSure = 0.5
	// maxNamed is the largest number of documents that a warning names.
	maxNamed = 5
	// namesFresh is how long names are used although the index has changed since.
	namesFresh = 2 * time.Second
	// namesPatience bounds a read of names, which goes on after its question has ended.
	namesPatience = 30 * time.Second
)

const warnSeveral = "The question fits several documents: %s. Name the year, version or number that you mean."

// A named is a document with what it looks like: documents of one group look alike.
type named struct {
	assistants.DocumentName
	*traits
	group  string
	titled bool // the group is that of its title, not of its name
}

// A nameIndex finds documents by the parts of their names, and those that look alike by
// their profiles.
type nameIndex struct {
	number     uint64 // each index has its own
	generation uint64
	read       time.Time
	documents  []named
	places     map[assistants.DocumentID]int32
	parts      partNumbers
	having     [][]int32          // part of a name → documents
	described  [][]int32          // part of a profile that the name lacks → documents
	alike      map[string][]int32 // group → documents, at least two
	superseded map[int32][]int32  // document → those that replace it
	learned    *thesaurus         // the abbreviations that documents define; nil: none
}

var nameIndexNumbers atomic.Uint64

// newNameIndex makes the index of documents. before is one that was made of most of them,
// nil for none.
func newNameIndex(before *nameIndex, documents []assistants.DocumentName, generation uint64, read time.Time) *nameIndex {
	if before == nil || before.parts.wasteful(before.documents) {
		before = &nameIndex{}
	}
	x := &nameIndex{
		number: nameIndexNumbers.Add(1), generation: generation, read: read, places: make(map[assistants.DocumentID]int32, len(documents)),
		parts: partNumbers{known: before.parts.known}, alike: map[string][]int32{},
	}
	x.documents = groupsOf(before, &x.parts, documents)
	kinds := map[string]int{}
	for i, d := range x.documents {
		x.places[d.ID] = int32(i)                             //nolint:gosec // there are not so many
		x.alike[d.group] = append(x.alike[d.group], int32(i)) //nolint:gosec // there are not so many
		if d.Profile.Kind != "" {
			kinds[d.Profile.Kind]++
		}
	}
	x.superseded = x.supersededOnes()
	x.learn(before)
	maps.DeleteFunc(x.alike, func(group string, of []int32) bool { return group == "" || len(of) < 2 })
	x.having = x.listByPart(func(d *named) []int32 { return d.parts })
	x.described = x.listByPart(func(d *named) []int32 {
		// A document that looks like no other is chosen by its name alone: the words of its
		// title are words of its subject, too.
		if len(x.alike[d.group]) == 0 && kinds[d.Profile.Kind] < 2 {
			return nil
		}
		return d.described
	})
	return x
}

// listByPart returns for the number of each part the documents that have it, in order.
func (x *nameIndex) listByPart(numbers func(*named) []int32) [][]int32 {
	counts, sum := make([]int, len(x.parts.known)), 0
	for i := range x.documents {
		for _, part := range numbers(&x.documents[i]) {
			counts[part]++
			sum++
		}
	}
	lists, room := make([][]int32, len(counts)), make([]int32, sum)
	for part, n := range counts {
		lists[part], room = room[:0:n], room[n:]
	}
	for i := range x.documents {
		for _, part := range numbers(&x.documents[i]) {
			lists[part] = append(lists[part], int32(i)) //nolint:gosec // there are not so many
		}
	}
	return lists
}

// names returns the documents as they were read; the index may be nil.
func (x *nameIndex) names() []assistants.DocumentName {
	if x == nil {
		return nil
	}
	list := make([]assistants.DocumentName, len(x.documents))
	for i, d := range x.documents {
		list[i] = d.DocumentName
	}
	return list
}

// A choice says how well each document fits a question, from 0 to 1.
type choice struct {
	fits  map[assistants.DocumentID]float64
	rest  float64         // fit of documents that are not in fits
	best  []named         // those that fit best
	named map[string]bool // terms of the question that chose them
	sure  float64         // 0–1
	lacks []missing       // years that no document has together with what the question names
	// unnamed are words of a question of a year that look like names of something else.
	unnamed []string
	// inFront returns the document that belongs in front of one because one of the two
	// supersedes the other, "" for none. nil: no document has one.
	inFront func(assistants.DocumentID) assistants.DocumentID
	// nameOf returns what is known of a document's name; nil: no names are known.
	nameOf func(assistants.DocumentID) assistants.DocumentName
}

// choose weighs the documents by what a question names. The rarer a part of a name is
// among them, the more it weighs. permitted are the documents that may be searched, nil
// for all: if the best are others, the question has chosen none.
func (x *nameIndex) choose(question string, permitted []assistants.DocumentID) choice {
	permits := permitting(permitted)
	inFront := x.inFrontOf(question, permits)
	c := x.pick(question, permits, inFront)
	c.inFront = inFront
	c.nameOf = x.nameOf
	if slices.ContainsFunc(piecesOf(question), isYear) {
		c.unnamed = x.unnamedIn(question)
	}
	return c
}

// pick is choose for all but the documents that have another one in front of them, which are
// never the best.
func (x *nameIndex) pick(question string, permits func(assistants.DocumentID) bool, inFront func(assistants.DocumentID) assistants.DocumentID) choice {
	parts := askedParts(question)
	years := yearsIn(parts)
	names := sync.OnceValue(func() []nameAsked { return x.namesAsked(question, permits) }) // few questions need them
	lacks, of := x.nameDecides(parts, names)
	scores, named := x.weighParts(parts, names)
	if len(scores) == 0 {
		return x.newestOf(question, permits)
	}
	prefer(scores, of)
	most := mostOf(scores)
	c := choice{fits: make(map[assistants.DocumentID]float64, len(scores)), named: named, sure: most / (most + doubt), lacks: lacks}
	isOpen := func(i int32) bool {
		d := x.documents[i].ID
		return permits(d) && (inFront == nil || inFront(d) == "")
	}
	for i, score := range scores {
		c.fits[x.documents[i].ID] = score / most
	}
	if asksForNewest(question) {
		x.preferNewest(c.fits, parts, isOpen)
	}
	var best []int32
	for i := range scores {
		if c.fits[x.documents[i].ID] >= wholeFit && isOpen(i) {
			best = append(best, i)
			c.best = append(c.best, x.documents[i])
		}
	}
	if len(c.best) == 0 {
		return choice{}
	}
	slices.SortFunc(c.best, byName)
	if m, ok := x.missingOf("", best, years); ok && of == nil && c.lookAlikes() != nil {
		c.lacks = []missing{m}
	}
	return c
}

func byName(a, b named) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID)) }

// permitting returns a function that reports whether a document may be searched.
func permitting(permitted []assistants.DocumentID) func(assistants.DocumentID) bool {
	if permitted == nil {
		return func(assistants.DocumentID) bool { return true }
	}
	set := make(map[assistants.DocumentID]bool, len(permitted))
	for _, d := range permitted {
		set[d] = true
	}
	return func(d assistants.DocumentID) bool { return set[d] }
}

// with returns the documents whose names have a part, and those whose profiles do.
func (x *nameIndex) with(part string) (named, described []int32) {
	if number, ok := x.parts.known[part]; ok {
		return x.having[number], x.described[number]
	}
	return nil, nil
}

// nameOf returns what is known of a document's name, zero for nothing.
func (x *nameIndex) nameOf(d assistants.DocumentID) assistants.DocumentName {
	if i, ok := x.places[d]; ok {
		return x.documents[i].DocumentName
	}
	return assistants.DocumentName{}
}

// lookAlikes are the documents that fit best, if there are several that look alike.
func (c choice) lookAlikes() []named {
	if len(c.best) < 2 || len(c.best) > maxNamed || slices.ContainsFunc(c.best[1:], func(d named) bool { return d.group != c.best[0].group }) {
		return nil
	}
	return c.best
}

// shownName is what a warning calls a document. Names that several documents share
// come with the title.
func (d named) shownName() string {
	if d.titled {
		return d.Name + " (" + d.Profile.Title + ")"
	}
	return d.Name
}

// worth is what the score of a passage of a document is multiplied by.
func (c choice) worth(d assistants.DocumentID) float64 {
	return 1 - (1-otherWorth)*c.sure*(1-c.fit(d))
}

func (c choice) fit(d assistants.DocumentID) float64 {
	if fit, ok := c.fits[d]; ok {
		return fit
	}
	return c.rest
}

// identify returns what a question chooses among the documents that are searched, if
// names are known. A question that names only others has chosen none.
//
// fresh reports that the names are those of the index as it is now. Then the abbreviations
// that the documents define are learned: before, one of them may have been deleted.
func (w *run) identify(ctx context.Context, question string, among scope) (c choice, fresh bool, err error) {
	if w.names == nil {
		return choice{}, true, nil
	}
	x, err := w.nameLists.get(ctx, w.q.Tenant, among.collections, w.trace.Generation, w.now(), func(ctx context.Context, known []assistants.DocumentName) ([]assistants.DocumentName, error) {
		return w.names.DocumentNames(ctx, w.q.Tenant, among.collections, known)
	})
	if err != nil {
		return choice{}, false, err
	}
	if fresh = x.generation == w.trace.Generation; fresh {
		w.learned = x.abbreviations(among.permitted, &w.thesauri)
	}
	return x.choose(question, among.permitted), fresh, nil
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
	for _, m := range c.lacks {
		w.warn(m.sentence())
	}
	if alike == nil || len(c.lacks) > 0 {
		return
	}
	var names []string
	for _, d := range alike {
		if slices.ContainsFunc(matches, func(m assistants.Match) bool { return m.DocumentID == d.ID }) {
			names = append(names, d.shownName())
		}
	}
	if w.q.Whole != nil {
		w.trace.Alike = names
	} else if len(names) > 1 {
		w.warn(SeveralFit(names))
	}
}

// SeveralFit is the warning that a question fits documents with these names, at least two.
func SeveralFit(names []string) string {
	return fmt.Sprintf(warnSeveral, strings.Join(names, ", "))
}

// A narrowing is a choice and the documents that are searched by themselves.
type narrowing struct {
	choice
	alone []assistants.DocumentID
}
