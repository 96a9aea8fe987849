package search

import (
	"context"
	"crypto/rand"
	"errors"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"footnote/assistants"
)

// Bounds of the streams that are kept for clients to resume.
const (
	maxStreams       = 256
	maxStreamsPerKey = 32
	maxStreamBytes   = 1 << 20 // the oldest events are dropped first
)

// streams are those that clients may resume.
type streams struct {
	timings Timings

	mu   sync.Mutex
	list []*stream // oldest first
}

func newStreams(t Timings) *streams { return &streams{timings: t} }

// An owner is who may resume a stream.
type owner struct {
	tenant assistants.TenantID
	key    assistants.KeyID
}

// A stream is the events of one answer.
type stream struct {
	all    *streams
	id     string
	owner  owner
	in     request
	isCopy bool // of a stream that another server makes

	mu      sync.Mutex
	events  [][]byte
	first   int // number of events[0]
	size    int
	ended   bool
	endedAt time.Time
	readers int
	drained bool // the server drains: without readers the answer ends at once
	saved   saving
	changed chan struct{} // closed when there is more
	cancel  context.CancelCauseFunc
	timer   *time.Timer // until it is abandoned or, when it has ended, forgotten
}

// A saving is what other servers can know of a stream.
type saving struct {
	next  int // number of the first event that is not saved
	beat  int64
	at    time.Time
	whole bool // with its end
}

// begin returns a new stream that has one reader.
func (all *streams) begin(who owner, in request, cancel context.CancelCauseFunc) *stream {
	s := &stream{all: all, id: strings.ToLower(rand.Text()), owner: who, in: in, readers: 1, changed: make(chan struct{}), cancel: cancel}
	all.mu.Lock()
	defer all.mu.Unlock()
	all.keep(s)
	return s
}

// copyOf returns the copy of a stream that another server makes, with one more reader:
// a new one, or the one that is there already.
func (all *streams) copyOf(stored assistants.StoredStream, who owner, in request, cancel context.CancelCauseFunc) (s *stream, isNew bool) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if s = all.find(stored.ID, who, in); s != nil {
		s.join()
		return s, false
	}
	s = &stream{all: all, id: stored.ID, owner: who, in: in, isCopy: true, first: stored.First, readers: 1, changed: make(chan struct{}), cancel: cancel}
	s.take(stored)
	all.keep(s)
	return s, true
}

// keep adds a stream to those that can be resumed. The caller has locked them.
func (all *streams) keep(s *stream) {
	own := 0
	for _, o := range all.list {
		if o.owner == s.owner {
			own++
		}
	}
	drop := -1
	switch {
	case own >= maxStreamsPerKey:
		drop = slices.IndexFunc(all.list, func(o *stream) bool { return o.owner == s.owner })
	case len(all.list) >= maxStreams:
		drop = 0
	}
	if drop >= 0 { // it goes on for its readers, but cannot be resumed
		all.list = slices.Delete(all.list, drop, drop+1)
	}
	all.list = append(all.list, s)
}

// find returns the stream of an owner and a request, nil if there is none. The caller has
// locked the streams.
func (all *streams) find(id string, who owner, in request) *stream {
	i := slices.IndexFunc(all.list, func(o *stream) bool { return o.id == id && o.owner == who && reflect.DeepEqual(o.in, in) })
	if i < 0 {
		return nil
	}
	return all.list[i]
}

// A position is how far a client has read a stream.
type position struct {
	stream string
	next   int // number of the first event that it has not got
}

// positionOf reads the id of an event.
func positionOf(last string) (at position, ok bool) {
	id, number, _ := strings.Cut(last, "-")
	n, err := strconv.Atoi(number)
	return position{id, n + 1}, err == nil && n >= 0 && n < math.MaxInt32
}

