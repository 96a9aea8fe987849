package ingestion

import (
	"strings"
	"unicode/utf8"

	"footnote/assistants"
	"footnote/assistants/ingestion/extract"
	"footnote/assistants/ingestion/profile"
)

// What a profile is read from, in bytes of the text and in numbers of pages and headings.
const (
	profileFront    = 4 << 10
	profileSample   = 32 << 10
	profilePages    = 3
	profileHeadings = 30
)

// profileOf returns what an extracted document says of itself.
func profileOf(name string, doc extract.Document) *assistants.Profile {
	s := profile.Source{Name: name, Title: doc.Title, Front: beginning(doc.Text, profileFront), Sample: beginning(doc.Text, profileSample), Text: withoutCode(doc)}
	for _, p := range doc.Pages[:min(len(doc.Pages), profilePages)] {
		if p.End > p.Start {
			s.Front = beginning(doc.Text[p.Start:p.End], profileFront)
			break
		}
	}
	for _, h := range doc.Headings[:min(len(doc.Headings), profileHeadings)] {
		s.Headings = append(s.Headings, h.Title)
	}
	p := profile.Read(s)
	p.Unread = doc.Unread
	return &p
}

// withoutCode returns the text of a document with nothing in place of its code.
func withoutCode(doc extract.Document) string {
	var b strings.Builder
	at := 0
	for _, block := range doc.Blocks {
		if block.Kind == extract.BlockCode {
			b.WriteString(doc.Text[at:block.Start])
			at = block.End
		}
	}
	if at == 0 {
		return doc.Text
	}
	b.WriteString(doc.Text[at:])
	return b.String()
}

// beginning returns at most n bytes of a text, whole characters.
func beginning(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}
