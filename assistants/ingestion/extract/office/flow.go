package office

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"

	"footnote/assistants/ingestion/extract"
)

// A flow puts paragraphs, lists and tables of an office document together: a
// paragraph stands apart, an item on a line of its own, a row of a table is a
// line. What stands in a table's cell stays on that line.
type flow struct {
	extract.Writer
	grids  []tableState
	due    []extract.Document // what follows the present paragraph: notes, text boxes
	inList bool
	cut    bool // a page ends in the word being written
	mute   bool // in a table of contents: text is dropped, only page ends count
}

// A tableState is what is known of a table whose end is still to come.
type tableState struct {
	cells   int  // begun in the present row
	pending int  // cells begun since the last text of the row
	filled  bool // the present row has text
	nested  bool // it contains a table, so it only serves the layout
}

// grid is the table whose row is being written, or nil.
func (f *flow) grid() *tableState {
	if n := len(f.grids); n > 0 && f.grids[n-1].cells > 0 && !f.grids[n-1].nested {
		return &f.grids[n-1]
	}
	return nil
}

// write writes text. Empty cells before it get their bars now, so that a row
// does not end with them.
func (f *flow) write(s string) {
	if f.mute {
		return
	}
	if g := f.grid(); g != nil && hasText(s) {
		for ; g.pending > 0; g.pending-- {
			f.Cell()
		}
		g.filled = true
	}
	if f.cut && s != "" {
		s = f.wholeWord(s)
	}
	f.Text(s)
}

// writeDue writes what follows the paragraph or, in a table, its last row.
func (f *flow) writeDue() {
	if f.grid() != nil || f.Heading != nil {
		return
	}
	due := f.due
	f.due = nil
	for _, doc := range due {
		f.add(doc)
	}
}

// pageEnd begins a page where the program that laid out the document ended one. If
// the break is inside a word, the whole word stays on the first page.
func (f *flow) pageEnd() {
	f.settle()
	if f.cut = f.midWord(); !f.cut {
		f.StartPage()
	}
}

// midWord reports whether what is written next may continue a word.
func (f *flow) midWord() bool {
	last, _ := utf8.DecodeLastRuneInString(f.Out.String())
	return f.Breaks == 0 && !f.Blank && f.Lead == "" && inWord(last)
}

// settle begins the page that is due.
func (f *flow) settle() {
	if f.cut {
		f.cut = false
		f.StartPage()
	}
}

func inWord(r rune) bool {
	return unicode.IsLetter(r) && !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

// wholeWord writes the rest of a word that a page has cut; it returns what
// stands on the next page.
func (f *flow) wholeWord(s string) string {
	if f.Breaks > 0 || f.Blank {
		f.settle()
		return s
	}
	end := strings.IndexFunc(s, func(r rune) bool { return !inWord(r) && !unicode.IsPunct(r) && r != '\u00ad' })
	if end < 0 {
		f.Text(s)
		return "" // the word may go on
	}
	f.Text(s[:end])
	f.settle()
	return s[end:]
}

func hasText(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsSpace(r) && !extract.Dropped(r) })
}

// newLine ends the line, or in a row the word.
func (f *flow) newLine(n int) {
	if f.grid() != nil {
		f.Space()
		return
	}
	f.BreakLine(n)
}

// paragraph begins a paragraph that is no item of a list.
func (f *flow) paragraph() {
	f.Lead = ""
	f.endList()
	f.newLine(2)
}

// listItem begins a paragraph that is one.
func (f *flow) listItem(depth int, mark string) {
	if f.grid() != nil {
		f.newLine(1)
		f.write(mark + " ")
		return
	}
	f.Lead = ""
	if !f.inList {
		f.StartBlock(extract.BlockList)
		f.inList = true
	}
	f.BreakLine(1)
	f.Mark(depth, mark)
}

func (f *flow) endList() {
	if f.inList && f.grid() == nil {
		f.inList = false
		f.EndBlock(extract.BlockList)
	}
}

func (f *flow) openTable() {
	f.Lead = ""
	f.endList()
	if n := len(f.grids); n > 0 {
		f.grids[n-1].nested = true
		f.DropBlock(extract.BlockTable)
	}
	f.grids = append(f.grids, tableState{})
	f.StartBlock(extract.BlockTable)
}

func (f *flow) closeTable() {
	f.Lead = ""
	f.endList()
	n := len(f.grids)
	f.grids = f.grids[:n-1]
	f.EndBlock(extract.BlockTable)
}

