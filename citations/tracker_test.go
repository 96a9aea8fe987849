package citations

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
)

// sourcesOf makes sources with the given scores.
func sourcesOf(scores ...float64) []Source {
	list := make([]Source, len(scores))
	for i, s := range scores {
		list[i] = Source{DocumentID: fmt.Sprint("doc_", i+1), DocumentName: fmt.Sprintf("D%d.pdf", i+1), Score: s, Text: "text"}
	}
	return list
}

func resolve(text string, scores ...float64) *Citations {
	tr := NewSet(sourcesOf(scores...), Options{}).Tracker()
	tr.Write(0, text)
	return tr.Result()
}

func TestReferencedAndInvalidIndices(t *testing.T) {
	for name, c := range map[string]struct {
		text           string
		sources        int
		cited, invalid []int
	}{
		"two sources":                     {"It uses OAuth 2.0 [1] with MFA [2].", 2, []int{1, 2}, nil},
		"orphan":                          {"OAuth [1] and biometric [3]", 2, []int{1}, []int{3}},
		"no marker":                       {"OAuth 2.0 with MFA.", 2, nil, nil},
		"the same source":                 {"A [1] and B [1] and C [1]", 2, []int{1}, nil},
		"ascending":                       {"MFA [2] complements OAuth [1]", 2, []int{1, 2}, nil},
		"empty":                           {"", 2, nil, nil},
		"word":                            {"[foo]", 2, nil, nil},
		"far":                             {"[99]", 2, nil, []int{99}},
		"no sources":                      {"[1]", 0, nil, []int{1}},
		"never closed":                    {"OAuth [1 with MFA.", 2, nil, nil},
		"numbers that no source can have": {"[0] [01] [99999999999999999999]", 2, nil, nil},
		"inside a sentence":               {"OAuth 2.0 [1] with MFA [2] is required.", 2, []int{1, 2}, nil},
		"lines":                           {"[1] says X.\n[2] says Y.", 2, []int{1, 2}, nil},
		"code":                            {"`arr[0]` `arr[1]`\n```\n[2]\n```", 2, nil, nil},
		"link":                            {"[a](x)[1]", 2, []int{1}, nil},
		"footnote":                        {"[^1]", 2, []int{1}, nil},
		"defined":                         {"[^1]: a note\n\n[^1]", 2, nil, nil},
		"year":                            {"[2024]", 2, nil, nil},
		"lists and range":                 {"[1, 2] [1][3] \\[1\\] 【1】 [1-3]", 3, []int{1, 2, 3}, nil},
		"range beyond":                    {"[1-4]", 3, []int{1, 2, 3}, []int{4}},
	} {
		scores := make([]float64, c.sources)
		got := resolve(c.text, scores...)
		if !slices.Equal(got.ReferencedIndices, c.cited) || !slices.Equal(got.InvalidIndices, c.invalid) {
			t.Errorf("%s: cited %v, invalid %v", name, got.ReferencedIndices, got.InvalidIndices)
		}
		if got.ReferencedIndices == nil || got.InvalidIndices == nil || got.Markers == nil || got.Sources == nil || got.Warnings == nil {
			t.Errorf("%s: a list is null", name)
		}
	}
}

func TestConfidence(t *testing.T) {
	for _, c := range []struct {
		scores  []float64
		want    float64
		percent int
		level   string
	}{
		{[]float64{.9, .85}, .793, 79, LevelMedium}, // .7925
		{[]float64{.9}, .72, 72, LevelMedium},
		{nil, 0, 0, LevelLow},
		{[]float64{.87}, .699, 70, LevelMedium},
		{[]float64{.9, .9, .9}, .93, 93, LevelHigh},
		{[]float64{1, 1, 1}, 1, 100, LevelHigh},
		{[]float64{5.0 / 7, 5.0 / 7, 5.0 / 7}, .8, 80, LevelHigh}, // exactly 0.8
		{[]float64{.2}, .23, 23, LevelLow},
	} {
		got := ConfidenceOf(c.scores)
		if got.Confidence != c.want || got.ConfidencePercent != c.percent || got.ConfidenceLevel != c.level {
			t.Errorf("%v: %+v, want %v %d %s", c.scores, got, c.want, c.percent, c.level)
		}
	}
	if got := ConfidenceOf([]float64{.9, .8}).ConfidenceFactors; got != (Factors{.85, .6, .85, "relevance_proxy"}) {
		t.Errorf("%+v", got)
	}
}

