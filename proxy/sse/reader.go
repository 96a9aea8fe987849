package sse

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// ErrTooLong is returned for an event longer than the reader's limit.
var ErrTooLong = errors.New("sse: event too long")

const (
	// firstBuffer is enough for a stream that comes event by event, of which a
	// server may hold thousands.
	firstBuffer = 4 << 10
	// burstBuffer is for one that comes faster than it is read.
	burstBuffer = 16 << 10
	// keptBuffer is the largest buffer kept once it is empty; a single large
	// event must not pin its memory for the rest of a stream.
	keptBuffer = 64 << 10
	// maxIdleReads is how often a source may return nothing at all.
	maxIdleReads = 100
)

var byteOrderMark = []byte("\xEF\xBB\xBF")

// A Reader splits an event stream into events. It never reads while a whole
// event is buffered, so what came is handed on at once.
type Reader struct {
	src io.Reader
	max int
	err error // what the source ended with

	buf  []byte
	r, w int  // buf[r:w] is unread; r is the start of the current event
	full bool // the last read left no room

	line    int  // start of the current line
	lf, cr  int  // no LF lies in buf[line:lf], no CR in buf[line:cr]
	afterCR bool // an LF at line belongs to the line end before it
	begun   bool // the byte order mark is behind us

	ev      shape
	located bool
	end     int // of a located event's lines
	next    int // where the event after a located one starts

	joined []byte // data of several lines
}

// shape is what the lines of the current event are known to hold.
type shape struct {
	fields  bool // there is a line that must be kept
	content bool // there is something to deliver
	plain   bool // so far exactly one line, `data: …` with LF
	value   int  // where the value of that line starts
	stop    int  // and where it ends
}

// NewReader returns a reader of the events of r. An event of more than
// maxEvent bytes makes Next return [ErrTooLong]; the reader never holds more
// than about one and a half times that.
func NewReader(r io.Reader, maxEvent int) *Reader {
	return &Reader{src: r, max: maxEvent, buf: firstBuffers.Get().(*[firstBuffer]byte)[:min(firstBuffer, maxEvent+slack)]}
}

// Release gives the reader's memory to other readers. What Next returned is not valid any
// more, and the reader must not be used.
func (r *Reader) Release() {
	giveBack(r.buf)
	r.buf = nil
}

// slack is the room beyond the limit in which the end of an event may lie.
const slack = 4 << 10

// Next returns the next event that has data or reports an error. At the end of
// the stream it returns io.EOF. A last event without its blank line is
// delivered when its last line is complete, or is [DONE] or a whole JSON value;
// a stream cut in the middle of a line ends with io.ErrUnexpectedEOF. Any other
// error is the source's, after all whole events were delivered.
func (r *Reader) Next() (Event, error) {
	for idle := 0; ; {
		found, err := r.locate()
		if err != nil {
			r.err = err
			return Event{}, err
		}
		if found {
			return r.take(), nil
		}
		if r.err != nil {
			return r.finish()
		}
		before := r.w - r.r
		r.fill()
		if r.w-r.r > before {
			idle = 0
		} else if idle++; idle >= maxIdleReads && r.err == nil {
			r.err = io.ErrNoProgress
		}
	}
}

// Buffered reports whether the next event is already there in whole, so that
// Next will not read. A relay flushes when it is not: until then, what Next
// returned before stays where it is.
func (r *Reader) Buffered() bool {
	found, err := r.locate()
	return found || err != nil
}

// locate looks for the end of the next event in what is buffered. It moves no
// bytes, so the event handed out before stays valid.
func (r *Reader) locate() (bool, error) {
	if r.located {
		return true, nil
	}
	if !r.begun && !r.skipMark() {
		return false, nil
	}
	for {
		end, next, ok := r.lineEnd()
		if !ok {
			if r.w-r.r > r.max+len("\r\n") {
				return false, ErrTooLong
			}
			return false, nil
		}
		if end > r.line {
			if err := r.see(end, next); err != nil {
				return false, err
			}
			continue
		}
		if r.line-r.r > r.max {
			return false, ErrTooLong
		}
		if r.ev.content {
			r.ev.plain = r.ev.plain && r.buf[end] == '\n'
			r.located, r.end, r.next = true, r.line, next
			return true, nil
		}
		r.restart(next)
	}
}

// skipMark drops a byte order mark; it reports false while it needs more bytes.
func (r *Reader) skipMark() bool {
	head := r.buf[r.r:r.w]
	switch {
	case bytes.HasPrefix(head, byteOrderMark):
		r.restart(r.r + len(byteOrderMark))
	case len(head) < len(byteOrderMark) && bytes.HasPrefix(byteOrderMark, head) && r.err == nil:
		return false
	}
	r.begun = true
	return true
}

