package pdf

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"footnote/assistants/ingestion/extract"
)

// A box is a rectangle on a page: y grows downwards, so top is less than bottom.
type box struct{ left, top, right, bottom float64 }

func (b box) width() float64  { return b.right - b.left }
func (b box) height() float64 { return b.bottom - b.top }

func (b box) union(c box) box {
	return box{min(b.left, c.left), min(b.top, c.top), max(b.right, c.right), max(b.bottom, c.bottom)}
}

// A glyph is a character that PDFium found, and its number on the page.
type glyph struct {
	char  rune
	index int32
}

// A word is the text between two white spaces of PDFium's text.
type word struct {
	glyphs   []glyph
	box      box     // its height is the font's, not that of the letters
	baseline float64 // downwards
	size     float64 // of the font
	bold     bool
	fixed    bool // in a font of fixed width
	hyphen   bool // cut by the end of its line; the hyphen is not among the glyphs
	turn     int  // the quarter turns by which it is rotated
	row      int  // the line of PDFium's text
	last     box  // the ink of the last glyph
}

// accents are the characters that old fonts draw over the letter that follows.
var accents = map[rune]rune{
	'\u0060': 0x300, '\u00B4': 0x301, '\u02C6': 0x302, '^': 0x302, '\u02DC': 0x303, '~': 0x303, '\u00AF': 0x304, '\u02D8': 0x306,
	'\u02D9': 0x307, '\u00A8': 0x308, '\u02DA': 0x30A, '\u02DD': 0x30B, '\u02C7': 0x30C, '\u00B8': 0x327, '\u02DB': 0x328,
}

// add appends a glyph, at box b. It is joined with a preceding accent that stands
// above it, and not before it as in code.
func (w *word) add(g glyph, b box) {
	n := len(w.glyphs)
	if n > 0 {
		mark, ok := accents[w.glyphs[n-1].char]
		over := min(w.last.right, b.right) - max(w.last.left, b.left)
		if ok && unicode.IsLetter(g.char) && over > 0.6*w.last.width() && over > 0 {
			base := g.char
			if base == 'ı' || base == 'ȷ' {
				base = map[rune]rune{'ı': 'i', 'ȷ': 'j'}[base]
			}
			if whole := []rune(norm.NFC.String(string(base) + string(mark))); len(whole) == 1 {
				w.glyphs[n-1] = glyph{whole[0], g.index}
				w.last = b
				return
			}
		}
	}
	w.glyphs, w.last = append(w.glyphs, g), b
}

// A pdfPage is an open page.
type pdfPage struct {
	*pdfium
	handle, text uint64
	chars        int
	hidden       map[uint64]bool // the objects of texts that are left out
}

func (p *pdfium) page(doc uint64, index int) (*pdfPage, error) {
	handle, err := p.call("FPDF_LoadPage", doc, uint64(index))
	if err != nil {
		return nil, err
	}
	if handle == 0 {
		return nil, errors.New("the page cannot be loaded")
	}
	page := &pdfPage{pdfium: p, handle: handle}
	if page.text, err = p.call("FPDFText_LoadPage", handle); err == nil && page.text == 0 {
		err = errors.New("the page's text cannot be loaded")
	}
	if err == nil {
		page.chars, err = p.integer("FPDFText_CountChars", page.text)
	}
	if err == nil && page.chars < 0 {
		err = errors.New("the page's characters cannot be counted")
	}
	if err != nil {
		page.close()
		return nil, err
	}
	return page, nil
}

// close frees the page. A page that cannot be freed costs memory, which is limited.
func (p *pdfPage) close() {
	if p.text != 0 {
		_, _ = p.call("FPDFText_ClosePage", p.text)
	}
	_, _ = p.call("FPDF_ClosePage", p.handle)
}

// isHyphenMark reports whether r stands for a hyphen at the end of a line, and for the
// line end after it.
func isHyphenMark(r rune) bool { return r == '\uFFFE' || r == '\x02' }

// words reads the page's characters, in PDFium's order.
func (p *pdfPage) words() ([]word, error) {
	var (
		out     []word
		current word
		row     int
	)
	end := func() {
		if len(current.glyphs) > 0 {
			out = append(out, current)
		}
		current = word{}
	}
	for i := range p.chars {
		if hidden, err := p.isHidden(i); err != nil {
			return nil, err
		} else if hidden {
			end()
			continue
		}
		v, err := p.call("FPDFText_GetUnicode", p.text, uint64(i))
		if err != nil {
			return nil, err
		}
		r := rune(uint32(v))
		switch {
		case isHyphenMark(r):
			current.hyphen = true
			end()
			row++
		case r == '\n' || r == '\r':
			end()
			row++
		case unicode.IsSpace(r):
			end()
		case r != '\u00AD' && extract.Dropped(r):
		default:
			b, err := p.charBox(i)
			if err != nil {
				return nil, err
			}
			if raised, err := p.isRaised(&current, r, b, i); err != nil {
				return nil, err
			} else if raised {
				end()
			}
			if len(current.glyphs) == 0 {
				if current, err = p.startWord(i, b); err != nil {
					return nil, err
				}
				current.row = row
			}
			current.add(glyph{r, int32(i)}, b)
			if b.width() > 0 || b.height() > 0 {
				current.box = current.box.union(b)
			}
		}
	}
	end()
	return out, nil
}

