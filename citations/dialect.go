package citations

import (
	"strings"
)

// The members that clients of other systems expect; FORMAT.md describes them under
// "Formats". They are written by hand, like the object. OpenAI's annotations are in
// citations.go.

// URLs returns Perplexity's "citations": the URLs of all sources as a JSON array, so
// that [n] is the n-th. A source without a URL has "".
func (c *Citations) URLs() []byte {
	w := writer{[]byte{'['}}
	for i := range c.Sources {
		w.comma(i)
		w.text("", linkOf(c.Sources, i))
	}
	return append(w.b, ']')
}

// SearchResults returns Perplexity's "search_results", a JSON array of those
// sources that have a URL.
func (c *Citations) SearchResults() []byte {
	w := writer{[]byte{'['}}
	for i := range c.Sources {
		src := &c.Sources[i]
		if src.DownloadURL == "" {
			continue
		}
		w.comma(len(w.b) - 1) // 0 for the first element
		w.text(`{"title":`, title(src))
		w.text(`,"url":`, linkOf(c.Sources, i))
		w.text(`,"snippet":`, src.Excerpt)
		w.raw(`,"date":null,"last_updated":null,"source":"web"}`)
	}
	return append(w.b, ']')
}

// Context returns Azure's "context" of a message: the sources in the order of their
// numbers, so that [docN] is the N-th, and the queries. The content of a source is
// its excerpt, or all of its passages if whole is true.
func (s *Set) Context(queries []string, whole bool) []byte {
	w := writer{[]byte(`{"citations":[`)}
	for i := range s.sources {
		src := &s.sources[i]
		content := src.Excerpt
		if whole {
			content = s.textOf(src.Index)
		}
		w.comma(i)
		w.text(`{"content":`, content)
		w.text(`,"title":`, title(src))
		if src.DownloadURL == "" {
			w.raw(`,"url":null`)
		} else {
			w.text(`,"url":`, linkOf(s.sources, i))
		}
		w.text(`,"filepath":`, shownName(src.DocumentName))
		w.text(`,"chunk_id":`, src.ChunkID)
		w.raw(`}`)
	}
	intent := writer{[]byte{'['}}
	for i, query := range queries {
		intent.comma(i)
		intent.text("", query)
	}
	w.text(`],"intent":`, string(intent.b)+"]") // Azure has JSON inside a string
	return append(w.b, '}')
}

// textOf returns the text of the passages with a number.
func (s *Set) textOf(number int) string {
	var texts []string
	for i := range s.passages {
		if s.passages[i].Index == number {
			texts = append(texts, s.passages[i].Text)
		}
	}
	return strings.Join(texts, "\n\n")
}

// AppendEvent appends a marker that [Tracker.Completed] returned as a JSON object
// with its position and its sources. The claim is not included, because the sentence
// may not be complete yet.
func (t *Tracker) AppendEvent(dst []byte, m Marker) []byte {
	w := writer{dst}
	w.int(`{"choice":`, m.Choice)
	w.int(`,"start":`, m.Start)
	w.int(`,"end":`, m.End)
	w.numbers(`,"indices":`, m.Indices)
	if len(m.Invalid) > 0 {
		w.numbers(`,"invalid":`, m.Invalid)
	}
	w.raw(`,"sources":[`)
	for i, n := range m.Indices {
		w.comma(i)
		src := t.sourceOf(n)
		w.source(&src)
	}
	return append(w.b, `]}`...)
}

// sourceOf returns the source with a number in the answer.
func (t *Tracker) sourceOf(n int) Source {
	if !t.set.opt.Renumber {
		return t.set.sources[n-1]
	}
	src := t.set.sources[t.numbers.old[n-1]-1]
	src.Index = n
	return src
}
