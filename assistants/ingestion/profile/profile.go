// Package profile reads from a document what it is: its title, the years and periods that
// it is about, its kind, its language, its subjects, and the abbreviations that it defines.
// It looks at the name, the title that the file states, the first page and the headings, and
// of the rest at parentheses only, so that it costs little however long the document is.
//
// It obeys one rule: what is not shown clearly stays empty. A wrong year would choose the
// wrong document.
package profile

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"footnote/assistants"
	"footnote/assistants/lexical"
)

// A Source is what a profile is read from.
type Source struct {
	Name     string   // of the file
	Title    string   // that the file states
	Headings []string // in order
	Front    string   // text of the first page, or the beginning of a text without pages
	Sample   string   // text that shows the language
	Text     string   // all of it, which defines abbreviations
}

// Bounds of what is looked at.
const (
	frontLines  = 25  // lines of the first page
	frontLength = 160 // characters of a line that may say what the document is
	maxHeadings = 30  // headings that are looked at
	titleWords  = 20  // words of a title
	titleLength = 200 // characters of a title, before it is cut
	maxSubjects = 5
)

// Read returns the profile of a document.
func Read(s Source) assistants.Profile {
	name, lines := nameOf(s.Name), linesOf(s.Front)
	title := titleOf(s, name, lines)
	p := assistants.Profile{Title: cut(title), Language: lexical.Language(s.Sample), Kind: kindOf(title, name, lines)}
	p.Years, p.Periods = timesOf(name, title, lines)
	p.Subjects = subjectsOf(title, s.Headings[:min(len(s.Headings), maxHeadings)], lines)
	p.Abbreviations = abbreviationsOf(s.Text)
	return p
}

// nameOf is a file's name as words.
func nameOf(name string) string {
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	if dot := strings.LastIndexByte(name, '.'); dot > 0 && len(name)-dot <= 5 {
		name = name[:dot]
	}
	return tidy(strings.Map(func(r rune) rune {
		if r == '_' || r == '-' {
			return ' '
		}
		return r
	}, name))
}

// tidy is a text on one line, without what cannot be seen.
func tidy(text string) string {
	text = strings.Map(func(r rune) rune {
		if (unicode.IsControl(r) || assistants.Hidden(r)) && !unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}

// cut shortens a title, between words if it can, to what a profile may have.
func cut(title string) string {
	runes := []rune(title)
	if len(runes) <= assistants.MaxProfileTitle {
		return title
	}
	short := string(runes[:assistants.MaxProfileTitle-1])
	if space := strings.LastIndexByte(short, ' '); space > len(short)/2 {
		short = short[:space]
	}
	return strings.TrimRight(short, " ") + "…"
}

// linesOf returns the first lines of a page that may say what the document is.
func linesOf(front string) []string {
	var lines []string
	for line := range strings.Lines(front) {
		line = tidy(line)
		if line == "" {
			continue
		}
		if len(lines) == frontLines {
			break
		}
		if utf8.RuneCountInString(line) <= frontLength {
			lines = append(lines, line)
		}
	}
	return lines
}

// titleOf is the title that the file states, if it looks like one; else the first heading
// of the first page, or its first line that looks like a title.
func titleOf(s Source, name string, lines []string) string {
	if t := tidy(s.Title); looksLikeTitle(t, name) {
		return t
	}
	for _, h := range s.Headings[:min(len(s.Headings), 3)] {
		if h = tidy(h); looksLikeTitle(h, name) && onPage(h, lines) {
			return h
		}
	}
	for _, line := range lines[:min(len(lines), 5)] {
		if runTogether(line) {
			return "" // that was the title; what stands under it is none
		}
		if looksLikeTitle(line, name) && !strings.ContainsAny(line[len(line)-1:], ".,;:") {
			return line
		}
	}
	return ""
}

// onPage reports whether a heading stands on the first page. A format without pages has
// all of its beginning there.
func onPage(heading string, lines []string) bool {
	for _, line := range lines {
		if strings.Contains(line, heading) || strings.Contains(heading, line) {
			return true
		}
	}
	return false
}

// looksLikeTitle reports whether a text is a title: a few words that no program wrote and
// that are not the file's name.
func looksLikeTitle(t, name string) bool {
	words := strings.Fields(fold(t))
	letters := 0
	for _, r := range t {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	switch plain := strings.Join(words, " "); {
	case letters < 3, 4*letters < utf8.RuneCountInString(t), len(words) > titleWords, utf8.RuneCountInString(t) > titleLength:
		return false
	case strings.Contains(t, `\`), strings.Contains(t, "://"), strings.HasPrefix(t, "/"):
		return false
	case isOne("no title", plain), startsWithOne("program", plain), hasExtension(t):
		return false
	case runTogether(t):
		return false
	case len(words) == 1 && strings.ContainsAny(t, "_") || plain == fold(name) && strings.ToLower(t) == t:
		return false
	}
	return true
}

// runTogether reports whether a text is one word with a year at its end or beginning,
// CONSOLIDATED2021: so a PDF has it whose spaces were lost. With few letters it may be the
// name of a model. Scripts without spaces have whole titles in one word.
func runTogether(t string) bool {
	const digits, fewLetters = "0123456789", 3
	word := strings.Trim(t, digits)
	year := strings.TrimPrefix(strings.TrimSuffix(t, word), word)
	return yearOf(year) != 0 && utf8.RuneCountInString(word) > fewLetters && !strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) || unicode.In(r, unspaced...) })
}

// unspaced are scripts that have no spaces between words.
var unspaced = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar}

// hasExtension reports whether a text ends like the name of a file.
func hasExtension(t string) bool {
	dot := strings.LastIndexByte(t, '.')
	if dot <= 0 || dot == len(t)-1 || len(t)-dot > 5 {
		return false
	}
	for _, r := range t[dot+1:] {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return false
		}
	}
	return !unicode.IsDigit(rune(t[dot+1])) // a version is no extension
}

// kindOf is the kind that the title says, or else the name or the first lines.
func kindOf(title, name string, lines []string) string {
	for _, text := range append([]string{title, name}, lines[:min(len(lines), 5)]...) {
		if kinds := lexical.Kinds(text); len(kinds) > 0 {
			return kinds[0]
		}
	}
	return ""
}
