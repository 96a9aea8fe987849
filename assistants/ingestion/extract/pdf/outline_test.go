package pdf

import (
	"slices"
	"strings"
	"testing"
)

// Lines that are numbered like an outline and have text below them are headings, also in the type of
// the text. Numbered lists, references and rows are not.
func TestNumberedTitlesInTheTypeOfTheText(t *testing.T) {
	const text = "text" // some lines of running text
	outline := []string{"1 Means and Ways", "1.1 Common terms", text, "1.2 Order of work", text, "2 Sums and shares", text}
	titles := []string{"1 1 Means and Ways", "2 1.1 Common terms", "2 1.2 Order of work", "1 2 Sums and shares"}
	for name, test := range map[string]struct {
		lines []string
		want  []string
	}{
		"an outline":                   {outline, titles},
		"below a title":                {append([]string{"#Plan of the work"}, outline...), []string{"1 Plan of the work", "2 1 Means and Ways", "3 1.1 Common terms", "3 1.2 Order of work", "2 2 Sums and shares"}},
		"below the lines of a title":   {append([]string{"#Plan of the work", "#Sponsor: the shop"}, outline...), append([]string{"1 Plan of the work", "1 Sponsor: the shop"}, titles...)},
		"above a heading":              {append(slices.Clone(outline), "#References", text), []string{"1 References"}},
		"that begins later":            {outline[3:], nil},
		"with a gap":                   {append(slices.Clone(outline), "4 Ethics", text), nil},
		"without parts":                {[]string{"1 Methods", text, "2 Analysis", text, "3 Ethics", text}, nil},
		"without text":                 {[]string{"1 Methods", "1.1 Mix the powder", "1.2 Stir it", "2 Analysis", text}, nil},
		"sentences":                    {[]string{"1 Methods are old.", "1.1 They mix the powder.", text, "2 They stir it.", text}, nil},
		"a list below it":              {append(slices.Clone(outline), "1 Mix the powder", text), nil},
		"references":                   {[]string{"1. Smith J, Jones K, et al. Platelets. 2019", "2. Jones K. Red cells. 2018", "3. Brown A. White cells. 2017"}, nil},
		"with a part in lower case":    {append(slices.Clone(outline), "2.1 of the group", text), titles},
		"a table of contents":          {append([]string{"1 Means and Ways ........ 7", text}, outline...), titles},
		"a row of a table":             {append(slices.Clone(outline), "2.1 Terms|Eve", text), titles},
		"long lines":                   {append(slices.Clone(outline), "2.1 We met on the day on which the shops of all the town were open", text), titles},
		"at different places of lines": {[]string{"1 Methods", text, "   1.1 Mixing", text, "1.2 Stirring", text, "2 Analysis", text}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := &sheet{}
			y := 60.0
			for i, line := range test.lines {
				switch title, large := strings.CutPrefix(line, "#"); {
				case line == text:
					s.column(50, y, prose(string(rune('a'+i)), 4)...)
					y += 36
				case large:
					s.set(50, y, title, 14, false)
				default:
					for c, cell := range strings.Split(strings.TrimLeft(line, " "), "|") {
						s.line(50+10*float64(len(line)-len(strings.TrimLeft(line, " ")))+200*float64(c), y, cell)
					}
				}
				y += 30
			}
			var got []string
			for _, h := range read(t, s).Headings {
				got = append(got, string(rune('0'+h.Level))+" "+h.Title)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("headings %q, want %q", got, test.want)
			}
		})
	}
}
