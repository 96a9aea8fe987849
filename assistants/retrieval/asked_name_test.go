package retrieval

import (
	"slices"
	"strings"
	"testing"
	"time"

	"footnote/assistants"
)

// reports are annual reports of several cities, as people put them into one assistant. No
// city has one of each year.
var reports = []string{
	"Abbotsford-2022-FinancialStatements.pdf", "Abbotsford-2023-FinancialStatements.pdf", "Ajax-2022-FinancialStatements.pdf", "Ajax-2023-FinancialStatements.pdf",
	"Delta-2023-AnnualReport.pdf", "Hamilton-2018-FinancialReport.pdf", "Hamilton-2019-FinancialReport.pdf", "Hamilton-2020-FinancialReport.pdf", "Hamilton-2022-FinancialReport.pdf",
	"Toronto-2024-ConsolidatedFinancialStatements.pdf", "Vancouver-2021-FinancialReport.pdf", "Vancouver-2022-FinancialReport.pdf", "Windsor-2022-AnnualReport.pdf", "Windsor-2024-Ratings.pdf",
}

// chosenOf are the beginnings of the names of the best documents, each once.
func chosenOf(c choice) string {
	var found []string
	for _, d := range c.best {
		first, _, _ := strings.Cut(d.Name, "-")
		found = append(found, first)
	}
	return strings.Join(slices.Compact(found), " ")
}

func sentencesOf(c choice) string {
	var all []string
	for _, m := range c.lacks {
		all = append(all, m.sentence())
	}
	return strings.Join(all, " ")
}

// TestANameDecidesWhereNoDocumentHasBothItAndTheYear: the report of another city does not
// answer a question because its year is right.
func TestANameDecidesWhereNoDocumentHasBothItAndTheYear(t *testing.T) {
	x := namesOf(reports...)
	for _, c := range []struct{ question, chosen, warning string }{
		{"Hamilton 2023 annual surplus", "Hamilton", "No document of 2023 was found for Hamilton; its documents are of 2018 to 2020 and 2022."},
		{"hamilton 2023 annual surplus", "Hamilton", "No document of 2023 was found for hamilton; its documents are of 2018 to 2020 and 2022."},
		{"What was the surplus of Hamilton in FY23?", "Hamilton", "No document of 2023 was found for Hamilton; its documents are of 2018 to 2020 and 2022."},
		{"Hamilton's revenue in 2012", "Hamilton", "No document of 2012 was found for Hamilton; its documents are of 2018 to 2020 and 2022."},
		{"Ajax annual surplus 2021", "Ajax", "No document of 2021 was found for Ajax; its documents are of 2022 and 2023."},
		{"Wie hoch war der Überschuss von Ajax 2021?", "Ajax", "No document of 2021 was found for Ajax; its documents are of 2022 and 2023."},
		{"What does the annual report of Windsor for 2023 say?", "Windsor", "No document of 2023 was found for Windsor; its documents are of 2022 and 2024."},
		{"Vancouver's debt in 2022 and 2023", "Vancouver", "No document of 2023 was found for Vancouver; its documents are of 2021 and 2022."},
		{"Did Toronto or Hamilton spend more in 2023?", "Toronto", "No document of 2023 was found for Toronto; its documents are of 2024. No document of 2023 was found for Hamilton; its documents are of 2018 to 2020 and 2022."},
		// Nothing is missing.
		{"What was Hamilton's surplus in 2022?", "Hamilton", ""},
		{"How did Hamilton's debt change from 2021 to 2022?", "Hamilton", ""},
		{"Which annual reports of 2023 are there?", "Delta", ""},
		{"Was there an annual surplus in 2021?", "Vancouver", ""},
		{"Hamilton's surplus", "Hamilton", ""},
	} {
		got := x.choose(c.question, nil)
		if chosen := chosenOf(got); chosen != c.chosen {
			t.Errorf("%s\nchose %s, want %s", c.question, chosen, c.chosen)
		}
		if warning := sentencesOf(got); warning != c.warning {
			t.Errorf("%s\nwarns %q, want %q", c.question, warning, c.warning)
		}
	}
}

// TestANameDecidesAmongDocumentsOfAnyKind has names of two words and with numbers, and years
// that only profiles have.
func TestANameDecidesAmongDocumentsOfAnyKind(t *testing.T) {
	x := namesOf(family...)
	for _, c := range []struct{ question, chosen, warning string }{
		{"What did Best Buy earn in 2019?", "BESTBUY_2023_10K.pdf", "No document of 2019 was found for Best Buy; its documents are of 2023."},
		{"What was 3M's revenue in 2021?", "3M_2018_10K.pdf 3M_2022_10K.pdf", "No document of 2021 was found for 3M; its documents are of 2018 and 2022."},
		{"What did halvorsen invest in 2020?", "halvorsen annual report 2021.pdf", "No document of 2020 was found for halvorsen; its documents are of 2021."},
		{"How loud is the TD-310, bought in 2021?", "td-310-manual-v1.pdf td-310-manual-v2.pdf", ""}, // manuals without a year
	} {
		got := x.choose(c.question, nil)
		var chosen []string
		for _, d := range got.best {
			chosen = append(chosen, d.Name)
		}
		if strings.Join(chosen, " ") != c.chosen {
			t.Errorf("%s\nchose %v, want %s", c.question, chosen, c.chosen)
		}
		if warning := sentencesOf(got); warning != c.warning {
			t.Errorf("%s\nwarns %q, want %q", c.question, warning, c.warning)
		}
	}
}

