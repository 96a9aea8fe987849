package grounding

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"time"

	"footnote/assistants"
	"footnote/assistants/retrieval"
	"footnote/proxy/wire"
)

// A Retrieval is the member "retrieval", which says how the sources were found.
type Retrieval struct {
	CollectionID   assistants.CollectionID `json:"collection_id"`
	DurationMS     float64                 `json:"duration_ms"`
	ChunksReturned int                     `json:"chunks_returned"`
	SearchMode     assistants.SearchMode   `json:"search_mode"`
	Queries        []string                `json:"queries"`
	Synonyms       []retrieval.Addition    `json:"synonyms,omitempty"`
	Repeated       int                     `json:"chunks_repeated,omitempty"`
	Cached         bool                    `json:"cached"`
	StagesMS       map[string]float64      `json:"stages_ms"`
	// SkippedStages maps stages that the settings ask for but that did not run to the reasons.
	SkippedStages map[string]string `json:"skipped_stages,omitempty"`
	// Warnings are sentences for the asker. In chat answers the citations carry them.
	Warnings []string `json:"warnings,omitempty"`
}

// NewRetrieval describes a retrieval from an assistant's collection.
func NewRetrieval(collection assistants.CollectionID, r retrieval.Result) Retrieval {
	v := Retrieval{
		CollectionID: collection, DurationMS: milliseconds(r.Trace.Duration), ChunksReturned: len(r.Hits),
		SearchMode: r.Trace.Mode, Queries: r.Trace.Queries, Synonyms: r.Trace.Synonyms, Repeated: r.Trace.Repeated, Cached: r.Trace.Cached, SkippedStages: r.Trace.Skipped,
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

// milliseconds keeps three decimals, the microseconds.
func milliseconds(d time.Duration) float64 {
	return math.Round(float64(d)/float64(time.Microsecond)) / 1000
}

// AppendJSON appends r as JSON, with the passages of the hits, if there are any.
// It is written by hand because it goes out with every answer.
func (r *Retrieval) AppendJSON(dst []byte, hits []assistants.Hit) []byte {
	dst = wire.AppendString(append(dst, `{"collection_id":`...), string(r.CollectionID))
	dst = appendFloat(append(dst, `,"duration_ms":`...), r.DurationMS)
	dst = strconv.AppendInt(append(dst, `,"chunks_returned":`...), int64(r.ChunksReturned), 10)
	dst = wire.AppendString(append(dst, `,"search_mode":`...), string(r.SearchMode))
	dst = append(dst, `,"queries":[`...)
	for i, query := range r.Queries {
		dst = wire.AppendString(separate(dst, i), query)
	}
	dst = append(dst, ']')
	if len(r.Synonyms) > 0 {
		dst = append(dst, `,"synonyms":[`...)
		for i, s := range r.Synonyms {
			dst = wire.AppendString(append(separate(dst, i), `{"phrase":`...), s.Phrase)
			dst = append(dst, `,"added":[`...)
			for k, added := range s.Added {
				dst = wire.AppendString(separate(dst, k), added)
			}
			dst = append(dst, `]}`...)
		}
		dst = append(dst, ']')
	}
	if r.Repeated > 0 {
		dst = strconv.AppendInt(append(dst, `,"chunks_repeated":`...), int64(r.Repeated), 10)
	}
	dst = strconv.AppendBool(append(dst, `,"cached":`...), r.Cached)
	dst = append(dst, `,"stages_ms":{`...)
	for i, stage := range slices.Sorted(maps.Keys(r.StagesMS)) {
		dst = append(wire.AppendString(separate(dst, i), stage), ':')
		dst = appendFloat(dst, r.StagesMS[stage])
	}
	dst = append(dst, '}')
	if len(r.SkippedStages) > 0 {
		dst = append(dst, `,"skipped_stages":{`...)
		for i, stage := range slices.Sorted(maps.Keys(r.SkippedStages)) {
			dst = wire.AppendString(append(wire.AppendString(separate(dst, i), stage), ':'), r.SkippedStages[stage])
		}
		dst = append(dst, '}')
	}
	if len(hits) > 0 {
		dst = append(dst, `,"chunks":[`...)
		for i, h := range hits {
			dst = wire.AppendString(append(separate(dst, i), `{"document_id":`...), string(h.Document.ID))
			dst = appendFloat(append(dst, `,"score":`...), h.Score)
			dst = wire.AppendString(append(dst, `,"content":`...), h.Chunk.Text)
			dst = append(dst, '}')
		}
		dst = append(dst, ']')
	}
	return append(dst, '}')
}

// separate puts a comma before element i, unless it is the first.
func separate(dst []byte, i int) []byte {
	if i > 0 {
		return append(dst, ',')
	}
	return dst
}

// appendFloat appends a number of milliseconds or a score, which are finite.
func appendFloat(dst []byte, x float64) []byte { return strconv.AppendFloat(dst, x, 'f', -1, 64) }
