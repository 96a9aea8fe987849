package vectortest

import (
	"cmp"
	"maps"
	"math"
	"path"
	"slices"
	"strings"

	"footnote/assistants"
	"footnote/assistants/lexical"
)

// Reference is the simplest possible index: it keeps texts and vectors and reads
// all of them for every search. It repeats the formulas of package vector on purpose,
// so that a mistake there is found.
type Reference struct {
	documents map[assistants.DocumentID]storedDocument
}

type storedDocument struct {
	document assistants.Document
	version  int
	points   []assistants.Point
	vectors  map[assistants.Space][][]float32
}

// A chunk is a chunk with its statistics. byText and byVector are its ranks by its
// words and by its vector, from 0; -1: none.
type chunk struct {
	match    assistants.Match
	index    int
	tf       map[string]float64
	length   float64
	sum      float64   // of BM25, for the best wording of the question
	vector   []float32 // nil: it has none in the question's space
	byText   int
	byVector int
}

// Apply replaces a document.
func (r *Reference) Apply(d assistants.Document, version int, points []assistants.Point) {
	if r.documents == nil {
		r.documents = map[assistants.DocumentID]storedDocument{}
	}
	r.documents[d.ID] = storedDocument{d, version, points, map[assistants.Space][][]float32{}}
}

// ApplyVectors sets the vectors of a document. It reports whether an index must
// accept them.
func (r *Reference) ApplyVectors(id assistants.DocumentID, version int, space assistants.Space, vectors [][]float32) bool {
	a, ok := r.documents[id]
	if !ok || a.version != version || len(a.points) != len(vectors) {
		return false
	}
	a.vectors[space] = vectors
	return true
}

// DropVectors removes the vectors of a collection in a space.
func (r *Reference) DropVectors(collection assistants.CollectionID, space assistants.Space) {
	for _, a := range r.documents {
		if a.document.CollectionID == collection {
			delete(a.vectors, space)
		}
	}
}

// Remove removes a document.
func (r *Reference) Remove(id assistants.DocumentID) { delete(r.documents, id) }

// Versions returns the version and spaces of each document.
func (r *Reference) Versions() map[assistants.DocumentID]assistants.Indexed {
	out := map[assistants.DocumentID]assistants.Indexed{}
	for id, a := range r.documents {
		out[id] = assistants.Indexed{Version: a.version, Spaces: slices.Collect(maps.Keys(a.vectors))}
	}
	return out
}

// search returns every chunk that matches, from the best to the worst.
func (r *Reference) search(q assistants.Search) []chunk {
	chunks := r.chunks(q)
	n, total := 0.0, 0.0
	for _, c := range chunks {
		if c.length > 0 {
			n++
			total += c.length
		}
	}
	var found []chunk
	for _, c := range chunks {
		if q.Documents != nil && !slices.Contains(q.Documents, c.match.DocumentID) {
			continue
		}
		for _, terms := range append([][]string{q.Terms}, q.Wordings...) {
			idf, whole := weigh(chunks, terms)
			sum := 0.0
			for term, weight := range idf {
				if tf := c.tf[term]; tf > 0 {
					sum += weight * tf * 2.2 / (tf + 1.2*(0.5+0.5*c.length/(total/n)))
				}
			}
			// Sums of the same numbers in another order differ in the last bits,
			// which must not decide between equals.
			sum = math.Round(sum*1e9) / 1e9
			if score := min(1, sum/whole); sum > 0 && (score > c.match.TextScore || score == c.match.TextScore && sum > c.sum) {
				c.sum, c.match.TextScore = sum, score
			}
		}
		for i, x := range c.vector {
			c.match.Cosine += float64(x) * float64(q.Vector[i])
		}
		c.match.Score = q.Score(c.match.TextScore, c.match.Cosine, c.vector != nil)
		found = append(found, c)
	}
	rank(found)
	return slices.DeleteFunc(found, func(c chunk) bool { return c.match.Score <= 0 || c.match.Score < q.MinScore-1e-9 })
}

// rank sorts chunks by score, and sets byText and byVector.
func rank(found []chunk) {
	order := func(key func(chunk) float64) func(x, y chunk) int {
		return func(x, y chunk) int {
			return cmp.Or(cmp.Compare(key(y), key(x)), cmp.Compare(y.sum, x.sum),
				strings.Compare(string(x.match.DocumentID), string(y.match.DocumentID)), cmp.Compare(x.index, y.index))
		}
	}
	slices.SortFunc(found, order(func(c chunk) float64 { return c.sum }))
	for i := range found {
		if found[i].byText = i; found[i].sum == 0 {
			found[i].byText = -1
		}
	}
	slices.SortFunc(found, order(func(c chunk) float64 {
		if c.vector == nil {
			return -2
		}
		return c.match.Cosine
	}))
	for i := range found {
		if found[i].byVector = i; found[i].vector == nil {
			found[i].byVector = -1
		}
	}
	slices.SortFunc(found, order(func(c chunk) float64 { return c.match.Score }))
}

// weigh computes each term's idf over chunks, and the sum of those of the rarest terms.
func weigh(chunks []chunk, terms []string) (idf map[string]float64, whole float64) {
	n := 0.0
	for _, c := range chunks {
		if c.length > 0 {
			n++
		}
	}
	idf = map[string]float64{}
	for _, term := range terms {
		if _, twice := idf[term]; twice {
			continue
		}
		found := 0.0
		for _, c := range chunks {
			if c.tf[term] > 0 {
				found++
			}
		}
		idf[term] = math.Log(1 + (n+1)/(found+1))
	}
	rarest := slices.Sorted(maps.Values(idf))
	slices.Reverse(rarest)
	for _, weight := range rarest[:min(len(rarest), 8)+max(0, len(rarest)-16)/3] {
		whole += weight
	}
	return idf, whole
}

// chunks reads the chunks of the collections searched.
func (r *Reference) chunks(q assistants.Search) []chunk {
	var out []chunk
	for _, a := range r.documents {
		if a.document.TenantID != q.Tenant || !slices.Contains(q.Collections, a.document.CollectionID) {
			continue
		}
		first := len(out)
		for i, p := range a.points {
			c := chunk{
				match: assistants.Match{ChunkID: p.ChunkID, DocumentID: a.document.ID, Version: a.version},
				index: p.Index, tf: map[string]float64{},
			}
			words := map[int]bool{}
			for _, t := range lexical.Terms(p.Text) {
				c.tf[t.Text]++
				words[t.Start] = true
			}
			c.length = float64(len(words))
			if vectors := a.vectors[q.Space]; vectors != nil && len(q.Vector) > 0 {
				c.vector = vectors[i]
			}
			if c.length == 0 {
				out = append(out, c)
				continue
			}
			name := map[string]bool{}
			for _, t := range lexical.Terms(strings.TrimSuffix(a.document.Name, path.Ext(a.document.Name))) {
				name[t.Text] = true
			}
			for term := range name {
				c.tf[term] += 0.5
			}
			out = append(out, c)
		}
		addParts(out[first:])
	}
	return out
}

// addParts counts the parts of a document's compounds.
func addParts(chunks []chunk) {
	all := map[string]bool{}
	for _, c := range chunks {
		for term := range c.tf {
			all[term] = true
		}
	}
	for _, c := range chunks {
		for _, term := range slices.Collect(maps.Keys(c.tf)) {
			for _, part := range lexical.Parts(term, func(t string) bool { return all[t] }) {
				c.tf[part]++
			}
		}
	}
}
