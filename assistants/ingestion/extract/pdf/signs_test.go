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
		"close behind":     {func(s *sheet, y float64) { s.line(250, y, "$"); s.line(300, y, "1,723 $"); s.line(400, y, "755") }, "Loss | $ 1,723 | $ 755\n"},
		"a quantity first": {func(s *sheet, y float64) { s.line(300, y, "1,000 $"); s.line(400, y, "755") }, "Loss | 1,000 $ | 755\n"},
		"its own, behind":  {func(s *sheet, y float64) { s.line(300, y, "1,723 €"); s.line(400, y, "755 €") }, "Loss | 1,723 € | 755 €\n"},
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

// The sign at the end of a label stays there, and so does one that is a cell of its own.
func TestSignsOfLabelsAndCellsStay(t *testing.T) {
	for name, test := range map[string]struct {
		rows []string
		want string
	}{
		"labels": {[]string{"|2023|2022", "Sales in €|1,200|1,100", "Price, $|12.1|11.3", "Rent|300|280"}, "2023 | 2022\nSales in € | 1,200 | 1,100\nPrice, $ | 12.1 | 11.3\nRent | 300 | 280"},
		"rates":  {[]string{"|USD|EUR", "$|1.00|0.92", "€|1.09|1.00", "£|1.27|1.16"}, "USD | EUR\n$ | 1.00 | 0.92\n€ | 1.09 | 1.00\n£ | 1.27 | 1.16"},
	} {
		var s sheet
		s.statement(100, test.rows...)
		if got := read(t, &s).Text; got != test.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}
