package pdf

import (
	"slices"
	"strings"
	"unicode"

	"footnote/assistants/ingestion/extract"
)

// A placedLine is a line of a page and where it stands in the text.
type placedLine struct {
	start    int
	baseline float64
	text     string
}

// A pdfWriter writes the text of the pages.
type pdfWriter struct {
	extract.Writer
	words    map[string]int // how often the document contains the words that line ends may have cut
	headings map[*textBlock]int
	lines    [][]placedLine // by page
	tables   []tableShape
	parted   bool        // a line with several parts was written since the last table
	over     int         // where the names of columns begin that the next table comes close below; 0: there are none
	page     *pageLayout // the present one
}

// write writes the pages, separated by blank lines. It joins the lines of a
// paragraph with spaces and puts words together that a line end has cut.
func (w *pdfWriter) write(pages []pageLayout) {
	for i := range pages {
		w.BreakLine(2)
		w.StartPage()
		w.BreakLine(2)
		w.lines = append(w.lines, nil)
		blocks := pages[i].blocks
		w.page, w.over = &pages[i], 0
		for j := range blocks {
			w.block(blocks, j)
			if w.Full() {
				return
			}
		}
		for len(w.Open) > 0 {
			w.EndBlock(w.Open[len(w.Open)-1].Kind)
		}
	}
	w.EndPage()
}

// block writes the j-th block of a page. Adjacent list items become one list.
func (w *pdfWriter) block(blocks []textBlock, j int) {
	b := &blocks[j]
	level, heading := w.headings[b]
	w.parted = w.parted || b.kind != extract.BlockTable && slices.ContainsFunc(b.lines, textLine.hasGap)
	switch {
	case heading:
		w.over = 0
		w.EndBlock(extract.BlockList)
		w.StartHeading(level)
		w.paragraph(b.lines)
		w.EndHeading()
	case b.item:
		if j == 0 || !blocks[j-1].item || len(w.Open) == 0 {
			w.StartBlock(extract.BlockList)
		}
		w.BreakLine(1)
		w.paragraph(b.lines)
		if j+1 == len(blocks) || !blocks[j+1].item {
			w.EndBlock(extract.BlockList)
		}
	case b.kind == extract.BlockTable:
		w.StartBlock(extract.BlockTable)
		w.table(b)
		w.EndBlock(extract.BlockTable)
		w.over = 0
	case b.kind == extract.BlockCode:
		w.StartBlock(extract.BlockCode)
		w.code(b.lines)
		w.EndBlock(extract.BlockCode)
	default:
		w.BreakLine(2)
		lines := w.lines[len(w.lines)-1]
		w.paragraph(b.lines)
		if now := w.lines[len(w.lines)-1]; w.over == 0 && len(now) > len(lines) && overColumns(blocks[j:], w.page) {
			w.over = now[len(lines)].start
		}
		w.BreakLine(2)
	}
}

// place records the offset at which the next line begins.
func (w *pdfWriter) place(l textLine) {
	w.FlushPending()
	page := len(w.lines) - 1
	w.lines[page] = append(w.lines[page], placedLine{start: w.Out.Len(), baseline: l.baseline, text: l.text()})
}

func (w *pdfWriter) paragraph(lines []textLine) {
	lines = shown(lines)
	for i, l := range lines {
		w.place(l)
		w.Text(l.text())
		if i+1 == len(lines) {
			if l.hyphen != 0 && l.hyphen != '\u00AD' {
				w.Rune('-')
			}
			break
		}
		next := lines[i+1]
		switch {
		case l.hyphen != 0:
			if mark := w.hyphenFor(l, next); mark != "" {
				w.Text(mark)
			}
		case !joinsClosely(l.chars, next.chars):
			w.Space()
		}
	}
}

func shown(lines []textLine) []textLine {
	out := make([]textLine, 0, len(lines))
	for _, l := range lines {
		if !l.running && len(l.chars) > 0 {
			out = append(out, l)
		}
	}
	return out
}

// table writes rows, the first of which may be a header.
func (w *pdfWriter) table(b *textBlock) {
	rows := shown(b.lines)
	header := len(shown(b.lines[:b.head]))
	if header == 0 {
		header = headerRows(rows)
	}
	for i, r := range rows {
		w.BreakLine(1)
		w.place(r)
		if i == 0 {
			shape, _ := shapeOf(rows[header:])
			shape.start, shape.page, shape.size = w.Out.Len(), len(w.lines), r.size
			shape.columns, shape.amounts, shape.titled = b.columns, b.amounts, titled(rows)
			shape.parted, w.parted, shape.over = w.parted, false, w.over
			w.tables = append(w.tables, shape)
		}
		w.Text(r.text())
		if i+1 == header {
			w.EndHeader()
		}
	}
}

// code writes lines with their indentation.
func (w *pdfWriter) code(lines []textLine) {
	lines = shown(lines)
	if len(lines) == 0 {
		return
	}
	left, advance := lines[0].box.left, 0.6*lines[0].size
	for _, l := range lines {
		left = min(left, l.box.left)
		if len(l.chars) >= 8 {
			advance = l.box.width() / float64(len(l.chars))
		}
	}
	w.Pre++
	for i, l := range lines {
		w.BreakLine(1)
		if i > 0 && l.baseline-lines[i-1].baseline > 1.8*l.size {
			w.BreakLine(2)
		}
		w.place(l)
		if indent := int((l.box.left-left)/max(advance, 1) + 0.5); indent > 0 {
			w.Text(strings.Repeat(" ", min(indent, 60)))
		}
		w.Text(l.text())
		if l.hyphen != 0 {
			w.Rune('-')
		}
	}
	w.Pre--
}

