package chunker

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// A sectionText is the text of a section up to the next heading.
type sectionText struct {
	Range
	path []string
}

// sections divides the text at its headings. A heading that no text follows would
// be a useless chunk, so it is joined to the next section.
func sections(in Input) []sectionText {
	var (
		out  []sectionText
		open []Section // the headings above the present place
		from int       // start of the current sectionText
	)
	emit := func(to int) {
		out = append(out, sectionText{Range{from, to}, path(open)})
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
		sec.Title = shortTitle(sec.Title)
		open = append(open, sec)
	}
	emit(len(in.Text))
	return out
}

// Bounds of a path. They are needed because a path is stored, indexed and embedded
// with every chunk below it, an unclosed heading may hold a whole document, and
// headings may be nested without limit.
const (
	maxTitle = 200  // characters of a title
	maxPath  = 1600 // bytes of all of them; the outer ones are left out beyond it
)

// path is the titles above the present place, outermost first.
func path(open []Section) []string {
	var titles []string
	room := maxPath
	for _, sec := range slices.Backward(open) {
		if sec.Title == "" {
			continue
		}
		if room -= len(sec.Title); room < 0 {
			break
		}
		titles = append(titles, sec.Title)
	}
	slices.Reverse(titles)
	return slices.Clip(titles)
}

// shortTitle cuts a title that is too long, between words if it has any.
func shortTitle(title string) string {
	title = strings.TrimSpace(title)
	if len(title) <= maxTitle {
		return title
	}
	rest, state, end, n := title[:min(len(title), utf8.UTFMax*maxTitle+maxCluster)], -1, 0, 0
	for rest != "" {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if n += utf8.RuneCountInString(cluster); n > maxTitle {
			break
		}
		end += len(cluster)
	}
	switch {
	case n <= maxTitle: // no more characters than that
		return title
	case end == 0:
		end = cutRunes(title, maxCluster)
	}
	short := title[:end]
	if i := strings.LastIndexByte(short, ' '); i > end/2 {
		short = short[:i]
	}
	return strings.TrimSpace(short) + "…"
}

// onlyHeading reports whether a section has nothing to read after its first line.
func onlyHeading(text string) bool {
	_, body, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.IndexFunc(body, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) < 0
}
