package pdf

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"footnote/assistants/ingestion/extract"
)

// A sheet is a page typeset by a test: type of 10 points, of which a
// character is 5 wide, lines 12 apart.
type sheet struct {
	words []word
	row   int
}

// line sets words at a place; a hyphen at the end is what PDFium marks.
func (s *sheet) line(x, y float64, text string) { s.set(x, y, text, 10, false) }

func (s *sheet) set(x, y float64, text string, size float64, bold bool) {
	s.row++
	for field := range strings.FieldsSeq(text) {
		w := word{baseline: y, size: size, bold: bold, row: s.row}
		if cut, ok := strings.CutSuffix(field, "\u00AC"); ok {
			field, w.hyphen = cut, true
		}
		for _, r := range field {
			w.glyphs = append(w.glyphs, glyph{r, int32(len(s.words)*100 + len(w.glyphs))})
		}
		width := float64(utf8.RuneCountInString(field)) * size / 2
		w.box = box{x, y - 7, x + width, y}
		x += width + size/2
		s.words = append(s.words, w)
	}
}

// column sets lines below each other.
func (s *sheet) column(x, y float64, lines ...string) {
	for i, l := range lines {
		s.line(x, y+12*float64(i), l)
	}
}

// read is the text of sheets.
func read(t *testing.T, sheets ...*sheet) extract.Document {
	t.Helper()
	var pages []pageLayout
	for _, s := range sheets {
		pages = append(pages, arrange(s.words, 0, nil))
	}
	return readPages(t, pages...)
}

// readPages is the text of pages.
func readPages(t *testing.T, pages ...pageLayout) extract.Document {
	t.Helper()
	markRunning(pages, nil)
	w := pdfWriter{words: countWords(pages), headings: typeHeadings(pages)}
	w.write(pages)
	doc := w.Finish()
	joinTables(&doc, w.tables)
	if err := doc.Check(); err != nil {
		t.Fatal(err)
	}
	return doc
}

func wantText(t *testing.T, doc extract.Document, want string) {
	t.Helper()
	if doc.Text != want {
		t.Errorf("text\n%s\nwant\n%s", doc.Text, want)
	}
}

// prose is lines of running text, each nearly as wide as the others.
func prose(word string, n int) []string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf("%s%02d goes on in this line of", word, i))
	}
	return out
}

func TestColumnsAreReadOneAfterTheOther(t *testing.T) {
	for columns := 2; columns <= 3; columns++ {
		for _, name := range []string{"aligned", "staggered"} {
			t.Run(fmt.Sprint(columns, " ", name), func(t *testing.T) {
				var s sheet
				var want []string
				for c := range columns {
					lines := prose(string(rune('a'+c)), 12)
					want = append(want, strings.Join(lines, " "))
					shift := 0.0
					if name == "staggered" {
						shift = 5 * float64(c)
					}
					s.column(50+170*float64(c), 100+shift, lines...)
				}
				wantText(t, read(t, &s), strings.Join(want, "\n\n"))
			})
		}
	}
}

// PDFium gives the lines of columns row by row when the file draws them so.
func TestColumnsDrawnLineByLineAreReadOneAfterTheOther(t *testing.T) {
	var s sheet
	left, right := prose("left", 10), prose("right", 10)
	for i := range left {
		s.line(50, 100+12*float64(i), left[i])
		s.row-- // the same line to PDFium
		s.line(250, 100+12*float64(i), right[i])
	}
	wantText(t, read(t, &s), strings.Join(left, " ")+"\n\n"+strings.Join(right, " "))
}

func TestAHeadingAcrossColumnsDividesThem(t *testing.T) {
	var s sheet
	s.set(50, 80, "A title that stands across both of the columns below", 16, true)
	s.column(50, 110, prose("a", 8)...)
	s.column(250, 110, prose("b", 8)...)
	s.set(50, 230, "Another title that stands across both of the columns", 16, true)
	s.column(50, 260, prose("c", 8)...)
	s.column(250, 260, prose("d", 8)...)
	doc := read(t, &s)
	wantText(t, doc, "A title that stands across both of the columns below\n\n"+strings.Join(prose("a", 8), " ")+"\n\n"+strings.Join(prose("b", 8), " ")+
		"\n\nAnother title that stands across both of the columns\n\n"+strings.Join(prose("c", 8), " ")+"\n\n"+strings.Join(prose("d", 8), " "))
	if len(doc.Headings) != 2 || doc.Headings[1].Title != "Another title that stands across both of the columns" || doc.Headings[1].Level != 1 {
		t.Errorf("headings %+v", doc.Headings)
	}
}

