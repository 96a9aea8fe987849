package search

import (
	"context"
	"crypto/rand"
	"errors"
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

// A stream is the events of one answer.
type stream struct {
	all *streams
	id  string
	key assistants.KeyID
	in  request

	mu      sync.Mutex
	events  [][]byte
	first   int // number of events[0]
	size    int
	ended   bool
	readers int
	changed chan struct{} // closed when there is more
	cancel  context.CancelCauseFunc
	timer   *time.Timer // until it is abandoned or, when it has ended, forgotten
}

// begin returns a new stream that has one reader.
func (all *streams) begin(key assistants.KeyID, in request, cancel context.CancelCauseFunc) *stream {
	s := &stream{all: all, id: strings.ToLower(rand.Text()), key: key, in: in, readers: 1, changed: make(chan struct{}), cancel: cancel}
	all.mu.Lock()
	defer all.mu.Unlock()
	own := 0
	for _, o := range all.list {
		if o.key == key {
			own++
		}
	}
	drop := -1
	switch {
	case own >= maxStreamsPerKey:
		drop = slices.IndexFunc(all.list, func(o *stream) bool { return o.key == key })
	case len(all.list) >= maxStreams:
		drop = 0
	}
	if drop >= 0 { // it goes on for its readers, but cannot be resumed
		all.list = slices.Delete(all.list, drop, drop+1)
	}
	all.list = append(all.list, s)
	return s
}

// resume returns the stream of the same key and request in which a client has read up to
// an event, and the number of the next event.
func (all *streams) resume(last string, key assistants.KeyID, in request) (s *stream, next int, ok bool) {
	id, number, _ := strings.Cut(last, "-")
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 {
		return nil, 0, false
	}
	all.mu.Lock()
	defer all.mu.Unlock()
	i := slices.IndexFunc(all.list, func(o *stream) bool { return o.id == id && o.key == key && reflect.DeepEqual(o.in, in) })
	if i < 0 {
		return nil, 0, false
	}
	s = all.list[i]
	s.mu.Lock()
	defer s.mu.Unlock()
	if n+1 < s.first || n >= s.first+len(s.events) { // dropped, or never sent
		return nil, 0, false
	}
	s.readers++
	if s.timer != nil && !s.ended {
		s.timer.Stop()
	}
	return s, n + 1, true
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
	s.events = append(s.events, ev)
	for s.size += len(ev); s.size > maxStreamBytes && len(s.events) > 1; s.first++ {
		s.size -= len(s.events[0])
		s.events = s.events[1:]
	}
	s.wake()
}

// wake tells the readers that there is more.
func (s *stream) wake() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// errBehind says that events were dropped before a reader had them.
var errBehind = errors.New("the reader is too slow: events were dropped before it had them")

// from returns the events from a number on, whether they are the last ones, and a channel
// that is closed when there is more; errBehind when the first of them is gone. To go on
// behind the gap would hide it from the client.
func (s *stream) from(n int) (events [][]byte, ended bool, changed <-chan struct{}, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n < s.first {
		return nil, s.ended, s.changed, errBehind
	}
	return slices.Clone(s.events[min(n-s.first, len(s.events)):]), s.ended, s.changed, nil
}

// end ends the stream, which can be resumed for a while.
func (s *stream) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	if s.timer != nil {
		s.timer.Stop()
	}
	s.timer = time.AfterFunc(s.all.timings.Resume, func() { s.all.forget(s) })
	s.wake()
}

// leave is called when a reader has left. Without readers the answer goes on for a while.
func (s *stream) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.readers--; s.readers == 0 && !s.ended {
		s.timer = time.AfterFunc(s.all.timings.Grace, s.abandon)
	}
}

// abandon ends the answer if no client reads it.
func (s *stream) abandon() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.readers == 0 {
		s.cancel(errAbandoned)
	}
}
