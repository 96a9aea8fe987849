package wire

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// edits are the changes asked of a request. They are kept by meaning and turned
// into splices when the body is wanted, so that several edits of one place
// combine and the order of the calls does not matter.
type edits struct {
	model    *string
	defaults []Member
	prompt   string
	context  []byte // inside of a JSON string
	inserted []Message
	texts    []splice // new insides of string values in messages, in order
	strip    bool
}

// A splice replaces the bytes of a span by text and then by plain, escaped as
// in a JSON string; an empty span inserts. Splices at one place follow each other.
type splice struct {
	at    span
	text  []byte
	plain string
}

// SetModel replaces the model, or adds it.
func (r *Request) SetModel(m string) { r.edits.model = &m }

// SetDefault adds a top-level member with the JSON value raw, unless the
// client sent one of that name, null included. A second default for the same
// field replaces the first.
func (r *Request) SetDefault(field string, raw []byte) {
	if r.Has(field) {
		return
	}
	for i, d := range r.edits.defaults {
		if d.Key == field {
			r.edits.defaults[i].Value = raw
			return
		}
	}
	r.edits.defaults = append(r.edits.defaults, Member{Key: field, Value: raw})
}

// SetSystemPrompt puts a system message with that text before all others,
// unless the client sent a system or developer message.
func (r *Request) SetSystemPrompt(text string) {
	if r.instructions() < 0 {
		r.edits.prompt = text
	}
}

// AddContext appends text, after a blank line, to the first system or developer
// message: to its string, as a further text part to its list of parts, or as
// its content when that is null or missing. Without such a message (or when its
// content has an unknown form, which must not be changed) the text becomes a
// system message before all others, after the text of [Request.SetSystemPrompt].
func (r *Request) AddContext(text string) { r.AddContextJSON(appendEscaped(nil, text)) }

// AddContextJSON is [Request.AddContext] for a text as the inside of a JSON string, which
// must not be changed any more.
func (r *Request) AddContextJSON(inside []byte) {
	r.edits.context = joinParagraphs(r.edits.context, inside)
}

// InsertMessages puts messages, each with its text as a string, right behind the
// system and developer messages that the request begins with, the one that
// [Request.SetSystemPrompt] or [Request.AddContext] adds included. More of them
// go behind those inserted before.
func (r *Request) InsertMessages(messages ...Message) {
	r.edits.inserted = append(r.edits.inserted, messages...)
}

// EditAssistantText passes the text of every message of the assistant, its
// string or each of its text parts, through edit. What comes back unchanged
// keeps its bytes, and so does a part that would be empty: model servers refuse one.
func (r *Request) EditAssistantText(edit func(string) string) {
	var texts []splice
	filled := func(text string) string { return cmp.Or(edit(text), text) }
	for _, m := range r.messages {
		if r.role(m) != "assistant" {
			continue
		}
		if !m.content.none() && r.body[m.content.start] == '"' {
			texts = r.editText(texts, m.content, edit)
		}
		eachTextPart(r.body, m.content, func(text span) { texts = r.editText(texts, text, filled) })
	}
	r.edits.texts = texts
}

// editText appends the string value at to texts, unless it is as the client sent it.
func (r *Request) editText(texts []splice, at span, edit func(string) string) []splice {
	original, _ := textValue(r.body, at)
	inside := span{at.start + 1, at.end - 1}
	text := original
	if i, edited := slices.BinarySearchFunc(r.edits.texts, inside.start, func(s splice, start int) int { return s.at.start - start }); edited {
		text = unquote(r.edits.texts[i].text) + r.edits.texts[i].plain
	}
	if text = edit(text); text == original {
		return texts
	}
	if kept, ok := keptBytes(inside.of(r.body), text); ok {
		return append(texts, splice{at: inside, text: kept})
	}
	return append(texts, splice{at: inside, plain: text})
}

// keptBytes returns those bytes of the inside of a JSON string that stand for text,
// escapes as they are. ok is false if text has more than parts of it.
func keptBytes(raw []byte, text string) (kept []byte, ok bool) {
	kept = make([]byte, 0, len(raw))
	var buffer [utf8.UTFMax]byte
	for len(raw) > 0 {
		if n := sameCharacters(raw, text); n > 0 {
			kept, raw, text = append(kept, raw[:n]...), raw[n:], text[n:]
			continue
		}
		n := characterLen(raw)
		character := appendUnquoted(buffer[:0], raw[:n])
		if rest, found := strings.CutPrefix(text, string(character)); found {
			kept, text = append(kept, raw[:n]...), rest
		}
		raw = raw[n:]
	}
	return kept, text == ""
}

