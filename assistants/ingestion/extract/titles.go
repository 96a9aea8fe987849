package extract

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A titleLine is a line of the text, without white space at its ends.
type titleLine struct {
	start, end int
	text       string
	joined     bool // no blank line is above it
}

// A tableTitler makes the titles of tables headings.
type tableTitler struct {
	*Document
	given    []Heading // the headings that are still to come
	headings []Heading // those so far
	own      bool      // the last heading is a title that was found here
	caption  int       // the level of the caption above that title; 0: there is none
	paged    Heading   // the title of a statement of the document itself, which ends with its page; Level 0: none
	pages    []Page    // the pages that are still to come
	page     int       // where the present page starts

	statement statement // the last one
	names     []Block   // tables that only named the columns of the next one
	counted   Span      // the last table whose columns of amounts were counted
	columns   int       // and how many there were
}

// titleTables makes the titles of tables headings, and the lines with units and periods
// between a title and its table a part of the table's header. Such a heading ends with its
// table, or with the notes below it. A table that goes on after a page keeps its heading.
func (d *Document) titleTables() {
	t := tableTitler{Document: d, given: d.Headings, pages: d.Pages, names: d.foldNames()}
	for i := range d.Blocks {
		if d.Blocks[i].Kind == BlockTable {
			t.title(i)
			t.close(i)
		}
	}
	t.takeGiven(len(d.Text))
	d.Headings = t.headings
	d.carryNames(t.names)
}

// takeGiven takes over the headings of the document up to a place. One on a later page ends a statement.
func (t *tableTitler) takeGiven(to int) {
	for len(t.given) > 0 && t.given[0].Start <= to {
		h := t.given[0]
		if p := t.pageOf(h.Start); t.paged.Level > 0 && p > t.paged.Start {
			if h.Level > t.paged.Level {
				t.end(p)
			}
			t.paged = Heading{}
		}
		if h.Level <= t.paged.Level {
			t.paged = Heading{}
		}
		if n := len(t.headings); t.own && !t.inStatement() && h.Level > t.headings[n-1].Level {
			t.end(h.Start)
		}
		t.headings, t.given, t.own = append(t.headings, h), t.given[1:], false
	}
}

// pageOf returns where the page of a place starts.
func (d *Document) pageOf(at int) int {
	i, ok := slices.BinarySearchFunc(d.Pages, at, func(p Page, at int) int { return p.Start - at })
	if !ok {
		i--
	}
	if i < 0 {
		return 0
	}
	return d.Pages[i].Start
}

// title finds the title of the i-th block.
func (t *tableTitler) title(i int) {
	b := &t.Blocks[i]
	for len(t.pages) > 0 && t.pages[0].Start <= b.Start {
		t.page, t.pages = t.pages[0].Start, t.pages[1:]
	}
	known := len(t.headings)
	t.takeGiven(b.Start)
	t.keepParts(known, i)
	if n := len(t.headings); n > 0 && t.headings[n-1].Start == b.Start {
		return // it has a name that is not in the text
	}
	if IsContents(strings.Split(t.Text[b.Start:b.End], "\n")) {
		if t.leavePage(i); t.own || t.paged.Level > 0 {
			t.end(b.Start)
		}
		return
	}
	from := t.page
	if i > 0 {
		from = max(from, t.Blocks[i-1].End)
	}
	rows := t.titleRows(*b)
	if len(rows) == 0 && b.Over >= from {
		t.takeOver(b)
	}
	lines := append(t.linesAbove(from, b.Start, maxLinesOfHead), rows...)
	k := len(lines) - 1
	for ; k >= 0 && t.isUnits(lines[k]); k-- {
		if isNames(lines[k].text) && !nameAll(lines[k].text, t.columnsOf(*b)) {
			continue
		}
		b.Start = min(b.Start, lines[k].start)
		b.HeaderEnd = max(b.HeaderEnd, lines[k].end)
	}
	switch {
	case k < 0:
		t.captionAround(i)
	case t.isHeading(lines[k]):
		h := &t.headings[len(t.headings)-1]
		h.Title, _ = WithoutContinued(h.Title)
		h.Level = t.levelOf(*h)
		if isStatement(h.Title) && t.paged.Level == 0 {
			t.paged = *h
		}
		t.begin(b, lines, k)
	case (isTitle(lines[k].text) || t.isPartTitle(lines[k], lines[:k])) && !endsParagraph(lines[:k+1]):
		if !t.mayBePart(b, lines[k], lines[k+1:]) {
			t.leaveStatement()
		}
		t.addTitle(b, lines, k)
	default:
		if k = -1; !t.captionAround(i) {
			t.leavePage(i)
		}
	}
	t.takeHeads(i, lines, k)
}

