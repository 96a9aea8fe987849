package tables

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// linesOf reads a text as the tests write it: rows have bars.
func linesOf(text string) []Line {
	var lines []Line
	for line := range strings.Lines(text) {
		l := Line{Text: strings.TrimSpace(line)}
		if strings.Contains(line, "|") {
			for cell := range strings.SplitSeq(strings.TrimSuffix(strings.TrimPrefix(l.Text, "|"), "|"), "|") {
				l.Cells = append(l.Cells, strings.TrimSpace(cell))
			}
		}
		lines = append(lines, l)
	}
	return lines
}

// said writes the rows of a text as a reader would say them: a line for each, with the names
// of the columns before the cells, and what is said of all of them behind.
func said(text string) string {
	var b strings.Builder
	lines := linesOf(text)
	DropLone(lines)
	for _, r := range Read(lines) {
		if r.Kind != Data {
			continue
		}
		if r.Head != nil && r.Head.Guessed {
			r.Names = nil
		}
		for i, cell := range r.Cells {
			if i > 0 {
				b.WriteString("; ")
			}
			if r.Names != nil && r.Names[i] != "" {
				b.WriteString(r.Names[i] + ": ")
			}
			b.WriteString(cell)
		}
		if r.About != "" {
			b.WriteString(" (" + r.About + ")")
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestRowsHaveTheNamesOfTheirColumns(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"words": {"Depot | Staff\nAlba | 34", "Depot: Alba; Staff: 34"},
		"years above amounts, nothing above labels": {"2022 | 2021\nCash | 12 | 11", "Cash; 2022: 12; 2021: 11"},
		"units in place of a name for the labels":   {"(in thousands) | 2022 | 2021\nCash | 12 | 11", "Cash; 2022: 12; 2021: 11 (in thousands)"},
		"a title between two parts":                 {"2022 | 2021\nCash flows from operating activities:\nNet loss | (5) | 4", "Net loss; 2022: (5); 2021: 4"},
		"signs of currencies in cells":              {"2022 | 2021\nCash | $ | 12 | $ | 11", "Cash; 2022: $ 12; 2021: $ 11"},
		"a column of notes":                         {"Note | 2022 $ | 2021 $\nReceivables | 6 | 1,103 | 772\nTax | 111 | 57", "Receivables; Note: 6; 2022 $: 1,103; 2021 $: 772\nTax; 2022 $: 111; 2021 $: 57"},
		"notes without a name":                      {"2022 | 2021\nReceivables | 6 | 1,103 | 772", "Receivables; 6; 2022: 1,103; 2021: 772"},
		"a name in the middle of all":               {"2022 | Years ended June 30, 2021 | 2020\nNet loss | 5 | 6 | 7", "Net loss; 2022: 5; 2021: 6; 2020: 7"},
		"names in the middle of groups": {"(in millions) | April 1, 2023 | Three Months Ended March 26, 2022 | Change | April 1, 2023 | Six Months Ended March 26, 2022 | Change\nMac | 7 | 10 | (31)% | 14 | 21 | (30)%",
			"Mac; Three Months Ended April 1, 2023: 7; Three Months Ended March 26, 2022: 10; Change: (31)%; Six Months Ended April 1, 2023: 14; Six Months Ended March 26, 2022: 21; Change: (30)% (in millions)"},
		"another measure of the same years": {"2022 | Budget 2022 | 2021\nCosts | 5 | 6 | 7", "Costs; 2022: 5; Budget 2022: 6; 2021: 7"},
		"columns that end in other years":   {"June 30, 2022 | December 31, 2021\nCash | 5 | 6", "Cash; June 30, 2022: 5; December 31, 2021: 6"},
		"a sum without a label":             {"2022 | 2021\nCash | 12 | 11\n12 | 11", "Cash; 2022: 12; 2021: 11\n2022: 12; 2021: 11"},
		"a name over several columns": {"2022 | 2021\nShares | Price | Shares | Price\nGranted | 29 | 17.50 | 20 | 16.88",
			"Granted; 2022 Shares: 29; 2022 Price: 17.50; 2021 Shares: 20; 2021 Price: 16.88"},
		"names of two lines":      {"2021 | Private and | Corporate\n€m | Small Business | Clients\nGuarantees | 27 | 246", "Guarantees; Private and Small Business: 27; Corporate Clients: 246 (2021 €m)"},
		"a year above the labels": {"2021 | Private | Corporate\nGuarantees | 27 | 246", "Guarantees; Private: 27; Corporate: 246 (2021)"},
		"a day above the table":   {"December 31, 2022\n(in thousands) | Pass | Watch\nLoans | 8,132 | 5", "Loans; Pass: 8,132; Watch: 5 (December 31, 2022, in thousands)"},
		"a period between two parts": {"Opened | Closed\nAt December 31, 2022:\nClaims | 3 | 4\nAt December 31, 2021:\nClaims | 5 | 6",
			"Claims; Opened: 3; Closed: 4 (At December 31, 2022)\nClaims; Opened: 5; Closed: 6 (At December 31, 2021)"},
		"units in a sentence above": {"Debt consists of the following (in millions):\n2022 | 2021\nNotes payable | 5 | 4", "Notes payable; 2022: 5; 2021: 4 (in millions)"},
		"a column of units":         {"Expenses | €m | 2022 | 2021 1 | Change in %\nIT | 556 | 602 | – 7.6", "Expenses: IT; 2022: 556; 2021 1: 602; Change in %: – 7.6 (€m)"},
		"numbers in names": {"Due within 1 Year | After 1 through 5 Years | Total\nHomes | 1 | 2 | 3\nShops | 4 | 5 | 9",
			"Homes; Due within 1 Year: 1; After 1 through 5 Years: 2; Total: 3\nShops; Due within 1 Year: 4; After 1 through 5 Years: 5; Total: 9"},
		"Markdown": {"| Case | Days |\n|---|---|\n| Wedding | 2 |", "Case: Wedding; Days: 2"},
	} {
		if got := strings.TrimSpace(said(c.text)); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
		}
	}
}

// No name is better than a wrong one.
func TestRowsThatDoNotPairOffHaveNoNames(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"a cell is missing":                         {"2022 | 2021\nCash | 12 | 11\nGrants | 7", "Cash; 2022: 12; 2021: 11\nGrants; 7"},
		"a cell too many":                           {"Item | Price\nPump | 12 | 24", "Pump; 12; 24"},
		"two amounts in a cell":                     {"2022 | 2021\nCash | $ 12 $ 11 | 10", "Cash; $ 12 $ 11; 10"},
		"years of another part":                     {"2022 | 2021\nCash | 12 | 11\n\nAt December 31, 2020\nCash | 10 | 9", "Cash; 2022: 12; 2021: 11\nCash; 10; 9 (At December 31, 2020)"},
		"a statement for a year has the one before": {"For the year ended 30 June 2022\nShares | Reserves\nDividends | 6 | (5)\nProfit | 7 | 8", "Dividends; Shares: 6; Reserves: (5)\nProfit; Shares: 7; Reserves: 8"},
		"rows with days of their own":               {"At June 30, 2022\nShares | Reserves | Total\nAt June 30, 2021 | 1 | 2 | 3\nProfit | 1 | 2 | 3", "At June 30, 2021; Shares: 1; Reserves: 2; Total: 3\nProfit; Shares: 1; Reserves: 2; Total: 3"},
		"a column is missing in a row":              {"2022 | 2021 | Change\nCash | 12 | 11 | 1\nDebt | 14 | 10", "Cash; 2022: 12; 2021: 11; Change: 1\nDebt; 14; 10"},
		"quarters and a row without a total":        {"2022 | 2021\nLow | High | Low | High\nFirst quarter | 1 | 2 | 3 | 4\nSecond quarter | 5 | 6 | 7", "First quarter; 2022 Low: 1; 2022 High: 2; 2021 Low: 3; 2021 High: 4\nSecond quarter; 5; 6; 7"},
		"names with years":                          {"Revenue 2022 | Revenue 2021 | Change\nNorth | 120 | 110 | 10\nSouth | 50 | 60", "North; Revenue 2022: 120; Revenue 2021: 110; Change: 10\nSouth; 50; 60"},
		"words, and rows of two lengths":            {"North | South | Total\nSales | 10 | 20 | 30\nCosts | 50 | 60", "Sales; 10; 20; 30\nCosts; 50; 60"},
		"amounts like years":                        {"Item | 2022 | 2021\nEmployees | 2010 | 1985\nCash at bank | 5 | 6", "Employees; 2022: 2010; 2021: 1985\nCash at bank; 2022: 5; 2021: 6"},
		"values that are years":                     {"Model | Alba | Boras\nYear of launch | 2019 | 2021\nWeight in kg | 3 | 4", "Model: Year of launch; Alba: 2019; Boras: 2021\nModel: Weight in kg; Alba: 3; Boras: 4"},
		"a sum like years":                          {"2022 | 2021\nMen | 1000 | 985\nWomen | 1010 | 1000\n2010 | 1985\nCosts | 5 | 6", "Men; 2022: 1000; 2021: 985\nWomen; 2022: 1010; 2021: 1000\n2010; 1985\nCosts; 2022: 5; 2021: 6"},
		"two names above three years":               {"Actual | Budget\n2022 | 2021 | 2020\nCash | 1 | 2 | 3", "Actual; Budget\nCash; 2022: 1; 2021: 2; 2020: 3"},
		"a period that is a column's own":           {"2022 | Three months ended June 30, 2022 | 2021\nNet sales | 50 | 60 | 70", "Net sales; 2022: 50; Three months ended June 30, 2022: 60; 2021: 70"},
		"two names, and no middle":                  {"2022 | June 30, 2021\nNet sales | 50 | 60", "Net sales; 2022: 50; June 30, 2021: 60"},
		"a sign for a value":                        {"2023 | 2022 | 2021\nCash | $ | 12 | 11\nDebt | 5 | 6 | 7", "Cash; $; 12; 11\nDebt; 2023: 5; 2022: 6; 2021: 7"},
		"a sign of percent":                         {"2022 | 2021\nGrowth | 5 | %\nCash | 7 | 8", "Growth; 5; %\nCash; 2022: 7; 2021: 8"},
		"three amounts under two years":             {"2022 | 2021\nCash | 12 | 11 | 10", "Cash; 12; 11; 10"},
		"the unit of another table":                 {"(in thousands)\nSegment | Sales | Costs\nNorth | 10 | 20\nHeadcount\nSegment | Men | Women\nNorth | 31 | 42", "Segment: North; Sales: 10; Costs: 20 (in thousands)\nSegment: North; Men: 31; Women: 42"},
		"the unit of a part":                        {"(in thousands)\n2022 | 2021\nSales | 10 | 20\nEarnings per share (in dollars)\nNorth | 3.10 | 2.50", "Sales; 2022: 10; 2021: 20 (in thousands)\nNorth; 2022: 3.10; 2021: 2.50 (in dollars)"},
		"a column of amounts named by a unit":       {"Region | €m | Staff\nNorth | 12 | 40\nSouth | 30", "Region: North; €m: 12; Staff: 40\nSouth; 30"},
		"a sentence with millions":                  {"Our funds rose (by several millions) last year.\n2022 | 2021\nStaff | 12 | 11", "Staff; 2022: 12; 2021: 11"},
		"a title with a year":                       {"Shops | Staff\nNorth | 1 | 2\nSouth | 3 | 4\nMarketing 2022\nNorth | 5 | 6", "North; Shops: 1; Staff: 2\nSouth; Shops: 3; Staff: 4\nNorth; 5; 6"},
		"a title ends a period":                     {"Claims | Opened | Closed\nBerlin | 1 | 2\n2021\nBerlin | 5 | 6\nAll years\nHamburg | 8 | 10", "Claims: Berlin; Opened: 1; Closed: 2\nClaims: Berlin; Opened: 5; Closed: 6 (2021)\nHamburg; 8; 10"},
		"a title that is another measure":           {"Product | Price | Stock\nPump | 12 | 3\nWeights\nPump | 30 | 31", "Product: Pump; Price: 12; Stock: 3\nPump; 30; 31"},
		"a form":                                    {"Name: | Alba\nAge: | 34\nCity: | Rome", "Name:; Alba\nAge:; 34\nCity:; Rome"},
		"units behind a table":                      {"(in thousands)\n2022 | 2021\nCash | 12 | 11\nThe notes are a part of it.\n2022 | 2021\nShops | 3 | 4", "Cash; 2022: 12; 2021: 11 (in thousands)\nShops; 2022: 3; 2021: 4"},
		"units behind a sentence":                   {"(in thousands)\nSales rose in all shops.\n2022 | 2021\nShops | 3 | 4", "Shops; 2022: 3; 2021: 4"},
		"a day above names of years":                {"At June 30, 2023\n2022 | 2021\nShops | 3 | 4", "Shops; 2022: 3; 2021: 4"},
		"a sentence ends the table":                 {"2022 | 2021\nCash | 12 | 11\nThe notes are a part of it.\nGoods | 10 | 9", "Cash; 2022: 12; 2021: 11\nGoods; 10; 9"},
		"dates are values here":                     {"Begin | End\nMay 1, 2024 | June 30, 2024\nRoom | 7", "Begin: May 1, 2024; End: June 30, 2024\nBegin: Room; End: 7"},
		"another table of words":                    {"Plan | Days\nBasic | 4\n\nColour | Meaning\nred | stop", "Plan: Basic; Days: 4\nColour; Meaning\nred; stop"},
		"units are no name":                         {"Cash flows | (In thousands)\nNet loss | 6 | 7", "Cash flows; (In thousands)\nNet loss; 6; 7"},
		"a row of years that are one":               {"Year | Revenue | Model year\n2019 | 2018 | 2017\nFoo | 3 | 4", "Year: 2019; Revenue: 2018; Model year: 2017\nYear: Foo; Revenue: 3; Model year: 4"},
	} {
		if got := strings.TrimSpace(said(c.text)); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
		}
	}
}

