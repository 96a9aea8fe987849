package ingestion

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"footnote/assistants"
	"golang.org/x/text/unicode/norm"
)

// unnamed is the name of a document whose upload gave none that can be used.
const unnamed = "document"

// CleanName makes a name for a document out of a file name that a client sent:
// the last element of any kind of path, without control, bidirectional and
// invisible characters, at most assistants.MaxName code points with its
// extension kept. The name is shown and searched, and never becomes a path.
func CleanName(name string) string {
	name = strings.ToValidUTF8(name, "\uFFFD")
	name = strings.TrimRight(name, `/\`)
	if at := strings.LastIndexAny(name, `/\`); at >= 0 {
		name = name[at+1:]
	}
	name = norm.NFC.String(name)
	name = strings.Map(func(r rune) rune {
		switch {
		case r == '\u200C' || r == '\u200D': // they join letters and emoji
			return r
		case unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp):
			return -1
		case unicode.IsSpace(r):
			return ' '
		}
		return r
	}, name)
	name = strings.TrimRight(strings.TrimSpace(name), ". ")
	if strings.Trim(name, ". \u200C\u200D") == "" {
		return unnamed
	}
	return shorten(name)
}

func shorten(name string) string {
	over := utf8.RuneCountInString(name) - assistants.MaxName
	if over <= 0 {
		return name
	}
	ext := path.Ext(name)
	if utf8.RuneCountInString(ext) > 16 {
		ext = ""
	}
	stem := []rune(strings.TrimSuffix(name, ext))
	return strings.TrimSpace(string(stem[:len(stem)-over])) + ext
}
