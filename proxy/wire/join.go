package wire

import "slices"

// maxJoinDepth is how deep values of deltas are joined; below it the last wins.
const maxJoinDepth = 8

// members are the members of an object in the making, in the order in which
// they appeared. The zero value is ready.
type members struct {
	names  []string
	values map[string]*value
}

// A value is joined from the parts that several frames brought: text, an
// object, a list, or the last of anything else.
type value struct {
	kind byte // '"', '{', '[', 'x' for another scalar, 0 for nothing or null
	raw  []byte
	obj  members
	list []*value
	seen map[int]*value // elements of the list by their index
}

// value returns the member called name, made if need be.
func (m *members) value(name string) *value {
	v := m.values[name]
	if v == nil {
		if m.values == nil {
			m.values = map[string]*value{}
		}
		v = &value{}
		m.values[name] = v
		m.names = append(m.names, name)
	}
	return v
}

// first keeps the first value that is not null.
func (m *members) first(name string, raw []byte) {
	if v := m.value(name); v.kind == 0 {
		v.set(raw)
	}
}

// latest keeps the last value that is not null.
func (m *members) latest(name string, raw []byte) {
	if v := m.value(name); v.kind == 0 || string(raw) != "null" {
		v.set(raw)
	}
}

// set makes raw the whole value.
func (v *value) set(raw []byte) {
	v.raw = append(v.raw[:0], raw...)
	v.kind = 'x'
	if string(raw) == "null" {
		v.kind = 0
	}
}

// join adds the members of the object at s.
func (m *members) join(b []byte, s span, depth int) {
	if b[s.start] != '{' {
		return
	}
	for w := walk(b, s.start, 0); w.member(); {
		name := string(decodedKey(w.key.of(b)))
		m.value(name).join(b, w.skip(), name, depth+1)
	}
}

// join adds the value at s, which stands under that name.
func (v *value) join(b []byte, s span, name string, depth int) {
	raw := s.of(b)
	kind := raw[0]
	if kind != '"' && kind != '{' && kind != '[' || depth > maxJoinDepth {
		if string(raw) != "null" || v.kind == 0 {
			v.set(raw)
		}
		return
	}
	if v.kind != kind {
		if v.kind != 0 && !isReport(raw) {
			return // an empty string after a list of parts says nothing
		}
		if name == "content" && v.joinAsParts(b, s) {
			return
		}
		*v = value{kind: kind}
	}
	switch kind {
	case '"':
		v.joinText(raw[1:len(raw)-1], name)
	case '{':
		v.obj.join(b, s, depth)
	case '[':
		for w := walk(b, s.start, 0); w.element(); {
			e := w.skip()
			v.element(b, e).join(b, e, "", depth+1)
		}
	}
}

// joinAsParts joins a text and a list of parts, which some upstreams send in turn: the
// text becomes a part.
func (v *value) joinAsParts(b []byte, s span) bool {
	part := func(raw []byte) *value {
		text := &value{}
		text.set(append(append([]byte(`{"type":"text","text":`), raw...), '}'))
		return text
	}
	switch {
	case v.kind == '[' && b[s.start] == '"':
		v.list = append(v.list, part(s.of(b)))
		return true
	case v.kind == '"' && b[s.start] == '[' && len(v.raw) > 0:
		text := part(v.append(nil))
		*v = value{}
		v.join(b, s, "", 0)
		v.list = append([]*value{text}, v.list...)
		return true
	default:
		return false
	}
}

// joinText adds the inside of a string. It joins encoded text, so that a
// surrogate pair which two frames shared becomes whole.
func (v *value) joinText(raw []byte, name string) {
	switch name {
	case "id", "type", "role":
		if len(v.raw) > 0 { // said once, repeated by some upstreams
			return
		}
	case "name":
		if string(v.raw) == string(raw) {
			return
		}
	}
	v.raw = append(v.raw, raw...)
}

// element returns the element of a list that the element at s adds to: the one
// with the same index, else a new one. Calls under one index with different ids
// stay separate.
func (v *value) element(b []byte, s span) *value {
	index, ok := smallInt(find(b, s, "index").of(b))
	if old := v.seen[index]; ok && old != nil {
		id, _ := findText(b, s, "id")
		known := old.obj.values["id"]
		if id == "" || known == nil || string(known.raw) == "" || unquote(known.raw) == id {
			return old
		}
	}
	e := &value{}
	v.list = append(v.list, e)
	if ok {
		if v.seen == nil {
			v.seen = map[int]*value{}
		}
		v.seen[index] = e
	}
	return e
}

// appendValue appends the value of the member called name, or otherwise.
func (m *members) appendValue(b []byte, name, otherwise string) []byte {
	if v := m.values[name]; v != nil {
		return v.append(b)
	}
	return append(b, otherwise...)
}

// append appends the members, each after a comma, except those left out.
func (m *members) append(b []byte, without ...string) []byte {
	for _, name := range m.names {
		if slices.Contains(without, name) {
			continue
		}
		b = append(AppendString(append(b, ','), name), ':')
		if name == "tool_calls" {
			b = m.values[name].append(b, "index") // which only deltas have
		} else {
			b = m.values[name].append(b)
		}
	}
	return b
}

// append appends the value; without names members that the elements of a list leave out.
func (v *value) append(b []byte, without ...string) []byte {
	switch v.kind {
	case 0:
		return append(b, "null"...)
	case '"':
		return append(append(append(b, '"'), v.raw...), '"')
	case '{':
		start := len(b)
		if b = v.obj.append(b, without...); len(b) == start {
			return append(b, "{}"...)
		}
		b[start] = '{' // in place of the first comma
		return append(b, '}')
	case '[':
		b = append(b, '[')
		for i, e := range v.list {
			if i > 0 {
				b = append(b, ',')
			}
			b = e.append(b, without...)
		}
		return append(b, ']')
	default:
		return append(b, v.raw...)
	}
}
