package vectortest

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strings"

	"footnote/assistants"
	"footnote/assistants/lexical"
)

// Reference is an index without any art: it keeps texts and reads all of them
// for every search. Its formula is written down a second time on purpose.
type Reference struct {
	documents map[assistants.DocumentID]applied
}

type applied struct {
	document assistants.Document
	version  int
	points   []assistants.Point
}

// A chunk is one as read: its term frequencies and length.
type chunk struct {
	match  assistants.Match
	index  int
	tf     map[string]float64
	length float64
	sum    float64 // of BM25, for the query at hand
}

// Apply replaces a document.
func (r *Reference) Apply(d assistants.Document, version int, points []assistants.Point) {
	if r.documents == nil {
		r.documents = map[assistants.DocumentID]applied{}
	}
	r.documents[d.ID] = applied{d, version, points}
}

// Remove takes a document out.
func (r *Reference) Remove(id assistants.DocumentID) { delete(r.documents, id) }

// Search returns the best matches.
func (r *Reference) Search(q assistants.TextQuery) []assistants.Match {
	chunks := r.chunks(q)
	n, average := float64(len(chunks)), 0.0
	for _, c := range chunks {
		average += c.length / n
	}
	idf := map[string]float64{}
	whole := 0.0
	for _, term := range q.Terms {
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
		whole += idf[term]
	}
	var kept []chunk
	for _, c := range chunks {
		for term, weight := range idf {
			tf := c.tf[term]
			c.sum += weight * tf * 2.2 / (tf + 1.2*(0.5+0.5*c.length/average))
		}
		c.match.Score = min(1, c.sum/whole)
		c.match.TextScore = c.match.Score
		// Sums of the same numbers in another order differ in the last bits,
		// which must not decide between equals.
		c.sum = math.Round(c.sum*1e9) / 1e9
		if c.sum > 0 && c.match.Score >= q.MinScore-1e-9 {
			kept = append(kept, c)
		}
	}
	slices.SortFunc(kept, func(x, y chunk) int {
		return cmp.Or(cmp.Compare(y.sum, x.sum),
			strings.Compare(string(x.match.DocumentID), string(y.match.DocumentID)), cmp.Compare(x.index, y.index))
	})
	var out []assistants.Match
	for _, c := range kept[:min(len(kept), q.Limit)] {
		out = append(out, c.match)
	}
	return out
}

// chunks reads the chunks of the collections searched that have any term.
func (r *Reference) chunks(q assistants.TextQuery) []chunk {
	var out []chunk
	for _, a := range r.documents {
		if a.document.TenantID != q.Tenant || !slices.Contains(q.Collections, a.document.CollectionID) {
			continue
		}
		for _, p := range a.points {
			c := chunk{
				match: assistants.Match{ChunkID: p.ChunkID, DocumentID: a.document.ID, Version: a.version},
				index: p.Index, tf: map[string]float64{},
			}
			for _, t := range lexical.Terms(p.Text) {
				c.tf[t.Text]++
				c.length++
			}
			if c.length == 0 {
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
	}
	return out
}
