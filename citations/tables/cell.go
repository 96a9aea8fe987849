package tables

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// IsPeriod reports whether a text names a year, a quarter or a date, and nothing else.
func IsPeriod(text string) bool { return hasYear(text) && period.MatchString(text) }

// Words in expressions.
const (
	months     = `(?:jan|feb|mar|mär|apr|may|mai|jun|jui|jul|aug|sep|oct|okt|nov|dec|dez|gen|fév|avr|aoû|mag|giu|lug|ago|set|ott|dic|ene|abr)` // how they begin
	monthNames = `january|february|march|april|may|june|july|august|september|october|november|december|januar|februar|märz|mai|juni|juli|oktober|dezember`
	scales     = `(?:thousands|millions|billions|tausend|tsd\.?|mio\.?|mrd\.?|milliers|milliards|migliaia|milioni|miliardi|millones)`
	scaled     = `\p{Sc} ?(?:k|mn?|mio|bn|mrd)\b|['’‘]000\b|\b[tm]€|\bteur\b` // scales with a currency
	inYears    = `years?|ended|ending|months?|weeks?|quarters?|periods?|jahr|geschäftsjahr|exercice|esercizio|ejercicio`
)

// What cells are.
var (
	year   = regexp.MustCompile(`\b(?:19|20)\d\d\b`)
	period = regexp.MustCompile(`(?i)^(?:(?:fy|fiscal|q[1-4]|[1-4]q|h[12]|as of|\p{L}{3,9}\.? \d{1,2},?)[ /]?)*(?:19|20)\d\d[EA]?$`)
	amount = regexp.MustCompile(`^(?:[^\p{L}\p{Nd}]*\p{Nd}[\p{Nd}.,'’ ]*[^\p{L}\p{Nd}]*(?:\(\p{Nd}\))?|\p{Sc}? ?[-–—]+)$`)
	// A year with the sign of a currency, or with the mark of a note, names a column.
	yearIn     = regexp.MustCompile(`^(?:19|20)\d\d (?:\p{Sc}|\d)$`)
	currency   = regexp.MustCompile(`^(?:(?:\p{Lu}{1,2})?\p{Sc}|CHF|EUR|USD|GBP)$`)
	notes      = regexp.MustCompile(`(?i)^(?:notes?|note ?\(s\)|notes? no\.?|anhang|anmerkung)$`)
	noteNumber = regexp.MustCompile(`^(?:\d{1,2}(?:\.\d{1,2})?[a-z]?(?:\([a-z]+\))?|\([a-z]\))(?:, ?\d{1,2}[a-z]?)*$`)
)

// What names of columns have.
var (
	// The numbers in dates, spans of time, notes and levels.
	numbersOfNames = regexp.MustCompile(`(?i)\b(?:19|20)\d\d(?: \d)?\b|\b` + months + `\p{L}*\.? \d{1,2}\b|\b\d{1,2}\.? ` + months + `|\b\d{1,2}[./]\d{1,2}[./]|` +
		`\b\d{1,3}[ -](?:day|week|month|year)s?\b|\b\d{1,3}(?: ?--?|–| to| through) ?|\(\d{1,2}\)|\p{L}\d{1,2}\b|\b(?:level|tier|stage|phase|quarter|note) \d\b|['’‘]000\b`)
	yearAtEnd = regexp.MustCompile(`(?:19|20)\d\d$`)
	dayAtEnd  = regexp.MustCompile(`(?:(?:\p{L}{3,9}\.? \d{1,2}|\d{1,2}\.? \p{L}{3,9}),? )?(?:19|20)\d\d$`)
	ofYear    = regexp.MustCompile(`(?i)\b(?:for|` + inYears + `)\b`)
	timeWords = regexp.MustCompile(`(?i)\b(?:` + inYears + `|for|the|as|of|at|on|days?|fiscal|three|six|nine|twelve|balance|zum|per|am|im|stand|au|le|al|` + monthNames + `)\b`)
)

// What amounts are in.
var (
	unit = regexp.MustCompile(`(?i)\b` + scales + `(?:\P{L}|$)|` + scaled)
	// A unit stands in parentheses, or alone.
	inside    = regexp.MustCompile(`\(([^()]{1,80})\)`)
	amountsIn = regexp.MustCompile(`(?i)\bin (?:\S+ ){0,3}` + scales + `(?:\P{L}|$)|` + scaled)
	alone     = regexp.MustCompile(`(?i)^(?:(?:\S+ ){0,4}in (?:\S+ ){0,4}` + scales + `(?:,? (?:of|de|di|except|unless|von) .{1,60})?|` +
		`(?:20\d\d )?\p{L}{0,3}(?:\p{Sc} ?(?:k|mn?|mio|bn|mrd)\.?\d?|\p{Sc}? ?['’‘]000)|(?:mio|mrd|tsd)\.? ?(?:\p{L}{2,4}|\p{Sc})?|\p{L}{0,3} ?(?:mio|mrd|tsd)\.?|[tm]€|teur)$`)
	// A title may name a unit that has no scale: "(in dollars)".
	measured = regexp.MustCompile(`\((in \p{L}[^()]{1,40})\)`)
)

func hasYear(text string) bool { return anyDigit(text) && year.MatchString(text) }

// IsAmount reports whether a cell is a number with signs around it, or the sign for none.
func IsAmount(cell string) bool {
	return strings.Trim(cell, "-–—$€£¥ ") == "" && cell != "" && amount.MatchString(cell) ||
		anyDigit(cell) && amount.MatchString(cell) && !period.MatchString(cell) && !yearIn.MatchString(cell)
}

func isWord(cell string) bool { return !IsAmount(cell) }

func isNotes(cell string) bool { return notes.MatchString(cell) }

