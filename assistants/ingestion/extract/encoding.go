package extract

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/gogs/chardet"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	xunicode "golang.org/x/text/encoding/unicode"
)

// decode turns raw into UTF-8 and names the encoding it was in. What cannot be
// decoded becomes U+FFFD.
func decode(raw []byte) (text, name string) {
	if order := utf16Order(raw); order != nil {
		return decodeWith(order.encoding, raw), order.name
	}
	if isISO2022JP(raw) {
		return decodeWith(japanese.ISO2022JP, raw), "iso-2022-jp"
	}
	raw = bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))
	if mostlyUTF8(raw) {
		return strings.ToValidUTF8(string(raw), "\uFFFD"), "utf-8"
	}
	e, name := legacy(raw)
	if e == nil {
		e, name = charmap.Windows1252, "windows-1252"
	}
	e, name = byAlphabet(raw, e, name)
	return decodeWith(e, raw), name
}

func decodeWith(e encoding.Encoding, raw []byte) string {
	out, err := e.NewDecoder().Bytes(raw)
	if err != nil {
		// Decoders of x/text replace what they cannot read, so an error means that the
		// last character is incomplete.
		return strings.ToValidUTF8(string(out), "\uFFFD") + "\uFFFD"
	}
	return strings.ToValidUTF8(string(out), "\uFFFD")
}

type utf16Form struct {
	encoding encoding.Encoding
	name     string
}

var (
	utf16LE = &utf16Form{xunicode.UTF16(xunicode.LittleEndian, xunicode.UseBOM), "utf-16le"}
	utf16BE = &utf16Form{xunicode.UTF16(xunicode.BigEndian, xunicode.UseBOM), "utf-16be"}
)

// utf16Order recognises UTF-16 by its byte order mark or, without one, by the zero
// bytes of Latin letters, digits and spaces. Either many of the 16-bit units have
// a zero byte, or at least one has and nearly all units are characters of text.
func utf16Order(raw []byte) *utf16Form {
	switch {
	case bytes.HasPrefix(raw, []byte{0xff, 0xfe, 0, 0}):
		return nil // UTF-32
	case bytes.HasPrefix(raw, []byte{0xff, 0xfe}):
		return utf16LE
	case bytes.HasPrefix(raw, []byte{0xfe, 0xff}):
		return utf16BE
	}
	sample := raw[:min(len(raw), SniffLen)&^1]
	if len(sample) < 4 {
		return nil
	}
	var zero [2]int
	for i, b := range sample {
		if b == 0 {
			zero[i&1]++
		}
	}
	units := len(sample) / 2
	switch {
	case zero[0] == 0 && zero[1]*10 >= units*4 && textUnits(sample, 0), zero[1] > 0 && letterUnits(sample, 0):
		return utf16LE
	case zero[1] == 0 && zero[0]*10 >= units*4 && textUnits(sample, 1), zero[0] > 0 && letterUnits(sample, 1):
		return utf16BE
	}
	return nil
}

// letterUnits reports whether nearly all 16-bit units are characters of text. In
// binary data at least a third of the units are not.
func letterUnits(sample []byte, low int) bool {
	const fewest = 16
	units, others := len(sample)/2, 0
	for i := 0; i+1 < len(sample); i += 2 {
		r := rune(sample[i+low]) | rune(sample[i+1-low])<<8
		if !unicode.IsGraphic(r) && r != '\n' && r != '\r' && r != '\t' && r != 0xfeff && !utf16.IsSurrogate(r) || r >= 0xe000 && r < 0xf900 {
			others++
		}
	}
	return units >= fewest && others*50 <= units
}

// textUnits reports whether the units with a zero byte are printable. The small
// 16-bit integers in sound and pictures are not.
func textUnits(sample []byte, low int) bool {
	for i := 0; i+1 < len(sample); i += 2 {
		if b := sample[i+low]; sample[i+1-low] == 0 && Dropped(rune(b)) && b != '\r' && b != 0xad {
			return false
		}
	}
	return true
}

// mostlyUTF8 accepts valid UTF-8, and UTF-8 with a few broken bytes in it.
func mostlyUTF8(raw []byte) bool {
	multi, broken := 0, 0
	for len(raw) > 0 {
		if raw[0] < utf8.RuneSelf {
			raw = raw[1:]
			continue
		}
		r, n := utf8.DecodeRune(raw)
		if r == utf8.RuneError && n == 1 {
			broken++
		} else {
			multi++
		}
		raw = raw[n:]
	}
	return broken == 0 || multi >= 10*broken
}