func TestStatus(t *testing.T) {
	for text, want := range map[string]string{"[1]": StatusCited, "[2]": StatusNone, "none": StatusNone} {
		if got := resolve(text, .5).Status; got != want {
			t.Errorf("%q: %s", text, got)
		}
	}
	if got := resolve("[1]").Status; got != StatusNoSources {
		t.Error(got)
	}
	if got := Skipped(NewSet(sourcesOf(.5), Options{})); got.Status != StatusSkipped || len(got.Sources) != 1 {
		t.Errorf("%+v", got)
	}
	if got := Unavailable(nil); got.Status != StatusUnavailable || got.Sources == nil || got.OffsetUnit != UnitCodepoint {
		t.Errorf("%+v", got)
	}
}

func TestTheObjectAsJSON(t *testing.T) {
	page := 12
	set := NewSet([]Source{{DocumentID: "doc_1", DocumentName: "Q3 <Report>.pdf", ContentType: "application/pdf", Score: .87,
		ChunkID: "chunk_1", ChunkIndex: 4, PageNumber: &page, PageEnd: &page, SectionHeader: "Results", CharStart: 3450, CharEnd: 3462,
		Text: "Revenue grew"}}, Options{})
	set.Warn("A warning.")
	tr := set.Tracker()
	tr.Write(0, "Revenue grew 15% year-over-year [1] and [7].")
	raw := tr.Result().AppendJSON(nil)
	const want = `{"status":"cited","sources":[{"index":1,"document_id":"doc_1","document_name":"Q3 <Report>.pdf","content_type":"application/pdf",` +
		`"score":0.87,"excerpt":"Revenue grew","chunk_id":"chunk_1","chunk_index":4,"page_number":12,"page_end":12,"section_header":"Results",` +
		`"char_start":3450,"char_end":3462,"citation":"(Source: Q3 <Report>.pdf, page 12, chunk 4)"}],"referenced_indices":[1],` +
		`"markers":[{"choice":0,"start":32,"end":35,"indices":[1],"claim_start":0,"claim_end":44},` +
		`{"choice":0,"start":40,"end":43,"indices":[],"invalid":[7],"claim_start":0,"claim_end":44}],"invalid_indices":[7],"coverage":1,` +
		`"confidence":0.699,"confidence_percent":70,"confidence_level":"medium",` +
		`"confidence_factors":{"relevance":0.87,"sources":0.3,"similarity":0.87,"method":"relevance_proxy"},` +
		`"offset_unit":"codepoint","warnings":["A warning."]}`
	if string(raw) != want {
		t.Errorf("got\n%s\nwant\n%s", raw, want)
	}
}

func TestOffsetsInEveryUnitPointAtTheBrackets(t *testing.T) {
	const text = "Grüße 👩‍👩‍👧 収益 [1], dann 【2】. Ende\n\n[3]"
	points, units := []rune(text), utf16.Encode([]rune(text))
	for unit, cut := range map[OffsetUnit]func(a, b int) string{
		UnitCodepoint: func(a, b int) string { return string(points[a:b]) },
		UnitUTF16:     func(a, b int) string { return string(utf16.Decode(units[a:b])) },
		UnitByte:      func(a, b int) string { return text[a:b] },
	} {
		markers := scanned(unit, text)
		if len(markers) != 3 {
			t.Fatalf("%s: %v", unit, markers)
		}
		for i, want := range []string{"[1]", "【2】", "[3]"} {
			if got := cut(markers[i].Start, markers[i].End); got != want {
				t.Errorf("%s: %q, want %q", unit, got, want)
			}
		}
		if got := cut(markers[0].ClaimStart, markers[0].ClaimEnd); got != "Grüße 👩‍👩‍👧 収益 [1], dann 【2】." {
			t.Errorf("%s: claim %q", unit, got)
		}
	}
}

func TestChoicesAreScannedApart(t *testing.T) {
	tr := NewSet(sourcesOf(.9, .8), Options{}).Tracker()
	for _, w := range []struct {
		choice int
		text   string
	}{{1, "B [2"}, {0, "A ["}, {1, "]."}, {0, "1]."}} {
		tr.Write(w.choice, w.text)
	}
	got := tr.Result()
	if !slices.Equal(got.ReferencedIndices, []int{1, 2}) || len(got.Markers) != 2 || got.Markers[0].Choice != 0 || got.Markers[1].Choice != 1 {
		t.Errorf("%+v", got)
	}
	if tr.Result() != got {
		t.Error("a second call gives another result")
	}
}

