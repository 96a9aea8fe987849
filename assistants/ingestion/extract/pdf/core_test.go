package pdf

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Titles in the middle of the page, ends of paragraphs and headings of other tables stand where
// a table's gutter is free. They are no rows of it.
func TestATableIsReadByItselfAmongTitlesAndParagraphs(t *testing.T) {
	var s sheet
	s.column(44, 60, "The following pages show how much the group has sold in all of its regions this year and", "in the years before.")
	s.set(150, 100, "Balance Sheets", 11, true)
	s.line(140, 114, "(in millions)")
	for i, row := range [][]string{{"At the end of", "2023", "2022"}, {"Cash", "12.5", "11.0"}, {"Inventories", "8.0", "7.5"}} {
		for c, cell := range row {
			s.line(50+190*float64(c), 130+14*float64(i), cell)
		}
	}
	s.set(44, 176, "Maturities of Debt", 11, true)
	for i, row := range [][]string{{"Year", "Amount"}, {"2024", "3.5"}, {"2025", "4.5"}} {
		s.line(50, 192+14*float64(i), row[0])
		s.line(430, 192+14*float64(i), row[1])
	}
	s.column(44, 240, "These debts are paid back from the cash that the group earns, and the rest is paid in shares", "at the end of each year.")
	doc := read(t, &s)
	if got := tablesOf(doc); len(got) != 2 {
		t.Fatalf("tables %q in %q", got, doc.Text)
	}
	for _, want := range []string{
		"in the years before.\n\nBalance Sheets\n\n(in millions)\n\nAt the end of | 2023 | 2022\nCash | 12.5 | 11.0\nInventories | 8.0 | 7.5\n\nMaturities of Debt\n\nYear | Amount\n2024 | 3.5\n2025 | 4.5\n\nThese debts",
	} {
		if !strings.Contains(doc.Text, want) {
			t.Errorf("no %q in %q", want, doc.Text)
		}
	}
}

// Years that are centred over a currency sign and its amounts are no heading. They would take
// the place of the table's title.
func TestNamesOfColumnsBelongToTheirTable(t *testing.T) {
	amounts := func(s *sheet, y float64, rows ...[]string) {
		for i, row := range rows {
			s.line(50, y+16*float64(i), row[0])
			for c, amount := range row[1:] {
				s.line(300+110*float64(c), y+16*float64(i), "$")
				s.line(340+110*float64(c), y+16*float64(i), amount)
			}
		}
	}
	for name, test := range map[string]struct {
		heads []string
		rows  [][]string
		want  string
	}{
		"years":       {[]string{"2023", "2022"}, [][]string{{"Net sales", "12.5", "11.0"}, {"Segment income", "8.0", "7.5"}, {"Depreciation", "2.0", "1.5"}}, "Propulsion\n\n(in millions)\n\n2023 | 2022\nNet sales | $ 12.5 | $ 11.0\n"},
		"one column":  {[]string{"Amount"}, [][]string{{"2024", "3.5"}, {"2025", "4.5"}, {"2026", "6.5"}}, "Propulsion\n\n(in millions)\n\n| Amount\n2024 | $ "},
		"wide names":  {[]string{"Level one", "Level two"}, [][]string{{"Funds", "12.5", "11.0"}, {"Bonds", "8.0", "7.5"}, {"Shares", "2.0", "1.5"}}, "(in millions)\n\nLevel one | Level two\nFunds | $ "},
		"no names":    {nil, [][]string{{"Funds", "12.5", "11.0"}, {"Bonds", "8.0", "7.5"}, {"Shares", "2.0", "1.5"}}, "(in millions)\n\nFunds | $ "},
		"years, thin": {[]string{"2023", "2022"}, [][]string{{"Funds", "12.5", "11.0"}, {"Bonds", "8.0", "7.5"}}, "2023 | 2022\nFunds | $ "},
	} {
		t.Run(name, func(t *testing.T) {
			var s sheet
			s.column(44, 60, "The following pages show how much the group has sold in all of its regions this year and", "in the years before, and the rest is paid in shares at the end of each of these years too.")
			s.set(44, 104, "Results", 11, true)
			s.line(44, 122, "Propulsion")
			s.line(230, 140, "(in millions)")
			for c, head := range test.heads {
				s.set(304+110*float64(c), 158, head, 10, true)
			}
			amounts(&s, 174, test.rows...)
			doc := read(t, &s)
			if !strings.Contains(doc.Text, test.want) {
				t.Errorf("no %q in %q", test.want, doc.Text)
			}
			if last := doc.Headings[len(doc.Headings)-1]; last.Title != "Results" && last.Title != "Propulsion" {
				t.Errorf("the last heading is %q", last.Title)
			}
		})
	}
}

