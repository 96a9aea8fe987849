package retrieval

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"footnote/assistants/lexical"
)

// Parts of names and questions, in lower case.
var (
	// fiscal matches a year of which only the end is written, as in FY21.
	fiscal = regexp.MustCompile(`\b(?:fy|fiscal(?: year)?|gj|geschäftsjahr) ?'?(\d\d)\b`)
	// quarter matches a quarter of a year, as in Q3, 3Q and third quarter.
	quarter = regexp.MustCompile(`\b(?:(first|second|third|fourth|erstes?|zweites?|drittes?|viertes?)[ -]+quart(?:er|al)|quart(?:er|al) (\d)|(\d)q)\b`)
	// numbering matches what stands between a word and its number.
	numbering = regexp.MustCompile(`\b(?:no|nr|number|nummer)\b\.? *(\d)`)
)

var ordinals = map[string]string{"first": "1", "second": "2", "third": "3", "fourth": "4", "erstes": "1", "zweites": "2", "drittes": "3", "viertes": "4", "erste": "1", "zweite": "2", "dritte": "3", "vierte": "4"}

// hints are what a text contains that the expression of the same name can match: most
// texts contain none, and looking for them is far cheaper.
var (
	fiscalHints    = []string{"fy", "fiscal", "gj", "geschäftsjahr"}
	numberingHints = []string{"no", "nr", "number", "nummer"}
	quarterHints   = []string{"quart", "q"}
)

func containsAny(text string, hints []string) bool {
	return slices.ContainsFunc(hints, func(hint string) bool { return strings.Contains(text, hint) })
}

// partsOf returns the parts of a name or a question that can identify a document: its words
// without those that only join others, years, months of years, and words with the next word or number.
func partsOf(text string) map[string]bool {
	text = strings.ToLower(strings.ReplaceAll(text, "_", " "))
	if hasDigit(text) {
		if containsAny(text, fiscalHints) {
			text = fiscal.ReplaceAllString(text, "20$1")
		}
		if containsAny(text, numberingHints) {
			text = numbering.ReplaceAllString(text, "$1")
		}
	}
	if containsAny(text, quarterHints) {
		text = quarter.ReplaceAllStringFunc(text, func(m string) string {
			groups := quarter.FindStringSubmatch(m)
			return "q" + cmp.Or(ordinals[groups[1]], groups[2], groups[3])
		})
	}
	pieces := piecesOf(text)
	parts := make(map[string]bool, 2*len(pieces))
	for i, p := range pieces {
		p = base(p)
		pieces[i] = p
		switch {
		case p == "version", p == "ver":
			pieces[i] = "v"
		case isNumber(p) && !isYear(p), len(p) == 1:
			// Alone it says little; with the word before it, it may be a name.
		case len(lexical.Terms(p)) > 0:
			parts[p] = true
		}
		least := 1
		if isNumber(p) && isYear(p) {
			months := monthsBefore(pieces[:i])
			for _, month := range months {
				parts[monthPart(p, month)] = true
			}
			if len(months) > 0 {
				least = 2 // "april2024" would count once more for the last of them
			}
		}
		for n := least; n <= 2 && n <= i; n++ {
			if joined := strings.Join(pieces[i-n:i+1], ""); len(joined) > 1 {
				parts[joined] = true
			}
		}
	}
	return parts
}

// monthsBefore returns the numbers of the months that a date without its year names, in any way of writing: "June", "30
// June", "June 30th", "May and June", "May to June".
func monthsBefore(pieces []string) []int {
	end := len(pieces)
	for end > 0 && len(pieces)-end < 3 && isDayPart(pieces[end-1]) {
		end--
	}
	var months []int
	for end > 0 {
		month := monthOf(pieces[end-1])
		if month == 0 {
			break
		}
		months = append(months, month)
		if end--; end > 0 && joinsMonths[pieces[end-1]] {
			end--
		}
	}
	return months
}

// monthPart is the part for a month of a year.
func monthPart(year string, month int) string { return fmt.Sprintf("%s-%02d", year, month) }

// joinsMonths are words between two months of one year.
var joinsMonths = map[string]bool{"and": true, "or": true, "to": true, "through": true, "und": true, "oder": true, "bis": true, "et": true}

// monthOf returns the number of the month that a piece of a name or question is; 0: it is none. Those that are names
// as well are none: Mars, Marco (março), Jan.
func monthOf(p string) int {
	if p == "mars" || p == "marco" || p == "jan" {
		return 0
	}
	return cmp.Or(lexical.Month(p), lexical.ShortMonth(p))
}

// isDayPart reports whether a piece is a part of a day's number: "30", "th".
func isDayPart(p string) bool {
	switch p {
	case "st", "nd", "rd", "th":
		return true
	}
	return isNumber(p) && len(p) <= 2
}

// piecesOf returns the years, runs of letters and runs of digits of a text.
func piecesOf(text string) []string {
	var pieces []string
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		end := i + size
		switch {
		case startsWithYear(text[i:]):
			end = i + 4
		case r >= '0' && r <= '9':
			for end < len(text) && text[end] >= '0' && text[end] <= '9' {
				end++
			}
		case unicode.IsLetter(r):
			for end < len(text) {
				r, size = utf8.DecodeRuneInString(text[end:])
				if !unicode.IsLetter(r) && !unicode.IsMark(r) {
					break
				}
				end += size
			}
		default:
			i = end
			continue
		}
		pieces = append(pieces, text[i:end])
		i = end
	}
	return pieces
}

func startsWithYear(text string) bool {
	return len(text) >= 4 && (text[:2] == "19" || text[:2] == "20") && text[2]-'0' <= 9 && text[3]-'0' <= 9
}

// base is a piece, a plural of a longer word without its ending.
func base(p string) string {
	if len(p) > 4 && strings.HasSuffix(p, "s") && !strings.HasSuffix(p, "ss") {
		p = p[:len(p)-1]
	}
	return p
}

func hasDigit(text string) bool {
	for i := range len(text) {
		if text[i] >= '0' && text[i] <= '9' {
			return true
		}
	}
	return false
}

func isNumber(p string) bool { return p[0] >= '0' && p[0] <= '9' }

func isYear(p string) bool {
	return len(p) == 4 && (strings.HasPrefix(p, "19") || strings.HasPrefix(p, "20"))
}

// kindOf is a name without its numbers. Documents of one kind look alike.
func kindOf(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, withoutExtension(name))
}

// numbersOf are the numbers of a name, in order.
func numbersOf(name string) []int {
	var numbers []int
	for _, p := range piecesOf(withoutExtension(name)) {
		if n, err := strconv.Atoi(p); err == nil {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

// withoutExtension is a file's name without folders and without what says its format.
func withoutExtension(name string) string {
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	if dot := strings.LastIndexByte(name, '.'); dot > 0 && len(name)-dot <= 5 {
		name = name[:dot]
	}
	return name
}
