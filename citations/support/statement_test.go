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
