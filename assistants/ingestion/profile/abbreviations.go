package profile

import (
	"strings"
	"unicode"

	"footnote/assistants"
)

// Bounds of what defines an abbreviation.
const (
	shortestAbbreviation = 2   // letters
	longestAbbreviation  = 10  // letters, digits and what joins them
	longestMeaning       = 120 // bytes
	longestWord          = 40  // bytes
)

// quotes may stand around an abbreviation where it is defined.
const quotes = "\"'“”„‟‘’‚«»‹›"

// abbreviationsOf returns the abbreviations that a text defines, as lines of synonyms: "free
// cash flow (FCF)" and "FCF (free cash flow)" are "FCF, free cash flow". The first meaning of
// each counts. The rule is that of Schwartz and Hearst, "A simple algorithm for identifying
// abbreviation definitions in biomedical text" (2003), but stricter: each word has a letter.
func abbreviationsOf(text string) []string {
	var lines []string
	known := map[string]bool{}
	for at := 0; len(lines) < assistants.MaxProfileAbbreviations; {
		i := strings.IndexByte(text[at:], '(')
		if i < 0 {
			break
		}
		before := text[:at+i]
		at += i + 1
		end := strings.IndexAny(text[at:min(len(text), at+longestMeaning)], "()")
		if end < 0 || text[at+end] != ')' {
			continue
		}
		short, meaning := definition(before, text[at:at+end])
		if meaning == "" || known[short] {
			continue
		}
		if line := assistants.SynonymLine(short, meaning); assistants.CheckSynonyms("", []string{line}) == nil {
			lines, known[short] = append(lines, line), true
		}
	}
	return lines
}

// definition returns the abbreviation that words in parentheses define, together with the
// words before them, and its meaning; "" if there is none.
func definition(before, inside string) (short, meaning string) {
	if short = abbreviated(lastWord(inside)); short != "" {
		if meaning = meaningBefore(short, before); meaning != "" {
			return short, meaning
		}
	}
	words := strings.Fields(tidy(inside))
	if short = abbreviated(lastWord(before)); short != "" && standsFor(short, words) {
		return short, meant(words)
	}
	return "", ""
}

// lastWord returns the last word of a text, without quotation marks around it: in
// `hereinafter the "FDA"` it is FDA.
func lastWord(text string) string {
	text = strings.TrimRight(text[max(0, len(text)-longestWord):], " \n\t")
	return strings.Trim(text[strings.LastIndexAny(text, " \n\t")+1:], quotes)
}

// abbreviated returns a word if it looks like an abbreviation: at least half of its letters
// are capitals. The s of a plural is left out. Roman numerals are none.
func abbreviated(word string) string {
	if bare := strings.TrimSuffix(word, "s"); bare != word && strings.ToUpper(bare) == bare {
		word = bare
	}
	characters, letters, capitals := 0, 0, 0
	for _, r := range word {
		switch {
		case unicode.IsLetter(r):
			letters++
			if unicode.IsUpper(r) {
				capitals++
			}
		case !unicode.IsDigit(r) && !strings.ContainsRune("&-/.", r):
			return ""
		}
		characters++
	}
	if characters > longestAbbreviation || letters < shortestAbbreviation || capitals < 2 || 2*capitals < letters || strings.Trim(word, "IVX") == "" {
		return ""
	}
	return word
}

// meaningBefore returns the words at the end of a text that an abbreviation stands for: as
// few as have its letters. They are of one sentence.
func meaningBefore(short, text string) string {
	text = text[max(0, len(text)-longestMeaning):]
	text = text[strings.LastIndexAny(text, ".;:!?()|")+1:]
	text = text[strings.LastIndex(text, "\n\n")+1:]
	words := strings.Fields(tidy(text))
	for n := 1; n <= min(len(words), 2*len(short)); n++ {
		if last := words[len(words)-n:]; standsFor(short, last) {
			return meant(last)
		}
	}
	return ""
}

// meant returns words as a meaning.
func meant(words []string) string { return strings.Trim(strings.Join(words, " "), quotes+",") }

// standsFor reports whether an abbreviation stands for words: its letters are those of the
// words in order, and each word begins with one of them, but for words that join others.
// The first word joins none. A single word has a short form with small letters, as
// "Umsatzsteuer (USt)": "constant (CS)" is a code.
func standsFor(short string, words []string) bool {
	letters := []rune(strings.ToLower(strings.Map(letterOrDigit, short)))
	parts := strings.FieldsFunc(strings.ToLower(strings.Join(words, " ")), func(r rune) bool { return letterOrDigit(r) < 0 })
	if len(letters) > 31 || len(parts) == 0 || joins(parts[0]) || strings.EqualFold(strings.Join(words, ""), short) {
		return false
	}
	if len(parts) == 1 && strings.ToUpper(short) == short {
		return false
	}
	taken := uint32(1) // bit n: the words so far may have the first n letters
	for _, part := range parts {
		taken = withWord(letters, []rune(part), taken, joins(part))
	}
	return taken&(1<<len(letters)) != 0
}

// withWord returns how many letters words may have with one word more, which may have none
// if it is optional.
func withWord(letters, word []rune, taken uint32, optional bool) uint32 {
	var after uint32
	if optional {
		after = taken
	}
	for n := range letters {
		if taken&(1<<n) == 0 || letters[n] != word[0] {
			continue
		}
		after |= 1 << (n + 1)
		for next := n + 1; next < len(letters); next++ {
			if !inOrder(letters[n:next+1], word) {
				break
			}
			after |= 1 << (next + 1)
		}
	}
	return after
}

// inOrder reports whether a word has letters in order.
func inOrder(letters, word []rune) bool {
	for _, r := range word {
		if len(letters) > 0 && r == letters[0] {
			letters = letters[1:]
		}
	}
	return len(letters) == 0
}

func letterOrDigit(r rune) rune {
	if unicode.IsLetter(r) || unicode.IsDigit(r) {
		return r
	}
	return -1
}

// joining are words that join others.
var joining = setOf("joining")

// joins reports whether a word need not have a letter in an abbreviation.
func joins(word string) bool { return joining[strings.ToLower(word)] }
