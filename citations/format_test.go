package citations

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// A formatCase is a row of a table in FORMAT.md.
type formatCase struct{ text, want string }

// formatCases reads the table under a heading of FORMAT.md: the code spans of
// its first two columns, "\n" in them standing for a line break.
func formatCases(t testing.TB, heading string) []formatCase {
	t.Helper()
	raw, err := os.ReadFile("FORMAT.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(string(raw), "\n## "+heading+"\n")
	if !ok {
		t.Fatalf("FORMAT.md has no section %q", heading)
	}
	section, _, _ = strings.Cut(section, "\n## ")
	var cases []formatCase
	for line := range strings.Lines(section) {
		row := strings.ReplaceAll(line, `\|`, "\x00")
		cells := strings.Split(row, "|")
		if len(cells) < 3 || !strings.Contains(cells[1], "`") {
			continue
		}
		for i := range cells {
			cells[i] = strings.ReplaceAll(strings.TrimSpace(cells[i]), "\x00", "|")
		}
		cases = append(cases, formatCase{codeSpan(cells[1]), cells[2]})
	}
	if len(cases) == 0 {
		t.Fatalf("section %q has no cases", heading)
	}
	return cases
}

// codeSpan is the content of a code span, however many backticks hold it.
func codeSpan(cell string) string {
	ticks := len(cell) - len(strings.TrimLeft(cell, "`"))
	text := cell[ticks : len(cell)-ticks]
	if strings.HasPrefix(text, " ") && strings.HasSuffix(text, " ") && strings.Contains(text, "`") {
		text = text[1 : len(text)-1]
	}
	return strings.ReplaceAll(text, `\n`, "\n")
}

// manySources give every number a source.
var manySources = make([]Source, maxNumber)

// scanned lists the markers of a text that comes in pieces.
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
	for _, heading := range []string{"What is a marker", "What is none"} {
		for _, c := range formatCases(t, heading) {
			whole := scanned(UnitByte, c.text)
			if got := numbersOf(whole); got != c.want {
				t.Errorf("%q: %s, want %s", c.text, got, c.want)
			}
			for i := range len(c.text) + 1 {
				if split := scanned(UnitByte, c.text[:i], c.text[i:]); fmt.Sprint(split) != fmt.Sprint(whole) {
					t.Errorf("%q cut at %d: %v, want %v", c.text, i, split, whole)
				}
			}
			if bytewise := scanned(UnitByte, strings.Split(c.text, "")...); fmt.Sprint(bytewise) != fmt.Sprint(whole) {
				t.Errorf("%q rune by rune: %v, want %v", c.text, bytewise, whole)
			}
		}
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
