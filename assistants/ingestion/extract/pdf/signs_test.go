package pdf

import "testing"

// The sign of a currency belongs to the amount behind it, however far away, and also where it stands close behind
// the amount of the column before.
func TestSignsOfCurrenciesBelongToTheirAmounts(t *testing.T) {
	for name, test := range map[string]struct {
		set  func(s *sheet, y float64)
		want string
	}{
		"far in front": {func(s *sheet, y float64) {
			s.line(250, y, "$")
			s.line(300, y, "1,723")
			s.line(350, y, "$")
			s.line(400, y, "755")
		}, "Loss | $ 1,723 | $ 755\n"},
		"close behind":    {func(s *sheet, y float64) { s.line(250, y, "$"); s.line(300, y, "1,723 $"); s.line(400, y, "755") }, "Loss | $ 1,723 | $ 755\n"},
		"its own, behind": {func(s *sheet, y float64) { s.line(300, y, "1,723 €"); s.line(400, y, "755 €") }, "Loss | 1,723 € | 755 €\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var s sheet
			s.line(50, 100, "Loss")
			test.set(&s, 100)
			for i, label := range []string{"Wear", "Taxes", "Other"} {
				y := 114 + 14*float64(i)
				s.line(50, y, label)
				s.line(305, y, "(114)")
				s.line(400, y, "220")
			}
			wantText(t, read(t, &s), test.want+"Wear | (114) | 220\nTaxes | (114) | 220\nOther | (114) | 220")
		})
	}
}
