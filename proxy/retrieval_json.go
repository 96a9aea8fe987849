package proxy

import (
	"maps"
	"slices"
	"strconv"

	"footnote/proxy/control"
	"footnote/proxy/wire"
)

// appendRetrieval appends the `retrieval` member beside the citations, the
// object of control.Retrieval and, with expose_retrieved_chunks, the passages.
// It goes out with every answer, hence by hand.
func (ex *exchange) appendRetrieval(dst []byte) []byte {
	r := control.NewRetrieval(ex.assistant.CollectionID, ex.found)
	dst = wire.AppendString(append(dst, `{"collection_id":`...), string(r.CollectionID))
	dst = appendFloat(append(dst, `,"duration_ms":`...), r.DurationMS)
	dst = strconv.AppendInt(append(dst, `,"chunks_returned":`...), int64(r.ChunksReturned), 10)
	dst = wire.AppendString(append(dst, `,"search_mode":`...), string(r.SearchMode))
	dst = append(dst, `,"queries":[`...)
	for i, query := range r.Queries {
		dst = wire.AppendString(separate(dst, i), query)
	}
	dst = strconv.AppendBool(append(dst, `],"cached":`...), r.Cached)
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
	if ex.settings.ExposeRetrievedChunks && len(ex.found.Hits) > 0 {
		dst = append(dst, `,"chunks":[`...)
		for i, h := range ex.found.Hits {
			dst = wire.AppendString(append(separate(dst, i), `{"document_id":`...), string(h.Document.ID))
			dst = appendFloat(append(dst, `,"score":`...), h.Score)
			dst = wire.AppendString(append(dst, `,"content":`...), h.Chunk.Text)
			dst = append(dst, '}')
		}
		dst = append(dst, ']')
	}
	return append(dst, '}')
}

// separate puts a comma before the element number i, unless it is the first.
func separate(dst []byte, i int) []byte {
	if i > 0 {
		return append(dst, ',')
	}
	return dst
}

// appendFloat appends a number of milliseconds or a score, which are finite.
func appendFloat(dst []byte, x float64) []byte { return strconv.AppendFloat(dst, x, 'f', -1, 64) }