// hyphenFor returns what joins the parts of a word that a line end has cut: nothing
// ("infor-mation"), a hyphen ("well-known"), or a hyphen and a space ("Vor- und
// Nachteile"). It prefers the spelling found elsewhere in the document. Otherwise
// it keeps the hyphen where typesetting would not have added one.
func (w *pdfWriter) hyphenFor(l, next textLine) string {
	before, after := strings.ToLower(lastLetters(l.chars)), strings.ToLower(firstLetters(next.chars))
	switch {
	case l.hyphen == '\u00AD':
		return ""
	case suspendedBefore[after]:
		return "- "
	case before == "" || after == "":
		return "-" // "COVID-19", "4-5", "--option"
	}
	whole, compound := w.words[before+after], w.words[before+"-"+after]
	apart := w.words[before+" "+after] // "high quality" shows that "high-quality" is meant
	switch {
	case compound > whole || whole == 0 && (apart > 0 || keepsHyphen(l.chars, next.chars)):
		return "-"
	case whole > 0 && isCapitals(lastLetters(l.chars)+firstLetters(next.chars)):
		return "" // "INFOR-MATION"
	case !unicode.IsLower([]rune(firstLetters(next.chars))[0]):
		return "-" // "Anglo-Saxon"
	}
	return ""
}

func isCapitals(s string) bool { return s == strings.ToUpper(s) }

// keepsHyphen reports whether the hyphen belongs to the word: "E-mail", "4-5",
// "A4-Blatt", "TeX-like". Typesetting cuts no word after one letter, but a single
// letter after an apostrophe may be the end of a longer part ("l'é-").
func keepsHyphen(last, next []glyph) bool {
	before, after := lastLetters(last), firstLetters(next)
	if before == "" || after == "" || !unicode.IsLower([]rune(after)[0]) {
		return true
	}
	letters := []rune(before)
	if unicode.IsUpper(letters[len(letters)-1]) {
		return true
	}
	at := len(last) - len(letters)
	return len(letters) == 1 && (at == 0 || !strings.ContainsRune("'’ʼ", last[at-1].char))
}

// suspendedBefore holds words that follow a suspended hyphen, as in "Vor- und Nachteile".
var suspendedBefore = map[string]bool{"und": true, "oder": true, "bzw": true, "sowie": true, "bis": true, "and": true, "or": true, "to": true, "et": true, "ou": true}

func notLetter(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }

func lastLetters(chars []glyph) string {
	from := len(chars)
	for from > 0 && !notLetter(chars[from-1].char) {
		from--
	}
	return textLine{chars: chars[from:]}.text()
}

func firstLetters(chars []glyph) string {
	to := 0
	for to < len(chars) && !notLetter(chars[to].char) {
		to++
	}
	return textLine{chars: chars[:to]}.text()
}

// countWords counts the words that line ends may have cut, in lower case. For each
// cut it counts the joined word, the word with a hyphen, and the two parts as
// separate words.
func countWords(pages []pageLayout) map[string]int {
	counts := make(map[string]int)
	for i := range pages {
		pages[i].eachCutWord(func(before, after string) {
			for _, word := range [...]string{before + after, before + "-" + after, before + " " + after} {
				counts[word] = 0
			}
		})
	}
	if len(counts) == 0 {
		return nil
	}
	for i := range pages {
		for _, b := range pages[i].blocks {
			for j, l := range b.lines {
				countLine(counts, l, j > 0 && b.lines[j-1].hyphen != 0)
			}
		}
	}
	return counts
}

// countLine counts the words of a line, except the parts of words that are cut at
// either end of it.
func countLine(counts map[string]int, l textLine, cut bool) {
	count := func(word string) {
		if n, ok := counts[word]; ok {
			counts[word] = n + 1
		}
	}
	text := strings.ToLower(l.text())
	fields := strings.FieldsFunc(text, func(r rune) bool { return notLetter(r) && r != '-' })
	for i, field := range fields {
		if i == 0 && cut || i == len(fields)-1 && l.hyphen != 0 {
			continue
		}
		parts := strings.Split(field, "-")
		for j, part := range parts {
			count(part)
			if j > 0 {
				count(parts[j-1] + "-" + part)
			}
		}
	}
	words := strings.Fields(text)
	for i := 1; i < len(words); i++ {
		count(strings.TrimLeftFunc(words[i-1], notLetter) + " " + strings.TrimRightFunc(words[i], notLetter))
	}
}

// eachCutWord calls fn for the two parts of each word that a line end cuts.
func (l *pageLayout) eachCutWord(fn func(before, after string)) {
	for _, b := range l.blocks {
		for i := 0; i+1 < len(b.lines); i++ {
			if b.lines[i].hyphen == 0 {
				continue
			}
			before, after := lastLetters(b.lines[i].chars), firstLetters(b.lines[i+1].chars)
			if before != "" && after != "" {
				fn(strings.ToLower(before), strings.ToLower(after))
			}
		}
	}
}

// ligature returns the letters of a Latin ligature, or "". Fonts draw ligatures,
// but readers search for letters.
func ligature(r rune) string {
	switch r {
	case 'ﬀ':
		return "ff"
	case 'ﬁ':
		return "fi"
	case 'ﬂ':
		return "fl"
	case 'ﬃ':
		return "ffi"
	case 'ﬄ':
		return "ffl"
	case 'ﬅ', 'ﬆ':
		return "st"
	}
	return ""
}