// takeOver makes the lines over the columns of a table its header, so that none of them is taken for its title.
func (t *tableTitler) takeOver(b *Block) {
	if n := len(t.headings); b.Over == 0 || n > 0 && t.headings[n-1].Start >= b.Over {
		return
	}
	b.HeaderEnd = max(b.HeaderEnd, len(strings.TrimRight(t.Text[:b.Start], " \n")))
	b.Start = b.Over
}

// captionAround takes a caption as the title of the i-th block, if there is one. Notes may stand
// between it and the table, or short lines of which some are code.
func (t *tableTitler) captionAround(i int) bool {
	from, code := t.page, 0 // where the last lines of code end
	for j := i - 1; j >= 0 && t.Blocks[j].End > from; j-- {
		if t.Blocks[j].Kind != BlockCode {
			from = t.Blocks[j].End
		}
		code = max(code, t.Blocks[j].End)
	}
	if n := len(t.headings); n > 0 {
		from = max(from, t.headings[n-1].Start)
	}
	lines := append(t.linesAbove(from, t.Blocks[i].Start, maxLinesAbove), t.titleRows(t.Blocks[i])...)
	long := false
	for _, l := range slices.Backward(lines) {
		if long = long || utf8.RuneCountInString(l.text) > maxTitleLength; long && l.start < code {
			break
		}
		if isCaption(l.text) && isTitle(l.text) && !t.isHeading(l) {
			t.leaveStatement()
			t.add(Heading{Start: l.start, Level: t.nextLevel(), Title: l.text})
			return true
		}
	}
	return t.captionBelow(i)
}

// addTitle adds the k-th of the lines above a table's rows, which is its title. A caption may be above
// a title that is the first row of its table: "Table 3". What comes after the title is not below it.
func (t *tableTitler) addTitle(b *Block, lines []titleLine, k int) {
	title, _ := WithoutContinued(strings.TrimSuffix(lines[k].text, ":"))
	level, caption := t.nextLevel(), 0
	if k > 0 && lines[k].start >= b.Start && isCaption(lines[k-1].text) && isTitle(lines[k-1].text) && !t.isHeading(lines[k-1]) {
		t.add(Heading{Start: lines[k-1].start, Level: level, Title: lines[k-1].text})
		caption = t.headings[len(t.headings)-1].Level
		level = caption + 1
	}
	t.add(Heading{Start: lines[k].start, Level: level, Title: title})
	t.begin(b, lines, k)
	if t.caption = caption; caption > 0 && t.inStatement() {
		t.statement.after = min(t.statement.after, caption)
	}
}

// add adds a title.
func (t *tableTitler) add(h Heading) {
	h.Level, t.caption = t.levelOf(h), 0
	if !t.inStatement() {
		t.statement = statement{}
	}
	if h.Level <= t.paged.Level || t.paged.Start < t.page {
		t.paged = t.statement.paged
	}
	if n := len(t.headings); n > 0 {
		h.Start = max(h.Start, t.headings[n-1].Start) // a bookmark may lead to the lines below the title
	}
	if isStatement(h.Title) && t.paged.Level == 0 {
		t.paged = h
	}
	t.headings, t.own = append(t.headings, h), true
}

// nextLevel returns the level of a title below the heading in force.
func (t *tableTitler) nextLevel() int {
	n := len(t.headings)
	switch {
	case n == 0:
		return 1
	case t.inStatement():
		return t.statement.level
	case t.statement.state != noStatement:
		return t.statement.after
	case t.own && t.caption > 0:
		return t.caption
	case t.own || t.headings[n-1].Title == "":
		return t.headings[n-1].Level
	}
	return t.headings[n-1].Level + 1
}

// maxStatementWords is how many words may stand above a statement's title on its page, such
// as the company's name.
const maxStatementWords = 40

