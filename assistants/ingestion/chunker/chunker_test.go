package chunker

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"footnote/assistants/tokens"
)

func split(text string, in Input) []string {
	in.Text = text
	var out []string
	for _, c := range Split(in, Options{}) {
		out = append(out, text[c.Start:c.End])
	}
	return out
}

const sentence = "Employees who travel for more than eight hours receive the daily allowance of the country they work in. "

func TestAShortTextIsOneChunk(t *testing.T) {
	got := split("\n\n  One sentence. \n\n Another one.\n", Input{})
	if !slices.Equal(got, []string{"One sentence. \n\n Another one."}) {
		t.Fatalf("got %q", got)
	}
}

func TestAnEmptyTextHasNoChunks(t *testing.T) {
	for _, text := range []string{"", " \n\t\u00a0\u3000\n"} {
		if got := split(text, Input{}); len(got) != 0 {
			t.Errorf("%q: got %q", text, got)
		}
	}
}

func TestChunksEndWithSentences(t *testing.T) {
	for _, c := range split(strings.Repeat(sentence, 60), Input{}) {
		if !strings.HasSuffix(c, "in.") {
			t.Errorf("ends inside a sentence: …%q", c[len(c)-30:])
		}
	}
}

func TestChunksPreferParagraphs(t *testing.T) {
	paragraph := strings.TrimSpace(strings.Repeat(sentence, 12))
	got := split(strings.Repeat(paragraph+"\n\n", 6), Input{})
	for _, c := range got {
		if c != paragraph {
			t.Fatalf("not the paragraph: %q", c)
		}
	}
	if len(got) != 6 {
		t.Fatalf("%d chunks", len(got))
	}
}

// A line that ends with a colon announces what follows.
func TestALineWithAColonStaysWithWhatItAnnounces(t *testing.T) {
	paragraph := strings.TrimSpace(strings.Repeat(sentence, 12))
	for _, line := range []string{"Segment revenues:", "分部收入："} {
		text := paragraph + "\n\n" + line + "\n\n" + paragraph
		if got := split(text, Input{}); len(got) != 2 || got[0] != paragraph {
			t.Errorf("%d chunks, the first ends with %q", len(got), got[0][max(0, len(got[0])-30):])
		}
	}
}

func TestAbbreviationsEndNoChunk(t *testing.T) {
	text := strings.Repeat("The report by Dr. Meyer of Jan. 5 names, e.g. the hotels that were booked too late in that year. ", 30)
	for _, c := range split(text, Input{}) {
		if !strings.HasSuffix(c, "that year.") {
			t.Errorf("…%q", c[len(c)-30:])
		}
	}
}

func TestSectionsBeginChunks(t *testing.T) {
	text := "Preface.\n# Leave\n## Annual\nTwenty-five days.\n## Sick\nSee the doctor.\n# Travel\nBy train."
	in := Input{Text: text, Sections: []Section{
		{strings.Index(text, "# Leave"), 1, "Leave"}, {strings.Index(text, "## Annual"), 2, "Annual"},
		{strings.Index(text, "## Sick"), 2, "Sick"}, {strings.Index(text, "# Travel"), 1, "Travel"},
	}}
	want := []struct {
		text string
		path []string
	}{
		{"Preface.", nil},
		{"# Leave\n## Annual\nTwenty-five days.", []string{"Leave", "Annual"}},
		{"## Sick\nSee the doctor.", []string{"Leave", "Sick"}},
		{"# Travel\nBy train.", []string{"Travel"}},
	}
	got := Split(in, Options{})
	if len(got) != len(want) {
		t.Fatalf("%d chunks, want %d", len(got), len(want))
	}
	for i, c := range got {
		if text[c.Start:c.End] != want[i].text || !slices.Equal(c.Path, want[i].path) {
			t.Errorf("chunk %d: %q under %q, want %q under %q", i, text[c.Start:c.End], c.Path, want[i].text, want[i].path)
		}
	}
}

// Headings without text are joined to the next section. Where they fill a page, or more than a chunk,
// they are a chunk of their own, which has no heading that comes after it.
func TestAChunkOfHeadingsHasNoneThatComesLater(t *testing.T) {
	text := "Report\n\n"
	in := Input{Sections: []Section{{0, 1, "Report"}}}
	for i := range 8 {
		line := fmt.Sprintf("Address of the office in town %d", i)
		in.Sections = append(in.Sections, Section{len(text), 2, line})
		text += line + "\n\n"
	}
	in.Breaks = []int{len(text)}
	in.Sections = append(in.Sections, Section{len(text), 2, "Baker"})
	in.Text = text + "Baker\n\nThe baker was at work for the third day in a row, and had slept well before."
	for name, opt := range map[string]Options{"by its page": {}, "by its length": {Max: 64, Target: 64, Min: 1}} {
		t.Run(name, func(t *testing.T) {
			got := Split(in, opt)
			if len(got) < 2 {
				t.Fatalf("%d chunks", len(got))
			}
			for _, c := range got {
				chunk := in.Text[c.Start:c.End]
				if last := c.Path[len(c.Path)-1]; !strings.Contains(chunk, last) || strings.Contains(chunk, "Baker") != (last == "Baker") {
					t.Errorf("%q under %q", chunk, c.Path)
				}
			}
		})
	}
}

func TestALastHeadingWithoutTextIsKept(t *testing.T) {
	text := "# A\nText.\n# B\n"
	got := Split(Input{Text: text, Sections: []Section{{0, 1, "A"}, {10, 1, "B"}}}, Options{})
	if len(got) != 2 || text[got[1].Start:got[1].End] != "# B" {
		t.Fatalf("got %+v", got)
	}
}

