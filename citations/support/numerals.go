package support

import (
	"bytes"
	"math"
	"strings"
)

// numberWords reads a number written out: "twenty-five", "two hundred and
// three", "fünfundzwanzig", "quatre-vingt-dix-sept", "a third", "first".
func (a *analysed) numberWords(i int, f *fact) (next int, ok bool) {
	if next, ok = a.fractionAt(i, f); ok {
		return next, true
	}
	s := a.senseAt(i)
	if s.class&classOrdinal != 0 {
		*f = fact{kind: ordinalFact, value: s.num, count: s.num, other: math.NaN(), ratio: math.NaN(), soft: true}
		return i + 1, true
	}
	total, current := 0.0, 0.0
	count, j := 0, i
	for ; ; j++ {
		if j > i && a.tokens[min(j, len(a.tokens)-1)].sentence != a.tokens[i].sentence {
			break
		}
		value, scale, ok := a.numberWord(j)
		if !ok {
			if count > 0 && (a.isWord(j, "and") || a.isWord(j, "et") || a.isWord(j, "und")) && a.tensAfter(j, current) {
				continue
			}
			break
		}
		if scale {
			if count == 0 && !a.oneBefore(i) {
				return i, false // "millions of people"
			}
			if value == 100 {
				current = max(current, 1) * 100
			} else {
				total, current = total+max(current, 1)*value, 0
				f.by, f.scaled = value, true
			}
		} else {
			if !addsUp(a.language, current, value, count) {
				break
			}
			if a.language == french && value == 20 && math.Mod(current, 100) == 4 {
				current += 76
			} else {
				current += value
			}
		}
		count++
	}
	if count == 0 {
		return i, false
	}
	f.value = total + current
	f.soft = f.value <= 1 || j == i+1 && a.isWord(i, "twice") // which also is to double
	f.digits = int16(len(strings.TrimRight(formatWhole(f.value), "0")))
	return j, true
}

func formatWhole(v float64) string {
	var digits []byte
	for n := uint64(math.Min(math.Abs(v), 1e18)); n > 0; n /= 10 {
		digits = append([]byte{byte('0' + n%10)}, digits...)
	}
	return string(digits)
}

// oneBefore reports whether "a" or "one" stands before a scale: a million.
func (a *analysed) oneBefore(i int) bool {
	if a.oneOf(i - 1) {
		return true
	}
	word := a.word(&a.tokens[i])
	return a.language != english && (string(word) == "cent" || string(word) == "mille" || string(word) == "hundert" || string(word) == "tausend")
}

// oneOf reports whether a word is "a" or "one".
func (a *analysed) oneOf(i int) bool {
	for _, w := range [...]string{"a", "one", "ein", "eine", "einen", "einer", "einem", "un", "een", "uno", "una"} {
		if a.isWord(i, w) {
			return true
		}
	}
	return false
}

// numberWord is the value of one word.
func (a *analysed) numberWord(i int) (value float64, scale, ok bool) {
	t := a.token(i)
	if t == nil || t.kind != wordToken {
		return 0, false, false
	}
	s := a.sense(t)
	switch {
	case a.language == french && a.isWord(i-1, "et") && (a.isWord(i, "un") || a.isWord(i, "une")):
		return 1, false, true
	case s.class&classNumeral != 0 && !(a.language == german && len(a.word(t)) == 4 && string(a.word(t)) == "acht" && t.is(hasCapital) && !t.is(beginsSentence)):
		return s.num, false, true
	case s.class&classScale != 0 && t.foldEnd-t.foldStart > 2:
		return s.num, true, true
	case a.language == german && s.class == 0 && t.is(mayBeFact):
		value, ok = germanNumber(a.word(t))
		return value, false, ok
	}
	return 0, false, false
}

// tensAfter reports whether the words after "and" still belong to the number: "two
// hundred and three", "vingt et un", but not "three and four".
func (a *analysed) tensAfter(j int, current float64) bool {
	if a.isWord(j, "et") {
		return current >= 20 && (a.isWord(j+1, "un") || a.isWord(j+1, "une") || a.isWord(j+1, "onze")) && !a.isWord(j+2, "de")
	}
	value, scale, ok := a.numberWord(j + 1)
	return ok && !scale && value < 100 && current >= 100 && math.Mod(current, 100) == 0
}

