package citations

import (
	"bytes"
	_ "embed"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What may stand around markers and says nothing without them.

// maxGlue is the number of bytes before or behind a marker that may go with it, so that few are
// held back.
const maxGlue = 24

// A wrapper stands around markers.
type wrapper struct {
	opening, closing string
	tight            bool // no space stands inside of it
	atWord           bool // no word stands directly before it
	led              bool // a word may lead to the markers: (see [1])
}

var wrappers = func() []wrapper {
	list := []wrapper{{"(", ")", false, false, true}, {"[", "]", false, false, true}, {"（", "）", false, false, true}}
	for _, sign := range []string{"*", "_", "~"} {
		list = append(list, wrapper{sign, sign, true, true, false})
	}
	for _, quotes := range [][2]string{{`"`, `"`}, {"'", "'"}, {"“", "”"}, {"„", "“"}, {"«", "»"}, {"‘", "’"}, {"「", "」"}} {
		list = append(list, wrapper{quotes[0], quotes[1], false, quotes[0] == quotes[1], false})
	}
	for _, tag := range []string{"sup", "sub", "small", "strong", "em", "b", "i"} {
		list = append(list, wrapper{"<" + tag + ">", "</" + tag + ">", false, false, false})
	}
	return list
}()

//go:embed glue.txt
var glueText string

// jointSigns stand between two markers and join them.
var jointSigns = []string{"", "、", "，", "/", "-", "\u2010", "\u2011", "–", "\u2212"}

// jointWords join two markers, or two parts of a sentence; leads stand before a marker. Spaces
// may stand around them. Of two leads with the same end the longer comes first. telling has
// the small words by which a language is known. A single letter behind a comma is no joint, because
// it is an item of a list.
var jointWords, leads, telling = func() (joints, leads []glueWord, telling map[string]languageSet) {
	joints, telling = []glueWord{{text: ","}, {text: ";"}, {text: "&"}}, map[string]languageSet{}
	in := languageSet(1)
	for line := range strings.Lines(glueText) {
		_, all, found := strings.Cut(strings.TrimSpace(line), "\t")
		lists := strings.Split(all, "; ")
		if !found || len(lists) != 3 {
			continue
		}
		for text := range strings.SplitSeq(lists[0], ", ") {
			word := newGlue(text, in)
			joints = addGlue(joints, word)
			if word.letters > 1 {
				joints = addGlue(joints, glueWord{", " + text, in, word.letters})
			}
		}
		for text := range strings.SplitSeq(lists[1], ", ") {
			leads = addGlue(leads, newGlue(text, in))
		}
		for text := range strings.SplitSeq(lists[2], ", ") {
			telling[text] |= in
		}
		in <<= 1
	}
	slices.SortStableFunc(leads, func(a, b glueWord) int { return len(b.text) - len(a.text) })
	return joints, leads, telling
}()

// clauses are the leads that are clear behind a comma: "power, sources [1]" is a list.
var clauses = slices.DeleteFunc(slices.Clone(leads), func(lead glueWord) bool {
	return slices.ContainsFunc(leads, func(other glueWord) bool { return other.text == lead.text+":" })
})

// joins reports whether a text between two markers is a word that joins them.
func joins(text string, t tongue) bool {
	return slices.ContainsFunc(jointWords, func(w glueWord) bool { return w.text == text && w.fits(t) })
}

// leadSigns part what leads to a marker from the sentence: "it grew, see [1]".
var leadSigns = []string{",", ";", ":", "–", "—", "-"}

// spaces are what may stand before a marker on its line.
var spaces = []string{" ", "\t", "\u00a0", "\u202f"}

// endsWith returns the size of that entry of a list which a text ends with, 0 if there is none.
func endsWith(text []byte, list []string) int {
	for _, s := range list {
		if n := len(text) - len(s); n >= 0 && string(text[n:]) == s {
			return len(s)
		}
	}
	return 0
}

// spacesAtEnd returns the size of the spaces at the end of a text, of many only so many that
// they are too many to go.
func spacesAtEnd(text []byte) int {
	n := 0
	for size := endsWith(text, spaces); size > 0 && n <= maxGlue; size = endsWith(text[:len(text)-n], spaces) {
		n += size
	}
	return n
}

// leadAtEnd returns the size of that lead of a list which a text ends with, with the spaces
// behind it; 0 if there is none. before is the byte before the text, t the language.
func leadAtEnd(text []byte, before byte, leads []glueWord, t tongue) int {
	blank := spacesAtEnd(text)
	text = text[:len(text)-blank]
	for i := range leads {
		lead := &leads[i]
		n := len(text) - len(lead.text)
		if n > 0 {
			before = text[n-1]
		}
		if n >= 0 && !isWordByte(before) && hasFoldedPrefix(text[n:], lead.text) && lead.fits(t) {
			return len(lead.text) + blank
		}
	}
	return 0
}

// hasFoldedPrefix reports whether a text begins with s, letters in any case.
func hasFoldedPrefix(text []byte, s string) bool {
	if len(text) < len(s) {
		return false
	}
	for i := 0; i < len(s); {
		want, size := utf8.DecodeRuneInString(s[i:])
		got, n := utf8.DecodeRune(text[i:])
		if n != size || unicode.ToLower(got) != want || got == utf8.RuneError && text[i] != s[i] {
			return false
		}
		i += size
	}
	return true
}

// glueFrom returns where the end of a text begins that may go with a marker behind it, if the
// marker is to come: openings, words that lead to it, signs and spaces, the last of which
// may be cut. before is the byte before the text.
func glueFrom(text []byte, before byte) int {
	end := len(text)
	from, first := end, max(0, end-maxGlue)
	var reached [maxGlue + 1]bool // by the distance from first: from there on all is glue
	reached[end-first] = true
	for at := end - 1; at >= first; at-- {
		left := before
		if at > 0 {
			left = text[at-1]
		}
		if isGlue(text[at:], !isWordByte(left), func(size int) bool { return reached[at-first+size] }) {
			reached[at-first], from = true, at
		}
	}
	if line := bytes.LastIndexByte(text[:from], '\n') + 1; end-line <= maxGlue && (line > 0 || before == '\n') && (isLineSign(text[line:from]) || isNumber(text[line:from])) {
		return line
	}
	return from
}

// isGlue reports whether a text is the beginning of a piece of glue, or begins with one behind
// which all is glue.
func isGlue(text []byte, atWord bool, restIs func(size int) bool) bool {
	begins := func(s string) bool {
		n := min(len(s), len(text))
		return hasFoldedPrefix(text, s[:n]) && restIs(n)
	}
	for i := range wrappers {
		if begins(wrappers[i].opening) {
			return true
		}
	}
	return slices.ContainsFunc(spaces, begins) || slices.ContainsFunc(leadSigns, begins) || atWord && slices.ContainsFunc(leads, func(lead glueWord) bool { return begins(lead.text) })
}

// isNumber reports whether a text is a number at the start of a line, as of a list item.
func isNumber(text []byte) bool {
	sign := bytes.TrimLeft(bytes.Trim(text, " \t>"), "0123456789")
	return len(sign) == 0 || string(sign) == "." || string(sign) == ")"
}

// isLineSign reports whether a text can stand at the start of a line with nothing but markers
// behind it: nothing, or the sign of a list item, a heading or a quote. A number may be an answer.
func isLineSign(text []byte) bool {
	text = bytes.Trim(text, " \t>")
	switch string(text) {
	case "-", "*", "+":
		return true
	}
	return len(bytes.Trim(text, "#")) == 0
}
