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

// A dialect is what an answer gets in one citation format (CONTRACT 2.4).
type dialect struct {
	object      bool // our own members at the top level, and what is made of them: events, the copy in the message
	annotations bool // OpenAI's, of what a choice cites
	urls        bool // Perplexity's lists at the top level
	context     bool // Azure's, in each message
	list        bool // the cited sources as text behind each answer
}

// dialects are the formats; none gets nothing.
var dialects = map[assistants.CitationFormat]dialect{
	assistants.FormatNative:     {object: true, annotations: true},
	assistants.FormatOpenAI:     {annotations: true},
	assistants.FormatPerplexity: {urls: true},
	assistants.FormatAzure:      {context: true},
	assistants.FormatMarkdown:   {object: true, list: true},
	assistants.FormatNone:       {},
}

// options adapts the citation options of an assistant to the dialect.
func (d dialect) options(opt citations.Options) citations.Options {
	opt.Support = opt.Support && d.object // the others cannot show it
	if d.context {
		opt.Renumber = false // its list goes out before the first marker
		if opt.Markers == citations.MarkersKeep {
			opt.Markers = citations.MarkersDoc
		}
	}
	return opt
}

// rewrites reports whether the client gets another text than the upstream sent.
func (ex *exchange) rewrites() bool { return ex.tracker != nil && ex.sources.Rewrites() }

// settles reports whether the answer gets anything from us, or may be refused
// for what it cites.
func (ex *exchange) settles() bool {
	strict := ex.settings.OrphanPolicy == assistants.OrphanError || ex.settings.NoMarkerPolicy == assistants.NoMarkerFail
	return ex.citesOn() && (ex.dialect != (dialect{}) || ex.rewrites() || ex.tracker != nil && strict)
}

// settle decides what the answer cites. The error is that of a policy: the
// answer is not to be given.
func (ex *exchange) settle() (*citations.Citations, error) {
	if ex.dialect != (dialect{}) {
		ex.links() // first: the verdict takes the sources as they stand
	}
	ex.cited = ex.verdict()
	ex.status = ex.cited.Status
	err := ex.cited.Err()
	if orphans, ok := errors.AsType[*citations.OrphanError](err); ok {
		return nil, apierr.CitationMapping(orphans.Markers[0], orphans.Sources)
	}
	if errors.Is(err, citations.ErrNoCitations) {
		return nil, apierr.NoCitations()
	}
	return ex.cited, err
}

// members are what the answer gets at its top level, encoded.
func (ex *exchange) members(verdict *citations.Citations) []wire.Member {
	switch d := ex.dialect; {
	case d.object:
		ex.buffers.object = verdict.AppendJSON(ex.buffers.object[:0])
		members := []wire.Member{{Key: "citations", Value: ex.buffers.object}}
		if ex.sources != nil {
			ex.buffers.found = ex.appendRetrieval(ex.buffers.found[:0])
			members = append(members, wire.Member{Key: "retrieval", Value: ex.buffers.found})
		}
		return members
	case d.urls && ex.sources != nil && (ex.links() || len(verdict.Sources) == 0 && ex.settings.CitationLinkMode != assistants.LinkNone):
		return []wire.Member{{Key: "citations", Value: verdict.URLs()}, {Key: "search_results", Value: verdict.SearchResults()}}
	default:
		return nil
	}
}

// opening are the members that a stream gets on its first chunk as well:
// Perplexity's lists, as Perplexity repeats them on every chunk and some clients
// look at the first only. Numbers that come with the text have to be waited for.
func (ex *exchange) opening() []wire.Member {
	if !ex.dialect.urls || !ex.citesOn() || ex.sources == nil || ex.settings.CitationRenumber {
		return nil
	}
	ex.links() // first: the sources are told as they stand
	return ex.members(&citations.Citations{Sources: ex.sources.Sources()})
}

// inMessage is the copy of the object that the request asked for, nil for none.
// It is made of what members encoded.
func (ex *exchange) inMessage() []wire.Member {
	if !ex.dialect.object || !ex.wants.InMessage {
		return nil
	}
	return []wire.Member{{Key: "citations", Value: ex.buffers.object}}
}

