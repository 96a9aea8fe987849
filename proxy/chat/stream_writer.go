package chat

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/gin-gonic/gin"

	"footnote/proxy/apierr"
	"footnote/proxy/front"
	"footnote/proxy/sse"
	"footnote/proxy/upstream"
)

// errClientGone is the cause with which the relay ends a call when the client
// takes no more data. The other causes are errors for the client.
var errClientGone = errors.New("the client takes no more data")

// A streamWriter writes an event stream to the client. It holds the status back
// until the first frame, so that a failure before it gets a real status. After
// Timings.FirstFrame it commits to 200 anyway, and from then on it sends comments
// while no data comes. One clock serves all bounds and is re-armed lazily, so
// that a frame costs no timer.
type streamWriter struct {
	c      *gin.Context
	rc     *http.ResponseController
	sender front.Sender
	t      Timings
	limits upstream.Timeouts
	cancel context.CancelCauseFunc
	header func() // sets the headers of the 200

	// Whole frames that go out with the next flush: first those that were copied,
	// then those in the reader's memory. Only the relay uses them.
	pending, run []byte
	borrowed     *[]byte // from idlePending; nil: pending is not

	mu        sync.Mutex // guards what the clock and the relay share, and the writes
	committed bool
	unflushed bool
	closed    bool
	started   time.Time
	asked     time.Time // when the upstream was
	lastRead  time.Time // when the upstream last sent something
	lastWrite time.Time // when the client last got something
	anyEvent  bool
	clock     *time.Timer
}

func newStreamWriter(c *gin.Context, t Timings, limits upstream.Timeouts, cancel context.CancelCauseFunc, header func()) *streamWriter {
	now := time.Now()
	t.StreamTotal = max(t.StreamTotal, limits.Total)
	w := &streamWriter{
		c: c, rc: http.NewResponseController(c.Writer), sender: front.SenderOf(c.Request), t: t, limits: limits, cancel: cancel, header: header,
		started: now, asked: now, lastRead: now, lastWrite: now,
	}
	w.mu.Lock() // the clock may fire at once
	defer w.mu.Unlock()
	w.clock = time.AfterFunc(w.next(now), w.tick)
	return w
}

// tick enforces the bounds that have run out and arms the clock for the next.
func (w *streamWriter) tick() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return
	}
	now := time.Now()
	quiet := now.Sub(w.lastRead)
	switch {
	case !w.anyEvent && now.Sub(w.asked) >= w.limits.FirstToken:
		w.cancel(upstream.FirstTokenTimeout(w.limits.FirstToken))
		return
	case w.anyEvent && quiet >= w.limits.Idle:
		w.cancel(upstream.Stalled(w.limits.Idle))
		return
	case now.Sub(w.started) >= w.t.StreamTotal:
		w.cancel(apierr.StreamTooLong())
		return
	}
	if !w.committed && now.Sub(w.started) >= w.t.FirstFrame || w.committed && now.Sub(w.lastWrite) >= w.t.KeepAlive {
		w.write([]byte(sse.KeepAlive))
		w.flush()
	}
	w.clock.Reset(w.next(now))
}

// next is how long no bound can run out. The first token and the first frame begin bounds
// without arming the clock, so it fires early enough for these, too.
func (w *streamWriter) next(now time.Time) time.Duration {
	d := w.t.StreamTotal - now.Sub(w.started)
	if w.anyEvent {
		d = min(d, w.limits.Idle-now.Sub(w.lastRead))
	} else {
		d = min(d, w.limits.FirstToken-now.Sub(w.asked), w.limits.Idle)
	}
	if w.committed {
		d = min(d, w.t.KeepAlive-now.Sub(w.lastWrite))
	} else {
		d = min(d, w.t.FirstFrame-now.Sub(w.started), w.t.KeepAlive)
	}
	return max(d, time.Millisecond)
}

// attempt begins the call of an upstream with its own bounds. cancel ends it.
func (w *streamWriter) attempt(cancel context.CancelCauseFunc, limits upstream.Timeouts) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	w.cancel, w.limits, w.asked, w.lastRead = cancel, limits, now, now
	w.t.StreamTotal = max(w.t.StreamTotal, limits.Total)
	w.clock.Reset(w.next(now)) // a bound that ran out has stopped it
}

// headers changes the headers of the answer, unless the status is out already.
func (w *streamWriter) headers(change func(http.Header)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.committed {
		change(w.c.Writer.Header())
	}
}