// TestASubjectDecidesWhereNamesOfFilesSayNothing: only profiles have names and years.
func TestASubjectDecidesWhereNamesOfFilesSayNothing(t *testing.T) {
	other := assistants.DocumentName{ID: "eta", Name: "eta.pdf", Profile: assistants.Profile{Title: "Annual Report 2022", Kind: "report", Years: []int{2022}, Subjects: []string{"Müller GmbH"}}}
	got := newNameIndex(nil, append(scans(), other), 1, time.Time{}).choose("What was the revenue of Corvane in 2022?", nil)
	if chosenOf(got) != "alpha.pdf beta.pdf delta.pdf" || sentencesOf(got) != "No document of 2022 was found for Corvane; its documents are of 2019 to 2021." {
		t.Errorf("chose %v, warns %q", chosenOf(got), sentencesOf(got))
	}
}

// TestAMissingYearIsOnlyLookedForAmongDocumentsThatMayBeSearched: the warning names no year
// of a document that a filter leaves out.
func TestAMissingYearIsOnlyLookedForAmongDocumentsThatMayBeSearched(t *testing.T) {
	permitted := []assistants.DocumentID{"Hamilton-2018-FinancialReport.pdf", "Abbotsford-2022-FinancialStatements.pdf", "Abbotsford-2023-FinancialStatements.pdf"}
	got := namesOf(reports...).choose("What was Hamilton's surplus in 2022?", permitted)
	if chosenOf(got) != "Hamilton" || len(got.best) != 1 || sentencesOf(got) != "No document of 2022 was found for Hamilton; its documents are of 2018." {
		t.Errorf("chose %v, warns %q", got.best, sentencesOf(got))
	}
}

// TestTheNewestIsPreferredAmongTheDocumentsOfAName although the title of another document has
// a rarer word of the question.
func TestTheNewestIsPreferredAmongTheDocumentsOfAName(t *testing.T) {
	var list []assistants.DocumentName
	for _, name := range reports {
		d := assistants.DocumentName{ID: assistants.DocumentID(name), Name: name, Profile: assistants.Profile{Kind: "report", Title: "Financial statements"}}
		switch name {
		case "Windsor-2024-Ratings.pdf":
			d.Name, d.Profile.Title = "Windsor-2024-SP.pdf", "Credit rating score"
		case "Vancouver-2021-FinancialReport.pdf":
			d.Profile.Title = "Annual report with the rating of the city's credit"
		}
		list = append(list, d)
	}
	x := newNameIndex(nil, list, 1, time.Time{})
	for question, want := range map[string]string{
		"latest credit rating of Vancouver":                    "Vancouver-2022-FinancialReport.pdf",
		"newest annual surplus of Hamilton":                    "Hamilton-2022-FinancialReport.pdf",
		"Vancouver's most recent annual report on its credit":  "Vancouver-2022-FinancialReport.pdf",
		"Was ist die aktuelle Bonität von Vancouver?":          "Vancouver-2022-FinancialReport.pdf",
		"What was the latest rating of Vancouver in 2021?":     "Vancouver-2021-FinancialReport.pdf",
		"What is Hamilton's latest surplus, at best of 2023?":  "Hamilton-2022-FinancialReport.pdf",
		"What is the most recent financial report of Hamilton": "Hamilton-2022-FinancialReport.pdf",
	} {
		got := x.choose(question, nil)
		if len(got.best) != 1 || got.best[0].ID != assistants.DocumentID(want) {
			t.Errorf("%s\nchose %v, want %s", question, got.best, want)
		}
	}
	got := x.choose("latest credit rating of Vancouver", nil)
	if older := got.fit("Vancouver-2021-FinancialReport.pdf"); older != 0 {
		t.Errorf("the older report fits by %f", older)
	}
}

func TestYearsInARowAreWrittenAsASpan(t *testing.T) {
	for want, years := range map[string][]int{
		"2018": {2018}, "2018 and 2019": {2018, 2019}, "2018 to 2020": {2018, 2019, 2020}, "2002, 2005 and 2018 to 2022": {2002, 2005, 2018, 2019, 2020, 2021, 2022},
		"2001 to 2003 and 2020": {2001, 2002, 2003, 2020},
	} {
		if got := spans(years); got != want {
			t.Errorf("%v: %q, want %q", years, got, want)
		}
	}
}