func TestRowsStayWhole(t *testing.T) {
	row := "| Norway | 75 EUR per day | 139 EUR per night | valid from 1 Jan. 2026. Ask first. |\n"
	table := strings.Repeat(row, 60)
	text := "Intro.\n\n" + table + "\nEnd."
	start := strings.Index(text, "|")
	for _, c := range split(text, Input{Lines: []Lines{{Range: Range{start, start + len(table)}}}}) {
		c = strings.TrimSuffix(strings.TrimPrefix(c, "Intro.\n\n"), "\n\nEnd.")
		for line := range strings.Lines(c) {
			if strings.TrimSpace(line) != strings.TrimSpace(row) {
				t.Fatalf("a row was cut: %q", line)
			}
		}
	}
}

func TestPagesAreNotCrossedNeedlessly(t *testing.T) {
	page := strings.TrimSpace(strings.Repeat(sentence, 6))
	in := Input{Text: page}
	for range 5 {
		in.Text += "\n\n"
		in.Breaks = append(in.Breaks, len(in.Text))
		in.Text += page
	}
	for _, c := range Split(in, Options{}) {
		for _, b := range in.Breaks {
			if c.Start < b && b < c.End {
				t.Errorf("[%d,%d) runs across the page break at %d", c.Start, c.End, b)
			}
		}
	}
}

func TestAFewWordsOnAPageJoinTheirNeighbour(t *testing.T) {
	in := Input{Text: "One line.\n\n"}
	in.Breaks = []int{len(in.Text)}
	in.Text += strings.TrimSpace(strings.Repeat(sentence, 5))
	if got := Split(in, Options{}); len(got) != 1 {
		t.Fatalf("%d chunks", len(got))
	}
}

func TestALongSentenceIsCutBetweenWords(t *testing.T) {
	text := strings.TrimSpace(strings.Repeat("unpunctuated words go on ", 400))
	got := split(text, Input{})
	if strings.Join(got, " ") != text {
		t.Fatal("the pieces, joined with spaces, are not the text")
	}
	for _, c := range got {
		if n := tokens.Count(c); n > 320 {
			t.Errorf("%d tokens", n)
		}
	}
}

func TestAHugeWordIsCutBetweenCharacters(t *testing.T) {
	text := strings.Repeat("ä̈", 3000)
	got := split(text, Input{})
	if strings.Join(got, "") != text || len(got) < 2 {
		t.Fatalf("%d chunks that are not the text", len(got))
	}
	for _, c := range got {
		if !strings.HasPrefix(c, "ä") || !strings.HasSuffix(c, "̈") {
			t.Fatal("a character was cut")
		}
	}
}

func TestASectionLargerThanAChunkKeepsItsPath(t *testing.T) {
	in := Input{Text: "# Long\n" + strings.Repeat(sentence, 60), Sections: []Section{{0, 1, "Long"}}}
	got := Split(in, Options{})
	if len(got) < 4 {
		t.Fatalf("%d chunks", len(got))
	}
	for i, c := range got {
		if !slices.Equal(c.Path, []string{"Long"}) {
			t.Errorf("chunk %d is under %q", i, c.Path)
		}
	}
}

// An unclosed heading holds a whole document. Without a limit, it would be stored
// with every chunk.
func TestPathsAreShortHoweverLongHeadingsAre(t *testing.T) {
	for title, want := range map[string]string{
		"Leave":                             "Leave",
		strings.Repeat("x", maxTitle):       strings.Repeat("x", maxTitle),
		strings.Repeat("日", maxTitle):       strings.Repeat("日", maxTitle),
		strings.Repeat("x", maxTitle+1):     strings.Repeat("x", maxTitle) + "…",
		strings.Repeat("日", maxTitle+1):     strings.Repeat("日", maxTitle) + "…",
		strings.Repeat("words ", 200_000):   strings.Repeat("words ", maxTitle/6-1) + "words…",
		strings.Repeat("👩\u200d👩 ", 1000):   strings.Repeat("👩\u200d👩 ", maxTitle/4-1) + "👩\u200d👩…",
		"a" + strings.Repeat("\u0301", 999): "a" + strings.Repeat("\u0301", 31) + "…",
	} {
		if got := shortTitle(title); got != want {
			t.Errorf("%.20q…: %q, want %q", title, got, want)
		}
	}
	text := strings.Repeat("words ", 20_000)
	for _, c := range Split(Input{Text: text, Sections: []Section{{0, 1, text}}}, Options{}) {
		if len(c.Path) != 1 || len(c.Path[0]) > maxTitle+len("…") {
			t.Fatalf("%d titles", len(c.Path))
		}
	}
	// Of headings in headings without end the innermost stay.
	var in Input
	for level := range 1000 {
		title := fmt.Sprintf("Level %d %s", level, strings.Repeat("日", level%maxTitle))
		in.Sections = append(in.Sections, Section{len(in.Text), level + 1, title})
		in.Text += title + "\nWords.\n"
	}
	for _, c := range Split(in, Options{}) {
		last := c.Path[len(c.Path)-1]
		if size := len(strings.Join(c.Path, "")); size > maxPath || !strings.Contains(in.Text[c.Start:c.End], strings.TrimSuffix(last, "…")) {
			t.Fatalf("%d bytes, the last of them %q", size, last)
		}
	}
}

func BenchmarkSplit(b *testing.B) {
	in := Input{Text: strings.Repeat(strings.Repeat(sentence, 6)+"\n\n", 500)}
	b.SetBytes(int64(len(in.Text)))
	for b.Loop() {
		Split(in, Options{})
	}
}
