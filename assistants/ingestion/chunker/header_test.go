package chunker

import (
	"fmt"
	"strings"
	"testing"
)

// tableOf is a text with a table of many rows between two paragraphs.
func tableOf(header string, rows int) (Input, Range) {
	var b strings.Builder
	b.WriteString("Rates for travel abroad.\n\n")
	start := b.Len()
	b.WriteString(header)
	headerEnd := b.Len()
	for i := range rows {
		fmt.Fprintf(&b, "Country %d | %d EUR per day | %d EUR per night\n", i, 40+i, 90+i)
	}
	end := b.Len()
	b.WriteString("\nAsk before you book.")
	return Input{Text: b.String(), Lines: []Lines{{Range: Range{start, end}, HeaderEnd: headerEnd}}}, Range{start, headerEnd - 1}
}

func TestAChunkThatGoesOnWithATableCarriesItsHeader(t *testing.T) {
	in, header := tableOf("Country | Meals | Hotel\n", 60)
	got := Split(in, Options{})
	if len(got) < 3 {
		t.Fatalf("%d chunks", len(got))
	}
	for i, c := range got {
		text := in.Text[c.Start:c.End]
		want := Range{}
		if i > 0 && strings.HasPrefix(text, "Country ") {
			want = header
		}
		if c.TableHeader != want {
			t.Errorf("chunk %d %.30q…: header %v, want %v", i, text, c.TableHeader, want)
		}
	}
	if h := got[1].TableHeader; in.Text[h.Start:h.End] != "Country | Meals | Hotel" {
		t.Errorf("the header is %q", in.Text[h.Start:h.End])
	}
}

func TestATableWithoutAHeaderRepeatsNone(t *testing.T) {
	in, _ := tableOf("Country | Meals | Hotel\n", 60)
	in.Lines[0].HeaderEnd = 0
	for i, c := range Split(in, Options{}) {
		if c.TableHeader != (Range{}) {
			t.Errorf("chunk %d has the header %v", i, c.TableHeader)
		}
	}
}

func TestTextBehindATableHasNoHeader(t *testing.T) {
	in, _ := tableOf("Country | Meals | Hotel\n", 10)
	in.Text += "\n\n" + strings.Repeat(sentence, 40)
	got := Split(in, Options{})
	if last := got[len(got)-1]; last.TableHeader != (Range{}) {
		t.Errorf("the last chunk has the header %v", last.TableHeader)
	}
}

func TestEachTableHasItsOwnHeader(t *testing.T) {
	first, _ := tableOf("Country | Meals | Hotel\n", 40)
	second, header := tableOf("Land | Essen | Zimmer\n", 40)
	at := len(first.Text)
	in := Input{Text: first.Text + second.Text, Lines: []Lines{first.Lines[0], {
		Range: Range{second.Lines[0].Start + at, second.Lines[0].End + at}, HeaderEnd: second.Lines[0].HeaderEnd + at,
	}}}
	seen := map[string]bool{}
	for _, c := range Split(in, Options{}) {
		h := in.Text[c.TableHeader.Start:c.TableHeader.End]
		seen[h] = true
		if h != "" && (c.Start < at) != (h == "Country | Meals | Hotel") {
			t.Errorf("chunk at %d of %d has the header %q", c.Start, at, h)
		}
	}
	if !seen["Country | Meals | Hotel"] || !seen[second.Text[header.Start:header.End]] {
		t.Errorf("headers %v", seen)
	}
}

// A header that would fill the passages is not repeated: their own text is worth more.
func TestAHeaderTooLongIsNotRepeated(t *testing.T) {
	for _, columns := range []int{200, 100_000} {
		in, _ := tableOf(strings.Repeat("column | ", columns)+"\n", 60)
		for i, c := range Split(in, Options{}) {
			if c.TableHeader != (Range{}) {
				t.Errorf("%d columns: chunk %d has the header %v", columns, i, c.TableHeader)
			}
		}
	}
}

// The heads of a table stand far above it, for example above another part of a statement.
func TestHeadsGoWithEachChunkOfTheirTable(t *testing.T) {
	in, header := tableOf("Country | Meals | Hotel\n", 60)
	in.Text = "In euros\n\n" + strings.Repeat(sentence, 40) + "\n\n" + in.Text
	shift := strings.Index(in.Text, "Rates for")
	in.Lines[0].Start, in.Lines[0].End, in.Lines[0].HeaderEnd = in.Lines[0].Start+shift, in.Lines[0].End+shift, in.Lines[0].HeaderEnd+shift
	in.Sections = []Section{{Start: shift, Level: 1, Title: "Rates"}}
	units := Range{0, len("In euros")}
	in.Lines[0].Heads = []Range{units}
	of := func(heads []Range) bool { return len(heads) == 1 && heads[0] == units }
	for i, c := range Split(in, Options{}) {
		text := in.Text[c.Start:c.End]
		if want := strings.Contains(text, "EUR per day"); of(c.Heads) != want || (c.TableHeader.End > 0) != (want && c.Start > shift+header.Start) {
			t.Errorf("chunk %d %.30q…: heads %v, header %v", i, text, c.Heads, c.TableHeader)
		}
	}
	in.Lines[0].Heads = []Range{{0, shift - 2}}
	for i, c := range Split(in, Options{}) {
		if c.Heads != nil {
			t.Errorf("chunk %d has the long heads %v", i, c.Heads)
		}
	}
}
