package profile

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"footnote/assistants"
)

func TestReadsWhatADocumentIs(t *testing.T) {
	for name, c := range map[string]struct {
		source Source
		want   assistants.Profile
	}{
		"a report with a title page": {
			Source{Name: "scan_0001.pdf", Title: "Microsoft Word - final3.docx", Front: "Halvorsen Marine ASA\nAnnual Report 2021\nFor the year ended 31 December 2021\n", Headings: []string{"Annual Report 2021", "Letter to shareholders"}},
			assistants.Profile{Title: "Annual Report 2021", Years: []int{2021}, Periods: []string{"December 2021"}, Kind: "report"},
		},
		"the last month of a quarter, besides what its name says": {
			Source{Name: "2023 Q1.pdf", Title: "Quarterly report of Amcor plc", Front: "For the quarterly period ended 1 April 2023\nFor the transition period from June 2020 to July 2021\n"},
			assistants.Profile{Title: "Quarterly report of Amcor plc", Years: []int{2023}, Periods: []string{"Q1 2023", "April 2023"}, Kind: "report", Subjects: []string{"Amcor plc"}},
		},
		"a period that others had": {
			Source{Name: "2023 Q1.pdf", Title: "Quarterly report of Amcor plc", Front: "Our harvest ended in June 2023\nIn the quarter ended 30 April 2020 it rained.\n"},
			assistants.Profile{Title: "Quarterly report of Amcor plc", Years: []int{2023}, Periods: []string{"Q1 2023"}, Kind: "report", Subjects: []string{"Amcor plc"}},
		},
		"a price list that its name dates": {
			Source{Name: "ferrand-price-list-2024-q1.pdf", Title: "Ferrand Price List", Front: "Ferrand Price List\nValid from 1 January 2023\n"},
			assistants.Profile{Title: "Ferrand Price List", Years: []int{2024}, Periods: []string{"Q1 2024"}, Kind: "price list", Subjects: []string{"Ferrand"}},
		},
		"a German contract": {
			Source{Name: "a.docx", Title: "Arbeitsvertrag", Front: "Arbeitsvertrag\nzwischen der Müller Maschinenbau GmbH\nund Frau Weber, 3. März 2022\n"},
			assistants.Profile{Title: "Arbeitsvertrag", Years: []int{2022}, Periods: []string{"März 2022"}, Kind: "contract", Subjects: []string{"Müller Maschinenbau GmbH"}},
		},
		"a manual of a product": {
			Source{Name: "manual.pdf", Title: "TD-310 Operating Manual, Version 3.2"},
			assistants.Profile{Title: "TD-310 Operating Manual, Version 3.2", Kind: "manual", Subjects: []string{"TD-310"}},
		},
		"years of others are not its own": {
			Source{Name: "policy.md", Title: "Travel policy", Front: "Travel policy\n© 2015 Acme\nUnder the Travel Act of 1934\nRoom 2010b, extension 20214\n"},
			assistants.Profile{Title: "Travel policy", Kind: "policy", Subjects: []string{"Travel"}},
		},
		"a page that compares years": {
			Source{Name: "x.txt", Front: "Results\n2019 2020 2021 2022\n"},
			assistants.Profile{Title: "Results"},
		},
		"parties of a contract": {
			Source{Name: "x.pdf", Title: "Amendment No. 2 to the Supply Agreement: Dorran Castings S.p.A. and Meridian Outdoor Group, Inc.", Front: "between Meridian Outdoor Group, Inc., and others"},
			assistants.Profile{Title: "Amendment No. 2 to the Supply Agreement: Dorran Castings S.p.A. and Meridian Outdoor Group, Inc.", Kind: "contract", Subjects: []string{"Dorran Castings S.p.A.", "Meridian Outdoor Group, Inc.", "Supply"}},
		},
		"a quarter in words": {
			Source{Name: "x.txt", Title: "Third Quarter 2023 Earnings of Amcor plc"},
			assistants.Profile{Title: "Third Quarter 2023 Earnings of Amcor plc", Years: []int{2023}, Periods: []string{"Q3 2023"}, Kind: "report", Subjects: []string{"Amcor plc"}},
		},
		"months as they are written": {
			Source{Name: "x.txt", Title: "Rapport d'activité août 2023, de\u0301cembre 2023, FÉVRIER 2024, février 2024"},
			assistants.Profile{Title: "Rapport d'activité août 2023, de\u0301cembre 2023, FÉVRIER 2024, février 2024", Years: []int{2023, 2024}, Periods: []string{"Août 2023", "Décembre 2023", "Février 2024"}, Kind: "report"},
		},
		"what would not be seen": {
			Source{Name: "x.txt", Title: "Annual\u2028 Rep\u00adort \u202e2021\u200b", Front: "\ufeffNordic Sea\u2066 GmbH\n"},
			assistants.Profile{Title: "Annual Report 2021", Years: []int{2021}, Kind: "report", Subjects: []string{"Nordic Sea GmbH"}},
		},
		"nothing": {Source{}, assistants.Profile{}},
	} {
		got := Read(c.source)
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s\ngot  %+v\nwant %+v", name, got, c.want)
		}
	}
}

