package citations

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// copiedMarkers returns the markers from the passages that a model would write into
// its answer by copying a prompt.
func copiedMarkers(prompt string) (copied []string) {
	lines := fenceLine.FindAllStringIndex(prompt, -1)
	var scan scanner
	scan.begin(UnitByte, func(f found) (*mark, bool) {
		for i := 0; i+1 < len(lines); i += 2 {
			if f.start.at >= lines[i][1] && f.start.at < lines[i+1][0] {
				copied = append(copied, prompt[f.start.at:f.end.at])
			}
		}
		return nil, false
	})
	scan.write(prompt)
	scan.finish()
	return copied
}

// codeful are pieces that open, close and hide code, to be split over several passages.
var codeful = []string{
	"```", "~~~", "````", "`", "``", "\n", "\n", "\n\n", "    ", "\t", "- ", "1. ", "> ", "# ", "| ", "<code>", "</code>", "<pre>", "</pre>", "<!--", "-->", "<a title=\"", "\"", ">",
	"$$", "$", "\\(", "\\)", "\\[", "\\]", "[", "](", ")", "https://x.example/", "x", " ", "x[1]", "[2]", "【1】", "[1]: ", "[^2]: ", "[1, 2]", "\\", "\\[1\\]",
}

func TestPassagesThatMeetDoNotFreeNumbersOfEachOther(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 3_000 {
		sources := make([]Source, 2+r.IntN(2))
		for i := range sources {
			var b strings.Builder
			for range 1 + r.IntN(8) {
				b.WriteString(codeful[r.IntN(len(codeful))])
			}
			sources[i] = Source{DocumentName: "a", Text: b.String()}
		}
		prompt := NewSet(sources, Options{}).Prompt(PromptOptions{Cite: true})
		if copied := copiedMarkers(prompt); copied != nil {
			t.Fatalf("%q of\n%s", copied, prompt)
		}
	}
}

func TestCodeLosesItsBracketsOnlyWhereSomethingEndsIt(t *testing.T) {
	code := "```\n</pre> x[1]\n```"
	for _, test := range []struct{ before, want string }{
		{"Text.", code},
		{"<pre>\nclosed\n</pre>", code},
		{"<pre>\nleft open", "```\n</pre> x(1)\n```"},
	} {
		prompt := NewSet([]Source{{DocumentName: "a", Text: test.before}, {DocumentName: "b", Text: code}}, Options{}).Prompt(PromptOptions{Cite: true})
		if !strings.Contains(prompt, ">\n"+test.want+"\n</passage") {
			t.Errorf("behind %q\n%s", test.before, prompt)
		}
	}
}

// The work on a prompt grows linearly with the sources, even if many passages change
// how the code of later ones reads.
func TestPassagesThatFreeEachOtherAreSoonSettled(t *testing.T) {
	sources := make([]Source, 50)
	for i := range sources {
		sources[i] = Source{DocumentName: "a", Text: strings.Repeat("<pre>\n```\n</pre> x[1] <pre>\n```\n", 500)}
	}
	if copied := copiedMarkers(NewSet(sources, Options{}).Prompt(PromptOptions{Cite: true})); copied != nil {
		t.Errorf("%q", copied)
	}
}

func FuzzACopiedPromptCitesNothingByItsPassages(f *testing.F) {
	f.Add("a.md", "text", "`x[1]`", "```\ny[2]\n```")
	f.Fuzz(func(t *testing.T, name, text1, text2, text3 string) {
		set := NewSet([]Source{{DocumentName: name, Text: text1}, {DocumentName: "b", Text: text2}, {DocumentName: name, Text: text3, PageNumber: pointer(3)}}, Options{})
		for _, template := range append(Presets(), "Cite.\n{sources}\nCite!") {
			prompt := set.Prompt(PromptOptions{Secret: []byte("k"), Cite: true, Instruct: true, Template: template})
			checkSources(t, prompt, 3)
			if copied := copiedMarkers(prompt); copied != nil {
				t.Errorf("%q of\n%s", copied, prompt)
			}
		}
	})
}

// checkSources asserts that a prompt has exactly n headers, numbered from 1, and n
// pairs of fence lines. The text around them is not checked.
func checkSources(t *testing.T, prompt string, n int) {
	t.Helper()
	headers := anyHeader.FindAllString(prompt, -1)
	if len(headers) != n {
		t.Fatalf("%d headers, want %d, in\n%q", len(headers), n, prompt)
	}
	for i, header := range headers {
		if want := fmt.Sprintf("[%d] (Source", i+1); header != want {
			t.Fatalf("header %q, want %q", header, want)
		}
	}
	lines := fenceLine.FindAllString(prompt, -1)
	if len(lines) != 2*n {
		t.Fatalf("%d fence lines, want %d, in\n%q", len(lines), 2*n, prompt)
	}
	for i, line := range lines {
		if want := lines[0]; i%2 == 0 && line != want || i%2 == 1 && line != "</"+want[1:] {
			t.Fatalf("fence line %d is %q", i, line)
		}
	}
}

var anyHeader = regexp.MustCompile(`(?mi)^[ \t]*\[[\p{Nd} \t]+\][ \t]*\(source`)
