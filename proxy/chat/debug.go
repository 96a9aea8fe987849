package chat

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strconv"

	"footnote/assistants"
	"footnote/proxy/apierr"
	"footnote/proxy/jsonbody"
	"footnote/proxy/sse"
	"footnote/proxy/wire"
)

// What an admin learns and tries with one request, by the extension debug_options. A
// request without it pays for none of this.

const (
	debugField    = "debug_options"
	debugSettings = debugField + ".settings"
	// maxDebugBytes bounds the request that an answer repeats.
	maxDebugBytes = 1 << 20
)

// debug reads the extension. What a model is sent holds the assistant's own prompt and
// passages whole, and settings decide what may be found, so it is for admins of the
// assistant. That an assistant is public does not make its prompt so.
func (in *inbound) debug() error {
	options := in.req.Extensions().Debug
	if !options.Given {
		return nil
	}
	if in.caller.Require(assistants.ScopeAdmin) != nil || in.assistant != nil && !in.caller.Sight().Sees(in.assistant) {
		return &assistants.FieldError{Kind: assistants.ErrForbidden, Field: debugField, Message: "Only a key with the scope admin, for an assistant that it sees, may send debug_options."}
	}
	if options.Settings == nil {
		return nil
	}
	if in.assistant == nil {
		return &assistants.FieldError{Field: debugSettings, Message: "There is no assistant whose settings could be others. Name one in model."}
	}
	return in.trySettings(options.Settings)
}

// blameTried says of settings that a request tries that they lead to no model. Without
// them that would be a fault of the server's configuration.
func (in *inbound) blameTried(err error) error {
	missing, ok := errors.AsType[*apierr.Error](err)
	if !ok || in.req.Extensions().Debug.Settings == nil || missing.Code != apierr.CodeUpstreamModelMissing && missing.Code != apierr.CodeUpstreamUnavailable {
		return err
	}
	return &assistants.FieldError{Field: debugSettings, Message: "With these settings there is no model to ask: model is empty, or upstream is not one of this server's."}
}

// trySettings replaces some settings for this request, by the rules of a change. The
// answer is not kept in the history, where it would look like one of the assistant's.
func (in *inbound) trySettings(patch []byte) error {
	_, err := jsonbody.Members(patch)
	if twice := jsonbody.TwiceIn(debugSettings, err); twice != nil {
		return twice
	}
	stored := in.settings
	merged, err := stored.Merge(patch)
	if f, ok := errors.AsType[*assistants.FieldError](err); ok {
		at := *f
		at.Field = debugSettings
		if f.Field != "" {
			at.Field += "." + f.Field
		}
		return &at
	}
	if err != nil {
		return err
	}
	if !in.caller.MaySeeAll() { // a key that is bound to assistants reads no other documents
		for _, id := range merged.Collections {
			if !slices.Contains(stored.Collections, id) {
				return assistants.UnknownCollection(debugSettings+".collections", id)
			}
		}
	}
	merged.StoreHistory = false
	in.settings = merged
	return nil
}

// debugMember returns the member debug of an answer: the request as the model was sent
// it, on one line. One that is too large is only measured.
func debugMember(sent []byte) []byte {
	size := strconv.Itoa(len(sent))
	var line bytes.Buffer
	if len(sent) > maxDebugBytes || json.Compact(&line, sent) != nil { // it is JSON, because the client's was
		return []byte(`{"request":null,"request_bytes":` + size + `}`)
	}
	return []byte(`{"request":` + line.String() + `,"request_bytes":` + size + `}`)
}

// addDebug adds the member to an answer, if it was asked for.
func (r *relay) addDebug(body []byte) []byte {
	if r.debug == nil {
		return body
	}
	return wire.Splice(nil, body, wire.Member{Key: "debug", Value: r.debug})
}

// addDebugTo adds the member to the first frame that has a choice.
func (r *streamRelay) addDebugTo(ev *sse.Event) {
	if r.debug != nil && len(r.frame.Choices) > 0 {
		*ev = sse.Event{Data: r.addDebug(ev.Data)}
		r.debug = nil
	}
}
