package wire

import (
	"bytes"
	"errors"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

var errNoFrame = errors.New("wire: not a stream frame: no JSON object")

// A Frame is what one frame of a stream says. One Frame is meant for all frames of a
// stream: [ScanFrame] reuses its memory. The strings it hands out
// stay valid.
type Frame struct {
	Choices []FrameChoice
	// Error reports that the frame carries an upstream's error; [ErrorObject] reads it.
	Error bool
	// HasChoices reports that there is a list of choices, even an empty one.
	HasChoices bool

	data     []byte
	text     *strings.Builder
	at       span // of the content of the last choice that has one as a string
	usage    span // of the member usage
	padding  span // of the last top-level string that is not read, such as padding
	template frameTemplate

	// A character beyond the BMP may be cut between its surrogates: the content
	// in work may begin with a low one and end with a high one, and a choice's
	// high one waits for the frame that has the other.
	low, high rune
	waiting   map[int]rune
}

// A frameTemplate is the bytes of a frame around its one text. Most frames of a stream
// differ from the previous one only in that text and in the padding that OpenAI puts
// after it, so they need not be parsed.
type frameTemplate struct {
	before []byte // up to the text, its opening quote included
	after  []byte // from its closing quote on
	rest   []byte // from the closing quote of the padding on; after then ends with its opening quote
	choice FrameChoice
}

// A FrameChoice is what a frame says of one choice.
type FrameChoice struct {
	Index        int
	Content      string // decoded text of the delta
	ToolCalls    bool   // the delta begins or continues a tool call
	FinishReason string // "" when the choice continues

	content span // of the delta's content, if that is a string or a list of parts
}

// HasContent reports whether the delta has a content that can hold text.
func (c FrameChoice) HasContent() bool { return !c.content.none() }

// textBlock is how much text is copied into one allocation.
const textBlock = 1 << 10

// ScanFrame reads the data of one frame into c, in one pass and without an
// allocation per frame. It fails if data is not one valid JSON object.
func ScanFrame(data []byte, c *Frame) error {
	if c.scanLikeTemplate(data) {
		return nil
	}
	c.Choices, c.Error, c.HasChoices, c.data, c.at, c.padding, c.usage = c.Choices[:0], false, false, data, span{}, span{}, span{}
	i := skipSpace(data, 0)
	if i == len(data) || data[i] != '{' {
		return errNoFrame
	}
	report := false
	w := walk(data, i, 0)
	for w.member() {
		switch string(decodedKey(w.key.of(data))) {
		case "choices":
			c.scanChoices(&w)
		case "usage":
			c.usage = w.skip()
		case "error":
			v := w.skip()
			c.Error = c.Error || isReport(v.of(data))
		case "detail", "message":
			v := w.skip()
			report = report || isReport(v.of(data))
		default:
			if kind, v := w.kind(), w.skip(); kind == '"' {
				c.padding = v
			}
		}
	}
	c.data = nil
	if w.i < 0 || skipSpace(data, w.i) < len(data) {
		c.template.before = c.template.before[:0]
		return errNoFrame
	}
	c.Error = c.Error || report && !c.HasChoices
	c.remember(data)
	return nil
}

// maxTemplate bounds the frames that are kept as a template.
const maxTemplate = 4 << 10

// remember keeps a frame as the template of the next ones.
func (c *Frame) remember(data []byte) {
	c.template.before = c.template.before[:0]
	if c.Error || len(c.Choices) != 1 || c.at.none() || len(data) > maxTemplate {
		return
	}
	c.template.before = append(c.template.before, data[:c.at.start+1]...)
	end := len(data)
	c.template.rest = c.template.rest[:0]
	if c.padding.start > c.at.end {
		end = c.padding.start + 1
		c.template.rest = append(c.template.rest, data[c.padding.end-1:]...)
	}
	c.template.after = append(c.template.after[:0], data[c.at.end-1:end]...)
	c.template.choice = c.Choices[0]
}

// scanLikeTemplate reads a frame that differs from the template only in its text.
func (c *Frame) scanLikeTemplate(data []byte) bool {
	n := len(c.template.before)
	if n == 0 || !bytes.HasPrefix(data, c.template.before) {
		return false
	}
	end := skipString(data, n-1)
	if end < 0 || !bytes.HasPrefix(data[end-1:], c.template.after) {
		return false
	}
	behind := end - 1 + len(c.template.after)
	if len(c.template.rest) > 0 {
		if behind = skipString(data, behind-1); behind < 0 {
			return false
		}
		behind--
	}
	if !bytes.Equal(data[behind:], c.template.rest) {
		return false
	}
	text := data[n : end-1]
	one := c.template.choice
	one.Content, one.content = c.copyText(text), span{n - 1, end}
	if c.low, c.high = cutSurrogates(text); c.low != 0 || c.high != 0 || len(c.waiting) > 0 {
		c.joinSurrogates(&one)
	}
	c.Choices, c.Error, c.HasChoices, c.usage = append(c.Choices[:0], one), false, true, span{}
	return true
}

// isReport reports whether the value of a member such as error says anything.
func isReport(raw []byte) bool {
	switch string(raw) {
	case "", "null", "false", "0", `""`, "{}", "[]":
		return false
	default:
		return true
	}
}

func (c *Frame) scanChoices(w *walker) {
	if w.kind() != '[' {
		w.skip()
		return
	}
	c.HasChoices, c.Choices, c.at = true, c.Choices[:0], span{}
	list := walk(w.b, w.i, w.depth)
	for list.element() {
		if list.kind() == '{' {
			c.scanChoice(&list)
		} else {
			list.skip()
		}
	}
	w.i = list.i
}

func (c *Frame) scanChoice(list *walker) {
	one := FrameChoice{Index: len(c.Choices)}
	failed := false
	c.low, c.high = 0, 0
	w := walk(list.b, list.i, list.depth)
	for w.member() {
		switch string(decodedKey(w.key.of(c.data))) {
		case "delta":
			if w.kind() == '{' {
				c.scanDelta(&w, &one)
			} else {
				w.skip()
			}
		case "index":
			if n, ok := smallInt(w.skip().of(c.data)); ok {
				one.Index = n
			}
		case "finish_reason":
			one.FinishReason = c.reason(w.skip())
		case "error":
			failed = isReport(w.skip().of(c.data))
		default:
			w.skip()
		}
	}
	list.i = w.i
	if c.low != 0 || c.high != 0 || len(c.waiting) > 0 {
		c.joinSurrogates(&one)
	}
	c.Error = c.Error || failed && one.FinishReason == "error"
	c.Choices = append(c.Choices, one)
}

func (c *Frame) scanDelta(choice *walker, one *FrameChoice) {
	w := walk(choice.b, choice.i, choice.depth)
	for w.member() {
		switch string(decodedKey(w.key.of(c.data))) {
		case "content":
			if kind, v := w.kind(), w.skip(); w.i >= 0 && (kind == '"' || kind == '[') {
				one.Content, one.content = c.content(v), v
			}
		case "tool_calls":
			if v := w.skip(); w.i >= 0 {
				one.ToolCalls = one.ToolCalls || isNonEmptyList(v.of(c.data))
			}
		case "function_call":
			if v := w.skip(); w.i >= 0 {
				one.ToolCalls = one.ToolCalls || isObject(v.of(c.data))
			}
		default:
			w.skip()
		}
	}
	choice.i = w.i
}

// content decodes a delta's content: a string, or a list of parts.
func (c *Frame) content(v span) string {
	c.low, c.high = 0, 0
	if c.data[v.start] == '"' {
		c.at = v
		raw := c.data[v.start+1 : v.end-1]
		c.low, c.high = cutSurrogates(raw)
		return c.copyText(raw)
	}
	c.at = span{}
	return contentText(c.data, v, "")
}

// joinSurrogates makes one character of halves that came in two frames, as a
// client does that joins the texts. A half without the other is U+FFFD.
func (c *Frame) joinSurrogates(one *FrameChoice) {
	const stray = string(utf8.RuneError)
	high, waits := c.waiting[one.Index]
	switch {
	case waits && c.low != 0:
		one.Content = string(utf16.DecodeRune(high, c.low)) + strings.TrimPrefix(one.Content, stray)
	case waits && (one.Content != "" || one.FinishReason != ""):
		one.Content = stray + one.Content
	case waits:
		return
	}
	delete(c.waiting, one.Index)
	if c.high != 0 && one.FinishReason == "" {
		one.Content = strings.TrimSuffix(one.Content, stray)
		if c.waiting == nil {
			c.waiting = map[int]rune{}
		}
		c.waiting[one.Index] = c.high
	}
}

// reason decodes a finish reason; the usual ones cost nothing.
func (c *Frame) reason(v span) string {
	if v.end-v.start < len(`""`) || c.data[v.start] != '"' {
		return ""
	}
	switch raw := c.data[v.start+1 : v.end-1]; string(raw) {
	case "stop":
		return "stop"
	case "length":
		return "length"
	case "tool_calls":
		return "tool_calls"
	case "content_filter":
		return "content_filter"
	default:
		return unquote(raw)
	}
}

// copyText decodes a string into memory of its own. Short strings share a block
// that is only ever appended to, so they never change afterwards.
func (c *Frame) copyText(raw []byte) string {
	if len(raw) == 0 {
		return ""
	}
	if len(raw) > textBlock/4 {
		return unquote(raw)
	}
	if c.text == nil {
		c.text = new(strings.Builder)
	}
	if c.text.Cap()-c.text.Len() < len(raw) {
		c.text.Reset()
		c.text.Grow(textBlock)
	}
	start := c.text.Len()
	var decoded [textBlock / 4]byte
	c.text.Write(appendUnquoted(decoded[:0], raw))
	return c.text.String()[start:]
}
