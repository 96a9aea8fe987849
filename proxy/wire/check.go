package wire

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// readFields are the top-level members that Footnote reads or fills in. A
// reader that ignores case, as Go's does, would take a variant of one of them
// for the member itself.
var readFields = []string{
	"model", "messages", "stream", "stream_options", "n", "max_tokens", "max_completion_tokens", "temperature", "top_p",
	"response_format", "tool_choice", "function_call", "citation_options", "retrieval_options", "metadata_filter", "debug_options",
}

// checkKeys refuses members that some readers would take for the same one:
// equal keys, and keys that differ only in case (as Unicode folds it, so that
// ſ is an s), which one server would read and another not; and those of a case
// that a member which we read does not have.
func (r *Request) checkKeys(names []string) *Error {
	keys := make([][]byte, len(r.fields))
	for i, f := range r.fields {
		keys[i] = decodedKey(f.key.of(r.body))
	}
	for _, key := range keys {
		for _, name := range names {
			if len(key) >= len(name) && string(key) != name && strings.EqualFold(string(key), name) {
				return &Error{"duplicate_key", name, fmt.Sprintf("The member '%s' must be written in lower case.", name)}
			}
		}
	}
	const few = 64 // comparing each with each is faster up to here
	if len(keys) <= few {
		for i, key := range keys {
			for _, other := range keys[:i] {
				if bytes.EqualFold(key, other) {
					return duplicateKey(key)
				}
			}
		}
		return nil
	}
	seen := make(map[string]bool, len(keys))
	for _, key := range keys {
		folded := string(bytes.Map(foldRune, key))
		if seen[folded] {
			return duplicateKey(key)
		}
		seen[folded] = true
	}
	return nil
}

func duplicateKey(key []byte) *Error {
	const shown = 64
	name := strings.ToValidUTF8(string(key[:min(len(key), shown)]), "")
	return &Error{"duplicate_key", name, fmt.Sprintf("The member '%s' is there more than once.", name)}
}

// decodedKey returns a key without its escapes.
func decodedKey(raw []byte) []byte {
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw
	}
	return appendUnquoted(nil, raw)
}

// checkFields reads the top-level members that Footnote uses.
func (r *Request) checkFields() *Error {
	for _, f := range r.fields {
		key := f.key.of(r.body)
		for _, check := range fieldChecks {
			if keyIs(key, check.name) {
				if e := check.read(r, f.value); e != nil {
					return e
				}
			}
		}
	}
	if r.list.none() {
		return &Error{"missing_required_parameter", "messages", "'messages' is missing; send a list of messages."}
	}
	return nil
}

// fieldChecks are the readers of the members that must have a certain form.
var fieldChecks = []struct {
	name string
	read func(*Request, span) *Error
}{
	{"model", (*Request).readModel},
	{"messages", (*Request).checkMessages},
	{"stream", (*Request).readStream},
	{"stream_options", (*Request).readStreamOptions},
	{"n", (*Request).readN},
	{"retrieval_options", (*Request).readRetrieval},
	{"citation_options", (*Request).readCitationOptions},
	{"debug_options", (*Request).readDebugOptions},
	{"metadata_filter", func(r *Request, v span) *Error {
		absent, e := r.wantObject("metadata_filter", v)
		r.ext.MetadataFilter = !absent
		return e
	}},
}

// wantObject checks the type of an extension. One that is null is as if absent.
func (r *Request) wantObject(param string, v span) (absent bool, e *Error) {
	switch r.body[v.start] {
	case '{':
		return false, nil
	case 'n':
		return true, nil
	default:
		return false, wrongType(param, "an object")
	}
}

func (r *Request) readModel(v span) *Error {
	if r.model, r.hasModel = textValue(r.body, v); !r.hasModel {
		return wrongType("model", "a string")
	}
	return nil
}

func (r *Request) checkMessages(v span) *Error {
	switch {
	case r.body[v.start] != '[':
		return wrongType("messages", "a list of messages")
	case len(r.messages) == 0:
		return &Error{"invalid_value", "messages", "'messages' is empty; send at least one message."}
	}
	return nil
}

// CheckContent refuses a message whose content is neither a string nor a list, as OpenAI
// does. Only messages of an assistant, which may have called tools, can do without. It is
// for answerers that read the text themselves: model servers judge on their own. The error
// is an [*Error].
func (r *Request) CheckContent() error {
	for i, m := range r.messages {
		kind := byte('n') // of null, or of nothing
		if !m.content.none() {
			kind = r.body[m.content.start]
		}
		if role := r.role(m); kind == '"' || kind == '[' || kind == 'n' && (role == "assistant" || role == "function") {
			continue
		}
		param := fmt.Sprintf("messages[%d].content", i)
		if m.content.none() {
			return &Error{"missing_required_parameter", param, fmt.Sprintf("'%s' is missing; send a string or a list of parts.", param)}
		}
		return wrongType(param, "a string or a list of parts")
	}
	return nil
}

func (r *Request) readStream(v span) *Error {
	b, null, ok := readBool(v.of(r.body))
	if !ok && !null {
		return wrongType("stream", "true or false")
	}
	r.stream = b
	return nil
}

