package extract

import (
	"strconv"
	"strings"
	"unicode"
)

// A Writer builds the text of a document. It collapses white space, separates
// blocks, and records the offsets of pages, headings and blocks when their first
// character is written. Line ends and spaces are pending until text follows them.
// Every reader that builds a text uses it, so that all texts look alike.
type Writer struct {
	Limit int // the longest text, in bytes; 0: any

	Out      strings.Builder
	Breaks   int    // pending line ends
	Blank    bool   // a pending space; pending line ends replace it
	Lead     string // what the next line begins with: a list item's mark
	Pre      int    // how many elements that keep their white space are open
	inPage   bool
	Pages    []Page // Start is -1 until something is written
	Heading  *Heading
	Headings []Heading
	named    []Heading // sections without text yet whose title is not in the text
	Open     []Block   // open blocks; Start is -1 until something is written
	blocks   []Block
}

// Text writes text, its white space collapsed outside of pre.
func (w *Writer) Text(s string) {
	if w.Full() {
		return
	}
	for _, r := range s {
		switch {
		case r == '\n' && w.Pre > 0:
			if w.Started() {
				w.Breaks++
			}
		case w.Pre > 0 && (r == ' ' || r == '\t'):
			w.Rune(r)
		case unicode.IsSpace(r):
			w.Blank = true
		case !Dropped(r):
			w.Rune(r)
		}
	}
}

// Started reports whether the text has begun.
func (w *Writer) Started() bool { return w.Out.Len() > 0 }

// Full reports whether the text is longer than the limit. Text drops what is
// written after that, so a reader should stop.
func (w *Writer) Full() bool { return w.Limit > 0 && w.Out.Len() > w.Limit }

// Rune writes one character as it is.
func (w *Writer) Rune(r rune) {
	w.FlushPending()
	w.Out.WriteRune(r)
}

// FlushPending writes the pending line ends, list mark and space. It is called before
// text is written.
func (w *Writer) FlushPending() {
	if w.Breaks > 0 {
		if w.Started() {
			w.Out.WriteString("\n\n"[:min(w.Breaks, 2)])
		}
		w.Breaks, w.Blank = 0, false
	}
	if w.Lead != "" {
		w.setStarts()
		w.Out.WriteString(w.Lead)
		w.Lead, w.Blank = "", false
	}
	if w.Blank && w.Started() && !strings.HasSuffix(w.Out.String(), "\n") {
		w.Out.WriteByte(' ')
	}
	w.Blank = false
	w.setStarts()
}

// setStarts sets the start of the page, headings and blocks that have no text yet.
func (w *Writer) setStarts() {
	at := w.Out.Len()
	if n := len(w.Pages); w.inPage && w.Pages[n-1].Start < 0 {
		w.Pages[n-1].Start = at
	}
	for _, h := range w.named {
		h.Start = at
		w.Headings = append(w.Headings, h)
	}
	w.named = w.named[:0]
	if w.Heading != nil && w.Heading.Start < 0 {
		w.Heading.Start = at
	}
	for i := len(w.Open) - 1; i >= 0 && w.Open[i].Start < 0; i-- {
		w.Open[i].Start = at
	}
}

// Space puts a space before the next character, unless a line end is pending.
func (w *Writer) Space() { w.Blank = true }

// BreakLine puts at least n line ends before the next character.
func (w *Writer) BreakLine(n int) {
	if w.Breaks < n {
		w.Breaks = n
	}
}

// StartPage ends the current page and begins the next one: a page, slide or sheet.
// It starts a new line. Readers whose pages do not continue each other's text
// call BreakLine(2) first.
func (w *Writer) StartPage() {
	w.EndPage()
	w.named = w.named[:0] // the previous page had no text for them
	w.BreakLine(1)
	w.Pages = append(w.Pages, Page{Number: len(w.Pages) + 1, Start: -1})
	w.inPage = true
}

// EndPage ends the page where its text ends.
func (w *Writer) EndPage() {
	if !w.inPage {
		return
	}
	w.inPage = false
	p := &w.Pages[len(w.Pages)-1]
	p.End = w.Out.Len()
	if p.Start < 0 { // a page without text
		p.Start = p.End
	}
}

// Cell begins the next cell of a row, after the first.
func (w *Writer) Cell() {
	w.Blank = true
	w.FlushPending()
	w.Out.WriteByte('|')
	w.Blank = true
}

// item begins an item of a list; number 0 is a bullet.
func (w *Writer) item(depth, number int) {
	mark := "-"
	if number > 0 {
		mark = strconv.Itoa(number) + "."
	}
	w.Mark(depth, mark)
}

