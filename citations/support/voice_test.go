package support

import "testing"

// Who does what stays the same whether a verb is active or passive, and wherever the day stands.
func TestVoices(t *testing.T) {
	for _, c := range []struct {
		claim, passage string
		supported      bool
	}{
		{"The merger with Castor was approved by the board on Tuesday.", "On Tuesday the board approved the merger with Castor.", true},
		{"The clinic opens at 7 am and takes blood samples until 10 am.", "The clinic opens at 7 am. Blood samples are taken until 10 am.", true},
		{"The team was praised.", "The team praised the coach.", false},
		{"The company was sued in May.", "The company sued the supplier in May.", false},
		{"The supplier sued the company.", "The supplier was sued by the company.", false},
		{"The cable between the sensor and the junction box must not exceed 150 cm.", "The cable must not be longer than 1.5 metres between the sensor and the junction box.", true},
		{"The cable between the sensor and the junction box must not exceed 160 cm.", "The cable must not be longer than 1.5 metres between the sensor and the junction box.", false},
		{"Version 4.2 fixes a crash with archives.", "Version 4.2 drops support for 32-bit systems, adds a dark theme, fixes a crash with archives, and updates the driver.", true},
		{"Version 4.2 fixes a crash with archives.", "Version 4.2 adds a dark theme. Version 4.3 fixes a crash with archives.", false},
		{"Error code E07 means that there is no water, and the inlet should be checked.", "| Error code | Meaning | Action |\n|---|---|---|\n| E04 | Lid open | Close lid |\n| E07 | No water | Check inlet |\n", false},
	} {
		f := New([]string{c.passage}, nil).Check(Claim{Text: c.claim, Focus: [2]int{0, len(c.claim)}, Own: []int{0}, Group: []int{0}})
		if (f.Level == Supported) != c.supported {
			t.Errorf("%s ← %s: %s", c.claim, c.passage, f.Level)
		}
	}
}

// URLs say nothing, whatever brackets they stand in.
func TestURLsAreNoWordsOfPassages(t *testing.T) {
	for _, passage := range []string{
		"Function lqs in the recommended package MASS (https://CRAN.R-project.org/package=MASS) provides algorithms for resistant fits.",
		"Function lqs in the recommended package MASS [https://CRAN.R-project.org/package=MASS] provides algorithms for resistant fits.",
	} {
		claim := "Function lqs in the recommended package MASS (https://CRAN.R-project.org/package=MASS) provides algorithms for resistant fits."
		if f := checked(claim, passage); f.Level != Supported {
			t.Errorf("%s: %s", passage, f.Level)
		}
	}
}
