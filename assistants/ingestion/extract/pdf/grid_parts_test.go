package pdf

import (
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
// are in a grid. The rows are whole all the same.
func TestGroundsOfCellsDoNotCutATable(t *testing.T) {
	for name, cells := range map[string][][2]float64{
		"the labels and the first amounts": {{45, 200}, {200, 303}, {310, 403}, {410, 503}},
		"and all amounts behind them":      {{45, 200}, {200, 303}, {310, 403}, {403, 503}},
		"nothing but the first two":        {{45, 200}, {200, 303}},
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

// Tables next to each other are two if each has its labels.
func TestRuledTablesSideBySideAreApart(t *testing.T) {
	var s sheet
	var across, down []rule
	for i, row := range [][4]string{{"Sales", "1,200", "Wages", "900"}, {"Rent", "300", "Repairs", "120"}, {"Gifts", "10", "Energy", "60"}} {
		y := 100 + 14*float64(i)
		for c, cell := range row {
			s.line([]float64{55, 155, 265, 365}[c], y+10, cell)
		}
		across, down = ground(across, down, y, y+14, [2]float64{50, 150}, [2]float64{150, 250}, [2]float64{260, 360}, [2]float64{360, 460})
	}
	doc := readRuled(t, &s, joinRules(across), joinRules(down))
	wantText(t, doc, "Sales | 1,200\nRent | 300\nGifts | 10\n\nWages | 900\nRepairs | 120\nEnergy | 60")
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
