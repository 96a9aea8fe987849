package assistants

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"footnote/assistants/lexical"
)

// Bounds of synonyms.
const (
	MaxSynonyms       = 1000 // lines
	MaxSynonymLine    = 200  // code points
	MaxSynonymPhrases = 16   // of a line, and others that one phrase may stand for
)

// Names of the built-in synonyms.
const (
	PackBusiness  = "business"
	PackLegal     = "legal"
	PackHR        = "hr"
	PackTechnical = "technical"
)

// SynonymPacks returns the names of the built-in synonyms.
func SynonymPacks() []string {
	return []string{PackBusiness, PackLegal, PackHR, PackTechnical}
}

// A Synonym says that a question with a phrase of From may be about a passage with one of
// To.
type Synonym struct{ From, To []string }

const synonymArrow = "=>"

// ParseSynonym reads a line of synonyms: "a, b" are phrases that mean the same, and in
// "a, b => c, d" the phrases before the arrow may stand for those after it. A phrase with
// a comma is quoted as in CSV, and so may be the whole line. The error is a sentence for
// the one who wrote the line.
func ParseSynonym(line string) (Synonym, error) {
	sides, err := sidesOf(line)
	if err == nil && len(sides) == 1 && len(sides[0]) == 1 && strings.HasPrefix(strings.TrimSpace(line), `"`) {
		sides, err = sidesOf(sides[0][0])
	}
	if err != nil {
		return Synonym{}, err
	}
	from, to := sides[0], sides[len(sides)-1]
	count := 0
	for _, side := range sides {
		count += len(side)
	}
	switch {
	case len(sides) > 2:
		return Synonym{}, fmt.Errorf("has more than one %s", synonymArrow)
	case count > MaxSynonymPhrases:
		return Synonym{}, fmt.Errorf("has more than %d phrases", MaxSynonymPhrases)
	case len(sides) == 1 && len(from) < 2:
		return Synonym{}, errors.New("needs two phrases or more, separated by commas")
	case len(from) == 0 || len(to) == 0:
		return Synonym{}, fmt.Errorf("needs a phrase on either side of %s", synonymArrow)
	case !slices.ContainsFunc(from, func(a string) bool {
		return hasWord(a) && slices.ContainsFunc(to, func(b string) bool { return hasWord(b) && !strings.EqualFold(a, b) })
	}):
		return Synonym{}, errors.New(`does nothing: it needs two different phrases, each with another word than "the", "of" and the like`)
	}
	return Synonym{From: from, To: to}, nil
}

// ParseAbbreviation reads a line of synonyms that has an abbreviation and its meaning. The
// error is a sentence for the one who wrote the line.
func ParseAbbreviation(line string) (Synonym, error) {
	s, err := ParseSynonym(line)
	if err == nil && (len(s.From) != 2 || !slices.Equal(s.From, s.To) || !hasWord(s.From[0]) || !hasWord(s.From[1])) {
		err = errors.New("needs an abbreviation, a comma and its meaning")
	}
	return s, err
}

// SynonymLine returns the line of phrases that mean the same.
func SynonymLine(phrases ...string) string {
	line := make([]string, len(phrases))
	for i, phrase := range phrases {
		line[i] = phrase
		if strings.ContainsAny(phrase, `",;#`) || strings.Contains(phrase, synonymArrow) {
			line[i] = `"` + strings.ReplaceAll(phrase, `"`, `""`) + `"`
		}
	}
	return strings.Join(line, ", ")
}

// hasWord reports whether a phrase has a word that is looked for.
func hasWord(phrase string) bool { return len(lexical.PhraseWords(phrase)) > 0 }

// sidesOf returns the phrases of a line, on each side of its arrows.
func sidesOf(line string) ([][]string, error) {
	sides := [][]string{nil}
	for rest := line; ; {
		phrase, after, err := nextPhrase(rest)
		if err != nil {
			return nil, err
		}
		side := &sides[len(sides)-1]
		if phrase != "" && !slices.ContainsFunc(*side, func(known string) bool { return strings.EqualFold(known, phrase) }) {
			*side = append(*side, phrase)
		}
		switch {
		case after == "":
			return sides, nil
		case after[0] == ',':
			rest = after[1:]
		default:
			sides = append(sides, nil)
			rest = after[len(synonymArrow):]
		}
	}
}

