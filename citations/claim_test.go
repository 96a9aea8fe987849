package citations

import (
	"slices"
	"testing"
)

// claimsOf returns the claims of an answer's markers in the text that the client reads.
func claimsOf(t *testing.T, text string, opt Options) []string {
	t.Helper()
	tr := NewSet(sourcesOf(.9, .8, .7), opt).Tracker()
	out := tr.Write(0, text)
	out += tr.Close(0)
	var list []string
	for _, m := range tr.Result().Markers {
		list = append(list, slice(t, out, UnitCodepoint, m.ClaimStart, m.ClaimEnd))
	}
	return list
}

func TestASpaceOfAnyWidthEndsASentence(t *testing.T) {
	for _, space := range []string{" ", "\u00a0", "\u202f", "\u3000"} {
		want := []string{"It grew." + space + "[1]", "It fell. [2]"}
		if got := claimsOf(t, "It grew."+space+"[1] It fell. [2]", Options{}); !slices.Equal(got, want) {
			t.Errorf("%q: %q", want, got)
		}
	}
}

func TestMarkersOfOneSentenceHaveOneClaimWhateverIsTakenOut(t *testing.T) {
	for text, want := range map[string][]string{
		"It grew [2]\r\n[1] \r\n\r\nMore.": {"It grew\r\n", "It grew\r\n"},
		"[1] \n[2] \nIt grew.":             {"It grew.", "It grew."},
		"It grew. [1] \nIt fell [2] \n":    {"It grew.", "It fell"},
	} {
		if got := claimsOf(t, text, Options{Markers: MarkersStrip}); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// A full stop behind a marker ends its sentence, even before a lower-case letter.
func TestASentenceEndsBehindAMarker(t *testing.T) {
	want := []string{"The two are abbreviated [1].", "selects the first ten [1].", "gives the rest [1]."}
	if got := claimsOf(t, "The two are abbreviated [1]. selects the first ten [1]. gives the rest [1].", Options{}); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