// levelOf returns the level of a title. A statement at the top of a page is part of no
// section that began before it, only of the document.
func (t *tableTitler) levelOf(h Heading) int {
	level := h.Level
	if !isStatement(h.Title) || len(t.Pages) > 0 && moreWords(t.Text[t.page:h.Start], maxStatementWords) {
		return level
	}
	title := t.documentTitle()
	for i := max(1, len(t.headings)-farHeadings); i < len(t.headings); i++ {
		if i != title {
			level = min(level, t.headings[i].Level)
		}
	}
	return level
}

// farHeadings is how many headings are looked at for the document's title, and for the section of a statement.
const farHeadings = 100

// documentTitle returns the index of the heading on the first page that is above all others; -1: there is none.
func (t *tableTitler) documentTitle() int {
	title, alike := -1, 0
	for i, h := range t.headings[:min(len(t.headings), farHeadings)] {
		switch {
		case title < 0 || h.Level < t.headings[title].Level:
			title, alike = i, 1
		case h.Level == t.headings[title].Level:
			alike++
		}
	}
	if alike != 1 || len(t.Pages) > 1 && t.headings[title].Start >= t.Pages[1].Start {
		return -1
	}
	return title
}

// moreWords reports whether a text has more words than n. It does not read on then.
func moreWords(text string, n int) bool {
	for range strings.FieldsSeq(text) {
		if n--; n < 0 {
			return true
		}
	}
	return false
}

// close ends the title of the i-th block before the text that follows. Short notes on its page
// keep the title.
func (t *tableTitler) close(i int) {
	end := t.Blocks[i].End
	next, table := len(t.Text), false
	if j := slices.IndexFunc(t.Blocks[i+1:], func(b Block) bool { return b.Kind == BlockTable }); j >= 0 {
		next, table = t.Blocks[i+1+j].Start, true
	}
	if len(t.given) > 0 && t.given[0].Start < next {
		next, table = t.given[0].Start, false
	}
	if !t.own && t.paged.Level == 0 || next <= end {
		return
	}
	rest := strings.TrimLeft(t.Text[end:next], " \n")
	switch {
	case t.own && len(strings.TrimSpace(rest)) >= shortNotes:
		t.end(t.afterNotes(next-len(rest), next))
	case t.own && table && strings.HasSuffix(strings.TrimSpace(rest), ":"): // it introduces the next table
		if s := t.statement; t.inStatement() && !s.alone {
			t.headings = append(t.headings, Heading{Start: next - len(rest), Level: s.level})
		} else {
			t.end(next - len(rest))
		}
	case !table:
		for _, p := range t.pages {
			if p.Start >= next {
				return
			}
			if p.Start >= end && !onlyUnits(t.Text[p.Start:next]) {
				t.end(p.Start)
				return
			}
		}
	}
}

// afterNotes returns where a statement ends of which a text is the rest: with its page if only short
// notes follow there. Another table ends where the text begins.
func (t *tableTitler) afterNotes(start, end int) int {
	i := slices.IndexFunc(t.pages, func(p Page) bool { return start <= p.Start })
	if !t.inStatement() || i < 0 || t.pages[i].Start >= end || len(strings.TrimSpace(t.Text[start:t.pages[i].Start])) >= shortNotes {
		return start
	}
	return t.pages[i].Start
}

// end ends the title in force at a place.
func (t *tableTitler) end(at int) {
	last := t.headings[len(t.headings)-1]
	at, level := max(at, last.Start), last.Level
	if t.own && t.caption > 0 {
		level = t.caption
	}
	switch {
	case t.statement.state != noStatement:
		level = t.statement.after
	case t.paged.Level > 0:
		level = t.paged.Level
	}
	t.headings, t.own, t.paged, t.statement = append(t.headings, Heading{Start: at, Level: level}), false, Heading{}, statement{}
}

// leavePage ends a title of an earlier page where the i-th block's begins, if the block is the
// first one there and other text is above it.
func (t *tableTitler) leavePage(i int) {
	if n := len(t.headings); (t.own || t.paged.Level > 0) && t.headings[n-1].Start < t.page && (i == 0 || t.Blocks[i-1].End <= t.page) {
		t.end(t.page)
	}
}