func (f *flow) openRow() {
	f.endList()
	g := &f.grids[len(f.grids)-1]
	g.cells, g.pending, g.filled = 0, 0, false
	f.BreakLine(1)
}

// closeRow ends a row, which is one of the table's header or not.
func (f *flow) closeRow(header bool) {
	g := &f.grids[len(f.grids)-1]
	g.cells = 0
	if header && g.filled && !g.nested {
		f.EndHeader()
	}
}

// openCell begins a cell.
func (f *flow) openCell() {
	f.endList()
	g := &f.grids[len(f.grids)-1]
	g.cells++
	switch {
	case g.nested:
		f.BreakLine(1)
	case g.cells > 1:
		g.pending++
		f.Space()
	}
}

// emptyCells adds cells: those that another one covers.
func (f *flow) emptyCells(n int) {
	g := &f.grids[len(f.grids)-1]
	if n = max(0, min(n, maxGap)); !g.nested && n > 0 {
		g.cells += n
		g.pending += n
	}
}

// maxGap is how many consecutive empty cells are written at most.
const maxGap = 32

// A prose is a flow with notes, text boxes and page breaks: the text of a Word or
// OpenDocument file.
type prose struct {
	flow
	noteCount int                // notes referred to so far
	endnotes  []extract.Document // written after the text
	boxes     int                // text boxes and notes that are open
	breaks    int                // page breaks inside of a row, due at its end
	title     string             // the first heading in the style of titles
}

// apart runs read with an empty text of its own and returns that text.
func (p *prose) apart(read func() error) (extract.Document, error) {
	outer, breaks := p.flow, p.breaks
	p.flow, p.breaks = flow{Writer: extract.Writer{Limit: p.Limit}}, 0
	p.boxes++
	err := read()
	p.boxes--
	doc := p.Finish()
	p.flow, p.breaks = outer, breaks
	return doc, err
}

// addNote puts a note's mark into the text and the note behind the paragraph, or
// an endnote behind everything. Raised digits are no citation markers.
func (p *prose) addNote(note extract.Document, end bool) {
	p.noteCount++
	mark := superscript(p.noteCount)
	p.write(mark)
	note.Text = mark + " " + note.Text
	if end {
		p.endnotes = append(p.endnotes, note)
		return
	}
	p.due = append(p.due, note)
}

// endTitle ends a heading, which may be the document's title.
func (p *prose) endTitle(isTitle bool) {
	p.Lead = ""
	p.EndHeading()
	if n := len(p.Headings); n > 0 && p.title == "" && isTitle {
		p.title = p.Headings[n-1].Title
	}
}

// breakPage begins a page; in a row that has text already, behind the row. It reports
// whether the page begins now.
func (p *prose) breakPage(byAuthor bool) bool {
	if p.boxes > 0 {
		return false
	}
	for _, g := range p.grids {
		if g.filled {
			p.breaks++
			return false
		}
	}
	if len(p.grids) == 0 && (byAuthor || !p.midWord()) {
		p.writeDue() // notes stand on the page that refers to them
	}
	if !byAuthor {
		p.pageEnd()
		return true
	}
	p.settle()
	p.StartPage()
	return true
}

// dueBreaks begins the pages that a row of the outermost table has put off.
func (p *prose) dueBreaks() {
	if len(p.grids) > 1 {
		return
	}
	for ; p.breaks > 0; p.breaks-- {
		p.StartPage()
	}
}

// document is the text with its title; without pages if paged is false.
func (p *prose) document(opt extract.Options, paged bool, title string) (extract.Document, error) {
	switch {
	case p.Full():
		return extract.Document{}, extract.TooMuchText(opt.MaxText)
	case len(p.Pages) > opt.MaxPages:
		return extract.Document{}, tooManyPages(len(p.Pages), opt.MaxPages)
	}
	p.settle()
	doc := p.Finish()
	if !paged {
		doc.Pages = nil
	}
	doc.Title = cmp.Or(title, p.title)
	return doc, nil
}

// add writes a text that was put together apart, as paragraphs of its own; in
// a row as words.
func (f *flow) add(doc extract.Document) {
	if doc.Text == "" {
		return
	}
	if f.grid() != nil {
		f.Space()
		f.write(doc.Text)
		f.Space()
		return
	}
	f.endList()
	f.BreakLine(2)
	f.Append(doc)
	f.BreakLine(2)
}
