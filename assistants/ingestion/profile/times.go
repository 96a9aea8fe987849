package profile

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"footnote/assistants"
	"footnote/assistants/lexical"
)

// maxFrontYears is the largest number of years of a first page that say what the document
// is about. A page with more of them compares years, or is a history.
const maxFrontYears = 2

var quarters = map[string]string{"first": "Q1", "second": "Q2", "third": "Q3", "fourth": "Q4"}

// timesOf returns the years and periods of a document: those of its name and its title, or
// else of the first lines. The month in which a period ended that the first lines state is one, too.
func timesOf(name, title string, lines []string) (years []int, periods []string) {
	for _, text := range []string{name, title} {
		years, periods = addTimes(text, years, periods)
	}
	if len(years) == 0 {
		var more []int
		var within []string
		for _, line := range lines[:min(len(lines), 15)] {
			if !strings.Contains(line, "©") && !containsOne("other years", line) {
				more, within = addTimes(line, more, within)
			}
		}
		if len(more) <= maxFrontYears {
			years = more
			for _, p := range within {
				if !slices.Contains(periods, p) {
					periods = append(periods, p)
				}
			}
		}
	}
	periods = append(periods, slices.DeleteFunc(statedPeriod(lines, years), func(p string) bool { return slices.Contains(periods, p) })...)
	slices.Sort(years)
	return years[:min(len(years), assistants.MaxProfileYears)], periods[:min(len(periods), assistants.MaxProfilePeriods)]
}

// statedPeriod returns the month in which the period of a report ended, if its first lines say so. That of a year far
// from the document's own is another one's.
func statedPeriod(lines []string, years []int) []string {
	for _, line := range lines {
		if !containsOne("its period", line) {
			continue
		}
		ended, periods := addTimes(line, nil, nil)
		isNear := func(year int) bool {
			return slices.ContainsFunc(ended, func(e int) bool { return e-1 <= year && year <= e+1 })
		}
		if len(periods) > 0 && (len(years) == 0 || slices.ContainsFunc(years, isNear)) {
			return periods
		}
	}
	return nil
}

// addTimes adds the years and periods of a text.
func addTimes(text string, years []int, periods []string) ([]int, []string) {
	words, written := timeWords(text)
	add := func(period string) {
		if !slices.Contains(periods, period) {
			periods = append(periods, period)
		}
	}
	for i, w := range words {
		year := yearOf(w)
		if year == 0 {
			continue
		}
		if !slices.Contains(years, year) {
			years = append(years, year)
		}
		// A period stands before or after its year: "Q3 2024", "2024 Q3", "31 March 2024".
		for _, beside := range [][2]int{{max(0, i-4), i}, {i + 1, min(len(words), i+2)}} {
			if part := partOfYear(words[beside[0]:beside[1]], written[beside[0]:beside[1]]); part != "" {
				add(part + " " + strconv.Itoa(year))
				break
			}
		}
	}
	return years, periods
}

// timeWords are the words of a text, folded, with letters apart from years: FY2021 gives
// fy and 2021.
func timeWords(text string) (folded, written []string) {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.Mn, r) }) {
		w := fold(word)
		switch n := len(w); {
		case w == "": // a mark alone
		case n > 4 && n <= 6 && yearOf(w[n-4:]) != 0 && (strings.HasPrefix(w, "fy") || w[0] == 'q' || w[0] == 'h'):
			folded, written = append(folded, w[:n-4], w[n-4:]), append(written, w[:n-4], w[n-4:])
		case n == 6 && yearOf(w[:4]) != 0 && (w[4] == 'q' || w[4] == 'h' || w[5] == 'q'):
			folded, written = append(folded, w[:4], w[4:]), append(written, w[:4], w[4:])
		default:
			folded, written = append(folded, w), append(written, word)
		}
	}
	return folded, written
}

func yearOf(w string) int {
	n, err := strconv.Atoi(w)
	if err != nil || len(w) != 4 || n < assistants.FirstProfileYear || n > assistants.LastProfileYear {
		return 0
	}
	return n
}

// partOfYear returns the quarter, half or month among a few words, in a form that does not
// depend on the language, but the names of months, which are as they were.
func partOfYear(words, written []string) string {
	for i := len(words) - 1; i >= 0; i-- {
		w := words[i]
		if len(w) == 2 && (w[0] == 'q' && w[1] >= '1' && w[1] <= '4' || w[0] == 'h' && (w[1] == '1' || w[1] == '2')) {
			return strings.ToUpper(w)
		}
		if len(w) == 2 && w[1] == 'q' && w[0] >= '1' && w[0] <= '4' {
			return "Q" + w[:1]
		}
		if yearOf(w) != 0 {
			return "" // what stands before another year is of that year
		}
		if lexical.Month(w) != 0 {
			return capitalised(written[i])
		}
	}
	text := " " + strings.Join(words, " ") + " "
	for ordinal, q := range quarters {
		for _, phrase := range lists[ordinal+" quarter"] {
			if strings.Contains(text, " "+phrase+" ") {
				return q
			}
		}
	}
	return ""
}

// capitalised returns a word with its accents in one form, and only its first letter in
// upper case.
func capitalised(word string) string {
	word = norm.NFC.String(strings.ToLower(word))
	first, size := utf8.DecodeRuneInString(word)
	return string(unicode.ToUpper(first)) + word[size:]
}