// watch notes the time of each read from r. Comments count as well.
func (w *streamWriter) watch(r io.Reader) io.Reader { return watched{r, w} }

type watched struct {
	r io.Reader
	w *streamWriter
}

// Read reads and notes the time.
func (r watched) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	r.w.mu.Lock()
	r.w.lastRead = time.Now()
	r.w.mu.Unlock()
	return n, err
}

const (
	// maxPending bounds the frames that are copied to go out in one write.
	maxPending = 64 << 10
	// keptPending is the memory for them that is kept.
	keptPending = 16 << 10
)

// pass takes a frame whose memory stays valid until flushFrames. Adjacent frames
// go out in one write without a copy.
func (w *streamWriter) pass(p []byte) {
	if n := len(w.run); n > 0 && cap(w.run)-n >= len(p) && &w.run[:n+1][n] == &p[0] {
		w.run = w.run[:n+len(p)]
		return
	}
	w.copyRun()
	w.run = p
}

// frame takes a frame whose memory the caller reuses.
func (w *streamWriter) frame(p []byte) {
	w.copyRun()
	w.keep(p)
}

// data takes the data of a frame and puts it behind the frames that wait.
func (w *streamWriter) data(data []byte) {
	w.copyRun()
	if len(w.pending)+len(data)+sse.Framing > maxPending {
		w.keep(sse.AppendData(nil, data))
		return
	}
	w.borrow()
	w.pending = sse.AppendData(w.pending, data)
}

// idlePending holds the memory for frames of streams that have ended, as *[]byte.
var idlePending sync.Pool

// borrow gets memory for frames that wait. Most streams need it for their last ones only.
func (w *streamWriter) borrow() {
	if w.pending == nil && w.borrowed == nil {
		if p, ok := idlePending.Get().(*[]byte); ok {
			w.pending, w.borrowed = *p, p
		} else {
			w.borrowed = new([]byte)
		}
	}
}

// release gives back the memory when the stream has ended.
func (w *streamWriter) release() {
	if w.borrowed != nil && cap(w.pending) <= keptPending {
		*w.borrowed = w.pending[:0]
		idlePending.Put(w.borrowed)
	}
	w.pending, w.borrowed = nil, nil
}

// copyRun copies the frames in the reader's memory.
func (w *streamWriter) copyRun() {
	if len(w.run) > 0 {
		run := w.run
		w.run = nil
		w.keep(run)
	}
}

// keep copies frames, unless they are too large for that.
func (w *streamWriter) keep(p []byte) {
	if len(w.pending)+len(p) <= maxPending {
		w.borrow()
		w.pending = append(w.pending, p...)
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.writeFrames()
	w.write(p)
}

// writeFrames writes the frames that wait, in one write unless that takes a large copy.
func (w *streamWriter) writeFrames() {
	if len(w.pending) > 0 {
		if len(w.pending)+len(w.run) <= maxPending {
			w.pending = append(w.pending, w.run...)
			w.run = nil
		}
		w.write(w.pending)
		w.pending = w.pending[:0]
		if cap(w.pending) > keptPending {
			w.pending = nil // a burst must not hold its memory for the rest of the stream
		}
	}
	if len(w.run) > 0 {
		w.write(w.run)
	}
	w.run = nil
}

// flushFrames sends the frames that wait. The answer has begun with them.
func (w *streamWriter) flushFrames() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.anyEvent = true
	held := w.sender.Hold(len(w.pending) + len(w.run))
	w.writeFrames()
	if w.unflushed {
		w.flush()
	}
	if held && w.sender.Send() != nil {
		w.cancel(errClientGone)
	}
}

func (w *streamWriter) write(p []byte) {
	if !w.committed {
		w.committed = true
		w.header()
		w.c.Writer.WriteHeader(http.StatusOK)
	}
	w.lastWrite = time.Now()
	w.unflushed = true
	if _, err := w.c.Writer.Write(p); err != nil {
		w.cancel(errClientGone)
	}
}

func (w *streamWriter) flush() {
	w.unflushed = false
	if err := w.rc.Flush(); err != nil {
		w.cancel(errClientGone)
	}
}

// end stops the clock and reports whether the status is out; until then a
// failure can still be a real status.
func (w *streamWriter) end() (begun bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	w.clock.Stop()
	return w.committed
}
