package extract

import (
	"strconv"
	"strings"
	"unicode"
)

// A writer puts the text of a document together: white space collapses, blocks
// stand apart, and the places of pages, headings and blocks are noted when
// their first character is written. Every reader that builds a text uses it,
// so that their texts look alike.
type writer struct {
	limit int // the longest text, in bytes; 0: any

	b        strings.Builder
	breaks   int    // line ends owed before the next character
	blank    bool   // a space owed, unless a line end comes first
	lead     string // what the next line begins with: an item's mark
	pre      int    // how many stretches with white space of their own are open
	inPage   bool
	pages    []Page // Start is -1 until something is written
	heading  *Heading
	headings []Heading
	named    []Heading // sections begun whose title is not in the text
	open     []Block   // blocks begun; Start is -1 until something is written
	blocks   []Block
}

// text writes text, its white space collapsed outside of pre.
func (w *writer) text(s string) {
	if w.full() {
		return
	}
	for _, r := range s {
		switch {
		case r == '\n' && w.pre > 0:
			if w.started() {
				w.breaks++
			}
		case w.pre > 0 && (r == ' ' || r == '\t'):
			w.rune(r)
		case unicode.IsSpace(r):
			w.blank = true
		case !dropped(r):
			w.rune(r)
		}
	}
}

func (w *writer) started() bool { return w.b.Len() > 0 }

// full reports that the text is longer than the limit. What is written then is
// lost; a reader that sees it stops.
func (w *writer) full() bool { return w.limit > 0 && w.b.Len() > w.limit }

func (w *writer) rune(r rune) {
	w.owed()
	w.b.WriteRune(r)
}

// owed writes what was held back until there is something to stand before.
func (w *writer) owed() {
	if w.breaks > 0 {
		if w.started() {
			w.b.WriteString("\n\n"[:min(w.breaks, 2)])
		}
		w.breaks, w.blank = 0, false
	}
	if w.lead != "" {
		w.note()
		w.b.WriteString(w.lead)
		w.lead, w.blank = "", false
	}
	if w.blank && w.started() && !strings.HasSuffix(w.b.String(), "\n") {
		w.b.WriteByte(' ')
	}
	w.blank = false
	w.note()
}

// note records where what was begun really starts.
func (w *writer) note() {
	at := w.b.Len()
	if n := len(w.pages); w.inPage && w.pages[n-1].Start < 0 {
		w.pages[n-1].Start = at
	}
	for _, h := range w.named {
		h.Start = at
		w.headings = append(w.headings, h)
	}
	w.named = w.named[:0]
	if w.heading != nil && w.heading.Start < 0 {
		w.heading.Start = at
	}
	for i := len(w.open) - 1; i >= 0 && w.open[i].Start < 0; i-- {
		w.open[i].Start = at
	}
}

func (w *writer) space() { w.blank = true }

func (w *writer) breakLine(n int) {
	if w.breaks < n {
		w.breaks = n
	}
}

// startPage ends the page before and begins the next one: a page, slide or
// sheet. A page stands at least on a line of its own; a reader whose pages do
// not run on breaks two lines before.
func (w *writer) startPage() {
	w.endPage()
	w.named = w.named[:0] // of a page without text
	w.breakLine(1)
	w.pages = append(w.pages, Page{Number: len(w.pages) + 1, Start: -1})
	w.inPage = true
}

func (w *writer) endPage() {
	if !w.inPage {
		return
	}
	w.inPage = false
	p := &w.pages[len(w.pages)-1]
	p.End = w.b.Len()
	if p.Start < 0 { // a page without text
		p.Start = p.End
	}
}

// cell begins a further cell of a row.
func (w *writer) cell() {
	w.blank = true
	w.owed()
	w.b.WriteByte('|')
	w.blank = true
}

// item begins an item of a list; number 0 is a bullet.
func (w *writer) item(depth, number int) {
	mark := "-"
	if number > 0 {
		mark = strconv.Itoa(number) + "."
	}
	w.mark(depth, mark)
}

