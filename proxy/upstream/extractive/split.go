package extractive

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"footnote/assistants/lexical"
	"footnote/proxy/upstream"
)

// A sentence of a passage with its surroundings. Sets of terms are shared between
// sentences and never changed.
type sentence struct {
	passage int    // its position in the call's passages
	place   int    // its position under its heading
	quote   string // in the form for an answer
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
	spans := spansOf(p.Text)
	name := termSet(p.Name)
	var (
		out    []sentence
		before map[string]bool
		t      table
	)
	heading, place := termSet(p.Section), 0
	t.continues(p.TableHeader)
	for i, span := range spans {
		raw := p.Text[span.Start:span.End]
		next := ""
		if i+1 < len(spans) {
			next = p.Text[spans[i+1].Start:spans[i+1].End]
		}
		if cells := cellsOf(raw); cells != nil {
			if quote, ok := t.row(cells, cellsOf(next)); ok {
				out = append(out, sentence{
					passage: index, place: place, quote: quote, worth: 1, terms: termSet(quote),
					heading: heading, before: t.headTerms, name: name,
				})
			}
			continue
		}
		t = table{}
		if isHeading(raw, next) || p.Section != "" && strings.HasSuffix(raw, p.Section) && len(raw) <= len(p.Section)+maxNumbering {
			heading, before, place = termSet(raw), nil, 0
			continue
		}
		above := cellsOf(next) != nil && namesTable(raw)
		if above {
			heading, before, place = joined(heading, termSet(raw)), nil, 0
		}
		quote := clean(raw)
		if quote == "" {
			continue
		}
		s := sentence{
			passage: index, place: place, quote: quote, terms: termSet(quote), heading: heading, before: before, name: name,
			refers: before != nil && refers.MatchString(quote), worth: worth(raw, quote, i == 0, i == len(spans)-1),
			title: above || quote == raw && len(strings.Fields(quote)) <= 8 && !endsAsSaid.MatchString(quote) && !strings.ContainsFunc(quote, unicode.IsDigit),
		}
		before = s.terms
		place++
		out = append(out, s)
	}
	return out
}

// maxNumbering is the longest number in front of a heading, in bytes.
const maxNumbering = 12

// spansOf divides a text into sentences and rows of tables. One line with a bar between
// others that have none is no table ("ls | wc").
func spansOf(text string) []lexical.Span {
	var out []lexical.Span
	for _, span := range lexical.Sentences(text) {
		first := len(out)
		rows, from := 0, span.Start
		for line := from; line < span.End; {
			next := span.End
			if i := strings.IndexByte(text[line:span.End], '\n'); i >= 0 {
				next = line + i + 1
			}
			if cellsOf(text[line:next]) != nil {
				out = appendSpan(appendSpan(out, text, from, line), text, line, next)
				rows++
				from = next
			}
			line = next
		}
		if rows < 2 {
			out = append(out[:first], span)
		} else {
			out = appendSpan(out, text, from, span.End)
		}
	}
	return out
}

