package wire

// A span is a range of bytes of a body; the zero span stands for nothing.
type span struct{ start, end int }

func (s span) of(b []byte) []byte { return b[s.start:s.end] }
func (s span) none() bool         { return s.end == 0 }

// A walker goes through the members of an object or the elements of an array
// in one strict pass. After each step the caller takes the value at w.i: with
// skip, or by setting w.i to the value's end (or to a failure).
type walker struct {
	b     []byte
	i     int // where the value starts; below zero when the walk failed
	depth int
	key   span // of the member, without its quotes
	begun bool
}

// walk starts at the object or array b[i], inside depth open containers.
func walk(b []byte, i, depth int) walker {
	w := walker{b: b, i: i + 1, depth: depth + 1}
	if w.depth > maxDepth {
		w.i = tooDeep
	}
	return w
}

// more steps over the comma, or over the closing bracket when it is there.
func (w *walker) more(closing byte) bool {
	if w.i < 0 {
		return false
	}
	i := skipSpace(w.b, w.i)
	switch {
	case i >= len(w.b):
		w.i = badSyntax
		return false
	case w.b[i] == closing:
		// A comma before the bracket was refused where its value was wanted.
		w.i = i + 1
		return false
	case !w.begun:
		w.begun = true
	case w.b[i] != ',':
		w.i = badSyntax
		return false
	default:
		i = skipSpace(w.b, i+1)
	}
	w.i = i
	return true
}

// member goes to the next member of an object. It returns false at the end,
// with w.i behind the object, and on a failure.
func (w *walker) member() bool {
	if !w.more('}') {
		return false
	}
	start := w.i
	if w.i = skipKey(w.b, w.i); w.i < 0 {
		return false
	}
	end := w.i - 1
	for w.b[end-1] != '"' { // white space may stand before the colon
		end--
	}
	w.key = span{start + 1, end - 1}
	if w.i = skipSpace(w.b, w.i); w.i >= len(w.b) {
		w.i = badSyntax
	}
	return w.i >= 0
}

// element goes to the next element of an array, like member.
func (w *walker) element() bool {
	if !w.more(']') {
		return false
	}
	if w.i >= len(w.b) {
		w.i = badSyntax
	}
	return w.i >= 0
}

// skip checks the value at w.i, goes behind it and returns where it was.
func (w *walker) skip() span {
	start := w.i
	w.i = skipValue(w.b, w.i, w.depth)
	return span{start, max(w.i, start)}
}

// is reports whether the member's key is name.
func (w *walker) is(name string) bool { return keyIs(w.key.of(w.b), name) }

// kind names the first byte of the value at w.i: '{', '[', '"' or another.
func (w *walker) kind() byte { return w.b[w.i] }

// find returns the value of the last member called name of the object at s; as
// most readers do, it lets the last of several win. b must hold valid JSON.
func find(b []byte, s span, name string) span {
	var found span
	if s.none() || b[s.start] != '{' {
		return found
	}
	for w := walk(b, s.start, 0); w.member(); {
		named := w.is(name)
		if v := w.skip(); named {
			found = v
		}
	}
	return found
}

// findText returns the decoded string that the member name of the object at s
// holds, and whether it is one.
func findText(b []byte, s span, name string) (string, bool) {
	return textValue(b, find(b, s, name))
}

// textValue decodes the value at s if it is a string.
func textValue(b []byte, s span) (string, bool) {
	if s.none() || b[s.start] != '"' {
		return "", false
	}
	return unquote(b[s.start+1 : s.end-1]), true
}
