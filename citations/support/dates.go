package support

// A date is as precise as it is written: missing parts are 0.
type date struct {
	year, yearEnd int16 // yearEnd: of a decade
	month, day    int16
	quarter, half int16
	swapped       bool // day and month may be the other way around: 03/05/2024
}

const (
	firstYear = 1000
	lastYear  = 2100
)

func isYear(n *numeral) bool {
	return n.plain && n.digits == 4 && n.value >= firstYear && n.value <= lastYear && !n.ordinal
}

// numericDate reads 2024-03-05, 2024/03/05, 05.03.2024, 5/3/2024 and 15:30.
func numericDate(s string, start int, n *numeral) (end int, ok bool) {
	var parts [3]int16
	var sizes [3]int
	i, count := start, 0
	var sep byte
	for count < 3 {
		from := i
		for i < len(s) && isDigit(s[i]) && i-from < 4 {
			parts[count] = parts[count]*10 + int16(s[i]-'0')
			i++
		}
		if sizes[count] = i - from; sizes[count] == 0 || sizes[count] > 4 {
			break
		}
		count++
		if count == 3 || i >= len(s) {
			break
		}
		if s[i] != '-' && s[i] != '/' && s[i] != '.' && s[i] != ':' || count == 2 && s[i] != sep {
			break
		}
		sep = s[i]
		if i++; i >= len(s) || !isDigit(s[i]) {
			i--
			break
		}
	}
	if i < len(s) && isDigit(s[i]) {
		return 0, false
	}
	if sep == ':' && sizes[0] <= 2 && sizes[1] == 2 && parts[0] < 25 && parts[1] < 60 {
		n.clock = parts[0]*60 + parts[1] + 1
		return i, true
	}
	if count < 3 {
		return 0, false
	}
	var d date
	switch {
	case sizes[0] == 4 && sep != ':' && sizes[1] <= 2 && sizes[2] <= 2:
		d = date{year: parts[0], month: parts[1], day: parts[2]}
	case sizes[0] <= 2 && sizes[1] <= 2 && sizes[2] == 4 && sep != ':':
		d = date{year: parts[2], month: parts[1], day: parts[0]}
		if sep == '/' {
			d.swapped = parts[0] <= 12 && parts[1] <= 12
			if parts[1] > 12 {
				d.day, d.month = d.month, d.day
			}
		}
	case sizes[0] == 2 && sizes[1] == 2 && sizes[2] == 2 && sep == '.':
		d = date{year: 2000 + parts[2], month: parts[1], day: parts[0]}
	default:
		return 0, false
	}
	if d.month < 1 || d.month > 12 || d.day < 1 || d.day > 31 || d.year < firstYear || d.year > lastYear {
		return 0, false
	}
	n.date = d
	return i, true
}

// likeness compares a date of a claim with one of a passage.
type likeness uint8

const (
	differs likeness = iota // another date
	unknown                 // less precise than the claim: it may be another
	agrees
)

// compare compares a claim's date with a passage's. A less precise claim
// agrees with a more precise passage.
func (d date) compare(p date) likeness {
	result := agrees
	part := func(claim, passage int16) {
		switch {
		case claim == 0 || result == differs:
		case passage == 0:
			result = unknown
		case claim != passage:
			result = differs
		}
	}
	switch {
	case d.yearEnd > 0 && p.yearEnd == 0 && p.year > 0:
		if p.year < d.year || p.year > d.yearEnd {
			return differs
		}
	case d.yearEnd == 0 && p.yearEnd > 0 && d.year > 0:
		if d.year < p.year || d.year > p.yearEnd {
			return differs
		}
		return unknown
	default:
		part(d.year, p.year)
	}
	if p.month > 0 && p.quarter == 0 {
		p.quarter = (p.month + 2) / 3
	}
	if p.quarter > 0 && p.half == 0 {
		p.half = (p.quarter + 1) / 2
	}
	part(d.half, p.half)
	part(d.quarter, p.quarter)
	if d.month > 0 && p.month == 0 && p.quarter > 0 && p.quarter != (d.month+2)/3 {
		return differs
	}
	if (d.swapped || p.swapped) && d.month != p.month && d.month == p.day && (d.day == p.month || d.day == 0) {
		return result
	}
	part(d.month, p.month)
	part(d.day, p.day)
	return result
}

