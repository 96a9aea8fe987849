package citations

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// rewritten passes a text through a tracker in pieces and returns the client's text
// and the object.
func rewritten(opt Options, pieces ...string) (string, *Citations) {
	tr := NewSet(sourcesOf(.9, .8, .7), opt).Tracker()
	var out strings.Builder
	for _, p := range pieces {
		out.WriteString(tr.Write(0, p))
	}
	out.WriteString(tr.Close(0))
	return out.String(), tr.Result()
}

func TestRenumberingFollowsTheFirstAppearance(t *testing.T) {
	for text, want := range map[string]string{
		"B [2]. A [1]. B [2].":         "B [1]. A [2]. B [1].",
		"C [3], then [1, 3].":          "C [1], then [2, 1].",
		"[2] and [1-3]":                "[1] and [2, 1, 3]",
		"[1-3]":                        "[1-3]",
		"[2-3]":                        "[1, 2]",
		"[Source 3] [ID:2] [doc1]":     "[Source 1] [ID:2] [doc3]",
		"【3†source】 ［2］ \\[1\\] [[3]]": "【1†source】 ［2］ \\[3\\] [[1]]",
		"[^2][^1]":                     "[^1][^2]",
		"[7] [3] [3, 8]":               "[7] [1] [1, 8]",
		"[٣] [١]":                      "[1] [2]",
		"`x[2]` [2](http://x) [3]":     "`x[2]` [2](http://x) [1]",
		"none":                         "none",
		"open [2":                      "open [2",
	} {
		if got, _ := rewritten(Options{Renumber: true}, text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
	_, c := rewritten(Options{Renumber: true}, "C [3]. A [1].")
	var names []string
	for i, s := range c.Sources {
		names = append(names, s.DocumentName)
		if s.Index != i+1 {
			t.Errorf("source %d has the number %d", i+1, s.Index)
		}
	}
	if !slices.Equal(names, []string{"D3.pdf", "D1.pdf", "D2.pdf"}) || !slices.Equal(c.ReferencedIndices, []int{1, 2}) {
		t.Errorf("sources %v, cited %v", names, c.ReferencedIndices)
	}
}

// A number that the answer defines as a link or footnote would lead there, not to a source.
func TestRenumberingAvoidsNumbersThatTheAnswerDefines(t *testing.T) {
	for text, want := range map[string]string{
		"[1]: https://x.test/a\n\nC [3], A [2].":            "[1]: https://x.test/a\n\nC [2], A [3].",
		"[1]: https://x.test/a\n\nC [3], as [said][1] [1].": "[1]: https://x.test/a\n\nC [2], as [said][1] [1].",
		"[^1]: a note\n\nC [3], so it is[^1].":              "[^1]: a note\n\nC [2], so it is[^1].",
		"[^1]: a note\n\nC [^3], A [^2].":                   "[^1]: a note\n\nC [^2], A [^3].",
		"B [2].\n\n[1]: ./b.pdf\n\nC [3], B [2].":           "B [1].\n\n[1]: ./b.pdf\n\nC [2], B [Source 1].",
		"B [2].\n\n[1]: ./b.pdf\n\nB [[2]], B [2-2].":       "B [1].\n\n[1]: ./b.pdf\n\nB [Source 1], B [Source 1].",
		"B [2].\n\n[1]: ./b.pdf\n\nB [2, 3].":               "B [1].\n\n[1]: ./b.pdf\n\nB [1, 2].",
		"B [2] [3].\n\n[3]: ./b.pdf\n\nA [1].":              "B [1] [2].\n\n[3]: ./b.pdf\n\nA [Source 3].",
		"[1]: The report says so [3].":                      "[1]: The report says so [2].",
	} {
		got, c := rewritten(Options{Renumber: true}, text)
		if got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
		for i, s := range c.Sources {
			if s.Index != i+1 {
				t.Errorf("%q: source %d has the number %d", text, i+1, s.Index)
			}
		}
	}
	_, c := rewritten(Options{Renumber: true}, "[1]: ./a.pdf\n\nC [3].")
	if names := []string{c.Sources[0].DocumentName, c.Sources[1].DocumentName, c.Sources[2].DocumentName}; !slices.Equal(names, []string{"D1.pdf", "D3.pdf", "D2.pdf"}) ||
		!slices.Equal(c.ReferencedIndices, []int{2}) || c.Markers[0].Indices[0] != 2 {
		t.Errorf("sources %v, cited %v", names, c.ReferencedIndices)
	}
}

func TestAzuresMarkersAreOnePerSource(t *testing.T) {
	for text, want := range map[string]string{
		"A [1, 2].":   "A [doc1][doc2].",
		"A [1-3]":     "A [doc1][doc2][doc3]",
		"A **[[2]]**": "A **[doc2]**",
		"A [doc2]":    "A [doc2]",
		"A [1, 7]":    "A [doc1][7]",
		"A [2, 2]":    "A [doc2]",
	} {
		if got, _ := rewritten(Options{Markers: MarkersDoc}, text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

func TestStrippedMarkersLeaveTheirPlace(t *testing.T) {
	text, c := rewritten(Options{Markers: MarkersStrip, Unit: UnitByte}, "Grew 15% [1]. Fell [2][3] too.\n[1] So it is [9].")
	if want := "Grew 15%. Fell too.\nSo it is."; text != want {
		t.Fatalf("%q, want %q", text, want)
	}
	for i, want := range []struct {
		at    int
		claim string
	}{{8, "Grew 15%."}, {14, "Fell too."}, {14, "Fell too."}, {20, "So it is."}, {28, "So it is."}} {
		m := c.Markers[i]
		if m.Start != want.at || m.End != want.at || text[m.ClaimStart:m.ClaimEnd] != want.claim {
			t.Errorf("marker %d: %+v, claim %q", i, m, text[m.ClaimStart:m.ClaimEnd])
		}
	}
	if !slices.Equal(c.ReferencedIndices, []int{1, 2, 3}) || !slices.Equal(c.InvalidIndices, []int{9}) {
		t.Errorf("cited %v, invalid %v", c.ReferencedIndices, c.InvalidIndices)
	}
}

// modes are all combinations of rewriting.
var modes = []Options{
	{Unit: UnitByte}, {Unit: UnitByte, Renumber: true}, {Unit: UnitByte, Markers: MarkersStrip},
	{Unit: UnitByte, Markers: MarkersDoc}, {Unit: UnitByte, Markers: MarkersDoc, Renumber: true},
	{Unit: UnitByte, Markers: MarkersStrip, Renumber: true, Numbering: NumberDocuments},
}

func TestInEveryModeTheCutDoesNotMatterAndSpansAreOfTheClientsText(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 8000 {
		checkModes(t, randomText(r, 1+r.IntN(24)), r)
	}
}

func checkModes(t *testing.T, text string, r *rand.Rand) {
	t.Helper()
	cut := pieces(text, r)
	_, plain := rewritten(Options{Unit: UnitByte}, text)
	for _, mode := range modes {
		whole, a := rewritten(mode, text)
		split, b := rewritten(mode, cut...)
		if whole != split || !reflect.DeepEqual(a, b) {
			t.Fatalf("%+v: %q cut as %q: %q and %q", mode, text, cut, whole, split)
		}
		if !mode.Renumber && mode.Markers == MarkersKeep && whole != text {
			t.Fatalf("%q became %q", text, whole)
		}
		if stripped := withoutMarkers(text, false); mode.Markers == MarkersStrip && whole != stripped {
			t.Fatalf("%q was stripped to %q, and at once to %q", text, whole, stripped)
		}
		if len(a.Markers) != len(plain.Markers) || *a.Coverage != *plain.Coverage {
			t.Fatalf("%+v: %q has %d markers, coverage %v, and as it is %d, %v", mode, text, len(a.Markers), *a.Coverage, len(plain.Markers), *plain.Coverage)
		}
		last := 0
		for i, m := range a.Markers {
			was := plain.Markers[i]
			if m.Start < last || m.End > len(whole) || m.ClaimStart < 0 || m.ClaimStart > m.Start || m.ClaimEnd < m.End || m.ClaimEnd > len(whole) {
				t.Fatalf("%+v: %q became %q: marker %+v", mode, text, whole, m)
			}
			last = m.End
			if len(m.Indices) != len(was.Indices) || !slices.Equal(m.Invalid, was.Invalid) {
				t.Fatalf("%+v: %q: marker %+v was %+v", mode, text, m, was)
			}
			if mode.Markers == MarkersStrip && m.Start != m.End {
				t.Fatalf("%+v: %q: a marker is left: %+v", mode, text, m)
			}
			for _, n := range m.Indices {
				if whole := whole[m.Start:m.End]; mode.Markers == MarkersDoc && !strings.Contains(whole, fmt.Sprintf("[doc%d]", n)) {
					t.Fatalf("%+v: %q has no [doc%d]", mode, whole, n)
				}
			}
			for k, n := range m.Indices {
				if d := a.Sources[n-1].DocumentName; d != plain.Sources[was.Indices[k]-1].DocumentName {
					t.Fatalf("%+v: %q: %d is %s now", mode, text, n, d)
				}
			}
		}
	}
}

func FuzzInEveryModeTheCutDoesNotMatter(f *testing.F) {
	for _, heading := range []string{"What is a marker", "What is none", "Claims"} {
		for _, c := range formatCases(f, heading) {
			f.Add(c.text, uint64(1))
		}
	}
	for text := range emptied {
		f.Add(text, uint64(1))
	}
	f.Add("\x00[1] ", uint64(1)) // a zero byte is text, not a missing byte
	f.Add("", uint64(1))
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		checkModes(t, text, rand.New(rand.NewPCG(seed, 0)))
	})
}

func TestOnlyWhatMayBecomeAMarkerIsHeldBack(t *testing.T) {
	tr := NewSet(sourcesOf(.9, .8), Options{Renumber: true}).Tracker()
	for _, step := range []struct{ in, out string }{
		{"Revenue grew ", "Revenue grew "}, {"15% [", "15% "}, {"2", ""}, {"]", ""}, {". More", "[1]. More"}, {" [x", " [x"}, {" [1", " "},
	} {
		if got := tr.Write(0, step.in); got != step.out {
			t.Errorf("after %q: %q, want %q", step.in, got, step.out)
		}
	}
	if got := tr.Close(0); got != "[1" {
		t.Errorf("at the end %q", got)
	}
	if got := tr.Close(0); got != "" {
		t.Errorf("closed again: %q", got)
	}
	tr = NewSet(sourcesOf(.9), Options{Markers: MarkersStrip}).Tracker()
	if got := tr.Write(0, "Grew "); got != "Grew" {
		t.Errorf("the space a marker could take went out: %q", got)
	}
	if got := tr.Write(0, "fast"); got != " fast" {
		t.Errorf("%q", got)
	}
}

func TestMarkersAreToldOfWhenTheyAreComplete(t *testing.T) {
	tr := NewSet(sourcesOf(.9, .8), Options{}).Tracker()
	tr.Write(0, "A [1")
	if got := tr.Completed(0); got != nil {
		t.Errorf("%+v", got)
	}
	tr.Write(0, "] b [2][7].")
	got := tr.Completed(0)
	if len(got) != 3 || got[0].Start != 2 || got[0].End != 5 || !slices.Equal(got[2].Invalid, []int{7}) {
		t.Errorf("%+v", got)
	}
	if got := tr.Completed(0); got != nil {
		t.Errorf("told twice: %+v", got)
	}
	if got := tr.Completed(1); got != nil {
		t.Errorf("of another choice: %+v", got)
	}
}
