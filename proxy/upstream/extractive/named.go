package extractive

import (
	"maps"
	"regexp"
	"strings"

	"footnote/proxy/upstream"
)

// lastTitlePage is the last page on which a title stands.
const lastTitlePage = 2

var (
	versionMark = regexp.MustCompile(`(?i)\bv(\d+)\b`)
	fiscalYear  = regexp.MustCompile(`^fy(?:20)?(\d\d)$`)
	year        = regexp.MustCompile(`(?:19|20)\d\d`)
	code        = regexp.MustCompile(`^(?:\p{L}{1,3}\d+|\d+\p{L}{1,3})$`)
)

// closing are words of the year that a document is about, next to its number.
const closing = "as of December 31, at the end of the fiscal year"

// names are the terms that say which document a question is about.
type names map[string]bool

// namesOf returns the terms of the names of the passages' documents, those of titles on
// their first pages, and others that are known to name one. A title is a heading that has a word of the name.
func namesOf(passages []upstream.Passage, known []string) names {
	n := names{}
	for _, term := range known {
		n[term] = true
	}
	for _, p := range passages {
		name := termSet(p.Name)
		for _, version := range versionMark.FindAllStringSubmatch(p.Name, -1) {
			maps.Copy(name, termSet("version "+version[1]))
		}
		if year.MatchString(p.Name) {
			maps.Copy(name, termSet(closing))
		}
		title := termSet(p.Section)
		for term := range name {
			n[term] = true
			if title[term] && !isNumber(term) && p.Page >= 1 && p.Page <= lastTitlePage {
				maps.Copy(n, title)
			}
		}
	}
	return n
}

// separate returns the terms of a question that say what is asked, and those that name
// a document.
func (n names) separate(query []string) (about, naming []string) {
	for _, term := range query {
		if n.has(term) {
			naming = append(naming, term)
		} else {
			about = append(about, term)
		}
	}
	return about, naming
}

// isCode reports whether a term is the code of an error, a part or a form, such as E7.
func isCode(term string) bool { return code.MatchString(term) && !fiscalYear.MatchString(term) }

func (n names) has(term string) bool {
	if year := fiscalYear.FindStringSubmatch(term); year != nil {
		return n["20"+year[1]]
	}
	return n[term]
}

func isNumber(term string) bool { return strings.Trim(term, "0123456789.") == "" }
