package retrieval

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"footnote/assistants"
)

// fetch resolves matches to at most TopK different hits, of which at most PerDocument
// are of the same document. gone are the matches that
// the store lacks. It asks the store for TopK passages at a time, and stops as soon
// as it has enough hits.
func (w *run) fetch(ctx context.Context, matches []assistants.Match) (hits []assistants.Hit, gone []assistants.Match, err error) {
	w.trace.Repeated = 0
	var seen []shown
	var contents []assistants.Hit
	var room documentRoom
	for len(matches) > 0 && len(hits) < w.q.TopK {
		batch := matches[:min(w.q.TopK, len(matches))]
		matches = matches[len(batch):]
		found, err := w.store.Hits(ctx, w.q.Tenant, w.q.Collections, batch)
		if err != nil {
			return nil, nil, err
		}
		gone = append(gone, lacking(batch, found)...)
		if hits == nil {
			hits = found[:0] // it is filled behind the hit that is looked at
		}
		for _, h := range found {
			if len(hits) == w.q.TopK {
				continue
			}
			known := looked(h)
			if known.blank {
				continue
			}
			h.Chunk = known.chunk
			// The same passage from another file, or another version of one, costs
			// prompt and adds nothing.
			if at := slices.IndexFunc(seen, func(s shown) bool { return s.header == known.chunk.TableHeader && s.print.same(known.print) }); at >= 0 {
				w.trace.Repeated++
				list := hits
				if seen[at].contents {
					list = contents
				}
				w.repeat(&list[seen[at].at], h, &room)
				continue
			}
			// A few other words may say something else, so its place is not named.
			if slices.ContainsFunc(seen, func(s shown) bool { return s.print.repeats(known.print) }) {
				w.trace.Repeated++
				continue
			}
			if !known.contents && !room.take(h.Document.ID, w.q.PerDocument) {
				continue
			}
			if known.contents {
				seen = append(seen, shown{known.print, known.chunk.TableHeader, len(contents), true})
				h.Score *= contentsWorth
				contents = append(contents, h)
				continue
			}
			seen = append(seen, shown{known.print, known.chunk.TableHeader, len(hits), false})
			hits = append(hits, h)
		}
	}
	contents = slices.DeleteFunc(contents, func(h assistants.Hit) bool { return h.Score < w.least })
	if len(contents) > 0 {
		hits = append(hits, contents...)
		slices.SortStableFunc(hits, func(a, b assistants.Hit) int { return cmp.Compare(b.Score, a.Score) })
		hits = PerDocument(hits, w.q.PerDocument)
		hits = hits[:min(len(hits), w.q.TopK)]
	}
	if len(hits) > 0 && hits[0].Score < w.q.Threshold && w.q.Whole == nil {
		hits = nil // the best match is gone, has no text, or is of a table of contents
	}
	return hits, gone, nil
}

// A shown is a passage that is among the hits, or among those of tables of contents.
type shown struct {
	print    fingerprint
	header   string // of the table that it continues
	at       int
	contents bool
}

// repeat notes where a hit stands that has the same words as one that is shown. If its document
// replaces the other one, it takes its place and its score.
func (w *run) repeat(first *assistants.Hit, h assistants.Hit, room *documentRoom) {
	if h.Document.ID != first.Document.ID && replaces(h.Document, first.Document, w.question) && room.take(h.Document.ID, w.q.PerDocument) {
		room.giveBack(first.Document.ID)
		h.Score, h.AlsoIn = first.Score, first.AlsoIn
		*first, h = h, *first
	}
	at := h.Place()
	if strings.TrimSpace(at.Name) != "" && at != first.Place() && len(first.AlsoIn) < assistants.MaxPlaces && !slices.Contains(first.AlsoIn, at) {
		first.AlsoIn = append(first.AlsoIn, at)
	}
}

// A look is what a passage shows by itself.
type look struct {
	blank    bool
	contents bool             // it is part of a table of contents
	chunk    assistants.Chunk // bounded
	print    fingerprint
}

// lookKey is the key of looks in memos.
type lookKey struct{}

// looked returns the look of a passage.
func looked(h assistants.Hit) *look {
	return assistants.Recall(h.Memo, lookKey{}, func() (*look, int) {
		if blank(h.Chunk.Text) {
			return &look{blank: true}, 0
		}
		l := &look{chunk: bounded(h.Chunk)}
		l.print, l.contents = fingerprintOf(l.chunk.Text), isContents(l.chunk.Text)
		const chunkSize, runSize = 256, 8
		return l, chunkSize + runSize*cap(l.print.runs) + len(l.print.numbers)
	})
}

// lacking returns the matches without a hit. The hits are in the order of the matches.
func lacking(matches []assistants.Match, hits []assistants.Hit) (gone []assistants.Match) {
	i := 0
	for _, m := range matches {
		if i < len(hits) && hits[i].Chunk.ID == m.ChunkID {
			i++
			continue
		}
		gone = append(gone, m)
	}
	return gone
}

// maxPassage is the longest passage in bytes that is given to a model. The chunker's
// are far shorter, but the database may hold others.
const maxPassage = 32 << 10

// blank reports whether a text has no visible characters. Prompts leave out
// invisible ones, so its source would be empty.
func blank(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) }) < 0
}

// bounded cuts a passage that is too long, between characters, and corrects its
// pages.
func bounded(c assistants.Chunk) assistants.Chunk {
	if len(c.TableHeader) > maxPassage {
		c.TableHeader = ""
	}
	if len(c.Text) <= maxPassage {
		return c
	}
	end := maxPassage
	for !utf8.RuneStart(c.Text[end]) {
		end--
	}
	c.Text = c.Text[:end]
	c.CharEnd = c.CharStart + utf8.RuneCountInString(c.Text)
	beyond := func(p assistants.PageStart) bool { return p.CharStart >= c.CharEnd }
	if i := slices.IndexFunc(c.PageStarts, beyond); i >= 0 {
		c.PageStarts, c.PageEnd = c.PageStarts[:i:i], c.Page
		if i > 0 {
			c.PageEnd = c.PageStarts[i-1].Page
		}
	}
	return c
}
