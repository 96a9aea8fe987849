package extractive

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"footnote/assistants/lexical"
	"footnote/citations/tables"
	"footnote/proxy/upstream"
)

// A sentence of a passage with its surroundings. Sets of terms are shared between
// sentences and never changed.
type sentence struct {
	passage int    // its position in the call's passages
	place   int    // its position under its heading
	quote   string // in the form for an answer
	said    string // the quote without what its table says of it
	worth   float64
	refers  bool // its subject is in the sentence before
	title   bool // it looks like a title
	terms   map[string]bool
	heading map[string]bool   // of the heading above it, or the head of its table
	before  map[string]bool   // of the sentence before it
	around  []map[string]bool // of the sentences of its passage near it
	name    map[string]bool   // of its document
}

// speaksOf reports whether a term is in the sentence or above it.
func (s *sentence) speaksOf(term string) bool { return s.terms[term] || s.heading[term] }

// split divides the passages into sentences that can be quoted. Headings and heads
// of tables are not quoted; they count for the sentences below them.
func split(passages []upstream.Passage) []sentence {
	var out []sentence
	for i, p := range passages {
		sentences := splitPassage(i, p)
		for j := range sentences {
			s := &sentences[j]
			for k := max(0, j-nearby); k < min(len(sentences), j+nearby+1); k++ {
				if k != j {
					s.around = append(s.around, sentences[k].terms)
				}
			}
		}
		out = append(out, sentences...)
	}
	return out
}

// nearby is how many sentences before and after one are around it.
const nearby = 3

// refers matches sentences whose subject is in the sentence before.
var refers = regexp.MustCompile(`(?i)^(they|it|this|these|those|both|he|she|sie|es|er|diese[rsn]?|dies|dabei|dafür|davon)\b`)

func splitPassage(index int, p upstream.Passage) []sentence {
	parts := partsOf(p.Text)
	rows := rowsOf(p, parts)
	name := termSet(p.Name)
	var (
		out    []sentence
		before map[string]bool
	)
	heading, place := termSet(p.Section), 0
	for i, this := range parts {
		var next part
		if i+1 < len(parts) {
			next = parts[i+1]
		}
		raw := this.text
		if this.cells != nil {
			if r := rows[i]; r.quote != "" {
				out = append(out, sentence{
					passage: index, place: place, quote: r.quote, said: r.said, worth: 1, terms: termSet(r.said),
					heading: heading, before: r.head, name: name,
				})
			}
			continue
		}
		if isHeading(raw, next.text) || p.Section != "" && strings.HasSuffix(raw, p.Section) && len(raw) <= len(p.Section)+maxNumbering {
			heading, before, place = termSet(raw), nil, 0
			continue
		}
		above := next.cells != nil && namesTable(raw)
		if above {
			heading, before, place = joined(heading, termSet(raw)), nil, 0
		}
		quote := clean(raw)
		if quote == "" {
			continue
		}
		s := sentence{
			passage: index, place: place, quote: quote, said: quote, terms: termSet(quote), heading: heading, before: before, name: name,
			refers: before != nil && refers.MatchString(quote), worth: worth(raw, quote, i == 0, i == len(parts)-1),
			title: above || quote == raw && isTitle(quote),
		}
		before = s.terms
		place++
		out = append(out, s)
	}
	return out
}

// isTitle reports whether a quote looks like a title: a few words without a number, except for
// the year of a name, and without a full stop or, as run-in titles, with capital letters: "1996 Stock
// Purchase Plan."
func isTitle(quote string) bool {
	words := strings.Fields(quote)
	if len(words) > 8 || strings.ContainsFunc(yearOfName.ReplaceAllString(quote, ""), unicode.IsDigit) {
		return false
	}
	return !endsAsSaid.MatchString(quote) || len(words) > 1 && !slices.ContainsFunc(words, isSmall)
}

// isSmall reports whether a word has a small letter at its beginning where titles have a capital one.
func isSmall(word string) bool {
	first, _ := utf8.DecodeRuneInString(word)
	return unicode.IsLower(first) && utf8.RuneCountInString(word) > 3
}

