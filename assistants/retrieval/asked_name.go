package retrieval

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"footnote/assistants"
	"footnote/assistants/lexical"
)

// A question that names both a name and a year is about the name: a report of another
// company does not answer it, although its year is right. So where no document has both, the
// year chooses none.

// unnamedWorth bounds how much of the score of the documents with the name the others can
// have, if no document has both the name and the year.
const unnamedWorth = 0.5

// A nameAsked is a name in a question that documents have.
type nameAsked struct {
	shown     string // as the question writes it
	documents []int32
}

// A missing is a year that a question asks for and no document of a name has.
type missing struct {
	name  string // as the question writes it; "": the documents were found by what they are
	years []int  // that are missing
	there []int  // years of the documents that there are
}

// A wordAsked is a word of a question as it stands there.
type wordAsked struct {
	text    string
	gap     string // between it and the word before
	part    string // as parts of names are written
	first   bool   // of the question
	capital bool   // its capital letter shows that it may be a name
}

// wordsAsked returns the words of a question. cased reports whether its names have capital
// letters. That of the first word says nothing, unless it is the owner of something.
func wordsAsked(question string) (words []wordAsked, cased bool) {
	question = strings.ReplaceAll(question, "_", " ")
	pieces := piecesOf(question)
	for i, p := range pieces {
		var gap string
		gap, question, _ = strings.Cut(question, p)
		letter, _ := utf8.DecodeRuneInString(p)
		isOwner := i+1 < len(pieces) && pieces[i+1] == "s"
		w := wordAsked{text: p, gap: gap, part: base(strings.ToLower(p)), first: i == 0, capital: unicode.IsUpper(letter) && (i > 0 || isOwner)}
		cased = cased || w.capital && len(lexical.Terms(w.part)) > 0
		words = append(words, w)
	}
	return words, cased
}

// mayName reports whether words of a question can be a name: they are no small words, not
// what documents are, and no numbers, but a number may be a part of it, as in "3M".
func mayName(words []wordAsked) bool {
	texts := make([]string, len(words))
	numbers := 0
	for i, w := range words {
		texts[i] = w.text
		switch {
		case isYear(w.part) || documentWords[w.part] || versionWords[w.part] || partsOfYear[w.part]:
			return false
		case isNumber(w.part):
			numbers++
		case len(words) == 1 && (len(w.part) < 2 || len(lexical.Terms(w.part)) == 0):
			return false
		}
	}
	return numbers < len(words) && len(lexical.Kinds(strings.Join(texts, " "))) == 0
}

// namesAsked returns the names in a question by which files are called, or else the subjects
// of documents that look alike although their files are not called alike. Of a name that
// others narrow down, as "city" by "Hamilton", only those are returned.
func (x *nameIndex) namesAsked(question string, permits func(assistants.DocumentID) bool) []nameAsked {
	words, cased := wordsAsked(question)
	names := x.namesIn(words, cased, permits, x.called)
	if len(names) == 0 {
		names = x.namesIn(words, cased, permits, x.subjectOf)
	}
	return slices.DeleteFunc(slices.Clone(names), func(n nameAsked) bool {
		return slices.ContainsFunc(names, func(other nameAsked) bool {
			return len(other.documents) < len(n.documents) && within(other.documents, n.documents)
		})
	})
}

// within reports whether all documents of a list are in another one. Both are in order.
func within(list, other []int32) bool {
	return !slices.ContainsFunc(list, func(i int32) bool {
		_, found := slices.BinarySearch(other, i)
		return !found
	})
}