func TestMarkersAreListedUpToALimitAndCountedBeyond(t *testing.T) {
	got := resolve(strings.Repeat("[1]", MaxMarkers)+"[2][9]", .5, .5)
	if len(got.Markers) != MaxMarkers || !got.Truncated || !slices.Equal(got.ReferencedIndices, []int{1, 2}) || !slices.Equal(got.InvalidIndices, []int{9}) {
		t.Errorf("%d markers, truncated %v, cited %v, invalid %v", len(got.Markers), got.Truncated, got.ReferencedIndices, got.InvalidIndices)
	}
	if got := resolve(strings.Repeat("[1]", MaxMarkers), .5); got.Truncated {
		t.Error("truncated at the limit itself")
	}
}

func TestEveryCitedSourceHasAnAnnotationWithALinkOfItsOwn(t *testing.T) {
	sources := sourcesOf(.9, .8, .7, .6, .5)
	for i, page := range []int{4, 4, 4, 5} {
		sources[i].PageNumber, sources[i].ChunkIndex, sources[i].DownloadURL = pointer(page), i, "https://h/a"
	}
	sources[1].DownloadURL, sources[3].PageNumber = "https://h/b", nil
	tr := NewSet(sources, Options{}).Tracker()
	tr.Write(0, "B [2], A [3], A [1], A [4], none [5].")
	raw := tr.Result().Annotations(0)
	const want = `[{"type":"url_citation","url_citation":{"start_index":16,"end_index":19,"title":"D1.pdf, page 4","url":"https://h/a#page=4"}},` +
		`{"type":"url_citation","url_citation":{"start_index":2,"end_index":5,"title":"D2.pdf, page 4","url":"https://h/b#page=4"}},` +
		`{"type":"url_citation","url_citation":{"start_index":9,"end_index":12,"title":"D3.pdf, page 4","url":"https://h/a#page=4&chunk=2"}},` +
		`{"type":"url_citation","url_citation":{"start_index":23,"end_index":26,"title":"D4.pdf","url":"https://h/a#chunk=3"}}]`
	if string(raw) != want {
		t.Errorf("%s", raw)
	}
	if raw := tr.Result().Annotations(1); raw != nil {
		t.Errorf("another choice: %s", raw)
	}
}

func TestStripMarkers(t *testing.T) {
	for text, want := range map[string]string{
		"":                             "",
		"nothing here":                 "nothing here",
		"Grew 15% [1].":                "Grew 15%.",
		"Grew [1][2] and [3, 4] more.": "Grew and more.",
		"[1] Grew.\n[2] Fell.":         "Grew.\nFell.",
		"[1] [2] Grew.":                "Grew.",
		"Use `a[1]` as told [7].":      "Use `a[1]` as told.",
		"[1](https://x) stays [2]":     "[1](https://x) stays",
		"```\nx[1]\n```\n[1]":          "```\nx[1]\n```\n",
		"in [2024] as [1 or 2]":        "in [2024] as [1 or 2]",
		"収益【1】。":                       "収益。",
		"a  [1]  b":                    "a   b",
		"\x00[1] ":                     "\x00 ",
	} {
		if got := StripMarkers(text); got != want {
			t.Errorf("StripMarkers(%q) = %q, want %q", text, got, want)
		}
	}
}

// steps counts the scanner's steps over a text to measure its work.
func steps(text string) int {
	s := new(scanner)
	s.begin(UnitByte, func(found) (*mark, bool) { return nil, false })
	n := 0
	for len(text) > 0 {
		piece := text[:min(64, len(text))]
		text = text[len(piece):]
		s.buf = append(s.buf, piece...)
		for s.at < len(s.buf) && s.step(false) {
			n++
		}
		s.scan(false)
		n++
	}
	return n
}

func TestWorkIsLinearInTheText(t *testing.T) {
	for _, unit := range []string{"[", "[1", "[1]", "[[1]]", "`", "``x", "\\", "\\[", "1", "[^", "【", "<a ", "<code>", "$", "(", "](", "> ", "- ", ". ", "31. m", "\n", " ", "é", "[1,"} {
		small, large := steps(strings.Repeat(unit, 2000)), steps(strings.Repeat(unit, 20000))
		if large > 11*small+1000 {
			t.Errorf("%q: %d steps for 2,000, %d for 20,000", unit, small, large)
		}
	}
}

