package sse

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

// endless is a source that repeats a text for ever and counts its bytes.
type endless struct {
	text string
	at   int
	sent int
}

func (e *endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = e.text[e.at%len(e.text)]
		e.at++
	}
	e.sent += len(b)
	return len(b), nil
}

func TestAnEventOfTheLimitPassesAndOneByteMoreDoesNot(t *testing.T) {
	const limit = 100
	for _, c := range []struct {
		name, ends string
	}{{"LF", "\n"}, {"CRLF", "\r\n"}, {"CR", "\r"}} {
		lead := "data: "
		whole := lead + strings.Repeat("x", limit-len(lead)-len(c.ends)) + c.ends
		over := lead + "y" + whole[len(lead):]
		for i := range len(over) + 1 {
			src := inPieces(whole[:min(i, len(whole))], whole[min(i, len(whole)):], c.ends)
			r := NewReader(src, limit)
			if ev, err := r.Next(); err != nil || len(ev.Data) != limit-len(lead)-len(c.ends) {
				t.Fatalf("%s, cut at %d: %d bytes, %v", c.name, i, len(ev.Data), err)
			}
			r = NewReader(inPieces(over[:i], over[i:], c.ends), limit)
			if _, err := r.Next(); !errors.Is(err, ErrTooLong) {
				t.Fatalf("%s, cut at %d: a byte more than the limit gave %v", c.name, i, err)
			}
		}
	}
}

func TestSeveralLinesCountTogether(t *testing.T) {
	const limit = 64
	in := strings.Repeat("data: 1234567\n", 5) + "\n"
	for i := range len(in) {
		if got := transcript(inPieces(in[:i], in[i:]), limit); got != "end: "+ErrTooLong.Error()+"\n" {
			t.Fatalf("cut at %d: %s", i, got)
		}
	}
}

func TestTheLimitIsForOneEventNotForTheStream(t *testing.T) {
	const limit = 64
	in := strings.Repeat("data: 12345678901234567890\n\n", 1000)
	r := NewReader(strings.NewReader(in), limit)
	n := 0
	for {
		_, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if n != 1000 {
		t.Errorf("got %d events", n)
	}
}

func TestTooLongIsFinal(t *testing.T) {
	r := NewReader(strings.NewReader("data: "+strings.Repeat("x", 100)+"\n\ndata: 1\n\n"), 50)
	for range 3 {
		if _, err := r.Next(); !errors.Is(err, ErrTooLong) {
			t.Fatalf("got %v", err)
		}
	}
	if !r.Buffered() {
		t.Error("Next will not read any more, so the error counts as buffered")
	}
}

func TestALineWithoutEndIsRefusedInBoundedMemory(t *testing.T) {
	for _, text := range []string{"data: x", "x", ": ", " ", "data:", "{", "\xEF\xBB\xBF"} {
		src := &endless{text: text}
		r := NewReader(src, bigLimit)
		if _, err := r.Next(); !errors.Is(err, ErrTooLong) {
			t.Fatalf("%q: got %v", text, err)
		}
		if got := cap(r.buf); got > bigLimit+slack {
			t.Errorf("%q: the buffer grew to %d bytes", text, got)
		}
		if src.sent > bigLimit+slack+len(byteOrderMark) {
			t.Errorf("%q: %d bytes were read", text, src.sent)
		}
	}
}

func TestEndlessDataLinesAreRefused(t *testing.T) {
	for _, text := range []string{"data: x\n", "data:\n", "data\r", "event: x\r\n"} {
		r := NewReader(&endless{text: text}, 1<<20)
		if _, err := r.Next(); !errors.Is(err, ErrTooLong) {
			t.Errorf("%q: got %v", text, err)
		}
	}
}

// After so many bytes the source of TestWhatIsSwallowed… sends an event.
const swallowed = 4 << 20

func TestWhatIsSwallowedDoesNotCountAgainstTheLimit(t *testing.T) {
	for _, text := range []string{": keep-alive\n", ":\r\n", "id: 1\r", "\n", "\r\n", "retry: 5\n\n", "data:\n\n", "foo\n"} {
		n := swallowed / len(text)
		src := io.MultiReader(strings.NewReader(strings.Repeat(text, n)), strings.NewReader("\ndata: 1\n\n"))
		r := NewReader(src, 1<<10)
		ev, err := r.Next()
		if err != nil || string(ev.Data) != "1" {
			t.Errorf("%q: got %q, %v", text, ev.Data, err)
		}
		if cap(r.buf) > burstBuffer {
			t.Errorf("%q: the buffer grew to %d bytes", text, cap(r.buf))
		}
	}
}

func TestAnEventOfEightMebibytesPassesWhole(t *testing.T) {
	data := bytes.Repeat([]byte("0123456789abcdef"), (bigLimit-16)/16)
	in := AppendData(nil, data)
	in = append(in, "data: after\n\n"...)
	r := NewReader(bytes.NewReader(in), bigLimit)
	ev, err := r.Next()
	if err != nil || !bytes.Equal(ev.Data, data) || !bytes.Equal(ev.Raw, in[:len(data)+8]) {
		t.Fatalf("got %d bytes, %v", len(ev.Data), err)
	}
	if ev, err = r.Next(); err != nil || string(ev.Data) != "after" {
		t.Fatalf("got %q, %v", ev.Data, err)
	}
}

func TestALargeEventDoesNotPinItsMemory(t *testing.T) {
	for name, large := range map[string]string{
		"one line":   "data: " + strings.Repeat("x", 1<<20) + "\n\n",
		"many lines": strings.Repeat("data: 123456789\n", 1<<16) + "\n",
	} {
		src := inPieces(large, "data: 1\n\n", "data: 2\n\n")
		r := NewReader(src, bigLimit)
		for range 3 {
			if _, err := r.Next(); err != nil {
				t.Fatal(err)
			}
		}
		if cap(r.buf) > keptBuffer || cap(r.joined) > keptBuffer {
			t.Errorf("%s: %d and %d bytes are still held", name, cap(r.buf), cap(r.joined))
		}
	}
}

func TestLongStreamsOfCarriageReturnsAreReadInLinearTime(t *testing.T) {
	// With a search for LF from every line on, this would take hours.
	const events = 1 << 18
	in := strings.Repeat("data: x\r\r", events)
	r := NewReader(&wide{strings.NewReader(in)}, bigLimit)
	r.buf = make([]byte, len(in)+1)
	n := 0
	for {
		if _, err := r.Next(); err != nil {
			break
		}
		n++
	}
	if n != events {
		t.Errorf("got %d events", n)
	}
}

// wide hides every method of a reader but Read.
type wide struct{ r io.Reader }

func (w *wide) Read(b []byte) (int, error) { return w.r.Read(b) }

// A reader has the memory of others that were released, and reads none of their bytes.
func TestReadersThatFollowEachOtherKeepTheirBytes(t *testing.T) {
	for i := range 50 {
		word := strings.Repeat(string(rune('a'+i%26)), 1+97*i)
		r := NewReader(strings.NewReader(strings.Repeat("data: "+word+"\n\n", 40)), 16<<10)
		events := 0
		for ev, err := r.Next(); ; ev, err = r.Next() {
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil || string(ev.Data) != word {
				t.Fatalf("event %d of reader %d is %.20q, %v", events, i, ev.Data, err)
			}
			events++
		}
		if r.Release(); events != 40 {
			t.Errorf("reader %d: %d events", i, events)
		}
	}
}
