package pdf

import (
	"slices"
	"strings"
	"testing"
)

// ground adds the edges of the grounds in colour behind a row's cells.
func ground(across, down []rule, top, bottom float64, cells ...[2]float64) (a, d []rule) {
	for _, c := range cells {
		across = append(across, rule{top, c[0], c[1]}, rule{bottom, c[0], c[1]})
		down = append(down, rule{c[0], top, bottom}, rule{c[1], top, bottom})
	}
	return across, down
}

// The grounds of a table's cells have small spaces between them, so that only the labels and the first amounts
// are in a grid. The rows are whole.
func TestGroundsOfCellsDoNotCutATable(t *testing.T) {
	for name, cells := range map[string][][2]float64{
		"the labels and the first amounts": {{45, 200}, {200, 303}, {310, 403}, {410, 503}},
		"and all amounts behind them":      {{45, 200}, {200, 303}, {310, 403}, {403, 503}},
	} {
		t.Run(name, func(t *testing.T) {
			var s sheet
			s.statement(114, "|2023|2022|2021", "Sales|$ 1,200|$ 1,100|$ 900", "Rent|300|280|250", "Interest|40|35|30", "Gifts|10|12|15", "Total revenue|1,550|1,427|1,195")
			var across, down []rule
			for y := 118.0; y < 188; y += 14 {
				across, down = ground(across, down, y, y+14, cells...)
			}
			doc := readRuled(t, &s, joinRules(across), joinRules(down))
			wantText(t, doc, `2023 | 2022 | 2021
Sales | $ 1,200 | $ 1,100 | $ 900
Rent | 300 | 280 | 250
Interest | 40 | 35 | 30
Gifts | 10 | 12 | 15
Total revenue | 1,550 | 1,427 | 1,195`)
			if got := strings.Join(tablesOf(doc), "; "); got != `"2023 | 2022 | 2021" of 6 rows` {
				t.Error(got)
			}
		})
	}
}

// Ruled tables next to each other are two if the second begins with labels, also if these are years or weights, or if
// it is not close to the first.
func TestRuledTablesSideBySideAreApart(t *testing.T) {
	for name, test := range map[string]struct {
		at   float64 // where the second table begins
		rows [][4]string
	}{
		"labels":         {260, [][4]string{{"Sales", "1,200", "Wages", "900"}, {"Rent", "300", "Repairs", "120"}, {"Gifts", "10", "Energy", "60"}}},
		"years":          {260, [][4]string{{"North", "1,200", "2021", "900"}, {"South", "300", "2022", "120"}, {"West", "10", "2023", "60"}}},
		"weights":        {260, [][4]string{{"20 g", "0.95", "2 kg", "6.20"}, {"50 g", "1.10", "5 kg", "8.00"}, {"99 g", "1.60", "9 kg", "9.90"}}},
		"times":          {260, [][4]string{{"Work", "1,200", "08:30", "900"}, {"Lunch", "300", "12:30", "120"}, {"Rest", "10", "17:00", "60"}}},
		"far from it":    {290, [][4]string{{"Sales", "1,200", "90", "900"}, {"Rent", "300", "80", "120"}, {"Gifts", "10", "70", "60"}}},
		"numbered items": {260, [][4]string{{"Sales", "1,200", "1.", "Ask"}, {"Rent", "300", "2.", "Pay"}, {"Gifts", "10", "3.", "Go"}}},
	} {
		t.Run(name, func(t *testing.T) {
			var s sheet
			var across, down []rule
			var want [2][]string
			for i, row := range test.rows {
				y := 100 + 14*float64(i)
				for c, cell := range row {
					s.line([]float64{55, 155, test.at + 5, test.at + 105}[c], y+10, cell)
				}
				across, down = ground(across, down, y, y+14, [2]float64{50, 150}, [2]float64{150, 250}, [2]float64{test.at, test.at + 100}, [2]float64{test.at + 100, test.at + 200})
				want[0], want[1] = append(want[0], row[0]+" | "+row[1]), append(want[1], row[2]+" | "+row[3])
			}
			doc := readRuled(t, &s, joinRules(across), joinRules(down))
			wantText(t, doc, strings.Join(want[0], "\n")+"\n\n"+strings.Join(want[1], "\n"))
		})
	}
}

