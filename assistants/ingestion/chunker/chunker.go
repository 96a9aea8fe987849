// Package chunker cuts a text into the passages that are found and cited.
//
// It obeys one rule above all: text[chunk.Start:chunk.End] is the chunk,
// always. Chunks are in order, do not overlap, start and end with something
// other than white space, and together hold every character that is not white
// space. They never cut a word or a character as readers see it (a grapheme
// cluster); a "word" too long for one chunk is cut between characters.
//
// Chunks do not overlap because each is given to a model under a number of its
// own: text that stands in two of them would be paid for twice and cited
// ambiguously. The context that an overlap would give comes from the heading path
// and from a hit's neighbours.
//
// It may import lexical (sentences) and tokens (lengths), nothing else of this module.
package chunker

import "unicode/utf8"

// Options are lengths in tokens. Zero values mean the defaults.
type Options struct {
	// Target is the preferred length. The default is 256: a chunk of that length and
	// its heading path fit into small embedding models, which ignore the rest.
	Target int
	// Max is the greatest length (default 320); it is at least 64.
	Max int
	// Min is the least length of a chunk that does not end its section, if possible
	// (default 64).
	Min int
}

func (o Options) withDefaults() Options {
	if o.Max <= 0 {
		o.Max = 320
	}
	o.Max = max(o.Max, 64)
	if o.Target <= 0 {
		o.Target = 256
	}
	o.Target = min(o.Target, o.Max)
	if o.Min <= 0 {
		o.Min = 64
	}
	o.Min = min(o.Min, o.Target/2)
	return o
}

// A Section begins at byte Start with a heading line; Level 1 is the outermost.
type Section struct {
	Start int
	Level int
	Title string
}

// A Range is a half-open range of bytes.
type Range struct{ Start, End int }

// Lines are a part of the text in which each line stands for itself: a table, a
// list, code. HeaderEnd is the end of a table's header rows, 0: none. Heads are parts of its
// header that stand before it, elsewhere in the text.
type Lines struct {
	Range
	HeaderEnd int
	Heads     []Range
}

// Input is a text and what is known about it. Text is valid UTF-8; all
// positions are bytes of it, in ascending order.
type Input struct {
	Text     string
	Sections []Section
	Lines    []Lines
	// Breaks are the starts of all pages except the first. Chunks cross them only if
	// the alternatives are worse.
	Breaks []int
}

// A Chunk is the bytes [Start, End) of the text, which are its code points
// [CharStart, CharEnd).
type Chunk struct {
	Start, End         int
	CharStart, CharEnd int
	Tokens             int
	// Path is the headings above the chunk, outermost first. If the chunk begins with
	// a heading, that heading is the last. Long headings are cut, and if there are too
	// many, the outermost are left out, so Path is never much longer than a chunk.
	Path []string
	// TableHeader is the header rows of the table that the chunk begins in, if they
	// are in an earlier chunk. It is empty if the header is too long to be repeated.
	TableHeader Range
	// Heads are the heads of the table that the chunk begins in or that is the first in it, as far
	// as they are before the chunk. There are none if they are too long to be repeated.
	Heads []Range
}

// Split cuts a text into chunks, in time linear in the text.
func Split(in Input, opt Options) []Chunk {
	opt = opt.withDefaults()
	s := splitter{in: in, opt: opt}
	var chunks []Chunk
	for _, sec := range sections(in) {
		for _, p := range s.cut(sec.Range) {
			chunks = append(chunks, Chunk{Start: p.Start, End: p.End, Tokens: p.tokens, Path: sec.pathAt(p.End)})
		}
	}
	addHeaders(in, opt, chunks)
	countCodePoints(in.Text, chunks)
	return chunks
}

// countCodePoints fills in CharStart and CharEnd in one pass over the text.
func countCodePoints(text string, chunks []Chunk) {
	at, n := 0, 0
	advance := func(to int) int {
		n += utf8.RuneCountInString(text[at:to])
		at = to
		return n
	}
	for i := range chunks {
		chunks[i].CharStart = advance(chunks[i].Start)
		chunks[i].CharEnd = advance(chunks[i].End)
	}
}
