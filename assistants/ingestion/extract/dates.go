package extract

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// IsYear reports whether a word is a year from 1900 to 2099.
func IsYear(word string) bool {
	return len(word) == 4 && (word[:2] == "19" || word[:2] == "20") && word[2] >= '0' && word[2] <= '9' && word[3] >= '0' && word[3] <= '9'
}

// isNames reports whether a line has the names of columns that are years or have years in
// them: "2019 2018", "Budget 2019 Actual 2019". Remarks in parentheses may be between them.
// A word after more years is another line, which a reader has put there: "2019 2018 Revenue".
func isNames(line string) bool {
	years, words, depth := 0, 0, 0
	first, last := false, false // the first word is a year, the last one is
	for i, w := range strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '|' }) {
		inside := depth > 0 || strings.HasPrefix(w, "(")
		depth += strings.Count(w, "(") - strings.Count(w, ")")
		if inside {
			continue
		}
		year := IsYear(w)
		if i == 0 {
			first = year
		}
		letter, _ := utf8.DecodeRuneInString(w)
		switch {
		case year && !first && last:
			return false // the words before belong to one year only
		case year:
			years++
		case !unicode.IsLetter(letter) || unicode.IsLower(letter):
			return false
		default:
			words++
		}
		last = year
	}
	return years > 0 && words == 0 || years >= 2 && years <= words && words <= 2*years && (first || last)
}

// startsWithDate reports whether a line begins with a day of a year: "December 31, 2019",
// "31. Dezember 2019", "31.12.2019".
func startsWithDate(line string) bool {
	words := strings.Fields(line)
	if len(words) == 0 {
		return false
	}
	if parts := strings.FieldsFunc(words[0], func(r rune) bool { return r == '.' || r == '/' || r == '-' }); len(parts) == 3 {
		return isDay(parts[0]) && IsYear(parts[2]) || IsYear(parts[0]) && isDay(parts[2])
	}
	if len(words) < 3 || !IsYear(strings.Trim(words[2], ",;:.")) {
		return false
	}
	day, month := words[0], words[1]
	if isDay(strings.TrimRight(month, ",.")) {
		day, month = month, day
	}
	return isDay(strings.TrimRight(day, ",.")) && !strings.ContainsFunc(strings.TrimSuffix(month, "."), func(r rune) bool { return !unicode.IsLetter(r) })
}

// IsDate reports whether a line is a day of a year and nothing else.
func IsDate(line string) bool {
	words := strings.Fields(line)
	switch len(words) {
	case 1:
		return startsWithDate(line)
	case 3:
		shortYear := isDay(words[0]) && isMonth(words[1]) && len(words[2]) == 2 && strings.Trim(words[2], "0123456789") == ""
		return shortYear || (isMonth(words[0]) || isMonth(words[1])) && startsWithDate(line)
	}
	return false
}

func isMonth(word string) bool {
	return slices.Contains(titleWords["month"], strings.ToLower(strings.Trim(word, ",.")))
}

// isDay reports whether a word is the number of a day in its month.
func isDay(word string) bool {
	day, err := strconv.Atoi(word)
	return err == nil && len(word) <= 2 && 1 <= day && day <= 31
}