// resume returns the stream of the same owner and request in which a client has read up
// to a position; nil if that position is not in it, or if it is not known.
func (all *streams) resume(at position, who owner, in request) (s *stream, known bool) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if s = all.find(at.stream, who, in); s == nil {
		return nil, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	last := s.first + len(s.events)
	// Of a stream that another server makes, a client may have events that have not come here yet.
	if early := at.next > last && (!s.isCopy || s.ended); early || at.next < s.first {
		return nil, true
	}
	s.joinLocked()
	return s, true
}

// join adds a reader.
func (s *stream) join() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.joinLocked()
}

func (s *stream) joinLocked() {
	s.readers++
	if s.timer != nil && !s.ended {
		s.timer.Stop()
	}
}

func (all *streams) forget(s *stream) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if i := slices.Index(all.list, s); i >= 0 {
		all.list = slices.Delete(all.list, i, i+1)
	}
}

// add adds an event. One that cannot be encoded does not exist: all are plain values.
func (s *stream) add(name string, value any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ev, err := frame(name, s.id+"-"+strconv.Itoa(s.first+len(s.events)), value)
	if err != nil {
		s.cancel(err)
		return
	}
	s.push(ev)
	s.wake()
}

// push adds an event as it is sent. The caller has locked the stream.
func (s *stream) push(ev []byte) {
	s.events = append(s.events, ev)
	for s.size += len(ev); s.size > maxStreamBytes && len(s.events) > 1; s.first++ {
		s.size -= len(s.events[0])
		s.events = s.events[1:]
	}
}

// take adds events that another server has made. Before a gap nothing is kept: its
// readers are behind then.
func (s *stream) take(stored assistants.StoredStream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range stored.Events {
		switch next := s.first + len(s.events); {
		case e.Number < next:
			continue
		case e.Number > next:
			s.events, s.size, s.first = nil, 0, e.Number
		}
		s.push([]byte(e.Text))
	}
	s.wake()
}

// next is the number of the event after the last one.
func (s *stream) next() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.first + len(s.events)
}

// fail adds an error as the last event.
func (s *stream) fail(message string) {
	s.add("error", errorEvent{Type: "error", Code: codeService, Message: message, Results: []Result{}})
}

// wake tells the readers that there is more.
func (s *stream) wake() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// Why a reader cannot go on.
var (
	errBehind = errors.New("the reader is too slow: events were dropped before it had them")
	errLost   = errors.New("the server that made the answer has stopped, and events were lost that the reader has")
)

// from returns the events from a number on, whether they are the last ones, and a channel
// that is closed when there is more; errBehind when the first of them is gone. To go on
// behind the gap would hide it from the client. errLost: the stream has ended before it.
func (s *stream) from(n int) (events [][]byte, ended bool, changed <-chan struct{}, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n < s.first {
		return nil, s.ended, s.changed, errBehind
	}
	if s.ended && n > s.first+len(s.events) {
		return nil, s.ended, s.changed, errLost
	}
	return slices.Clone(s.events[min(n-s.first, len(s.events)):]), s.ended, s.changed, nil
}

// end ends the stream, which can be resumed for a while.
func (s *stream) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended, s.endedAt = true, time.Now()
	if s.timer != nil {
		s.timer.Stop()
	}
	s.timer = time.AfterFunc(s.all.timings.Resume, func() { s.all.forget(s) })
	s.wake()
}

// leave is called when a reader has left. Without readers the answer goes on for a while,
// unless the server drains.
func (s *stream) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch s.readers--; {
	case s.readers > 0 || s.ended:
	case s.drained:
		s.abandonLocked()
	default:
		s.timer = time.AfterFunc(s.all.timings.Grace, s.abandon)
	}
}

// abandon ends the answer if no client reads it.
func (s *stream) abandon() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.abandonLocked()
}

func (s *stream) abandonLocked() {
	if s.readers == 0 {
		s.cancel(errAbandoned)
	}
}

// drain ends the answer now, or when its last reader leaves.
func (s *stream) drain() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drained = true
	s.abandonLocked()
}
