package extract

import (
	_ "embed"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of what stands above a table.
const (
	maxTitleLength   = 120 // characters of a title
	maxCaptionLength = 300 // characters of a caption such as "Table 3. Prices"
	maxUnitsLength   = 160 // characters of a line with units or a period
	maxLinesAbove    = 6   // lines above a table that are looked at
	shortNotes       = 200 // bytes of notes after a table that stay with it
)

//go:embed title_words.txt
var titleWordsFile string

// titleWords has the phrases of title_words.txt by kind.
var titleWords = readTitleWords(titleWordsFile)

func readTitleWords(file string) map[string][]string {
	words := map[string][]string{}
	for line := range strings.Lines(file) {
		if kind, phrase, ok := strings.Cut(strings.TrimSpace(line), " "); ok && kind != "#" {
			words[kind] = append(words[kind], phrase)
		}
	}
	return words
}

// IsUnits reports whether a line is about a table's figures and not its title: units, a
// period, or a remark in parentheses.
func IsUnits(line string) bool {
	line = strings.ToLower(strings.TrimSpace(line))
	if line == "" || utf8.RuneCountInString(line) > maxUnitsLength || strings.HasSuffix(line, ".") && !strings.HasSuffix(line, "mio.") && !strings.HasSuffix(line, "tsd.") {
		return false
	}
	if strings.HasPrefix(line, "(") && strings.HasSuffix(line, ")") && strings.Count(line, "(") == 1 {
		return true
	}
	bare := strings.Trim(line, "()[]*—–-: ")
	if isRemark(bare) {
		return true
	}
	if strings.ContainsFunc(bare, unicode.IsDigit) && slices.ContainsFunc(titleWords["period"], func(p string) bool { return strings.HasPrefix(bare, p+" ") }) {
		return true
	}
	return namesScale(bare)
}

// isRemark reports whether a line, or each of its cells, is a remark or a period without its date: "Six Months Ended".
func isRemark(line string) bool {
	for cell := range strings.SplitSeq(line, "|") {
		if !slices.Contains(titleWords["remark"], strings.TrimSpace(cell)) {
			return false
		}
	}
	return true
}

// namesScale reports whether a line says what amounts are counted in: "in millions, except
// per share amounts", "Angaben in Mio. €".
func namesScale(line string) bool {
	fields := strings.FieldsFunc(line, func(r rune) bool {
		return unicode.IsSpace(r) || r == ',' || r == ';' || r == '(' || r == ')' || r == '/'
	})
	for i := 1; i < len(fields); i++ {
		if (fields[i-1] == "in" || fields[i-1] == "en") && i <= 4 && slices.Contains(titleWords["scale"], strings.TrimSuffix(fields[i], ".")) {
			return true
		}
	}
	return onlyScale(fields)
}

// maxScaleWords is how many words a line has at most that is a scale without "in".
const maxScaleWords = 5

// onlyScale reports whether words are nothing but a scale and maybe a currency: "Millions",
// "€ million", "Thousands of US dollars".
func onlyScale(words []string) bool {
	scaled := false
	for _, w := range words {
		w = strings.TrimSuffix(w, ".")
		switch {
		case slices.Contains(titleWords["magnitude"], shortScale(w)):
			scaled = true
		case !slices.Contains(titleWords["scale"], w) && !slices.Contains(titleWords["currency"], w):
			return false
		}
	}
	return scaled && len(words) <= maxScaleWords
}

// maxCountryLetters is how many letters of a country stand in front of a currency's sign: "HK$".
const maxCountryLetters = 3

var withoutApostrophes = strings.NewReplacer("'", "", "’", "", "‘", "")

// shortScale returns a scale without its apostrophe and the letters of a country: "$000" for "HK$’000".
func shortScale(word string) string {
	word = withoutApostrophes.Replace(word)
	if sign := strings.IndexAny(word, "$€£¥"); 0 < sign && sign <= maxCountryLetters {
		return word[sign:]
	}
	return word
}

// WithoutContinued returns a title without the remark that it is continued: "(continued)". continued reports whether
// it had one.
func WithoutContinued(title string) (rest string, continued bool) {
	trimmed := strings.TrimRight(title, " )]")
	for _, word := range titleWords["continued"] {
		at := len(trimmed) - len(word)
		if at <= 0 || !strings.EqualFold(trimmed[at:], word) {
			continue
		}
		before := strings.TrimRight(trimmed[:at], " ")
		rest := strings.TrimRight(before, "([,–—-: ")
		if rest != before && rest != "" {
			return rest, true
		}
	}
	return title, false
}

// isCaption reports whether a line begins like "Table 3".
func isCaption(line string) bool {
	first, rest, ok := strings.Cut(line, " ")
	if !ok || !slices.Contains(titleWords["caption"], strings.ToLower(first)) {
		return false
	}
	number, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	number = strings.TrimRight(number, ".:")
	return number != "" && len(number) <= 8 && strings.ContainsFunc(number, func(r rune) bool { return unicode.IsDigit(r) || strings.ContainsRune("IVX", r) }) &&
		!strings.ContainsFunc(number, unicode.IsLower)
}

// isTitle reports whether a line may be the title of a table below it.
func isTitle(line string) bool {
	if isCaption(line) {
		return utf8.RuneCountInString(line) <= maxCaptionLength
	}
	first, _ := utf8.DecodeRuneInString(line)
	last, _ := utf8.DecodeLastRuneInString(line)
	letters := 0
	for _, r := range line {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	return letters >= 3 && !endsWithPage(line) && !strings.ContainsAny(line, "…=<>{}\\") && !strings.Contains(line, "---") && utf8.RuneCountInString(line) <= maxTitleLength &&
		(unicode.IsLetter(first) || unicode.IsDigit(first)) && !unicode.IsLower(first) && !strings.ContainsRune(".,;:!?…", last)
}

// endsWithPage reports whether a line ends with a number that is no year, as the entries of
// a table of contents do.
func endsWithPage(line string) bool {
	last := line[strings.LastIndexByte(line, ' ')+1:]
	return len(last) < len(line) && !IsYear(last) && strings.Trim(last, "0123456789") == ""
}

// isStatement reports whether a title is that of a financial statement.
func isStatement(title string) bool {
	title = strings.ToLower(title)
	return slices.ContainsFunc(titleWords["statement"], func(p string) bool { return strings.Contains(title, p) })
}

// namesPart reports whether a title is that of a part of a financial statement.
func namesPart(title string) bool {
	title = strings.ToLower(title)
	return strings.HasSuffix(title, ":") || slices.ContainsFunc(titleWords["part"], func(p string) bool { return strings.Contains(title, p) })
}
