package office

import (
	"context"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// cellStyles format the numbers of cells.
type cellStyles struct {
	since1904 bool
	formats   map[int]string // the workbook's own formats
	cells     []int          // the format of each cell style
	parsed    map[int]*numberFormat
}

func (s *cellStyles) read(ctx context.Context, a *archive, part string) error {
	s.formats = map[int]string{}
	return a.part(ctx, part, func(x *xmlReader, e element) error {
		if e.name != "numFmts" && e.name != "cellXfs" {
			return nil
		}
		return x.children(func(e element) error {
			switch {
			case len(s.cells) > 1<<16 || len(s.formats) > 1<<16:
			case e.name == "numFmt":
				s.formats[intOf(e.attr("numFmtId"))] = e.attr("formatCode")
			case e.name == "xf":
				s.cells = append(s.cells, intOf(e.attr("numFmtId")))
			}
			return nil
		})
	})
}

// builtIn are the formats that files refer to by number only. Dates in the format of
// the reader's country are written with the year first, which is unambiguous.
var builtIn = map[int]string{
	1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 5: "#,##0", 6: "#,##0", 7: "#,##0.00", 8: "#,##0.00",
	9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?", 13: "# ??/??",
	14: "yyyy-mm-dd", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM",
	20: "h:mm", 21: "h:mm:ss", 22: "yyyy-mm-dd h:mm", 37: "#,##0;-#,##0", 38: "#,##0;-#,##0", 39: "#,##0.00;-#,##0.00",
	40: "#,##0.00;-#,##0.00", 41: "#,##0", 42: "#,##0", 43: "#,##0.00", 44: "#,##0.00", 45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0", 48: "##0.0E+0",
}

// show formats a stored number in a cell's style.
func (s *cellStyles) show(value string, style int) string {
	v, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
		return value
	}
	id := 0
	if style < len(s.cells) {
		id = s.cells[style]
	}
	f, ok := s.parsed[id]
	if !ok {
		code, known := s.formats[id]
		if !known {
			code = builtIn[id]
		}
		if !known && code == "" && (id >= 27 && id <= 36 || id >= 50 && id <= 58) { // dates of East Asia
			code = builtIn[14]
		}
		f = parseFormat(code)
		if s.parsed == nil {
			s.parsed = map[int]*numberFormat{}
		}
		s.parsed[id] = f
	}
	return f.show(v, s.since1904)
}

// A numberFormat is a parsed format such as "#,##0.00;[Red]-#,##0.00".
type numberFormat struct{ sections []formatSection }

type formatSection struct {
	tokens  []formatToken
	date    bool
	elapsed bool // a duration, whose hours may exceed a day
	foreign bool // names months in a language that is not English
}

// A formatToken is a literal, or a piece with a meaning.
type formatToken struct {
	kind byte // 'L'iteral, 'D'ate part, 'G'eneral, or '0', '#', '?', '.', ',', '%', 'E', '/', '@'
	text string
}

// parseFormat parses a format; "" is General.
func parseFormat(code string) *numberFormat {
	f := &numberFormat{}
	if code == "" {
		code = "General"
	}
	code = code[:min(len(code), 1024)]
	for {
		section, rest, more := parseSection(code)
		f.sections = append(f.sections, section)
		if !more || len(f.sections) == 4 {
			return f
		}
		code = rest
	}
}

func parseSection(code string) (s formatSection, rest string, more bool) {
	add := func(kind byte, text string) { s.tokens = append(s.tokens, formatToken{kind, text}) }
	for i := 0; i < len(code); {
		c := code[i]
		switch {
		case c == ';':
			return s, code[i+1:], true
		case c == '"':
			end := strings.IndexByte(code[i+1:], '"')
			if end < 0 {
				end = len(code) - i - 1
			}
			add('L', code[i+1:i+1+end])
			i += end + 2
		case (c == '\\' || c == '!') && i+1 < len(code):
			n := runeLen(code[i+1:])
			add('L', code[i+1:i+1+n])
			i += 1 + n
		case (c == '_' || c == '*') && i+1 < len(code):
			add('L', " ")
			i += 1 + runeLen(code[i+1:])
		case c == '[':
			end := strings.IndexByte(code[i:], ']')
			if end < 0 {
				return s, "", false
			}
			s.bracket(code[i+1 : i+end])
			i += end + 1
		case hasFold(code[i:], "general"):
			add('G', "")
			i += len("general")
		case hasFold(code[i:], "am/pm"):
			add('D', "AM/PM")
			i += len("am/pm")
		case hasFold(code[i:], "a/p"):
			add('D', "A/P")
			i += len("a/p")
		case strings.IndexByte("ymdhsYMDHS", c) >= 0:
			n := i
			for n < len(code) && code[n]|0x20 == c|0x20 {
				n++
			}
			s.date = true
			add('D', strings.ToLower(code[i:n]))
			i = n
		case (c == 'E' || c == 'e') && i+1 < len(code) && (code[i+1] == '+' || code[i+1] == '-'):
			add('E', code[i+1:i+2])
			i += 2
		case strings.IndexByte("0#?.,%/@", c) >= 0:
			add(c, string(c))
			i++
		default:
			n := runeLen(code[i:])
			add('L', code[i:i+n])
			i += n
		}
	}
	return s, "", false
}

