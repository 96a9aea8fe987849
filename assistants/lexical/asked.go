package lexical

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// AskedTerms returns the terms to search for, given a question and the terms that
// [QueryTerms] returned for it, alone or with earlier turns. known reports whether
// passages contain a term. Terms that they do not contain are replaced: a German verb
// ("startet") by its infinitive, a separated verb ("Wie melde ich mich an?") by the
// whole one, a compound by its parts ([AskedParts]). If passages contain both a whole
// verb and its separated part, both are searched for.
func AskedTerms(question string, terms []string, known func(term string) bool) []string {
	out := make([]string, 0, len(terms))
	add := func(term string) {
		if !slices.Contains(out, term) {
			out = append(out, term)
		}
	}
	whole, infinitives := verbsOf(question, known)
	for _, verb := range whole {
		if !slices.Contains(terms, verb.term) { // gebe, gibt: words that only ask when they stand alone
			add(verb.stem)
		}
	}
	for _, term := range terms {
		of := func(v verb) bool { return v.term == term }
		i := slices.IndexFunc(whole, of)
		if i >= 0 {
			add(whole[i].stem)
		}
		switch {
		case known(term):
			add(term)
		case i >= 0, slices.ContainsFunc(whole, func(v verb) bool { return v.particle == term }):
		default:
			parts := []string{term}
			if i := slices.IndexFunc(infinitives, of); i >= 0 {
				parts[0] = infinitives[i].stem
			} else if compound := AskedParts(term, known); compound != nil {
				parts = compound
			}
			for _, part := range parts {
				add(part)
			}
		}
	}
	return firstAndLast(out)
}

// A verb is a verb of a German question that passages contain in another form.
type verb struct {
	term     string // of the word in the question
	particle string // the term of the particle at the end of its clause, or ""
	stem     string // the term in the passages
}

// particles are the particles of German verbs that may end a clause.
var particles = Set(wordLists["german separable prefixes"] + wordLists["german particles"])

// verbsOf returns the verbs of a German question whose infinitives are known: whole are
// verbs with the particle at the end of their clause, the first one of each clause; alone
// are verbs without a particle that passages do not contain as they are.
func verbsOf(text string, known func(string) bool) (whole, alone []verb) {
	var ws []word
	eachWord(text, func(w word) { ws = append(ws, w) })
	if l, _ := detect(ws); l != languageGerman {
		return nil, nil
	}
	m := stemCaches.Get().(stemCache)
	defer stemCaches.Put(m)
	stem := func(word string) string { return m.stem(word, languageGerman) }
	// verbOf is the first known one of a word's infinitives behind a particle.
	verbOf := func(word, particle string) (verb, bool) {
		for _, infinitive := range infinitivesOf(word) {
			if s := stem(particle + infinitive); known(s) {
				return verb{strings.Clone(stem(word)), strings.Clone(stem(particle)), strings.Clone(s)}, true
			}
		}
		return verb{}, false
	}
	begin := 0
	for i, w := range ws {
		if i+1 < len(ws) && !endsClause(text[min(w.end, ws[i+1].start):ws[i+1].start]) {
			continue
		}
		clause := ws[begin : i+1]
		begin = i + 1
		last := len(clause)
		for last > 1 && len(clause)-last < 2 && particles[clause[last-1].text] {
			last--
		}
		found := last == len(clause)
		for j, w := range clause[:last] {
			// Within a clause, a word in capitals is a noun.
			if r, _ := utf8.DecodeRuneInString(text[w.start:]); w.kind != kindWord || functionIn[languageGerman][w.text] || j > 0 && unicode.IsUpper(r) {
				continue
			}
			if !found && isFinite(w.text) {
				// "wieder ein" may be of "wiedereinschalten" and of "einschalten".
				for from := last; from < len(clause) && !found; from++ {
					particle := ""
					for _, p := range clause[from:] {
						particle += p.text
					}
					if strings.HasPrefix(w.text, "find") && strings.HasSuffix(particle, "raus") {
						continue // "Wie finde ich heraus" only asks
					}
					var v verb
					if v, found = verbOf(w.text, particle); found {
						whole = append(whole, v)
					}
				}
			}
			if !known(stem(w.text)) {
				if v, ok := verbOf(w.text, ""); ok {
					alone = append(alone, v)
				}
			}
		}
	}
	return whole, alone
}

// endsClause reports whether a clause ends between two words.
func endsClause(between string) bool {
	return strings.ContainsAny(between, ",;:!?\n–—()") || strings.Contains(between, ". ")
}

// isFinite reports whether a folded German word, neither a noun nor a function
// word, has an ending of a verb in the present.
func isFinite(word string) bool {
	return strings.HasSuffix(word, "e") || strings.HasSuffix(word, "n") || strings.HasSuffix(word, "t")
}

// strong maps the stems of German verbs in the third person ("er gibt"), without prefix
// and ending, to their infinitives.
var strong = map[string]string{
	"gib": "geben", "nimm": "nehmen", "sprich": "sprechen", "triff": "treffen", "trit": "treten", "wirf": "werfen", "wirb": "werben",
	"hilf": "helfen", "lies": "lesen", "sieh": "sehen", "geschieh": "geschehen", "brich": "brechen", "stich": "stechen",
	"empfiehl": "empfehlen", "iss": "essen", "schmilz": "schmelzen", "stirb": "sterben", "gil": "gelten",
}

// infinitivesOf returns a folded German verb and the infinitives that it may have:
// "starten" of "startet", "fahren" of "fahrt" (fährt), "geben" of "gibt".
func infinitivesOf(verb string) []string {
	all := []string{verb}
	for _, ending := range []string{"e", "et", "est", "t", "st"} {
		root, ok := strings.CutSuffix(verb, ending)
		if !ok || len(root) < 3 {
			continue
		}
		all = append(all, root+"en")
		for i := range len(root) - 2 {
			if infinitive := strong[root[i:]]; infinitive != "" && ending != "e" {
				all = append(all, root[:i]+infinitive)
			}
		}
	}
	if strings.HasSuffix(verb, "t") { // "halt" (hält) is of "halten"
		all = append(all, verb+"en")
	}
	return all
}
