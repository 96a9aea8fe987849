package profile

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"footnote/assistants"
	"footnote/assistants/lexical"
)

// maxNameWords is how many words the name of a company has before what it is.
const maxNameWords = 5

// subjectsOf returns what a document is about: companies that the first page and the
// headings name, products, and the names in the title.
func subjectsOf(title string, headings, lines []string) []string {
	var subjects []string
	add := func(s string) {
		known := func(other string) bool { return strings.Contains(fold(other), fold(s)) }
		if s == "" || len(subjects) == maxSubjects || utf8.RuneCountInString(s) > assistants.MaxProfileSubject || slices.ContainsFunc(subjects, known) {
			return
		}
		subjects = append(subjects, s)
	}
	for _, line := range append([]string{title}, lines...) {
		add(companyIn(line))
	}
	for _, name := range namesIn(title) {
		add(name)
	}
	for _, h := range headings {
		add(companyIn(tidy(h)))
	}
	return subjects
}

// companyIn returns the first company that a line names: words with capitals before what
// companies are called, such as "Inc." or "GmbH".
func companyIn(line string) string {
	words := strings.Fields(line)
	for i, w := range words {
		if i == 0 || !companies[strings.ReplaceAll(bare(w), ".", "")] || !startsUpper(w) && bare(w) != "plc" {
			continue
		}
		first := i
		for first > 0 && i-first < maxNameWords && (startsUpper(words[first-1]) || words[first-1] == "&") && (first == i && !strings.HasSuffix(words[first-1], ":") || !strings.ContainsAny(words[first-1][len(words[first-1])-1:], ",:;")) {
			first--
		}
		last := i + 1
		for last < len(words) && companies[strings.ReplaceAll(bare(words[last]), ".", "")] && bare(words[last]) != "co" {
			last++ // "Group, Inc."
		}
		if first < i {
			return strings.Trim(strings.Join(words[first:last], " "), ",;:()\"'")
		}
	}
	return ""
}

// namesIn returns the runs of words of a title that are names: with capitals or digits,
// and neither what the document is nor general.
func namesIn(title string) []string {
	var names, run []string
	end := func() {
		if len(run) > 0 {
			names = append(names, strings.Join(run, " "))
		}
		run = nil
	}
	for _, w := range strings.Fields(title) {
		clean := strings.Trim(w, ".,;:()\"'–—-|/")
		folded := bare(w)
		if !startsUpper(clean) && !isProduct(clean) || general[folded] || companies[folded] || lexical.Month(folded) != 0 || len(lexical.Kinds(clean)) > 0 ||
			len(lexical.Terms(clean)) == 0 || utf8.RuneCountInString(clean) < 2 || isPeriod(folded) {
			end()
			continue
		}
		run = append(run, clean)
		if clean != strings.TrimLeft(w, "(\"'") {
			end() // a comma, or the like, ends a name
		}
	}
	end()
	return names
}

// isProduct reports whether a word is a type's name: letters and digits, as in TD-310.
func isProduct(w string) bool {
	return strings.ContainsFunc(w, unicode.IsDigit) && strings.ContainsFunc(w, unicode.IsUpper)
}

// isPeriod reports whether a word is a year, a quarter or a version.
func isPeriod(w string) bool {
	if strings.TrimLeft(w, "0123456789.") == "" {
		return true
	}
	rest := strings.TrimLeft(w, "qhfyv")
	return len(w)-len(rest) <= 2 && strings.Trim(rest, "0123456789.") == ""
}

// bare is a word in lower case without accents and the signs around it.
func bare(w string) string { return strings.Trim(fold(w), ".,;:()\"'–—-|/") }

func startsUpper(w string) bool {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(w, "(\"'"))
	return unicode.IsUpper(r)
}
