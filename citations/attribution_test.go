package citations

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestStatementsAreTheFactualSentencesOfAText(t *testing.T) {
	text := "# Leave rules for all\n\nEvery employee gets 27 days of leave [1]. Is that much? It grows by 2 days after year 5.\n\n```\nx = 1 is code here.\n```\n\n- Überstunden werden ausgezahlt, sagt [99].\n"
	var got []string
	for _, s := range Statements(text, UnitCodepoint) {
		if in := string([]rune(text)[s.Start:s.End]); in != s.Text {
			t.Errorf("%q stands where %q should", in, s.Text)
		}
		got = append(got, s.Text)
	}
	want := []string{"Every employee gets 27 days of leave [1].", "It grows by 2 days after year 5.", "Überstunden werden ausgezahlt, sagt [99]."}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func evidenceOf(texts ...string) []Source {
	var list []Source
	for i, text := range texts {
		page := i + 1
		list = append(list, Source{DocumentID: "doc", DocumentName: "a.pdf", ChunkID: text, Text: text, CharStart: 100 * i, CharEnd: 100*i + len(text), PageNumber: &page, Score: 0.9})
	}
	return list
}

// A passage that answers cite, too, is analysed once for all of them.
func TestPassagesThatArePreparedAreNotAnalysedAnew(t *testing.T) {
	plain := evidenceOf("Every employee gets 27 days of leave.", "The notice period is four weeks.")
	analysed := 0
	var prepared []Source
	for _, src := range plain {
		p, _ := Prepare(src, func(int) { analysed++ })
		prepared = append(prepared, p.Source(src.Score, nil))
	}
	statements := Statements("The notice period is four weeks. Every employee gets 30 days of leave.", "")
	opt := Options{Similarity: func(string, string) float64 { return 0 }} // such claims are not remembered
	want := Attribute(statements, [][]Source{plain, plain}, opt).Result()
	for range 2 {
		if got := Attribute(statements, [][]Source{prepared, prepared}, opt).Result(); !reflect.DeepEqual(got.Markers, want.Markers) {
			t.Errorf("%+v, want %+v", got.Markers, want.Markers)
		}
	}
	if analysed != len(prepared) {
		t.Errorf("%d analyses of %d passages", analysed, len(prepared))
	}
}

func TestEachStatementHasItsOwnPassage(t *testing.T) {
	leave, notice := "Every employee gets 27 days of leave.", "The notice period is four weeks."
	statements := Statements("The notice period is four weeks. Every employee gets 27 days of leave. Every employee gets 30 days of leave. The moon is made of cheese.", "")
	r := Attribute(statements, [][]Source{evidenceOf(leave, notice), evidenceOf(leave), evidenceOf(leave, notice), nil}, Options{}).Result()
	type verdict struct {
		support string
		indices []int
		quoted  int
	}
	want := []verdict{{"supported", []int{1}, 1}, {"supported", []int{2}, 2}, {"unsupported", []int{}, 2}, {"unsupported", []int{}, 0}}
	for i, m := range r.Markers {
		got := verdict{m.Support, m.Indices, 0}
		if m.Quote != nil {
			got.quoted = m.Quote.Index
		}
		if !reflect.DeepEqual(got, want[i]) || m.Start != m.ClaimEnd || m.End != m.Start {
			t.Errorf("statement %d: %+v", i, m)
		}
	}
	if r.Status != StatusCited || !slices.Equal(r.ReferencedIndices, []int{1, 2}) || *r.Coverage != 0.5 || r.Sources[0].Text != notice || *r.Markers[0].Quote.PageNumber != 2 {
		t.Errorf("%+v", r)
	}
	if none := Attribute(statements, make([][]Source, 4), Options{}).Result(); none.Status != StatusNoSources || len(none.Markers) != 4 || none.Confidence.Confidence != 0 {
		t.Errorf("%+v", none)
	}
}

// Only a part of a long sentence is compared, so that what stands in the rest could be
// wrong.
func TestAStatementThatIsTooLongToCompareIsWeakAtMost(t *testing.T) {
	const right = "Every employee gets 27 days of leave and "
	long := strings.Repeat(right, 100) + "nothing else."
	for _, c := range []struct{ text, passage, want string }{
		{right + "nothing else.", right + "nothing else.", "supported"},
		{"The moon is made of 99 cheeses and " + long, long, "weak"},
	} {
		statements := Statements(c.text, "")
		if len(statements) != 1 || statements[0].Text != c.text {
			t.Fatalf("%d statements", len(statements))
		}
		if m := Attribute(statements, [][]Source{evidenceOf(c.passage)}, Options{}).Result().Markers[0]; m.Support != c.want {
			t.Errorf("%.40s… is %s, want %s", c.text, m.Support, c.want)
		}
	}
}

func TestALongStatementIsTheWholeSentence(t *testing.T) {
	for _, word := range []string{"é", "a", "😀"} {
		for lead := range 4 { // so that the scanner's window begins within a character
			text := "First. A" + strings.Repeat("x", lead) + strings.Repeat("wörd "+word+" ", 1000) + "end."
			list := Statements(text, UnitUTF16)
			if len(list) != 1 || list[0].Text != text[len("First. "):] || UnitUTF16.Slice(text, list[0].Start, list[0].End) != list[0].Text {
				t.Errorf("%s after %d: %d statements, the first %.40q from %d", word, lead, len(list), list[0].Text, list[0].Start)
			}
		}
	}
}

func TestTwoPassagesNeverMakeUpOneStatement(t *testing.T) {
	statements := Statements("Model A weighs 3.6 kg and model B weighs 4.1 kg.", "")
	found := evidenceOf("Model A weighs 4.1 kg.", "Model B weighs 3.6 kg.")
	if m := Attribute(statements, [][]Source{found}, Options{}).Result().Markers[0]; m.Support == "supported" {
		t.Errorf("%+v", m)
	}
}

func TestAnAttributionStaysWithinTextAndSources(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SampledFrom([]string{"Every", "employee", "gets", "27", "days", "no", "[1]", "[2, 3]", "é", "😀", ".", "?", "\n", "\n\n", "`", "# ", "- ", "| ", "The", "notice", "is", "weeks"})
		draw := func(name string) string {
			text := ""
			for _, w := range rapid.SliceOfN(words, 0, 60).Draw(t, name) {
				text += w + " "
			}
			return text
		}
		text := draw("text")
		statements := Statements(text, "")
		evidence := make([][]Source, len(statements))
		for i := range evidence {
			for range rapid.IntRange(0, 3).Draw(t, "passages") {
				evidence[i] = append(evidence[i], evidenceOf(draw("passage"))...)
			}
		}
		r := Attribute(statements, evidence, Options{}).Result()
		last := 0
		for i, m := range r.Markers {
			if m.ClaimStart < last || m.ClaimEnd < m.ClaimStart || m.ClaimEnd > utf8.RuneCountInString(text) || string([]rune(text)[m.ClaimStart:m.ClaimEnd]) != statements[i].Text {
				t.Fatalf("%+v in %q", m, text)
			}
			last = m.ClaimEnd
			for _, n := range m.Indices {
				if n < 1 || n > len(r.Sources) || !slices.Contains(r.ReferencedIndices, n) || m.Quote == nil {
					t.Fatalf("%+v of %d sources", m, len(r.Sources))
				}
			}
			if m.Quote != nil && (m.Quote.Index < 1 || m.Quote.Index > len(r.Sources)) {
				t.Fatalf("%+v", m.Quote)
			}
		}
	})
}

