package extract

import (
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
)

const (
	// maxDataDepth is how deep data (JSON, XML) may be nested.
	maxDataDepth = 256
	// minHeadingSize is the source length in bytes from which an object or list gets a
	// heading.
	minHeadingSize = 1500
	// maxKey is how much of a key is shown, in bytes.
	maxKey = 500
)

var errTooDeep = &Error{Code: CodeTooComplex, Message: "The document is nested more than " + strconv.Itoa(maxDataDepth) + " levels deep."}

// readJSON reads one value, or several in a row as in JSON Lines. It writes each
// member as a line "key: value", and indents nested values below it. Large
// objects and lists get headings, so that every chunk has the path of its values.
// Text that is not valid JSON is kept as plain text.
func readJSON(raw []byte, opt Options) (Document, error) {
	text, encoding := decode(raw)
	text = Normalise(text)
	sizes, err := measureJSON(text)
	var doc Document
	switch {
	case errors.Is(err, errTooDeep):
		return Document{}, err
	case err != nil:
		doc = Document{Text: text}
	default:
		j := jsonWriter{w: Writer{Limit: opt.MaxText}}
		if err := j.values(text, sizes); err != nil {
			return Document{}, err
		}
		doc = j.w.Finish()
	}
	doc.Encoding = encoding
	return doc, nil
}

// readJSONLines reads a record per line. Lines that are not valid JSON are kept as
// they are.
func readJSONLines(raw []byte, opt Options) (Document, error) {
	text, encoding := decode(raw)
	j := jsonWriter{w: Writer{Limit: opt.MaxText}}
	for line := range strings.Lines(Normalise(text)) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		sizes, err := measureJSON(line)
		switch {
		case err == nil:
			j.w.BreakLine(2)
			err = j.values(line, sizes)
		case !errors.Is(err, errTooDeep):
			j.w.BreakLine(2)
			j.w.Text(line)
			err = nil
		}
		if err != nil {
			return Document{}, err
		}
		if j.w.Full() {
			return Document{}, TooMuchText(opt.MaxText)
		}
	}
	doc := j.w.Finish()
	doc.Encoding = encoding
	return doc, nil
}

func decoderOf(text string) *json.Decoder {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber() // numbers are shown as they were written
	return d
}

// measureJSON checks a text and returns how long each object and list is, in
// the order in which they begin.
func measureJSON(text string) (sizes []int, err error) {
	d := decoderOf(text)
	var open []int
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			if len(open) > 0 {
				return nil, io.ErrUnexpectedEOF
			}
			return sizes, nil
		}
		if err != nil {
			return nil, err
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			if len(open) == maxDataDepth {
				return nil, errTooDeep
			}
			open = append(open, len(sizes))
			sizes = append(sizes, int(d.InputOffset()))
		case json.Delim('}'), json.Delim(']'):
			last := open[len(open)-1]
			open = open[:len(open)-1]
			sizes[last] = int(d.InputOffset()) - sizes[last]
		}
	}
}

// A jsonWriter writes values as text. measureJSON must have accepted the source.
type jsonWriter struct {
	w      Writer
	d      *json.Decoder
	sizes  []int
	next   int // index in sizes of the next object or list
	open   []openHeading
	bullet bool // the next line begins an item
}

// openHeading is an object or a list with a heading.
type openHeading struct {
	title       string
	interrupted bool // a nested heading was written, so this one must be repeated before more text
}

// values writes the values at the top level, each as a record. Each object or list
// in a list at the top level is a record, too.
func (j *jsonWriter) values(text string, sizes []int) error {
	j.d, j.sizes, j.next = decoderOf(text), sizes, 0
	j.open = append(j.open[:0], openHeading{})
	for {
		token, err := j.d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil && token == json.Delim('[') {
			err = j.records()
		} else if err == nil {
			err = j.record(token)
		}
		if err != nil {
			return err
		}
	}
}

func (j *jsonWriter) records() error {
	j.next++
	for j.d.More() {
		token, err := j.d.Token()
		if err == nil {
			err = j.record(token)
		}
		if err != nil {
			return err
		}
	}
	_, err := j.d.Token()
	return err
}

