package citations

import (
	"fmt"
	"strings"
	"testing"

	"footnote/citations/formattest"
)

// A formatCase is a row of a table in FORMAT.md.
type formatCase struct{ text, want string }

// formatCases reads the table under a heading of FORMAT.md.
func formatCases(t testing.TB, heading string) []formatCase {
	t.Helper()
	var cases []formatCase
	for _, c := range formattest.Cases(t, "FORMAT.md", heading) {
		cases = append(cases, formatCase{c.Text, c.Want})
	}
	return cases
}

// manySources has a source for every number.
var manySources = make([]Source, maxNumber)

// scanned returns the markers of a text that arrives in pieces.
func scanned(unit OffsetUnit, pieces ...string) []Marker {
	tr := (&Set{sources: manySources, passages: manySources, opt: Options{Unit: unit}}).Tracker()
	for _, p := range pieces {
		tr.Write(0, p)
	}
	return tr.Result().Markers
}

func numbersOf(markers []Marker) string {
	var list []string
	for _, m := range markers {
		for _, n := range m.Indices {
			list = append(list, fmt.Sprint(n))
		}
	}
	if list == nil {
		return "-"
	}
	return strings.Join(list, " ")
}

func TestEveryFormOfTheSpecification(t *testing.T) {
	for _, c := range formattest.Cases(t, "FORMAT.md", formattest.Markers...) {
		t.Run(c.Name, func(t *testing.T) {
			whole := scanned(UnitByte, c.Text)
			if got := numbersOf(whole); got != c.Want {
				t.Errorf("%q: %s, want %s", c.Text, got, c.Want)
			}
			for i := range len(c.Text) + 1 {
				if split := scanned(UnitByte, c.Text[:i], c.Text[i:]); fmt.Sprint(split) != fmt.Sprint(whole) {
					t.Errorf("%q cut at %d: %v, want %v", c.Text, i, split, whole)
				}
			}
			bytewise := make([]string, len(c.Text))
			for i := range bytewise {
				bytewise[i] = c.Text[i : i+1]
			}
			if got := scanned(UnitByte, bytewise...); fmt.Sprint(got) != fmt.Sprint(whole) {
				t.Errorf("%q byte by byte: %v, want %v", c.Text, got, whole)
			}
		})
	}
}

func TestEveryClaimOfTheSpecification(t *testing.T) {
	for _, c := range formatCases(t, "Claims") {
		var got []string
		for _, m := range scanned(UnitByte, c.text) {
			claim := strings.ReplaceAll(c.text[m.ClaimStart:m.ClaimEnd], "\n", `\n`)
			if strings.Contains(claim, "`") {
				got = append(got, "`` "+claim+" ``")
				continue
			}
			got = append(got, "`"+claim+"`")
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%q:\n got %s\nwant %s", c.text, strings.Join(got, " "), c.want)
		}
	}
}
