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

// Words that deny what another one says, within a word or in place of a modal, and conditions
// without which something holds.
func TestWordsThatDeny(t *testing.T) {
	for _, c := range []struct {
		claim, passage string
		supported      bool
	}{
		{"The ticket is refundable.", "The ticket is non-refundable.", false},
		{"The fee is nonrefundable.", "The fee is non-refundable.", true},
		{"Members may attend.", "Non-members may attend.", false},
		{"Die Sitzung ist öffentlich.", "Die Sitzung ist nichtöffentlich.", false},
		{"Das ist ein Raucherraum.", "Das ist ein Nichtraucherraum.", false},
		{"Le billet est remboursable.", "Le billet est non remboursable.", false},
		{"It is necessary to register.", "It is unnecessary to register.", false},
		{"It is possible to cancel.", "It is impossible to cancel.", false},
		{"It is impossible to cancel.", "It is possible to cancel.", false},
		{"Cancelling online is not possible.", "It is impossible to cancel online.", true},
		{"The alarm sounds unless the door is open.", "The alarm sounds if the door is open.", false},
		{"The alarm sounds if the door is open.", "The alarm sounds unless the door is open.", false},
		{"The alarm sounds unless the door is open.", "The alarm sounds unless the door is open.", true},
		{"The hotel pays for breakfast, and the guest pays for dinner.", "The hotel pays for dinner, and the guest pays for breakfast.", false},
		{"The hotel pays for breakfast, and the guest pays for dinner.", "The hotel pays for breakfast, and the guest pays for dinner.", true},
		{"Der Chef lobte den Fahrer, den der Kunde kritisiert hatte.", "Der Kunde lobte den Fahrer, den der Chef kritisiert hatte.", false},
	} {
		if f := checked(c.claim, c.passage); (f.Level == Supported) != c.supported {
			t.Errorf("%s ← %s: %s", c.claim, c.passage, f.Level)
		}
	}
}