func isNoteNumber(cell string) bool { return noteNumber.MatchString(cell) }

func hasUnit(cell string) bool { return unit.MatchString(cell) }

// isAbout reports whether the cell above the labels says what is in the other columns.
func isAbout(cell string) bool {
	return cell == "" || IsPeriod(cell) || isNotes(cell) || unitOf(cell) != ""
}

// measureOf returns the unit without a scale that a title has in parentheses ("in dollars"), "" for none.
func measureOf(text string) string {
	if found := measured.FindStringSubmatch(text); found != nil {
		return found[1]
	}
	return ""
}

// areSuccessive reports whether years follow each other, as those of columns do. Other periods always do.
func areSuccessive(cells []string) bool {
	for i := 1; i < len(cells); i++ {
		a, errA := strconv.Atoi(cells[i-1])
		b, errB := strconv.Atoi(cells[i])
		if errA == nil && errB == nil && (a-b > 1 || b-a > 1) {
			return false
		}
	}
	return true
}

// areLong reports whether amounts have three digits and more, which the number of a note has not.
func areLong(cells []string) bool {
	return !slices.ContainsFunc(cells, func(c string) bool { return anyDigit(c) && digits(c) < 3 })
}

func digits(text string) (n int) {
	for _, r := range text {
		if unicode.IsDigit(r) {
			n++
		}
	}
	return n
}

// isUnit reports whether a name says nothing but what amounts are in.
func isUnit(name string) bool { return name != "" && unitOf(name) == name }

// unitOf returns what a text above a table says of its amounts ("in thousands"), "" for nothing.
func unitOf(text string) string {
	if !unit.MatchString(text) {
		return ""
	}
	text = strings.Join(strings.Fields(text), " ")
	for _, found := range inside.FindAllStringSubmatch(text, -1) {
		if amountsIn.MatchString(found[1]) {
			return found[1]
		}
	}
	if alone.MatchString(text) {
		return text
	}
	return ""
}

// hasUnitAlone reports whether a cell is a unit in parentheses. It is said of all columns.
func hasUnitAlone(cells []string) bool {
	return slices.ContainsFunc(cells, func(c string) bool { return strings.HasPrefix(c, "(") && unitOf(c) != "" })
}

// onlyUnit returns what all cells of a row that are not empty say of amounts; "" if one says
// something else.
func onlyUnit(cells []string) string {
	said := ""
	for _, c := range cells {
		if c == "" {
			continue
		}
		if said = unitOf(c); said == "" || !strings.HasPrefix(c, "(") {
			return ""
		}
	}
	return said
}

// periodOf returns a text that is only a period ("Year ended December 31, 2022"), "" for others.
func periodOf(text string) string {
	if !hasYear(text) {
		return ""
	}
	rest := timeWords.ReplaceAllString(numbersOfNames.ReplaceAllString(text, ""), "")
	if strings.ContainsFunc(rest, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return ""
	}
	return strings.Trim(strings.Join(strings.Fields(text), " "), ":, ")
}

// dayOf returns a text that is only a day ("At December 31, 2022"), "" for others. The year that a statement
// is for stands above it, but it has the year before, too.
func dayOf(text string) string {
	if ofYear.MatchString(text) {
		return ""
	}
	return periodOf(text)
}

// isJoined reports whether a cell has the signs of several amounts, or of one that is elsewhere.
func isJoined(cell string) bool {
	return strings.Count(cell, "$")+strings.Count(cell, "€")+strings.Count(cell, "£") > 1
}

// mayName reports whether the cells of a row may be names of columns: none is a value.
func mayName(cells []string) bool {
	return cells != nil && !isRule(cells) && !slices.ContainsFunc(cells, func(c string) bool {
		return IsAmount(c) && !hasUnit(c) || anyDigit(c) && anyDigit(numbersOfNames.ReplaceAllString(c, ""))
	})
}

func isCurrency(cell string) bool { return cell != "" && len(cell) < 8 && currency.MatchString(cell) }

// withSigns puts the signs of currencies and of percent that have a cell of their own into that of their
// amount: "Cash | $ | 24" has two cells.
func withSigns(cells []string) []string {
	if !slices.ContainsFunc(cells, func(c string) bool { return isCurrency(c) || isShareSign(c) }) {
		return cells
	}
	cells = slices.Clone(cells)
	for i := len(cells) - 1; i > 0; i-- {
		switch {
		case i+1 < len(cells) && isCurrency(cells[i]) && IsAmount(cells[i+1]):
			cells[i+1] = cells[i] + " " + cells[i+1]
			cells = slices.Delete(cells, i, i+1)
		case i > 1 && isShareSign(cells[i]) && IsAmount(cells[i-1]):
			cells[i-1] += " " + cells[i]
			cells = slices.Delete(cells, i, i+1)
		}
	}
	return cells
}

func isShareSign(cell string) bool { return cell == "%" || cell == "bps" || cell == "pp" }

// isRule reports whether a row is the line under a head: |---|:-:|.
func isRule(cells []string) bool {
	for _, c := range cells {
		if !strings.Contains(c, "-") || strings.Trim(c, ":-= ") != "" {
			return false
		}
	}
	return len(cells) > 0
}

func arePeriods(cells []string) bool {
	return !slices.ContainsFunc(cells, func(c string) bool { return !IsPeriod(c) })
}

func allDated(cells []string) bool {
	return len(cells) > 0 && !slices.ContainsFunc(cells, func(c string) bool { return !hasYear(c) })
}

func anyNumber(cells []string) bool { return slices.ContainsFunc(cells, anyDigit) }

func anyDigit(text string) bool { return strings.ContainsFunc(text, unicode.IsDigit) }