// onlyUnits reports whether a text has nothing but lines with units or a period.
func onlyUnits(text string) bool {
	for line := range strings.Lines(text) {
		if !IsBlank(line) && !IsUnits(line) {
			return false
		}
	}
	return true
}

// captionBelow takes a caption below the i-th block as its title, unless a table follows.
func (t *tableTitler) captionBelow(i int) bool {
	b := t.Blocks[i]
	end := min(len(t.Text), b.End+4*maxCaptionLength)
	if i+1 < len(t.Blocks) {
		end = min(end, t.Blocks[i+1].Start)
	}
	line, rest, _ := strings.Cut(strings.TrimLeft(t.Text[b.End:end], " \n"), "\n")
	if IsBlank(rest) && i+1 < len(t.Blocks) && end == t.Blocks[i+1].Start {
		return false
	}
	line = strings.TrimSpace(line)
	if !isCaption(line) || !isTitle(line) {
		return false
	}
	t.leaveStatement()
	t.add(Heading{Start: b.Start, Level: t.nextLevel(), Title: line})
	return true
}

// isHeading reports whether a line is the last heading, or has it in it.
func (t *tableTitler) isHeading(l titleLine) bool {
	n := len(t.headings)
	return n > 0 && l.has(t.headings[n-1])
}

// has reports whether a heading begins in a line.
func (l titleLine) has(h Heading) bool { return l.start <= h.Start && h.Start < l.end && h.Title != "" }

// isUnits reports whether a line is about units or a period. It is no heading then.
func (t *tableTitler) isUnits(l titleLine) bool {
	heading := t.isHeading(l)
	if heading && t.headings[len(t.headings)-1].Start == l.start {
		l.text = t.headings[len(t.headings)-1].Title // without the signs of Markdown
	}
	switch {
	case IsUnits(l.text):
	case !t.isHead(l) || heading && (!isNames(l.text) || IsYear(l.text)):
		return false
	}
	if heading {
		t.headings = t.headings[:len(t.headings)-1]
	}
	return true
}

// endsParagraph reports whether the last line is the end of running text.
func endsParagraph(lines []titleLine) bool {
	k := len(lines) - 1
	for ; k > 0 && lines[k].joined; k-- {
		if above := lines[k-1].text; !isTitle(above) && !IsUnits(above) {
			return true
		}
	}
	return lines[k].joined
}

// linesAbove returns the last lines with text between two places, at most so many.
func (t *tableTitler) linesAbove(from, to, most int) []titleLine {
	var out []titleLine
	for len(out) < most && to > from {
		start := from + strings.LastIndexByte(t.Text[from:to], '\n') + 1
		if l, ok := t.lineAt(start, to); ok {
			out = append(out, l)
		} else if n := len(out); n > 0 {
			out[n-1].joined = false
		}
		to = start - 1
	}
	if n := len(out); n > 0 && to <= from {
		out[n-1].joined = false // it is the first line there
	}
	slices.Reverse(out)
	return out
}

// lineAt returns the line in a range; ok is false if it is blank. It takes lines as joined.
func (t *tableTitler) lineAt(start, end int) (l titleLine, ok bool) {
	text := strings.TrimLeft(t.Text[start:end], " \t")
	start = end - len(text)
	text = strings.TrimSpace(text)
	return titleLine{start: start, end: start + len(text), text: text, joined: true}, text != ""
}

// titleRows returns the rows of one cell with which a table begins.
func (t *tableTitler) titleRows(b Block) []titleLine {
	var out []titleLine
	for at := b.Start; at < b.End && len(out) <= maxLinesAbove; {
		end := b.End
		if n := strings.IndexByte(t.Text[at:b.End], '\n'); n >= 0 {
			end = at + n
		}
		l, ok := t.lineAt(at, end)
		l.text = strings.TrimRight(l.text, " |") // empty cells
		if strings.Contains(l.text, "|") {
			if first, _ := utf8.DecodeRuneInString(l.text); len(out) > 0 && unicode.IsLower(first) && amountsIn(strings.Split(l.text, "|")) > 0 {
				out = out[:len(out)-1] // the label goes on, so its first line is no title
			}
			return out
		}
		if ok {
			l.joined = false
			out = append(out, l)
		}
		at = end + 1
	}
	return nil // it is no table of cells
}
