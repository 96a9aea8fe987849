package support

// The counterparts of the words of a part.

// looseHit reports whether a match is too loose to carry a word: another word with a
// prefix, such as Vermieter for Mieter, or the other of a pair, such as employee for
// employer.
func (k *Checker) looseHit(c, p *analysed, h *hit) bool {
	if h.quality == 1 {
		return false
	}
	word, other := c.word(&c.tokens[k.terms[h.term].tok]), p.word(&p.tokens[h.tok])
	if h.quality == qualityCompound {
		return max(len(word), len(other))-min(len(word), len(other)) < minCompound
	}
	return sharedLetters(word, other) >= rootLength && (receiver(word) != receiver(other) || k.looseDoer(c, p, h))
}

// looseDoer reports whether one of two words is who does something, the other to whom it is done: the
// insurer, the insured.
func (k *Checker) looseDoer(c, p *analysed, h *hit) bool {
	tok := k.terms[h.term].tok
	if c.language == german {
		one, other := c.word(&c.tokens[tok]), p.word(&p.tokens[h.tok])
		return c.tokens[tok].is(hasCapital) && doerEnding(one) != doerEnding(other) && (passiveEnding(one) || passiveEnding(other))
	}
	return c.language == english && c.nounAt(tok) && p.nounAt(h.tok) &&
		(doerEnding(c.word(&c.tokens[tok])) && endsWith(p.word(&p.tokens[h.tok]), []byte("ed")) || endsWith(c.word(&c.tokens[tok]), []byte("ed")) && doerEnding(p.word(&p.tokens[h.tok])))
}

// passiveEnding reports whether a German noun ends like Versicherte, Beschuldigten.
func passiveEnding(word []byte) bool {
	return endsWith(word, []byte("erte")) || endsWith(word, []byte("erten")) || endsWith(word, []byte("igte")) || endsWith(word, []byte("igten"))
}

func doerEnding(word []byte) bool {
	return endsWith(word, []byte("er")) || endsWith(word, []byte("or"))
}

// receiver reports whether a word ends like employee, lessee, trainee.
func receiver(word []byte) bool {
	n := len(word)
	if n > 1 && word[n-1] == 's' {
		n--
	}
	return n > 3 && word[n-1] == 'e' && word[n-2] == 'e'
}

// findWords finds the counterparts of the part's words.
func (w *carrying) findWords() {
	k := w.k
	from := 0
	for n := range k.terms {
		to := from
		for to < len(k.hits) && int(k.hits[to].term) <= n {
			to++
		}
		hits := k.hits[from:to]
		first := from
		from = to
		tok := k.terms[n].tok
		if tok < w.part.first || tok >= w.part.last {
			continue
		}
		inside, outside := int32(-1), false
		expected := w.expected(tok)
		for i := range hits {
			h := &hits[i]
			if d := w.sentence - h.sentence; d != 0 {
				outside = outside || d > 0 && (d <= contextReach || h.sentence == 0) && !k.looseHit(w.c, w.p, h)
				continue
			}
			if k.looseHit(w.c, w.p, h) {
				continue
			}
			if h.quality < qualityStem && !h.opposite && !w.sameWord(h) && w.anothers(h) {
				continue
			}
			if inside < 0 || w.better(h, &k.hits[inside], expected) {
				inside = int32(first + i)
			}
		}
		switch {
		case inside >= 0:
			h := &k.hits[inside]
			w.mates = append(w.mates, mate{tok: tok, last: tok + 1, at: h.tok, end: h.tok + 1, hit: inside})
		case outside && w.firstNameHere(n):
			// the sentence has the last name
		case outside:
			w.outside++
			w.nameOutside = w.nameOutside || w.c.tokens[tok].is(isName)
		case w.c.little(tok) || w.c.comparedAsSmall(tok) || w.alike && w.c.grades(tok) || w.c.tokens[tok].is(tells) && w.toldHere():
		case w.c.tokens[tok].is(isName):
			w.fail(nameOpen)
		default:
			w.open = append(w.open, tok)
			if w.undermines(tok) {
				w.fail(otherReserve)
			}
		}
	}
}

// firstNameHere reports whether the word before or after a name is a name that the sentence
// has: Rafael Ortega, of whom it only has Ortega.
func (w *carrying) firstNameHere(n int) bool {
	tok := w.k.terms[n].tok
	if !w.c.tokens[tok].is(isName) {
		return false
	}
	for _, m := range [...]int{n - 1, n + 1} {
		if m < 0 || m >= len(w.k.terms) || abs(w.k.terms[m].tok-tok) != 1 || !w.c.tokens[w.k.terms[m].tok].is(isName) {
			continue
		}
		for i := range w.k.hits {
			if h := &w.k.hits[i]; int(h.term) == m && w.p.tokens[h.tok].sentence == w.sentence {
				return true
			}
		}
	}
	return false
}

// expected returns where the counterpart of a word should be: behind that of the word before.
func (w *carrying) expected(tok int32) int32 {
	if n := len(w.mates); n > 0 {
		return w.mates[n-1].at + 1
	}
	return w.p.sentences[w.sentence].first
}

// anothers reports whether a word of the passage that means about the same as one of the claim is
// another word of the claim: the managers, where only the board is meant.
func (w *carrying) anothers(h *hit) bool {
	u := &w.p.tokens[h.tok]
	for n := range w.k.terms {
		if int32(n) != h.term && w.c.tokens[w.k.terms[n].tok].raw == u.raw {
			return true
		}
	}
	return false
}

// better reports whether a hit is a better counterpart than one before it: the same word, or as
// good and nearer to the expected place.
func (w *carrying) better(h, than *hit, expected int32) bool {
	if same := w.sameWord(h); same != w.sameWord(than) && (w.alike || !h.opposite && !than.opposite) {
		return same
	}
	return nearer(h.tok, than.tok, expected)
}

// sameWord reports whether a hit is a form of the claim's word, and no synonym.
func (w *carrying) sameWord(h *hit) bool {
	return h.quality >= qualityStem || h.quality == qualitySynonym && w.c.stem(&w.c.tokens[w.k.terms[h.term].tok]) == w.p.stem(&w.p.tokens[h.tok])
}

// nearer reports whether a token is nearer to the expected place than another, which lies
// before it.
func nearer(tok, other, expected int32) bool {
	return abs(tok-expected) < abs(other-expected)
}

func abs(n int32) int32 {
	if n < 0 {
		return -n
	}
	return n
}
