package front

import (
	"errors"
	"sync/atomic"
	"syscall"

	"github.com/prometheus/client_golang/prometheus"

	"footnote/proxy/apierr"
)

// reserved are descriptors that chats leave free, so that health, metrics and
// the control API answer when no further chat can be taken.
const reserved = 32

// A load counts what the process holds, and refuses what it cannot hold.
// Descriptors are the first thing to run out: a chat needs two, the client's
// and the upstream's. 90 % of them are for connections and chats, the rest is for files.
type load struct {
	share   int64 // descriptors for connections and chats together; 0: no bound is known
	memory  *memoryWatch
	conns   atomic.Int64 // of clients
	idle    atomic.Int64 // connections of clients that only wait for a next request
	chats   atomic.Int64
	streams atomic.Int64
	bytes   atomic.Int64 // of chat requests
	away    atomic.Int64 // connections that are being turned away
	refused *prometheus.CounterVec

	closeIdle func() // closes idle connections; nil: the listener does not count them
}

// newLoad returns the load of a process with that limit of descriptors; 0: no limit.
func newLoad(descriptors int64) *load {
	return &load{
		share: descriptors / 10 * 9, memory: newMemoryWatch(),
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
		gauge("in_flight_bytes", "Bytes of the chat requests being answered.", l.bytes.Load))
}

// connect takes a place for a client's connection, and may use the places that chats
// leave free.
func (l *load) connect() bool {
	n := l.conns.Add(1)
	if l.share > 0 && n+l.chats.Load() > l.share {
		l.conns.Add(-1)
		return false
	}
	return true
}

func (l *load) disconnect() { l.conns.Add(-1) }

// admit takes a place for a chat; leave gives it back. It only reads counters,
// so that refusing stays cheap.
func (l *load) admit() error {
	chats := l.chats.Add(1)
	// A listener that does not count its connections has one for each chat.
	most := max(l.share-reserved, l.share/2)
	conns := l.conns.Load()
	if l.share > 0 && conns+chats > most && l.closeIdle != nil {
		l.closeIdle()
		conns = l.conns.Load()
	}
	switch {
	case l.share > 0 && max(conns, chats)+chats > most:
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

// isExhausted reports whether a system call failed for want of descriptors.
func isExhausted(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}
