package extractive

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"footnote/assistants/lexical"
	"footnote/proxy/upstream"
)

// maxQuotes is the largest number of sentences in an answer.
const maxQuotes = 3

// Weights of the evidence for a sentence. A sentence that contains all words of the
// question scores 1.
const (
	headingWeight = 0.45 // of the question's words that only its heading has …
	openingWeight = 0.35 // … and more for the first sentence under it, half as much for the second …
	referWeight   = 0.70 // … that only the sentence before it has, to which it refers ("They must …")
	aroundWeight  = 0.30 // … that only the sentences around it have
	nameWeight    = 0.15 // of the question's words that name its document
	firstWeight   = 0.15 // of the first passage; the r-th has an r-th of it
	codeWeight    = 2    // times that of a word, for the code of an error or a part
	enough        = 0.22 // least score of an answer
	nearly        = 0.62 // share of the best score that a further sentence needs
	alike         = 0.60 // share of equal terms above which two sentences say the same

	// A sentence of a passage that scores a sixth less than the best one counts half,
	// because retrieval knows more than words. On the gold set another power changes a
	// page in 400; see ABLATIONS.md.
	passagePower = 4
)

// answer quotes the best sentences of the passages, with their markers if markers is
// true, or says that it found nothing. naming are terms of the question that only name a document.
func answer(question string, naming []string, passages []upstream.Passage, markers bool) string {
	var quotes []string
	for _, s := range choose(question, naming, passages) {
		index := passages[s.passage].Index
		if !markers {
			index = 0
		}
		quotes = append(quotes, mark(s.quote, index))
	}
	if len(quotes) == 0 {
		return Nothing
	}
	return strings.Join(quotes, " ")
}

// A scored sentence is one that may be quoted.
type scored struct {
	*sentence
	score float64
}

// choose picks the sentences to quote, best first. Where none says what is asked, the
// words that only name a document decide, too.
func choose(question string, naming []string, passages []upstream.Passage) []scored {
	query := lexical.QueryTerms(question)
	sentences := split(passages)
	if len(query) == 0 || len(sentences) == 0 {
		return nil
	}
	known := map[string]bool{}
	for _, s := range sentences {
		for _, said := range []map[string]bool{s.terms, s.heading, s.name} {
			maps.Copy(known, said)
		}
	}
	query = lexical.AskedTerms(question, query, func(term string) bool { return known[term] })
	splitCompounds(sentences, query, known)
	query = append(query, measure(question, sentences)...)
	about, naming := namesOf(passages, naming).separate(query)
	trust := trusted(passages)
	for _, terms := range [][]string{about, query} {
		w := newWeights(terms, naming, sentences)
		if best := distinct(w.rank(question, sentences, trust), w.about); len(best) > 0 {
			return best
		}
	}
	return nil
}

