package lexical

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func sentences(text string) []string {
	var out []string
	for _, s := range Sentences(text) {
		out = append(out, text[s.Start:s.End])
	}
	return out
}

func TestSentencesEndWhereReadersEndThem(t *testing.T) {
	for text, want := range map[string]string{
		"One. Two! Three? Four…":                                           "One.|Two!|Three?|Four…",
		"Dr. Smith paid $4.2 million. He left.":                            "Dr. Smith paid $4.2 million.|He left.",
		"See Fig. 4 and No. 7, e.g. this one. No. It is not.":              "See Fig. 4 and No. 7, e.g. this one.|No.|It is not.",
		"On Jan. 5 we met. In Jan. We met again.":                          "On Jan. 5 we met.|In Jan.|We met again.",
		"Apples, pears etc. are fruit. Nuts etc. Are not.":                 "Apples, pears etc. are fruit.|Nuts etc.|Are not.",
		"John F. Kennedy spoke. He ate vitamin C. The end.":                "John F. Kennedy spoke.|He ate vitamin C.|The end.",
		"\"Why?\" she asked. (He left.) She stayed.":                       "\"Why?\" she asked.|(He left.)|She stayed.",
		"Am 3. Oktober ist frei. Das gilt z.B. Montags. Und ca. 5 % mehr.": "Am 3. Oktober ist frei.|Das gilt z.B. Montags.|Und ca. 5 % mehr.",
		"It was in 2023. The next year was better.":                        "It was in 2023.|The next year was better.",
		"Visit example.com. It works.":                                     "Visit example.com.|It works.",
		"有給休暇。次の文です！最後":                                                    "有給休暇。|次の文です！|最後",
		"「はい。」彼は言った。":                                                      "「はい。」|彼は言った。",
		"Really?! Yes... maybe. Well... Yes.":                              "Really?!|Yes... maybe.|Well...|Yes.",
		"यह वाक्य है। दूसरा।":                                              "यह वाक्य है।|दूसरा।",
		"version 2.10 and 3.5.1 run on 192.168.0.1 today":                  "version 2.10 and 3.5.1 run on 192.168.0.1 today",
	} {
		if got := strings.Join(sentences(text), "|"); got != want {
			t.Errorf("%q\n got %q\nwant %q", text, got, want)
		}
	}
}

func TestLinesBreakSentencesOnlyWhereTheyBeginAnItem(t *testing.T) {
	for text, want := range map[string]string{
		"This line was wrapped by the program that\nwrote it. And goes on\nafter.":                              "This line was wrapped by the program that\nwrote it.|And goes on\nafter.",
		"Working hours\nThe core hours are between ten in the morning and three in\nthe afternoon of each day.": "Working hours|The core hours are between ten in the morning and three in\nthe afternoon of each day.",
		"We sell\n- apples\n- pears that\n  are ripe\n* nuts\n1. First\n2) Second\na) Third":                    "We sell|- apples|- pears that\n  are ripe|* nuts|1. First|2) Second|a) Third",
		"# Title\ntext below":             "# Title|text below",
		"| a | b |\n|---|---|\n| 1 | 2 |": "| a | b |||---|---||| 1 | 2 |",
		"no end\n\nnext paragraph":        "no end|next paragraph",
		"no end\r\n \r\nnext":             "no end|next",
		"page one\fpage two":              "page one|page two",
		"Name: Ann\nAge: 30\nCity: Bonn":  "Name: Ann|Age: 30|City: Bonn",
	} {
		if got := strings.Join(sentences(text), "|"); got != want {
			t.Errorf("%q\n got %q\nwant %q", text, got, want)
		}
	}
}

func TestEmptyTextHasNoSentences(t *testing.T) {
	for _, text := range []string{"", " ", "\n\n\t\f"} {
		if got := Sentences(text); len(got) > 0 {
			t.Errorf("%q has %v", text, got)
		}
	}
}

func FuzzSentencesCoverTheText(f *testing.F) {
	for _, s := range []string{"One. Two", "a\n\nb", "有。次", "- x\n- y", "1. A\n\f.", "\xff. B", "Dr.\u2029 X", "…\"”. x", "a.\r\nB"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		spans := Sentences(text)
		last := 0
		for _, s := range spans {
			if s.Start < last || s.End <= s.Start || s.End > len(text) {
				t.Fatalf("%+v after %d in %d bytes", s, last, len(text))
			}
			if strings.TrimSpace(text[last:s.Start]) != "" {
				t.Fatalf("%q is in no sentence", text[last:s.Start])
			}
			sentence := text[s.Start:s.End]
			if utf8.ValidString(text) && !utf8.ValidString(sentence) {
				t.Fatalf("%q cuts a character", sentence)
			}
			if sentence != strings.TrimFunc(sentence, unicode.IsSpace) {
				t.Fatalf("%q has space around it", sentence)
			}
			last = s.End
		}
		if strings.TrimSpace(text[last:]) != "" {
			t.Fatalf("%q is in no sentence", text[last:])
		}
		if !slices.Equal(spans, Sentences(text)) {
			t.Fatal("another result the second time")
		}
	})
}