// runeLen is the length of the first character.
func runeLen(s string) int {
	_, n := utf8.DecodeRuneInString(s)
	return n
}

func hasFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// bracket reads a part in brackets: a duration, or a currency with its country.
// Colours and conditions are ignored.
func (s *formatSection) bracket(text string) {
	lower := strings.ToLower(text)
	switch {
	case lower != "" && strings.Trim(lower, lower[:1]) == "" && (lower[0] == 'h' || lower[0] == 'm' || lower[0] == 's'):
		s.date, s.elapsed = true, true
		s.tokens = append(s.tokens, formatToken{'D', "[" + lower[:1] + "]"})
	case strings.HasPrefix(text, "$"):
		currency, country, _ := strings.Cut(text[1:], "-")
		s.tokens = append(s.tokens, formatToken{'L', currency})
		// The last two digits are the language; 09 is English.
		s.foreign = s.foreign || len(country) >= 2 && !strings.HasSuffix(country, "09") && !strings.HasPrefix(country, "F")
	}
}

// show formats a number.
func (f *numberFormat) show(v float64, since1904 bool) string {
	s := &f.sections[0]
	switch {
	case v < 0 && len(f.sections) >= 2:
		s = &f.sections[1]
		v = -v
	case v == 0 && len(f.sections) >= 3:
		s = &f.sections[2]
	}
	if s.date {
		if text, ok := s.showDate(v, since1904); ok {
			return text
		}
		return general(v)
	}
	return s.showNumber(v)
}

// general formats a number as in a cell without a format.
func general(v float64) string {
	switch a := math.Abs(v); {
	case v == math.Trunc(v) && a < 1e15:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case a >= 1e15 || a < 1e-9:
		return strconv.FormatFloat(v, 'E', -1, 64)
	}
	short, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 10, 64), 64)
	if err != nil {
		short = v
	}
	return strconv.FormatFloat(short, 'f', -1, 64)
}

// day is the length of a day in seconds.
const day = 24 * 60 * 60

// showDate formats a number of days as a date or a time.
func (s *formatSection) showDate(v float64, since1904 bool) (string, bool) {
	if v < 0 || v >= 2_958_466 { // the year 10,000
		return "", false
	}
	seconds := v * day
	places := s.secondPlaces()
	unit := math.Pow10(places)
	seconds = math.Round(seconds*unit) / unit
	begin := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	switch {
	case since1904:
		begin = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	case v < 60:
		begin = begin.AddDate(0, 0, 1) // Excel knows a 29 February 1900
	}
	whole := math.Floor(seconds)
	at := begin.AddDate(0, 0, int(whole)/day).Add(time.Duration(int(whole)%day) * time.Second)
	fraction := seconds - whole
	if s.foreign && s.namesMonth() {
		return at.Format("2006-01-02"), true
	}
	return s.dateText(at, int(whole), fraction, places), true
}

// namesMonth reports whether a month or a day is written as a word.
func (s *formatSection) namesMonth() bool {
	for _, t := range s.tokens {
		if t.kind == 'D' && len(t.text) >= 3 && (t.text[0] == 'm' || t.text[0] == 'd') {
			return true
		}
	}
	return false
}

// secondPlaces returns how many decimals of the seconds are shown.
func (s *formatSection) secondPlaces() int {
	places, after := 0, false
	for _, t := range s.tokens {
		switch {
		case t.kind == '.':
			after = true
		case t.kind == '0' && after:
			places++
		case t.kind != '0':
			after = false
		}
	}
	return min(places, 3)
}
