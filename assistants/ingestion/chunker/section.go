package chunker

import (
	"slices"
	"strings"
	"unicode"
)

// A stretch is the text of a section up to the next heading.
type stretch struct {
	Range
	path []string
}

// sections divides the text at its headings. A heading without a text of its
// own stays with the section after it, whose path it is part of anyway when
// that is a subsection; alone it would be a chunk that says nothing.
func sections(in Input) []stretch {
	var (
		out  []stretch
		open []Section // the headings above the present place
		from int       // start of the stretch in work
	)
	emit := func(to int) {
		out = append(out, stretch{Range{from, to}, path(open)})
		from = to
	}
	for i, sec := range in.Sections {
		bare := i > 0 && from <= in.Sections[i-1].Start && onlyHeading(in.Text[in.Sections[i-1].Start:sec.Start])
		if sec.Start > from && !bare {
			emit(sec.Start)
		}
		for len(open) > 0 && open[len(open)-1].Level >= sec.Level {
			open = open[:len(open)-1]
		}
		open = append(open, sec)
	}
	emit(len(in.Text))
	return out
}

func path(open []Section) []string {
	var titles []string
	for _, sec := range open {
		if t := strings.TrimSpace(sec.Title); t != "" {
			titles = append(titles, t)
		}
	}
	return slices.Clip(titles)
}

// onlyHeading reports whether a section has nothing to read after its first line.
func onlyHeading(text string) bool {
	_, body, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.IndexFunc(body, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) < 0
}
