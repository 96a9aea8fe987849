package extract

import (
	"slices"
	"strings"
	"testing"
)

func TestSeparatedValuesAreATableWithARowPerLine(t *testing.T) {
	for _, c := range []struct{ about, name, raw, want, header string }{
		{"commas", "a.csv", "Country,Meals\nNorway,75\nJapan,52\n", "Country | Meals\nNorway | 75\nJapan | 52", "Country | Meals"},
		{"semicolons and decimal commas", "a.csv", "Land;Satz;Ort\r\nNorwegen;75,50;Oslo, Bergen\r\nJapan;52,00;Tokio\r\n", "Land | Satz | Ort\nNorwegen | 75,50 | Oslo, Bergen\nJapan | 52,00 | Tokio", "Land | Satz | Ort"},
		{"tabs", "a.tsv", "a\tb\n1, 2\t3\n4\t5; 6", "a | b\n1, 2 | 3\n4 | 5; 6", "a | b"},
		{"bars", "a.csv", "a|b|c\n1|2|3\n", "a | b | c\n1 | 2 | 3", "a | b | c"},
		{"the delimiter is said", "a.csv", "sep=;\na,b;c\n1,2;3\n", "a,b | c\n1,2 | 3", "a,b | c"},
		{"quotes", "a.csv", "a,b\n\"x, \"\"y\"\"\",\"two\nlines\"\n", "a | b\nx, \"y\" | two lines", "a | b"},
		{"empty cells and rows", "a.csv", "a,b,c\n,,\n1,,3\n\n,2,\n", "a | b | c\n1 | | 3\n| 2 |", "a | b | c"},
		{"a title above", "a.csv", "Rates 2026\n\nCountry,Meals\nNorway,75\n", "Rates 2026\n\nCountry | Meals\nNorway | 75", "Country | Meals"},
		{"no header", "a.csv", "Norway,75\nJapan,52\n", "Norway | 75\nJapan | 52", ""},
		{"dates are no header", "a.csv", "2026-01-01,x\n2026-01-02,y\n", "2026-01-01 | x\n2026-01-02 | y", ""},
		{"years are", "a.csv", "Land,2024,2025\nNorwegen,1,2\n", "Land | 2024 | 2025\nNorwegen | 1 | 2", "Land | 2024 | 2025"},
		{"a header alone", "a.csv", "Country,Meals\n", "Country | Meals", ""},
		{"formulas are text", "a.csv", "a,b\n=SUM(A1:A2),\"=HYPERLINK(\"\"http://x\"\")\"\n+1,@x\n", "a | b\n=SUM(A1:A2) | =HYPERLINK(\"http://x\")\n+1 | @x", "a | b"},
		{"a quote never closed", "a.csv", "a,b\n\"x,1\ny,2\n", "a | b\n\"x | 1\ny | 2", "a | b"},
		{"quotes inside", "a.csv", "a,b\n5\" pipe,1\n\"6\" pipe\",2\n", "a | b\n5\" pipe | 1\n6\" pipe | 2", "a | b"},
		{"rows of all lengths", "a.csv", "a,b\n1\n1,2,3\n", "a | b\n1\n1 | 2 | 3", "a | b"},
		{"one column", "a.csv", "one\ntwo\n", "one\ntwo", ""},
	} {
		doc := mustExtract(t, c.name, []byte(c.raw))
		if doc.Text != c.want {
			t.Errorf("%s: %q, want %q", c.about, doc.Text, c.want)
		}
		if got := strings.Join(headers(doc), "‖"); got != c.header {
			t.Errorf("%s: header %q, want %q", c.about, got, c.header)
		}
	}
}

func TestHugeTablesAreReadOrRefused(t *testing.T) {
	for about, raw := range map[string]string{
		"a million columns":         strings.Repeat("c,", 1_000_000) + "\n" + strings.Repeat("1,", 1_000_000),
		"a million rows":            "name;rate\n" + strings.Repeat("Norway;75\n", 1_000_000),
		"a million open quotes":     strings.Repeat("\"a,", 1_000_000),
		"open quotes, a row each":   strings.Repeat("\"a,b\n", 500_000),
		"nothing but quotes":        strings.Repeat("\"", 2_000_001),
		"nothing but delimiters":    strings.Repeat(",", 2_000_000) + "x",
		"a cell longer than a cell": "a,b\n\"" + strings.Repeat("x,", 200_000) + "\",y\n",
	} {
		doc := mustExtract(t, "a.csv", []byte(raw))
		if len(doc.Text) == 0 {
			t.Errorf("%s: no text", about)
		}
	}
	_, err := extracted(t, "a.csv", []byte("a,b\n"+strings.Repeat("1234567,1234567\n", 2_200_000)))
	wantCode(t, err, CodeTooComplex)
}

func FuzzSeparated(f *testing.F) {
	f.Add("a,b\n\"x\",\"y\n")
	f.Add("sep=;\n\"\";\"\"\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		doc, err := readSeparated([]byte(text), Options{MaxText: 1 << 20})
		if err != nil {
			return
		}
		if err := doc.Check(); err != nil {
			t.Fatal(err)
		}
		// Nothing but delimiters, quotes and white space is lost.
		got := wordsOnly(doc.Text)
		if want := wordsOnly(Normalise(strings.ToValidUTF8(text, "\uFFFD"))); !strings.Contains(text, "sep=") && utf16Order([]byte(text)) == nil && mostlyUTF8([]byte(text)) && got != want {
			t.Fatalf("%q, want %q", got, want)
		}
	})
}

func wordsOnly(s string) string {
	return string(slices.DeleteFunc([]rune(s), func(r rune) bool { return !isLetterOrDigit(r) }))
}

func isLetterOrDigit(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}
