package support

import "bytes"

// Numbers that are written as one word in languages other than German: dodicimila, ventidue,
// tweehonderdvijftig, tjugofem, femogtyve.

// compounds are what the words of a language's numbers look like.
var compounds = map[language]struct {
	one   []string // not listed as numerals, because they are articles, too
	link  string   // between units and tens
	elide string   // vowels that tens lose before another vowel
}{
	italian: {[]string{"uno", "un"}, "", "ia"},
	dutch:   {[]string{"een"}, "en", ""},
	swedish: {[]string{"en", "ett"}, "", ""},
	danish:  {[]string{"en", "et"}, "og", ""},
}

// mayBeCompound excludes most words by their length and endings.
func (a *analysed) mayBeCompound(word []byte) bool {
	const least = 6
	if len(word) < least || a.language != italian && a.language != dutch && a.language != swedish && a.language != danish {
		return false
	}
	var ending string
	switch a.language {
	case italian:
		ending = "uno due tre tro que sei tte tto ove eci ici nta nti nto ila "
	case dutch:
		ending = "tig erd end ien een wee rie ier ijf zes ven cht gen elf alf "
	case swedish:
		ending = "tio ett tva tre yra fem sex sju tta nio ugo lva olv ton dra sen ien "
	default:
		ending = "yve ive rre eds res irs rds ems ede ind "
	}
	return bytes.Contains([]byte(ending), append(word[len(word)-3:len(word):len(word)], ' '))
}

// compoundNumber reads a number of several words that are written as one.
func (a *analysed) compoundNumber(word []byte) (float64, bool) {
	total, current, pieces := 0.0, 0.0, 0
	for len(word) > 0 {
		value, scale, size := a.numeralPrefix(word)
		if size == 0 {
			return 0, false
		}
		switch link := compounds[a.language].link; {
		case scale && value == 100 && current < 10:
			current = max(current, 1) * 100
		case scale && value == 1000 && total == 0:
			total, current = max(current, 1)*1000, 0
		case scale:
			return 0, false
		case pieces == 0 || addsUp(a.language, current, value, pieces):
			current += value
			if link != "" && value < 10 && bytes.HasPrefix(word[size:], []byte(link)) {
				tens, scale, more := a.numeralPrefix(word[size+len(link):])
				if more == 0 || scale || tens < 20 || tens >= 100 {
					return 0, false
				}
				current += tens
				size += len(link) + more
			}
		default:
			return 0, false
		}
		word = word[size:]
		pieces++
	}
	return total + current, total+current >= 20
}

// numeralPrefix returns the longest number that a word begins with.
func (a *analysed) numeralPrefix(word []byte) (value float64, scale bool, size int) {
	const longest = 10
	c := compounds[a.language]
	for n := min(longest, len(word)); n > 1; n-- {
		s := a.lex.in(a.lex.find(&a.lex.words, hashOf(word[:n])), a.language)
		switch {
		case s.class&classNumeral != 0:
			return s.num, false, n
		case s.class&classScale != 0 && s.num <= 1000:
			return s.num, true, n
		}
		for _, one := range c.one {
			if string(word[:n]) == one {
				return 1, false, n
			}
		}
		if n < len(word) && (word[n] == 'u' || word[n] == 'o') {
			for i := range len(c.elide) { // ventuno, trentotto
				h := (hashOf(word[:n]) ^ uint64(c.elide[i])) * hashPrime
				if s := a.lex.in(a.lex.find(&a.lex.words, h), a.language); s.class&classNumeral != 0 && s.num >= 20 {
					return s.num, false, n
				}
			}
		}
	}
	return 0, false, 0
}
