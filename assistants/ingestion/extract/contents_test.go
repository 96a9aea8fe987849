package extract

import (
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
