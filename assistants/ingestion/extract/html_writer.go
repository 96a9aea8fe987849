package extract

import (
	"strconv"
	"strings"
	"unicode"
)

// A writer puts the text of a page together: white space collapses, blocks
// stand apart, and the places of headings and blocks are noted when their
// first character is written.
type writer struct {
	b        strings.Builder
	breaks   int    // line ends owed before the next character
	blank    bool   // a space owed, unless a line end comes first
	lead     string // what the next line begins with: an item's mark
	pre      int    // how many <pre> are open
	heading  *Heading
	headings []Heading
	open     []Block // blocks begun; Start is -1 until something is written
	blocks   []Block
}

// text writes text, its white space collapsed outside of <pre>.
func (w *writer) text(s string) {
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

// cell begins a further cell of a row.
func (w *writer) cell() {
	w.blank = true
	w.owed()
	w.b.WriteByte('|')
	w.blank = true
}

// item begins an item of a list; number 0 is a bullet.
func (w *writer) item(depth, number int) {
	mark := "- "
	if number > 0 {
		mark = strconv.Itoa(number) + ". "
	}
	w.lead = strings.Repeat("  ", min(depth, 8)) + mark
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

func (w *writer) startBlock(kind BlockKind) {
	w.breakLine(2)
	w.open = append(w.open, Block{Kind: kind, Start: -1})
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

// finish returns what was written. Blocks that were never closed end with it.
func (w *writer) finish() Document {
	w.endHeading()
	for len(w.open) > 0 {
		w.endBlock(w.open[len(w.open)-1].Kind)
	}
	return Document{Text: w.b.String(), Headings: w.headings, Blocks: w.blocks}
}
