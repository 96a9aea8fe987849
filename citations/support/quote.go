package support

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxQuote is the approximate maximum of characters in a quotation.
const maxQuote = 300

// quote returns the part of a passage that carries the claim: the matching
// sentence, and the sentence next to it if it adds something and both are short,
// without clauses at the ends that share nothing with the claim. If it is to show
// the evidence against the claim, another number counts as shared. It is verbatim,
// and begins and ends between words.
func (k *Checker) quote(c *analysed, r *reading, against bool) (start, end int) {
	p := k.passage(r.passage)
	if r.first < 0 {
		return 0, 0
	}
	least := near
	if against {
		least = rival
	}
	s := p.sentences[r.first]
	if row := p.rowAt(int(p.tokens[s.first].start)); row != nil && utf8.RuneCountInString(p.raw[row.span[0]:row.span[1]]) <= maxQuote {
		return trimQuote(p.raw, row.span[0], row.span[1])
	}
	k.findQuoted(c, p, least)
	start, end = int(s.start), int(s.end)
	if r.second >= 0 && (r.second == r.first+1 || r.second == r.first-1) {
		both := p.sentences[r.second]
		if from, to := min(start, int(both.start)), max(end, int(both.end)); utf8.RuneCountInString(p.raw[from:to]) <= maxQuote {
			return trimQuote(p.raw, from, to)
		}
	}
	if utf8.RuneCountInString(p.raw[start:end]) > maxQuote {
		start, end = k.clausesOf(p, r)
	} else {
		start, end = k.withoutTail(p, r, start, end)
	}
	return trimQuote(p.raw, start, end)
}

// findQuoted lists the tokens of a passage that the claim has, including facts whose
// standing to one of the claim's is at least the given one.
func (k *Checker) findQuoted(c, p *analysed, least standing) {
	if k.met != p {
		k.meet(c, p)
	}
	k.quoted = k.quoted[:0]
	for i := range k.hits {
		k.quoted = append(k.quoted, k.hits[i].tok)
	}
	for i := range p.facts {
		for j := range c.facts {
			k.steps++
			if k.standing(p, j, i) >= least {
				k.quoted = append(k.quoted, p.facts[i].first)
				break
			}
		}
	}
}

// weighClauses counts what each clause of the first sentence shares with the claim.
func (k *Checker) weighClauses(p *analysed, r *reading) (first int, weights []float64) {
	s := p.sentences[r.first]
	first = int(p.tokens[s.first].clause)
	last := int(p.tokens[s.last-1].clause)
	k.scores = zeroed(k.scores, last-first+1)
	for _, m := range k.quoted {
		if m >= s.first && m < s.last {
			k.scores[int(p.tokens[m].clause)-first]++
		}
	}
	return first, k.scores
}

// withoutTail drops the clauses after the last one that shares something with the
// claim, unless one of them qualifies it: unless, except, a negation.
func (k *Checker) withoutTail(p *analysed, r *reading, start, end int) (int, int) {
	first, weights := k.weighClauses(p, r)
	last := len(weights) - 1
	for last > 0 && weights[last] == 0 && !p.qualifies(p.clauses[first+last]) {
		last--
	}
	last = p.behindFacts(first+last) - first
	if last >= len(weights)-1 {
		return start, end
	}
	return start, int(p.clauses[first+last].end)
}

// behindFacts returns the clause in which the facts end that begin in a clause or
// before it: a date continues after its comma.
func (a *analysed) behindFacts(clause int) int {
	for i := range a.facts {
		f := &a.facts[i]
		if int(a.tokens[f.first].clause) > clause {
			break
		}
		clause = max(clause, int(a.tokens[f.last-1].clause))
	}
	return clause
}

// qualifies reports whether a clause must stay.
func (a *analysed) qualifies(s textSpan) bool {
	for i := s.first; i < s.last; i++ {
		t := &a.tokens[i]
		if t.is(negated) || t.kind == wordToken && t.class&classCondition != 0 {
			return true
		}
	}
	return false
}

// clausesOf chooses the clauses of a long sentence that share most with the claim
// and fit; a clause that does not fit is cut between words.
func (k *Checker) clausesOf(p *analysed, r *reading) (start, end int) {
	first, weights := k.weighClauses(p, r)
	bestFrom, bestTo, best := 0, 0, -1.0
	from, sum, size := 0, 0.0, 0
	for to := range weights {
		sum += weights[to]
		size += p.clauseRunes(first + to)
		for from < to && size > maxQuote {
			sum -= weights[from]
			size -= p.clauseRunes(first + from)
			from++
		}
		if sum > best+1e-9 {
			bestFrom, bestTo, best = from, to, sum
		}
	}
	for bestFrom < bestTo && weights[bestFrom] == 0 {
		bestFrom++
	}
	bestTo = min(p.behindFacts(first+bestTo)-first, len(weights)-1)
	start, end = int(p.clauses[first+bestFrom].start), int(p.clauses[first+bestTo].end)
	if utf8.RuneCountInString(p.raw[start:end]) > maxQuote {
		start, end = k.cutAround(p, start, end)
	}
	return start, end
}

func (a *analysed) clauseRunes(i int) int {
	return utf8.RuneCountInString(a.raw[a.clauses[i].start:a.clauses[i].end])
}

// cutAround takes the part of a long clause around its first hit, between words.
func (k *Checker) cutAround(p *analysed, start, end int) (int, int) {
	for _, m := range k.quoted {
		if at := int(p.tokens[m].start); at >= start && at < end {
			start = max(start, wordStart(p.raw, start, at-maxQuote/4))
			break
		}
	}
	to, count := start, 0
	space := 0
	for to < end && count < maxQuote {
		r, size := utf8.DecodeRuneInString(p.raw[to:])
		if unicode.IsSpace(r) {
			space = to
		}
		to, count = to+size, count+1
	}
	if to < end && space > start+(to-start)/2 {
		to = space
	}
	return start, to
}

// wordStart is the beginning of the word after a position.
func wordStart(s string, least, at int) int {
	if at <= least {
		return least
	}
	for i := at; i < len(s) && i < at+60; i++ {
		if s[i] == ' ' || s[i] == '\n' {
			return i + 1
		}
	}
	for at > least && !utf8.RuneStart(s[at]) {
		at--
	}
	return at
}

// trimQuote removes white space and layout characters from both ends.
func trimQuote(s string, start, end int) (int, int) {
	const layout = ",;:|—–-、，；："
	text := s[start:end]
	trimmed := strings.TrimLeftFunc(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(layout+">#*•)]}", r) })
	start += len(text) - len(trimmed)
	trimmed = strings.TrimRightFunc(trimmed, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(layout+"([{", r) })
	return start, start + len(trimmed)
}