func FuzzStatements(f *testing.F) {
	for _, text := range []string{"", "One two three. Four five six", "a `b\n\nOne two three [1].\r\n> - x y z\n", "\xff\xfe one two three.\x00", strings.Repeat("wörd 😀 ", 900), "| a b c |\n| d e f |\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		last, from := 0, 0
		for _, s := range Statements(text, UnitByte) {
			at := strings.Index(text[from:], s.Text)
			if at < 0 || s.Text == "" || s.Start < last || s.End < s.Start {
				t.Fatalf("%+v is not in %q after byte %d", s, text, from)
			}
			from += at + len(s.Text)
			last = s.End
		}
	})
}

func TestASliceIsCountedInItsUnit(t *testing.T) {
	const text = "a😀é."
	for unit, want := range map[OffsetUnit][2]int{UnitCodepoint: {1, 3}, UnitUTF16: {1, 4}, UnitByte: {1, 7}, "": {1, 3}} {
		if got := unit.Slice(text, want[0], want[1]); got != "😀é" {
			t.Errorf("%q: %q", unit, got)
		}
	}
	for _, at := range [][2]int{{-1, 3}, {3, 99}, {4, 3}} {
		if got := UnitByte.Slice(text, at[0], at[1]); len(got) > len(text) {
			t.Errorf("%v: %q", at, got)
		}
	}
	if got := UnitCodepoint.Slice(text, 2, 99); got != "é." {
		t.Errorf("%q", got)
	}
}
