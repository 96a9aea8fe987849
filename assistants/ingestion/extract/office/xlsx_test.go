package office

import "testing"

func TestNumbersLookAsTheirFormatsSay(t *testing.T) {
	for _, c := range []struct {
		code  string
		value float64
		want  string
	}{
		{"", 3, "3"},
		{"", 0.1 + 0.2, "0.3"},
		{"", 100.0 / 3, "33.33333333"},
		{"", 123456789012, "123456789012"},
		{"", -1e-12, "-1E-12"},
		{"General", 1.5, "1.5"},
		{`General" kg"`, -5, "-5 kg"},
		{"0", 2.5, "3"},
		{"0.00", 2.675, "2.68"},
		{"0.00", -0.001, "0.00"},
		{"0.0#", 1.25, "1.25"},
		{"0.0#", 1.2, "1.2"},
		{"000", 7, "007"},
		{"#", 0, ""},
		{"#.##", 0.5, "0.5"},
		{"#,##0", 1234567.5, "1,234,568"},
		{"#,##0.00 [$€-407]", 1234.5, "1,234.50 €"},
		{"[$$-409]#,##0", 1200, "$1,200"},
		{"0%", 0.075, "8%"},
		{"0.00E+00", 12345, "1.23E+04"},
		{"# ?/?", 0.5, "0.5"},
		{"#,##0,", 1234567, "1,235"},
		{`0.0,,"M"`, 12345678, "12.3M"},
		{"0;[Red]-0", -7, "-7"},
		{"0;(0);zero", -7, "(7)"},
		{"0;(0);zero", 0, "zero"},
		{";;;", 42, ""},
		{"@", 42, "42"},
		{`\(000\)\ 000\-0000`, 2125551234, "(212) 555-1234"},
		{"00000", 1067, "01067"},
		{`"Nr. "0`, 12, "Nr. 12"},
		{"yyyy-mm-dd", 45000, "2023-03-15"},
		{"dd.mm.yyyy", 1, "01.01.1900"},
		{"dd.mm.yyyy", 59, "28.02.1900"},
		{"dd.mm.yyyy", 61, "01.03.1900"},
		{"d. mmmm yyyy", 45000, "15. March 2023"},
		{"[$-407]d. mmmm yyyy", 45000, "2023-03-15"},
		{"ddd d/m/yy", 45000, "Wed 15/3/23"},
		{"h:mm AM/PM", 0.75, "6:00 PM"},
		{"hh:mm:ss", 0.999999, "00:00:00"},
		{"mm:ss.0", 1.5 / 86400, "00:01.5"},
		{"[h]:mm", 1.25, "30:00"},
		{"[mm]:ss", 0.5, "720:00"},
		{"yyyy-mm-dd", -1, "-1"},
		{"yyyy-mm-dd", 1e9, "1000000000"},
		{"#,##0.00;[Red", 5, "5.00"},
		{`"`, 5, ""},
	} {
		if got := parseFormat(c.code).show(c.value, false); got != c.want {
			t.Errorf("%v as %q is %q, want %q", c.value, c.code, got, c.want)
		}
	}
	if got := parseFormat("yyyy-mm-dd").show(0, true); got != "1904-01-01" {
		t.Errorf("the first day of 1904 is %s", got)
	}
}

func TestCellNames(t *testing.T) {
	for name, want := range map[string]int{"A1": 0, "Z9": 25, "AA1": 26, "xfd1048576": 16_383, "XFE1": -1, "1": -1, "": -1, "ZZZZ1": -1} {
		got, ok := columnOf(name)
		if !ok {
			got = -1
		}
		if got != want {
			t.Errorf("%q is column %d, want %d", name, got, want)
		}
	}
}

func TestEscapedCharactersOfExcelAreRead(t *testing.T) {
	for in, want := range map[string]string{
		"a_x000D_b": "a b", "_x005F_x000D_": "_x000D_", "_x00e4_": "ä", "_xZZZZ_": "_xZZZZ_", "_x0041": "_x0041", "_x": "_x", "": "",
	} {
		if got := unescaped(in); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
}

func TestNumbersOfListsLookAsInWord(t *testing.T) {
	for _, c := range []struct {
		n            int
		format, want string
	}{
		{4, "decimal", "4"}, {4, "decimalZero", "04"}, {12, "decimalZero", "12"}, {1, "lowerLetter", "a"}, {28, "upperLetter", "BB"},
		{0, "lowerLetter", "0"}, {1999, "upperRoman", "MCMXCIX"}, {4, "lowerRoman", "iv"}, {9, "unheard", "9"}, {3, "none", ""}, {5000, "upperRoman", "5000"},
	} {
		if got := formatNumber(c.n, c.format); got != c.want {
			t.Errorf("%d in %s is %q, want %q", c.n, c.format, got, c.want)
		}
	}
	for format, want := range map[string]string{"arabicPeriod": "3.", "romanLcParenR": "iii)", "alphaUcParenBoth": "(C)", "circleNumDbPlain": "3"} {
		if got := autoNumber(3, format); got != want {
			t.Errorf("3 in %s is %q, want %q", format, got, want)
		}
	}
}
