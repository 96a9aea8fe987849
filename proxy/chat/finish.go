package chat

import (
	"errors"
	"slices"

	"footnote/assistants"
	"footnote/citations"
	"footnote/proxy/apierr"
	"footnote/proxy/grounding"
	"footnote/proxy/wire"
)

// A format says what is added to answers in one citation format. A new format is a
// new row of formats and, if it adds something new, a case in [finisher.finish].
type format struct {
	object      bool // the citations and retrieval members, and on request the events and the copy in the message
	annotations bool // OpenAI's, for what a choice cites
	urls        bool // Perplexity's lists at the top level
	context     bool // Azure's, in each message
	list        bool // the cited sources as text after each choice
}

// formats are the citation formats. FormatNone adds nothing.
var formats = map[assistants.CitationFormat]format{
	assistants.FormatNative:     {object: true, annotations: true},
	assistants.FormatOpenAI:     {annotations: true},
	assistants.FormatPerplexity: {urls: true},
	assistants.FormatAzure:      {context: true},
	assistants.FormatMarkdown:   {object: true, list: true},
	assistants.FormatNone:       {},
}

// options adapts an assistant's citation options to the format.
func (f format) options(opt citations.Options) citations.Options {
	opt.Support = opt.Support && f.object // other formats cannot show it
	if f.context {
		opt.Renumber = false // its list goes out before the first marker
		if opt.Markers == citations.MarkersKeep {
			opt.Markers = citations.MarkersDoc
		}
	}
	return opt
}

// A finisher decides what is added to one answer, for the JSON relay and the
// stream relay, which only apply it.
type finisher struct {
	format
	in      *inbound
	found   *grounded
	wants   wire.CitationOptions
	tracker *citations.Tracker // nil: the answer is not scanned
	status  string             // of the citations, for headers and logs; "": not known yet
	verdict *citations.Citations
	taken   *buffers // nil: none was needed so far
}

// newFinisher returns the finisher of an answer. With plain, the answer is not scanned.
func newFinisher(in *inbound, found *grounded, plain bool) finisher {
	f := finisher{
		format: formats[in.settings.CitationFormat], in: in, found: found, wants: in.req.Extensions().Citations,
	}
	switch {
	case found.failure != nil:
		f.status = citations.StatusUnavailable
	case found.skipped, plain:
		f.status = citations.StatusSkipped
	case in.cites() && found.sources != nil:
		f.tracker = found.sources.Tracker()
	}
	return f
}

// buffers returns the memory in which the answer is put together. A stream takes it at
// its end, so that it is not idle for as long as the stream lasts.
func (f *finisher) buffers() *buffers {
	if f.taken == nil {
		f.taken = idleBuffers.Get().(*buffers)
	}
	return f.taken
}

// free gives the buffers back for other answers.
func (f *finisher) free() {
	if f.taken != nil {
		f.taken.free()
		f.taken = nil
	}
}

// needed reports whether the answer gets anything, or may be refused for what it cites.
func (f *finisher) needed() bool {
	set := &f.in.settings
	strict := set.OrphanPolicy == assistants.OrphanError || set.NoMarkerPolicy == assistants.NoMarkerFail
	return f.in.cites() && (f.format != (format{}) || f.rewrites() || f.tracker != nil && strict)
}

// rewrites reports whether the client gets another text than the upstream sent.
func (f *finisher) rewrites() bool { return f.tracker != nil && f.found.sources.Rewrites() }

// sendsEvents reports whether a stream gets an event for each complete marker.
func (f *finisher) sendsEvents() bool { return f.tracker != nil && f.object && f.wants.Events }

// skip leaves an answer unscanned. The sources that were found are still listed.
func (f *finisher) skip() {
	f.tracker, f.status = nil, citations.StatusSkipped
}

// opening returns the members of a stream's first frame. Perplexity repeats its
// lists on every frame, and some clients read the first only. With renumbering
// the lists are not known before the text.
func (f *finisher) opening() []wire.Member {
	if !f.urls || !f.in.cites() || f.found.sources == nil || f.in.settings.CitationRenumber {
		return nil
	}
	f.found.addLinks() // before Sources, which copies the links
	return f.members(&citations.Citations{Sources: f.found.sources.Sources()})
}

// messageContext returns what each message gets, or in a stream each choice's first delta.
func (f *finisher) messageContext() []wire.Member {
	if !f.context || !f.in.cites() || f.found.sources == nil {
		return nil
	}
	f.found.addLinks() // before Context, which copies the links
	value := f.found.sources.Context(f.found.result.Trace.Queries, f.in.settings.ExposeRetrievedChunks)
	return []wire.Member{{Key: "context", Value: value}}
}