// record writes a value as a block of lines.
func (j *jsonWriter) record(token json.Token) error {
	_, whole := token.(json.Delim) // an object or list
	if whole {
		j.w.StartBlock(BlockList)
	} else {
		j.w.BreakLine(1)
	}
	err := j.value("", 0, token)
	if whole {
		j.w.EndBlock(BlockList)
	}
	return err
}

// value writes a member, an item (without a label) or a value at the top.
func (j *jsonWriter) value(label string, depth int, token json.Token) error {
	if j.w.Full() {
		return TooMuchText(j.w.Limit)
	}
	delim, ok := token.(json.Delim)
	if !ok {
		j.line(label, depth)
		j.scalar(token)
		return nil
	}
	size := j.sizes[j.next]
	j.next++
	switch {
	case label != "" && size >= minHeadingSize && len(j.open) < 7:
		j.bullet = false
		j.open[len(j.open)-1].interrupted = true
		j.w.StartHeading(len(j.open))
		j.w.Text(label)
		j.w.EndHeading()
		j.open = append(j.open, openHeading{title: label})
		err := j.content(delim, label, 0)
		j.open = j.open[:len(j.open)-1]
		return err
	case !j.d.More():
		j.line(label, depth)
		j.w.Text(map[json.Delim]string{'{': "{}", '[': "[]"}[delim])
	case label != "":
		j.line("", depth)
		if j.w.Lead == "" {
			j.w.Lead = strings.Repeat("  ", min(depth, 8))
		}
		j.w.Text(label + ":")
		depth++
	}
	return j.content(delim, label, depth)
}

// content writes the members of an object or list and reads its end token.
func (j *jsonWriter) content(delim json.Delim, label string, depth int) error {
	inRow := false // the previous item was a number, so the next one continues its line
	for n := 0; j.d.More(); n++ {
		token, err := j.d.Token()
		if err != nil {
			return err
		}
		if key, ok := token.(string); ok && delim == '{' {
			if token, err = j.d.Token(); err != nil {
				return err
			}
			if err := j.value(keyOf(key), depth, token); err != nil {
				return err
			}
			continue
		}
		switch token.(type) {
		case json.Delim:
			err = j.item(label, n, depth, token)
		case string:
			j.startItem(depth)
			j.scalar(token)
		default:
			if inRow {
				j.w.Text(", ")
			} else {
				j.startItem(depth)
			}
			j.scalar(token)
			inRow = true
			continue
		}
		inRow = false
		if err != nil {
			return err
		}
	}
	_, err := j.d.Token()
	return err
}

// item writes an object or a list within a list.
func (j *jsonWriter) item(label string, n, depth int, token json.Token) error {
	if size := j.sizes[j.next]; size >= minHeadingSize && label != "" && depth == 0 {
		return j.value(label+"["+strconv.Itoa(n)+"]", depth, token)
	}
	j.bullet = true
	err := j.value("", depth+1, token)
	j.bullet = false
	return err
}

// startItem begins a list item that is not an object or list.
func (j *jsonWriter) startItem(depth int) {
	nested := j.bullet // the first item of a list within a list
	j.bullet = true
	if nested {
		depth--
	}
	j.line("", depth+1)
}

// line begins the line of a member.
func (j *jsonWriter) line(label string, depth int) {
	if here := &j.open[len(j.open)-1]; here.interrupted {
		here.interrupted = false
		j.w.resume(max(len(j.open)-1, 1), here.title)
	} else {
		j.w.BreakLine(1)
	}
	if label != "" {
		label += ":"
	}
	if j.bullet {
		j.bullet = false
		j.w.Mark(depth-1, strings.TrimSpace("- "+label))
		return
	}
	if label != "" {
		j.w.Mark(depth, label)
	}
}

func (j *jsonWriter) scalar(token json.Token) {
	switch v := token.(type) {
	case string:
		j.w.verbatim(v)
	case json.Number:
		j.w.Text(v.String())
	case bool:
		j.w.Text(strconv.FormatBool(v))
	default:
		j.w.Text("null")
	}
}

// keyOf returns a key as it is shown: on one line and not too long.
func keyOf(key string) string {
	key = strings.Join(strings.Fields(Normalise(key)), " ")
	if len(key) > maxKey {
		key = strings.ToValidUTF8(key[:maxKey], "") + "…"
	}
	if key == "" {
		return `""`
	}
	return key
}
