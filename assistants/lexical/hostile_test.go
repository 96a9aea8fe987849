package lexical

import (
	"strings"
	"testing"
	"time"
)

// TestHostileTextIsReadWithinATimeLimit reads texts on which a careless reading takes time
// in the square of the length: some minutes each at this size. Nothing in the package
// counts its steps, so each text has a time limit, which is far from both: reading one
// takes less than a second.
func TestHostileTextIsReadWithinATimeLimit(t *testing.T) {
	const size, limit = 512 << 10, 30 * time.Second
	texts := []string{strings.Repeat(".", size) + "a", strings.Repeat(" ", size) + "a."}
	for _, unit := range []string{
		"a", "\r", "\u2028", "a b\n", ".....a", "(a", "A.       ", "1.\u0301", "\u0301", "1,", "ue", "有", "か\u3099", "กี่", "\xff", "ich zuruck ", "ich meldest an, ",
	} {
		texts = append(texts, strings.Repeat(unit, size/len(unit)))
	}
	for _, text := range texts {
		for name, read := range map[string]func(){
			"Terms":      func() { Terms(text) },
			"AskedTerms": func() { AskedTerms(text, QueryTerms(text), func(string) bool { return true }) },
			"Sentences":  func() { Sentences(text) },
		} {
			if !within(limit, read) {
				t.Fatalf("%s has not read %q… of %d bytes after %v", name, text[:min(len(text), 32)], len(text), limit)
			}
		}
	}
}

// TestWhatTakesTooLongIsNoticed shows that the test above can fail.
func TestWhatTakesTooLongIsNoticed(t *testing.T) {
	end := make(chan struct{})
	defer close(end)
	if within(time.Millisecond, func() { <-end }) || !within(time.Hour, func() {}) {
		t.Error("the time limit is not kept")
	}
}

// within reports whether a function ends in time. One that does not goes on.
func within(limit time.Duration, do func()) bool {
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	select {
	case <-done:
		return true
	case <-time.After(limit):
		return false
	}
}