// sameCharacters returns how many bytes raw and text have in common at their start, up to
// an escape and without half a character.
func sameCharacters(raw []byte, text string) int {
	most := min(len(raw), len(text))
	n := 0
	for n < most && raw[n] == text[n] && raw[n] != '\\' {
		n++
	}
	for n > 0 && n < len(raw) && !utf8.RuneStart(raw[n]) {
		n--
	}
	return n
}

// characterLen returns how many bytes of the inside of a JSON string its first
// character takes.
func characterLen(raw []byte) int {
	const escape = len(`\ud83d`)
	switch {
	case raw[0] != '\\':
		_, n := utf8.DecodeRune(raw)
		return n
	case raw[1] != 'u':
		return len(`\n`)
	case len(raw) >= 2*escape && utf16.DecodeRune(escapedRune(raw), escapedRune(raw[escape:])) != utf8.RuneError:
		return 2 * escape
	default:
		return escape
	}
}

// StripExtensions takes citation_options, retrieval_options, metadata_filter and
// debug_options out. A member goes together with everything up to the next
// member's key; one with no member after it goes together with everything
// since the end of the member before it. White space elsewhere stays.
func (r *Request) StripExtensions() { r.edits.strip = true }

// Body returns the request with all edits made; without edits, the very bytes
// the client sent. It can be called again after further edits.
func (r *Request) Body() []byte {
	return apply(nil, r.body, r.splices())
}

// apply makes the splices, which must not overlap, and appends the result to
// dst; without any it returns body itself.
func apply(dst, body []byte, all []splice) []byte {
	if len(all) == 0 {
		return body
	}
	order(all)
	size := len(body)
	for _, s := range all {
		size += len(s.text) - (s.at.end - s.at.start)
		if s.plain != "" {
			size += len(s.plain) + len(s.plain)/16 + 64 // most text has few characters to escape
		}
	}
	out := slices.Grow(dst, size)
	from := 0
	for _, s := range all {
		out = append(out, body[from:s.at.start]...)
		out = append(out, s.text...)
		out = appendEscaped(out, s.plain)
		from = s.at.end
	}
	return append(out, body[from:]...)
}

// order sorts splices by place; those at one place keep their order. A few at
// most are out of order in a request, so they are moved one by one; a hostile
// answer may have many.
func order(all []splice) {
	const few = 16
	for i := 1; i < len(all); i++ {
		if byPlace(all[i], all[i-1]) >= 0 {
			continue
		}
		k := i
		for k > 0 && i-k < few && byPlace(all[k], all[k-1]) < 0 {
			all[k], all[k-1] = all[k-1], all[k]
			k--
		}
		if i-k == few {
			slices.SortStableFunc(all, byPlace)
			return
		}
	}
}

func byPlace(a, b splice) int {
	return cmp.Or(cmp.Compare(a.at.start, b.at.start), cmp.Compare(a.at.end, b.at.end))
}

// splices turns the edits into changes of the body.
func (r *Request) splices() []splice {
	var all []splice
	if r.edits.strip {
		all = r.stripSplices(all)
	}
	end := span{start: r.lastKept(), end: r.lastKept()}
	if m := r.edits.model; m != nil && (!r.hasModel || *m != r.model) {
		if v := r.find("model"); r.hasModel {
			all = append(all, splice{at: v, text: AppendString(nil, *m)})
		} else {
			all = append(all, splice{at: end, text: AppendString([]byte(`,"model":`), *m)})
		}
	}
	for _, d := range r.edits.defaults {
		text := append(AppendString([]byte(","), d.Key), ':')
		all = append(all, splice{at: end, text: append(text, d.Value...)})
	}
	all = r.contextSplices(all)
	all = r.insertSplices(all)
	return slices.Concat(all, r.edits.texts)
}