// Bounds of a raised digit behind a number: the mark of a footnote, or an exponent.
const (
	raisedHeight = 0.8 // the greatest height of its ink, as a share of the digit's in front of it
	raisedBy     = 0.2 // how far it stands above the baseline at least, in font sizes
)

// isRaised reports whether the i-th character of the page is a raised digit behind a number. It is no digit of the
// number, but the mark of a footnote, or an exponent.
func (p *pdfPage) isRaised(w *word, r rune, b box, i int) (bool, error) {
	n := len(w.glyphs)
	if n == 0 || w.turn != 0 || !unicode.IsDigit(r) || !unicode.IsDigit(w.glyphs[n-1].char) || b.height() >= raisedHeight*w.last.height() {
		return false, nil
	}
	_, err := p.call("FPDFText_GetCharOrigin", p.text, uint64(i), p.scratchAddress(0), p.scratchAddress(1))
	return w.baseline+p.double(1) > raisedBy*w.size, err
}

// charBox returns the box around the ink of a character.
func (p *pdfPage) charBox(i int) (box, error) {
	_, err := p.call("FPDFText_GetCharBox", p.text, uint64(i), p.scratchAddress(0), p.scratchAddress(1), p.scratchAddress(2), p.scratchAddress(3))
	return box{p.double(0), -p.double(3), p.double(1), -p.double(2)}, err
}

const fontFixedPitch, fontForceBold = 1, 1 << 18

// startWord reads the properties that all characters of a word share.
func (p *pdfPage) startWord(i int, b box) (word, error) {
	at := uint64(i)
	w := word{box: b}
	if _, err := p.call("FPDFText_GetCharOrigin", p.text, at, p.scratchAddress(0), p.scratchAddress(1)); err != nil {
		return w, err
	}
	originX, originY := p.double(0), -p.double(1)
	if b.width() <= 0 && b.height() <= 0 {
		w.box = box{originX, originY, originX, originY}
	}
	size, err := p.call("FPDFText_GetFontSize", p.text, at)
	if err != nil {
		return w, err
	}
	w.size = math.Float64frombits(size)
	if ok, err := p.integer("FPDFText_GetMatrix", p.text, at, p.scratchAddress(0)); err != nil {
		return w, err
	} else if ok != 0 {
		// a b c d: across goes to (a, b), up to (c, d).
		a, b := p.float(0), p.float(1)
		if scale := math.Hypot(p.float(2), p.float(3)); scale > 0 {
			w.size *= scale
		}
		w.turn = (int(math.Round(math.Atan2(b, a)/(math.Pi/2))) + 4) % 4
	}
	if !(w.size > 0.1 && w.size < 2000) { // or not a number
		w.size = max(b.height(), 1)
	}
	w.baseline = originY
	if w.turn%2 == 1 {
		w.baseline = originX
	}
	weight, err := p.integer("FPDFText_GetFontWeight", p.text, at)
	if err != nil {
		return w, err
	}
	n, err := p.integer("FPDFText_GetFontInfo", p.text, at, p.scratchAddress(8), 256, p.scratchAddress(0))
	if err != nil {
		return w, err
	}
	flags, _ := p.module.Memory().ReadUint32Le(p.scratch)
	raw, _ := p.module.Memory().Read(p.scratch+64, uint32(max(min(n, 256), 0)))
	name := string(bytes.ToLower(raw))
	w.fixed = flags&fontFixedPitch != 0 || fixedFont(name)
	w.bold = weight >= 600 || flags&fontForceBold != 0 || boldFont(name)
	return w, nil
}

// boldFont and fixedFont recognise fonts by their names in lower case, for files without the flags:
// many bold fonts are named "…-Bold", and that of TeX's Computer Modern "CMBX10".
func boldFont(name string) bool { return containsAny(name, "bold", "black", "heavy", "cmbx") }

func fixedFont(name string) bool { return containsAny(name, "mono", "courier", "typewriter", "cmtt") }

func containsAny(name string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(name, part) })
}
