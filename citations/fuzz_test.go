package citations

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"footnote/citations/formattest"
)

// anyOptions chooses one of all ways to make an object.
func anyOptions(r *rand.Rand) Options {
	return Options{
		Unit:      []OffsetUnit{UnitCodepoint, UnitUTF16, UnitByte}[r.IntN(3)],
		Numbering: []Numbering{NumberChunks, NumberDocuments}[r.IntN(2)],
		Renumber:  r.IntN(2) == 0,
		Markers:   []MarkerStyle{MarkersKeep, MarkersKeep, MarkersStrip, MarkersDoc}[r.IntN(4)],
		Orphans:   []OrphanPolicy{OrphansDrop, OrphansDrop, OrphansDisclaim, OrphansFail}[r.IntN(4)],
		NoMarkers: []NoMarkerPolicy{NoMarkerEmpty, NoMarkerAllSources, NoMarkerFail}[r.IntN(3)],
		Support:   true,
	}
}

// slice cuts a text in a unit of offsets.
func slice(t *testing.T, text string, unit OffsetUnit, start, end int) string {
	t.Helper()
	length, cut := len(text), func() string { return text[start:end] }
	switch unit {
	case UnitCodepoint:
		points := []rune(text)
		length, cut = len(points), func() string { return string(points[start:end]) }
	case UnitUTF16:
		units := utf16.Encode([]rune(text))
		length, cut = len(units), func() string { return string(utf16.Decode(units[start:end])) }
	}
	if start < 0 || end < start || end > length {
		t.Fatalf("%d–%d is not inside of %q, which has %d %s", start, end, text, length, unit)
	}
	return cut()
}

// checkObject makes the object of two choices, one of them in pieces, and checks what
// must hold for every answer and every source.
func checkObject(t *testing.T, text, passage string, seed uint64) {
	t.Helper()
	text, passage = strings.ToValidUTF8(text, "�"), strings.ToValidUTF8(passage, "�")
	r := rand.New(rand.NewPCG(seed, 1))
	sources := []Source{
		{DocumentID: "a", DocumentName: "A", Score: .9, Text: passage, CharStart: 100},
		{DocumentID: "b", DocumentName: "B", Score: .8, Text: text, CharStart: 7},
		{DocumentID: "a", DocumentName: "A", Score: .7, Text: "Revenue grew 15% to $4.2B. " + passage, CharStart: 5000},
	}
	opt := anyOptions(r)
	set := NewSet(sources, opt)
	tr := set.Tracker()
	out := []string{tr.Write(0, text) + tr.Close(0), ""}
	for _, piece := range pieces(text, r) {
		out[1] += tr.Write(1, piece)
	}
	out[1] += tr.Close(1)
	c := tr.Result()
	if tr.Fault() != nil {
		t.Fatalf("%+v: %q: %v", opt, text, tr.Fault())
	}
	if raw := c.AppendJSON(nil); !json.Valid(raw) {
		t.Fatalf("%+v: %q: no JSON: %s", opt, text, raw)
	}
	for _, n := range c.ReferencedIndices {
		if n < 1 || n > len(c.Sources) {
			t.Fatalf("%+v: %q: %d of %d sources", opt, text, n, len(c.Sources))
		}
	}
	for _, n := range c.InvalidIndices {
		if n <= len(c.Sources) || n > maxNumber {
			t.Fatalf("%+v: %q: %d is invalid beside %d sources", opt, text, n, len(c.Sources))
		}
	}
	if !ascend(c.ReferencedIndices) || !ascend(c.InvalidIndices) || c.Confidence.Confidence < 0 || c.Confidence.Confidence > 1 {
		t.Fatalf("%+v: %q: %+v", opt, text, c)
	}
	for _, m := range c.Markers {
		checkMark(t, set, c, m, out[m.Choice])
	}
}

func ascend(list []int) bool {
	return slices.IsSorted(list) && len(slices.Compact(slices.Clone(list))) == len(list)
}

// checkMark compares a marker with the text that the client received, and its quote
// with the document.
func checkMark(t *testing.T, set *Set, c *Citations, m Marker, text string) {
	t.Helper()
	written := slice(t, text, c.OffsetUnit, m.Start, m.End)
	claim := slice(t, text, c.OffsetUnit, m.ClaimStart, m.ClaimEnd)
	if !strings.Contains(claim, written) {
		t.Fatalf("%+v: %q is not in its claim %q", set.opt, written, claim)
	}
	numbers := slices.Concat(m.Indices, m.Invalid)
	slices.Sort(numbers)
	if got := numbersIn(t, written); set.opt.Markers != MarkersStrip && !slices.Equal(got, numbers) {
		t.Fatalf("%+v: %q says %v, and the object %v", set.opt, written, got, numbers)
	}
	for _, n := range m.Indices {
		if !slices.Contains(c.ReferencedIndices, n) {
			t.Fatalf("%+v: %d is cited and not referenced", set.opt, n)
		}
	}
	if m.Quote == nil {
		return
	}
	if !slices.Contains(m.Indices, m.Quote.Index) {
		t.Fatalf("%+v: %v quotes source %d", set.opt, m.Indices, m.Quote.Index)
	}
	document := c.Sources[m.Quote.Index-1].DocumentID
	for _, p := range set.Passages() {
		points := []rune(p.Text)
		if p.DocumentID == document && m.Quote.CharStart >= p.CharStart && m.Quote.CharEnd <= p.CharStart+len(points) &&
			string(points[m.Quote.CharStart-p.CharStart:m.Quote.CharEnd-p.CharStart]) == m.Quote.Text {
			return
		}
	}
	t.Fatalf("%+v: %q does not stand at %d–%d of %s", set.opt, m.Quote.Text, m.Quote.CharStart, m.Quote.CharEnd, document)
}

