package wire

import (
	"bytes"
	"slices"
	"strings"
)

// A Member is a member of a JSON object: its key and its encoded value.
type Member struct {
	Key   string
	Value []byte
}

// Splice adds members at the end of the JSON object body; every other byte
// stays. The result is appended to dst, which may be nil and must not overlap
// with body; a member of the same name that the upstream put there keeps its value
// and place but is called upstream_citations instead of citations, and so on; a
// body that is no JSON object is returned as it is.
func Splice(dst, body []byte, members ...Member) []byte {
	top, ok := topObject(body)
	if !ok || len(members) == 0 {
		return body
	}
	var keys []span
	last := top.start + 1
	for w := walk(body, top.start, 0); w.member(); {
		keys = append(keys, w.key)
		last = w.skip().end
	}
	var all []splice
	end := span{last, last}
	for i, m := range members {
		all = rename(all, body, keys, m.Key)
		var lead []byte
		if i > 0 || len(keys) > 0 {
			lead = append(lead, ',')
		}
		all = append(all, splice{at: end, text: append(AppendString(lead, m.Key), ':')}, splice{at: end, text: m.Value})
	}
	return apply(dst, body, all)
}

// rename puts upstream_ before the key called name. Where that name is taken
// too, as behind another Footnote, its owner gives way in the same manner.
func rename(all []splice, body []byte, keys []span, name string) []splice {
	const prefix = "upstream_"
	var owners map[int][]span // by how many prefixes stand before the name
	for _, key := range keys {
		if n := prefixes(decodedKey(key.of(body)), prefix, name); n >= 0 {
			if owners == nil {
				owners = map[int][]span{}
			}
			owners[n] = append(owners[n], key)
		}
	}
	for n := 0; owners[n] != nil; n++ {
		for _, key := range owners[n] {
			all = append(all, splice{at: span{key.start, key.start}, text: []byte(prefix)})
		}
	}
	return all
}

// prefixes returns how often prefix stands before name in key, or -1 when the
// key is made of anything else.
func prefixes(key []byte, prefix, name string) int {
	head, ok := bytes.CutSuffix(key, []byte(name))
	if !ok || len(head)%len(prefix) != 0 {
		return -1
	}
	n := len(head) / len(prefix)
	for range n {
		if head, ok = bytes.CutPrefix(head, []byte(prefix)); !ok {
			return -1
		}
	}
	return n
}

// AddAnnotations adds OpenAI annotations, a JSON array, to the message of the
// choice with that index or, in a frame of a stream, to its delta. They follow
// those of the upstream. A body without that choice is returned as it is, and
// so is one whose annotations are no list.
func AddAnnotations(body []byte, choiceIndex int, annotations []byte, delta bool) []byte {
	holder := "message"
	if delta {
		holder = "delta"
	}
	top, ok := topObject(body)
	ours := elements(annotations)
	if !ok || len(ours) == 0 {
		return body
	}
	choices := readChoices(body, find(body, top, "choices"), holder)
	i := slices.IndexFunc(choices, func(c choice) bool { return c.index == choiceIndex })
	if i < 0 {
		return body
	}
	c := choices[i]
	list := "[" + string(ours) + "]"
	switch at := find(body, c.holder, "annotations"); {
	case c.holder.none():
		return apply(nil, body, []splice{addMember(body, c.at, holder, `{"annotations":`+list+`}`)})
	case string(c.holder.of(body)) == "null":
		return apply(nil, body, []splice{{at: c.holder, text: []byte(`{"annotations":` + list + `}`)}})
	case body[c.holder.start] != '{':
		return body
	case at.none():
		return apply(nil, body, []splice{addMember(body, c.holder, "annotations", list)})
	case string(at.of(body)) == "null":
		return apply(nil, body, []splice{{at: at, text: []byte(list)}})
	case body[at.start] != '[':
		return body
	default:
		return apply(nil, body, []splice{appendElements(body, at, ours)})
	}
}

// elements returns what stands between the brackets of an array.
func elements(array []byte) []byte {
	s := strings.TrimSpace(string(array))
	if len(s) < len("[]") || s[0] != '[' || skipValue([]byte(s), 0, 0) != len(s) {
		return nil
	}
	return []byte(strings.TrimSpace(s[1 : len(s)-1]))
}

// addMember adds a member at the end of the object at s.
func addMember(body []byte, s span, key, value string) splice {
	last, lead := s.start+1, ""
	for w := walk(body, s.start, 0); w.member(); {
		last, lead = w.skip().end, ","
	}
	text := append(AppendString([]byte(lead), key), ':')
	return splice{at: span{last, last}, text: append(text, value...)}
}

// appendElements adds elements at the end of the array at s.
func appendElements(body []byte, s span, more []byte) splice {
	last, lead := s.start+1, ""
	for w := walk(body, s.start, 0); w.element(); {
		last, lead = w.skip().end, ","
	}
	return splice{at: span{last, last}, text: append([]byte(lead), more...)}
}
