package extract

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf16"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// maxGroups is how many groups of RTF may be open at once.
const maxGroups = 1000

// readRTF reads paragraphs, tables, footnotes at their marks, and headings by
// outline level or style. It skips the codes of fields, pictures, headers, footers
// and comments. The document has no pages, because the program that shows an RTF
// file decides where they break.
func readRTF(raw []byte, opt Options) (Document, error) {
	r := rtfReader{raw: raw, fonts: map[int]encoding.Encoding{}, styles: map[int]int{}, page: charmap.Windows1252}
	r.w.Limit = opt.MaxText
	r.group = rtfGroup{skip: 1}
	if err := r.read(); err != nil {
		return Document{}, err
	}
	r.paragraph()
	r.endTable()
	doc := r.w.Finish()
	doc.Title = strings.Join(strings.Fields(r.title.String()), " ")
	return doc, nil
}

// An rtfReader is the state of reading an RTF file.
type rtfReader struct {
	raw    []byte
	at     int
	w      Writer
	group  rtfGroup
	stack  []rtfGroup
	fonts  map[int]encoding.Encoding
	styles map[int]int // outline levels, from 1, by style
	page   encoding.Encoding
	title  strings.Builder

	font, style int             // being defined
	styleName   strings.Builder // of the style being defined

	bytes   []byte   // of the text, not yet decoded
	units   []uint16 // of \u, not yet decoded
	skip    int      // characters that stand in for the last \u
	level   int      // outline level of the paragraph, 0: none
	begun   bool     // the paragraph has text
	inTable bool
	inCell  bool // the paragraph belongs to a table
	cells   int  // ended cells whose separators are not written yet
	header  bool // the row is a header
	titles  int  // rows of header so far, -1: the header has ended
}

// An rtfGroup is the state that a group inherits and that is restored at its end.
type rtfGroup struct {
	kind    rtfKind
	font    int
	skip    int // \uc
	hidden  bool
	starred bool // \* has just been read
}

// rtfKind is where the text of a group goes.
type rtfKind int

const (
	rtfBody rtfKind = iota
	rtfDiscarded
	rtfInfo
	rtfFonts
	rtfStyles
	rtfTitle
	rtfNote
)

// rtfDiscardedWords are destinations whose text is not part of the document's text.
var rtfDiscardedWords = setOfWords("colortbl pict object header headerl headerr headerf footer footerl footerr footerf fldinst xmlnstbl " +
	"listtable listoverridetable revtbl rsidtbl generator themedata colorschememapping latentstyles datastore annotation atnid atnauthor " +
	"atrfstart atrfend atndate atnref atnparent filetbl bkmkstart bkmkend nonshppict mmathPr pnseclvl objdata objclass sp sn sv " +
	"userprops template operator author company keywords comment doccomm subject category manager hlinkbase ftnsep ftnsepc ftncn aftnsep aftnsepc aftncn " +
	"passwordhash wgrffmtfilter private1 picprop blipuid listpicture pgptbl docvar fchars lchars tc txe rxe xe")

