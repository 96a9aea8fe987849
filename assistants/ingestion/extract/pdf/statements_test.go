package pdf

import (
	"slices"
	"strings"
	"testing"

	"footnote/assistants/ingestion/extract"
)

// statement sets rows as a financial statement has them: labels at the left, and amounts that
// end at the same places at the right. A cell that begins with "*" is bold, and an empty row is
// a wider step.
func (s *sheet) statement(y float64, rows ...string) (end float64) {
	for _, row := range rows {
		if row == "" {
			y += 14
			continue
		}
		for c, cell := range strings.Split(row, "|") {
			cell, bold := strings.CutPrefix(strings.TrimSpace(cell), "*")
			x := 50.0
			if c > 0 {
				x = 300 + 100*float64(c-1) - 5*float64(len(cell))
			}
			s.set(x, y, cell, 10, bold)
		}
		y += 14
	}
	return y
}

// readRuled is the text of one page with rules.
func readRuled(t *testing.T, s *sheet, across, down []rule) extract.Document {
	t.Helper()
	return readPages(t, arrange(s.words, 0, grids(across, down)))
}

// Rules below sums, and around the column of this year, are not between a table's cells.
func TestRulesBelowSumsAreNoCells(t *testing.T) {
	var s sheet
	s.statement(114, "Revenue|2023|2022", "Sales|1,200|1,100", "Rent|300|280", "Interest|40|35", "Gifts|10|12", "Total revenue|1,550|1,427",
		"Wages|900|850", "Repairs|120|110", "Supplies|80|75", "Energy|60|66", "Total expense|1,160|1,101")
	across := []rule{{100, 230, 410}, {175, 230, 410}, {250, 230, 410}}
	doc := readRuled(t, &s, across, []rule{{320, 100, 250}})
	wantText(t, doc, `Revenue | 2023 | 2022
Sales | 1,200 | 1,100
Rent | 300 | 280
Interest | 40 | 35
Gifts | 10 | 12
Total revenue | 1,550 | 1,427
Wages | 900 | 850
Repairs | 120 | 110
Supplies | 80 | 75
Energy | 60 | 66
Total expense | 1,160 | 1,101`)
}

// A sum has no label, and a rule above it. It is a row, and not a part of the last row.
func TestASumIsARowOfItsOwn(t *testing.T) {
	var s sheet
	s.statement(100, "Article|Now|Before", "Sales|1,200|1,100", "Rent|300|-", "|1,500|1,100", "Wages|900|850", "Repairs|120|110", "|EUR 80|")
	wantText(t, read(t, &s), `Article | Now | Before
Sales | 1,200 | 1,100
Rent | 300 | -
1,500 | 1,100
Wages | 900 | 850
Repairs | 120 EUR 80 | 110`)
}

// The names of columns have other edges than the amounts below them, and no label at the left.
func TestNamesOfColumnsHeadTheirAmounts(t *testing.T) {
	rows := []string{"Sales|$ 1,200|$ 1,100", "Rent|300|280", "Interest|40|35"}
	for name, test := range map[string]struct {
		head []string
		want string
	}{
		"years":               {[]string{"|2023|2022"}, `"2023 | 2022" of 4 rows`},
		"in bold type":        {[]string{"|*2023|*2022"}, `"2023 | 2022" of 4 rows`},
		"over several lines":  {[]string{"|2023|2022", "|Budget|Actual", "|(note 5)|"}, `"2023 Budget (note 5) | 2022 Actual" of 4 rows`},
		"with a label":        {[]string{"Year ended 31 December|2023|2022"}, `"Year ended 31 December | 2023 | 2022" of 4 rows`},
		"with a day":          {[]string{"December 31|2023|2022"}, `"December 31 | 2023 | 2022" of 4 rows`},
		"with units":          {[]string{"(in thousands)|2023|2022"}, `"(in thousands) | 2023 | 2022" of 4 rows`},
		"with no period":      {[]string{"Founded|1950|1987"}, `"" of 4 rows`},
		"figures like years":  {[]string{"Employees|2010|1995"}, `"" of 4 rows`},
		"years below names":   {[]string{"|Fir|Oak", "Founded|1950|1987"}, `"Fir | Oak" of 5 rows`},
		"a period below them": {[]string{"|Fir|Oak", "Year ended 31 December|2023|2022"}, `"Year ended 31 December | Fir 2023 | Oak 2022" of 4 rows`},
		"amounts are none":    {[]string{"Gifts|586|520"}, `"" of 4 rows`},
		"a sum is none":       {[]string{"|586|520"}, `"" of 4 rows`},
		"a text above it":     {[]string{"*Our sales were good in this year and in the last one, too."}, `"" of 3 rows`},
		"one name of several": {[]string{"|2023|"}, `"" of 4 rows`},
	} {
		t.Run(name, func(t *testing.T) {
			var s sheet
			s.statement(100, append(test.head, rows...)...)
			doc := read(t, &s)
			if got := strings.Join(tablesOf(doc), "; "); got != test.want {
				t.Errorf("tables %s, want %s in\n%s", got, test.want, doc.Text)
			}
		})
	}
}

