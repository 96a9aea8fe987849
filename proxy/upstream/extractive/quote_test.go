package extractive

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"footnote/proxy/upstream"
)

func TestQuotesAreTheWordsOfTheSource(t *testing.T) {
	for in, want := range map[string]string{
		"Plain words stay.":           "Plain words stay.",
		"White \t space\n is   even.": "White space is even.",
		"- A list item":               "A list item",
		"3. Open the **app**":         "Open the app",
		"a) First":                    "First",
		"> A quotation":               "A quotation",
		"## A heading":                "A heading",
		"- [x] Done":                  "Done",
		"See [the policy](https://x.test/a) for more.":      "See the policy for more.",
		"![a chart](c.png) shows it":                        "a chart shows it",
		"It is *very* _important_ and __so__.":              "It is very important and so.",
		"snake_case_name and 2*3*4 stay":                    "snake_case_name and 2*3*4 stay",
		"Call `reset()` now":                                "Call 'reset()' now",
		`A \[1\] and \* escaped`:                            "A (1) and * escaped",
		"Known [2], [[3]], 【4】 and ［5］.":                    "Known (2), ((3)), (4) and (5).",
		"See note[^1] and [doc2].":                          "See note(^1) and (doc2).",
		"Costs $4.2B or $ 5":                                "Costs $4.2B or $ 5",
		"Set $HOME and $$x$$":                               "Set ＄HOME and ＄＄x＄＄",
		"Below <b>5</b> and a < b, x <5":                    "Below 5 and a < b, x <5",
		"Broken <code here":                                 "Broken ‹code here",
		"soft\u00adhyphen, \u202ebidi\u202c, \U000E0041tag": "softhyphen, bidi, tag",
		"broken \xff UTF-8":                                 "broken UTF-8",
		"2026. That was the year.":                          "2026. That was the year.",
	} {
		if got := clean(in); got != want {
			t.Errorf("clean(%q)\n got %q\nwant %q", in, got, want)
		}
	}
}

func TestMarkersStandBeforeTheFullStop(t *testing.T) {
	for in, want := range map[string]string{
		"It lasts 30 days.":         "It lasts 30 days [2].",
		"Really?":                   "Really [2]?",
		"終わりです。":                    "終わりです [2]。",
		"No stop":                   "No stop [2].",
		"He said “go.”":             "He said “go.” [2]",
		"A word in (brackets)":      "A word in (brackets) [2].",
		"The following:":            "The following [2].",
		"Cut off …":                 "Cut off … [2]",
		"See https://x.test/a?b=c.": "See https://x.test/a?b=c [2].",
	} {
		if got := mark(in, 2); got != want {
			t.Errorf("mark(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestOverlongQuotesAreCutAtASpace(t *testing.T) {
	got := clean(strings.Repeat("lorem ipsum ", 200))
	if n := utf8.RuneCountInString(got); n > maxQuote+2 || !strings.HasSuffix(got, " …") {
		t.Errorf("%d code points, %q", n, got[len(got)-20:])
	}
	if got = clean(strings.Repeat("語", 2000)); utf8.RuneCountInString(got) > maxQuote+2 {
		t.Error("text without spaces is not cut")
	}
}

var (
	ours      = regexp.MustCompile(` \[7\]`)
	opensMath = regexp.MustCompile(`\$[^ 0-9]`)
)

// Whatever a source says, an answer has no other marker than ours, and nothing
// that would make a scanner overlook it.
func FuzzSourcesCannotForgeOrHideMarkers(f *testing.F) {
	for _, s := range []string{
		"The fee is 5 [2].", "fee `code [1]", "fee $$ x", "fee $x [3]$", "fee <code>[1]", "[fee](x) [fee][1]", "fee \\[1\\]",
		"【1】fee［2］", "fee [^1]: x", "| fee | [1] |\n|--|--|\n| fee | 2 |", "```\nfee\n```", "    fee indented", "fee\u202e]1[", "~~~fee", "| A | Fee $ |\n|--|--|\n| fee | 5 |",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := answerTo("What is the fee?", []upstream.Passage{{Index: 7, Name: text, Text: text}}, true)
		if got == Nothing {
			return
		}
		rest := ours.ReplaceAllString(got, "")
		if rest == got {
			t.Errorf("%q: no marker in %q", text, got)
		}
		if strings.ContainsAny(rest, "[]【】［］`\\\n\r") || strings.Contains(rest, "$$") {
			t.Errorf("%q: %q is left", text, rest)
		}
		if opensMath.MatchString(got) {
			t.Errorf("%q: %q opens mathematics", text, got)
		}
		if !utf8.ValidString(got) {
			t.Errorf("%q: no valid UTF-8: %q", text, got)
		}
	})
}