// legacySample is how many bytes the detector of encodings gets.
const legacySample = 64 << 10

// A legacyRule says when the detector's guess of an older encoding is accepted: its
// least confidence, its least margin over the next guess, and the script of the text.
type legacyRule struct {
	least, margin int
	script        *unicode.RangeTable // nil: any
}

// legacyRules are the encodings that can be detected from their bytes, by the detector's names.
// Western European ones are missing, because they are the fallback.
var legacyRules = map[string]legacyRule{
	"Shift_JIS": {least: 60}, "EUC-JP": {least: 60}, "EUC-KR": {least: 60}, "GB18030": {least: 60}, "Big5": {least: 60},
	"KOI8-R": {least: 25, script: unicode.Cyrillic}, "windows-1251": {least: 25, script: unicode.Cyrillic}, "ISO-8859-5": {least: 25, script: unicode.Cyrillic},
	"ISO-8859-7": {least: 25, script: unicode.Greek}, "windows-1253": {least: 25, script: unicode.Greek},
	"ISO-8859-8": {least: 25, script: unicode.Hebrew}, "ISO-8859-8-I": {least: 25, script: unicode.Hebrew}, "windows-1255": {least: 25, script: unicode.Hebrew},
	"ISO-8859-6": {least: 25, script: unicode.Arabic}, "windows-1256": {least: 25, script: unicode.Arabic},
	// Central Europe and Turkey write in Latin letters, too.
	"ISO-8859-2": {least: 35, margin: 8}, "windows-1250": {least: 35, margin: 8}, "ISO-8859-9": {least: 35, margin: 8}, "windows-1254": {least: 35, margin: 8},
}

// legacy finds the older encoding of a text, if it can be detected.
func legacy(raw []byte) (encoding.Encoding, string) {
	sample := raw[:min(len(raw), legacySample)]
	found, err := chardet.NewTextDetector().DetectAll(sample)
	if err != nil || len(found) == 0 {
		return nil, ""
	}
	form, known := legacyRules[found[0].Charset]
	if !known || found[0].Confidence < form.least || len(found) > 1 && found[0].Confidence-found[1].Confidence < form.margin {
		return nil, ""
	}
	e, name := charset.Lookup(found[0].Charset)
	if e == nil {
		return nil, ""
	}
	text := decodeWith(e, sample[:len(sample)&^1])
	if strings.ContainsRune(text, utf8.RuneError) || form.script != nil && !writtenIn(text, form.script) {
		return nil, ""
	}
	return e, name
}

// writtenIn reports whether the letters of a text that are not ASCII are of a script.
func writtenIn(text string, script *unicode.RangeTable) bool {
	of, others := 0, 0
	for _, r := range text {
		switch {
		case r < utf8.RuneSelf || !unicode.IsLetter(r):
		case unicode.Is(script, r):
			of++
		default:
			others++
		}
	}
	return of > 10*others
}

// Normalise gives text LF line ends and removes invisible characters: control
// characters, byte order marks and soft hyphens. Form feeds and the Unicode
// line separators become line ends.
func Normalise(text string) string {
	if !needsNormalising(text) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	for i, r := range text {
		switch {
		case r == '\r':
			if i+1 < len(text) && text[i+1] == '\n' {
				continue
			}
			b.WriteByte('\n')
		case r == '\v' || r == '\f' || r == '\u0085' || r == '\u2028' || r == '\u2029':
			b.WriteByte('\n')
		case Dropped(r):
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func needsNormalising(text string) bool {
	for i := 0; i < len(text); i++ {
		if c := text[i]; c >= utf8.RuneSelf || c < ' ' && c != '\n' && c != '\t' || c == 0x7f {
			return true
		}
	}
	return false
}

// Dropped reports whether a character never stands in a document's text.
func Dropped(r rune) bool {
	return r != '\n' && r != '\t' && unicode.IsControl(r) || r == '\uFEFF' || r == '\u00AD' ||
		r >= 0xFFFE && r&0xFFFE == 0xFFFE
}

// IsBlank reports whether a text has nothing but white space.
func IsBlank(text string) bool {
	for _, r := range text {
		if !unicode.IsSpace(r) && r != '\uFFFD' {
			return false
		}
	}
	return true
}