func TestASidebarIsReadApart(t *testing.T) {
	var s sheet
	var main []string
	for i := range 14 {
		main = append(main, fmt.Sprintf("Line %02d of the text that the page is about and that fills it,", i))
	}
	s.column(180, 100, main...)
	s.column(50, 103, "Did you know that", "there are notes in", "the margin beside", "a text which need", "lines of their own", "and go on and on?")
	wantText(t, read(t, &s), "Did you know that there are notes in the margin beside a text which need lines of their own and go on and on?\n\n"+strings.Join(main, " "))
}

func TestCellsOnALineAreRowsOfATable(t *testing.T) {
	var s sheet
	s.column(50, 100, "The allowances for journeys are these:")
	for i, cells := range [][3]string{{"Country", "Day", "Night"}, {"Norway", "75 EUR", "139 EUR"}, {"Poland", "40 EUR", "143 EUR"}, {"Spain", "42 EUR", "124 EUR"}} {
		y := 130 + 14*float64(i)
		s.set(50, y, cells[0], 10, i == 0)
		s.set(200, y, cells[1], 10, i == 0)
		s.set(300, y, cells[2], 10, i == 0)
	}
	doc := read(t, &s)
	wantText(t, doc, "The allowances for journeys are these:\n\nCountry | Day | Night\nNorway | 75 EUR | 139 EUR\nPoland | 40 EUR | 143 EUR\nSpain | 42 EUR | 124 EUR")
	if len(doc.Blocks) != 1 || doc.Blocks[0].Kind != extract.BlockTable || doc.Text[doc.Blocks[0].Start:doc.Blocks[0].HeaderEnd] != "Country | Day | Night" {
		t.Errorf("blocks %+v", doc.Blocks)
	}
}

func TestARuledTableKeepsItsCells(t *testing.T) {
	var s sheet
	s.column(55, 112, "scp files", "user@host:path")
	s.column(155, 112, "Copy files to another machine,", "and the other way round, which", "takes three lines.")
	s.column(55, 152, "ip")
	s.column(155, 152, "Show network interfaces.")
	across := []rule{{100, 50, 350}, {142, 50, 350}, {160, 50, 350}}
	layout := arrange(s.words, 0, grids(across, []rule{{150, 100, 160}}))
	w := pdfWriter{}
	w.write([]pageLayout{layout})
	wantText(t, w.Finish(), "scp files user@host:path | Copy files to another machine, and the other way round, which takes three lines.\nip | Show network interfaces.")
}

func TestRunningLinesAreLeftOut(t *testing.T) {
	var sheets []*sheet
	for i := range 8 {
		s := &sheet{}
		s.line(50, 40, "Travel Handbook")
		s.line(300, 40, fmt.Sprint("Page ", i+3, " of 90"))
		s.column(50, 100, prose(string(rune('a'+i)), 10)...)
		s.line(200, 700, []string{"iii", "iv", "v", "vi", "vii", "viii", "ix", "x"}[i])
		sheets = append(sheets, s)
	}
	doc := read(t, sheets...)
	if n := strings.Count(doc.Text, "Travel Handbook"); n != 1 {
		t.Errorf("the header stands %d times in the text, want once: its words stand nowhere else", n)
	}
	for i, page := range pageTexts(doc) {
		want := strings.Join(prose(string(rune('a'+i)), 10), " ")
		if i == 0 {
			want = "Travel Handbook Page 3 of 90\n\n" + want
		}
		if page != want {
			t.Errorf("page %d: %q", i+1, page)
		}
	}
}

func TestLinesThatOnlyLookLikeRunningOnesStay(t *testing.T) {
	var sheets []*sheet
	for i := range 8 {
		s := &sheet{}
		s.line(50, 40, fmt.Sprint("Step ", i*i, ": turn the wheel")) // numbers that do not count with the pages
		s.column(50, 100, prose(string(rune('a'+i)), 10)...)
		s.line(50, 300+8*float64(i), "The end of this page.") // at another height each time
		sheets = append(sheets, s)
	}
	doc := read(t, sheets...)
	if n, m := strings.Count(doc.Text, "turn the wheel"), strings.Count(doc.Text, "The end of this page."); n != 8 || m != 8 {
		t.Errorf("%d and %d of 8 lines are left", n, m)
	}
}

