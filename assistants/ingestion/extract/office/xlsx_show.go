package office

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// dateText writes the pieces of a date.
func (s *formatSection) dateText(at time.Time, seconds int, fraction float64, places int) string {
	twelve := false
	for _, t := range s.tokens {
		twelve = twelve || t.kind == 'D' && (t.text == "AM/PM" || t.text == "A/P")
	}
	var b strings.Builder
	for i, t := range s.tokens {
		switch t.kind {
		case 'L', ',', '/', '?', '#', '%':
			b.WriteString(t.text)
		case '.':
			if i+1 < len(s.tokens) && s.tokens[i+1].kind == '0' {
				b.WriteString(strconv.FormatFloat(fraction, 'f', places, 64)[1:])
			} else {
				b.WriteByte('.')
			}
		case 'D':
			switch {
			case t.text[0] == 'm' && s.isMinutes(i):
				b.WriteString(at.Format([]string{"4", "04"}[min(len(t.text), 2)-1]))
			case t.text[0] == '[':
				b.WriteString(strconv.Itoa(seconds / map[byte]int{'h': 3600, 'm': 60, 's': 1}[t.text[1]]))
			default:
				b.WriteString(datePart(at, t.text, twelve))
			}
		}
	}
	return strings.TrimSpace(b.String())
}

// isMinutes reports whether token i, an "m", follows hours or precedes seconds. Other
// ones are months.
func (s *formatSection) isMinutes(i int) bool {
	if len(s.tokens[i].text) > 2 {
		return false
	}
	for j := i - 1; j >= 0; j-- {
		if t := s.tokens[j]; t.kind == 'D' {
			if t.text[0] == 'h' || t.text == "[h]" {
				return true
			}
			break
		}
	}
	for j := i + 1; j < len(s.tokens); j++ {
		if t := s.tokens[j]; t.kind == 'D' {
			return t.text[0] == 's' || t.text == "[s]"
		}
	}
	return false
}

func datePart(at time.Time, part string, twelve bool) string {
	layouts := map[string]string{
		"y": "06", "yy": "06", "yyy": "2006", "yyyy": "2006",
		"m": "1", "mm": "01", "mmm": "Jan", "mmmm": "January",
		"d": "2", "dd": "02", "ddd": "Mon", "dddd": "Monday",
		"s": "5", "ss": "05", "AM/PM": "PM", "A/P": "PM",
		"h": "15", "hh": "15",
	}
	switch {
	case part == "mmmmm":
		return at.Format("January")[:1]
	case part == "A/P":
		return at.Format("PM")[:1]
	case part[0] == 'h' && twelve:
		return at.Format([]string{"3", "03"}[min(len(part), 2)-1])
	case part == "h":
		return strconv.Itoa(at.Hour())
	}
	layout, ok := layouts[part]
	if !ok {
		return at.Format("2006")
	}
	return at.Format(layout)
}

// A numberShape is how a format writes digits.
type numberShape struct {
	whole    []byte // the placeholders before the point
	places   int    // the most decimals
	least    int    // the fewest decimals
	grouped  bool
	scale    float64
	exponent int // digits of the exponent, 0: none
	digits   bool
	fraction bool // a numerator and a denominator
}

func (s *formatSection) shape() numberShape {
	n := numberShape{scale: 1}
	point, exponent, commas := false, false, 0
	for _, t := range s.tokens {
		switch t.kind {
		case '0', '#', '?':
			n.digits = true
			switch {
			case exponent:
				n.exponent++
			case point:
				n.places++
				if t.kind == '0' {
					n.least = n.places
				}
			default:
				n.grouped = n.grouped || commas > 0
				commas = 0
				n.whole = append(n.whole, t.kind)
			}
		case '.':
			point = true
		case ',':
			if n.digits {
				commas++
			}
		case '%':
			n.scale *= 100
		case 'E':
			exponent = true
		case '/':
			n.fraction = true
		}
	}
	for ; commas > 0; commas-- { // each comma after the last digit divides by a thousand
		n.scale /= 1000
	}
	n.places = min(n.places, 15)
	n.least = min(n.least, n.places)
	return n
}

// showNumber writes a number with the literals around it.
func (s *formatSection) showNumber(v float64) string {
	n := s.shape()
	if n.fraction { // a decimal number is easier to search for
		return general(v)
	}
	var digits string
	switch {
	case !n.digits:
		digits = general(v)
	case n.exponent > 0:
		digits = strconv.FormatFloat(v*n.scale, 'E', n.places, 64)
	default:
		digits = n.write(math.Abs(v * n.scale))
		if v < 0 && strings.Trim(digits, "0.,") != "" {
			digits = "-" + digits
		}
	}
	if n.places == 0 && n.exponent == 0 && !n.grouped && s.hasPattern() {
		return s.fill(digits)
	}
	var b strings.Builder
	written := false
	for i, t := range s.tokens {
		switch t.kind {
		case 'L':
			b.WriteString(t.text)
		case '%':
			b.WriteByte('%')
		case '0', '#', '?', '.', 'G', '@':
			if t.kind == '.' && (i+1 == len(s.tokens) || !n.digits) {
				b.WriteByte('.')
			}
			if !written {
				written = true
				b.WriteString(digits)
			}
		}
	}
	return strings.TrimSpace(b.String())
}

// hasPattern reports whether there are literals between digits, as in 000-0000.
func (s *formatSection) hasPattern() bool {
	digit, literal := false, false
	for _, t := range s.tokens {
		switch t.kind {
		case '0', '#', '?':
			if digit && literal {
				return true
			}
			digit = true
		case 'L':
			literal = digit
		}
	}
	return false
}

// fill writes digits into a pattern, from the last to the first.
func (s *formatSection) fill(digits string) string {
	first := slices.IndexFunc(s.tokens, func(t formatToken) bool { return t.kind == '0' || t.kind == '#' || t.kind == '?' })
	out := ""
	for i := len(s.tokens) - 1; i >= 0; i-- {
		switch t := s.tokens[i]; t.kind {
		case '0', '#', '?':
			n := len(digits)
			switch {
			case i == first:
				out = digits + out
			case n > 0:
				out, digits = digits[n-1:]+out, digits[:n-1]
			}
		case 'L':
			out = t.text + out
		}
	}
	return strings.TrimSpace(out)
}

// write writes the digits of a number that is not negative.
func (n numberShape) write(v float64) string {
	text := strconv.FormatFloat(roundHalfUp(v, n.places), 'f', n.places, 64)
	whole, fraction, _ := strings.Cut(text, ".")
	for len(fraction) > n.least && strings.HasSuffix(fraction, "0") {
		fraction = fraction[:len(fraction)-1]
	}
	least := strings.Count(string(n.whole), "0")
	if whole == "0" && least == 0 && fraction == "" {
		return "" // a format such as # shows no zero
	}
	for len(whole) < min(least, 32) {
		whole = "0" + whole
	}
	if n.grouped {
		for at := len(whole) - 3; at > 0; at -= 3 {
			whole = whole[:at] + "," + whole[at:]
		}
	}
	if fraction != "" {
		return whole + "." + fraction
	}
	return whole
}

// roundHalfUp rounds as people do: 2.675 to 2.68, although no binary number is
// 2.675.
func roundHalfUp(v float64, places int) float64 {
	short, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 15, 64), 64)
	if err != nil || v >= 1e15 {
		return v
	}
	unit := math.Pow10(places)
	x := short * unit
	if x >= 1e15 {
		return short
	}
	return math.Floor(x+0.5+x*1e-15) / unit
}