// The words of a date are read from the tokens of a sentence.

// dateAt reads a date that begins at token i and returns its number of tokens, 0 if
// there is none.
func (a *analysed) dateAt(i int) (d date, count int) {
	if a.partOf(i) != numberToken {
		return a.wordDate(i)
	}
	t := &a.tokens[i]
	n := &a.numerals[t.numeral]
	switch {
	case n.date.year > 0:
		return n.date, 1
	case n.decade && n.digits == 4:
		return date{year: int16(n.value), yearEnd: int16(n.value) + 9}, 1
	case n.decade && n.value < 100 && n.digits == 2:
		return date{year: 1900 + int16(n.value), yearEnd: 1909 + int16(n.value)}, 1
	}
	if day := int16(min(n.value, 99)); n.plain && day >= 1 && day <= 31 && n.digits <= 2 {
		j := i + 1
		if a.isWord(j, "of") || a.isWord(j, "de") {
			j++
		}
		if m := a.monthAt(j); m > 0 {
			d, count = a.yearAfter(date{month: m, day: day}, j+1)
			return d, count - i
		}
		if q := a.quarterWord(i, j); q > 0 && (n.ordinal || a.raw[min(int(t.end), len(a.raw)-1)] == '.') {
			d, count = a.yearAfter(date{quarter: q}, j+1)
			return d, count - i
		}
		if day <= 2 && a.isHalf(j) {
			d, count = a.yearAfter(date{half: day}, j+1)
			return d, count - i
		}
	}
	if isYear(n) {
		return a.yearAlone(i, int16(n.value))
	}
	return date{}, 0
}

// isHalf reports whether a word is half a year, after an ordinal.
func (a *analysed) isHalf(i int) bool {
	return a.isWord(i, "half") || a.isWord(i, "halbjahr") || a.isWord(i, "halbjahres") || a.isWord(i, "semestre")
}

// yearAlone reads what begins with a year: "2024 Q3", "2023/24", "2024年3月5日".
func (a *analysed) yearAlone(i int, year int16) (date, int) {
	if a.isSign(i+1, "年") {
		return a.easternDate(i, year)
	}
	if q, h := a.quarterCode(i + 1); q > 0 || h > 0 {
		return date{year: year, quarter: q, half: h}, 2
	}
	return date{year: year}, 1
}

// easternDate reads as much of 2024年3月5日 as there is.
func (a *analysed) easternDate(i int, year int16) (date, int) {
	d := date{year: year}
	j := i + 2
	if n := a.smallNumber(j); n > 0 && n <= 12 && a.isSign(j+1, "月") {
		d.month, j = n, j+2
		if n := a.smallNumber(j); n > 0 && n <= 31 && a.isSign(j+1, "日") {
			d.day, j = n, j+2
		}
	}
	return d, j - i
}

// wordDate reads a date that begins with a word: March 5, 2024; Q3 2024; third
// quarter of 2024; FY2024; a weekday is a fact of its own.
func (a *analysed) wordDate(i int) (date, int) {
	if q, h := a.quarterCode(i); q > 0 || h > 0 {
		d, end := a.yearAfter(date{quarter: q, half: h}, i+1)
		return d, end - i
	}
	if y := a.fiscalYear(i); y > 0 {
		return date{year: y}, 1
	}
	if a.partOf(i) != wordToken {
		return date{}, 0
	}
	if m := a.monthAt(i); m > 0 {
		d, j := date{month: m}, i+1
		if n := a.smallNumber(j); n > 0 && n <= 31 && !a.isUnitAfter(j) {
			d.day, j = n, j+1
		}
		d, end := a.yearAfter(d, j)
		if a.doubtfulMonth(i) && d.day == 0 && d.year == 0 {
			return date{}, 0
		}
		return d, end - i
	}
	s := a.sense(&a.tokens[i])
	if s.class&classOrdinal != 0 {
		j := i + 1
		if a.isWord(j, "of") {
			j++
		}
		if m := a.monthAt(j); m > 0 && !a.doubtfulMonth(j) {
			d, end := a.yearAfter(date{month: m, day: int16(s.num)}, j+1)
			return d, end - i
		}
	}
	if s.class&classOrdinal != 0 && s.num <= 4 && a.quarterWord(i, i+1) == 0 && a.isHalf(i+1) && s.num <= 2 {
		d, end := a.yearAfter(date{half: int16(s.num)}, i+2)
		return d, end - i
	}
	if q := a.quarterWord(i, i+1); q > 0 {
		d, end := a.yearAfter(date{quarter: q}, i+2)
		return d, end - i
	}
	return date{}, 0
}

