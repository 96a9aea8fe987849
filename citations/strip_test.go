package citations

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestAnswersLoseEveryFormOfMarkerAndKeepTheirCode(t *testing.T) {
	for text, want := range map[string]string{
		"It grew [1].": "It grew.",
		"It grew [1][2], then fell [1, 2] [3–5].":   "It grew, then fell.",
		"It grew [doc1][doc2] [Doc 3] [Source 4].":  "It grew.",
		"It grew 【1†x】 ［2］ [٣] \\[4\\] [[5]] [^6].": "It grew.",
		"[1] It grew.":                         "It grew.",
		"It grew [999].":                       "It grew.",
		"`a[1]` and\n```\nb[2]\n```\nand [3].": "`a[1]` and\n```\nb[2]\n```\nand.",
		"See [1](https://x) in [2024].":        "See [1](https://x) in [2024].",
		"":                                     "",
	} {
		if got := StripAnswer(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

// emptied are texts with what their markers leave empty, and what remains.
var emptied = map[string]string{
	"It grew ([1], [2]).":                  "It grew.",
	"42 [1]":                               "42",
	"In all:\n42[1]\n":                     "In all:\n42\n",
	"> 42 [1]":                             "> 42",
	"2023. [1]":                            "2023.",
	"In welchem Jahr?\n1999. [1]":          "In welchem Jahr?\n1999.",
	"Answer:\n1999. [1]\nNext":             "Answer:\n1999.\nNext",
	"1) [1]\n2) It grew":                   "1)\n2) It grew",
	"**[1] Title**":                        "**Title**",
	"So *[1] [2] Title* and \"[3] it\"":    "So *Title* and \"it\"",
	"**[1]:** text":                        "text",
	"- **[1]:** text":                      "- text",
	"([1] Report)":                         "(Report)",
	"A **word** [1] so, f(x) [2] so":       "A **word** so, f(x) so",
	"Services grew by 8 %, [1]\nwhile":     "Services grew by 8 %,\nwhile",
	"Dear customer, [1]\nwe":               "Dear customer,\nwe",
	"It grew, see [1]\nIt fell":            "It grew\nIt fell",
	"Revenue grew [1] and [2] costs fell.": "Revenue grew and costs fell.",
	"Revenue grew [1] and [2], [3] and [1] costs fell.":         "Revenue grew and costs fell.",
	"Wachstum [1], und [2] Kosten":                              "Wachstum, und Kosten",
	"It grew *[1] and [2]*, ([1] and [2]), so \"[1] and [2]\".": "It grew, so.",
	"It grew [1] and [2] *so*.":                                 "It grew and *so*.",
	"[1] and [2] Revenue grew.":                                 "Revenue grew.",
	"They checked power, sources [1], and cables.":              "They checked power, sources, and cables.",
	"They checked power, sources [1].":                          "They checked power, sources.",
	"It grew (sources [1]), source: [2].":                       "It grew.",
	"It grew (see [1], p. 12; [2], p. 13).":                     "It grew.",
	"It grew [1], p. 12; [2] so.":                               "It grew, p. 12; so.",
	"([1]; Table 3)":                                            "(Table 3)",
	"([1], Table 3)":                                            "(Table 3)",
	"[1]: Revenue grew.\n[2], [3]: It fell.":                    "Revenue grew.\nIt fell.",
	"[1]:\nRevenue grew.":                                       "Revenue grew.",
	"- [1]: Revenue grew.":                                      "- Revenue grew.",
	"1. [1]: Revenue grew.\n2) [2]: It fell":                    "1. Revenue grew.\n2) It fell",
	"42 [1]: so":                                                "42: so",
	"Energy source: [1].":                                       "Energy source.",
	"It grew.\n**Sources:** [1]":                                "It grew.\n",
	"Wzrost.\nŹródło: [1]":                                      "Wzrost.\n",
	"It grew.\n\n2. [1]\n3. It fell.":                           "It grew.\n\n2.\n3. It fell.",
	"It grew ([1]; [2]), so far.":                               "It grew, so far.",
	"It grew **[1]**.":                                          "It grew.",
	"It grew ***[1]***, *[2]* and _[3]_.":                       "It grew.",
	"It grew<sup>[1]</sup>.":                                    "It grew.",
	"It grew <sup>[1]</sup><sup>[2]</sup> fast.":                "It grew fast.",
	"It grew [1] and [2].":                                      "It grew.",
	"It grew [1], [2] and [3] then.":                            "It grew, then.",
	"It grew [1], then fell [2] and rose.":                      "It grew, then fell and rose.",
	"([1]) It grew.":                                            "It grew.",
	"**[1]** It grew.\n**[2]** It fell.":                        "It grew.\nIt fell.",
	"**Sales**[1]**grew**":                                      "**Sales****grew**",
	"It grew (see [1] and [2]).":                                "It grew.",
	"It grew ([1], page 3), then fell.":                         "It grew, then fell.",
	"It grew [1]–[3].":                                          "It grew.",
	"It grew [1]/[2] ([1]–[3]).":                                "It grew.",
	"It grew ( [1] ).":                                          "It grew.",
	"It grew \"[1]\" and “[2]”.":                                "It grew.",
	"The \"word\"[1]\"other\" '[2]'":                            "The \"word\"\"other\"",
	"Es wuchs (siehe [1]), (vgl. [2]).":                         "Es wuchs.",
	"C'est vrai (voir [1]) ; il a grandi [2] !":                 "C'est vrai ; il a grandi !",
	"It grew, see [1] and [2].":                                 "It grew.",
	"It grew. See also [1]. It fell (so).":                      "It grew. It fell (so).",
	"See [1]. It grew.":                                         "It grew.",
	"It grew.\n\nSources: [1], [2]":                             "It grew.\n\n",
	"They see [1] as proof, and so on":                          "They see as proof, and so on",
	"It grew – [1]\nIt fell: [2].":                              "It grew\nIt fell.",
	"It grew [1] , fell [2] .":                                  "It grew, fell.",
	"It grew [1] .5 and [2] ...":                                "It grew .5 and ...",
	"It grew  [1].":                                             "It grew.",
	"It grew\u00a0[1]. Es wuchs\u202f[2].":                      "It grew. Es wuchs.",
	"- It grew [1]\n- [2]\n  - [3]\n- It fell":                  "- It grew\n- It fell",
	"- [1]\n- [2]":                                              "",
	"1. [1]\n2. It grew":                                        "1.\n2. It grew",
	"> [1]\n> It grew\n# [2]\n":                                 "> It grew\n",
	"* [1] *so*":                                                "* *so*",
	"[1][2]\nIt grew.\n[3]\nIt fell.":                           "It grew.\nIt fell.",
	"| a [1] | [2] |\n|---|---|\n| [3] | b |":                   "| a | |\n|---|---|\n| | b |",
	"収益（[1]）。":                                                  "収益。",
	"a<b [1]</b>":                                               "a<b</b>",
}

func TestWhatMarkersLeaveEmptyGoesWithThem(t *testing.T) {
	for text, want := range emptied {
		if got := StripAnswer(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

// The stream is cut at every byte; the offsets point to where the markers stood.
func TestWhatMarkersLeaveEmptyGoesInAStream(t *testing.T) {
	sources := []Source{{DocumentID: "a", Text: "x"}, {DocumentID: "b", Text: "y"}, {DocumentID: "c", Text: "z"}}
	for text, want := range emptied {
		for at := range len(text) + 1 {
			tracker := NewSet(sources, Options{Markers: MarkersStrip, Unit: UnitByte}).Tracker()
			got := tracker.Write(0, text[:at])
			got += tracker.Write(0, text[at:])
			got += tracker.Close(0)
			if got != want {
				t.Fatalf("%q cut at %d became %q, want %q", text, at, got, want)
			}
			for _, m := range tracker.Result().Markers {
				if m.Start != m.End || m.End > len(got) || m.ClaimStart > m.Start || m.ClaimEnd < m.End || m.ClaimEnd > len(got) {
					t.Fatalf("%q: %+v in %q", text, m, got)
				}
			}
		}
	}
	tracker := NewSet(sources, Options{Markers: MarkersStrip}).Tracker()
	tracker.Write(0, "It grew ([1], **[2]**). It fell [3].")
	tracker.Close(0)
	for i, want := range [][4]int{{7, 7, 0, 8}, {7, 7, 0, 8}, {16, 16, 9, 17}} {
		if m := tracker.Result().Markers[i]; [4]int{m.Start, m.End, m.ClaimStart, m.ClaimEnd} != want {
			t.Errorf("marker %d: %+v, want %v", i, m, want)
		}
	}
}

// A marker that was announced does not move any more.
func TestAMarkerIsCompleteWhenItsPlaceIsKnown(t *testing.T) {
	sources := []Source{{DocumentID: "a", Text: "x"}}
	for text := range emptied {
		tracker := NewSet(sources, Options{Markers: MarkersStrip, Unit: UnitByte}).Tracker()
		var told []Marker
		for i := range len(text) {
			tracker.Write(0, text[i:i+1])
			told = append(told, tracker.Completed(0)...)
		}
		tracker.Close(0)
		told = append(told, tracker.Completed(0)...)
		for i, m := range tracker.Result().Markers {
			if told[i].Start != m.Start || told[i].End != m.End {
				t.Errorf("%q: told %+v, the object has %+v", text, told[i], m)
			}
		}
	}
}

// Glue around markers, in every order and cut anywhere, leaves the same bytes at once and in a
// stream, and spans inside of them.
func TestGlueGoesTheSameWayInPiecesAndAtOnce(t *testing.T) {
	pieces := []string{
		"[1]", "[2]", "[3]", "(", ")", "( ", " )", "see", "See also ", "(see ", "vgl. ", "quelle:", "Sources: ", "véase ", ", ", ",", ".", ". ", "; ", ": ", " – ", " - ", "–", "/", "-",
		" and ", ", and ", "und", "*", "**", "_", "\"", "“", "”", "'", "<sup>", "</sup>", "<b", "\n", "\n\n", "- ", "  - ", "12. ", "# ", "> ", " ", "  ", "\t", "\u00a0", "\u202f", "It grew", "é", "x", "5", "!", " ?", ", p. 3", ", pages 4-5", "; [2], p. 3", "**[1]:** ", "Źródło: ", ": x",
	}
	r := rand.New(rand.NewPCG(7, 8))
	for range 60_000 {
		var b strings.Builder
		for range 1 + r.IntN(14) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		checkModes(t, b.String(), r)
		if got := StripMarkers(b.String()); StripMarkers(got) != got || markersIn(got) != nil {
			t.Fatalf("%q\nonce  %q\ntwice %q", b.String(), got, StripMarkers(got))
		}
	}
}

func TestNoMarkerIsLeftInAStrippedAnswer(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		text := written(r)
		got := StripMarkers(text)
		if markers := markersIn(got); markers != nil {
			t.Fatalf("%q\nbecomes %q\nwith    %q", text, got, markers)
		}
	}
}

func FuzzStrippedTextHasNoMarker(f *testing.F) {
	for _, seed := range []string{"[[1] 2]", "[[[1] 2] 3]", "[1[2]]", "\\[[1]1\\]", "[^[1]2]", "[1][^2]: x [^2]", "`[1]` [2]", "a [1]\n\n**Sources**\n\n1. b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := StripMarkers(text)
		if markers := markersIn(got); markers != nil {
			t.Errorf("%q\nbecomes %q\nwith    %q", text, got, markers)
		}
		if again := StripMarkers(got); again != got {
			t.Errorf("%q\nonce  %q\ntwice %q", text, got, again)
		}
		StripAnswer(text)
	})
}

// A list is ours by its entries, or because its numbers are those of the answer's markers.
func TestListOfSourcesIsCutOff(t *testing.T) {
	const answer = "It grew.\n\n- a\n- b"
	for list, markers := range map[string]string{
		"1. [Q3 Report.pdf, page 12](https://x/d%28a%29)":                 "",
		"1. [Q3 Report](https://x/d#chunk=0)\n2. [b](https://x/e#page=3)": "",
		"1. Q3 Report.pdf, page 12":                                       "",
		"1. Q3 Report.pdf\n2. Travel policy, pages 3–4":                   "",
		"3. a\n4. b": " [3][4]",
		"2. [a](https://x)\n3. b\n5) c\n6) d\n9. e\n12) f":   " [2, 3] [5-6], [9], [doc12] [99]",
		"1. \\*b\\*\n2. a &#91;1&#93;\n3. 2\\. c\n4. &lt;d>": "",
		"998. a &#91;1&#93;\n999. \\*b\\*":                   " [998] [999]",
	} {
		for _, end := range []string{"", "\n", " \n\n"} {
			if got := StripAnswer(answer + markers + "\n\n**Sources**\n\n" + list + end); got != answer {
				t.Errorf("%q became %q", list, got)
			}
		}
	}
}

// A list that may be the answer itself stays.
func TestAListThatMayBeTheAnswerStays(t *testing.T) {
	for _, text := range []string{
		"Rivers that feed the lake:\n\n**Sources**\n\n1. Rhine\n2. Danube",
		"**Sources**\n\n1. a\n2. b",
		"**Sources**\n\n1. [Report.pdf, page 2](https://x/d#page=2)",
		"\n\n**Sources**\n\n1. Report.pdf",
		"They are:\n\n**Sources**\n\n1. [Rhine](https://wiki.test/Rhine)\n2. [Danube](https://wiki.test/Danube)",
		"They are:\n\n**Sources**\n\n1. Report.pdf\n2. Danube",
		"They are:\n\n**Sources**\n\n1. St. Gallen\n2. version 2.0",
		"They are:\n\n**Sources**\n\n1. Rhine, page",
		"They are:\n\n**Sources**\n\n1. Danube e.V.\n2. U.S.",
	} {
		if got := StripAnswer(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
	for text, want := range map[string]string{
		"Two rivers [1]:\n\n**Sources**\n\n1. Rhine\n2. Danube":  "Two rivers:\n\n**Sources**\n\n1. Rhine\n2. Danube",
		"Code `a[1]` [2]:\n\n**Sources**\n\n1. Rhine\n2. Danube": "Code `a[1]`:\n\n**Sources**\n\n1. Rhine\n2. Danube",
		"[1]\n\n**Sources**\n\n1. Report.pdf":                    "\n**Sources**\n\n1. Report.pdf",
	} {
		if got := StripAnswer(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

func TestWhatOnlyResemblesOurListOfSourcesStays(t *testing.T) {
	for _, text := range []string{
		"a\n\n**Sources**\n\n",
		"a\n\n**Sources**\n\nrivers and springs",
		"a\n\n**Sources**\n\n1. b\n\nAnd more.",
		"a\n\n**Sources**\n\n1. b\nAnd more.",
		"a\n**Sources**\n\n1. b",
		"a\n\n**Sources**\n1. b",
		"a\n\n**Sources:**\n\n1. b",
		"a\n\n## Sources\n\n1. b",
		"a\n\n**Sources**\n\n2. b\n1. c",
		"a\n\n**Sources**\n\n1. b\n1. c",
		"a\n\n**Sources**\n\n1) b",
		"a\n\n**Sources**\n\n1. b\n2) c",
		"a\n\n**Sources**\n\n1. b\n3. c",
		"a\n\n**Sources**\n\n0. b",
		"a\n\n**Sources**\n\n01. b",
		"a\n\n**Sources**\n\n1000. b",
		"a\n\n**Sources**\n\n1.b",
		"a\n\n**Sources**\n\n1. [b]",
		"a\n\n**Sources**\n\n1. [b](c d)",
		"a\n\n**Sources**\n\n1. [b](c) e",
		"a\n\n**Sources**\n\n1. b [c](d)",
		"a\n\n**Sources**\n\n- b",
	} {
		if got := StripAnswer(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestOnlyTheLastOfTwoListsIsOurs(t *testing.T) {
	const text = "a\n\n**Sources**\n\n1. mine.pdf"
	if got := StripAnswer(text + "\n\n**Sources**\n\n1. b.pdf"); got != text {
		t.Errorf("%q", got)
	}
}

func BenchmarkStripAnswer(b *testing.B) {
	text := strings.Repeat("Revenue grew 15% year-over-year [3][4], and margins were stable.\n\n", 60) + "**Sources**\n\n3. [a.pdf, page 2](https://x/d#page=2)\n4. [b.pdf](https://x/e#chunk=0)"
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		StripAnswer(text)
	}
}

// StripAnswer removes exactly the list that List writes, for any names of documents.
func TestTheListThatIsWrittenIsCutOff(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 5_000 {
		sources := make([]Source, 1+r.IntN(12))
		for i := range sources {
			sources[i] = Source{DocumentID: string(rune('a' + i)), DocumentName: written(r) + mixture(r)}
			if r.IntN(2) == 0 {
				sources[i].DownloadURL = "https://x.test/" + strings.ReplaceAll(mixture(r), "\xff", "")
			}
			if r.IntN(2) == 0 {
				sources[i].PageNumber = pointer(1 + r.IntN(20))
			}
		}
		tracker := NewSet(sources, Options{Renumber: r.IntN(2) == 0}).Tracker()
		var answer strings.Builder
		answer.WriteString("It grew")
		for range 1 + r.IntN(4) {
			fmt.Fprintf(&answer, " [%d]", 1+r.IntN(len(sources)))
		}
		text := tracker.Write(0, answer.String())
		text += tracker.Close(0)
		list := tracker.Result().List(0)
		if got := StripAnswer(text + list); got != "It grew" || list == "" {
			t.Fatalf("%q and %q became %q", text, list, got)
		}
	}
}