// appendSpan appends a part of a text without the spaces around it, if anything is left.
func appendSpan(out []lexical.Span, text string, start, end int) []lexical.Span {
	s := strings.TrimLeftFunc(text[start:end], unicode.IsSpace)
	start = end - len(s)
	if s = strings.TrimRightFunc(s, unicode.IsSpace); s != "" {
		out = append(out, lexical.Span{Start: start, End: start + len(s)})
	}
	return out
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

// cellsOf splits the row of a table; nil if the text is not a row. Markdown and the
// extracted text of other formats separate cells with bars or tabs.
func cellsOf(raw string) []string {
	raw = strings.TrimSpace(raw)
	separator := "|"
	switch {
	case strings.Contains(raw, "\n"):
		return nil
	case strings.HasPrefix(raw, "|"), strings.Contains(raw, " | "):
		raw = strings.TrimSuffix(strings.TrimPrefix(raw, "|"), "|")
	case strings.Contains(raw, "\t"):
		separator = "\t"
	default:
		return nil
	}
	cells := strings.Split(raw, separator)
	if len(cells) < 2 {
		return nil
	}
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	return cells
}

// withCurrencies puts the signs of currencies that have a cell of their own into that of their
// amount: "Cash | $ | 24" has two cells.
func withCurrencies(cells []string) []string {
	for i := len(cells) - 2; i > 0; i-- {
		if currency.MatchString(cells[i]) && strings.ContainsFunc(cells[i+1], unicode.IsDigit) {
			cells[i+1] = cells[i] + " " + cells[i+1]
			cells = slices.Delete(cells, i, i+1)
		}
	}
	return cells
}

var currency = regexp.MustCompile(`^(?:(?:\p{Lu}{1,2})?\p{Sc}|CHF|EUR|USD|GBP)$`)

// A table is the state of the table being read.
type table struct {
	begun     bool
	head      []string
	headTerms map[string]bool
}

// continues takes the header of a table that began in an earlier passage.
func (t *table) continues(header string) {
	for line := range strings.Lines(header) {
		if cells := cellsOf(line); cells != nil && !isRule(cells) {
			t.begun, t.head, t.headTerms = true, cells, termSet(header)
		}
	}
}

// row takes the next row. The first one is the head if a rule follows it, if its
// columns are years, or if it has no number and the row after it has one. ok is false
// for rows that state nothing: heads and rules.
func (t *table) row(cells, next []string) (quote string, ok bool) {
	if isRule(cells) {
		return "", false
	}
	if len(cells) != len(t.head) {
		cells = withCurrencies(cells)
	}
	if len(cells) != len(next) {
		next = withCurrencies(next)
	}
	if !t.begun && arePeriods(cells) && (next == nil || len(next) > len(cells)) { // the labels have no name
		t.begun, t.head, t.headTerms = true, cells, termSet(strings.Join(cells, " "))
		return "", false
	}
	if !t.begun {
		t.begun = true
		ofPeriods := arePeriods(cells[1:])
		if len(next) == len(cells) && (isRule(next) || !anyNumber(cells) && anyNumber(next) || ofPeriods) {
			t.head = slices.Clone(cells)
			if ofPeriods {
				t.head[0] = "" // "Years ended" is said of the columns
			}
			t.headTerms = termSet(strings.Join(cells, " "))
			return "", false
		}
	}
	head := t.head
	if arePeriods(head) {
		head = append([]string{""}, head...)
	}
	parts := make([]string, 0, len(cells))
	for i, cell := range cells {
		cell = clean(cell)
		if cell == "" {
			continue
		}
		if len(head) == len(cells) && head[i] != "" {
			cell = strings.TrimRight(clean(head[i]), ":") + ": " + cell
		}
		parts = append(parts, cell)
	}
	// Again, because joining put new signs after the ends of cells ("Price $:").
	return shorten(mathless(strings.Join(parts, "; "))), len(parts) > 1
}

// isRule reports whether a row is the line under a head: |---|:-:|.
func isRule(cells []string) bool {
	for _, c := range cells {
		if !strings.Contains(c, "-") || strings.Trim(c, ":-= ") != "" {
			return false
		}
	}
	return len(cells) > 0
}

// period matches a cell that names a year, a quarter or a date and nothing else.
var period = regexp.MustCompile(`(?i)^(?:(?:fy|fiscal|q[1-4]|[1-4]q|h[12]|as of|\p{L}{3,9}\.? \d{1,2},?)[ /]?)*(?:19|20)\d\d[EA]?$`)

func arePeriods(cells []string) bool {
	for _, c := range cells {
		if !period.MatchString(c) {
			return false
		}
	}
	return true
}

func anyNumber(cells []string) bool {
	for _, c := range cells {
		if strings.ContainsFunc(c, unicode.IsDigit) {
			return true
		}
	}
	return false
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

// joined returns the terms of both sets.
func joined(a, b map[string]bool) map[string]bool {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}
