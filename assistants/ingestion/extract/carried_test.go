package extract

import (
	"strings"
	"testing"
)

// Between two tables whose columns stand under each other, a title or a label divides the parts of one table; a
// sentence, units or a caption begin another one.
func TestPartsOfATableHaveTheNamesOfItsColumns(t *testing.T) {
	const years, plain = "| 2023 | 2022", "Wood | Metal | Glass"
	for name, test := range map[string]struct {
		names, between string
		notUnder       bool
		want           string
	}{
		"a label":                                {years, "Liabilities", false, years},
		"two lines":                              {years, "Liabilities\n\nLong-term, without those below:", false, years},
		"nothing":                                {years, "", false, years},
		"other columns":                          {years, "Liabilities", true, ""},
		"a sentence":                             {years, "The rest is paid later.", false, ""},
		"an introduction":                        {years, "The debts of the group at the end of each year:", false, ""},
		"units":                                  {years, "Liabilities\n\n(in millions)", false, ""},
		"other years":                            {years, "2021 2020", false, ""},
		"a period below years":                   {years, "Year ended 31 December 2021", false, ""},
		"a period, the names have none":          {plain, "Year ended 31 December 2021", false, plain},
		"a plain label, the names have no years": {plain, "Liabilities", false, ""},
		"nothing, the names have no years":       {plain, "", false, ""},
		"other months":                           {years, "Six months", false, ""},
		"a caption":                              {years, "Table 3. Debts", false, ""},
		"a statement":                            {years, "Statement of cash flows", false, ""},
		"a long text":                            {years, strings.Repeat("Another label\n\n", 30), false, ""},
	} {
		first, second := test.names+"\nCash | 1,200 | 1,100\nStock | 300 | 280", "Loans | 500 | 480\nTaxes | 40 | 35"
		d := Document{Text: first + "\n\n" + test.between + "\n\n" + second}
		start := len(d.Text) - len(second)
		d.Blocks = []Block{
			{Kind: BlockTable, End: len(first), HeaderEnd: len(test.names)},
			{Kind: BlockTable, Start: start, End: len(d.Text), Under: !test.notUnder},
		}
		d.carryNames(nil)
		if b := d.Blocks[1]; d.Text[b.Names.Start:b.Names.End] != test.want {
			t.Errorf("%s: names %q", name, d.Text[b.Names.Start:b.Names.End])
		}
	}
}

// A table whose first row has no amounts has names of its own, whatever they are.
func TestNamesThatAreNotKnownAsNamesAreKept(t *testing.T) {
	for _, own := range []string{"|1H24|2H24", "|30-Jun-24|31-Dec-23", "|Men|Women", "Term|3 m|6 m", "|%|%"} {
		first, second := "|2023|2022\nCash|1,200|1,100", own+"\nLoans|500|480"
		d := Document{Text: first + "\n\nDebts\n\n" + second}
		d.Blocks = []Block{{Kind: BlockTable, End: len(first), HeaderEnd: len("|2023|2022")}, {Kind: BlockTable, Start: len(d.Text) - len(second), End: len(d.Text), Under: true}}
		if d.carryNames(nil); d.Blocks[1].Names.End > 0 {
			t.Errorf("%q: the names of the first table", own)
		}
	}
}

// The title of a part is no name of a column, and a third part has the names that the second one got.
func TestNamesOfColumnsGoOnOverParts(t *testing.T) {
	parts := []string{"Balance\n| 2023 | 2022\nCash | 1,200 | 1,100", "Debts\nLoans | 500 | 480", "Equity\nShares | 740 | 655"}
	d := Document{Text: strings.Join(parts, "\n\n")}
	at := 0
	for i, p := range parts {
		head := len("Debts")
		if i != 1 {
			head = strings.LastIndex(p, "\n")
		}
		d.Blocks = append(d.Blocks, Block{Kind: BlockTable, Start: at, End: at + len(p), HeaderEnd: at + head, Under: i > 0})
		at += len(p) + 2
	}
	d.carryNames(nil)
	for i, want := range []string{"", "| 2023 | 2022", "| 2023 | 2022"} {
		if b := d.Blocks[i]; d.Text[b.Names.Start:b.Names.End] != want {
			t.Errorf("part %d: %q", i, d.Text[b.Names.Start:b.Names.End])
		}
	}
}
