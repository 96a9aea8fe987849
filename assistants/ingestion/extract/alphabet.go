package extract

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
)

// alphabets holds the letters beyond ASCII of each language, in lower case.
var alphabets = map[string]string{
	"ca": "àçèéíïòóúü", "da": "æøåéü", "de": "äöüßéàèêç", "es": "áéíñóúüçº", "et": "õäöüšž", "fi": "äöåšžé", "fr": "àâæçéèêëîïôœùûüÿ",
	"is": "áðéíóúýþæö", "it": "àèéìîòóù", "nl": "áéëèïóöüêç", "pt": "áâãàçéêíóôõúüªº", "sq": "ëç", "sv": "åäöéàü",

	"cs": "áčďéěíňóřšťúůýž", "hr": "čćđšž", "hu": "áéíóöőúüű", "pl": "ąćęłńóśźż", "ro": "ăâîșşțţ", "sk": "áäčďéíĺľňóôŕšťúýž",
	"lt": "ąčęėįšųūž", "lv": "āčēģīķļņšūž", "tr": "çğıöşüâîûİ",

	"bg": "абвгдежзийклмнопрстуфхцчшщъьюя", "be": "абвгдеёжзійклмнопрстуўфхцчшыьэюя", "ru": "абвгдеёжзийклмнопрстуфхцчшщъыьэюя",
	"uk": "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя",
}

// An alphabeticEncoding is an encoding with its name and the languages whose texts
// use it.
type alphabeticEncoding struct {
	name      string
	encoding  encoding.Encoding
	languages []string
}

var (
	western  = []string{"fr", "de", "es", "pt", "it", "ca", "nl", "da", "sv", "fi", "is", "et", "sq"}
	central  = []string{"cs", "sk", "pl", "hu", "hr", "ro", "de"}
	baltic   = []string{"lt", "lv", "et"}
	cyrillic = []string{"ru", "uk", "be", "bg"}
)

// alphabetic are the encodings whose texts are recognised by their letters. If two
// fit equally well, the first is taken.
var alphabetic = []alphabeticEncoding{
	{"windows-1252", charmap.Windows1252, western},
	{"windows-1250", charmap.Windows1250, central},
	{"iso-8859-2", charmap.ISO8859_2, central},
	{"windows-1257", charmap.Windows1257, baltic},
	{"windows-1254", charmap.Windows1254, []string{"tr"}},
	{"windows-1251", charmap.Windows1251, cyrillic},
	{"koi8-r", charmap.KOI8R, []string{"ru", "bg"}},
	{"koi8-u", charmap.KOI8U, []string{"uk"}},
	{"iso-8859-5", charmap.ISO8859_5, cyrillic},
	{"ibm866", charmap.CodePage866, cyrillic},
	{"ibm850", charmap.CodePage850, western},
	{"ibm852", charmap.CodePage852, central},
	{"macintosh", charmap.Macintosh, western},
}

// Limits of the share that foreign returns.
const (
	fewForeign = 0.02 // up to here a text may be in the encoding
	doubtful   = 0.06 // from here the guessed encoding is doubted
)

// The range of characters that draw boxes in terminals. A text that has them was
// probably decoded with the wrong encoding.
const (
	boxes      = 0x2500
	endOfBoxes = 0x25a0
)

// byAlphabet checks a guessed encoding by decoding the text. If the letters of the
// result fit none of the encoding's languages, it returns the encoding whose result
// fits a language best, if there is one.
func byAlphabet(raw []byte, guessed encoding.Encoding, name string) (encoding.Encoding, string) {
	sample := raw[:min(len(raw), legacySample)]
	if isThai(sample) {
		return charmap.Windows874, "windows-874"
	}
	languages := []string(nil)
	for _, a := range alphabetic {
		if a.name == name {
			languages = a.languages
		}
	}
	if languages == nil {
		return guessed, name
	}
	least := foreign(decodeWith(guessed, sample), languages)
	if least < doubtful {
		return guessed, name
	}
	least /= 3
	for _, a := range alphabetic {
		if share := foreign(decodeWith(a.encoding, sample), a.languages); share <= fewForeign && share < least {
			guessed, name, least = a.encoding, a.name, share
		}
	}
	return guessed, name
}

// foreign returns the share of a text's characters beyond ASCII that its language
// does not have. Of the given languages, it takes the one with the lowest share.
func foreign(text string, languages []string) float64 {
	counts := map[rune]int{}
	total, wrong := 0, 0 // wrong: characters that no language has in this place
	before := ' '
	for i, r := range text {
		if r >= utf8.RuneSelf {
			after, _ := utf8.DecodeRuneInString(text[i+utf8.RuneLen(r):])
			switch {
			case r == utf8.RuneError, unicode.IsControl(r), r >= boxes && r < endOfBoxes:
				total, wrong = total+1, wrong+1
			case unicode.IsLetter(r) && unicode.IsUpper(r) && unicode.IsLower(before):
				total, wrong = total+1, wrong+1
			case unicode.IsLetter(r):
				counts[unicode.ToLower(r)]++
				total++
			case unicode.IsLetter(before) && unicode.IsLetter(after) && !strings.ContainsRune("’‘·\u00ad–—/", r):
				total, wrong = total+1, wrong+1 // a sign within a word
			}
		}
		before = r
	}
	if total == 0 {
		return 0
	}
	best := 0
	for _, language := range languages {
		known := 0
		for r, n := range counts {
			if strings.ContainsRune(alphabets[language], r) {
				known += n
			}
		}
		best = max(best, known)
	}
	return float64(total-best) / float64(total)
}

// isThai reports whether a text is Thai in a one-byte encoding: decoded as such,
// nearly all characters beyond ASCII are Thai, and combining marks follow Thai
// characters.
func isThai(raw []byte) bool {
	thai, others := 0, 0
	before := ' '
	for _, r := range decodeWith(charmap.Windows874, raw) {
		mixed := isASCIILetter(before) && unicode.Is(unicode.Thai, r) || unicode.Is(unicode.Thai, before) && isASCIILetter(r)
		switch {
		case mixed:
			others++ // the word is of another language
		case r < utf8.RuneSelf:
		case unicode.Is(unicode.Mn, r) && !unicode.Is(unicode.Thai, before):
			others++
		case unicode.Is(unicode.Thai, r):
			thai++
		case unicode.IsLetter(r) || r == utf8.RuneError || unicode.IsControl(r):
			others++
		}
		before = r
	}
	const fewest = 8
	return thai >= fewest && others*50 <= thai
}

func isASCIILetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

// isISO2022JP reports whether a text switches to Japanese by an escape sequence.
func isISO2022JP(raw []byte) bool {
	return (bytes.Contains(raw, []byte("\x1b$B")) || bytes.Contains(raw, []byte("\x1b$@"))) &&
		!strings.ContainsRune(decodeWith(japanese.ISO2022JP, raw), utf8.RuneError)
}
