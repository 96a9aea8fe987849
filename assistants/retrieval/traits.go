package retrieval

import (
	"slices"
	"strconv"
	"strings"

	"footnote/assistants"
	"footnote/assistants/lexical"
)

// Traits are what the name and the profile of a document say of it. Most of the time that
// an index of names takes to make goes into them, so the next one keeps them.
type traits struct {
	parts     []int32  // the numbers of those of its name
	described []int32  // the numbers of those of its profile that its name lacks
	dated     []string // those of both that have digits: years, versions and numbers
	look      string   // its name without numbers
	title     string   // its title without numbers, with kind and subjects; "": it has none
	release   release
	numbers   []int        // of its name, in order
	defines   []definition // abbreviations
}

func traitsOf(d assistants.DocumentName, n *partNumbers) *traits {
	t := &traits{look: kindOf(d.Name), release: releaseOf(d.Name, d.Profile), numbers: numbersOf(d.Name), defines: definitionsOf(d.Profile)}
	if p := d.Profile; p.Title != "" {
		t.title = p.Kind + " " + kindOf(p.Title) + " " + strings.Join(p.Subjects, " ")
	}
	parts := partsOf(withoutExtension(d.Name))
	add := func(to *[]int32, part string) {
		*to = append(*to, n.of(part))
		if hasDigit(part) {
			t.dated = append(t.dated, part)
		}
	}
	for part := range parts {
		add(&t.parts, part)
	}
	for part := range describedBy(d.Profile) {
		if !parts[part] {
			add(&t.described, part)
		}
	}
	return t
}

// traitsOf returns the traits of a document. They are those that the index has of it, if
// its name and its profile are the same. Otherwise n gives its parts their numbers.
func (x *nameIndex) traitsOf(d assistants.DocumentName, n *partNumbers) *traits {
	if i, ok := x.places[d.ID]; ok && x.documents[i].Name == d.Name && sameProfile(x.documents[i].Profile, d.Profile) {
		return x.documents[i].traits
	}
	return traitsOf(d, n)
}

// sameProfile reports whether two profiles are the same in all that traits have of them.
func sameProfile(p, q assistants.Profile) bool {
	return p.Title == q.Title && p.Kind == q.Kind && slices.Equal(p.Years, q.Years) && slices.Equal(p.Periods, q.Periods) && slices.Equal(p.Subjects, q.Subjects) &&
		slices.Equal(p.Abbreviations, q.Abbreviations)
}

// groupsOf puts documents that look alike into groups: by their names without numbers or,
// where no other is named like one, by their titles and subjects. Their traits are those of
// the index before where it has them; n gives the parts of the others their numbers.
func groupsOf(before *nameIndex, n *partNumbers, documents []assistants.DocumentName) []named {
	names, titles := map[string]int{}, map[string]int{}
	all := make([]named, len(documents))
	for i, d := range documents {
		all[i] = named{DocumentName: d, traits: before.traitsOf(d, n)}
		names[all[i].look]++
		titles[all[i].title]++
	}
	for i, d := range all {
		all[i].group = d.look
		if d.title != "" && names[d.look] < 2 && titles[d.title] > 1 {
			all[i].group, all[i].titled = d.title, true
		}
	}
	return all
}

// describedBy are the parts of a profile by which a question can choose.
func describedBy(p assistants.Profile) map[string]bool {
	parts := map[string]bool{}
	for _, period := range p.Periods {
		for part := range partsOf(period) {
			if hasDigit(part) { // "December" alone is any year's
				parts[part] = true
			}
		}
	}
	for _, text := range append([]string{p.Title}, p.Subjects...) {
		words := map[string]bool{}
		for _, w := range piecesOf(strings.ToLower(text)) {
			words[base(w)] = true
		}
		for part := range partsOf(text) {
			// Words in a row make a name only with a number: "TD-310", "Amendment 2".
			if words[part] || hasDigit(part) {
				parts[part] = true
			}
		}
	}
	for _, year := range p.Years {
		parts[strconv.Itoa(year)] = true
	}
	if p.Kind != "" {
		parts[kindPart(p.Kind)] = true
	}
	return parts
}

// kindPart is the part for a kind. No text has it.
func kindPart(kind string) string { return "kind " + kind }

// askedParts are the parts of a question: those of its text, and the kinds that it names.
func askedParts(question string) map[string]bool {
	parts := partsOf(question)
	for _, kind := range lexical.Kinds(question) {
		parts[kindPart(kind)] = true
	}
	return parts
}