// The rows of a header that was cut off name columns, whatever they are like.
func TestTheHeaderOfATableThatGoesOnNamesItsColumns(t *testing.T) {
	lines := append([]Line{
		{Text: "(in thousands)", Head: true},
		{Text: "Model X200 | Model X300", Cells: []string{"Model X200", "Model X300"}, Head: true},
	}, linesOf("Weight | 5 | 6")...)
	if r := Read(lines)[2]; !slices.Equal(r.Names, []string{"", "Model X200", "Model X300"}) || r.About != "in thousands" {
		t.Errorf("%+v", r)
	}
}

// A row has the cells of its line in their order, and a name for each or none.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		"2022 | 2021\nCash | $ | 12 | $ | 11", "Note | 2022 $ | 2021 $\nTax | 6 | 1 | 2", "a | b\n|---|\n | \n\nx | y", "(in thousands)\n| Years\n2022 | 2021",
		"2022 | 2021\nShares | Price | Shares | Price\nGranted | 29 | 17.50 | 20 | 16.88",
	} {
		f.Add(text, uint8(1))
	}
	f.Fuzz(func(t *testing.T, text string, heads uint8) {
		lines := linesOf(text)
		for i := range lines[:min(int(heads), len(lines))] {
			lines[i].Head = true
		}
		rows := Read(lines)
		if len(rows) != len(lines) {
			t.Fatal(len(rows), "rows of", len(lines), "lines")
		}
		for i, r := range rows {
			if (r.Kind == Text) != (lines[i].Cells == nil) {
				t.Errorf("line %d: %+v of %+v", i, r, lines[i])
			}
			if r.Names != nil && len(r.Names) != len(r.Cells) {
				t.Errorf("line %d: %d names of %d cells", i, len(r.Names), len(r.Cells))
			}
			if h := r.Head; h != nil && (h.First > h.Last || h.First < r.Table || h.Last >= i && h.First > i) {
				t.Errorf("line %d: its head is %+v", i, *h)
			}
			if got, want := words(r.Cells), words(lines[i].Cells); got != want {
				t.Errorf("line %d: %q of %q", i, got, want)
			}
		}
	})
}

func words(cells []string) string {
	return strings.Join(strings.Fields(fmt.Sprint(strings.Join(cells, " "))), " ")
}
