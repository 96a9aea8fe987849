package support

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestQuotes(t *testing.T) {
	long := "The committee, which had met eleven times since the spring of that year in order to hear engineers, lawyers and residents from every district of the town, " +
		"decided in its last session, after a debate that went on until two o'clock in the morning, that the bridge over the river Else would be closed to lorries, " +
		"and that the ferry, which had been out of service since the flood, would run again from the first of May."
	for _, c := range []struct{ name, passage, claim, want string }{
		{"a clause behind is left out", "Revenue grew 15% to $4.2B, exceeding expectations. Costs fell.", "Revenue grew 15%.", "Revenue grew 15% to $4.2B"},
		{"a date's year is not", "The turbine was installed on March 5, 2024 in Rotterdam, which is a port.", "The turbine was installed.", "The turbine was installed on March 5, 2024 in Rotterdam"},
		{"what contradicts is not", "Its output is $4.2 billion worth of energy, or 4,200 MW.", "Its output is 5,200 MW.", "Its output is $4.2 billion worth of energy, or 4,200 MW."},
		{"a condition is not", "Entry is free, unless a fee is posted.", "Entry is free.", "Entry is free, unless a fee is posted."},
		{"two sentences", "The plant opened in 1998. It employs 350 people.", "The plant opened in 1998 and employs 350 people.", "The plant opened in 1998. It employs 350 people."},
		{"a row of a table", "| Year | Revenue |\n|---|---|\n| 2023 | $3.9B |\n| 2024 | $4.2B |", "Revenue in 2024: $4.2B", "2024 | $4.2B"},
		{"an item of a list", "Limits:\n- 25 MB for files\n- 10 users for each team", "There is a limit of 10 users for each team.", "10 users for each team"},
		{"lines that were wrapped", "The warranty of the compressor is valid for ten years\nfrom the day of delivery. It covers parts.", "The warranty of the compressor is valid for ten years.", "The warranty of the compressor is valid for ten years\nfrom the day of delivery."},
		{"after an abbreviation", "Dr. Weber founded the clinic in St. Gallen. It grew.", "Dr. Weber founded the clinic in St. Gallen.", "Dr. Weber founded the clinic in St. Gallen."},
		{"Japanese", "気温は低い。2024年の収益は15億円に増えた。費用は減った。", "収益は15億円に増えた。", "2024年の収益は15億円に増えた。"},
		{"a long sentence", long, "The bridge over the river Else would be closed to lorries.", "that the bridge over the river Else would be closed to lorries"},
	} {
		f := checked(c.claim, c.passage)
		checkFinding(t, f, c.passage)
		if got := c.passage[f.Start:f.End]; got != c.want && !(c.name == "a long sentence" && strings.Contains(got, c.want)) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestAQuoteOfTextWithoutSentencesIsCutBetweenWords(t *testing.T) {
	for _, passage := range []string{
		strings.Repeat("lorem ipsum ", 200) + "the bridge is closed to lorries " + strings.Repeat("dolor sit ", 200),
		strings.Repeat("長い文", 300) + "橋は閉鎖された" + strings.Repeat("長い文", 300),
		strings.Repeat("x", 5000),
	} {
		for _, text := range []string{"The bridge is closed to lorries.", "橋は閉鎖された。", strings.Repeat("x", 5000)} {
			f := checked(text, passage)
			checkFinding(t, f, passage)
			if quote := passage[f.Start:f.End]; utf8.RuneCountInString(quote) > maxQuote {
				t.Errorf("%d characters", utf8.RuneCountInString(quote))
			}
		}
	}
}