// context is what each message gets, nil for nothing.
func (ex *exchange) context() []wire.Member {
	if !ex.dialect.context || !ex.citesOn() || ex.sources == nil {
		return nil
	}
	ex.links() // the context tells them
	return []wire.Member{{Key: "context", Value: ex.sources.Context(ex.found.Trace.Queries, ex.settings.ExposeRetrievedChunks)}}
}

// annotates reports whether there are annotations: not without links.
func (ex *exchange) annotates() bool { return ex.dialect.annotations && ex.links() }

// attach scans a whole answer and returns its body with what is ours. The error
// is that of a policy.
func (ex *exchange) attach(answer *wire.Response, body []byte) ([]byte, error) {
	choices := answer.Choices()
	body, tails := ex.scan(answer, choices, body)
	if !ex.settles() {
		return body, nil
	}
	verdict, err := ex.settle()
	if err != nil {
		return nil, err
	}
	if ex.dialect.list {
		if tails == nil {
			tails = map[int]string{}
		}
		for _, index := range speaking(choices) {
			tails[index] += verdict.List(index)
		}
	}
	if len(tails) > 0 {
		body = wire.AppendText(body, false, func(choice int) string { return taken(tails, choice) })
	}
	if ex.annotates() {
		for _, index := range speaking(choices) {
			body = wire.AddAnnotations(body, index, verdict.Annotations(index), false)
		}
	}
	members := ex.members(verdict)
	return ex.splice(ex.addToMessages(body, choices[0].Index), members), nil
}

// scan passes the texts of an answer through the tracker. It returns the body
// with what the client gets of them, and what was held back of each choice, nil
// where nothing is rewritten.
func (ex *exchange) scan(answer *wire.Response, choices []wire.Choice, body []byte) ([]byte, map[int]string) {
	silent := !slices.ContainsFunc(choices, func(c wire.Choice) bool { return c.Text != "" })
	if ex.tracker != nil && silent && slices.ContainsFunc(choices, func(c wire.Choice) bool { return c.ToolCalls }) {
		ex.skip()
	}
	switch {
	case ex.tracker == nil:
		return body, nil
	case ex.rewrites():
		body = answer.Rewrite(nil, ex.tracker.Write)
		tails := map[int]string{}
		for _, index := range speaking(choices) {
			tails[index] = ex.tracker.Close(index)
		}
		return body, tails
	default:
		for _, choice := range choices {
			ex.tracker.Write(choice.Index, choice.Text)
		}
		return body, nil
	}
}

// speaking are the indexes of the choices that have text, each once.
func speaking(choices []wire.Choice) []int {
	var list []int
	seen := map[int]bool{}
	for _, choice := range choices {
		if choice.Text != "" && !seen[choice.Index] {
			seen[choice.Index] = true
			list = append(list, choice.Index)
		}
	}
	return list
}

// addToMessages adds what the messages of a whole answer get: each the context,
// the first the object.
func (ex *exchange) addToMessages(body []byte, first int) []byte {
	context, object := ex.context(), ex.inMessage()
	if context == nil && object == nil {
		return body
	}
	return wire.AddToChoices(body, false, func(choice int) []wire.Member {
		if choice == first {
			return slices.Concat(context, object)
		}
		return context
	})
}

// splice adds members to an answer, or to a frame. Without any it is the body itself.
func (ex *exchange) splice(body []byte, members []wire.Member) []byte {
	if len(members) == 0 {
		return body
	}
	ex.buffers.out = wire.Splice(ex.buffers.out[:0], body, members...)
	return ex.buffers.out
}

// taken takes a choice's text out of what is still to be sent.
func taken(tails map[int]string, choice int) string {
	text := tails[choice]
	delete(tails, choice)
	return text
}

// appendRetrieval appends the `retrieval` member.
func (ex *exchange) appendRetrieval(dst []byte) []byte {
	var shown []assistants.Hit
	if ex.settings.ExposeRetrievedChunks {
		shown = ex.found.Hits
	}
	r := grounding.NewRetrieval(ex.assistant.CollectionID, ex.found)
	return r.AppendJSON(dst, shown)
}
