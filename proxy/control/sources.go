package control

import (
	"math"
	"slices"
	"strings"
	"time"

	"footnote/assistants"
	"footnote/assistants/retrieval"
	"footnote/citations"
	"footnote/proxy/apierr"
)

// unknownDocument stands for the name of a document that has none.
const unknownDocument = "Unknown Document"

// Known applies the policy for passages whose document has no name: with label
// all of them stay, with drop those are left out, with error they fail the
// request. A passage of a document that is not stored any more is no hit at all:
// whether the caller may see it could not be told.
func Known(hits []assistants.Hit, policy assistants.UnknownPolicy) ([]assistants.Hit, error) {
	nameless := func(h assistants.Hit) bool { return strings.TrimSpace(h.Document.Name) == "" }
	if policy == assistants.UnknownLabel || !slices.ContainsFunc(hits, nameless) {
		return hits, nil
	}
	if policy == assistants.UnknownError {
		return nil, apierr.UnknownDocument()
	}
	return slices.DeleteFunc(slices.Clone(hits), nameless), nil
}

// Sources turns hits into sources, in their order. They have no links yet:
// those are made when the answer goes out.
func Sources(hits []assistants.Hit) []citations.Source {
	sources := make([]citations.Source, len(hits))
	pages := make([]int, 2*len(hits)) // of first and last characters
	for i := range hits {
		h := &hits[i]
		src := &sources[i]
		*src = citations.Source{
			DocumentID: string(h.Document.ID), DocumentName: h.Document.Name, ContentType: h.Document.Version.ContentType,
			Score: score(h.Score), ChunkID: string(h.Chunk.ID), ChunkIndex: h.Chunk.Index, SectionHeader: h.Chunk.SectionHeader(),
			CharStart: h.Chunk.CharStart, CharEnd: h.Chunk.CharEnd, Text: h.Chunk.Text,
			TableHeader: h.Chunk.TableHeader,
		}
		if strings.TrimSpace(src.DocumentName) == "" {
			src.DocumentName = unknownDocument
		}
		if h.Chunk.Page > 0 {
			src.PageNumber, src.PageEnd = &pages[2*i], &pages[2*i+1]
			*src.PageNumber, *src.PageEnd = h.Chunk.Page, max(h.Chunk.Page, h.Chunk.PageEnd)
			for _, p := range h.Chunk.PageStarts {
				src.Pages = append(src.Pages, citations.PageStart{Page: p.Page, Char: p.CharStart})
			}
		}
		if h.RerankScore != nil {
			rerank := score(*h.RerankScore)
			src.RerankScore = &rerank
		}
		if h.Given != nil {
			stretch(src, h.Given)
		}
	}
	return sources
}

// stretch gives a source the passages around it. Everything that names the
// source stays that of the passage which was found.
func stretch(src *citations.Source, given *assistants.Stretch) {
	src.Excerpt, src.Text, src.TableHeader = src.Text, given.Text, given.TableHeader
	src.Lead = src.CharStart - given.CharStart
	src.Pages = nil
	if src.PageNumber != nil {
		for _, p := range given.PageStarts {
			src.Pages = append(src.Pages, citations.PageStart{Page: p.Page, Char: p.CharStart})
		}
	}
}

// score keeps four decimals: more mean nothing, and what a client computes from
// the scores it sees is then what we computed.
func score(x float64) float64 { return math.Round(x*10000) / 10000 }

// A Retrieval is the member "retrieval" that tells how sources were found.
type Retrieval struct {
	CollectionID   assistants.CollectionID `json:"collection_id"`
	DurationMS     float64                 `json:"duration_ms"`
	ChunksReturned int                     `json:"chunks_returned"`
	SearchMode     assistants.SearchMode   `json:"search_mode"`
	Queries        []string                `json:"queries"`
	Cached         bool                    `json:"cached"`
	StagesMS       map[string]float64      `json:"stages_ms"`
	// SkippedStages are those that the settings ask for and that did not run, and why.
	SkippedStages map[string]string `json:"skipped_stages,omitempty"`
	// Warnings are what the asker should know, in sentences; beside citations
	// these carry them.
	Warnings []string `json:"warnings,omitempty"`
}

// NewRetrieval describes a retrieval from an assistant's collection.
func NewRetrieval(collection assistants.CollectionID, r retrieval.Result) Retrieval {
	v := Retrieval{
		CollectionID: collection, DurationMS: milliseconds(r.Trace.Duration), ChunksReturned: len(r.Hits),
		SearchMode: r.Trace.Mode, Queries: r.Trace.Queries, Cached: r.Trace.Cached, SkippedStages: r.Trace.Skipped,
		StagesMS: make(map[string]float64, len(r.Trace.Stages)),
	}
	if v.Queries == nil {
		v.Queries = []string{}
	}
	for stage, d := range r.Trace.Stages {
		v.StagesMS[stage] = milliseconds(d)
	}
	return v
}

// milliseconds keeps three decimals: microseconds.
func milliseconds(d time.Duration) float64 {
	return math.Round(float64(d)/float64(time.Microsecond)) / 1000
}