// addsUp reports whether a word continues a number: after twenty, five does and
// thirty does not.
func addsUp(l language, current, value float64, count int) bool {
	rest := math.Mod(current, 100)
	if count == 0 || rest == 0 {
		return true
	}
	if l == french {
		return rest == 4 && value == 20 || rest >= 20 && value < 20 && math.Mod(rest, 10) == 0 || rest == 10 && value >= 7 && value < 10 || math.Mod(rest, 20) == 10 && value >= 7 && value < 10
	}
	return rest >= 20 && math.Mod(rest, 10) == 0 && value < 10
}

// fractionAt reads half, a third, two thirds, drei Viertel as parts of a hundred.
func (a *analysed) fractionAt(i int, f *fact) (next int, ok bool) {
	s := a.senseAt(i)
	if s.class&classFraction != 0 {
		if s.part == .5 || (a.oneOf(i-1) || a.isWord(i-1, "le") || a.isWord(i-1, "du")) && a.classAt(i+1)&classQuarter == 0 {
			f.value, f.dim, f.soft, f.digits = 100*s.part, percent, true, 2
			return i + 1, true
		}
		return i, false
	}
	if part := a.senseAt(i + 1); part.class&classFraction != 0 && part.part < .5 {
		value, scale, ok := a.numberWord(i)
		if ok && !scale && value >= 1 && value*part.part <= 1 {
			f.value, f.dim, f.digits, f.soft = 100*value*part.part, percent, 2, true
			return i + 2, true
		}
	}
	return i, false
}

var germanUnits = []struct {
	word  string
	value float64
}{
	{"dreizehn", 13}, {"vierzehn", 14}, {"funfzehn", 15}, {"sechzehn", 16}, {"siebzehn", 17}, {"achtzehn", 18}, {"neunzehn", 19},
	{"zwanzig", 20}, {"dreissig", 30}, {"vierzig", 40}, {"funfzig", 50}, {"sechzig", 60}, {"siebzig", 70}, {"achtzig", 80}, {"neunzig", 90},
	{"zwolf", 12}, {"zehn", 10}, {"elf", 11}, {"ein", 1}, {"eine", 1}, {"zwei", 2}, {"drei", 3}, {"vier", 4}, {"funf", 5}, {"sechs", 6}, {"sieben", 7}, {"acht", 8}, {"neun", 9},
}

// mayBeGermanNumber excludes most words by their endings.
func mayBeGermanNumber(word []byte) bool {
	if len(word) < 6 {
		return false
	}
	switch string(word[len(word)-3:]) {
	case "zig", "sig", "ehn", "ert", "end":
		return true
	}
	return bytes.Contains(word, []byte("hundert")) || bytes.Contains(word, []byte("tausend"))
}

// germanNumber reads a number written as one word: zweihundertfünfundzwanzig.
func germanNumber(word []byte) (float64, bool) {
	total := 0.0
	for _, scale := range [...]struct {
		word  string
		value float64
	}{{"tausend", 1000}, {"hundert", 100}} {
		before, after, ok := bytes.Cut(word, []byte(scale.word))
		if !ok {
			continue
		}
		n := 1.0
		if len(before) > 0 {
			var ok bool
			if n, ok = germanNumber(before); !ok {
				return 0, false
			}
		}
		total += n * scale.value
		if word = bytes.TrimPrefix(after, []byte("und")); len(word) == 0 {
			return total, true
		}
	}
	if units, tens, ok := bytes.Cut(word, []byte("und")); ok && len(units) > 0 {
		u, ok1 := germanUnit(units)
		t, ok2 := germanUnit(tens)
		if ok1 && ok2 && u < 10 && t >= 20 {
			return total + u + t, true
		}
		return 0, false
	}
	u, ok := germanUnit(word)
	return total + u, ok
}

func germanUnit(word []byte) (float64, bool) {
	for _, u := range germanUnits {
		if string(word) == u.word {
			return u.value, true
		}
	}
	return 0, false
}