// Mark begins a list item with the document's own mark, such as "iv)".
func (w *Writer) Mark(depth int, mark string) {
	w.Lead = strings.Repeat("  ", min(depth, 8)) + mark + " "
}

// resume records that the text returns to an earlier heading.
func (w *Writer) resume(level int, title string) {
	w.BreakLine(2)
	w.FlushPending()
	w.Headings = append(w.Headings, Heading{Start: w.Out.Len(), Level: level, Title: title})
}

// verbatim writes text and keeps its line ends.
func (w *Writer) verbatim(s string) {
	w.Pre++
	w.Text(s)
	w.Pre--
}

// StartHeading begins a heading; the text up to EndHeading is its title.
func (w *Writer) StartHeading(level int) {
	w.EndHeading()
	w.BreakLine(2)
	w.Heading = &Heading{Start: -1, Level: level}
}

// EndHeading ends the heading that has begun.
func (w *Writer) EndHeading() {
	h := w.Heading
	if h == nil {
		return
	}
	w.Heading = nil
	w.BreakLine(2)
	if h.Start < 0 {
		return
	}
	h.Title = strings.Join(strings.Fields(w.Out.String()[h.Start:]), " ")
	w.Headings = append(w.Headings, *h)
}

// NameSection begins a section whose title is not in the text. It begins with
// what is written next.
func (w *Writer) NameSection(level int, title string) {
	w.EndHeading()
	w.named = append(w.named, Heading{Start: -1, Level: level, Title: title})
}

// StartBlock begins a block of a kind with the next character.
func (w *Writer) StartBlock(kind BlockKind) {
	w.BreakLine(2)
	w.Open = append(w.Open, Block{Kind: kind, Start: -1})
}

// EndHeader marks the rows of the innermost open table so far as its header. It is
// called between rows.
func (w *Writer) EndHeader() { w.EndHeaderAt(w.Out.Len()) }

// EndHeaderAt marks the rows before an offset as the header.
func (w *Writer) EndHeaderAt(at int) {
	for i := len(w.Open) - 1; i >= 0; i-- {
		if b := &w.Open[i]; b.Kind == BlockTable {
			if b.Start >= 0 && b.Start < at {
				b.HeaderEnd = at
			}
			return
		}
	}
}

// EndBlock ends the innermost block of a kind. Of nested blocks the outermost
// is kept, so that blocks do not overlap.
func (w *Writer) EndBlock(kind BlockKind) {
	for i := len(w.Open) - 1; i >= 0; i-- {
		if w.Open[i].Kind != kind {
			continue
		}
		block := w.Open[i]
		w.Open = append(w.Open[:i], w.Open[i+1:]...)
		block.End = w.Out.Len()
		w.BreakLine(2)
		if block.Start >= 0 && block.Start < block.End {
			w.keep(block)
		}
		return
	}
}

func (w *Writer) keep(block Block) {
	for n := len(w.blocks); n > 0 && w.blocks[n-1].Start >= block.Start; n-- {
		w.blocks = w.blocks[:n-1]
	}
	if n := len(w.blocks); n == 0 || w.blocks[n-1].End <= block.Start {
		w.blocks = append(w.blocks, block)
	}
}

// DropBlock forgets the innermost open block of a kind.
func (w *Writer) DropBlock(kind BlockKind) {
	for i := len(w.Open) - 1; i >= 0; i-- {
		if w.Open[i].Kind == kind {
			w.Open = append(w.Open[:i], w.Open[i+1:]...)
			return
		}
	}
}

// Append appends the text of another writer, with its headings and blocks.
func (w *Writer) Append(doc Document) {
	if doc.Text == "" || w.Full() {
		return
	}
	w.EndHeading()
	w.FlushPending()
	at := w.Out.Len()
	w.Out.WriteString(doc.Text)
	for _, h := range doc.Headings {
		h.Start += at
		w.Headings = append(w.Headings, h)
	}
	if len(w.Open) > 0 {
		return // inside an open block, which includes the text
	}
	for _, b := range doc.Blocks {
		b.Start, b.End = b.Start+at, b.End+at
		if b.HeaderEnd > 0 {
			b.HeaderEnd += at
		}
		w.blocks = append(w.blocks, b)
	}
}

// endOpen ends what was begun and never closed.
func (w *Writer) endOpen() {
	w.EndHeading()
	w.Pre = 0
	for len(w.Open) > 0 {
		w.EndBlock(w.Open[len(w.Open)-1].Kind)
	}
}

// Finish returns what was written. Blocks that were never closed end with it.
func (w *Writer) Finish() Document {
	w.endOpen()
	w.EndPage()
	return Document{Text: w.Out.String(), Pages: w.Pages, Headings: w.Headings, Blocks: w.blocks}
}