// nextPhrase returns the first phrase of a text, and the text from the comma or arrow
// behind it.
func nextPhrase(text string) (phrase, after string, err error) {
	unclear := errors.New("has a quotation mark that is not closed, or one inside of a phrase")
	text = strings.TrimSpace(text)
	end := 0
	if inner, quoted := strings.CutPrefix(text, `"`); quoted {
		for {
			part, rest, closed := strings.Cut(inner, `"`)
			if !closed {
				return "", "", unclear
			}
			phrase += part
			if inner, quoted = strings.CutPrefix(rest, `"`); !quoted {
				text = strings.TrimSpace(rest)
				break
			}
			phrase += `"`
		}
		if text != "" && text[0] != ',' && !strings.HasPrefix(text, synonymArrow) {
			return "", "", unclear
		}
	} else {
		end = len(text)
		for _, separator := range []string{",", synonymArrow} {
			if i := strings.Index(text[:end], separator); i >= 0 {
				end = i
			}
		}
		phrase = text[:end]
		switch {
		case strings.Contains(phrase, `"`):
			return "", "", unclear
		case strings.Contains(phrase, ";"):
			return "", "", errors.New("has a semicolon: separate phrases by commas, or quote the phrase")
		}
	}
	phrase = strings.TrimSpace(phrase)
	if phrase != "" && !strings.ContainsFunc(phrase, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return "", "", errors.New("has a phrase without a letter or digit")
	}
	return phrase, text[end:], nil
}

// CheckSynonyms checks lines of synonyms. Its error is a [FieldError] of the field.
func CheckSynonyms(field string, lines []string) error {
	return checkSynonyms(field, lines, func(i int) int { return i + 1 })
}

// checkSynonyms checks lines of synonyms. number is that of a line for the error.
func checkSynonyms(field string, lines []string, number func(i int) int) error {
	if len(lines) > MaxSynonyms {
		return &FieldError{Field: field, Message: fmt.Sprintf("%s has at most %d lines.", field, MaxSynonyms)}
	}
	for i, line := range lines {
		refuse := func(why string) error {
			return &FieldError{Field: field, Message: fmt.Sprintf("%s: line %d %s.", field, number(i), why)}
		}
		if !utf8.ValidString(line) || strings.ContainsFunc(line, unicode.IsControl) {
			return refuse("must be text without line ends and other control characters")
		}
		if utf8.RuneCountInString(line) > MaxSynonymLine {
			return refuse(fmt.Sprintf("has more than %d characters", MaxSynonymLine))
		}
		if strings.HasPrefix(strings.TrimSpace(line), "#") {
			return refuse("begins with #, as only comments in files do; quote the phrase")
		}
		if _, err := ParseSynonym(line); err != nil {
			return refuse(err.Error())
		}
	}
	return nil
}

// ReadSynonyms returns the lines of a CSV file of synonyms, checked. Its error is a
// [FieldError] of the field.
func ReadSynonyms(field, file string) ([]string, error) {
	if !utf8.ValidString(file) || strings.Contains(file, "\x00") { // UTF-16 has zeros
		return nil, &FieldError{Field: field, Message: field + ": the file must be UTF-8."}
	}
	lines, numbers := linesOf(file)
	return lines, checkSynonyms(field, lines, func(i int) int { return numbers[i] })
}

// SynonymLines returns the lines of a CSV file of synonyms, without those that are empty
// or comments, which begin with #. A file without a comma may have semicolons.
func SynonymLines(file string) []string {
	lines, _ := linesOf(file)
	return lines
}

// linesOf returns the lines and their numbers in the file.
func linesOf(file string) (lines []string, numbers []int) {
	lines = []string{}
	semicolons := !strings.Contains(file, ",")
	number := 0
	for line := range strings.Lines(strings.TrimPrefix(file, "\ufeff")) {
		number++
		if semicolons {
			line = withCommas(line)
		}
		if line = strings.Trim(strings.TrimSpace(line), ", \t"); line != "" && line[0] != '#' {
			lines = append(lines, line)
			numbers = append(numbers, number)
		}
	}
	return lines, numbers
}

// withCommas returns a line with commas in place of semicolons that are not quoted.
func withCommas(line string) string {
	parts := strings.Split(line, `"`)
	for i := 0; i < len(parts); i += 2 {
		parts[i] = strings.ReplaceAll(parts[i], ";", ",")
	}
	return strings.Join(parts, `"`)
}