// A name over several columns has a line of its own, above the names of each column. It stands in the middle of these
// columns, or several of them have the same year below it. A title above the table is no name.
func TestNamesOverSeveralColumns(t *testing.T) {
	amounts := "Sales | $ 1,200 | $ 1,100 | $ 3,900 | $ 3,800\nRent | 300 | 280 | 900 | 880\nInterest | 40 | 35 | 110 | 105"
	for name, test := range map[string]struct {
		at   [2]float64 // where the wide names begin
		head string
		want string
	}{
		"in the middle":           {[2]float64{293, 498}, "|June 2023|June 2022|May 2023|May 2022", "Quarter and year | Since the opening\nJune 2023 | June 2022 | May 2023 | May 2022\n" + amounts},
		"not told apart by words": {[2]float64{265, 515}, "|Balance|Paid|Balance|Paid", "Quarter and year Balance | Paid | Balance | Since the opening Paid\n" + amounts},
		"at the right end":        {[2]float64{320, 515}, "|2023|2022|2023|2022", "Quarter and year | Since the opening\n2023 | 2022 | 2023 | 2022\n" + amounts},
	} {
		t.Run(name, func(t *testing.T) {
			var s sheet
			s.line(307, 88, "Results")
			s.line(test.at[0], 100, "Quarter and year")
			s.line(test.at[1], 100, "Since the opening")
			s.statement(112, append(strings.Split(test.head, "; "), "Sales|$ 1,200|$ 1,100|$ 3,900|$ 3,800", "Rent|300|280|900|880", "Interest|40|35|110|105")...)
			wantText(t, read(t, &s), "Results\n\n"+test.want)
		})
	}
}

// A name over several columns may stand a little higher than the names beside it. All of them are one line.
func TestNamesOnOneLineMayStandALittleHigher(t *testing.T) {
	var s sheet
	s.line(293, 100, "Quarter and year")
	s.line(498, 96, "Since the opening")
	s.statement(112, "|June 2023|June 2022|May 2023|May 2022", "Sales|$ 1,200|$ 1,100|$ 3,900|$ 3,800", "Rent|300|280|900|880", "Interest|40|35|110|105")
	wantText(t, read(t, &s), "Quarter and year | Since the opening\nJune 2023 | June 2022 | May 2023 | May 2022\nSales | $ 1,200 | $ 1,100 | $ 3,900 | $ 3,800\nRent | 300 | 280 | 900 | 880\nInterest | 40 | 35 | 110 | 105")
}

// A title in the middle of a table, labels and amounts together, is none of its names.
func TestATitleInTheMiddleIsNoName(t *testing.T) {
	columns := []box{{left: 20, right: 130}, {left: 310, right: 380}, {left: 390, right: 450}, {left: 460, right: 510}, {left: 520, right: 580}}
	for at, want := range map[float64]int{258: 2, 310: 3} { // "Income statements" is 85 wide
		var s sheet
		s.line(at, 70, "Income statements")
		s.statement(84, "|2023|2022|2023|2022", "|May|May|June|June", "Sales|1,200|1,100|3,900|3,800")
		segments, _ := joinWords(s.words, 0)
		all := groupRows(segments)
		if got := namesAbove(all[:3], all[3], columns, farNames); got != want {
			t.Errorf("at %v: %d rows of names, want %d", at, got, want)
		}
	}
}

