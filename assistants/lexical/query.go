package lexical

import "strings"

// MaxQueryTerms is the largest number of terms a question is searched by.
const MaxQueryTerms = 32

// QueryTerms returns the distinct terms that a question is searched by, in the
// order in which they first appear; none if it has no searchable word. The
// package comment says which words count.
func QueryTerms(text string) []string {
	var ws []word
	eachWord(text, func(w word) { ws = append(ws, w) })
	lang, _ := detect(ws)
	m := stemCaches.Get().(stemCache)
	defer stemCaches.Put(m)
	terms := queryTerms(ws, lang, m, true)
	if len(terms) == 0 {
		// "What is allowed?" has no other words, so these are its subject.
		terms = queryTerms(ws, lang, m, false)
	}
	return firstAndLast(terms)
}

// firstAndLast keeps of too many terms half of [MaxQueryTerms] from either end.
func firstAndLast(terms []string) []string {
	if n := len(terms); n > MaxQueryTerms {
		half := MaxQueryTerms / 2
		return append(terms[:half:half], terms[n-half:]...)
	}
	return terms
}

// queryTerms collects the terms of a question. With strict, words that only ask are
// left out, and kana too if there are other terms.
func queryTerms(ws []word, lang language, m stemCache, strict bool) []string {
	var terms, kana []string
	seen := map[string]bool{}
	add := func(list *[]string, term string) {
		if term != "" && !seen[term] {
			seen[term] = true
			*list = append(*list, strings.Clone(term))
		}
	}
	for _, w := range ws {
		switch {
		case w.kind == kindRun:
			list := &terms
			if strict && w.script == scriptHiragana {
				list = &kana
			}
			eachQueryPair(w, strict, func(t Term) { add(list, t.Text) })
		case w.kind == kindNumber:
			add(&terms, w.text)
		case functionWords[w.text], functionIn[lang][w.text]:
		case strict && askingWords[lang][w.text]:
		default:
			add(&terms, m.stem(w.text, lang))
		}
	}
	if len(terms) == 0 {
		return kana
	}
	return terms
}
