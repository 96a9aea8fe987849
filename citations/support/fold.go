package support

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Words are compared in folded form: lower case, without accents, ß as ss. A light
// stemmer with the same rules for English, German and French strips endings. It
// matters more that "reports", "reported" and "reporting" meet than that the stem is
// a word.

// plain maps the letters of Latin-1 and Latin Extended-A to letters without accents.
var plain = plainLetters()

func plainLetters() (table [0x180 - 0xC0]string) {
	const first = 0xC0
	for _, group := range strings.Fields(`a:àáâãäåāăą c:çćĉċč d:ďđð e:èéêëēĕėęě g:ĝğġģ h:ĥħ i:ìíîïĩīĭįı j:ĵ k:ķĸ
		l:ĺļľŀł n:ñńņňŉŋ o:òóôõöøōŏő r:ŕŗř s:śŝşšſ t:ţťŧ u:ùúûüũūŭůűų w:ŵ y:ýÿŷ z:źżž ss:ß ae:æ oe:œ ij:ĳ th:þ`) {
		letter, forms, _ := strings.Cut(group, ":")
		for _, r := range forms {
			table[r-first] = letter
			if upper := unicode.ToUpper(r); upper >= first && upper < 0x180 {
				table[upper-first] = letter
			}
		}
	}
	return table
}

// appendFolded adds a word, folded, to a buffer.
func appendFolded(buf []byte, word string) []byte {
	for i := 0; i < len(word); {
		c := word[i]
		if c < utf8.RuneSelf {
			if c >= 'A' && c <= 'Z' {
				c |= 0x20
			}
			buf = append(buf, c)
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(word[i:])
		i += size
		buf = appendFoldedRune(buf, r)
	}
	return buf
}

func appendFoldedRune(buf []byte, r rune) []byte {
	switch {
	case r >= 0xC0 && r < 0x180 && plain[r-0xC0] != "":
		return append(buf, plain[r-0xC0]...)
	case r >= 0x300 && r < 0x370: // combining accents
		return buf
	case r >= 'Ａ' && r <= 'ｚ': // full width
		return appendFoldedRune(buf, r-'Ａ'+'A')
	case r < utf8.RuneSelf:
		return append(buf, byte(unicode.ToLower(r)))
	}
	return utf8.AppendRune(buf, unicode.ToLower(r))
}

const (
	hashSeed  = 14695981039346656037
	hashPrime = 1099511628211
)

func hashOf(b []byte) uint64 {
	h := uint64(hashSeed)
	for _, c := range b {
		h = (h ^ uint64(c)) * hashPrime
	}
	return h
}

// salted separates the keys of different kinds.
func salted(h, salt uint64) uint64 { return (h ^ salt) * hashPrime }

// Keys that are not the hash of a stem.
const (
	saltConcept = 0x165667B19E3779F9 // a group of synonyms
	saltGram    = 0x27D4EB2F165667C5 // a pair of characters
)

const (
	rootLength  = 5
	shortRoot   = 4 // week, weekly
	tailLength  = 6
	compoundMin = 10 // letters
)

// stemHash returns the hash of the part of a folded word that its inflections share.
func stemHash(word []byte) uint64 {
	if len(word) <= stemMin {
		return hashOf(word)
	}
	for _, c := range word {
		if c >= utf8.RuneSelf {
			return hashOf(word) // other scripts: their first letters compare them
		}
	}
	if len(word) > 3 && word[len(word)-1] == 's' && word[len(word)-2] != 's' {
		word = word[:len(word)-1]
	}
	for _, ending := range stemEndings[word[len(word)-1]] {
		if short := withoutEnding(word, ending); len(short) < len(word) {
			word = short
			break
		}
	}
	n := len(word)
	if n > 3 && word[n-1] == word[n-2] && strings.IndexByte("bdfglmnprst", word[n-1]) >= 0 {
		word, n = word[:n-1], n-1
	}
	if n > 2 && word[n-1] == 'y' {
		return (hashOf(word[:n-1]) ^ 'i') * hashPrime // company, companies
	}
	return hashOf(word)
}

// stemEndings are tried in this order, those with the last letter of the word; the first that
// leaves enough letters is cut.
var stemEndings = byLastLetter(strings.Fields("ungen ung ements ement ations ation ingly edly ing ed eten ete eter ten ern er en em es te e n"))

func byLastLetter(endings []string) (table [utf8.RuneSelf][]string) {
	for _, ending := range endings {
		last := ending[len(ending)-1]
		table[last] = append(table[last], ending)
	}
	return table
}

const stemMin = 3 // letters that stay

func withoutEnding(word []byte, ending string) []byte {
	least := stemMin
	if len(ending) == 1 {
		least++
	}
	if len(word)-len(ending) < least || string(word[len(word)-len(ending):]) != ending {
		return word
	}
	return word[:len(word)-len(ending)]
}

// sharedLetters returns the number of equal bytes at the start of two folded words.
func sharedLetters(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// unspaced reports whether a script writes words without spaces between them.
func unspaced(r rune) bool {
	return r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) ||
		r == 'ー' || r == '々'
}