func TestCutWordsAreWholeAgain(t *testing.T) {
	for _, c := range []struct{ first, second, want string }{
		{"the infor\u00AC", "mation is here", "the information is here"},
		{"a well\u00AC", "known rule; it is well-known", "a well-known rule; it is well-known"},
		{"the Anglo\u00AC", "Saxon kings", "the Anglo-Saxon kings"},
		{"since COVID\u00AC", "19 came", "since COVID-19 came"},
		{"alle Vor\u00AC", "und Nachteile sind", "alle Vor- und Nachteile sind"},
		{"das Donau\u00AD", "schiff fährt", "das Donauschiff fährt"},
		{"no cut at all", "in this line", "no cut at all in this line"},
		{"an X-", "ray scanner", "an X-ray scanner"},
		{"the E\u00AC", "mail of", "the E-mail of"},
		{"l’é-", "cole est là", "l’école est là"},
		{"our e-", "mail; each email and email", "our email; each email and email"},
		{"these are 4-", "5 kinds", "these are 4-5 kinds"},
		{"the years 2019-", "2024 were", "the years 2019-2024 were"},
		{"ein A4-", "blatt in Weiß", "ein A4-blatt in Weiß"},
		{"a 3-", "phase motor", "a 3-phase motor"},
		{"in TeX-", "like markup", "in TeX-like markup"},
		{"the PDF-", "file is here", "the PDF-file is here"},
		{"a co-", "operative; the co-operative", "a co-operative; the co-operative"},
		{"a co-", "operative sells", "a cooperative sells"},
		{"a co-", "operative; our cooperative", "a cooperative; our cooperative"},
		{"a state-of-the-", "art tool; state-of-the-art", "a state-of-the-art tool; state-of-the-art"},
		{"some well-inten-", "tioned words; intentioned", "some well-intentioned words; intentioned"},
		{"a high-", "quality tool of high quality.", "a high-quality tool of high quality."},
		{"a time-", "line, time is a line", "a timeline, time is a line"},
		{"das Haus-", "boot; das Haus und das Boot", "das Hausboot; das Haus und das Boot"},
		{"INFOR-", "MATION AND information", "INFORMATION AND information"},
		{"soft\u00ADly in", "the line", "softly in the line"},
		{"日本語の文章は", "空白なしで続く", "日本語の文章は空白なしで続く"},
		{"한국어 문장은", "공백으로 이어진다", "한국어 문장은 공백으로 이어진다"},
	} {
		var s sheet
		s.column(50, 100, c.first, c.second)
		wantText(t, read(t, &s), c.want)
	}
}

// A line that ends with a number and a hyphen goes on in the next one.
func TestCutsWithinAParagraphKeepItWhole(t *testing.T) {
	var s sheet
	s.column(50, 100, "The well-known co-", "operative of bee-", "keepers in Upp-", "sala sells 4-", "5 kinds of honey. Its inter-", "national depart-",
		"ment has E-", "mail and X-", "ray scanners, pre-", "and post-war maps.")
	wantText(t, read(t, &s), "The well-known cooperative of beekeepers in Uppsala sells 4-5 kinds of honey. Its international department has E-mail and X-ray scanners, pre- and post-war maps.")
}