// yearAfter adds the year that follows a date's other parts.
func (a *analysed) yearAfter(d date, j int) (date, int) {
	end := j
	for range 3 { // "of the fiscal year 2024", "des Jahres 2024", "de l'année 2024"
		if n := a.numeralAt(j); n != nil {
			if isYear(n) {
				d.year, end = int16(n.value), j+1
			}
			break
		}
		if y := a.fiscalYear(j); y > 0 {
			d.year, end = y, j+1
			break
		}
		if !a.isWord(j, "of") && !a.isWord(j, "the") && !a.isWord(j, "fiscal") && !a.isWord(j, "year") && !a.isWord(j, "des") && !a.isWord(j, "jahres") && !a.isWord(j, "de") && !a.isWord(j, "in") {
			break
		}
		j++
	}
	return d, end
}

// monthAt returns the month that a word names, 0 if none.
func (a *analysed) monthAt(i int) int16 {
	if a.partOf(i) != wordToken {
		return 0
	}
	t := &a.tokens[i]
	if t.entry < 0 {
		return 0
	}
	for _, l := range [...]language{a.language, english, german, french} {
		s := a.lex.in(a.lex.at(t.entry), l)
		if s.class&classMonth == 0 || (l == english || l == german) && !t.is(hasCapital) {
			continue
		}
		if l != a.language && a.sure {
			continue
		}
		return int16(s.day)
	}
	return 0
}

// doubtfulMonth reports whether the word of a month has other meanings, so that it
// needs a day or a year next to it: "may", "mar", "mars", "sept".
func (a *analysed) doubtfulMonth(i int) bool {
	switch string(a.word(&a.tokens[i])) {
	case "may":
		return i == 0 || !a.isWord(i-1, "in") && !a.isWord(i-1, "of") && !a.isWord(i-1, "since") && !a.isWord(i-1, "until") && !a.isWord(i-1, "by") && !a.isWord(i-1, "last")
	case "mar", "jan", "dec", "sept", "sep", "mai", "nov", "jun", "jul":
		return a.language != german || a.tokens[i].end-a.tokens[i].start > 3
	}
	return false
}

// quarterWord is the number of a quarter: an ordinal at i, the word at j.
func (a *analysed) quarterWord(i, j int) int16 {
	if a.partOf(j) != wordToken || a.tokens[j].class&classQuarter == 0 {
		return 0
	}
	value := a.sense(&a.tokens[i]).num
	if a.tokens[i].kind == numberToken {
		value = a.numerals[a.tokens[i].numeral].value
	} else if a.tokens[i].class&classOrdinal == 0 {
		return 0
	}
	if value < 1 || value > 4 {
		return 0
	}
	return int16(value)
}

// quarterCode reads Q3, T3 (French), H1, S1 (French).
func (a *analysed) quarterCode(i int) (quarter, half int16) {
	if a.partOf(i) != codeToken {
		return 0, 0
	}
	w := a.word(&a.tokens[i])
	if len(w) != 2 || w[1] < '1' || w[1] > '4' {
		return 0, 0
	}
	n := int16(w[1] - '0')
	switch {
	case w[0] == 'q' || w[0] == 't' && a.language == french:
		return n, 0
	case (w[0] == 'h' || w[0] == 's' && a.language == french) && n <= 2:
		return 0, n
	}
	return 0, 0
}

// fiscalYear reads FY2024 and FY24.
func (a *analysed) fiscalYear(i int) int16 {
	if a.partOf(i) != codeToken {
		return 0
	}
	w := a.word(&a.tokens[i])
	if len(w) < 4 || len(w) > 6 || string(w[:2]) != "fy" {
		return 0
	}
	y := int16(0)
	for _, c := range w[2:] {
		if !isDigit(c) {
			return 0
		}
		y = y*10 + int16(c-'0')
	}
	if len(w) == 4 {
		y += 2000
	}
	if y < firstYear || y > lastYear {
		return 0
	}
	return y
}
