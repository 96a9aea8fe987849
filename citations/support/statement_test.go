package support

import "testing"

// The parts of a statement have the years above its first part. A row is no header of those below it.
func TestAClaimAboutALaterPartOfAStatement(t *testing.T) {
	const statement = "Statements of operations\n\n(in thousands)\n2022 | 2021 | 2020\nRevenue:\nSupport | 956,995 | 902,000 | 850,100\nMaintenance | 45,510 | 47,379 | 46,472\n" +
		"Earnings per common share:\nBasic | 1.42 | 2.27 | 1.83\nDiluted | 1.41 | 2.26 | 1.82"
	for claim, want := range map[string]string{
		"Diluted earnings per share were 2.26 in 2021.":                         Supported,
		"Diluted earnings per share were 1.82 in 2021.":                         Unsupported,
		"Maintenance revenue was 47,379 in 2021.":                               Supported,
		"Maintenance revenue was 45,510 in 2021.":                               Unsupported,
		"Diluted; 2022: 1.41; 2021: 2.26; 2020: 1.82.":                          Supported,
		"Maintenance; 2022: 45,510; 2021: 47,379; 2020: 46,472 (in thousands).": Supported,
		"Maintenance; 2022: 47,379; 2021: 45,510; 2020: 46,472 (in thousands).": Unsupported,
	} {
		found := checked(claim, statement)
		if found.Level != want {
			t.Errorf("%q is %s, want %s", claim, found.Level, want)
		}
		if header := statement[found.HeaderStart:found.HeaderEnd]; found.Level == Supported && header != "2022 | 2021 | 2020" {
			t.Errorf("%q: the header is %q", claim, header)
		}
	}
}

// A claim is not supported by an amount whose column is not known, or is that of another part.
func TestAClaimAboutAnAmountWithoutAColumn(t *testing.T) {
	for claim, table := range map[string]string{
		"Debt was 14 in 2021.":                   "2022 | 2021 | Change\nCash | 12 | 11 | 1\nDebt | 14 | 10",
		"The second quarter high was 5 in 2022.": "2022 | 2021\nLow | High | Low | High\nFirst quarter | 1 | 2 | 3 | 4\nSecond quarter | 5 | 6 | 7",
		"Cash was 5 in 2010.":                    "Item | 2022 | 2021\nEmployees | 2010 | 1985\nCash | 5 | 6",
		"The cash budget was 3 in 2020.":         "Actual | Budget\n2022 | 2021 | 2020\nCash | 1 | 2 | 3",
		"Cash was 12 in 2022.":                   "2023 | 2022 | 2021\nCash | $ | 12 | 11\nDebt | 5 | 6 | 7",
		"The South has 30 staff.":                "Region | €m | Staff\nNorth | 12 | 40\nSouth | 30",
		"The price of the pump is 30.":           "Product | Price | Stock\nPump | 12 | 3\nWeights\nPump | 30 | 31",
	} {
		if level := checked(claim, table).Level; level == Supported {
			t.Errorf("%q is supported by %q", claim, table)
		}
	}
}
