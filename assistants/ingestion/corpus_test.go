package ingestion

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"footnote/assistants"
)

// A known place is where words of a test document stand, written down by hand
// from the document itself.
type knownPlace struct {
	file    string
	words   string // as they are read
	page    int    // 0: a format without pages
	section string // the innermost heading above, "" for none
	header  string // of the table they stand in, "" for none
}

var knownPlaces = []knownPlace{
	{"handbook.pdf", "1.2 Before the journey, part 2", 1, "1.2 Before the journey, part 2", ""},
	{"handbook.pdf", "2.1 Booking, part 1", 2, "2.1 Booking, part 1", ""},
	{"handbook.pdf", "3.2 Daily allowances, part 2", 4, "3.2 Daily allowances, part 2", ""},
	{"handbook.pdf", "4.1 Hotels, part 1", 5, "4.1 Hotels, part 1", ""},
	{"leave.md", "more than 5      |   30 |", 0, "Annual leave", "| Years of service | Days | Carry-over |\n|------------------|-----:|-----------:|"},
	{"kiyaku.md", "社員は毎年二十五日の有給休暇を取得することができる。", 0, "第1条", ""},
	{"it.html", "Hold the power key for 17 seconds.", 0, "14. How do I reset device 14?", ""},
	{"it.html", "Cable 59 | 177.50 €", 0, "Prices", "Item | Price"},
	{"prices.csv", "Part 90 | 630,90 | ", 0, "prices", "item | price | valid from"},
	{"rates.tsv", "Zambia | 58 | 125", 0, "rates", "Country | Meals per day (EUR) | Hotel per night (EUR) | Remark"},
	{"rates.tsv", "France | 82 | 148 | ask the \"travel desk\", then book", 0, "rates", "Country | Meals per day (EUR) | Hotel per night (EUR) | Remark"},
	{"utf16-bom.csv", "Hauptstraße 39 | 273 m²", 0, "utf16-bom", "Straße | Größe"},
	{"utf16.txt", "Über größere Beträge entscheidet das Präsidium.", 0, "", ""},
	{"sjis.txt", "海外出張には社長の承認が必要です。", 0, "", ""},
	{"gbk.txt", "未休假期最多可以结转十天。", 0, "", ""},
	{"policy.json", "title: Travel policy", 0, "", ""},
	{"policy.json", "Rule 40: a journey of class 40 is approved within 42 working days.", 0, "approval", ""},
	{"policy.json", "- country: Zambia\n  meals: 58\n  hotel: 125", 0, "rates", ""},
	{"policy.json", "phone: +49 30 1234-567", 0, "", ""},
	{"incidents.jsonl", "id: INC-1041\nopened: 2026-02-14\nservice: network\nsummary: Report number 41: the network service was slow for 28 minutes.", 0, "", ""},
	{"network.xml", "Rule 2.8 on passwords: members of group 8 wait 28 minutes before they ask again.", 0, "Passwords", ""},
	{"network.xml", "House 79 | guest-079 | 2", 0, "Networks", "Networks\nBuilding | Network name | Channel"},
	{"hausordnung.rtf", "§ 2.4 Wer einen Schlüssel der Größe 4 verliert, meldet es binnen 6 Tagen der Verwaltung [Fassung von 2004.].", 0, "2 Schlüssel", ""},
	{"hausordnung.rtf", "R 189 | 25", 0, "3 Räume", "Raum | Plätze"},
	{"tagung.eml", "From: Anna Müller <anna@example.org>", 0, "Frühjahrstagung: Zusagen", ""},
	{"tagung.eml", "Die Tagung beginnt am 14. April um 9 Uhr in Raum 217.", 0, "Frühjahrstagung: Zusagen", ""},
	{"tagung.eml", "The budget for the spring conference is 4,300 EUR.", 0, "Re: budget", ""},
	{"tagung.eml/Zusagen Größe.csv", "Schulz | nein", 0, "Zusagen Größe", "Name | Zusage"},
	{"travel.docx", "Norwegen | 75", 2, "2 Sätze", "Land | Tag | Nacht"},
	{"travel.docx", "Dieser Absatz beginnt auf Seite zwei", 2, "2 Sätze", ""},
	{"travel.docx", "und endet auf Seite drei.", 3, "2 Sätze", ""},
	{"travel.docx", "Auf Seite vier.", 4, "Anhang", ""},
	{"review.pptx", "Japan | 61 | 139", 2, "Rates", "Country | Day | Night"},
	{"review.pptx", "Revenue grew by 12 %", 3, "Results of the year", ""},
	{"review.pptx", "Say thanks to the team.", 3, "Results of the year", ""},
	{"review.pptx", "Grouped words.", 4, "Slide 4", ""},
	{"rates.xlsx", "Japan without Tokyo | 1,234,567.89 €", 1, "Rates 2026", "Daily rates, all countries\nCountry | Rate | Share | Valid from | Checked | Formula"},
	{"rates.xlsx", "Sat, 3 Jan 2026 | 30:30", 3, "Log", "2026\nDay | Hours"},
	{"letter.odt", "Diese Richtlinie gilt für alle Beschäftigten; siehe das Portal.¹", 2, "1 Geltung", ""},
	{"letter.odt", "Nach dem Umbruch.", 4, "2 Sätze", ""},
	{"budget.ods", "Miete | 1.200,00 € | 75%", 1, "Haushalt", "Posten | Betrag | Anteil | Datum"},
	{"budget.ods", "2026-01-02 08:30:00 | 01:45", 3, "Log", "Day | Hours"},
	{"talk.odp", "In a shape.", 2, "Slide 2", ""},
	{"talk.odp", "Norway | 75", 4, "Rates", ""},
	{"guide.epub", "No heading here.", 0, "The second part", ""},
	{"make.py", `"""Writes the documents of this folder that are made`, 0, "", ""},
}

