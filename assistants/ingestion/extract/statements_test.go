package extract

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// laidOut makes a document of lines, as the reader of PDF does: lines after "#" are headings,
// lines with bars are tables without a header, and "===" is the end of a page.
func laidOut(lines ...string) Document {
	var d Document
	var text strings.Builder
	table := false
	d.Pages = []Page{{Number: 1}}
	for _, line := range lines {
		if line == "===" {
			d.Pages[len(d.Pages)-1].End = text.Len()
			text.WriteString("\n\n")
			d.Pages = append(d.Pages, Page{Number: len(d.Pages) + 1, Start: text.Len()})
			table = false
			continue
		}
		row := strings.Contains(line, "|")
		switch {
		case row && table:
			text.WriteString("\n")
		case text.Len() > d.Pages[len(d.Pages)-1].Start:
			text.WriteString("\n\n")
		}
		start := text.Len()
		if level := len(line) - len(strings.TrimLeft(line, "#")); level > 0 {
			line = strings.TrimSpace(line[level:])
			d.Headings = append(d.Headings, Heading{Start: start, Level: level, Title: line})
		}
		text.WriteString(line)
		if row && !table {
			d.Blocks = append(d.Blocks, Block{Kind: BlockTable, Start: start})
		}
		if row {
			d.Blocks[len(d.Blocks)-1].End = text.Len()
		}
		table = row
	}
	d.Text = text.String()
	d.Pages[len(d.Pages)-1].End = text.Len()
	return d
}

// pathAt returns the titles above the place where a text begins.
func pathAt(t *testing.T, d Document, text string) []string {
	t.Helper()
	at := strings.Index(d.Text, text)
	if at < 0 {
		t.Fatalf("no %q in %q", text, d.Text)
	}
	var open []Heading
	for _, h := range d.Headings {
		if h.Start > at {
			break
		}
		open = append(slices.DeleteFunc(open, func(o Heading) bool { return o.Level >= h.Level }), h)
	}
	var path []string
	for _, h := range open {
		if h.Title != "" {
			path = append(path, h.Title)
		}
	}
	return path
}

var (
	assets      = []string{"Cash | 12 | 11", "Stocks | 7 | 6"}
	liabilities = []string{"Loans | 30 | 31", "Pensions | 9 | 8"}
	notes       = "The notes are a part of this statement. The council has approved it in its meeting in May, after the auditor had read it, and it has been sent to the ministry, which will publish it in the summer together with those of the other towns of the county."
)

