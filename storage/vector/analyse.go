package vector

import (
	"cmp"

	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"footnote/assistants"
	"footnote/assistants/lexical"
)

// maxText is how much of a chunk is indexed. Chunkers stay far below it.
const maxText = 64 << 10

// Weights of an occurrence, in halves.
const (
	bodyHalves = 2
	nameHalves = 1
)

// A chunk is what is known of a chunk beside its terms.
type chunk struct {
	id     assistants.ChunkID
	index  int
	length int // number of words in its text; 0: it can be found by its meaning only
}

// An occurrence is a term's weight in a chunk, which is given by its place in
// the document.
type occurrence struct {
	chunk  uint32
	halves uint32 // twice the term frequency
}

// A termEntry is a term with its occurrences, in ascending order of chunk.
type termEntry struct {
	term string
	in   []occurrence
}

// A document is a document's version as the index keeps it: its chunks, and
// its terms in ascending order.
type document struct {
	id         assistants.DocumentID
	tenant     assistants.TenantID
	collection assistants.CollectionID
	version    int
	chunks     []chunk
	terms      []termEntry
}

// analyse finds the terms of a document's chunks. Points without any term are
// chunks too, as every point may get a vector, but the name's terms are not theirs.
func analyse(d assistants.Document, version int, points []assistants.Point) document {
	doc := document{id: d.ID, tenant: d.TenantID, collection: d.CollectionID, version: version}
	entries := map[string]*termEntry{}
	add := func(term string, halves uint32) {
		e := entries[term]
		if e == nil {
			e = &termEntry{term: strings.Clone(term)} // not to hold on to the chunk's text
			entries[e.term] = e
		}
		here := uint32(len(doc.chunks))
		if n := len(e.in); n > 0 && e.in[n-1].chunk == here {
			e.in[n-1].halves += halves
			return
		}
		e.in = append(e.in, occurrence{here, halves})
	}
	name := nameTerms(d.Name)
	for _, p := range points {
		length, last := 0, -1
		lexical.EachTerm(clip(p.Text), func(t lexical.Term) {
			if t.Start != last {
				length++
			}
			last = t.Start
			add(t.Text, bodyHalves)
		})
		if length > 0 {
			for _, term := range name {
				add(term, nameHalves)
			}
		}
		doc.chunks = append(doc.chunks, chunk{p.ChunkID, p.Index, length})
	}
	addParts(entries)
	for _, e := range entries {
		doc.terms = append(doc.terms, *e)
	}
	slices.SortFunc(doc.terms, func(a, b termEntry) int { return strings.Compare(a.term, b.term) })
	return doc
}

// addParts counts a compound as an occurrence of each of its parts that stands in
// the document as a word of its own.
func addParts(entries map[string]*termEntry) {
	known := func(term string) bool { return entries[term] != nil }
	more := map[string][]uint32{} // chunks by part, once for each compound
	for term, e := range entries {
		for _, part := range lexical.Parts(term, known) {
			for _, o := range e.in {
				more[part] = append(more[part], o.chunk)
			}
		}
	}
	for part, chunks := range more {
		e := entries[part]
		for _, chunk := range chunks {
			e.in = append(e.in, occurrence{chunk, bodyHalves})
		}
		slices.SortFunc(e.in, func(a, b occurrence) int { return cmp.Compare(a.chunk, b.chunk) })
		n := 0
		for _, o := range e.in[1:] {
			if o.chunk == e.in[n].chunk {
				e.in[n].halves += o.halves
				continue
			}
			n++
			e.in[n] = o
		}
		e.in = e.in[:n+1]
	}
}

// nameTerms are the distinct terms of a document's name without its extension.
func nameTerms(name string) []string {
	if ext := path.Ext(name); len(ext) <= len(".markdown") && !strings.ContainsAny(ext, " ") {
		name = strings.TrimSuffix(name, ext)
	}
	var out []string
	lexical.EachTerm(name, func(t lexical.Term) {
		if !slices.Contains(out, t.Text) {
			out = append(out, t.Text)
		}
	})
	return out
}

func clip(text string) string {
	if len(text) <= maxText {
		return text
	}
	n := maxText
	for n > maxText-utf8.UTFMax && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}
