package lexical

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// AskedTerms are the terms by which passages are searched for a question that
// gave terms by [QueryTerms], in its own words or with what was said before;
// known tells which terms the passages have. What they lack is replaced by what
// they have: a German verb ("startet") by its infinitive and a compound by what
// it consists of ([AskedParts]). A verb that is taken apart ("Wie melde ich mich
// an?") is the whole one, too.
func AskedTerms(question string, terms []string, known func(term string) bool) []string {
	out := make([]string, 0, len(terms))
	add := func(all ...string) {
		for _, term := range all {
			if !slices.Contains(out, term) {
				out = append(out, term)
			}
		}
	}
	instead := map[string][]string{} // of a term that is not known
	for _, v := range verbsOf(question) {
		if i := slices.IndexFunc(v.whole, known); i >= 0 {
			add(v.whole[i])
			instead[v.term], instead[v.particle] = v.whole[i:i+1], v.whole[i:i+1]
		} else if i := slices.IndexFunc(v.alone, known); i >= 0 {
			instead[v.term] = v.alone[i : i+1]
		}
	}
	for _, term := range terms {
		parts := []string{term}
		if !known(term) {
			if verb := instead[term]; verb != nil {
				parts = verb
			} else if compound := AskedParts(term, known); compound != nil {
				parts = compound
			}
		}
		add(parts...)
	}
	return out
}

// A verb is a word of a German question that may be one.
type verb struct {
	term     string
	particle string   // the term of what it left at the end of its clause, or ""
	whole    []string // terms that it may be with that
	alone    []string // terms that it may be without
}

// particles are what German verbs leave at the end of a clause.
var particles = set(strings.Join(separable, " ") + `
zuruck zurueck herum umher herab herauf hervor entgegen frei statt teil voran voraus vorbei hoch runter rauf raus rein kennen fern dar
`)

// verbsOf are the words of a German text that may be verbs, none of another's.
func verbsOf(text string) (verbs []verb) {
	var ws []word
	eachWord(text, func(w word) { ws = append(ws, w) })
	if detect(ws) != languageGerman {
		return nil
	}
	m := memos.Get().(memo)
	defer memos.Put(m)
	term := func(w string) string { return strings.Clone(m.stem(w, languageGerman)) }
	begin := 0
	for i, w := range ws {
		if i+1 < len(ws) && !strings.ContainsAny(text[w.end:ws[i+1].start], ".,;:!?\n–—()") {
			continue
		}
		clause := ws[begin : i+1]
		begin = i + 1
		last := len(clause) - 1
		for last > 0 && particles[clause[last].text] {
			last--
		}
		particle := ""
		for _, p := range clause[last+1:] {
			particle += p.text
		}
		if particle == "heraus" || particle == "raus" {
			continue // "Wie finde ich heraus": that only asks
		}
		for j, w := range clause[:last+1] {
			// Within a clause, a word in capitals is a noun.
			if r, _ := utf8.DecodeRuneInString(text[w.start:]); w.kind != kindWord || germanFunction[w.text] || j > 0 && unicode.IsUpper(r) {
				continue
			}
			v := verb{term: term(w.text)}
			for _, infinitive := range infinitivesOf(w.text) {
				v.alone = append(v.alone, term(infinitive))
				if particle != "" {
					v.whole = append(v.whole, term(particle+infinitive))
				}
			}
			if particle != "" {
				v.particle = term(particle)
			}
			verbs = append(verbs, v)
		}
	}
	return verbs
}

// infinitivesOf are the infinitives that a folded German verb may have, itself
// among them: "startet" is of "starten", "fahrt" (fährt) of "fahren", "gibt" of
// "geben".
func infinitivesOf(verb string) []string {
	all := []string{verb}
	for _, ending := range []string{"", "t", "et", "st", "est"} {
		root, ok := strings.CutSuffix(verb, ending)
		if !ok || len(root) < 3 {
			continue
		}
		all = append(all, root+"en")
		if i := strings.LastIndexByte(root, 'i'); i >= 0 {
			all = append(all, root[:i]+"e"+strings.TrimPrefix(root[i+1:], "e")+"en")
		}
	}
	return all
}
