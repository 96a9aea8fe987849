package chat

import (
	"log/slog"

	"footnote/assistants"
	"footnote/citations"
)

// An Entry is what the access log says of a request to a model: ids and counts,
// never text.
type Entry struct {
	Model          string
	UpstreamStatus int
	Upstream       string                 // which one answered: primary, fallback-1, …; "": there is one only
	Assistant      assistants.AssistantID // "": none
	Key            assistants.KeyID       // "": none
	Retrieval      bool                   // is on; the following are set only then
	Citations      string                 // the status
	Hits           int
	Generation     uint64 // of the index; 0: not known
	Left           bool   // the client left before its stream was complete
}

// Attrs returns the entry as attributes of the log line.
func (e *Entry) Attrs() []slog.Attr {
	attrs := []slog.Attr{slog.String("model", e.Model), slog.Int("upstream_status", e.UpstreamStatus)}
	if e.Upstream != "" {
		attrs = append(attrs, slog.String("upstream", e.Upstream))
	}
	if e.Assistant != "" {
		attrs = append(attrs, slog.String("assistant", string(e.Assistant)))
	}
	if e.Key != "" {
		attrs = append(attrs, slog.String("key", string(e.Key)))
	}
	if e.Assistant != "" && !e.Retrieval {
		attrs = append(attrs, slog.String("retrieval", "off")) // enable_rag is false
	}
	if e.Retrieval {
		attrs = append(attrs, slog.String("citations", e.Citations), slog.Int("hits", e.Hits))
		if e.Generation > 0 {
			attrs = append(attrs, slog.Uint64("index_generation", e.Generation))
		}
	}
	return attrs
}

func (e *Entry) received(in *inbound) {
	e.Model, e.Key = in.model, in.caller.Key.ID
	if in.assistant != nil {
		e.Assistant, e.Retrieval = in.assistant.ID, in.retrieves()
	}
}

func (e *Entry) retrieved(found *grounded) {
	e.Hits, e.Generation = len(found.result.Hits), found.result.Trace.Generation
	if found.skipped {
		e.Citations = citations.StatusSkipped
	}
}

func (e *Entry) answered(r *relay) {
	e.Citations, e.Left = r.status, r.left
	e.Model, e.Upstream = r.in.model, r.in.answerer()
	if r.reply.Response != nil {
		e.UpstreamStatus = r.reply.Status
	}
}