func TestMemoryIsBounded(t *testing.T) {
	s := new(scanner)
	s.begin(UnitCodepoint, func(found) (*mark, bool) { return nil, false })
	for _, unit := range []string{"[1, ", "text ", "`", "[", "\\"} {
		s.write(strings.Repeat(unit, 100000))
		if len(s.buf) > 8192 {
			t.Errorf("after %q the buffer holds %d bytes", unit, len(s.buf))
		}
	}
}

// pieces cuts a text at random bytes; an empty one is one empty piece.
func pieces(text string, r *rand.Rand) []string {
	if text == "" {
		return []string{""}
	}
	var list []string
	for len(text) > 0 {
		n := 1 + r.IntN(min(len(text), 9))
		list = append(list, text[:n])
		text = text[n:]
	}
	return list
}

// alphabet has the pieces of answers that the scanner distinguishes.
var alphabet = []string{"[", "]", "1", "2", "0", ", ", "-", "–", "^", "(", ")", ":", "`", "```", "~~~", "\n", "\n\n", " ", "    ", "\\", "$", "$$", "<", ">", "<code>", "</code>", "a", "Z", "é", "👍", "【", "】", "†", "。", ".", "! ", "? ", "31. ", "März", "doc", "https://", "www.", "\"", "”", "> ", "- ", "1. ", "# ", "|", "[1]", "[^1]: ", "\t", "\r\n"}

func randomText(r *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		b.WriteString(alphabet[r.IntN(len(alphabet))])
	}
	return b.String()
}

func checkInvariants(t *testing.T, text string, cut []string) {
	t.Helper()
	set := NewSet(sourcesOf(.9, .8, .7), Options{Unit: UnitByte})
	whole, split := set.Tracker(), set.Tracker()
	whole.Write(0, text)
	for _, p := range cut {
		split.Write(0, p)
	}
	a, b := whole.Result(), split.Result()
	if !reflect.DeepEqual(a, b) {
		x, _ := json.Marshal(a.Markers)
		y, _ := json.Marshal(b.Markers)
		t.Fatalf("%q cut as %q:\n%s\n%s", text, cut, x, y)
	}
	last := 0
	for _, m := range a.Markers {
		if m.Start < last || m.End > len(text) || m.ClaimStart < 0 || m.ClaimStart > m.Start || m.ClaimEnd < m.End || m.ClaimEnd > len(text) {
			t.Fatalf("%q: marker %+v", text, m)
		}
		last = m.End
		if n, v := parseMarker([]byte(text[m.Start:m.End]), true, nil); v != yes || n.size != m.End-m.Start {
			t.Fatalf("%q: %q is no marker", text, text[m.Start:m.End])
		}
	}
	for _, n := range a.ReferencedIndices {
		if n < 1 || n > 3 {
			t.Fatalf("%q: cites %d of 3", text, n)
		}
	}
	if again := StripMarkers(text); len(again) > len(text) {
		t.Fatalf("%q grew by stripping", text)
	}
}

func TestTheCutDoesNotMatter(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		text := randomText(r, 1+r.IntN(24))
		checkInvariants(t, text, pieces(text, r))
	}
}

func FuzzTheCutDoesNotMatter(f *testing.F) {
	for _, heading := range []string{"What is a marker", "What is none", "Claims"} {
		for _, c := range formatCases(f, heading) {
			f.Add(c.text, uint64(1))
		}
	}
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		checkInvariants(t, text, pieces(text, rand.New(rand.NewPCG(seed, 0))))
	})
}

func TestAChoiceThatHasEndedHasItsAnnotationsBeforeTheOthersEnd(t *testing.T) {
	tracker := NewSet([]Source{{Index: 1, DocumentName: "a.md", DownloadURL: "http://x.test/a"}}, Options{}).Tracker()
	tracker.Write(0, "It is so [1")
	tracker.Write(1, "And so [1")
	tracker.Write(0, "]")
	if got := string(tracker.Annotations(0)); !strings.Contains(got, `"start_index":9,"end_index":12,`) {
		t.Errorf("of the choice that has ended: %s", got)
	}
	if got := tracker.Annotations(2); got != nil {
		t.Errorf("of a choice that is not there: %s", got)
	}
	tracker.Write(1, "].")
	r := tracker.Result()
	if len(r.Markers) != 2 || string(r.Annotations(0)) != string(tracker.Annotations(0)) || r.Annotations(1) == nil {
		t.Errorf("in the end: %+v", r.Markers)
	}
}
