package extract

import (
	"slices"
	"strings"
	"testing"
)

func TestDotsLeadToPagesOrToAmounts(t *testing.T) {
	for name, test := range map[string]struct {
		lines string
		want  bool
	}{
		"contents":               {"1 Needs … 3\n1.1 Tools … | 4\n2 Use … 12", true},
		"with a preface":         {"Preface … iii\n1 Needs … 3\n2 Use … 12", true},
		"pages elsewhere":        {"1 Needs …\n1.1 Tools …\n2 Use …", true},
		"entries in a row":       {"1 Needs … 1.1 Tools … | 3 4\n2 Use … 2.1 By hand … | 12 13", true},
		"an entry of two lines":  {"1 Needs of those who\nuse it … 3\n2 Use … 12", true},
		"a list with one on top": {"Figures … 90\n1 Needs … 3\n2 Use … 12\n3 Care … 14", true},
		"prices":                 {"Bolt … 3.50\nNut … 0,80\nWasher … 12.00", false},
		"whole prices":           {"Bolt … 35\nNut … 8\nWasher … 120\nScrew … 40", false},
		"a currency":             {"Bolt … $ 35\nNut … 40 EUR\nWasher … € 41", false},
		"a statement":            {"Net sales … 1,250 1,100\nCosts … (980) (870)\nInterest … 12 11", false},
		"two years":              {"Sales … 12 | 11\nCosts … 13 | 12\nInterest … 14 | 13", false},
		"no dots":                {"Bolt\nNut\nWasher", false},
	} {
		if got := IsContents(strings.Split(test.lines, "\n")); got != test.want {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}

// TestTheTextAfterContentsIsNotCalledSo, if it has no headings of its own.
func TestTheTextAfterContentsIsNotCalledSo(t *testing.T) {
	pages := []string{"Table of Contents\n1. Term 3\n2. Payment 4", "3. Liability 5\n4. Law 6", "1. The term is five years.\nIt begins in May 2019.", "2. Payment is due in May."}
	for _, c := range []struct {
		headings []Heading
		want     []Heading
	}{
		{[]Heading{{0, 2, "Table of Contents"}}, []Heading{{0, 2, "Table of Contents"}, {67, 2, ""}}},
		{[]Heading{{0, 1, "Inhalt"}, {67, 1, "1. The term"}}, []Heading{{0, 1, "Inhalt"}, {67, 1, "1. The term"}}},
		{[]Heading{{0, 1, "Terms"}}, []Heading{{0, 1, "Terms"}}},
		{[]Heading{{67, 1, "Contents"}}, []Heading{{67, 1, "Contents"}}},
	} {
		d := Document{Headings: c.headings}
		for i, p := range pages {
			d.Pages = append(d.Pages, Page{Number: i + 1, Start: len(d.Text), End: len(d.Text) + len(p)})
			d.Text += p + "\n\n"
		}
		if d.endContents(); !slices.Equal(d.Headings, c.want) {
			t.Errorf("%+v: %+v, want %+v", c.headings, d.Headings, c.want)
		}
	}
}

// A link to the contents that stands at the top of the first page is no heading of all pages, and headings
// of chapters are none of the contents.
func TestContentsAreNoHeadingOfChapters(t *testing.T) {
	long := []string{"Table of Contents\nAnnual report of the firm", "We make pumps.", "We sell them.", "We mend them."}
	for _, c := range []struct {
		pages          []string
		headings, want []Heading
	}{
		{long, []Heading{{0, 1, "Table of Contents"}, {18, 2, "Annual report"}}, []Heading{{0, 1, "Table of Contents"}, {18, 2, "Annual report"}, {45, 1, ""}}},
		{append([]string{"The pump"}, long...), []Heading{{10, 1, "Table of Contents"}}, []Heading{{10, 1, "Table of Contents"}}}, // of a box
		{[]string{"Contents\nPumps 2\nValves 3", "Pumps\nThe big one 12\nThe small one 15", "Valves\nThey shut."}, []Heading{{0, 1, "Contents"}, {27, 2, "Pumps"}},
			[]Heading{{0, 1, "Contents"}, {27, 1, ""}, {27, 2, "Pumps"}}},
		{[]string{"Contents\nPumps 2\nValves 3", "Pumps\nThey turn.", "Valves\nThey shut."}, []Heading{{0, 1, "Contents"}, {27, 2, "Pumps"}, {45, 2, "Valves"}},
			[]Heading{{0, 1, "Contents"}, {27, 1, ""}, {27, 2, "Pumps"}, {45, 2, "Valves"}}},
	} {
		d := Document{Headings: c.headings}
		for i, p := range c.pages {
			d.Pages = append(d.Pages, Page{Number: i + 1, Start: len(d.Text), End: len(d.Text) + len(p)})
			d.Text += p + "\n\n"
		}
		if d.endContents(); !slices.Equal(d.Headings, c.want) {
			t.Errorf("%+v: %+v, want %+v", c.headings, d.Headings, c.want)
		}
	}
}