// event returns the member of a stream's event about one marker.
func (f *finisher) event(m citations.Marker) wire.Member {
	f.found.addLinks() // before AppendEvent, which copies the links
	return wire.Member{Key: "citation", Value: f.tracker.AppendEvent(nil, m)}
}

// A cited is what choices cite: the verdict's, or the tracker's so far.
type cited interface {
	List(choice int) string
	Annotations(choice int) []byte
}

// edits are what an answer gets at its end.
type edits struct {
	cited     cited
	tails     bool          // each text is followed by the list of what it cites
	annotates bool          // each choice gets annotations
	message   []wire.Member // in the message of the first choice
	members   []wire.Member // at the top level
}

// choiceEdits decides what choices get at their ends: all at the end of the
// answer, or those that end while others continue.
func (f *finisher) choiceEdits(c cited) edits {
	return edits{cited: c, tails: f.list, annotates: f.annotations && f.found.addLinks()} // annotations need links
}

// finish decides what the answer cites, and so what it gets at its end. The
// error is that of a policy: the answer must not be given.
func (f *finisher) finish() (edits, error) {
	if f.format != (format{}) {
		f.found.addLinks() // before the verdict, which copies the links
	}
	verdict := f.judge()
	f.verdict, f.status = verdict, verdict.Status
	err := verdict.Err()
	if orphans, ok := errors.AsType[*citations.OrphanError](err); ok {
		return edits{}, apierr.CitationMapping(orphans.Markers[0], orphans.Sources)
	}
	if errors.Is(err, citations.ErrNoCitations) {
		return edits{}, apierr.NoCitations()
	}
	e := f.choiceEdits(verdict)
	e.members = f.members(verdict)
	if f.object && f.wants.InMessage {
		e.message = []wire.Member{{Key: "citations", Value: f.buffers().object}} // as members encoded it
	}
	return e, err
}

// judge returns the verdict: what the answer cites.
func (f *finisher) judge() (verdict *citations.Citations) {
	switch {
	case f.tracker != nil:
		verdict = f.tracker.Result()
	case f.found.failure != nil:
		verdict = citations.Unavailable(nil)
		verdict.Warnings = append(verdict.Warnings, f.found.warning())
	default:
		verdict = citations.Skipped(f.found.sources)
	}
	if f.in.uncited {
		verdict.Warnings = append(verdict.Warnings, warnUncited)
	}
	return verdict
}

// members returns what the answer gets at its top level, encoded.
func (f *finisher) members(verdict *citations.Citations) []wire.Member {
	linkless := len(verdict.Sources) == 0 && f.in.settings.CitationLinkMode != assistants.LinkNone // empty lists need no links
	switch {
	case f.object:
		b := f.buffers()
		b.object = verdict.AppendJSON(b.object[:0])
		members := []wire.Member{{Key: "citations", Value: b.object}}
		if f.found.searched {
			b.retrieval = f.appendRetrieval(b.retrieval[:0])
			members = append(members, wire.Member{Key: "retrieval", Value: b.retrieval})
		}
		return members
	case f.urls && f.found.sources != nil && (f.found.addLinks() || linkless):
		return []wire.Member{{Key: "citations", Value: verdict.URLs()}, {Key: "search_results", Value: verdict.SearchResults()}}
	default:
		return nil
	}
}

// appendRetrieval appends the `retrieval` member.
func (f *finisher) appendRetrieval(dst []byte) []byte {
	var shown []assistants.Hit
	if f.in.settings.ExposeRetrievedChunks {
		shown = f.found.result.Hits
	}
	r := grounding.NewRetrieval(f.in.assistant.CollectionID, f.found.result)
	r.ChunksReturned = f.found.returned
	return r.AppendJSON(dst, shown)
}

// addTails adds to texts what follows the text of each of its choices.
func (e *edits) addTails(texts map[int]string) {
	if !e.tails {
		return
	}
	for choice := range texts {
		texts[choice] += e.cited.List(choice)
	}
}

// annotate adds a choice's annotations to a whole answer or, with delta, to a
// frame of a stream.
func (e *edits) annotate(body []byte, choice int, delta bool) []byte {
	if !e.annotates {
		return body
	}
	return wire.AddAnnotations(body, choice, e.cited.Annotations(choice), delta)
}

// addToMessages adds context to each message, and to the first choice's what
// only one message gets.
func (e *edits) addToMessages(body []byte, first int, context []wire.Member, delta bool) []byte {
	if context == nil && e.message == nil {
		return body
	}
	return wire.AddToChoices(body, delta, func(choice int) []wire.Member {
		if choice == first {
			return slices.Concat(context, e.message)
		}
		return context
	})
}

// addMembers adds the members at the top level, in buffer.
func (e *edits) addMembers(buffer *[]byte, body []byte) []byte {
	if len(e.members) == 0 {
		return body
	}
	*buffer = wire.Splice((*buffer)[:0], body, e.members...)
	return *buffer
}
