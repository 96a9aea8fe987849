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
	bare []bareHeading // the headings without text that are joined to it
}

// A bareHeading is a heading that no text follows. next is where the next heading begins.
type bareHeading struct {
	next int
	path []string
}

// pathAt is the path of a chunk that ends at a place: that of the last heading in it or above it.
func (s sectionText) pathAt(end int) []string {
	i, _ := slices.BinarySearchFunc(s.bare, end, func(b bareHeading, end int) int { return b.next - end })
	if i < len(s.bare) {
		return s.bare[i].path
	}
	return s.path
}

// sections divides the text at its headings. A heading that no text follows would
// be a useless chunk, so it is joined to the next section.
func sections(in Input) []sectionText {
	var (
		out  []sectionText
		open []Section // the headings above the present place
		from int       // start of the current sectionText
		bare []bareHeading
	)
	emit := func(to int) {
		out = append(out, sectionText{Range{from, to}, path(open), bare})
		from, bare = to, nil
	}
	for i, sec := range in.Sections {
		switch {
		case i > 0 && from <= in.Sections[i-1].Start && onlyHeading(in.Text[in.Sections[i-1].Start:sec.Start]):
			bare = append(bare, bareHeading{sec.Start, path(open)})
		case sec.Start > from:
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
