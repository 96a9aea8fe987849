package extractive

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxQuote bounds a quote in code points. Otherwise texts without sentence ends,
// such as lists, would be quoted whole.
const maxQuote = 600

// Markdown that changes the look of a sentence, not its meaning.
var (
	lineMark  = regexp.MustCompile(`^(?:(?:#{1,6}|[-*+•◦▪‣·–>]|\d{1,3}[.)]|\(?[a-z]\))\s+|\|)+`)
	checkbox  = regexp.MustCompile(`^\[[ xX]\]\s+`)
	image     = regexp.MustCompile(`!\[([^\]]*)\]\([^)\s]*(?:\s+"[^"]*")?\)`)
	number    = regexp.MustCompile(`\[+(\d+)\]+\([^)\s]*(?:\s+"[^"]*")?\)`) // a linked note
	link      = regexp.MustCompile(`\[([^\[\]]+)\]\([^)\s]*(?:\s+"[^"]*")?\)`)
	emphasis  = regexp.MustCompile(`\*\*\*|\*\*|~~`)
	underline = regexp.MustCompile(`(^|[\s(])(?:__?|\*)([^\s_*](?:[^_*]*[^\s_*])?)(?:__?|\*)([\s).,;:!?]|$)`)
	tag       = regexp.MustCompile(`</?[A-Za-z][^<>]*>|<!--.*?-->`)
	escaped   = regexp.MustCompile(`\\([!-/:-@\[-` + "`" + `{-~])`)
)

// defused replaces the signs of citations, code, mathematics and HTML. A quote that
// opens one of them would hide the marker after it, and one with numbers in brackets
// would forge a marker.
var defused = strings.NewReplacer(
	"[", "(", "]", ")", "【", "(", "】", ")", "［", "(", "］", ")", "〔", "(", "〕", ")", "〚", "(", "〛", ")",
	"`", "'", "\\", "/", "$$", "＄＄",
)

// clean turns a sentence of a source into text for an answer.
func clean(s string) string {
	s = strings.Join(strings.Fields(strings.Map(visible, strings.ToValidUTF8(s, ""))), " ")
	s = lineMark.ReplaceAllString(s, "")
	s = checkbox.ReplaceAllString(s, "")
	s = image.ReplaceAllString(s, "$1")
	s = number.ReplaceAllString(s, "($1)")
	s = link.ReplaceAllString(s, "$1")
	s = emphasis.ReplaceAllString(s, "")
	for range 2 { // neighbours share the space between them
		s = underline.ReplaceAllString(s, "$1$2$3")
	}
	s = escaped.ReplaceAllString(s, "$1")
	s = tag.ReplaceAllString(s, "")
	s = defused.Replace(s)
	s = mathless(s)
	return shorten(strings.Join(strings.Fields(s), " "))
}

// mathless writes a dollar sign that could open mathematics, and a "<" that could
// open a tag, in full width. A dollar sign before a digit or a space is money and
// stays.
func mathless(s string) string {
	if !strings.ContainsAny(s, "$<") {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		next := byte(' ')
		if i+1 < len(s) {
			next = s[i+1]
		}
		switch {
		case r == '$' && next != ' ' && (next < '0' || next > '9'):
			r = '＄'
		case r == '<' && next != ' ' && next != '=' && (next < '0' || next > '9'):
			r = '‹'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// visible drops invisible characters and those that change the direction of text;
// line ends become spaces.
func visible(r rune) rune {
	switch {
	case unicode.IsSpace(r):
		return ' '
	case unicode.IsControl(r), r == 0x00AD, r == 0x061C, r == 0x200B, r == 0x200E, r == 0x200F,
		r >= 0x202A && r <= 0x202E, r >= 0x2060 && r <= 0x206F, r == 0xFEFF, r >= 0xE0000 && r <= 0xE007F:
		return -1
	}
	return r
}

// shorten cuts a long quote at a space.
func shorten(s string) string {
	if utf8.RuneCountInString(s) <= maxQuote {
		return s
	}
	runes := []rune(s)[:maxQuote]
	cut := len(runes)
	for i := len(runes) - 1; i > maxQuote/2; i-- {
		if runes[i] == ' ' {
			cut = i
			break
		}
	}
	return strings.TrimRight(string(runes[:cut]), " ,;:") + " …"
}

// mark puts the marker of a source at the end of a quote, before its full stop, so
// that it belongs to that sentence. Index 0 has no marker.
func mark(quote string, index int) string {
	end, size := utf8.DecodeLastRuneInString(quote)
	stop := "."
	switch end {
	case '.', '!', '?', '。', '！', '？', '।':
		quote, stop = quote[:len(quote)-size], string(end)
	case '…':
		stop = ""
	case '"', '”', '’', '»', '」', '』', ')':
		if r, _ := utf8.DecodeLastRuneInString(quote[:len(quote)-size]); strings.ContainsRune(".!?。！？", r) {
			stop = "" // the sentence ended inside the quotation
		}
	case ':', ';', ',':
		quote = quote[:len(quote)-size]
	}
	if index <= 0 {
		return quote + stop
	}
	return strings.TrimRight(quote, " ") + " [" + strconv.Itoa(index) + "]" + stop
}
