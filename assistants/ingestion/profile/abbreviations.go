package profile

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"footnote/assistants"
)

// Bounds of what defines an abbreviation.
const (
	shortestAbbreviation = 2      // letters
	longestAbbreviation  = 10     // letters, digits and what joins them
	longestMeaning       = 120    // bytes
	longestWord          = 40     // bytes
	mostDefinitions      = 10_000 // parentheses of a text with an abbreviation in or before them
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
	for at, tried := 0, 0; len(lines) < assistants.MaxProfileAbbreviations && tried < mostDefinitions; {
		i := strings.IndexByte(text[at:], '(')
		if i < 0 {
			break
		}
		before := text[:at+i]
		at += i + 1
		end := strings.IndexAny(text[at:min(len(text), at+longestMeaning)], "()")
		if end < 0 || text[at+end] != ')' || !strings.HasSuffix(before, " ") && !strings.HasSuffix(before, "\n") { // f(x)
			continue
		}
		inside := text[at : at+end]
		inner, outer := abbreviated(lastWord(inside)), abbreviated(lastWord(before))
		if inner == "" && outer == "" {
			continue
		}
		tried++
		short, meaning := inner, ""
		if inner != "" {
			meaning = meaningBefore(inner, before)
		}
		if words := strings.Fields(tidy(inside)); meaning == "" && standsFor(outer, words) {
			short, meaning = outer, meant(words)
		}
		line := assistants.SynonymLine(short, meaning)
		if meaning == "" || known[short] || (assistants.ProfileEdits{Abbreviations: &[]string{line}}).Check() != nil {
			continue
		}
		lines, known[short] = append(lines, line), true
	}
	return lines
}

// lastWord returns the last word of a text, without quotation marks around it: in
// `hereinafter the "FDA"` it is FDA.
func lastWord(text string) string {
	text = strings.TrimRight(text[max(0, len(text)-longestWord):], " \n\t")
	return strings.Trim(text[strings.LastIndexAny(text, " \n\t")+1:], quotes)
}

// abbreviated returns a word if it looks like an abbreviation, else "": at least half of its
// letters are capitals. The s of a plural is left out. Roman numerals are none.
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
	for n := 1; n <= min(len(words), 2*utf8.RuneCountInString(short)); n++ {
		last := words[len(words)-n:]
		if article, noun, ok := cutElision(last[0]); ok && joins(article) {
			last = append([]string{noun}, last[1:]...)
		}
		if standsFor(short, last) {
			return meant(last)
		}
	}
	return ""
}

// cutElision cuts a French or Italian word after its elided article: "l'Organisation".
func cutElision(word string) (article, noun string, ok bool) {
	if article, noun, ok = strings.Cut(word, "'"); !ok {
		article, noun, ok = strings.Cut(word, "’")
	}
	return article, noun, ok && noun != ""
}

// meant returns words as a meaning.
func meant(words []string) string { return strings.Trim(strings.Join(words, " "), quotes+",") }

// standsFor reports whether an abbreviation stands for words. Its letters are those of the
// words in order, and each word begins with one of them. Words that join others need not, but
// the first word must be another. A single word has a short form with small letters, as in
// "Umsatzsteuer (USt)": "constant (CS)" is a code.
func standsFor(short string, words []string) bool {
	letters := []rune(strings.Map(letterOrDigit, fold(short)))
	parts := strings.FieldsFunc(fold(strings.Join(words, " ")), func(r rune) bool { return letterOrDigit(r) < 0 })
	if len(letters) == 0 || len(parts) == 0 || joins(parts[0]) || strings.EqualFold(strings.Join(words, ""), short) {
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
		for end := n + 1; end <= len(letters) && inOrder(letters[n:end], word); end++ {
			after |= 1 << end
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

// joins reports whether a word, folded, need not have a letter in an abbreviation.
func joins(word string) bool { return joining[word] }