// Names need amounts below them: labels alone are no table's rows.
func TestNamesHaveAmountsBelowThem(t *testing.T) {
	var s sheet
	s.statement(100, "|*2023|*2022", "*Year ended|*2023|*2022", "*Sales", "*Rent", "*Debt")
	doc := read(t, &s)
	for _, word := range []string{"Sales", "Rent", "Debt"} {
		if strings.Count(doc.Text, word) != 1 {
			t.Errorf("%q is not once in\n%s", word, doc.Text)
		}
	}
	for _, table := range tablesOf(doc) {
		if strings.Contains(table, "Year ended") {
			t.Errorf("names of nothing: %s", table)
		}
	}
}

// Names above the title of a statement's first part are a table's header of their own, and the
// title is none of the amounts' rows.
func TestNamesMayStandAboveTheTitleOfAPart(t *testing.T) {
	for name, rows := range map[string][]string{
		"close to it":    {"Statement of Results", "", "|2023|2022", "*Revenue", "Sales|$ 1,200|$ 1,100", "Rent|300|280", "Interest|40|35"},
		"apart from it":  {"Statement of Results", "", "|*2023|*2022", "", "*Revenue", "Sales|$ 1,200|$ 1,100", "Rent|300|280", "Interest|40|35"},
		"above a gap":    {"Statement of Results", "", "|2023|2022", "*Revenue", "", "Sales|$ 1,200|$ 1,100", "Rent|300|280", "Interest|40|35"},
		"in other terms": {"Statement of Results", "", "|31 March 2023|31 March 2022", "*Revenue", "Sales|$ 1,200|$ 1,100", "Rent|300|280", "Interest|40|35"},
	} {
		t.Run(name, func(t *testing.T) {
			var s sheet
			s.statement(100, rows...)
			doc := read(t, &s)
			head := "2023 | 2022"
			if name == "in other terms" {
				head = "31 March 2023 | 31 March 2022"
			}
			wantText(t, doc, "Statement of Results\n\n"+head+"\n\nRevenue\n\nSales | $ 1,200 | $ 1,100\nRent | 300 | 280\nInterest | 40 | 35")
			if got, want := strings.Join(tablesOf(doc), "; "), `"`+head+`" of 1 rows; "" of 3 rows`; got != want {
				t.Errorf("tables %s, want %s", got, want)
			}
			if got := titleAt(t, doc, "Sales"); got != "Revenue" {
				t.Errorf("the amounts' title is %q", got)
			}
		})
	}
}

// Amounts may stand a little below their label, which is no title then, though it is bold.
func TestALabelNextToItsAmountsIsNoTitle(t *testing.T) {
	for name, signs := range map[string]bool{"with signs": true, "without signs": false} {
		t.Run(name, func(t *testing.T) {
			var s sheet
			s.statement(100, "|*2023|*2022")
			s.set(50, 115, "Gains at the beginning of the year", 10, true)
			if signs {
				s.set(240, 118.4, "$", 10, false)
				s.set(340, 118.4, "$", 10, false)
			}
			s.statement(118.4, "|*972|*1,050")
			s.statement(146, "Shares|203|128", "Debt|20|(398)", "Sums that stand in a label of more width|80|190")
			doc := read(t, &s)
			if got := tablesOf(doc); len(got) != 1 || !strings.HasPrefix(got[0], `"2023 | 2022"`) {
				t.Errorf("tables %q in\n%s", got, doc.Text)
			}
			if len(doc.Headings) > 0 {
				t.Errorf("headings %v", doc.Headings)
			}
		})
	}
}

// Lines of running text are no names, though a gap is in them.
func TestTextAboveAmountsIsNoName(t *testing.T) {
	var s sheet
	s.line(50, 88, "All our debt was paid in the year 2023 but one loan")
	s.line(320, 88, "from the bank in town, which will be due in the next years.")
	s.statement(102, "Sales|$ 1,200|$ 1,100", "Rent|300|280", "Interest|40|35")
	if got := tablesOf(read(t, &s)); len(got) != 1 || got[0] != `"" of 3 rows` {
		t.Errorf("tables %q", got)
	}
}