// placesIn checks the known places of a file, and that the words stand there only.
func placesIn(t *testing.T, file string, chunks []assistants.Chunk) {
	t.Helper()
	for _, known := range knownPlaces {
		if known.file != file {
			continue
		}
		i := slices.IndexFunc(chunks, func(c assistants.Chunk) bool { return strings.Contains(c.Text, known.words) })
		if i < 0 {
			t.Errorf("no passage has %q", known.words)
			continue
		}
		c := chunks[i]
		before, _, _ := strings.Cut(c.Text, known.words)
		at := c.CharStart + len([]rune(before))
		page := c.Page
		for _, p := range c.PageStarts {
			if p.CharStart <= at {
				page = p.Page
			}
		}
		if page != known.page {
			t.Errorf("%q is on page %d, says %d", known.words, known.page, page)
		}
		// A short section is kept together with what stands above its heading.
		if got := c.SectionHeader(); got != known.section && (known.section == "" || !strings.Contains(before, known.section)) {
			t.Errorf("%q stands under %q, says %q", known.words, known.section, got)
		}
		if known.header != "" && c.TableHeader != known.header && !strings.Contains(before, known.header) {
			t.Errorf("%q has the columns %q, says %q", known.words, known.header, c.TableHeader)
		}
	}
}

func TestEveryKnownPlaceIsInATestDocument(t *testing.T) {
	for _, known := range knownPlaces {
		name, _, _ := strings.Cut(known.file, "/")
		if !slices.ContainsFunc(testDocuments(t), func(path string) bool { return strings.HasSuffix(path, "/"+name) }) {
			t.Errorf("%s is not among the documents", known.file)
		}
	}
}

// testDocuments are the files of all formats that tests read.
func testDocuments(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, pattern := range []string{"testdata/*.*", "extract/pdf/testdata/*.pdf", "extract/office/testdata/*.*"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("no documents in %s: %v", pattern, err)
		}
		all = append(all, files...)
	}
	return slices.DeleteFunc(all, func(file string) bool { return filepath.Ext(file) == ".golden" })
}