// namesIn returns the names among words that find says are of documents. A name may have two
// words, as "Best Buy", or a word and a number.
func (x *nameIndex) namesIn(words []wordAsked, cased bool, permits func(assistants.DocumentID) bool, find func(part string, sure bool) []int32) []nameAsked {
	var names []nameAsked
	for i := 0; i < len(words); i++ {
		for n := 1; n <= 2 && i+n <= len(words); n++ {
			run := words[i : i+n]
			if !mayName(run) || x.isMonthOfDate(words, i) || cased && slices.ContainsFunc(run, func(w wordAsked) bool { return !w.capital && !w.first && !isNumber(w.part) }) {
				continue
			}
			part, shown := run[0].part, run[0].text
			if n == 2 {
				part, shown = part+run[1].part, shown+run[1].gap+run[1].text
			}
			sure := slices.ContainsFunc(run, func(w wordAsked) bool { return w.capital || isNumber(w.part) })
			found := slices.DeleteFunc(slices.Clone(find(part, sure)), func(i int32) bool { return !permits(x.documents[i].ID) })
			if len(found) == 0 || len(found) == len(x.documents) {
				continue
			}
			if !slices.ContainsFunc(names, func(known nameAsked) bool { return slices.Equal(known.documents, found) }) {
				names = append(names, nameAsked{shown, found})
			}
			i += n - 1
			break
		}
	}
	return names
}

// isMonthOfDate reports whether a word is the month of a date of some document. It is no name then that other
// documents lack.
func (x *nameIndex) isMonthOfDate(words []wordAsked, i int) bool {
	month := monthOf(words[i].part)
	if month == 0 {
		return false
	}
	pieces := []string{}
	for _, w := range words[i:] {
		if isYear(w.part) {
			named, described := x.with(monthPart(w.part, month))
			return slices.Contains(monthsBefore(pieces), month) && len(named)+len(described) > 0
		}
		pieces = append(pieces, w.part)
	}
	return false
}

// called returns the documents with a part in the names of their files. Where capital letters
// do not show that it is a name, the files begin with it or all of them look alike.
func (x *nameIndex) called(part string, sure bool) []int32 {
	found, _ := x.with(part)
	if sure || len(found) == 0 || len(found) == len(x.documents) {
		return found
	}
	alike, first := true, true
	for _, i := range found {
		d := x.documents[i]
		alike = alike && d.look == x.documents[found[0]].look
		first = first && strings.HasPrefix(strings.ToLower(withoutExtension(d.Name)), part)
	}
	if alike || first {
		return found
	}
	return nil
}

// subjectOf returns the documents with a part in their profiles, if it is one of a subject of
// documents that only their titles make look alike.
func (x *nameIndex) subjectOf(part string, sure bool) []int32 {
	found, described := x.with(part)
	isSubject := func(i int32) bool {
		d := x.documents[i]
		return d.titled && slices.ContainsFunc(d.Profile.Subjects, func(subject string) bool {
			return slices.ContainsFunc(piecesOf(strings.ToLower(subject)), func(p string) bool { return base(p) == part })
		})
	}
	if !sure || !slices.ContainsFunc(described[:min(len(described), mostSubjects)], isSubject) {
		return nil
	}
	return slices.Sorted(slices.Values(slices.Concat(found, described)))
}

// mostSubjects is how many of the documents with a word in their profiles are looked at for
// whether it is one of their subjects.
const mostSubjects = 100

// yearsOf returns the years of a document: those of its name, or else of its profile.
func (d *named) yearsOf() []int {
	years := slices.DeleteFunc(slices.Clone(d.numbers), func(n int) bool { return !isYear(strconv.Itoa(n)) })
	if len(years) == 0 {
		years = d.Profile.Years
	}
	return years
}

// isOf reports whether a document is of a year: its name or its profile says so, or has an
// earlier and a later one.
func (d *named) isOf(year int) bool {
	if slices.Contains(d.dated, strconv.Itoa(year)) {
		return true
	}
	years := d.yearsOf()
	return len(years) > 1 && slices.Min(years) <= year && year <= slices.Max(years)
}

// lackedBy returns those of some years that no document of a list is of.
func (x *nameIndex) lackedBy(documents []int32, years []int) []int {
	return slices.DeleteFunc(slices.Clone(years), func(year int) bool {
		return slices.ContainsFunc(documents, func(i int32) bool { return x.documents[i].isOf(year) })
	})
}

