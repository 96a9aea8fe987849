package grounding

import (
	"math"
	"slices"
	"strings"

	"footnote/assistants"
	"footnote/citations"
	"footnote/proxy/apierr"
	"footnote/proxy/upstream"
)

// unknownDocument stands for the name of a document that has none.
const unknownDocument = "Unknown Document"

// ApplyUnknownPolicy applies the policy for passages whose document has no name: "label" keeps
// them, "drop" leaves them out, "error" fails the request. Passages of deleted
// documents are not among the hits, because without the row permissions cannot be
// checked.
func ApplyUnknownPolicy(hits []assistants.Hit, policy assistants.UnknownPolicy) ([]assistants.Hit, error) {
	nameless := func(h assistants.Hit) bool { return strings.TrimSpace(h.Document.Name) == "" }
	if policy == assistants.UnknownLabel || !slices.ContainsFunc(hits, nameless) {
		return hits, nil
	}
	if policy == assistants.UnknownError {
		return nil, apierr.UnknownDocument()
	}
	return slices.DeleteFunc(slices.Clone(hits), nameless), nil
}

// Sources turns hits into sources, in their order. Their links are made later,
// when the answer goes out.
func Sources(hits []assistants.Hit) []citations.Source {
	sources := make([]citations.Source, len(hits))
	for i := range hits {
		h := &hits[i]
		var rerank *float64
		if h.RerankScore != nil {
			rounded := score(*h.RerankScore)
			rerank = &rounded
		}
		if h.Given != nil || h.Memo == nil {
			sources[i] = sourceOf(h)
			sources[i].Score, sources[i].RerankScore, sources[i].AlsoIn = score(h.Score), rerank, placesOf(h)
			continue
		}
		prepared := assistants.Recall(h.Memo, preparedKey{}, func() (*citations.Prepared, int) {
			return citations.Prepare(sourceOf(h), h.Memo.Grown)
		})
		sources[i] = prepared.Source(score(h.Score), rerank)
		sources[i].AlsoIn = placesOf(h)
	}
	return sources
}

// placesOf returns where else the passage of a hit stands.
func placesOf(h *assistants.Hit) []citations.Place {
	var places []citations.Place
	for _, p := range h.AlsoIn {
		place := citations.Place{DocumentID: string(p.Document), DocumentName: p.Name}
		if p.Page > 0 {
			place.PageNumber = &p.Page
		}
		places = append(places, place)
	}
	return places
}

// preparedKey is the key of prepared sources in memos.
type preparedKey struct{}

// sourceOf turns a hit into a source without scores.
func sourceOf(h *assistants.Hit) citations.Source {
	src := citations.Source{
		DocumentID: string(h.Document.ID), DocumentName: h.Document.Name, ContentType: h.Document.Version.ContentType,
		ChunkID: string(h.Chunk.ID), ChunkIndex: h.Chunk.Index, SectionHeader: h.Chunk.SectionHeader(),
		CharStart: h.Chunk.CharStart, CharEnd: h.Chunk.CharEnd, Text: h.Chunk.Text,
		TableHeader: h.Chunk.TableHeader,
	}
	if strings.TrimSpace(src.DocumentName) == "" {
		src.DocumentName = unknownDocument
	}
	if h.Chunk.Page > 0 {
		first, last := h.Chunk.Page, max(h.Chunk.Page, h.Chunk.PageEnd)
		src.PageNumber, src.PageEnd = &first, &last
		for _, p := range h.Chunk.PageStarts {
			src.Pages = append(src.Pages, citations.PageStart{Page: p.Page, Char: p.CharStart})
		}
	}
	if h.Given != nil {
		widen(&src, h.Given)
	}
	return src
}

// widen gives a source the passages around it. The source keeps the name and
// place of the passage that was found.
func widen(src *citations.Source, given *assistants.JoinedPassages) {
	src.Excerpt, src.Text, src.TableHeader = src.Text, given.Text, given.TableHeader
	src.Lead = src.CharStart - given.CharStart
	src.Pages = nil
	if src.PageNumber != nil {
		for _, p := range given.PageStarts {
			src.Pages = append(src.Pages, citations.PageStart{Page: p.Page, Char: p.CharStart})
		}
	}
}

// score keeps four decimals. Further ones mean nothing, and so a client can
// compute the same confidence from the scores that it sees.
func score(x float64) float64 { return math.Round(x*10000) / 10000 }

// Passages are the sources in a prompt, for answerers that do not read prompts. They
// have numbers to cite by if numbered; nil without a set.
func Passages(set *citations.Set, numbered bool) []upstream.Passage {
	if set == nil {
		return nil
	}
	sources := set.Passages()
	list := make([]upstream.Passage, len(sources))
	for i, src := range sources {
		list[i] = upstream.Passage{Name: src.DocumentName, Section: src.SectionHeader, Text: src.Text, TableHeader: src.TableHeader, Score: src.Score}
		if numbered {
			list[i].Index = src.Index
		}
		if src.PageNumber != nil {
			list[i].Page = *src.PageNumber
		}
	}
	return list
}
