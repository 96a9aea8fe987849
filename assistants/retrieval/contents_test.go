package retrieval

import "testing"

// The dots of a price list or a statement lead to amounts.
func TestDotsLeadToPagesOrToAmounts(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		want bool
	}{
		"contents":             {"1 Needs … 3\n1.1 Tools … | 4\n2 Use … 12\n3 Care … 14", true},
		"in a row":             {"1 Needs … 3 1.1 Tools … 4 2 Use … 12 3 Care … 14", true},
		"with sections":        {"1 Needs … 1.10 Tools … 1.11 Time … | 3 3 4\n2 Use … 12\n3 Care … 14\n4 Parts … 15", true},
		"with a preface":       {"Preface … ix\nFigures … xi\n1 Needs … 3\n2 Use … 12", true},
		"an index":             {"apples … 34, 36 bread … 2 cakes … 60 dates … 7", true},
		"sections alone":       {"… 2.13 Current … 2.24 Voltage … 2.25 Noise … 2.26 Light … | 34 35 36 37", true},
		"prices":               {"Bolt … 3.50\nNut … 0,80\nWasher … 12.00\nScrew … 4.00", false},
		"prices in a row":      {"Bolt … 3.50 Nut … 2.80 Washer … 1.10 Screw … 1.05", false},
		"with a currency":      {"Bolt … 35 EUR\nNut … 38 €\nWasher … 120 EUR\nScrew … 140 EUR", false},
		"a statement":          {"Net sales … 1,250 1,100\nCosts … 980 870\nTaxes … 1,010 98\nInterest … 1,112 11", false},
		"percentages in order": {"North ........ 4 %\nSouth ........ 5 %\nEast ........ 7 %\nWest ........ 9 %", false},
	} {
		if got := isContents(test.text); got != test.want {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}