// lineEnd finds the end of the current line and the start of the next one.
// The cursors lf and cr keep the search linear in any mix of line ends.
func (r *Reader) lineEnd() (end, next int, ok bool) {
	if r.afterCR && r.line < r.w {
		r.afterCR = false
		if r.buf[r.line] == '\n' {
			if r.r == r.line {
				r.r++
			}
			r.line++
		}
	}
	r.lf = seek(r.buf[:r.w], max(r.lf, r.line), '\n')
	r.cr = seek(r.buf[:r.lf], max(r.cr, r.line), '\r')
	switch {
	case r.cr < r.lf:
		next = r.cr + 1
		if next == r.w {
			r.afterCR = true
		} else if r.buf[next] == '\n' {
			next++
		}
		return r.cr, next, true
	case r.lf < r.w:
		return r.lf, r.lf + 1, true
	default:
		return 0, 0, false
	}
}

// see takes note of the line buf[line:end].
func (r *Reader) see(end, next int) error {
	text := r.buf[r.line:end]
	f, value := split(text)
	if f == ignored && !r.ev.fields {
		// Dropped at once: comments may go on for ever without a blank line.
		if len(text) > r.max {
			return ErrTooLong
		}
		r.restart(next)
		return nil
	}
	r.ev.plain = !r.ev.fields && f == data && len(value) == len(text)-len("data: ") && r.buf[end] == '\n'
	r.ev.value, r.ev.stop = end-len(value), end
	r.ev.fields = true
	r.ev.content = r.ev.content || f == failure || f == data && !blank(value)
	r.line = next
	return nil
}

// restart begins a new event at i.
func (r *Reader) restart(i int) {
	r.r, r.line, r.ev = i, i, shape{}
}

// take hands out the located event.
func (r *Reader) take() Event {
	var ev Event
	if r.ev.plain {
		ev = Event{Data: r.buf[r.ev.value:r.ev.stop], Raw: r.buf[r.r:r.next]}
	} else {
		ev = r.parse(r.buf[r.r:r.end])
	}
	r.located = false
	r.restart(r.next)
	return ev
}

// parse reads the lines of an event of any form.
func (r *Reader) parse(lines []byte) Event {
	var ev Event
	r.joined = r.joined[:0]
	first := true
	for at, lf, cr := 0, 0, 0; at < len(lines); {
		lf = seek(lines, max(lf, at), '\n')
		cr = seek(lines[:lf], max(cr, at), '\r')
		text := lines[at:cr]
		at = cr + 1
		// The LF of a CRLF yields an empty line here, which no event contains.
		switch f, value := split(text); f {
		case data:
			if !first {
				r.joined = append(r.joined, '\n')
			}
			r.joined, first = append(r.joined, value...), false
		case name:
			ev.Name = string(value)
		case failure:
			ev.ErrorLine = value
		}
	}
	if !first && !blank(r.joined) {
		ev.Data = r.joined
	}
	return ev
}

// fill reads once, into the free part of the buffer.
func (r *Reader) fill() {
	switch {
	case r.r == r.w && len(r.buf) > keptBuffer:
		r.moveTo(firstBuffers.Get().(*[firstBuffer]byte)[:])
	case r.full && len(r.buf) < burstBuffer:
		old := r.buf
		r.moveTo(burstBuffers.Get().(*[burstBuffer]byte)[:])
		giveBack(old)
	case r.r > 0:
		r.moveTo(r.buf)
	case r.w == len(r.buf):
		size := 2 * len(r.buf)
		if size > r.max/2 { // the last step goes to the limit, so that no two large buffers exist
			size = r.max + slack
		}
		r.moveTo(make([]byte, size))
	}
	if cap(r.joined) > keptBuffer {
		r.joined = nil
	}
	n, err := r.src.Read(r.buf[r.w:])
	r.w += n
	r.full = r.w == len(r.buf)
	r.err = err
}

// moveTo moves the unread bytes to the start of buf.
func (r *Reader) moveTo(buf []byte) {
	copy(buf, r.buf[r.r:r.w])
	r.buf = buf
	by := r.r
	r.r, r.w, r.line = 0, r.w-by, r.line-by
	r.lf, r.cr = max(r.lf-by, 0), max(r.cr-by, 0)
	r.ev.value, r.ev.stop = r.ev.value-by, r.ev.stop-by
}

// finish decides what is left when the source has ended.
func (r *Reader) finish() (Event, error) {
	if !errors.Is(r.err, io.EOF) {
		return Event{}, r.err
	}
	tail := r.buf[r.line:r.w]
	if blank(tail) || tail[0] == ':' {
		// Every line is complete; only the blank line is missing.
		ev := r.parse(r.buf[r.r:r.line])
		r.restart(r.w)
		if ev.Data == nil && ev.ErrorLine == nil {
			return Event{}, io.EOF
		}
		return ev, nil
	}
	ev := r.parse(r.buf[r.r:r.w])
	r.restart(r.w)
	if !complete(tail, ev) {
		r.err = io.ErrUnexpectedEOF
		return Event{}, r.err
	}
	return ev, nil
}

// complete reports whether an event whose last line has no end can be trusted
// to be whole.
func complete(tail []byte, ev Event) bool {
	switch f, _ := split(tail); f {
	case data:
		return IsDone(ev.Data) || json.Valid(ev.Data)
	case failure:
		return ev.ErrorLine[0] != '{' || json.Valid(ev.ErrorLine)
	default:
		return false
	}
}
