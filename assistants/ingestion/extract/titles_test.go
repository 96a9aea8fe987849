package extract

import (
	"slices"
	"strings"
	"testing"
)

// titled returns the headings of a document as "level title", in order; "-" ends one.
func titled(d Document) []string {
	var out []string
	for _, h := range d.Headings {
		title := h.Title
		if title == "" {
			title = "-"
		}
		out = append(out, strings.Repeat("#", h.Level)+" "+title)
	}
	return out
}

const (
	rows  = "| Item | 2023 | 2022 |\n|---|---|---|\n| Sales | 5 | 4 |\n| Costs | 3 | 2 |\n"
	prose = "The group sold more than in the year before, because prices rose and because new customers came from abroad. It expects to sell more again in the next year, when the second plant has been opened and the third one is planned.\n"
)

// A line that stands over the columns of a table is a part of its header. The title is above it.
func TestWhatStandsOverColumnsIsNoTitle(t *testing.T) {
	for name, test := range map[string]struct {
		lines  []string
		want   []string
		header string
	}{
		"a line":            {[]string{"Sales by region", "Change from", "Coal | 3 | 2"}, []string{"# Sales by region"}, "Change from"},
		"units above it":    {[]string{"Sales by region", "In thousands", "Change from", "Coal | 3 | 2"}, []string{"# Sales by region"}, "In thousands\nChange from"},
		"names below it":    {[]string{"Sales by region", "Change from", "2019 | 2018", "Coal | 3 | 2"}, []string{"# Sales by region"}, "Change from\n2019 | 2018"},
		"text is above it":  {[]string{prose, "Change from", "Coal | 3 | 2"}, nil, "Change from"},
		"a heading over it": {[]string{"# Change from", "Coal | 3 | 2"}, []string{"# Change from"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := laidOut(test.lines...)
			b := &d.Blocks[len(d.Blocks)-1]
			b.Over = strings.Index(d.Text, "Change from")
			if names := "2019 | 2018"; strings.HasPrefix(d.Text[b.Start:], names) {
				b.HeaderEnd = b.Start + len(names)
			}
			d.titleTables()
			if err := d.Check(); err != nil {
				t.Fatal(err)
			}
			b = &d.Blocks[len(d.Blocks)-1]
			header := strings.Join(strings.Fields(d.Text[b.Start:max(b.Start, b.HeaderEnd)]), " ")
			if got := titled(d); !slices.Equal(got, test.want) || header != strings.Join(strings.Fields(test.header), " ") {
				t.Errorf("headings %q and header %q of %q", got, header, d.Text)
			}
		})
	}
}

