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
	part    string // as parts of names are written
	capital bool   // it begins with a capital letter and is not the first word
}

// wordsAsked returns the words of a question and what it has between them that counts as
// words for names. cased reports whether capital letters mark its names.
func wordsAsked(question string) (words []wordAsked, cased bool) {
	for i, p := range piecesOf(strings.ReplaceAll(question, "_", " ")) {
		first, _ := utf8.DecodeRuneInString(p)
		w := wordAsked{text: p, part: base(strings.ToLower(p)), capital: i > 0 && unicode.IsUpper(first)}
		cased = cased || w.capital && len(lexical.Terms(w.part)) > 0
		words = append(words, w)
	}
	return words, cased
}

// mayName reports whether words of a question can be a name: they are no numbers, no small
// words and not what documents are.
func mayName(words []wordAsked) bool {
	texts := make([]string, len(words))
	for i, w := range words {
		if isNumber(w.part) || len(w.part) < 2 || len(lexical.Terms(w.part)) == 0 || documentWords[w.part] || versionWords[w.part] {
			return false
		}
		texts[i] = w.text
	}
	text := strings.Join(texts, " ")
	return len(lexical.Kinds(text)) == 0
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

// namesIn returns the names among words that find says are of documents. A name of two
// words, as "Best Buy", may be one in the names of files.
func (x *nameIndex) namesIn(words []wordAsked, cased bool, permits func(assistants.DocumentID) bool, find func(part string, sure bool) []int32) []nameAsked {
	var names []nameAsked
	for i := 0; i < len(words); i++ {
		for n := 1; n <= 2 && i+n <= len(words); n++ {
			run := words[i : i+n]
			if !mayName(run) || cased && slices.ContainsFunc(run, func(w wordAsked) bool { return !w.capital && w != words[0] }) {
				continue
			}
			part, shown := run[0].part, run[0].text
			if n == 2 {
				part, shown = part+run[1].part, shown+" "+run[1].text
			}
			found := slices.DeleteFunc(slices.Clone(find(part, run[0].capital)), func(i int32) bool { return !permits(x.documents[i].ID) })
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

// called returns the documents with a part in the names of their files. Where capital letters
// do not show that it is a name, the files begin with it or all of them look alike.
func (x *nameIndex) called(part string, sure bool) []int32 {
	found, _ := x.with(part)
	if sure || len(found) == 0 {
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

// missingOf returns the years that none of some documents is of, with those that they are of.
// A later report has the years before it, too, so a year before one that is there is not
// missing. Nothing is missing where no document has a year.
func (x *nameIndex) missingOf(name string, documents []int32, years []int) (missing, bool) {
	m := missing{name: name}
	latest := 0
	for _, year := range years {
		if slices.ContainsFunc(documents, func(i int32) bool { return x.documents[i].isOf(year) }) {
			latest = max(latest, year)
		}
	}
	for _, year := range years {
		if year > latest && !slices.ContainsFunc(documents, func(i int32) bool { return x.documents[i].isOf(year) }) {
			m.years = append(m.years, year)
		}
	}
	there := map[int]bool{}
	for _, i := range documents {
		for _, year := range x.documents[i].yearsOf() {
			there[year] = true
		}
	}
	m.there = slices.Sorted(maps.Keys(there))
	return m, len(m.years) > 0 && len(there) > 0
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
// a name of it is of. It returns what is missing, and those documents.
func (x *nameIndex) nameDecides(parts map[string]bool, names []nameAsked) (all []missing, of map[int32]bool) {
	years := yearsIn(parts)
	if len(years) == 0 || len(names) == 0 {
		return nil, nil
	}
	lacked := map[int]int{}
	for _, n := range names {
		if m, ok := x.missingOf(n.shown, n.documents, years); ok {
			all = append(all, m)
			for _, year := range m.years {
				lacked[year]++
			}
		}
	}
	maps.DeleteFunc(lacked, func(_, count int) bool { return count < len(names) })
	if len(lacked) == 0 {
		return nil, nil
	}
	maps.DeleteFunc(parts, func(part string, _ bool) bool {
		for year := range lacked {
			if strings.Contains(part, strconv.Itoa(year)) {
				return true
			}
		}
		return false
	})
	of = map[int32]bool{}
	for _, n := range names {
		for _, i := range n.documents {
			of[i] = true
		}
	}
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
