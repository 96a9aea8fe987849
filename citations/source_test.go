package citations

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func pointer[T any](v T) *T { return &v }

func TestFormatCitationNamesDocumentPageAndChunk(t *testing.T) {
	for _, test := range []struct {
		name, document string
		page           *int
		chunk          int
		want           string
	}{
		{"page and chunk", "Q3_Report.pdf", pointer(5), 0, "(Source: Q3_Report.pdf, page 5, chunk 0)"},
		{"two digits", "Financial_Report.pdf", pointer(42), 17, "(Source: Financial_Report.pdf, page 42, chunk 17)"},
		{"no page", "Notes.md", nil, 3, "(Source: Notes.md, page N/A, chunk 3)"},
		{"pages start at 1", "Notes.md", pointer(0), 3, "(Source: Notes.md, page N/A, chunk 3)"},
		{"parentheses", "Report (final).pdf", pointer(1), 2, "(Source: Report (final).pdf, page 1, chunk 2)"},
		{"line breaks", "two\r\nlines\n.pdf", pointer(1), 2, "(Source: two lines .pdf, page 1, chunk 2)"},
		{"invisible characters", "pay\u202efdp.exe\u200b", pointer(1), 2, "(Source: payfdp.exe, page 1, chunk 2)"},
		{"other scripts", "日本語 отчёт.pdf", pointer(1), 2, "(Source: 日本語 отчёт.pdf, page 1, chunk 2)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := FormatCitation(test.document, test.page, test.chunk)
			if err != nil || got != test.want {
				t.Errorf("got %q, %v; want %q", got, err, test.want)
			}
		})
	}
}

func TestFormatCitationRefusesABlankName(t *testing.T) {
	for _, name := range []string{"", "   ", "\n\t", "\u200b"} {
		if got, err := FormatCitation(name, pointer(1), 0); !errors.Is(err, ErrNoDocument) || got != "" {
			t.Errorf("FormatCitation(%q) = %q, %v; want ErrNoDocument", name, got, err)
		}
	}
}

func TestAppendCitationLeavesExactlyOneBlankLine(t *testing.T) {
	const citation = "(Source: a.pdf, page 1, chunk 0)"
	for _, test := range []struct{ name, text, want string }{
		{"plain", "Revenue grew.", "Revenue grew.\n\n" + citation},
		{"inner blank lines stay", "One.\n\n\nTwo.", "One.\n\n\nTwo.\n\n" + citation},
		{"a line break at the end", "One.\n", "One.\n\n" + citation},
		{"blank lines at the end", "One.\n\n \n\n", "One.\n\n" + citation},
		{"CRLF at the end", "One.\r\n\r\n", "One.\n\n" + citation},
		{"spaces around stay", "  One.  ", "  One.  \n\n" + citation},
		{"spaces before the break stay", "One.  \n", "One.  \n\n" + citation},
		{"no text", "", citation},
		{"blank text", " \n", citation},
		{"already there", "One.\n\n" + citation, "One.\n\n" + citation},
		{"another citation there", "One.\n\n(Source: b.pdf, page 1, chunk 0)", "One.\n\n(Source: b.pdf, page 1, chunk 0)\n\n" + citation},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := AppendCitation(test.text, citation)
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if again := AppendCitation(got, citation); again != got {
				t.Errorf("the second call gave %q", again)
			}
		})
	}
	if got := AppendCitation("One.\n", " "); got != "One.\n" {
		t.Errorf("without a citation the text became %q", got)
	}
}

func TestCitationLines(t *testing.T) {
	line := func(name string, page *int, chunk int) string {
		got, err := FormatCitation(name, page, chunk)
		if err != nil {
			t.Error(err)
		}
		return got
	}
	for name, holds := range map[string]func() bool{
		"appended": func() bool {
			return strings.HasSuffix(AppendCitation("Revenue grew.", line("Q3_Report.pdf", pointer(5), 0)), "(Source: Q3_Report.pdf, page 5, chunk 0)")
		},
		"three sources keep their order": func() bool {
			return slices.Equal(citationsOf(.87, .75, .65), []string{
				"(Source: D1.pdf, page N/A, chunk 0)", "(Source: D2.pdf, page N/A, chunk 0)", "(Source: D3.pdf, page N/A, chunk 0)"})
		},
		"exact": func() bool {
			return line("Financial_Report.pdf", pointer(42), 17) == "(Source: Financial_Report.pdf, page 42, chunk 17)"
		},
		"no page": func() bool { return strings.Contains(line("a.md", nil, 1), "page N/A") },
		"no name": func() bool {
			_, empty := FormatCitation("", nil, 0)
			_, blank := FormatCitation("   ", nil, 0)
			return errors.Is(empty, ErrNoDocument) && errors.Is(blank, ErrNoDocument)
		},
		"one blank line": func() bool { return AppendCitation("a\n\nb  c", "(x)") == "a\n\nb  c\n\n(x)" },
		"no sources":     func() bool { return len(citationsOf()) == 0 },
		"the order of the scores given": func() bool {
			return slices.Equal(citationsOf(.65, .87), []string{"(Source: D1.pdf, page N/A, chunk 0)", "(Source: D2.pdf, page N/A, chunk 0)"})
		},
		"called twice": func() bool {
			once := AppendCitation("a", line("Report (v2)\n.pdf", pointer(1), 2))
			return once == "a\n\n(Source: Report (v2) .pdf, page 1, chunk 2)" && AppendCitation(once, line("Report (v2)\n.pdf", pointer(1), 2)) == once
		},
	} {
		t.Run(name, func(t *testing.T) {
			if !holds() {
				t.Error("does not hold")
			}
		})
	}
}