func TestPartsOfAStatementAreBelowItsTitle(t *testing.T) {
	type paths map[string]string // by the text that stands there; titles with a slash between them
	for name, test := range map[string]struct {
		lines []any
		want  paths
	}{
		"a period and names": {[]any{"Fir Town", "Statement of Financial Position", "For the year ended May 31, 2019 (in thousands)", "2019 2018", "Assets", assets, "Liabilities", liabilities},
			paths{"Fir": "Statement of Financial Position/Assets", "For the year": "Statement of Financial Position/Assets", "Cash": "Statement of Financial Position/Assets", "Loans": "Statement of Financial Position/Liabilities"}},
		"text above the title": {[]any{notes, "Statement of Financial Position", "in thousands", "Assets", assets},
			paths{"The notes": "", "in thousands": "Statement of Financial Position/Assets"}},
		"only units": {[]any{"Bilanz", "in Mio. €", "Aktiva", assets, "Passiva", liabilities},
			paths{"Cash": "Bilanz/Aktiva", "Loans": "Bilanz/Passiva"}},
		"only names": {[]any{"Bilan", "2019 2018", "Actif", assets, "Passif", liabilities},
			paths{"Cash": "Bilan/Actif", "Loans": "Bilan/Passif"}},
		"a date": {[]any{"Staat van baten en lasten", "31 december 2019", "Baten", assets, "Lasten", liabilities},
			paths{"Cash": "Staat van baten en lasten/Baten", "Loans": "Staat van baten en lasten/Lasten"}},
		"names in cells": {[]any{"Operations", "For the year 2019", "Budget", "2019", "Plan | Actual", "2019 | 2018", "Income", assets, "Expenses", liabilities},
			paths{"Cash": "Operations/Income", "Loans": "Operations/Expenses"}},
		"names that look like a title": {[]any{"# Operations", "($000s)", "2019", "Budget 2019 2018", "(Note 14)", "Income", assets, "Expenses", liabilities},
			paths{"Cash": "Operations/Income", "Loans": "Operations/Expenses"}},
		"a part in the middle of the page": {[]any{"# Report", "## Balance sheet", "2019", assets, "Net assets", liabilities, "===", "### Notes", notes},
			paths{"Cash": "Report/Balance sheet", "Loans": "Report/Balance sheet/Net assets", "The notes": "Report/Notes"}},
		"names below the first part's title": {[]any{"Operations", "In thousands", "Income", "Plan | Actual", "2019 | 2018", "(Note 19)", assets, "Expenses", liabilities},
			paths{"2019 | 2018": "Operations/Income", "Cash": "Operations/Income", "Loans": "Operations/Expenses"}},
		"a heading in a statement": {[]any{"Operations", "2019 2018", assets, "### Expenses", liabilities},
			paths{"Cash": "Operations", "Loans": "Operations/Expenses"}},
		"a statement that goes on, and a heading far below it": {[]any{"# Report", "## Statements", "### Those of the group", notes, "===", "Statement of changes in equity", "2019 2018", assets, "===", "Share capital", liabilities, "===", "#### Basis", notes},
			paths{"Cash": "Report/Statement of changes in equity", "Loans": "Report/Share capital", "Basis": "Report/Basis"}},
		"a colon": {[]any{"Operations", "In thousands", "Income:", assets, "Expenses:", liabilities},
			paths{"Cash": "Operations/Income", "Loans": "Operations/Expenses"}},
		"a colon above a part's title": {[]any{"# Report", "## Cash flows", "In thousands", "Cash provided by:", "Sales", assets, "Rent", liabilities},
			paths{"Cash |": "Report/Cash flows/Sales", "Loans": "Report/Cash flows/Rent"}},
		"a heading between": {[]any{"# Cash flows", "In thousands", "# Cash provided by", "# Sales", assets, "# Rent", liabilities},
			paths{"Cash |": "Cash flows/Cash provided by/Sales", "Loans": "Cash flows/Rent"}},
		"more headings between": {[]any{"# Notes", "In thousands", "# 1. Stocks", "Oats", "Rye", "# 2. Land", assets},
			paths{"Oats": "1. Stocks", "Cash |": "2. Land"}},
		"headings of the same size": {[]any{"# Fir Town", "## Operations", "In thousands", "## Income", assets, "## Expenses", liabilities, "## Notes", notes},
			paths{"Cash": "Fir Town/Operations/Income", "Loans": "Fir Town/Operations/Expenses", "The notes": "Fir Town/Notes"}},
		"only the parts are headings": {[]any{"# Report", "## Fir Town", "Operations", "In thousands", "## Income", assets, "## Expenses", liabilities, "===", "## Notes", notes},
			paths{"Cash": "Report/Operations/Income", "Loans": "Report/Operations/Expenses", "The notes": "Report/Notes"}},
		"only the statement is a heading": {[]any{"# Fir Town", "## Operations", "In thousands", "Income", assets, "Expenses", liabilities},
			paths{"Cash": "Fir Town/Operations/Income", "Loans": "Fir Town/Operations/Expenses"}},
		"a heading with a row as a paragraph": {[]any{"# Cash flows", "2019 2018", "# Operating", assets, "# Investing", "Bonds (49) (53)", "# Financing", liabilities},
			paths{"Cash |": "Cash flows/Operating", "Bonds": "Cash flows/Investing", "Loans": "Cash flows/Financing"}},
		"it ends with its page": {[]any{"# Report", "Operations", "In thousands", "Income", assets, "Expenses", liabilities, "===", notes},
			paths{"Loans": "Report/Operations/Expenses", "The notes": "Report"}},
		"the next page's table": {[]any{"# Report", "Operations", "In thousands", "Income", assets, "===", "Staff by place", liabilities},
			paths{"Cash": "Report/Operations/Income", "Loans": "Report/Staff by place"}},
		"notes below it": {[]any{"# Report", "Operations", "In thousands", "Income", assets, "See the notes.", "===", notes, assets},
			paths{"See the notes": "Report/Operations/Income", "The notes": "Report"}},
		"two on a page": {[]any{"# Report", "Operations", "In thousands", "Income", assets, "Position", "In millions", "Assets", liabilities},
			paths{"Cash": "Report/Operations/Income", "Loans": "Report/Position/Assets"}},
		"a table with units of its own is no part": {[]any{"# Report", "Operations", "In thousands", "Income", assets, "Staff by place", "in percent", liabilities},
			paths{"Cash": "Report/Operations/Income", "Loans": "Report/Staff by place"}},
		"text ends it": {[]any{"# Report", "Operations", "In thousands", "Income", assets, notes, liabilities},
			paths{"Cash": "Report/Operations/Income", "The notes": "Report", "Loans": "Report"}},
		"names without a title of all": {[]any{"# Report", "## Notes", notes, "2019 | 2018", "Income", assets, "Expenses", liabilities, "===", notes},
			paths{"2019": "Report/Notes", "Cash": "Report/Notes/Income", "Loans": "Report/Notes/Expenses"}},
		"nothing between two titles": {[]any{"# Report", "Fir Town", "Income", assets, "Expenses", liabilities},
			paths{"Cash": "Report/Income", "Loans": "Report/Expenses"}},
		"a year in a title is no name of a column": {[]any{"# Report", "Fir Town", "Sales of 2019 and 2018", "Income", assets},
			paths{"Cash": "Report/Income"}},
		"a document's title below smaller headings": {[]any{"### Form 10", "# Fir Town", "## Commission", "===", "##### Part I", "===", "Statement of Financial Position", "2019 | 2018", assets},
			paths{"Cash": "Fir Town/Statement of Financial Position"}},
		"the first line of a label": {[]any{"# Report", "Stocks of the town's mill |", "and shares issued | 69 | 64", "Gains | 3 | 4"}, paths{"Gains": "Report"}},
		"a title row":               {[]any{"# Report", "Stocks of the town's mill |", "Shares issued | 69 | 64", "Gains | 3 | 4"}, paths{"Gains": "Report/Stocks of the town's mill"}},
		"headings that name its parts": {[]any{"# Fir Town", "## Balance sheet", "2019 | 2018", "Current assets:", assets, "# Liabilities and equity", liabilities, "# Staff", liabilities},
			paths{"Cash": "Fir Town/Balance sheet/Current assets", "Loans": "Fir Town/Balance sheet/Liabilities and equity"}},
		"chapters, and no document's title": {[]any{"# Report", "## Aims", "# Accounts", "===", "Statement of Financial Position", "2019 | 2018", assets},
			paths{"Cash": "Statement of Financial Position"}},
		"text above units": {[]any{"# Report", notes, "(in thousands)", "Income", assets, "Expenses", liabilities},
			paths{"Cash": "Report/Income", "Loans": "Report/Expenses"}},
	} {
		t.Run(name, func(t *testing.T) {
			d := laidOut(flat(test.lines)...)
			d.titleTables()
			if err := d.Check(); err != nil {
				t.Fatal(err)
			}
			for text, want := range test.want {
				if got := strings.Join(pathAt(t, d, text), "/"); got != want {
					t.Errorf("%q is below %q, want %q; headings %+v", text, got, want, d.Headings)
				}
			}
		})
	}
}