// numbersIn returns the numbers of adjacent markers, sorted and distinct.
func numbersIn(t *testing.T, written string) []int {
	t.Helper()
	numbers := []int{}
	for written != "" {
		m, v := parseMarker([]byte(written), true, nil)
		if v != yes {
			t.Fatalf("%q is no marker", written)
		}
		numbers, written = append(numbers, m.numbers...), written[m.size:]
	}
	slices.Sort(numbers)
	return slices.Compact(numbers)
}

func TestTheObjectIsTrueInEveryMode(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 3000 {
		checkObject(t, randomText(r, 1+r.IntN(24)), randomText(r, r.IntN(12)), r.Uint64())
	}
}

func FuzzTheObjectIsTrueInEveryMode(f *testing.F) {
	for i, c := range formattest.Cases(f, "FORMAT.md", append(formattest.Markers, "Claims")...) {
		f.Add(c.Text, "Revenue grew by 15% in 2023.", uint64(i))
	}
	f.Fuzz(checkObject)
}

// checkWork asserts that the scanner's steps grow no faster than the text, and that it
// holds back less than the longest marker.
func checkWork(t *testing.T, unit string) {
	t.Helper()
	small, large := steps(strings.Repeat(unit, 200)), steps(strings.Repeat(unit, 2000))
	if large > 11*small+1000 || large > 3*2000*len(unit)+1000 {
		t.Fatalf("%q: %d steps for 200, %d for 2,000", unit, small, large)
	}
	s := new(scanner)
	s.begin(UnitCodepoint, func(found) (*mark, bool) { return nil, false })
	for range 100 {
		s.write(unit)
		if waiting := len(s.rest()); waiting > maxMarkerBytes {
			t.Fatalf("%q: %d bytes wait", unit, waiting)
		}
	}
}

func FuzzWorkIsLinearInTheText(f *testing.F) {
	for _, c := range formattest.Cases(f, "FORMAT.md", formattest.Markers...) {
		f.Add(c.Text)
	}
	for _, unit := range []string{"[", "[[1", "1", "[1]", "【", "\\[", "- ", "> ", "---", "<a b=", "</code", "<!-- ", "[a](<", "[^1]: "} {
		f.Add(unit)
	}
	f.Fuzz(func(t *testing.T, unit string) {
		if unit != "" {
			checkWork(t, unit[:min(len(unit), 64)])
		}
	})
}

// Unusual texts that may come from an attacker.
func TestHugeAnswersAreScannedInBoundedMemory(t *testing.T) {
	const megabyte, some = 1 << 20, 64 << 10
	for name, text := range map[string]string{
		"brackets": strings.Repeat("[", some),
		"digits":   strings.Repeat("1", megabyte),
		"a marker": "[" + strings.Repeat("1", megabyte),
		"spaces":   "[1" + strings.Repeat(" ", some) + "]",
		"a list":   "[" + strings.Repeat("1,", some/2) + "1]",
		"quotes":   strings.Repeat(">", some),
		"items":    strings.Repeat("- ", some/2),
		"a tag":    "<a " + strings.Repeat("b=c ", some/4),
		"a fence":  strings.Repeat("`", some),
		"title":    "【1†" + strings.Repeat("x", some) + "】",
	} {
		if n := steps(text); n > 2*len(text)+1000 {
			t.Errorf("%s: %d steps for %d bytes", name, n, len(text))
		}
		for _, mode := range []Options{{}, {Renumber: true, Markers: MarkersStrip}} {
			tr := NewSet(sourcesOf(.9), mode).Tracker()
			if out := tr.Write(0, text) + tr.Close(0); out != text {
				t.Errorf("%s: %d bytes became %d", name, len(text), len(out))
			}
			if c := tr.choices[0]; len(tr.Result().Markers) > 0 || tr.Fault() != nil || cap(c.scan.buf) > 16<<10 {
				t.Errorf("%s: %d markers, %v, a buffer of %d bytes", name, len(tr.Result().Markers), tr.Fault(), cap(c.scan.buf))
			}
		}
	}
	got := resolve(strings.Repeat("So [1]. And [2] \n", 50_000), .5)
	if len(got.Markers) != MaxMarkers || !got.Truncated || !slices.Equal(got.ReferencedIndices, []int{1}) || !slices.Equal(got.InvalidIndices, []int{2}) {
		t.Errorf("of 100,000 markers %d are listed, cited %v, invalid %v", len(got.Markers), got.ReferencedIndices, got.InvalidIndices)
	}
}