// citationsOf returns the citation lines of sources with these scores.
func citationsOf(scores ...float64) (lines []string) {
	for _, s := range NewSet(sourcesOf(scores...), Options{}).Sources() {
		lines = append(lines, s.Citation)
	}
	return lines
}

func FuzzAppendCitationAppendsOnce(f *testing.F) {
	f.Add("text\n \n", "(Source: a, page 1, chunk 0)\n")
	f.Add("\u00a0\n", "x")
	f.Add("a\r", "\r")
	f.Fuzz(func(t *testing.T, text, citation string) {
		once := AppendCitation(text, citation)
		if twice := AppendCitation(once, citation); twice != once {
			t.Errorf("once %q, twice %q", once, twice)
		}
		if !strings.HasSuffix(strings.TrimSpace(once), strings.TrimSpace(citation)) {
			t.Errorf("%q does not end in %q", once, citation)
		}
	})
}

func TestExcerptIsTwoHundredCodePoints(t *testing.T) {
	for _, letter := range []string{"A", "é", "🙂", "本"} {
		whole := strings.Repeat(letter, 200)
		got := excerpt(strings.Repeat(letter, 250))
		if got != whole+"..." || utf8.RuneCountInString(got) != 203 {
			t.Errorf("250 %s became %d code points: %q", letter, utf8.RuneCountInString(got), got)
		}
		if again := excerpt(got); again != got {
			t.Errorf("an excerpt of the excerpt is %q", again)
		}
		if got := excerpt(whole); got != whole {
			t.Errorf("200 %s became %q", letter, got)
		}
	}
	if got := excerpt(""); got != "" {
		t.Errorf("an excerpt of nothing is %q", got)
	}
}

func TestSourceKeepsEveryFieldInJSON(t *testing.T) {
	set := NewSet([]Source{{
		DocumentID: "doc-1", DocumentName: "Acme Proposal.pdf", ContentType: "application/pdf", Score: 0.92,
		ChunkID: "chunk-7", ChunkIndex: 7, PageNumber: pointer(14), PageEnd: pointer(15), DownloadURL: "https://example.com/d",
		SectionHeader: "Authentication Architecture", CharStart: 3450, CharEnd: 3540, Text: "OAuth 2.0 with PKCE",
	}}, Options{})
	got, err := json.Marshal(set.Sources()[0])
	if err != nil {
		t.Fatal(err)
	}
	want := `{"index":1,"document_id":"doc-1","document_name":"Acme Proposal.pdf","content_type":"application/pdf","score":0.92,` +
		`"excerpt":"OAuth 2.0 with PKCE","download_url":"https://example.com/d","chunk_id":"chunk-7","chunk_index":7,` +
		`"page_number":14,"page_end":15,"section_header":"Authentication Architecture","char_start":3450,"char_end":3540,` +
		`"citation":"(Source: Acme Proposal.pdf, page 14, chunk 7)"}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestSourceLeavesOutWhatIsUnknown(t *testing.T) {
	set := NewSet([]Source{{DocumentID: "doc-1", DocumentName: " ", Available: pointer(false)}}, Options{})
	got, err := json.Marshal(set.Sources()[0])
	if err != nil {
		t.Fatal(err)
	}
	want := `{"index":1,"document_id":"doc-1","document_name":"Unknown Document","score":0,"excerpt":"","chunk_index":0,` +
		`"char_start":0,"char_end":0,"citation":"(Source: Unknown Document, page N/A, chunk 0)","available":false}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestScoreIsAlwaysANumberFromZeroToOne(t *testing.T) {
	for score, want := range map[float64]float64{0.87: 0.87, -0.2: 0, 1.7: 1, math.Inf(1): 1, math.Inf(-1): 0, math.NaN(): 0} {
		s := Source{Score: score}
		s.complete(1)
		if got := s.Score; got != want {
			t.Errorf("score %v became %v, want %v", score, got, want)
		}
	}
}

func ExampleAppendCitation() {
	page := 12
	citation, err := FormatCitation("Q3 Earnings Report.pdf", &page, 4)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(AppendCitation("Revenue grew 15% year-over-year.", citation))
	// Output:
	// Revenue grew 15% year-over-year.
	//
	// (Source: Q3 Earnings Report.pdf, page 12, chunk 4)
}