// rank returns the sentences that are worth quoting, best first.
func (w weights) rank(question string, sentences []sentence, trust []float64) []scored {
	k, said := kindOf(question), termSet(question)
	var all, echoes []scored
	for i := range sentences {
		s := &sentences[i]
		score := w.score(s) * s.worth
		if score > 0 { // most sentences have no word of the question
			score *= k.fits(s.said, question)
		}
		switch {
		case score < enough:
		case s.title || k.echoes(s, said):
			echoes = append(echoes, scored{s, score * trust[s.passage]})
		default:
			all = append(all, scored{s, score * trust[s.passage]})
		}
	}
	if len(all) == 0 {
		all = echoes
	}
	slices.SortStableFunc(all, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	return all
}

// trusted returns the weight of each passage's sentences by the passage's score.
// Without scores all weigh the same.
func trusted(passages []upstream.Passage) []float64 {
	best := 0.0
	for _, p := range passages {
		best = max(best, p.Score)
	}
	out := make([]float64, len(passages))
	for i, p := range passages {
		if out[i] = 1; best > 0 {
			near := p.Score
			for j := range passages {
				if beside(&p, &passages[j]) {
					near = max(near, passages[j].Score)
				}
			}
			out[i] = math.Pow(near/best, passagePower) * p.Score / max(near, math.SmallestNonzeroFloat64)
		}
	}
	return out
}

// beside reports whether two passages of a document are on the same page or on one and
// the next. What one begins, the other may continue.
func beside(p, q *upstream.Passage) bool {
	return p.Name == q.Name && p.Page > 0 && q.Page > 0 && p.Page-q.Page <= 1 && q.Page-p.Page <= 1
}

// splitCompounds gives sentences the terms of a question that are parts of their
// compounds, as the index does.
func splitCompounds(sentences []sentence, query []string, known map[string]bool) {
	isKnown := func(part string) bool { return known[part] || slices.Contains(query, part) }
	parts := map[string][]string{}
	for i := range sentences {
		terms := sentences[i].terms
		var asked []string
		for term := range terms {
			if _, done := parts[term]; !done {
				parts[term] = askedParts(term, query, isKnown)
			}
			asked = append(asked, parts[term]...)
		}
		for _, term := range asked {
			terms[term] = true
		}
	}
}

// askedParts returns the parts of a compound that a question has.
func askedParts(term string, query []string, known func(string) bool) []string {
	within := func(part string) bool {
		return part != term && (strings.HasPrefix(term, part) || strings.HasSuffix(term, part))
	}
	if !slices.ContainsFunc(query, within) { // fast, and nearly always so
		return nil
	}
	return slices.DeleteFunc(lexical.Parts(term, known), func(part string) bool { return !slices.Contains(query, part) })
}

// distinct takes the best sentences: those nearly as good as the first, about the
// question's subject, and without repetition.
func distinct(all []scored, w termWeights) []scored {
	var out []scored
	for _, s := range all {
		if len(out) == maxQuotes || len(out) > 0 && s.score < nearly*out[0].score {
			break
		}
		if len(out) > 0 && !w.onSubject(s.sentence) {
			continue
		}
		if !slices.ContainsFunc(out, func(o scored) bool { return similar(s.terms, o.terms) }) {
			out = append(out, s)
		}
	}
	return out
}

// similar reports whether the smaller of two sets of terms is mostly in the other.
func similar(a, b map[string]bool) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	common := 0
	for t := range a {
		if b[t] {
			common++
		}
	}
	return float64(common) > alike*float64(len(a))
}

// weights are those of a question's words.
type weights struct {
	about  termWeights // what is asked
	naming termWeights // which document is meant
	// Their words in order, so that sums do not depend on chance, which would decide
	// between two sentences that are as good.
	asked, names []string
}

func newWeights(about, naming []string, sentences []sentence) weights {
	w := weights{about: weigh(about, sentences), naming: weigh(naming, sentences)}
	w.asked, w.names = slices.Sorted(maps.Keys(w.about)), slices.Sorted(maps.Keys(w.naming))
	return w
}

// termWeights are higher for words that are rare in the passages. Their sum is 1.
type termWeights map[string]float64

func weigh(query []string, sentences []sentence) termWeights {
	w, sum := make(termWeights, len(query)), 0.0
	for _, t := range query {
		df := 0.0
		for i := range sentences {
			if sentences[i].terms[t] {
				df++
			}
		}
		w[t] = math.Log(1 + (float64(len(sentences))-df+0.5)/(df+0.5))
		if isCode(t) {
			w[t] *= codeWeight
		}
		sum += w[t]
	}
	for t := range w {
		w[t] /= sum
	}
	return w
}

// onSubject reports whether a sentence, or its heading, has a word of the question
// with more than average weight. A sentence that only shares "days" with "How many
// days of parental leave" is about something else.
func (w termWeights) onSubject(s *sentence) bool {
	for t, weight := range w {
		if s.speaksOf(t) && weight*float64(len(w)) >= 0.9 {
			return true
		}
	}
	return false
}

// score rates how much of the question a sentence answers. Words around it count
// less than its own. Without a word of its own it needs a heading with most of them,
// or must continue the sentence before.
func (w weights) score(s *sentence) float64 {
	own, heading, before, around, name := 0.0, 0.0, 0.0, 0.0, 0.0
	for _, t := range w.asked {
		weight := w.about[t]
		switch {
		case s.terms[t]:
			own += weight
		case s.refers && s.before[t]:
			before += weight
		case s.heading[t]:
			heading += weight
		case slices.ContainsFunc(s.around, func(terms map[string]bool) bool { return terms[t] }), s.before[t]:
			around += weight
		}
	}
	for _, t := range w.names {
		if s.speaksOf(t) || s.name[t] {
			name += w.naming[t]
		}
	}
	if own == 0 && heading < 0.5 && !(s.refers && before >= 0.5) {
		return 0
	}
	heading *= headingWeight + openingWeight/float64(s.place+1)
	return own + heading + referWeight*before + aroundWeight*around + nameWeight*name + firstWeight/float64(s.passage+1)
}