func TestTitlesThatProgramsWroteAreNone(t *testing.T) {
	for _, title := range []string{"untitled", "Untitled Document", "Microsoft Word - x.doc", "report_final_2.pdf", `C:\temp\a`, "/tmp/a", "https://a.example/b", "12345", "a_b_c", "Ohne Titel", "PowerPoint-Präsentation.ppt", strings.Repeat("long ", 50),
		"CONSOLIDATED2021", "2021Consolidated", "Geschäftsjahr2021"} {
		if looksLikeTitle(title, "some name") {
			t.Errorf("%q was taken for a title", title)
		}
	}
	for _, title := range []string{"Annual Report 2021", "Preisliste", "GNU Emacs Manual", "Manual v2.1", "CONSOLIDATED 2021", "MFC2020", "ISO27001", "Model12345", "2021/22 Accounts", "Agenda2030 in Practice",
		"2021年度报告", "財務報告2021", "รายงาน2021"} {
		if !looksLikeTitle(title, "some name") {
			t.Errorf("%q was not taken for a title", title)
		}
	}
}

// FuzzProfilesKeepTheirBounds: whatever a file says, its profile can be stored and edited.
func TestALongTitleIsCut(t *testing.T) {
	for title, want := range map[string]string{
		strings.Repeat("Longwords ", 15) + "2021":     strings.TrimSpace(strings.Repeat("Longwords ", 11)) + "…",
		strings.Repeat("ä", 150) + " 2021":            strings.Repeat("ä", 119) + "…",
		strings.Repeat("ä", 110) + " 2021 and a year": strings.Repeat("ä", 110) + " 2021…",
	} {
		got := Read(Source{Name: "x.txt", Title: title})
		if got.Title != want || utf8.RuneCountInString(got.Title) > assistants.MaxProfileTitle {
			t.Errorf("%q is %q, want %q", title, got.Title, want)
		}
		if !reflect.DeepEqual(got.Years, []int{2021}) && strings.Contains(title, "2021") {
			t.Errorf("%q: years %v", title, got.Years)
		}
	}
}

func FuzzProfilesKeepTheirBounds(f *testing.F) {
	f.Add("report-2021.pdf", "Title Inc.", "Acme Holdings GmbH 2020\nQ3 2021", "Heading AG")
	f.Add("\xff", "\x00", "ǅ İ ﬁ 2021 2022", "ß & Co")
	f.Fuzz(func(t *testing.T, name, title, front, heading string) {
		p := Read(Source{Name: name, Title: title, Front: front, Sample: front, Headings: []string{heading}})
		edits := assistants.ProfileEdits{Title: &p.Title, Years: &p.Years, Periods: &p.Periods, Kind: &p.Kind, Language: &p.Language, Subjects: &p.Subjects}
		valid := utf8.ValidString(name + title + front + heading)
		if err := edits.Check(); err != nil && valid {
			t.Errorf("%v: %s", err, fmt.Sprintf("%+v", p))
		}
	})
}
