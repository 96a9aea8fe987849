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
	lang := detect(ws)
	m := memos.Get().(memo)
	defer memos.Put(m)
	terms := queryTerms(ws, lang, m, true)
	if len(terms) == 0 {
		// "What is allowed?" asks about nothing else: then that is the subject.
		terms = queryTerms(ws, lang, m, false)
	}
	if n := len(terms); n > MaxQueryTerms {
		half := MaxQueryTerms / 2
		terms = append(terms[:half:half], terms[n-half:]...)
	}
	return terms
}

// queryTerms collects the terms of a question. With strict, words that only
// ask and kana beside other terms are left out.
func queryTerms(ws []word, lang language, m memo, strict bool) []string {
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
		case functionWords[w.text], lang == languageGerman && germanOnly[w.text]:
		case strict && askingWords[lang][w.text]:
		default:
			add(&terms, m.stems(w.text).in(lang))
		}
	}
	if len(terms) == 0 {
		return kana
	}
	return terms
}

// detect tells the language of a question from the function words that belong
// to one language only and, when they do not decide, from the shape of its words.
func detect(ws []word) language {
	english, german, shape := 0, 0, 0
	for _, w := range ws {
		if w.kind != kindWord {
			continue
		}
		en := englishFunction[w.text] || askingWords[languageEnglish][w.text]
		de := germanFunction[w.text] || germanOnly[w.text] || askingWords[languageGerman][w.text]
		switch {
		case en && !de:
			english++
		case de && !en:
			german++
		case !en && looksGerman(w.text):
			shape++
		}
	}
	if german > english || german == english && shape > 0 {
		return languageGerman
	}
	return languageEnglish
}

// looksGerman reports whether a folded word has an ending that English lacks.
func looksGerman(word string) bool {
	for _, suffix := range germanSuffixes {
		if len(word) > len(suffix)+2 && strings.HasSuffix(word, suffix) {
			return true
		}
	}
	return false
}
