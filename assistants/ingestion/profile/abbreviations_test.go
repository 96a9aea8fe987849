package profile

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"footnote/assistants"
)

func TestAbbreviationsAreReadWhereTheyAreDefined(t *testing.T) {
	for text, want := range map[string]string{
		"We measure free cash flow (FCF) each year.":                                         "FCF, free cash flow",
		"FCF (free cash flow) is what is left.":                                              "FCF, free cash flow",
		"Property, plant and equipment (PP&E) fell.":                                         `PP&E, "Property, plant and equipment"`,
		"earnings before interest, taxes, depreciation and amortization (“EBITDA”)":          `EBITDA, "earnings before interest, taxes, depreciation and amortization"`,
		"the Food and Drug Administration (hereinafter the \"FDA\") agreed":                  "FDA, Food and Drug Administration",
		"Unsere Allgemeinen Geschäftsbedingungen (im Folgenden „AGB“) gelten.":               "AGB, Allgemeinen Geschäftsbedingungen",
		"Die Umsatzsteuer (USt) beträgt 19 %.":                                               "USt, Umsatzsteuer",
		"two special purpose\nvehicles (SPVs) were sold":                                     "SPV, special purpose vehicles",
		"Software as a Service (SaaS), research and development (R&D)":                       "SaaS, Software as a Service|R&D, research and development",
		"the Department of Defense (DoD) and the European Union's Council of Ministers (CM)": "DoD, Department of Defense|CM, Council of Ministers",
		"Rate of return (ROR). Later: rate of renewal (ROR).":                                "ROR, Rate of return",

		"Pour l'Organisation mondiale de la santé (OMS) et l'École nationale d'administration (ENA)": "OMS, Organisation mondiale de la santé|ENA, École nationale d'administration",
		"Das Bürgerliche Gesetzbuch (BGB)": "BGB, Bürgerliche Gesetzbuch",

		"It was sold. Free cash flow rose (see FCF).":             "", // "see" is no part of it
		"GetID(getItemData) and MAX(max a x)":                     "",
		"FCF (free; cash flow)":                                   "",
		"Free Cash Flow Office Under Review Yearly (FCFOURYEARS)": "", // too long for an abbreviation
		"a free cash flow (Fcflow)":                               "", // one capital
		"Net sales of the segment (NYSE) were flat.":              "",
		"the third item of the list (II) and part (A)":            "",
		"Hungary and Portugal (HU, PT); constant (CS)":            "",
		"New paragraph. Cash\n\nflow statement (CFS) ends":        "", // "Cash" ends another paragraph
		"(FCF) free cash flow (":                                  "",
		"no (closing bracket":                                     "",
		"a (very (FCF) long":                                      "",
		"":                                                        "",
	} {
		if got := strings.Join(abbreviationsOf(text), "|"); got != want {
			t.Errorf("%q defines %q, want %q", text, got, want)
		}
	}
}

// A text can define as many abbreviations as it likes, and hold as many parentheses.
func TestAbbreviationsAreBounded(t *testing.T) {
	var b strings.Builder
	for i := range 2 * assistants.MaxProfileAbbreviations {
		fmt.Fprintf(&b, "%c%c words xylem yard (%c%cWXY). ", 'a'+i/26, 'a'+i%26, 'A'+i/26, 'A'+i%26)
	}
	got := abbreviationsOf(b.String())
	if len(got) != assistants.MaxProfileAbbreviations || slices.Contains(got, "") {
		t.Errorf("%d abbreviations: %q", len(got), got)
	}
	const last = " free cash flow (FCF)"
	if got := abbreviationsOf(strings.Repeat("a (NO) ", mostDefinitions-1) + last); !slices.Equal(got, []string{"FCF, free cash flow"}) {
		t.Errorf("the last one that is looked at: %q", got)
	}
	if got := abbreviationsOf(strings.Repeat("a (NO) ", mostDefinitions) + last); got != nil {
		t.Errorf("one more: %q", got)
	}
	long := "f" + strings.Repeat("r", longestMeaning) + " cash flow (FCF)"
	if got := abbreviationsOf(long); got != nil {
		t.Errorf("of a long word: %q", got)
	}
}

func FuzzAbbreviationsAreSynonyms(f *testing.F) {
	f.Add("Property, plant and equipment (PP&E), \"A; B\" => (AB) #c d (CD)\xff")
	f.Fuzz(func(t *testing.T, text string) {
		lines := abbreviationsOf(text)
		if len(lines) > assistants.MaxProfileAbbreviations {
			t.Fatalf("%d lines", len(lines))
		}
		if err := (assistants.ProfileEdits{Abbreviations: &lines}).Check(); err != nil {
			t.Fatalf("%q: %v", lines, err)
		}
		for _, line := range lines {
			if s, err := assistants.ParseSynonym(line); err != nil || len(s.From) != 2 {
				t.Fatalf("%q: %v", line, err)
			}
		}
	})
}
