package ingestion

import (
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"footnote/assistants"
	"footnote/assistants/ingestion/chunker"
	"footnote/assistants/ingestion/extract"
)

// passages converts an extracted document into the domain's text and chunks. Byte
// offsets become code point offsets, and each chunk gets its pages.
func passages(job assistants.Job, doc extract.Document, opt chunker.Options) (assistants.Text, []assistants.Chunk) {
	text := assistants.Text{Text: doc.Text, OCR: doc.OCR, Pages: make([]assistants.Page, 0, len(doc.Pages))}
	at, n := 0, 0
	codePoint := func(to int) int {
		n += utf8.RuneCountInString(doc.Text[at:to])
		at = to
		return n
	}
	for _, p := range doc.Pages {
		start := codePoint(p.Start)
		text.Pages = append(text.Pages, assistants.Page{Number: p.Number, Start: start, End: codePoint(p.End)})
	}
	text.Runes = codePoint(len(doc.Text))

	split := chunker.Split(chunkerInput(doc), opt)
	chunks := make([]assistants.Chunk, len(split))
	openings := pageOpenings{doc: &doc}
	for i, c := range split {
		chunks[i] = assistants.Chunk{
			ID:         assistants.NewChunkID(job.DocumentID, job.Version, i),
			DocumentID: job.DocumentID, Version: job.Version, Index: i,
			Text: doc.Text[c.Start:c.End], Tokens: c.Tokens, HeadingPath: c.Path,
			TableHeader: headerOf(doc.Text, c),
			PageOpening: openings.above(c),
			Page:        pageAt(doc.Pages, c.Start), PageEnd: pageAt(doc.Pages, c.End-1),
			CharStart: c.CharStart, CharEnd: c.CharEnd,
			PageStarts: pagesWithin(text.Pages, c.CharStart, c.CharEnd),
		}
	}
	return text, chunks
}

// headerOf returns the header of the table that a chunk begins in: what stands elsewhere, and then
// the table's own header if the chunk continues it.
func headerOf(text string, c chunker.Chunk) string {
	var lines []string
	for _, r := range append(c.Heads, c.TableHeader) {
		if r.Start < r.End {
			lines = append(lines, text[r.Start:r.End])
		}
	}
	return strings.Join(lines, "\n")
}

func chunkerInput(doc extract.Document) chunker.Input {
	in := chunker.Input{Text: doc.Text}
	for _, h := range doc.Headings {
		in.Sections = append(in.Sections, chunker.Section{Start: h.Start, Level: h.Level, Title: h.Title})
	}
	for _, b := range doc.Blocks {
		lines := chunker.Lines{Range: chunker.Range{Start: b.Start, End: b.End}, HeaderEnd: b.HeaderEnd}
		for _, head := range []extract.Span{b.Units, b.Names} {
			if head.Start < head.End {
				lines.Heads = append(lines.Heads, chunker.Range(head))
			}
		}
		in.Lines = append(in.Lines, lines)
	}
	for i := 1; i < len(doc.Pages); i++ {
		in.Breaks = append(in.Breaks, doc.Pages[i].Start)
	}
	return in
}

// A pageOpenings finds the openings of a document's pages, each once.
type pageOpenings struct {
	doc  *extract.Document
	page int // of the last one, counted from 1; 0: none
	end  int // of its opening
}

// above returns the opening of a passage's page, unless the passage holds it or has a heading
// on that page, which says more. Lines that are headings of the passage are left out.
func (o *pageOpenings) above(c chunker.Chunk) string {
	i := pageIndex(o.doc.Pages, c.Start)
	if i < 0 {
		return ""
	}
	p := o.doc.Pages[i]
	if o.page != i+1 {
		o.page, o.end = i+1, o.doc.Opening(p)
	}
	if o.end > c.Start || headingSince(o.doc.Headings, p.Start, c.Start) {
		return ""
	}
	var kept []string
	for line := range strings.Lines(o.doc.Text[p.Start:o.end]) {
		if line = strings.TrimSpace(line); line != "" && !slices.Contains(c.Path, line) {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

// headingSince reports whether a heading begins between two bytes of the text.
func headingSince(headings []extract.Heading, start, end int) bool {
	i := sort.Search(len(headings), func(i int) bool { return headings[i].Start >= start })
	return i < len(headings) && headings[i].Start <= end
}

// pageAt is the number of the page that holds a byte of the text, or 0.
func pageAt(pages []extract.Page, at int) int {
	if i := pageIndex(pages, at); i >= 0 {
		return pages[i].Number
	}
	return 0
}

// pageIndex is the index of the page that holds a byte of the text, or -1.
func pageIndex(pages []extract.Page, at int) int {
	return sort.Search(len(pages), func(i int) bool { return pages[i].Start > at }) - 1
}

// pagesWithin are the pages that begin between two characters of the text.
func pagesWithin(pages []assistants.Page, start, end int) []assistants.PageStart {
	var starts []assistants.PageStart
	first := sort.Search(len(pages), func(i int) bool { return pages[i].Start > start })
	for _, p := range pages[first:] {
		if p.Start >= end {
			break
		}
		starts = append(starts, assistants.PageStart{Page: p.Number, CharStart: p.Start})
	}
	return starts
}

// points converts chunks to points of the index. The headings above a passage are
// searched with it, so that "notice period" finds the passages below that
// heading. The same holds for the header of a table that a passage continues, and for the
// opening of its page.
func points(chunks []assistants.Chunk) []assistants.Point {
	out := make([]assistants.Point, len(chunks))
	for i, c := range chunks {
		out[i] = assistants.Point{ChunkID: c.ID, Index: c.Index, Text: strings.TrimPrefix(c.PageOpening+"\n\n"+inContext(c), "\n\n")}
	}
	return out
}

// passageText returns the text that the embedder gets for a passage. The opening of its page
// is no part of it: all passages of the page would mean nearly the same.
func passageText(c assistants.Chunk) string { return inContext(c) }

// inContext returns a passage with its headings and the header of its table.
func inContext(c assistants.Chunk) string {
	if len(c.HeadingPath) == 0 {
		return c.Headed()
	}
	return strings.Join(c.HeadingPath, "\n") + "\n\n" + c.Headed()
}
