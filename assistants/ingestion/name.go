package ingestion

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"footnote/assistants"
	"golang.org/x/text/unicode/norm"
)

// unnamed is the name of a document that was uploaded without a usable name.
const unnamed = "document"

// CleanName makes a document's name from a file name that a client sent. It keeps the
// last element of a path on any system, removes control, bidirectional and invisible
// characters, and shortens the name to assistants.MaxName code points before the
// extension. The name is shown and searched, and never used as a path.
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