// missingOf returns what is missing if documents of a name lack some of the years asked for.
// A later report has the years before it, too, so a year before one that is there is not
// missing. Nothing is missing where no document has a year.
func (x *nameIndex) missingOf(name string, documents []int32, asked []int) (m missing, ok bool) {
	lacked := x.lackedBy(documents, asked)
	latest := 0
	for _, year := range asked {
		if !slices.Contains(lacked, year) {
			latest = year
		}
	}
	m = missing{name: name, years: slices.DeleteFunc(lacked, func(year int) bool { return year < latest }), there: x.yearsThere(documents)}
	return m, len(m.years) > 0 && len(m.there) > 0
}

// yearsThere returns the years of documents, in order.
func (x *nameIndex) yearsThere(documents []int32) []int {
	there := map[int]bool{}
	for _, i := range documents {
		for _, year := range x.documents[i].yearsOf() {
			there[year] = true
		}
	}
	return slices.Sorted(maps.Keys(there))
}

// yearsIn returns the years among the parts of a question, in order.
func yearsIn(parts map[string]bool) []int {
	var years []int
	for part := range parts {
		if isNumber(part) && isYear(part) {
			if year, err := strconv.Atoi(part); err == nil {
				years = append(years, year)
			}
		}
	}
	slices.Sort(years)
	return years
}

// nameDecides takes the years out of the parts of a question that none of the documents with
// a name of it is of. It returns what is missing, and those documents if there is such a year.
func (x *nameIndex) nameDecides(parts map[string]bool, names func() []nameAsked) (all []missing, of map[int32]bool) {
	asked := yearsIn(parts)
	if len(asked) == 0 {
		return nil, nil
	}
	lacked, isDated := asked, false
	of = map[int32]bool{}
	for _, n := range names() {
		lacked = x.lackedBy(n.documents, lacked)
		isDated = isDated || len(x.yearsThere(n.documents)) > 0
		for _, i := range n.documents {
			of[i] = true
		}
	}
	if len(lacked) == 0 || !isDated {
		return nil, nil
	}
	for _, n := range names() {
		if m, ok := x.missingOf(n.shown, n.documents, asked); ok {
			all = append(all, m)
		}
	}
	maps.DeleteFunc(parts, func(part string, _ bool) bool {
		return slices.ContainsFunc(lacked, func(year int) bool { return strings.Contains(part, strconv.Itoa(year)) })
	})
	return all, of
}

// prefer bounds the scores of the documents that are none of some, below those of the best
// of them.
func prefer(scores map[int32]float64, of map[int32]bool) {
	most := 0.0
	for i := range of {
		most = max(most, scores[i])
	}
	if most == 0 {
		return
	}
	for i, score := range scores {
		if !of[i] {
			scores[i] = min(score, unnamedWorth*most)
		}
	}
}

// sentence is the warning about what is missing.
func (m missing) sentence() string {
	years := make([]string, len(m.years))
	for i, year := range m.years {
		years[i] = strconv.Itoa(year)
	}
	lacked := strings.Join(years, " or ")
	if m.name == "" {
		return "No document of " + lacked + " was found; those that fit otherwise are of " + spans(m.there) + "."
	}
	return "No document of " + lacked + " was found for " + m.name + "; its documents are of " + spans(m.there) + "."
}

// spans writes years, three and more in a row as "2018 to 2022".
func spans(years []int) string {
	var list []string
	for i := 0; i < len(years); {
		end := i
		for end+1 < len(years) && years[end+1] == years[end]+1 {
			end++
		}
		if end-i < 2 {
			end = i
			list = append(list, strconv.Itoa(years[i]))
		} else {
			list = append(list, strconv.Itoa(years[i])+" to "+strconv.Itoa(years[end]))
		}
		i = end + 1
	}
	if len(list) < 2 {
		return cmp.Or(strings.Join(list, ""), "no year")
	}
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}
