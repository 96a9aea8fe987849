package chat

import (
	"iter"
	"strings"
)

// Lengths in bytes of what counts as a quotation.
const (
	minText    = 16      // a text that is quoted as a whole
	quoteSize  = 32      // a part of a longer text
	maxChecked = 4 << 10 // of the upstream's words; the rest is not compared
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
	windows map[string]struct{} // every quoteSize bytes of the words
	looked  int                 // windows of texts that were looked up
}

func newQuotation(words string) *quotation {
	words = words[:min(len(words), maxChecked)]
	q := &quotation{words: words, windows: make(map[string]struct{}, len(words))}
	for i := 0; i+quoteSize <= len(words); i++ {
		q.windows[words[i:i+quoteSize]] = struct{}{}
	}
	return q
}

// in reports whether the words repeat a part of text, or all of a short one.
func (q *quotation) in(text string) bool {
	if len(text) < quoteSize {
		q.looked++
		return len(text) >= minText && strings.Contains(q.words, text)
	}
	if len(q.windows) == 0 {
		return false
	}
	for i := 0; i+quoteSize <= len(text); i++ {
		q.looked++
		if _, ok := q.windows[text[i:i+quoteSize]]; ok {
			return true
		}
	}
	return false
}
