package wire

import (
	"bytes"
	"slices"
	"strings"
)

// Splice adds members at the end of the JSON object body; every other byte
// stays. The result is appended to dst, which may be nil and must not overlap
// with body; a member of the same name that the upstream put there keeps its value
// and place but is called upstream_citations instead of citations, and so on; a
// body that is not a JSON object is returned as it is.
func Splice(dst, body []byte, members ...Member) []byte {
	start := skipSpace(body, 0)
	if start == len(body) || body[start] != '{' || len(members) == 0 {
		return body
	}
	keys, last, end := keysOf(body, start)
	if end < 0 || skipSpace(body, end) < len(body) {
		return body
	}
	return apply(dst, body, addBehind(body, keys, last, members))
}

// addAll adds members at the end of the object at s.
func addAll(body []byte, s span, members []Member) []splice {
	keys, last, _ := keysOf(body, s.start)
	return addBehind(body, keys, last, members)
}

// keysOf checks the object at start and returns its keys, where the last member ends and
// where the object ends, below zero if it is not valid.
func keysOf(body []byte, start int) (keys []span, last, end int) {
	keys, last = make([]span, 0, 16), start+1
	w := walk(body, start, 0)
	for w.member() {
		keys = append(keys, w.key)
		last = w.skip().end
	}
	return keys, last, w.i
}

// addBehind adds members behind the last member of an object with those keys.
func addBehind(body []byte, keys []span, last int, members []Member) []splice {
	all := make([]splice, 0, 2*len(members))
	end := span{last, last}
	for i, m := range members {
		all = rename(all, body, keys, m.Key)
		var lead []byte
		if i > 0 || len(keys) > 0 {
			lead = append(lead, ',')
		}
		all = append(all, splice{at: end, text: append(AppendString(lead, m.Key), ':')}, splice{at: end, text: m.Value})
	}
	return all
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
	added := elements(annotations)
	c, ok := holderOf(body, choiceIndex, delta)
	if !ok || len(added) == 0 {
		return body
	}
	list := "[" + string(added) + "]"
	at := find(body, c.holder, "annotations")
	switch {
	case at.none():
		return apply(nil, body, addToHolder(body, c, delta, Member{"annotations", []byte(list)}))
	case string(at.of(body)) == "null":
		return apply(nil, body, []splice{{at: at, text: []byte(list)}})
	case body[at.start] != '[':
		return body
	default:
		return apply(nil, body, []splice{appendElements(body, at, added)})
	}
}

// AddToChoices adds members to the messages of an answer or, in a frame of a
// stream, to its deltas, which are made if they are missing or null: to each
// choice those that members returns for its index. A member of the same name that
// the upstream put there gives way as in [Splice].
func AddToChoices(body []byte, delta bool, members func(choice int) []Member) []byte {
	top, ok := topObject(body)
	if !ok {
		return body
	}
	var all []splice
	for _, c := range readChoices(body, find(body, top, "choices"), holderName(delta)) {
		if !canHold(body, c.holder) {
			continue
		}
		if more := members(c.index); len(more) > 0 {
			all = append(all, addToHolder(body, c, delta, more...)...)
		}
	}
	return apply(nil, body, all)
}

// holderOf finds the choice with that index whose message, or delta, is an
// object or could be one.
func holderOf(body []byte, index int, delta bool) (choice, bool) {
	top, ok := topObject(body)
	if !ok {
		return choice{}, false
	}
	choices := readChoices(body, find(body, top, "choices"), holderName(delta))
	i := slices.IndexFunc(choices, func(c choice) bool { return c.index == index })
	if i < 0 {
		return choice{}, false
	}
	return choices[i], canHold(body, choices[i].holder)
}

// canHold reports whether the message, or delta, of a choice takes members.
func canHold(body []byte, holder span) bool {
	return holder.none() || body[holder.start] == '{' || string(holder.of(body)) == "null"
}

// holderName is the member of a choice that holds its text.
func holderName(delta bool) string {
	if delta {
		return "delta"
	}
	return "message"
}

// addToHolder adds members to what holderOf found.
func addToHolder(body []byte, c choice, delta bool, members ...Member) []splice {
	object := span{}
	if !c.holder.none() && body[c.holder.start] == '{' {
		object = c.holder
	}
	if object.none() {
		made := []byte("{}")
		made = apply(nil, made, addAll(made, span{0, len(made)}, members))
		if c.holder.none() {
			return addAll(body, c.at, []Member{{holderName(delta), made}})
		}
		return []splice{{at: c.holder, text: made}}
	}
	return addAll(body, object, members)
}

// elements returns what stands between the brackets of an array.
func elements(array []byte) []byte {
	s := strings.TrimSpace(string(array))
	if len(s) < len("[]") || s[0] != '[' || skipValue([]byte(s), 0, 0) != len(s) {
		return nil
	}
	return []byte(strings.TrimSpace(s[1 : len(s)-1]))
}

// appendElements adds elements at the end of the array at s.
func appendElements(body []byte, s span, more []byte) splice {
	last, lead := s.start+1, ""
	for w := walk(body, s.start, 0); w.element(); {
		last, lead = w.skip().end, ","
	}
	return splice{at: span{last, last}, text: append([]byte(lead), more...)}
}