// Cells are put together as text is.
func TestCutsWithinACell(t *testing.T) {
	for _, c := range []struct{ first, second, want string }{
		{"an X-", "ray scanner", "an X-ray scanner"}, {"infor-", "mation", "information"}, {"the years 2019-", "2024", "the years 2019-2024"}, {"soft\u00AD", "ly", "softly"},
	} {
		var first, second sheet
		first.line(50, 100, c.first)
		second.line(50, 112, c.second)
		line := func(s sheet) textLine { return arrange(s.words, 0, nil).blocks[0].lines[0] }
		if got := tableLine([][]textLine{{line(first), line(second)}}, textRow{}, textRow{}).text(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

func TestLigaturesAreLetters(t *testing.T) {
	var s sheet
	s.line(50, 100, "o\uFB03cial \uFB01les \uFB02ow o\uFB00")
	wantText(t, read(t, &s), "official files flow off")
}

func TestParagraphsAndItemsStandApart(t *testing.T) {
	var s sheet
	s.column(50, 100, "The first paragraph has two lines of text", "and ends here.")
	s.column(50, 136, "The second stands a line below and is one") // a gap
	s.column(65, 148, "Indented lines begin a paragraph, too, and", "")
	s.column(50, 160, "go on without.")
	s.column(60, 184, "• first item, which is so very long that", "")
	s.column(68, 196, "it needs two lines")
	s.column(60, 208, "• second item")
	doc := read(t, &s)
	wantText(t, doc, "The first paragraph has two lines of text and ends here.\n\nThe second stands a line below and is one\n\n"+
		"Indented lines begin a paragraph, too, and go on without.\n\n• first item, which is so very long that it needs two lines\n• second item")
	if len(doc.Blocks) != 1 || doc.Blocks[0].Kind != extract.BlockList {
		t.Errorf("blocks %+v", doc.Blocks)
	}
}

// The mark of an item is no cell of a table, however far from its text it stands.
func TestItemsFarFromTheirMarksAreNoTable(t *testing.T) {
	var s sheet
	s.line(50, 100, "We did the following for the audit:")
	for i, item := range [][2]string{
		{"obtained an understanding of internal control that", "is relevant to the audit of the group,"},
		{"evaluated the accounting policies that are used and", "the estimates that were made for this year,"},
		{"concluded on the use of the going concern basis of", "accounting, and on what was disclosed about it."},
	} {
		s.line(60, float64(120+24*i), "•")
		s.line(85, float64(120+24*i), item[0])
		s.line(85, float64(132+24*i), item[1])
	}
	wantText(t, read(t, &s), "We did the following for the audit:\n\n• obtained an understanding of internal control that is relevant to the audit of the group,\n"+
		"• evaluated the accounting policies that are used and the estimates that were made for this year,\n"+
		"• concluded on the use of the going concern basis of accounting, and on what was disclosed about it.")
}

// In a table of signs a bullet is one of them.
func TestABulletAmongSignsIsACell(t *testing.T) {
	var s sheet
	for i, row := range [][2]string{{"+", "addition of two"}, {"•", "bullet of a list"}, {"÷", "division of two"}, {"×", "product of two"}} {
		s.line(60, float64(100+14*i), row[0])
		s.line(100, float64(100+14*i), row[1])
	}
	wantText(t, read(t, &s), "+ | addition of two\n• | bullet of a list\n÷ | division of two\n× | product of two")
}

func TestCodeKeepsItsLines(t *testing.T) {
	var s sheet
	s.column(50, 100, "for i := range n {")
	s.column(70, 112, "fmt.Println(i)")
	s.column(50, 124, "}")
	for i := range s.words {
		s.words[i].fixed = true
	}
	doc := read(t, &s)
	wantText(t, doc, "for i := range n {\n    fmt.Println(i)\n}")
	if len(doc.Blocks) != 1 || doc.Blocks[0].Kind != extract.BlockCode {
		t.Errorf("blocks %+v", doc.Blocks)
	}
}

func TestLeadersAreShort(t *testing.T) {
	var s sheet
	s.line(50, 100, "1.2 Travel . . . . . . . . . 17")
	s.line(50, 112, "1.3 Leave............. 19")
	s.line(50, 124, "Wait... what")
	if text := read(t, &s).Text; text != "1.2 Travel … 17 1.3 Leave… 19 Wait... what" {
		t.Errorf("text %q", text)
	}
}

func TestRightToLeftColumnsBeginOnTheRight(t *testing.T) {
	var s sheet
	var left, right []string
	for range 8 {
		left = append(left, "שורה שנייה בעמודה השמאלית")
		right = append(right, "שורה ראשונה בעמודה הימנית")
	}
	set := func(x float64, lines []string) {
		for i, l := range lines {
			// Words run leftwards from the column's right end.
			end := x + 125
			for w := range strings.FieldsSeq(l) {
				width := 5 * float64(utf8.RuneCountInString(w))
				s.line(end-width, 100+12*float64(i), w)
				s.row--
				end -= width + 5
			}
			s.row++
		}
	}
	set(50, left)
	set(250, right)
	wantText(t, read(t, &s), strings.Join(right, " ")+"\n\n"+strings.Join(left, " "))
}

func TestATurnedPageIsReadUpright(t *testing.T) {
	var s sheet
	s.column(50, 100, prose("a", 5)...)
	want := read(t, &s).Text
	for turn := 1; turn < 4; turn++ {
		var rotated sheet
		for _, w := range s.words {
			w.turn = turn
			b := w.box
			switch turn { // the other way round than the reader turns
			case 1:
				w.box = box{b.top, -b.right, b.bottom, -b.left}
			case 2:
				w.box, w.baseline = box{-b.right, -b.bottom, -b.left, -b.top}, -w.baseline
			case 3:
				w.box, w.baseline = box{-b.bottom, b.left, -b.top, b.right}, -w.baseline
			}
			rotated.words = append(rotated.words, w)
		}
		layout := arrange(rotated.words, mainTurn(rotated.words), nil)
		w := pdfWriter{}
		w.write([]pageLayout{layout})
		if text := w.Finish().Text; text != want {
			t.Errorf("turned by %d: %q", turn, text)
		}
	}
}

func TestAccentsDrawnOverALetterAreOnIt(t *testing.T) {
	over, beside := box{12, 0, 16, 8}, box{16, 0, 20, 8}
	for _, c := range []struct {
		text string
		at   box
		want string
	}{
		{"´e", over, "é"}, {"`a", over, "à"}, {"¨u", over, "ü"}, {"ˆı", over, "î"}, {"¸c", over, "ç"},
		{"`a", beside, "`a"}, {"´9", over, "´9"}, {"´q", over, "´q"},
	} {
		var w word
		chars := []rune(c.text)
		w.add(glyph{chars[0], 0}, box{12.5, 0, 15.5, 3})
		w.add(glyph{chars[1], 1}, c.at)
		if got := (textLine{chars: w.glyphs}).text(); got != c.want {
			t.Errorf("%s: %q, want %q", c.text, got, c.want)
		}
	}
}