// insertSplices places the inserted messages: before the first message of the
// client's, or behind the last of those that lead.
func (r *Request) insertSplices(all []splice) []splice {
	if len(r.edits.inserted) == 0 {
		return all
	}
	lead := 0
	for lead < len(r.messages) && r.instructs(r.messages[lead]) {
		lead++
	}
	at, before, after := r.list.start+1, "", ","
	if lead > 0 {
		at, before, after = r.messages[lead-1].at.end, ",", ""
	}
	var text []byte
	for _, m := range r.edits.inserted {
		text = AppendString(append(append(text, before...), `{"role":`...), m.Role)
		text = AppendString(append(text, `,"content":`...), m.Text)
		text = append(append(text, '}'), after...)
	}
	return append(all, splice{at: span{at, at}, text: text})
}

// contextSplices places the system prompt and the context.
func (r *Request) contextSplices(all []splice) []splice {
	context := r.edits.context
	if i := r.instructions(); i >= 0 && len(context) > 0 {
		if s := r.appendTo(r.messages[i], context); s != nil {
			all = append(all, s...)
			context = nil
		}
	}
	inside := joinParagraphs(appendEscaped(nil, r.edits.prompt), context)
	if len(inside) == 0 {
		return all
	}
	first := r.list.start + 1
	return append(all, quoted(span{first, first}, `{"role":"system","content":`, inside, "},")...)
}

// quoted puts a JSON string in the place of at, with something before and after it.
func quoted(at span, before string, inside []byte, after string) []splice {
	end := span{at.end, at.end}
	return []splice{{at: at, text: []byte(before + `"`)}, {at: end, text: inside}, {at: end, text: []byte(`"` + after)}}
}

// appendTo appends the inside of a JSON string to the content of m; nil when its form is unknown.
func (r *Request) appendTo(m message, inside []byte) []splice {
	if m.content.none() {
		lead := `,"content":`
		if m.empty {
			lead = lead[1:]
		}
		return quoted(span{m.last, m.last}, lead, inside, "")
	}
	end := span{m.content.end - 1, m.content.end - 1} // before the closing quote or bracket
	switch content := m.content.of(r.body); {
	case content[0] == '"':
		if len(content) == len(`""`) {
			return []splice{{at: end, text: inside}}
		}
		return []splice{{at: end, text: []byte(paragraphEnd)}, {at: end, text: inside}}
	case content[0] == '[':
		part := `{"type":"text","text":`
		if skipSpace(content, 1) < len(content)-1 {
			part = "," + part
		}
		return quoted(end, part, inside, "}")
	case string(content) == "null":
		return quoted(m.content, "", inside, "")
	default:
		return nil
	}
}

// instructions returns the first system or developer message, or -1.
func (r *Request) instructions() int {
	return slices.IndexFunc(r.messages, r.instructs)
}

// instructs reports whether m is a system or developer message.
func (r *Request) instructs(m message) bool {
	role := r.role(m)
	return role == "system" || role == "developer"
}

// paragraphEnd is a blank line inside of a JSON string.
const paragraphEnd = `\n\n`

// joinParagraphs joins two insides of JSON strings, with a blank line between them.
func joinParagraphs(a, b []byte) []byte {
	switch {
	case len(a) == 0:
		return b
	case len(b) == 0:
		return a
	default:
		return slices.Concat(a, []byte(paragraphEnd), b)
	}
}

// isExtension reports whether a field never reaches the upstream.
func (r *Request) isExtension(f field) bool {
	return slices.ContainsFunc(extensions, func(name string) bool { return keyIs(f.key.of(r.body), name) })
}

// lastKept returns the end of the last top-level member that stays. There is
// one: messages is required.
func (r *Request) lastKept() int {
	for i := len(r.fields) - 1; ; i-- {
		if !r.edits.strip || !r.isExtension(r.fields[i]) {
			return r.fields[i].value.end
		}
	}
}

// stripSplices removes the extensions.
func (r *Request) stripSplices(all []splice) []splice {
	kept := r.lastKept()
	for i, f := range r.fields {
		if !r.isExtension(f) {
			continue
		}
		if f.key.start < kept {
			all = append(all, splice{at: span{f.key.start - 1, r.fields[i+1].key.start - 1}})
			continue
		}
		// Nothing stays after this one: it and all after it go in one piece.
		return append(all, splice{at: span{kept, r.fields[len(r.fields)-1].value.end}})
	}
	return all
}