// Units and the entries of a table of contents are no headings, however they are set.
func TestUnitsAndContentsAreNoHeadings(t *testing.T) {
	var s sheet
	s.set(44, 60, "Results", 14, true)
	s.set(44, 80, "Letter to the shareholders . . . . . . . 3", 10, true)
	s.set(44, 94, "(in millions, except per share amounts)", 10, true)
	s.column(44, 120, "The following pages show how much the group has sold in all of its regions this year and", "in the years before.")
	var titles []string
	for _, h := range read(t, &s).Headings {
		titles = append(titles, h.Title)
	}
	if !slices.Equal(titles, []string{"Results"}) {
		t.Errorf("headings %q", titles)
	}
}

// Names of columns within the rows begin another table, whose cells they must not join.
func TestNamesAmongTheRowsBeginAnotherTable(t *testing.T) {
	rows := []string{"Sales|1,200|1,100|80", "Rent|300|280|20", "Interest|40|35|5"}
	var s sheet
	y := s.statement(100, append([]string{"2023|Wood|Metal|Glass"}, rows...)...)
	s.statement(y+16, append([]string{"2022|Wood|Metal|Glass"}, rows...)...)
	if got := strings.Join(tablesOf(read(t, &s)), "; "); got != `"2023 | Wood | Metal | Glass" of 4 rows; "2022 | Wood | Metal | Glass" of 4 rows` {
		t.Error(got)
	}
}

// Years name the columns of a single row. A sum in bold does not name those below it.
func TestOneRowAndSumsInBold(t *testing.T) {
	for name, test := range map[string]struct {
		rows []string
		want string
	}{
		"one row": {[]string{"|2023|2022|2021", "Income|$ 96,508|$ 118,768|$ 97,243"}, `"2023 | 2022 | 2021" of 2 rows`},
		"a sum":   {[]string{"*Cash|*291,776|*302,036", "Stock|38,838|34,894", "Loans|1,642|1,556"}, `"" of 3 rows`},
	} {
		var s sheet
		s.statement(100, test.rows...)
		if got := strings.Join(tablesOf(read(t, &s)), "; "); got != test.want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// A running head above contents names no columns, so the numbers of the chapters stay in front of their titles.
func TestALineAboveContentsNamesNoColumns(t *testing.T) {
	var s sheet
	s.line(56, 60, "Handbook of the shop")
	s.line(560, 60, "v")
	for i, entry := range [][3]string{{"5", "Making a list of the things", "14"}, {"", "5.1 A simple one of a few lines", "14"}, {"", "5.2 One with groups", "16"}, {"6", "Printing it all in two colours", "17"}} {
		y := 100 + 16*float64(i)
		s.line(56, y, entry[0])
		s.line(72, y, entry[1])
		s.line(554, y, entry[2])
	}
	wantText(t, read(t, &s), "Handbook of the shop | v\n5 Making a list of the things | 14\n5.1 A simple one of a few lines | 14\n5.2 One with groups | 16\n6 Printing it all in two colours | 17")
}

// allocated returns how many bytes a function allocates at least.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	least := ^uint64(0)
	for range 3 {
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	return least
}

// A page may be one table of thousands of rows. Some may be like names of columns.
func TestTheRowsOfATableAreLookedAtOnce(t *testing.T) {
	for name, rows := range map[string][2]string{
		"amounts": {"Item|1,200|1,100", "Item|1,300|1,400"},
		"names":   {"Wood|Stone|Glass", "Metal|Coal|Oil"},
	} {
		t.Run(name, func(t *testing.T) {
			run := func(n int) uint64 {
				var s sheet
				y := 0.0
				for i := range n {
					y += 12 + float64(i%2)*6
					for c, cell := range strings.Split(rows[i%2], "|") {
						s.line(50+150*float64(c), y, cell)
					}
				}
				upright, _ := joinWords(s.words, 0)
				all := groupRows(upright)
				g, ok := findGutter(all)
				if !ok {
					t.Fatal("no gutter")
				}
				return allocated(func() {
					if got := g.runFrom(all, 0); got.to != n {
						t.Errorf("%d rows of %d", got.to, n)
					}
				})
			}
			if one, four := run(200), run(800); four > 5*one {
				t.Errorf("%d bytes for 200 rows, %d for 800", one, four)
			}
		})
	}
}

func TestColumnsAreTheSameRowByRow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all []textRow
		var columns []box
		for range rapid.IntRange(1, 12).Draw(t, "rows") {
			var r textRow
			for range rapid.IntRange(1, 5).Draw(t, "segments") {
				left := rapid.Float64Range(0, 300).Draw(t, "left")
				r.add(segment{box: box{left, float64(len(all)), left + rapid.Float64Range(0, 40).Draw(t, "width"), float64(len(all) + 1)}})
			}
			all = append(all, r)
			columns = addToColumns(columns, r, 10)
			if want := columnsOf(all, 10); !slices.Equal(columns, want) {
				t.Fatalf("columns %v, want %v", columns, want)
			}
		}
	})
}