// readStreamOptions only looks; the upstream judges what is wrong with them.
func (r *Request) readStreamOptions(v span) *Error {
	r.includeUsage = string(find(r.body, v, "include_usage").of(r.body)) == "true"
	return nil
}

func (r *Request) readN(v span) *Error {
	raw := v.of(r.body)
	if string(raw) == "null" {
		return nil
	}
	n, e := readInt("n", raw, maxN)
	if e == nil {
		r.n = n
	}
	return e
}

func (r *Request) readRetrieval(v span) *Error {
	const param = "retrieval_options"
	if absent, e := r.wantObject(param, v); absent || e != nil {
		return e
	}
	seen := map[string]bool{}
	for w := walk(r.body, v.start, 0); w.member(); {
		key := string(decodedKey(w.key.of(r.body)))
		raw := w.skip().of(r.body)
		e := r.ext.Retrieval.read(key, param+"."+key, raw)
		switch {
		case e != nil:
			return e
		case seen[key]:
			return twice(param + "." + key)
		}
		seen[key] = true
	}
	if only := r.ext.Retrieval.Only; only && r.ext.Retrieval.Passages == nil {
		return &Error{"invalid_value", param + ".only", "'retrieval_options.only' needs 'retrieval_options.passages'. To answer without sources, set 'retrieval_options.enabled' to false."}
	}
	return nil
}

// read reads one of the options, which param names.
func (opt *RetrievalOptions) read(key, param string, raw []byte) (e *Error) {
	switch key {
	case "enabled":
		if on, null, ok := readBool(raw); ok {
			opt.Enabled = &on
		} else if !null {
			return wrongType(param, "true or false")
		}
	case "top_k":
		if string(raw) == "null" {
			return nil
		}
		k, e := readInt(param, raw, maxTopK)
		if e != nil {
			return e
		}
		opt.TopK = &k
	case "passages":
		opt.Passages, e = readPassages(param, raw)
	case "only":
		on, null, ok := readBool(raw)
		if !ok && !null {
			return wrongType(param, "true or false")
		}
		opt.Only = on
	case "collections":
		opt.Collections, e = readCollections(param, raw)
	default:
		return unknown("retrieval_options", key, "'enabled', 'top_k', 'collections', 'passages' and 'only'")
	}
	return e
}

// readCollections reads a list of ids; null: there is none.
func readCollections(param string, raw []byte) (ids []string, e *Error) {
	switch {
	case string(raw) == "null":
		return nil, nil
	case raw[0] != '[':
		return nil, wrongType(param, "a list of ids")
	}
	for w := walk(raw, 0, 0); w.element(); {
		id, ok := textValue(raw, w.skip())
		if !ok {
			return nil, wrongType(fmt.Sprintf("%s[%d]", param, len(ids)), "an id")
		}
		ids = append(ids, id)
	}
	if len(ids) == 0 || len(ids) > maxCollections {
		return nil, &Error{"invalid_value", param, fmt.Sprintf("'%s' must have from 1 to %d ids; leave it out for all collections of the assistant.", param, maxCollections)}
	}
	return ids, nil
}

func (r *Request) readCitationOptions(v span) *Error {
	const param = "citation_options"
	if absent, e := r.wantObject(param, v); absent || e != nil {
		return e
	}
	opt := &r.ext.Citations
	seen := map[string]bool{}
	for w := walk(r.body, v.start, 0); w.member(); {
		key := string(decodedKey(w.key.of(r.body)))
		on, null, ok := readBool(w.skip().of(r.body))
		switch key {
		case "events":
			opt.Events = on
		case "in_message":
			opt.InMessage = on
		case "uncited":
			opt.Uncited = on
		default:
			return unknown(param, key, "'events', 'in_message' and 'uncited'")
		}
		switch {
		case seen[key]:
			return twice(param + "." + key)
		case !ok && !null:
			return wrongType(param+"."+key, "true or false")
		}
		seen[key] = true
	}
	return nil
}

// unknown refuses a member of one of our extensions.
func unknown(param, key, known string) *Error {
	const shown = 64
	name := param + "." + strings.ToValidUTF8(key[:min(len(key), shown)], "")
	return &Error{"unsupported_parameter", name, fmt.Sprintf("'%s' is not known; there are %s.", name, known)}
}

func twice(param string) *Error {
	return &Error{"duplicate_key", param, fmt.Sprintf("'%s' is there more than once.", param)}
}

func readBool(raw []byte) (value, null, ok bool) {
	switch string(raw) {
	case "true":
		return true, false, true
	case "false":
		return false, false, true
	default:
		return false, string(raw) == "null", false
	}
}

// readInt reads an integer from 1 to most.
func readInt(param string, raw []byte, most int) (int, *Error) {
	n, err := strconv.Atoi(string(raw))
	switch {
	case err != nil && !errors.Is(err, strconv.ErrRange):
		return 0, wrongType(param, "an integer")
	case err != nil, n < 1, n > most:
		return 0, &Error{"invalid_value", param, fmt.Sprintf("'%s' must be between 1 and %d.", param, most)}
	}
	return n, nil
}

// foldRune maps all runes that differ only in case to one of them, as
// bytes.EqualFold and encoding/json compare them.
func foldRune(r rune) rune {
	least := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		least = min(least, f)
	}
	return least
}
