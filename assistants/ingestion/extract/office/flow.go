package office

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"

	"footnote/assistants/ingestion/extract"
)

// A flow writes the paragraphs, lists and tables of an office document as text. Blank
// lines separate paragraphs. A list item is a line, and so is a table row with all that
// its cells contain.
type flow struct {
	extract.Writer
	grids   []tableState
	due     []extract.Document // notes and text boxes to write after this paragraph
	inList  bool
	pageDue bool // a page begins after the word being written
	mute    bool // in a table of contents, of which only the page ends are read
}

// A tableState is the state of an open table.
type tableState struct {
	cells   int  // of the row so far
	pending int  // cells since the last text of the row
	filled  bool // the row has text
	nested  bool // it contains a table, so it only serves the layout
}

// grid is the table whose row is being written, or nil.
func (f *flow) grid() *tableState {
	if n := len(f.grids); n > 0 && f.grids[n-1].cells > 0 && !f.grids[n-1].nested {
		return &f.grids[n-1]
	}
	return nil
}

// write writes text. It writes the empty cells before the text only now, because those
// at the end of a row are left out.
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
	if f.pageDue && s != "" {
		s = f.wholeWord(s)
	}
	f.Text(s)
}

// writeDue writes the notes and text boxes of the paragraph. Those of a table follow
// its last row.
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

// pageEnd begins a page where the layout has a page break. If the break is inside a
// word, the whole word stays on the first page.
func (f *flow) pageEnd() {
	f.startDuePage()
	if f.pageDue = f.midWord(); !f.pageDue {
		f.StartPage()
	}
}

// midWord reports whether what is written next may continue a word.
func (f *flow) midWord() bool {
	last, _ := utf8.DecodeLastRuneInString(f.Out.String())
	return f.Breaks == 0 && !f.Blank && f.Lead == "" && inWord(last)
}

// startDuePage begins the page that is due, if there is one.
func (f *flow) startDuePage() {
	if f.pageDue {
		f.pageDue = false
		f.StartPage()
	}
}

func inWord(r rune) bool {
	return unicode.IsLetter(r) && !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

// wholeWord writes the rest of a word with a page break in it, and returns the text of
// the next page.
func (f *flow) wholeWord(s string) string {
	if f.Breaks > 0 || f.Blank {
		f.startDuePage()
		return s
	}
	end := strings.IndexFunc(s, func(r rune) bool { return !inWord(r) && !unicode.IsPunct(r) && r != '\u00ad' })
	if end < 0 {
		f.Text(s)
		return "" // the word may go on
	}
	f.Text(s[:end])
	f.startDuePage()
	return s[end:]
}

func hasText(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsSpace(r) && !extract.Dropped(r) })
}

// newLine ends the line. In a table row, which is one line, it ends the word.
func (f *flow) newLine(n int) {
	if f.grid() != nil {
		f.Space()
		return
	}
	f.BreakLine(n)
}

// paragraph begins a paragraph outside of lists.
func (f *flow) paragraph() {
	f.Lead = ""
	f.endList()
	f.newLine(2)
}

// listItem begins a paragraph that is a list item.
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

// closeRow ends a row. header says whether it belongs to the table's header.
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

// emptyCells adds the cells that a wider cell covers.
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
	boxes     int                // number of open text boxes and notes
	breaks    int                // page breaks inside a row, which follow the row
	title     string             // the first heading that is styled as a title
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

// addNote writes the mark of a note as raised digits, which are not mistaken for a
// citation. The note follows the paragraph, and an endnote the whole text.
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

// breakPage begins a page and reports true. In a row with text it reports false, and
// the page begins after the row.
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
	p.startDuePage()
	p.StartPage()
	return true
}

// dueBreaks begins the pages whose breaks are inside the last row of the outermost table.
func (p *prose) dueBreaks() {
	if len(p.grids) > 1 {
		return
	}
	for ; p.breaks > 0; p.breaks-- {
		p.StartPage()
	}
}

// document returns the text with its title, and with pages if paged is true.
func (p *prose) document(opt extract.Options, paged bool, title string) (extract.Document, error) {
	switch {
	case p.Full():
		return extract.Document{}, extract.TooMuchText(opt.MaxText)
	case len(p.Pages) > opt.MaxPages:
		return extract.Document{}, tooManyPages(len(p.Pages), opt.MaxPages)
	}
	p.startDuePage()
	doc := p.Finish()
	if !paged {
		doc.Pages = nil
	}
	doc.Title = cmp.Or(title, p.title)
	return doc, nil
}

// add writes a separate text: as paragraphs, or in a table row as words.
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