func TestTablesOfNames(t *testing.T) {
	for rows, want := range map[string]bool{
		"2019 | 2018": true, "Plan | Actual": true, "Budget\n2019 | 2018": true, "For the year | 2019 | 2018": true,
		"Deferred revenue of towns\n2019 | 2018": false, "Name | Ada | Bo | Cy": false, "Cash | 12": false, "2019 | 2018\n2017 | 2016\n2015 | 2014\n2013 | 2012": false,
	} {
		d := Document{Text: rows + "\n\n" + strings.Join(assets, "\n"), Pages: []Page{{Number: 1}}}
		names, next := Block{Kind: BlockTable, End: len(rows)}, Block{Kind: BlockTable, Start: len(rows) + 2, End: len(d.Text)}
		if got := d.namesColumns(names, next); got != want {
			t.Errorf("%q: %v", rows, got)
		}
	}
}

// flat returns lines and the rows of tables one after the other.
func flat(parts []any) []string {
	var out []string
	for _, p := range parts {
		if rows, ok := p.([]string); ok {
			out = append(out, rows...)
		} else {
			out = append(out, p.(string))
		}
	}
	return out
}

func TestNamesOfColumnsInALine(t *testing.T) {
	for line, want := range map[string]bool{
		"2019 2018": true, "2019 | 2018": true, "2019": true, "Budget 2019 Actual 2019 Actual 2018": true, "2024 Budget ($) 2024 Actual ($)": true, "2019 2019 2018 Plan Actual Actual (Note 19)": true,
		"Sales 2019 2018": false, "2019 2018 Revenue": false, "Sales of 2019 and 2018": false, "2019 compared with 2018": false, "Plan Actual": false, "": false, "Cash 12 11": false, "Annual report 2019": false,
	} {
		if got := isNames(line); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
	for line, want := range map[string]bool{
		"December 31, 2019": true, "31. Dezember 2019": true, "31 décembre 2019": true, "31.12.2019": true, "31/12/2019 (in euros)": true, "December 31 2024 2023": true,
		"Section 12 of 2019": false, "Item 7": false, "2019": false, "May 2019": false, "The year 2019": false, "31 members": false,
	} {
		if got := startsWithDate(line); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
	for line, want := range map[string]bool{
		"October 12, 2021": true, "21. März 2023": true, "31.12.2019": true, "2019-12-31": true, "3 mei 2019": true, "14 Feb. 21": true,
		"": false, "May 2019": false, "December 31, 2019 and 2018": false, "Release 2 2019": false, "12 Reasons 2019": false, "12 Rules 23": false, "May 12 items": false, "2019": false,
	} {
		if got := IsDate(line); got != want {
			t.Errorf("%q is a date: %v", line, got)
		}
	}
}

func TestPartsOfAStatementHaveTheUnitsAndNamesAboveTheFirst(t *testing.T) {
	more := []string{"Rent | 1 | 2 | 3", "Heat | 4 | 5 | 6"}
	for name, test := range map[string]struct {
		lines        []any
		row          string // of the table
		units, names string
	}{
		"the next part":     {[]any{"Statement of Operations", "For the year 2019", "In thousands", "2019 2018", "Income", assets, "Expenses", liabilities}, "Loans", "For the year 2019\n\nIn thousands", "2019 2018"},
		"the first part":    {[]any{"Statement of Operations", "In thousands", "2019 2018", "Income", assets}, "Cash", "In thousands", "2019 2018"},
		"names in cells":    {[]any{"Statement of Operations", "In thousands", "Budget", "2019", "Plan | Actual", "2019 | 2018", "Income", assets, "Expenses", liabilities}, "Loans", "In thousands", "Budget\n\n2019\n\nPlan | Actual\n2019 | 2018"},
		"names below":       {[]any{"Statement of Operations", "In thousands", "Income", "Plan | Actual", "2019 | 2018", "(Note 19)", assets, "Expenses", liabilities}, "Loans", "In thousands", "Plan | Actual\n2019 | 2018\n\n(Note 19)"},
		"a part untitled":   {[]any{"Statement of Operations", "In thousands", "2019 2018", "Income", assets, "(1) Without the port", liabilities}, "Loans", "In thousands", "2019 2018"},
		"one title":         {[]any{"# Statement of Operations", "In thousands", "2019 2018", assets, "Expenses", liabilities}, "Loans", "In thousands", "2019 2018"},
		"no title of all":   {[]any{"# Notes", notes, "Plan | Actual", "2019 | 2018", "Income", assets, "Expenses", liabilities}, "Loans", "", ""},
		"rooms":             {[]any{"Statement of Operations", "In thousands", "2019 2018", "Income", assets, "Rooms by place", "2017 2016", []string{"Fir | 1 | 2", "Oak | 3 | 4"}, "Beds", liabilities}, "Loans", "", ""},
		"no finances":       {[]any{"Operations", "In thousands", "2019 2018", "Income", assets, "Expenses", liabilities}, "Loans", "", ""},
		"a second one":      {[]any{"# Balance Sheet", "2014 2013", assets, "# Statement of Operations", "2016 2015", "Revenues", []string{"Fees | 1 | 2", "Fines | 3 | 4"}, "Expenses", liabilities}, "Loans", "", "2016 2015"},
		"a second heading":  {[]any{"# Balance Sheet", "2014 2013", assets, "# Statement of Operations", liabilities}, "Loans", "", ""},
		"only units":        {[]any{"# Notes", notes, "In thousands", "Income", assets, "Expenses", liabilities}, "Loans", "", ""},
		"other columns":     {[]any{"Statement of Operations", "In thousands", "2019 2018", "Income", assets, "Expenses", more}, "Rent", "", ""},
		"names of its own":  {[]any{"Statement of Operations", "In thousands", "2019 2018", "Income", assets, "Expenses", "2017 2016", liabilities}, "Loans", "", ""},
		"units of its own":  {[]any{"Statement of Operations", "In thousands", "2019 2018", "Income", assets, "Staff", "in percent", liabilities}, "Loans", "", ""},
		"a year too few":    {[]any{"Statement of Operations", "In thousands", "2019", "Income", "2018", assets, "Expenses", liabilities}, "Loans", "In thousands", ""},
		"another statement": {[]any{"Statement of Operations", "In thousands", "2019 2018", "Income", assets, "Balance Sheet", "in euros", "2017 2016", "Assets", liabilities}, "Loans", "in euros", "2017 2016"},
		"the next page":     {[]any{"Statement of Operations", "In thousands", "2019 2018", "Income", assets, "===", "Expenses", liabilities}, "Loans", "", ""},
		"after text":        {[]any{"Statement of Operations", "In thousands", "2019 2018", "Income", assets, notes, liabilities}, "Loans", "", ""},
		"the same labels":   {[]any{"# Notes", notes, "Plan | Actual", "2019 | 2018", "North", assets, "South", append([]string{"Boats | 5 | 6"}, assets...)}, "Boats", "", "Plan | Actual\n2019 | 2018"},
		"one label alike":   {[]any{"# Notes", notes, "Plan | Actual", "2019 | 2018", "North", assets, "South", append([]string{"Boats | 5 | 6"}, assets[:1]...)}, "Boats", "", ""},
		"no statement":      {[]any{"Income", assets, "Expenses", liabilities}, "Loans", "", ""},
		"no names":          {[]any{"Statement of Operations", "In thousands", "Fir Town", "Income", assets, "Expenses", liabilities}, "Loans", "In thousands", ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := laidOut(flat(test.lines)...)
			d.titleTables()
			if err := d.Check(); err != nil {
				t.Fatal(err)
			}
			at := strings.Index(d.Text, test.row+" |")
			i := slices.IndexFunc(d.Blocks, func(b Block) bool { return b.Start <= at && at < b.End })
			b := d.Blocks[i]
			if units, names := d.Text[b.Units.Start:b.Units.End], d.Text[b.Names.Start:b.Names.End]; units != test.units || names != test.names {
				t.Errorf("units %q and names %q, want %q and %q", units, names, test.units, test.names)
			}
		})
	}
}

// A statement may have a long first part and many others on its page.
func TestTheLabelsOfAFirstPartAreReadOnce(t *testing.T) {
	run := func(parts int) float64 {
		lines := []any{"# Notes", notes, "Plan | Actual", "2019 | 2018", "North", append(slices.Repeat([]string{"Coal | 3 | 2"}, 400), assets...)}
		for range parts {
			lines = append(lines, "South", assets)
		}
		given := laidOut(flat(lines)...)
		return testing.AllocsPerRun(3, func() {
			d := given
			d.Blocks = slices.Clone(given.Blocks)
			d.titleTables()
			if last := d.Blocks[len(d.Blocks)-1]; d.Text[last.Names.Start:last.Names.End] != "Plan | Actual\n2019 | 2018" {
				t.Errorf("names %q", d.Text[last.Names.Start:last.Names.End])
			}
		})
	}
	if one, four := run(25), run(100); four > 3*one {
		t.Errorf("%v allocations for 25 parts, %v for 100", one, four)
	}
}

// Many bookmarks may lead to the title of a part.
func TestTheColumnsOfAPartAreCountedOnce(t *testing.T) {
	run := func(bookmarks int) float64 {
		given := laidOut(flat([]any{"# Statement of Operations", "2019 2018", assets, "## Total", slices.Repeat([]string{"Coal | 3 | 2"}, 400)})...)
		title := given.Headings[len(given.Headings)-1]
		title.Level, title.Title = 3, "Total assets"
		given.Headings = append(given.Headings[:1], slices.Repeat([]Heading{title}, bookmarks)...)
		return testing.AllocsPerRun(3, func() {
			d := given
			d.Blocks = slices.Clone(given.Blocks)
			d.titleTables()
			if last := d.Headings[len(d.Headings)-1]; last.Level != 2 {
				t.Errorf("the last heading is %+v", last)
			}
		})
	}
	if one, four := run(25), run(100); four > 3*one {
		t.Errorf("%v allocations for 25 bookmarks, %v for 100", one, four)
	}
}

// Whatever stands above tables, headings and blocks stay in order and within the text.
func TestTitlesKeepTheOrderOfHeadings(t *testing.T) {
	lines := append(slices.Concat(assets, liabilities), "Fir Town", "# Report", "## Fir Town", "### Income", "Income", "Expenses:", "In thousands", "## (in millions)", "2019 2018", "# 2019 2018",
		"2019 | 2018", "Plan | Actual", "May 31, 2019", "Statement of cash flows", "## Balance sheet", "Table 3: Staff", "(Note 19)", "===", "===", notes)
	rapid.Check(t, func(t *rapid.T) {
		d := laidOut(rapid.SliceOfN(rapid.SampledFrom(lines), 1, 40).Draw(t, "lines")...)
		for _, at := range rapid.SliceOfN(rapid.IntRange(0, len(d.Text)), 0, 3).Draw(t, "bookmarks") {
			d.Headings = append(d.Headings, Heading{Start: at, Level: 1 + at%3, Title: "Bookmark"})
		}
		for i := range d.Blocks {
			if above := strings.TrimRight(d.Text[:d.Blocks[i].Start], "\n"); rapid.Bool().Draw(t, "over") {
				d.Blocks[i].Over = strings.LastIndex(above, "\n") + 1 // the line above, which may be a row of another table
			}
		}
		slices.SortStableFunc(d.Headings, func(a, b Heading) int { return a.Start - b.Start })
		d.titleTables()
		if err := d.Check(); err != nil {
			t.Fatalf("%v: %+v in %q", err, d.Headings, d.Text)
		}
	})
}
