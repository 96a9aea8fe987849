package wire

import (
	"fmt"
	"net/url"
	"strings"
)

// Bounds of the passages that a request brings.
const (
	maxPassages     = 50
	maxPassageBytes = 256 << 10 // of all their members together
)

// A Passage is text of the client's own that is to be cited like a passage of a
// document.
type Passage struct {
	ID, Name, Text string
	Page           int    // 0: unknown
	URL            string // absolute, of http or https; "" for none
}

// ReadPassages reads a list of passages, the value of the member that param names, which is
// JSON in UTF-8. A value that is null is as if absent. The error is an [*Error].
func ReadPassages(param string, raw []byte) ([]Passage, error) {
	list, e := readPassages(param, raw)
	if e != nil {
		return nil, e
	}
	return list, nil
}

func readPassages(param string, raw []byte) ([]Passage, *Error) {
	switch {
	case string(raw) == "null":
		return nil, nil
	case raw[0] != '[':
		return nil, wrongType(param, "a list of passages")
	}
	var list []Passage
	ids, size := map[string]bool{}, 0
	for w := walk(raw, 0, 0); w.element(); {
		at := fmt.Sprintf("%s[%d]", param, len(list))
		p, e := readPassage(at, w.skip().of(raw))
		if e != nil {
			return nil, e
		}
		size += len(p.ID) + len(p.Name) + len(p.Text) + len(p.URL)
		switch {
		case len(list) == maxPassages:
			return nil, &Error{"invalid_value", param, fmt.Sprintf("'%s' has more than %d passages.", param, maxPassages)}
		case size > maxPassageBytes:
			return nil, &Error{"invalid_value", param, fmt.Sprintf("'%s' has more than %d KiB of ids, names, texts and URLs together.", param, maxPassageBytes>>10)}
		case ids[p.ID]:
			return nil, &Error{"invalid_value", at + ".id", fmt.Sprintf("'%s.id' is the id of an earlier passage, too. Give each passage its own.", at)}
		}
		ids[p.ID] = true
		list = append(list, p)
	}
	return list, nil
}

func readPassage(at string, raw []byte) (p Passage, e *Error) {
	if raw[0] != '{' {
		return p, wrongType(at, "an object")
	}
	seen := map[string]bool{}
	for w := walk(raw, 0, 0); w.member() && e == nil; {
		key := string(decodedKey(w.key.of(raw)))
		value := w.skip().of(raw)
		if seen[key] {
			return p, twice(at + "." + key)
		}
		seen[key] = true
		switch key {
		case "id":
			p.ID, e = passageText(at+".id", value, false)
		case "text":
			p.Text, e = passageText(at+".text", value, false)
		case "name":
			p.Name, e = passageText(at+".name", value, true)
		case "url":
			if p.URL, e = passageText(at+".url", value, true); e == nil && p.URL != "" && !isWebAddress(p.URL) {
				e = &Error{"invalid_value", at + ".url", fmt.Sprintf("'%s.url' must be an absolute address of http or https.", at)}
			}
		case "page_number":
			if string(value) != "null" {
				p.Page, e = readInt(at+".page_number", value, maxPage)
			}
		default:
			e = unknown(at, key, "'id', 'name', 'text', 'page_number' and 'url'")
		}
	}
	for _, name := range []string{"id", "text"} {
		if e == nil && !seen[name] {
			e = &Error{"missing_required_parameter", at + "." + name, fmt.Sprintf("'%s.%s' is missing.", at, name)}
		}
	}
	return p, e
}

// maxPage is more than any document has.
const maxPage = 1_000_000

// passageText reads a text that must not be blank. One that is optional may be null.
func passageText(param string, raw []byte, optional bool) (string, *Error) {
	if optional && string(raw) == "null" {
		return "", nil
	}
	text, ok := textValue(raw, span{0, len(raw)})
	switch {
	case !ok:
		return "", wrongType(param, "a string")
	case strings.TrimSpace(text) == "" && !optional:
		return "", &Error{"invalid_value", param, fmt.Sprintf("'%s' must not be empty.", param)}
	}
	return text, nil
}

// isWebAddress reports whether an address is one that a browser can open.
func isWebAddress(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil
}
