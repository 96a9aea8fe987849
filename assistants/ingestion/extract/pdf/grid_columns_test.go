package pdf

import "testing"

// Only one column of a table has a ground in colour, so no rule is between the columns behind it.
func TestColumnsWithoutRulesBetweenThemAreApart(t *testing.T) {
	rows := [][4]string{{"EUR m", "2023", "2022", "Change in %"}, {"Cash", "286", "746", "-61.6"}, {"Stock", "6,704", "3,263", "105.5"}, {"Loans", "880", "920", "-4.3"}}
	for name, test := range map[string]struct {
		last []string // cells of the last column
		want string
	}{
		"amounts":         {[]string{"Change in %", "-61.6", "105.5", "-4.3"}, "EUR m | 2023 | 2022 | Change in %\nCash | 286 | 746 | -61.6\nStock | 6,704 | 3,263 | 105.5\nLoans | 880 | 920 | -4.3"},
		"a remark in two": {[]string{"", "(net)", "(net)", ""}, "EUR m | 2023 | 2022\nCash | 286 | 746 (net)\nStock | 6,704 | 3,263 (net)\nLoans | 880 | 920"},
	} {
		t.Run(name, func(t *testing.T) {
			var s sheet
			var across []rule
			for i, r := range rows {
				y := 110 + 14*float64(i)
				across = append(across, rule{y - 10, 45, 500})
				s.line(50, y, r[0])
				s.line(200, y, r[1])
				s.line(300, y, r[2])
				if test.last[i] != "" {
					s.line(400, y, test.last[i])
				}
			}
			across = append(across, rule{156, 45, 500})
			wantText(t, readRuled(t, &s, across, []rule{{190, 100, 156}, {250, 100, 156}}), test.want)
		})
	}
}
