package extract

import "testing"

func TestTheOpeningOfAPageIsWhatReadsLikeTitles(t *testing.T) {
	for text, want := range map[string]string{
		"Corvane Holdings Inc.\n\nText.": "", // it ends like a sentence
		"Corvane Holdings\n\nBalance Sheet\n\nAs of December 31, 2021\n\nCash of the group was 4.": "Corvane Holdings\n\nBalance Sheet\n\nAs of December 31, 2021",
		"Balance Sheet\n(in millions)\n\nNothing else follows here.":                               "Balance Sheet\n(in millions)",
		"This page goes on with a sentence that\nbegan before it.":                                 "",
		"and ends here.\n\nRisks\n\nThere are some.":                                               "",
		"Risks\n\n\nThere are some.":                                                               "Risks",
		"One\n\nTwo\n\nThree\n\nFour\n\nFive":                                                      "One\n\nTwo\n\nThree",
		"One\nTwo\nThree\nFour\n\nText.":                                                           "", // a list
		"\n\nRisks\n\nText.":                                                                       "\n\nRisks",
		"For the year ended December 31, 2019\n\nText.":                                            "", // of any page
		"Risks": "Risks",
		"":      "",
	} {
		d := Document{Text: "before" + text, Pages: []Page{{Number: 1, End: 6}, {Number: 2, Start: 6, End: 6 + len(text)}}}
		if got := d.Text[6:d.Opening(d.Pages[1])]; got != want {
			t.Errorf("%q opens with %q, want %q", text, got, want)
		}
	}
}

// TestATableIsNoOpening: its rows, and those of lists and code, are none, whatever they say.
func TestATableIsNoOpening(t *testing.T) {
	d := Document{Text: "Prices\n\nName\nPump", Blocks: []Block{{Kind: BlockTable, Start: 8, End: 17}}}
	for _, p := range []struct{ start, end, want int }{{0, 17, 6}, {8, 17, 8}, {10, 17, 10}, {17, 17, 17}} {
		if got := d.Opening(Page{Start: p.start, End: p.end}); got != p.want {
			t.Errorf("the opening of %d to %d ends at %d, want %d", p.start, p.end, got, p.want)
		}
	}
}
