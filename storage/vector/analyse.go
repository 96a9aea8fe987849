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

// MaxText is the number of bytes of a chunk that are indexed. Chunkers stay far
// below it.
const MaxText = 64 << 10

// Weights of an occurrence, in halves.
const (
	BodyHalves = 2
	nameHalves = 1
)

// A Chunk is a chunk without its terms.
type Chunk struct {
	ID     assistants.ChunkID
	Index  int
	Length int // number of words in its text; 0 if it can be found by its meaning only
}

// An Occurrence is the weight of a term in a chunk, which is given by its position
// in the document.
type Occurrence struct {
	Chunk  uint32
	Halves uint32 // twice the term frequency
}

// A TermEntry is a term with its occurrences, in ascending order of chunk.
type TermEntry struct {
	Term string
	In   []Occurrence
}

// A Document is a version of a document as the index stores it: its chunks, and its
// terms in ascending order.
type Document struct {
	ID         assistants.DocumentID
	Tenant     assistants.TenantID
	Collection assistants.CollectionID
	Version    int
	Chunks     []Chunk
	Terms      []TermEntry
}

// Analyse finds the terms of a document's chunks. Points without terms are chunks as
// well, because every point may get a vector, but they do not get the terms of the
// name.
func Analyse(d assistants.Document, version int, points []assistants.Point) Document {
	doc := Document{ID: d.ID, Tenant: d.TenantID, Collection: d.CollectionID, Version: version}
	entries := map[string]*TermEntry{}
	add := func(term string, halves uint32) {
		e := entries[term]
		if e == nil {
			e = &TermEntry{Term: strings.Clone(term)} // a clone, so that the entry does not keep the chunk's text alive
			entries[e.Term] = e
		}
		here := uint32(len(doc.Chunks))
		if n := len(e.In); n > 0 && e.In[n-1].Chunk == here {
			e.In[n-1].Halves += halves
			return
		}
		e.In = append(e.In, Occurrence{here, halves})
	}
	name := nameTerms(d.Name)
	for _, p := range points {
		length, last := 0, -1
		lexical.EachTerm(clip(p.Text), func(t lexical.Term) {
			if t.Start != last {
				length++
			}
			last = t.Start
			add(t.Text, BodyHalves)
		})
		if length > 0 {
			for _, term := range name {
				add(term, nameHalves)
			}
		}
		doc.Chunks = append(doc.Chunks, Chunk{p.ChunkID, p.Index, length})
	}
	addParts(entries)
	for _, e := range entries {
		doc.Terms = append(doc.Terms, *e)
	}
	slices.SortFunc(doc.Terms, func(a, b TermEntry) int { return strings.Compare(a.Term, b.Term) })
	return doc
}

// addParts counts a compound as an occurrence of each of its parts that the document
// has as a word of its own.
func addParts(entries map[string]*TermEntry) {
	known := func(term string) bool { return entries[term] != nil }
	more := map[string][]uint32{} // chunks by part, once for each compound
	for term, e := range entries {
		for _, part := range lexical.Parts(term, known) {
			for _, o := range e.In {
				more[part] = append(more[part], o.Chunk)
			}
		}
	}
	for part, chunks := range more {
		e := entries[part]
		for _, chunk := range chunks {
			e.In = append(e.In, Occurrence{chunk, BodyHalves})
		}
		slices.SortFunc(e.In, func(a, b Occurrence) int { return cmp.Compare(a.Chunk, b.Chunk) })
		n := 0
		for _, o := range e.In[1:] {
			if o.Chunk == e.In[n].Chunk {
				e.In[n].Halves += o.Halves
				continue
			}
			n++
			e.In[n] = o
		}
		e.In = e.In[:n+1]
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
	if len(text) <= MaxText {
		return text
	}
	n := MaxText
	for n > MaxText-utf8.UTFMax && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}