func setOfWords(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

func (r *rtfReader) read() error {
	for r.at < len(r.raw) {
		c := r.raw[r.at]
		switch c {
		case '{':
			r.at++
			r.flush()
			if len(r.stack) == maxGroups {
				return &Error{Code: CodeTooComplex, Message: "The document is nested more than " + strconv.Itoa(maxGroups) + " levels deep."}
			}
			r.stack = append(r.stack, r.group)
			r.group.starred = false
		case '}':
			r.at++
			r.pop()
			if len(r.stack) == 0 {
				return nil // what follows is not RTF
			}
		case '\\':
			r.control()
		case '\r', '\n', 0:
			r.at++
		default:
			r.at++
			r.char(c)
		}
		if r.w.Full() {
			return TooMuchText(r.w.Limit)
		}
	}
	r.flush()
	return nil
}

func (r *rtfReader) pop() {
	r.flush()
	if len(r.stack) == 0 {
		return
	}
	left := r.group
	r.group = r.stack[len(r.stack)-1]
	r.stack = r.stack[:len(r.stack)-1]
	r.skip = 0
	if left.kind == rtfNote && r.group.kind != rtfNote {
		r.w.Blank = false
		r.w.Text("]")
	}
}

// control reads a control word or symbol.
func (r *rtfReader) control() {
	r.at++
	if r.at >= len(r.raw) {
		return
	}
	start := r.at
	for r.at < len(r.raw) && isLetter(r.raw[r.at]) {
		r.at++
	}
	if r.at == start {
		r.at++
		r.symbol(r.raw[start])
		return
	}
	word := string(r.raw[start:min(r.at, start+40)])
	digits := r.at
	if r.at < len(r.raw) && r.raw[r.at] == '-' {
		r.at++
	}
	for r.at < len(r.raw) && r.raw[r.at] >= '0' && r.raw[r.at] <= '9' {
		r.at++
	}
	number, err := strconv.Atoi(string(r.raw[digits:min(r.at, digits+12)]))
	has := err == nil
	if r.at < len(r.raw) && r.raw[r.at] == ' ' {
		r.at++
	}
	if word == "bin" {
		r.at += min(max(number, 0), len(r.raw)-r.at)
		return
	}
	if word == "u" && has {
		r.unicode(number)
		return
	}
	r.flush()
	r.word(word, number, has)
	r.group.starred = false
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func (r *rtfReader) symbol(c byte) {
	switch c {
	case '\'':
		if r.at+2 <= len(r.raw) {
			if b, err := strconv.ParseUint(string(r.raw[r.at:r.at+2]), 16, 8); err == nil {
				r.at += 2
				r.char(byte(b))
			}
		}
	case '\\', '{', '}':
		r.char(c)
	case '~':
		r.put("\u00a0")
	case '_':
		r.put("\u2011")
	case '*':
		r.group.starred = true
	case '\n', '\r':
		r.flush()
		r.paragraph()
	case '-', '|', ':': // optional hyphen, index entries
	}
}

// char adds a byte of text in the font's encoding.
func (r *rtfReader) char(c byte) {
	if r.skip > 0 {
		r.skip--
		return
	}
	r.decodeUnits()
	r.bytes = append(r.bytes, c)
}

// unicode adds a unit of UTF-16 and skips its replacement characters.
func (r *rtfReader) unicode(n int) {
	r.decodeBytes()
	r.units = append(r.units, uint16(n)) // RTF writes units from 32768 on as negative numbers
	r.skip = r.group.skip
}

func (r *rtfReader) put(s string) {
	r.flush()
	r.write(s)
}

func (r *rtfReader) flush() {
	r.decodeBytes()
	r.decodeUnits()
}

func (r *rtfReader) decodeUnits() {
	if len(r.units) > 0 {
		text := string(utf16.Decode(r.units))
		r.units = r.units[:0]
		r.write(text)
	}
}

func (r *rtfReader) decodeBytes() {
	if len(r.bytes) == 0 {
		return
	}
	e := r.fonts[r.group.font]
	if e == nil {
		e = r.page
	}
	text := decodeWith(e, r.bytes)
	r.bytes = r.bytes[:0]
	r.write(text)
}

// write sends text to the destination of the group.
func (r *rtfReader) write(text string) {
	switch r.group.kind {
	case rtfDiscarded, rtfFonts, rtfInfo:
	case rtfStyles:
		r.defineStyle(text)
	case rtfTitle:
		r.title.WriteString(text)
	case rtfBody, rtfNote:
		if r.group.hidden {
			return
		}
		if !r.begun {
			if strings.TrimSpace(text) == "" {
				return
			}
			r.begin()
		}
		if r.cells > 0 && strings.TrimSpace(text) != "" {
			for ; r.cells > 0; r.cells-- {
				r.w.Cell()
			}
		}
		if r.group.kind == rtfNote && strings.HasSuffix(r.w.Out.String(), "[") {
			text = strings.TrimLeft(text, " ")
		}
		r.w.Text(text)
	}
}

// defineStyle records which styles are headings. Programs in all languages write
// the English names of heading styles into the file.
func (r *rtfReader) defineStyle(text string) {
	name, _, done := strings.Cut(text, ";")
	r.styleName.WriteString(name)
	if !done {
		return
	}
	words := strings.Fields(strings.ToLower(r.styleName.String()))
	r.styleName.Reset()
	if len(words) == 2 && words[0] == "heading" {
		if level, err := strconv.Atoi(words[1]); err == nil && level >= 1 && level <= 9 {
			r.styles[r.style] = level
		}
	}
}

// begin starts a paragraph. It is called before the first text of the paragraph.
func (r *rtfReader) begin() {
	r.begun = true
	switch {
	case r.inCell:
		if !r.inTable {
			r.inTable, r.titles = true, 0
			r.w.StartBlock(BlockTable)
		}
	default:
		r.endTable()
		if r.level > 0 {
			r.w.StartHeading(r.level)
		}
	}
}

// paragraph ends a paragraph; within a cell it only ends a word.
func (r *rtfReader) paragraph() {
	if r.group.kind == rtfNote || r.inCell {
		r.w.Space()
		return
	}
	if r.begun && r.level > 0 {
		r.w.EndHeading()
	}
	r.begun = false
	r.w.BreakLine(2)
}

func (r *rtfReader) endTable() {
	if r.inTable {
		r.w.EndBlock(BlockTable)
	}
	r.inTable = false
}

func (r *rtfReader) row() {
	if r.header && r.titles >= 0 && r.inTable {
		r.w.EndHeader()
		r.titles++
	} else {
		r.titles = -1
	}
	r.cells, r.begun, r.inCell, r.header = 0, false, false, false
	r.w.BreakLine(1)
}

// word applies a control word.
func (r *rtfReader) word(word string, n int, has bool) {
	on := !has || n != 0
	switch word {
	case "par", "sect", "page":
		r.body(r.paragraph)
	case "line", "column":
		r.body(func() {
			if r.inCell || r.level > 0 {
				r.w.Space()
			} else {
				r.w.BreakLine(1)
			}
		})
	case "tab":
		r.write(" ")
	case "cell", "nestcell":
		r.body(func() { r.cells = min(r.cells+1, maxGroups) })
	case "row", "nestrow":
		r.body(r.row)
	case "trowd":
		r.header, r.inCell = false, true
	case "trhdr":
		r.header = true
	case "intbl":
		r.inCell = true
	case "pard":
		r.body(func() { r.level, r.inCell = 0, false })
	case "s":
		if r.group.kind == rtfStyles {
			r.style = n
		} else if level := r.styles[n]; level > 0 {
			r.level = level
		}
	case "outlinelevel":
		if r.group.kind == rtfStyles {
			if n >= 0 && n < 9 {
				r.styles[r.style] = n + 1
			}
		} else if n >= 0 && n < 9 {
			r.level = n + 1
		}
	case "v":
		r.group.hidden = on
	case "deleted":
		r.group.hidden = on
	case "plain":
		r.group.hidden = false
	case "uc":
		r.group.skip = min(max(n, 0), 8)
	case "f":
		r.group.font = n
		r.font = n
	case "fcharset":
		if e := charsets[n]; e != nil {
			r.fonts[r.font] = e
		}
	case "ansicpg", "cpg":
		if e := codePages[n]; e != nil {
			if word == "ansicpg" {
				r.page = e
			} else {
				r.fonts[r.font] = e
			}
		}
	case "mac":
		r.page = charmap.Macintosh
	case "pc", "pca":
		r.page = charmap.CodePage850
	default:
		if s, ok := rtfCharacters[word]; ok {
			r.write(s)
		} else {
			r.destination(word)
		}
	}
}

// body calls do if the group's text goes to the document.
func (r *rtfReader) body(do func()) {
	if r.group.kind == rtfBody || r.group.kind == rtfNote {
		do()
	}
}

// destination sets where the group's text goes.
func (r *rtfReader) destination(word string) {
	if r.group.kind == rtfDiscarded {
		return
	}
	switch {
	case word == "info":
		r.group.kind = rtfInfo
	case word == "title" && r.group.kind != rtfInfo:
	case r.group.kind == rtfInfo && word != "title":
		r.group.kind = rtfDiscarded
	case word == "fonttbl":
		r.group.kind = rtfFonts
	case word == "stylesheet":
		r.group.kind = rtfStyles
	case word == "title":
		r.group.kind = rtfTitle
	case word == "footnote":
		r.group.kind = rtfNote
		r.w.Text(" [")
	case rtfDiscardedWords[word]:
		r.group.kind = rtfDiscarded
	case r.group.starred && word != "shppict" && word != "nestableprops" && word != "shpinst" && word != "cs" && word != "ds" && word != "ts":
		r.group.kind = rtfDiscarded
	}
}

var rtfCharacters = map[string]string{
	"emdash": "—", "endash": "–", "emspace": "\u2003", "enspace": "\u2002", "bullet": "•",
	"lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”",
}

// charsets are the encodings of fonts, by the numbers of Windows.
var charsets = map[int]encoding.Encoding{
	77: charmap.Macintosh, 128: japanese.ShiftJIS, 129: korean.EUCKR, 134: simplifiedchinese.GBK, 136: traditionalchinese.Big5,
	161: charmap.Windows1253, 162: charmap.Windows1254, 163: charmap.Windows1258, 177: charmap.Windows1255, 178: charmap.Windows1256,
	186: charmap.Windows1257, 204: charmap.Windows1251, 222: charmap.Windows874, 238: charmap.Windows1250, 255: charmap.CodePage437,
}

var codePages = map[int]encoding.Encoding{
	437: charmap.CodePage437, 850: charmap.CodePage850, 852: charmap.CodePage852, 866: charmap.CodePage866, 874: charmap.Windows874,
	932: japanese.ShiftJIS, 936: simplifiedchinese.GBK, 949: korean.EUCKR, 950: traditionalchinese.Big5,
	1250: charmap.Windows1250, 1251: charmap.Windows1251, 1252: charmap.Windows1252, 1253: charmap.Windows1253, 1254: charmap.Windows1254,
	1255: charmap.Windows1255, 1256: charmap.Windows1256, 1257: charmap.Windows1257, 1258: charmap.Windows1258, 10000: charmap.Macintosh,
}

// isRTF recognises RTF by how every such file begins.
func isRTF(head []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n"), []byte(`{\rtf`))
}