// mark begins an item with a mark of the document's own, such as "iv)".
func (w *writer) mark(depth int, mark string) {
	w.lead = strings.Repeat("  ", min(depth, 8)) + mark + " "
}

// resume notes that the text goes on under a heading that has stood before.
func (w *writer) resume(level int, title string) {
	w.breakLine(2)
	w.owed()
	w.headings = append(w.headings, Heading{Start: w.b.Len(), Level: level, Title: title})
}

// verbatim writes text whose line ends stay.
func (w *writer) verbatim(s string) {
	w.pre++
	w.text(s)
	w.pre--
}

func (w *writer) startHeading(level int) {
	w.endHeading()
	w.breakLine(2)
	w.heading = &Heading{Start: -1, Level: level}
}

func (w *writer) endHeading() {
	h := w.heading
	if h == nil {
		return
	}
	w.heading = nil
	w.breakLine(2)
	if h.Start < 0 {
		return
	}
	h.Title = strings.Join(strings.Fields(w.b.String()[h.Start:]), " ")
	w.headings = append(w.headings, *h)
}

// nameSection begins a section whose title is not in the text. It begins with
// what is written next.
func (w *writer) nameSection(level int, title string) {
	w.endHeading()
	w.named = append(w.named, Heading{Start: -1, Level: level, Title: title})
}

func (w *writer) startBlock(kind BlockKind) {
	w.breakLine(2)
	w.open = append(w.open, Block{Kind: kind, Start: -1})
}

// endHeader says that the rows of the innermost open table up to here are its
// header. It is called between rows.
func (w *writer) endHeader() { w.endHeaderAt(w.b.Len()) }

// endHeaderAt says the same of the rows up to a place that was written.
func (w *writer) endHeaderAt(at int) {
	for i := len(w.open) - 1; i >= 0; i-- {
		if b := &w.open[i]; b.Kind == BlockTable {
			if b.Start >= 0 && b.Start < at {
				b.HeaderEnd = at
			}
			return
		}
	}
}

// endBlock ends the innermost block of a kind. Of nested blocks the outermost
// is kept, so that blocks do not overlap.
func (w *writer) endBlock(kind BlockKind) {
	for i := len(w.open) - 1; i >= 0; i-- {
		if w.open[i].Kind != kind {
			continue
		}
		block := w.open[i]
		w.open = append(w.open[:i], w.open[i+1:]...)
		block.End = w.b.Len()
		w.breakLine(2)
		if block.Start >= 0 && block.Start < block.End {
			w.keep(block)
		}
		return
	}
}

func (w *writer) keep(block Block) {
	for n := len(w.blocks); n > 0 && w.blocks[n-1].Start >= block.Start; n-- {
		w.blocks = w.blocks[:n-1]
	}
	if n := len(w.blocks); n == 0 || w.blocks[n-1].End <= block.Start {
		w.blocks = append(w.blocks, block)
	}
}

// dropBlock forgets the innermost open block of a kind.
func (w *writer) dropBlock(kind BlockKind) {
	for i := len(w.open) - 1; i >= 0; i-- {
		if w.open[i].Kind == kind {
			w.open = append(w.open[:i], w.open[i+1:]...)
			return
		}
	}
}

// appended writes another writer's text as it is, with its headings and blocks.
func (w *writer) appended(doc Document) {
	if doc.Text == "" || w.full() {
		return
	}
	w.endHeading()
	w.owed()
	at := w.b.Len()
	w.b.WriteString(doc.Text)
	for _, h := range doc.Headings {
		h.Start += at
		w.headings = append(w.headings, h)
	}
	if len(w.open) > 0 {
		return // a part of the block around it
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
func (w *writer) endOpen() {
	w.endHeading()
	w.pre = 0
	for len(w.open) > 0 {
		w.endBlock(w.open[len(w.open)-1].Kind)
	}
}

// finish returns what was written. Blocks that were never closed end with it.
func (w *writer) finish() Document {
	w.endOpen()
	w.endPage()
	return Document{Text: w.b.String(), Pages: w.pages, Headings: w.headings, Blocks: w.blocks}
}
