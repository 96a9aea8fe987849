package chat

import (
	"iter"
	"strings"
)

// The least number of bytes that make a quotation of a short text and of any
// text, and how much of an upstream's words is looked at.
const (
	leastQuote = 16
	sureQuote  = 32
	mostQuoted = 4 << 10
)

// quotes reports whether an upstream's words repeat a part of one of the texts.
func quotes(words string, texts iter.Seq[string]) bool {
	if words == "" {
		return false
	}
	q := newQuotation(words)
	for text := range texts {
		if q.in(text) {
			return true
		}
	}
	return false
}

// A quotation is words that may repeat a text. It reads each text once.
type quotation struct {
	words   string
	windows map[string]struct{} // every sureQuote bytes of the words
	looked  int                 // windows of texts that were looked up
}

func newQuotation(words string) *quotation {
	words = words[:min(len(words), mostQuoted)]
	q := &quotation{words: words, windows: make(map[string]struct{}, len(words))}
	for i := 0; i+sureQuote <= len(words); i++ {
		q.windows[words[i:i+sureQuote]] = struct{}{}
	}
	return q
}

// in reports whether the words repeat a part of text, or all of a short one.
func (q *quotation) in(text string) bool {
	if len(text) < sureQuote {
		q.looked++
		return len(text) >= leastQuote && strings.Contains(q.words, text)
	}
	if len(q.windows) == 0 {
		return false
	}
	for i := 0; i+sureQuote <= len(text); i++ {
		q.looked++
		if _, ok := q.windows[text[i:i+sureQuote]]; ok {
			return true
		}
	}
	return false
}
