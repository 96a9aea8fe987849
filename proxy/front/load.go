package front

import (
	"errors"
	"sync/atomic"
	"syscall"

	"github.com/prometheus/client_golang/prometheus"

	"footnote/proxy/apierr"
)

// reserved is the number of descriptors that chats leave free, so that health, metrics and
// the control API answer when no further chat can be taken.
const reserved = 32

// A load counts connections, chats and their bytes, and refuses more than the
// process can hold. Descriptors run out first: a chat needs two, one for the client
// and one for the upstream. Connections and chats may use 90 %, files the rest.
type load struct {
	usable   int64 // descriptors that connections and chats may use together; 0: unlimited
	memory   *memoryWatch
	conns    atomic.Int64 // of clients
	idle     atomic.Int64 // client connections that wait for the next request
	chats    atomic.Int64
	streams  atomic.Int64
	bytes    atomic.Int64 // of chat requests
	refusing atomic.Int64 // connections that are being refused

	answerBytes atomic.Int64 // memory that each answer's [Share] has taken
	refused     *prometheus.CounterVec

	closeIdle func() // closes idle connections; nil: the listener does not count them
}

// newLoad returns the load of a process with that limit of descriptors; 0: no limit.
func newLoad(descriptors int64) *load {
	return &load{
		usable: descriptors / 10 * 9, memory: newMemoryWatch(),
		refused: prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "footnote", Name: "refused_total",
			Help: "Requests and connections that were refused, by what was short."}, []string{"reason"}),
	}
}

// observe adds the load to the metrics.
func (l *load) observe(r prometheus.Registerer) {
	gauge := func(name, help string, value func() int64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: "footnote", Name: name, Help: help},
			func() float64 { return float64(value()) })
	}
	r.MustRegister(l.refused,
		gauge("client_connections", "Connections of clients that are open.", l.conns.Load),
		gauge("chats_in_flight", "Chats being answered, streams included.", l.chats.Load),
		gauge("streams_in_flight", "Streams being answered.", l.streams.Load),
		gauge("in_flight_bytes", "Bytes of the chat requests being answered.", l.bytes.Load),
		gauge("answer_bytes", "Memory of large answers that are read as a whole.", l.answerBytes.Load))
}

// connect counts a client's connection, unless there are too many. Unlike a chat, it
// may use the reserved descriptors.
func (l *load) connect() bool {
	n := l.conns.Add(1)
	if l.usable > 0 && n+l.chats.Load() > l.usable {
		l.conns.Add(-1)
		return false
	}
	return true
}

func (l *load) disconnect() { l.conns.Add(-1) }

// admit counts a chat, unless there are too many; leave ends it. It decides by
// counters alone, so that refusing is cheap.
func (l *load) admit() error {
	chats := l.chats.Add(1)
	// Without a listener that counts connections, assume one for each chat.
	most := max(l.usable-reserved, l.usable/2)
	conns := l.conns.Load()
	if l.usable > 0 && conns+chats > most && l.closeIdle != nil {
		l.closeIdle()
		conns = l.conns.Load()
	}
	switch {
	case l.usable > 0 && max(conns, chats)+chats > most:
		return l.refuse("descriptors")
	case l.memory.short():
		return l.refuse("memory")
	}
	return nil
}

func (l *load) refuse(reason string) error {
	l.chats.Add(-1)
	l.refused.WithLabelValues(reason).Inc()
	return apierr.Overloaded()
}

func (l *load) leave() { l.chats.Add(-1) }

// isExhausted reports whether a system call failed because no descriptors are left.
func isExhausted(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}
