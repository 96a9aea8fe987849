package citations

import "bytes"

// A follow classifies the bytes after a bracket.
type follow int

const (
	followNothing     follow = iota
	followDestination        // [1](…): a link
	followLabel              // [1][ref]: a reference link
	followDefinition         // [1]: at the start of a line
	followLinkEnd            // [see [1]](…): the text of a link
)

func (s *scanner) follow(m match, after []byte) follow {
	switch {
	case len(after) == 0:
		return followNothing
	case after[0] == '(':
		return followDestination
	case after[0] == ':' && s.line.blankSoFar(s.offset):
		return followDefinition
	case after[0] == ']' && len(after) > 1 && after[1] == '(':
		return followLinkEnd
	case after[0] == '[' && m.form == formNumber && len(after) > 1 && !startsNumber(after[1]):
		return followLabel
	default:
		return followNothing
	}
}

// leadsSomewhere reports whether the word after "[1]:" looks like the target of a link, a URL
// or a path. Before prose "[1]:" is a marker.
func leadsSomewhere(b []byte, final bool) verdict {
	word := bytes.TrimLeft(b, " \t")
	end := bytes.IndexAny(word, " \t\r\n")
	if end < 0 {
		if !final {
			return more
		}
		end = len(word)
	}
	word, rest := word[:end], bytes.TrimLeft(word[end:], " \t")
	switch {
	case len(word) == 0:
		return no
	case word[0] == '<' || word[0] == '#' || bytes.HasPrefix(word, []byte("mailto:")), bytes.Contains(word, []byte("://")):
		return yes
	case bytes.IndexByte(word, '/') < 0 && !hasExtension(word):
		return no
	case len(rest) == 0 && !final:
		return more
	case len(rest) == 0 || bytes.IndexByte([]byte("\r\n\"'("), rest[0]) >= 0: // the end, or a title
		return yes
	default:
		return no // and/or, Node.js: a word of a sentence
	}
}

// hasExtension reports whether a word ends like the name of a file or a host: report.pdf,
// example.test.
func hasExtension(word []byte) bool {
	dot := bytes.LastIndexByte(word, '.')
	if dot <= 0 || len(word)-dot < 3 {
		return false
	}
	for _, c := range word[dot+1:] {
		if !isLetter(c) && !isDigit(c) {
			return false
		}
	}
	return true
}

// startsNumber reports whether a byte after "[" can begin another marker.
func startsNumber(c byte) bool { return c >= '0' && c <= '9' || c == '^' || c >= 0x80 }