// Amounts without a table are neither glued to the titles near them nor headings. A sentence or
// an item of a list is no heading, though its type is larger than most.
func TestOnlyTitlesAreHeadings(t *testing.T) {
	for name, test := range map[string]struct {
		rows []string
		want []string
	}{
		"years above a title":      {[]string{"|*2023|*2022", "*Operating activities"}, []string{"Operating activities"}},
		"a row above a title":      {[]string{"*Surplus|*61,654|*89,173", "*Items without cash"}, []string{"Items without cash"}},
		"a row below a title":      {[]string{"*Items without cash", "*Surplus|*61,654|*89,173"}, []string{"Items without cash"}},
		"with its sign":            {[]string{"Surplus|$|61,654 $|89,173", "*Items without cash"}, []string{"Items without cash"}},
		"titles":                   {[]string{"*Changes in the places", "*that we have"}, []string{"Changes in the places that we have"}},
		"a sentence":               {[]string{"+See the notes to these statements.", "", "+Our shops"}, []string{"Our shops"}},
		"a quoted sentence":        {[]string{"+They met the storm on “rough seas.”", "", "+Our shops"}, []string{"Our shops"}},
		"a sentence in brackets":   {[]string{"+(See the notes to these statements.)", "", "+Our shops"}, []string{"Our shops"}},
		"a title with a full stop": {[]string{"+2.1 Our shops."}, []string{"2.1 Our shops."}},
		"an abbreviation":          {[]string{"+Our shops in the north (Ardal Ltd.)"}, []string{"Our shops in the north (Ardal Ltd.)"}},
		"the page's number":        {[]string{"*Our shops", "", "*Page 1 of 3"}, []string{"Our shops"}},
		"telephones":               {[]string{"*Our shops", "", "*Telephone: 555-01-234-5678", "", "*Tel. no. +47 555 0100"}, []string{"Our shops"}},
		"addresses":                {[]string{"*Our shops", "", "*http://www.example.org", "", "*E-mail: ada@example.org"}, []string{"Our shops"}},
		"a title with an address":  {[]string{"*The shops of www.example.org"}, []string{"The shops of www.example.org"}},
		"a number that is none":    {[]string{"*Order 555-01-234"}, []string{"Order 555-01-234"}},
		"a number of something":    {[]string{"*No. 555-01-234", "", "*Number 12345"}, []string{"No. 555-01-234", "Number 12345"}},
		"letters for numbers":      {[]string{"*C/D"}, []string{"C/D"}},
		"items":                    {[]string{"+• Help people to grow", "+• Find the means"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var s sheet
			s.column(50, 40, prose("a", 12)...)
			y := 200.0
			for _, row := range test.rows {
				if large, ok := strings.CutPrefix(row, "+"); ok {
					s.set(50, y, large, 12, false)
				} else {
					s.statement(y, row)
				}
				y += 14
			}
			s.column(50, y+20, prose("b", 12)...)
			var got []string
			for _, h := range read(t, &s).Headings {
				got = append(got, h.Title)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("headings %q, want %q", got, test.want)
			}
		})
	}
}

// A sum is wider than its amounts, and an amount in brackets ends further at the right. The sum
// belongs to the rows above it, not to the part below, and a page's foot to none.
func TestASumEndsItsTable(t *testing.T) {
	var s sheet
	y := s.statement(100, "*Operating activities", "Sales|300,723|391,690", "Growth|193,176|187,634", "Change|(88,092)|(65,068)", "|1,333,842|1,333,016")
	y = s.statement(y+12, "*Financing activities", "Debt issued|100,000|90,000", "Debt repaid|(23,861)|-", "Grants|33,000|17,000", "|1,109,139|1,107,000")
	s.line(30, y+120, "16")
	s.line(240, y+120, "Town of Fir, and other places")
	for i := range s.words {
		if w := &s.words[i]; w.glyphs[0].char == '(' {
			w.box.left, w.box.right = w.box.left+3, w.box.right+3
		}
	}
	doc := read(t, &s)
	for _, want := range []string{
		"Change | (88,092) | (65,068)\n1,333,842 | 1,333,016\n\nFinancing activities",
		"Grants | 33,000 | 17,000\n1,109,139 | 1,107,000\n\n16",
	} {
		if !strings.Contains(doc.Text, want) {
			t.Errorf("no %q in\n%s", want, doc.Text)
		}
	}
}