func TestTitlesOfTablesAreHeadings(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		want []string
	}{
		"a line above":                 {"Net sales by region\n\n" + rows, []string{"# Net sales by region"}},
		"units between":                {"Net sales by region\n\n(in millions, except per share)\n\n" + rows, []string{"# Net sales by region"}},
		"a period between":             {"Balance sheet\nAs of December 31, 2023\n\n" + rows, []string{"# Balance sheet"}},
		"in German":                    {"Umsatz nach Regionen\n\nAngaben in Mio. €\n\n" + rows, []string{"# Umsatz nach Regionen"}},
		"below a section":              {"# Results\n\nNet sales by region\n\n" + rows, []string{"# Results", "## Net sales by region"}},
		"it ends with the table":       {"# Results\n\nNet sales by region\n\n" + rows + "\n" + prose, []string{"# Results", "## Net sales by region", "## -"}},
		"notes stay":                   {"# Results\n\nNet sales by region\n\n" + rows + "\n(1) Without Norway\n", []string{"# Results", "## Net sales by region"}},
		"units are no heading":         {"# Results\n\n## (in millions)\n\n" + rows, []string{"# Results"}},
		"a heading stays":              {"# Net sales by region (continued)\n\nin thousands of dollars\n\n" + rows, []string{"# Net sales by region"}},
		"it goes on":                   {"Net sales\n\n" + rows + "\nNet sales (Fortsetzung)\n\n" + rows, []string{"# Net sales", "# Net sales"}},
		"a caption":                    {"# Results\n\n" + prose + "\nTable 3. Net sales by region.\n\n" + rows, []string{"# Results", "## Table 3. Net sales by region."}},
		"a caption below":              {"# Results\n\n" + prose + "\n" + rows + "\nTabelle 3: Umsatz\n", []string{"# Results", "## Tabelle 3: Umsatz"}},
		"a caption and a note":         {"Table 1: Sales\n\n" + rows + "\nTable 2: Orders\n\nOrders are counted when they come in.\n\n" + rows, []string{"# Table 1: Sales", "# Table 2: Orders"}},
		"the next table's caption":     {prose + "\n" + rows + "\nTable 2: Orders\n\n" + rows, []string{"# Table 2: Orders"}},
		"dots lead to prices":          {"Prices of bolts\n\n| Bolt … | 3.50 |\n|---|---|\n| Nut … | 0.80 |\n| Pin … | 12.00 |\n", []string{"# Prices of bolts"}},
		"dots lead to pages":           {"Parts of the book\n\n| Bolts … | 3 |\n|---|---|\n| Nuts … | 8 |\n| Pins … | 12 |\n", nil},
		"a scale is no heading":        {"Net sales by region\n\nMillions\n\n" + rows, []string{"# Net sales by region"}},
		"nor one with a currency":      {"# Results\n\n## € million\n\n" + rows, []string{"# Results"}},
		"a caption above code":         {"Table 3: Sizes\n\n```\n\\tiny\n\\small\n```\n\n" + rows, []string{"# Table 3: Sizes"}},
		"a caption of something else":  {"Table 3: Sizes\n\n" + prose + "\n```\n\\tiny\n```\n\n" + rows, nil},
		"an introduction of the next":  {"Net sales by region\n\n" + rows + "\nand these are those of the second plant:\n\n" + rows, []string{"# Net sales by region", "# -"}},
		"an entry of the contents":     {"4 Compatibility 17\n\n" + rows, nil},
		"a line of code":               {"CONFIG=debug\n\n" + rows, nil},
		"the end of a sentence":        {prose + "\n" + rows, nil},
		"the end of a paragraph":       {"sold more than in the year before, because\nPrices rose\n" + rows, nil},
		"an introduction":              {"These are the sales:\n\n" + rows, nil},
		"a statement is no part":       {"# Annual report\n\n## Report of the auditor\n\n### Critical audit matters\n\n" + prose + "\nConsolidated statements of income\n\n" + rows, []string{"# Annual report", "## Report of the auditor", "### Critical audit matters", "## Consolidated statements of income"}},
		"two tables, two titles":       {"Net sales\n\n" + rows + "\nOrders\n\n" + rows, []string{"# Net sales", "# Orders"}},
		"a table without any":          {rows, nil},
		"a line far above is no title": {"Sales\n\n" + prose + "\n" + rows, nil},
	} {
		if got := titled(mustExtract(t, "a.md", []byte(test.text))); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

func TestUnitsAndPeriodsGoWithTheHeader(t *testing.T) {
	doc := mustExtract(t, "a.md", []byte("Balance sheet\n\n($ in millions, except per share data)\n\nAs of December 31, 2023\n\n"+rows))
	b := doc.Blocks[0]
	if got := strings.TrimSpace(doc.Text[b.Start:b.HeaderEnd]); !strings.HasPrefix(got, "($ in millions") || !strings.Contains(got, "As of") || !strings.HasSuffix(got, "|---|---|---|") {
		t.Errorf("header %q", got)
	}
}

func TestCaptionsAndTitleRowsInOtherFormats(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		want []string
	}{
		"net-sales.csv": {"item,2023\nSales,5\n", []string{"# net-sales"}},
		"q4.csv":        {"Net sales,\nitem,2023\nSales,5\n", []string{"# q4", "## Net sales"}},
		"a.html":        {"<h1>Results</h1><table><caption>Net sales</caption><tr><th>Item<th>2023<tr><td>Sales<td>5</table>", []string{"# Results", "## Net sales"}},
		"c.html":        {"<h1>Results</h1><p>Table 3.</p><table><tr><th>Net sales<tr><th>Item<th>2023<tr><td>Sales<td>5</table><p>Table 4.</p><table><tr><th>Orders<tr><th>Item<th>2023<tr><td>New<td>5</table>", []string{"# Results", "## Table 3.", "### Net sales", "## Table 4.", "### Orders"}},
		"d.html":        {"<h1>Results</h1><p>Table 3.</p><table><tr><th>Net sales<tr><th>Item<th>2023<tr><td>Sales<td>5</table><p>" + prose + prose, []string{"# Results", "## Table 3.", "### Net sales", "## -"}},
		"b.html":        {"<p>Net sales (continued)</p><div>in millions</div><table><tr><th>Item<th>2023<tr><td>Sales<td>5</table>", []string{"# Net sales"}},
	} {
		if got := titled(mustExtract(t, name, []byte(test.text))); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

func TestUnits(t *testing.T) {
	for _, line := range []string{
		"(in millions)", "In thousands, except per share amounts", "$ in millions", "Dollars in millions", "in Mio. €", "Angaben in TEUR", "(unaudited)", "Unaudited",
		"As of December 31, 2023", "For the years ended December 31, 2023 and 2022", "Years ended December 31,", "zum 31. Dezember 2023", "Millions", "Millions of dollars", "€ million", "US$ thousands", "Mio. EUR", "Tausend Euro", "EUR million", "(Fortsetzung)", "en milliers d'euros",
		"Six Months Ended", "Three Months Ended | Nine Months Ended",
	} {
		if !IsUnits(line) {
			t.Errorf("%q is no line of units", line)
		}
	}
	for _, line := range []string{
		"Consolidated Balance Sheets", "Revenue of the group, in million euros", "In millions of homes there is a heat pump that nobody knows of.", "Perspective 2030", "Stand alone systems", "", "Item 7", "Dollars", "Euro", "A million reasons", "Millions of customers", "US dollars", "Three Months Ended | Sales", "Six months of work", "Six months", "Neun Monate",
	} {
		if IsUnits(line) {
			t.Errorf("%q is a line of units", line)
		}
	}
}
