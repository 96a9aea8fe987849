package pdf

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

// printed sets lines in type of fixed width, of which a character is 6 wide. Words that stand
// apart by more than one space are cells.
func (s *sheet) printed(y float64, lines ...string) {
	for i, l := range lines {
		from := len(s.words)
		for at := 0; at < len(l); {
			n := strings.IndexByte(l[at:]+" ", ' ')
			if n > 0 {
				s.set(50+6*float64(at), y+12*float64(i), l[at:at+n], 10, false)
				w := &s.words[len(s.words)-1]
				w.box.right = w.box.left + 6*float64(n)
			}
			at += n + 1
		}
		for j := from; j < len(s.words); j++ {
			s.words[j].fixed, s.words[j].row = true, s.words[from].row
		}
	}
}

func TestNamesThatAProgramPrintedAreATablesHeader(t *testing.T) {
	lengths := []string{
		"length[1]   0.531436   0.378396   0.744535    2",
		"length[2]   0.372177   0.239386   0.522698    2",
		"length[3]   0.051257   0.028920   0.073525   12",
	}
	counts := []string{
		"(35,45]     1   0  1  12",
		"(45,55]     0  11  1   3",
		"(55,65]     2   0  0   1",
	}
	for name, test := range map[string]struct {
		head, rows []string
		want       string
	}{
		"above a rule": {[]string{"Parameter       Mean      Lower      Upper Runs", "-----------------------------------------------"}, lengths,
			`"Parameter | Mean | Lower | Upper | Runs\n-----------------------------------------------" of 5 rows`},
		"above two rules": {[]string{"                     95 % Interval", "                   ----------------", "Parameter       Mean      Lower      Upper Runs", "==============================================="}, lengths,
			`"| 95 % Interval\n----------------\nParameter | Mean | Lower | Upper | Runs\n===============================================" of 7 rows`},
		"one over each column": {[]string{"income    act nsw nt qld"}, counts, `"income | act | nsw | nt | qld" of 4 rows`},
		"one too few":          {[]string{"income    act nsw qld"}, counts, `"" of 3 rows`},
		"with a wide name":     {[]string{"Parameter  Mean size      Lower      Upper Runs", "-----------------------------------------------"}, lengths, `"Parameter | Mean size | Lower | Upper | Runs\n-----------------------------------------------" of 5 rows`},
		"amounts are none":     {[]string{"TOTAL     0.531436   0.378396   0.744535   2", "-----------------------------------------------"}, lengths, `"" of 3 rows`},
		"a sentence is none":   {[]string{"These are the lengths of all branches.", "-----------------------------------------------"}, lengths, `"" of 3 rows`},
	} {
		t.Run(name, func(t *testing.T) {
			var s sheet
			s.column(50, 86, "The program prints the parameters of the branches as below. They may differ from", "other runs:")
			s.printed(110, slices.Concat(test.head, test.rows)...)
			doc := read(t, &s)
			got := tablesOf(doc)
			if len(got) == 0 || got[len(got)-1] != test.want {
				t.Errorf("tables %q, want %s, in\n%s", got, test.want, doc.Text)
			}
			for _, l := range slices.Concat(test.head, test.rows) {
				for field := range strings.FieldsSeq(l) {
					if !strings.Contains(doc.Text, field) {
						t.Errorf("no %q in %q", field, doc.Text)
					}
				}
			}
		})
	}
}

// A page's number and the title of its chapter reach over several columns, which would be one.
func TestARunningHeadIsNoRowOfTheTableBelow(t *testing.T) {
	doc := read(t, pages(3, func(i int, s *sheet) {
		s.line(50, 60, "Chapter 2. All the prices and the masses")
		s.line(400, 60, strconv.Itoa(i+1))
		rows := bolts(10*i, 10*i+9)
		if i == 0 {
			rows = append([][]string{{"Article", "Mass", "Price"}}, rows...)
		}
		s.cells(100, 0, rows...)
	})...)
	if got := tablesOf(doc); len(got) != 1 || got[0] != `"Article | Mass | Price" of 31 rows` {
		t.Errorf("tables %q in\n%s", got, doc.Text)
	}
}

// A table of words goes on, too, if its columns do.
func TestATableOfWordsGoesOnInItsColumns(t *testing.T) {
	for name, test := range map[string]struct {
		margin, shift float64
		want          string
	}{
		"at the same places":  {0, 0, `"Setting | Choices | In use" of 11 rows`},
		"with another margin": {36, 0, `"Setting | Choices | In use" of 11 rows`},
		"at other distances":  {0, 12, `"Setting | Choices | In use" of 6 rows; "" of 5 rows`},
	} {
		t.Run(name, func(t *testing.T) {
			doc := read(t, pages(2, func(i int, s *sheet) {
				margin, shift := 50.0, 0.0
				if i == 1 {
					margin, shift = 50+test.margin, test.shift
				}
				rows := [][]string{{"Stoprule", "yes/no", "no"}, {"Savetrees", "yes/no", "no"}, {"Autotune", "yes/no", "yes"}, {"Nperts", "number", "0"}, {"Data", "yes/no", "yes"}}
				if i == 0 {
					rows = [][]string{{"Setting", "Choices", "In use"}, {"Ngen", "number", "100"}, {"Nruns", "number", "2"}, {"Chains", "number", "4"}, {"Temp", "number", "0.1"}, {"Reweight", "number", "1"}}
				}
				for r, row := range rows {
					for c, cell := range row {
						s.line(margin+(110+shift)*float64(c), 100+14*float64(r), cell)
					}
				}
			})...)
			if got := strings.Join(tablesOf(doc), "; "); got != test.want {
				t.Errorf("tables %s, want %s, in\n%s", got, test.want, doc.Text)
			}
		})
	}
}

// Dots lead to pages in a table of contents, whose chapters in bold type name no columns, and to
// amounts in a price list, whose title is its heading.
func TestDotsLeadToPagesOrAmounts(t *testing.T) {
	rows := func(amounts ...string) [][]string {
		out := [][]string{{"Fasteners", amounts[0]}}
		for i, a := range amounts[1:] {
			out = append(out, []string{"Part " + strconv.Itoa(i) + " . . . . . .", a})
		}
		return out
	}
	for name, test := range map[string]struct {
		rows [][]string
		want string
	}{
		"pages":   {rows("1", "1", "2", "4", "7"), `"" of 5 rows`},
		"amounts": {rows("EUR", "3.50", "12.00", "0.80", "7.25"), `"Fasteners | EUR" of 5 rows`},
	} {
		var s sheet
		s.cells(100, 1, test.rows...)
		if got := tablesOf(read(t, &s)); len(got) != 1 || got[0] != test.want {
			t.Errorf("%s: tables %q, want %s", name, got, test.want)
		}
	}
}