// A sum may stand apart from its amounts, with room for a rule.
func TestASumStandsApart(t *testing.T) {
	const after = "All the cash is in the town, and it is counted at the end of each of the months of the year."
	for name, test := range map[string]struct {
		sum  string
		step float64
		want string
	}{
		"a sum":                {"|9,600", 24, "\n9,600"},
		"a sum of another one": {"|9,600", 60, "\n\n9,600"},
		"a year":               {"|2023", 24, "\n\n2023"},
		"a text":               {"|all of it", 24, "\n\nall of it"},
	} {
		t.Run(name, func(t *testing.T) {
			var s sheet
			y := s.statement(100, "Cash in hand|1,100", "Cash at banks|900", "Cheques|7,600")
			s.statement(y-14+test.step, test.sum)
			s.line(50, y+100, after)
			wantText(t, read(t, &s), "Cash in hand | 1,100\nCash at banks | 900\nCheques | 7,600"+test.want+"\n\n"+after)
		})
	}
}

// The amounts of a row may stand a little higher or lower than its label, and are in its row. Text may not: it is
// that of another column.
func TestAmountsMayStandBesideTheirLabel(t *testing.T) {
	for name, step := range map[string]float64{"lower": 4, "higher": -4} {
		t.Run(name, func(t *testing.T) {
			var s sheet
			s.statement(100, "|2023|2022", "Sales|1,200|1,100")
			s.statement(130, "Rent", "")
			s.statement(130+step, "|$ 300|$ 280", "")
			s.statement(144, "Interest|40|35", "Gifts|10|12")
			wantText(t, read(t, &s), "2023 | 2022\nSales | 1,200 | 1,100\nRent | $ 300 | $ 280\nInterest | 40 | 35\nGifts | 10 | 12")
		})
	}
}

// A label with a colon leads further rows of the table, though there is more space above it. A bold one is a title,
// and amounts that end elsewhere are those of another table.
func TestALabelWithAColonLeadsRowsOfTheTable(t *testing.T) {
	head := []string{"|2023|2022", "Sales:", "Machines|$ 1,200|$ 1,100", "Services|300|280", "Total sales|1,500|1,380", ""}
	rows := "2023 | 2022\nSales:\nMachines | $ 1,200 | $ 1,100\nServices | 300 | 280\nTotal sales | 1,500 | 1,380"
	costs := []string{"Machines|900|850", "Services|120|110", "Total costs|1,020|960"}
	below := "Machines | 900 | 850\nServices | 120 | 110\nTotal costs | 1,020 | 960"
	for name, test := range map[string]struct {
		label []string
		want  string
	}{
		"a label":      {[]string{"Costs:"}, rows + "\nCosts:\n" + below},
		"two labels":   {[]string{"Costs:", "Of the year:"}, rows + "\nCosts:\nOf the year:\n" + below},
		"a bold label": {[]string{"*Costs:"}, rows + "\n\nCosts:\n" + below},
		"no colon":     {[]string{"Costs"}, rows + "\n\nCosts\n" + below},
	} {
		t.Run(name, func(t *testing.T) {
			var s sheet
			s.statement(100, slices.Concat(head, test.label, costs)...)
			wantText(t, read(t, &s), test.want)
		})
	}
	var s sheet
	y := s.statement(100, head...)
	s.line(50, y, "Places:")
	for i, row := range [][3]string{{"Machines", "Bonn", "7"}, {"Services", "Cologne", "12"}} {
		for c, cell := range row {
			s.line([]float64{50, 240, 330}[c], y+14*float64(i+1), cell)
		}
	}
	if doc := read(t, &s); len(tablesOf(doc)) != 2 {
		t.Errorf("%q in\n%s", tablesOf(doc), doc.Text)
	}
}
