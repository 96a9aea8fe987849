package assistants

import (
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of synonyms.
const (
	MaxSynonyms       = 1000 // lines
	MaxSynonymLine    = 200  // code points
	MaxSynonymPhrases = 16   // in a line, and that one phrase may stand for
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

var errTooManyPhrases = fmt.Errorf("has more than %d phrases", MaxSynonymPhrases)

const synonymArrow = "=>"

// ParseSynonym reads a line of synonyms: "a, b" are phrases that mean the same, and in
// "a, b => c, d" the phrases before the arrow may stand for those after it. A phrase with
// a comma is quoted as in CSV. The error is a sentence for the one who wrote the line.
func ParseSynonym(line string) (Synonym, error) {
	left, right, oneWay := strings.Cut(line, synonymArrow)
	from, err := phrasesOf(left)
	if err != nil {
		return Synonym{}, err
	}
	if !oneWay {
		if len(from) < 2 {
			return Synonym{}, errors.New("needs two phrases or more, separated by commas")
		}
		return Synonym{From: from, To: from}, nil
	}
	to, err := phrasesOf(right)
	if err != nil {
		return Synonym{}, err
	}
	if len(from)+len(to) > MaxSynonymPhrases {
		return Synonym{}, errTooManyPhrases
	}
	if len(from) == 0 || len(to) == 0 {
		return Synonym{}, fmt.Errorf("needs a phrase on either side of %s", synonymArrow)
	}
	return Synonym{From: from, To: to}, nil
}

// phrasesOf reads one side of a line.
func phrasesOf(side string) ([]string, error) {
	if strings.TrimSpace(side) == "" {
		return nil, nil
	}
	r := csv.NewReader(strings.NewReader(side))
	r.TrimLeadingSpace = true
	record, err := r.Read()
	if err != nil {
		return nil, errors.New("has a quotation mark that is not closed, or one inside of a phrase")
	}
	var phrases []string
	for _, phrase := range record {
		phrase = strings.TrimSpace(phrase)
		if phrase == "" {
			continue
		}
		if strings.IndexFunc(phrase, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) < 0 {
			return nil, errors.New("has a phrase without a letter or digit")
		}
		if !slices.Contains(phrases, phrase) {
			phrases = append(phrases, phrase)
		}
	}
	if len(phrases) > MaxSynonymPhrases {
		return nil, errTooManyPhrases
	}
	return phrases, nil
}

// CheckSynonyms checks lines of synonyms. Its error is a [FieldError] of the field.
func CheckSynonyms(field string, lines []string) error {
	if len(lines) > MaxSynonyms {
		return &FieldError{Field: field, Message: fmt.Sprintf("%s has at most %d lines.", field, MaxSynonyms)}
	}
	for i, line := range lines {
		refuse := func(why string) error {
			return &FieldError{Field: field, Message: fmt.Sprintf("%s: line %d %s.", field, i+1, why)}
		}
		if !utf8.ValidString(line) || strings.ContainsFunc(line, unicode.IsControl) {
			return refuse("must be text without line ends and other control characters")
		}
		if utf8.RuneCountInString(line) > MaxSynonymLine {
			return refuse(fmt.Sprintf("has more than %d characters", MaxSynonymLine))
		}
		if _, err := ParseSynonym(line); err != nil {
			return refuse(err.Error())
		}
	}
	return nil
}

// SynonymLines returns the lines of a CSV file of synonyms, without those that are empty
// or comments, which begin with #.
func SynonymLines(file string) []string {
	lines := []string{}
	for line := range strings.Lines(strings.TrimPrefix(file, "\ufeff")) {
		if line = strings.Trim(strings.TrimSpace(line), ", \t"); line != "" && line[0] != '#' {
			lines = append(lines, line)
		}
	}
	return lines
}