var yearOfName = regexp.MustCompile(`^(?:19|20)\d\d \p{Lu}`)

// maxNumbering is the longest number in front of a heading, in bytes.
const maxNumbering = 12

// A part of a text is a sentence or a row of a table.
type part struct {
	text  string
	cells []string // nil: no row
	apart bool     // an empty line stands before the row
}

// partsOf divides a text into sentences and rows of tables.
func partsOf(text string) []part {
	raw := strings.SplitAfter(text, "\n")
	lines := make([]tables.Line, len(raw))
	for i, line := range raw {
		lines[i] = tables.Line{Text: strings.TrimSpace(line), Cells: cellsOf(line)}
	}
	tables.DropLone(lines)
	var parts []part
	from, at := 0, 0 // where the text begins that is no row yet, and where the line does
	for i, line := range lines {
		if line.Cells != nil {
			apart := i > 0 && lines[i-1].Text == ""
			parts = append(appendSentences(parts, text[from:at]), part{line.Text, line.Cells, apart})
			from = at + len(raw[i])
		}
		at += len(raw[i])
	}
	return appendSentences(parts, text[from:])
}

func appendSentences(parts []part, text string) []part {
	for _, span := range lexical.Sentences(text) {
		parts = append(parts, part{text: text[span.Start:span.End]})
	}
	return parts
}

func termSet(s string) map[string]bool {
	set := map[string]bool{}
	lexical.EachTerm(s, func(t lexical.Term) { set[t.Text] = true })
	return set
}

// worth is less than 1 for a sentence that would make a poor quote: a fragment at
// the edge of a passage, the announcement of a list, a question, a few words, or a
// page of text.
func worth(raw, quote string, first, last bool) float64 {
	w := 1.0
	begin, _ := utf8.DecodeRuneInString(quote)
	end, _ := utf8.DecodeLastRuneInString(quote)
	if first && unicode.IsLower(begin) {
		w *= 0.8
	}
	if last && !strings.ContainsRune(".!?。！？।…\"”’»」』)", end) && !strings.HasPrefix(raw, "|") {
		w *= 0.85
	}
	if end == ':' {
		w *= 0.7
	}
	if end == '?' || end == '？' {
		w *= 0.6
	}
	n := utf8.RuneCountInString(quote)
	switch {
	case n < 12:
		w *= 0.5
	case n > 400:
		w *= 0.75
	case n > 250:
		w *= 0.9
	}
	return w
}

// isHeading reports whether a sentence is a heading of the text after it: marked as
// one, or a short line without a full stop before a longer one.
func isHeading(raw, next string) bool {
	if strings.HasPrefix(raw, "#") {
		return true
	}
	end, _ := utf8.DecodeLastRuneInString(raw)
	if strings.ContainsRune(".!?。！？।:;,…)", end) || strings.ContainsAny(raw, "\n\t") {
		return false
	}
	return next != "" && len(strings.Fields(raw)) <= 8 && utf8.RuneCountInString(raw) <= 60 &&
		(2*len(raw) < len(next) || numbered.MatchString(raw)) && clean(raw) == raw
}

// numbered matches the beginning of a heading with a number ("6.5 Safety"), not an amount
// ("2.4 GHz", "3.5 mm").
var numbered = regexp.MustCompile(`^\p{Nd}+(?:\.\p{Nd}+)+\.? \p{Lu}\p{Ll}{2}`)

// joined returns the terms of both sets.
func joined(a, b map[string]bool) map[string]bool {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}

// namesTable reports whether the text above a table may be its title, or the units of its
// amounts. A sentence is none, nor is "Deposit: 500" or another amount.
func namesTable(text string) bool {
	text = years.ReplaceAllString(dates.ReplaceAllString(asides.ReplaceAllString(text, ""), ""), "")
	return !endsAsSaid.MatchString(text) && !strings.Contains(text, ":") && !strings.ContainsFunc(text, unicode.IsDigit)
}

var (
	asides = regexp.MustCompile(`\([^()]*\)`)
	years  = regexp.MustCompile(`\b(?:19|20)\d\d\b`)
)