// Only every other row has a ground in colour, so two rows are between two rules.
func TestRowsWithoutRulesBetweenThemAreApart(t *testing.T) {
	across := []rule{{100, 50, 450}, {120, 50, 450}, {154, 50, 450}, {174, 50, 450}}
	down := []rule{{50, 100, 174}, {250, 100, 174}, {350, 100, 174}, {450, 100, 174}}
	for name, test := range map[string]struct {
		second [3]string
		want   string
	}{
		"amounts":         {[3]string{"Repairs and care", "$ 120", "$ 110"}, "Sales | 1,200 | 1,100\nWages | $ 900 | $ 850\nRepairs and care | $ 120 | $ 110\nGifts | 10 | 12"},
		"a label of two":  {[3]string{"and salaries", "", ""}, "Sales | 1,200 | 1,100\nWages and salaries | $ 900 | $ 850\nGifts | 10 | 12"},
		"times":           {[3]string{"Station", "08:30", "18:00"}, "Sales | 1,200 | 1,100\nWages Station | $ 900 08:30 | $ 850 18:00\nGifts | 10 | 12"},
		"a label goes on": {[3]string{"with pensions", "$ 120", "$ 110"}, "Sales | 1,200 | 1,100\nWages with pensions | $ 900 $ 120 | $ 850 $ 110\nGifts | 10 | 12"},
		"words, not sums": {[3]string{"Repairs", "none yet", "none"}, "Sales | 1,200 | 1,100\nWages Repairs | $ 900 none yet | $ 850 none\nGifts | 10 | 12"},
	} {
		t.Run(name, func(t *testing.T) {
			var s sheet
			for i, row := range [][3]string{{"Sales", "1,200", "1,100"}, {"Wages", "$ 900", "$ 850"}, test.second, {"Gifts", "10", "12"}} {
				for c, cell := range row {
					if cell != "" {
						s.line(55+100*float64(c)+100*float64(min(c, 1)), []float64{114, 132, 148, 168}[i], cell)
					}
				}
			}
			wantText(t, readRuled(t, &s, across, down), test.want)
		})
	}
}

// Between two rules are the title of a part and its items, some of which have no amount.
func TestItemsBelowATitleBetweenTwoRulesAreRows(t *testing.T) {
	var s sheet
	s.column(55, 112, "What is to be paid", "Plant and machines", "– within one year", "– later")
	s.column(255, 136, "60.3", "2.0")
	s.column(355, 136, "42.5", "–")
	for c, cell := range []string{"Total", "62.3", "42.5"} {
		s.line(55+100*float64(c)+100*float64(min(c, 1)), 170, cell)
	}
	across := []rule{{100, 50, 450}, {158, 50, 450}, {176, 50, 450}}
	wantText(t, readRuled(t, &s, across, []rule{{50, 100, 176}, {250, 100, 176}, {350, 100, 176}, {450, 100, 176}}),
		"What is to be paid\nPlant and machines\n– within one year | 60.3 | 42.5\n– later | 2.0 | –\nTotal | 62.3 | 42.5")
}

// Between two rules are the years of the columns, and the first row or the title of the rows below.
func TestYearsAboveTheFirstRowAreARow(t *testing.T) {
	across := []rule{{100, 50, 450}, {138, 50, 450}, {158, 50, 450}, {178, 50, 450}}
	down := []rule{{50, 100, 178}, {250, 100, 178}, {350, 100, 178}, {450, 100, 178}}
	for name, test := range map[string]struct {
		head, first [3]string
		want        string
	}{
		"a row":         {[3]string{"(in thousands)", "2022", "2021"}, [3]string{"Interest", "$ 195", "$ 157"}, "(in thousands) | 2022 | 2021\nInterest | $ 195 | $ 157\nLeases | 15 | 12\nOther | 10 | 12"},
		"a title":       {[3]string{"(in thousands)", "2022", "2021"}, [3]string{"Assets", "", ""}, "(in thousands) | 2022 | 2021\nAssets\nLeases | 15 | 12\nOther | 10 | 12"},
		"no unit":       {[3]string{"Assets", "2022", "2021"}, [3]string{"of the firm", "", ""}, "Assets of the firm | 2022 | 2021\nLeases | 15 | 12\nOther | 10 | 12"},
		"words in rows": {[3]string{"Plans", "2022", "2021"}, [3]string{"Interest", "none", "none"}, "Plans Interest | 2022 none | 2021 none\nLeases | 15 | 12\nOther | 10 | 12"},
	} {
		t.Run(name, func(t *testing.T) {
			var s sheet
			for i, row := range [][3]string{test.head, test.first, {"Leases", "15", "12"}, {"Other", "10", "12"}} {
				for c, cell := range row {
					if cell != "" {
						s.line(55+100*float64(c)+100*float64(min(c, 1)), []float64{114, 132, 152, 172}[i], cell)
					}
				}
			}
			doc := readRuled(t, &s, across, down)
			wantText(t, doc, test.want)
			if got := tablesOf(doc); test.head[0] == "(in thousands)" && !slices.Equal(got, []string{`"(in thousands) | 2022 | 2021" of 4 rows`}) {
				t.Errorf("tables %q", got)
			}
		})
	}
}

// A ruled table is no figure: a line close above it is not in its row.
func TestALineAboveARuledTableIsItsOwn(t *testing.T) {
	var s sheet
	s.line(50, 98, "Prices of the shop")
	for i, row := range [][2]string{{"Bolts", "3.50"}, {"Nuts", "0.80"}} {
		s.line(55, 114+20*float64(i), row[0])
		s.line(155, 114+20*float64(i), row[1])
	}
	s.column(300, 98, prose("right", 5)...)
	across, down := ground(nil, nil, 100, 120, [2]float64{50, 150}, [2]float64{150, 250})
	across, down = ground(across, down, 120, 140, [2]float64{50, 150}, [2]float64{150, 250})
	doc := readRuled(t, &s, joinRules(across), joinRules(down))
	if !strings.Contains(doc.Text, "Bolts | 3.50\nNuts | 0.80") || !strings.Contains(doc.Text, "Prices of the shop\n\n") {
		t.Error(doc.Text)
	}
}
