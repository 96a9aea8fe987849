// Package front stands between the clients and the handlers: it bounds what
// clients can hold open, how slowly they may send, and how much memory their
// requests take together.
//
// It obeys one rule: refusing is cheaper than serving, because a server refuses
// most when it has the least to spare. It knows HTTP and error objects, but
// neither assistants nor upstreams.
package front

import (
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/semaphore"
)

// Config holds the bounds of a front.
type Config struct {
	Timings
	MaxBodyBytes     int64 // of one request that ReadJSON reads
	MaxInFlightBytes int64 // of all of them together
	MaxAnswerMemory  int64 // that answers take together while they are read as a whole; 0: 512 MiB
	Descriptors      int64 // that the process may have; 0: what the system says
}

// Timings bound how long a client may take. Zero values become the defaults.
type Timings struct {
	Write time.Duration // without progress to the client; 30 s
	Body  time.Duration // for the client to send a request's body; 60 s
	Pace  time.Duration // for each 10 KiB of the body; 10 s
	// Upload is for each 60 KiB of a form with files, which may take any time in all; 60 s.
	Upload time.Duration
}

// WithDefaults returns t with the defaults in place of zero values.
func (t Timings) WithDefaults() Timings {
	set := func(d *time.Duration, v time.Duration) {
		if *d == 0 {
			*d = v
		}
	}
	set(&t.Write, 30*time.Second)
	set(&t.Body, 60*time.Second)
	set(&t.Pace, 10*time.Second)
	set(&t.Upload, 60*time.Second)
	return t
}

// A Front counts what the clients hold and refuses what the process cannot
// hold. It is safe for concurrent use.
type Front struct {
	cfg    Config
	log    *slog.Logger
	load   *load
	memory *semaphore.Weighted // for requests

	answers   *semaphore.Weighted // the memory of answers
	givesBack atomic.Bool         // memory is about to be given back to the system
}

// New returns a front with these bounds.
func New(cfg Config, log *slog.Logger) *Front {
	cfg.Timings = cfg.Timings.WithDefaults()
	if cfg.Descriptors == 0 {
		cfg.Descriptors = descriptorLimit()
	}
	load := newLoad(cfg.Descriptors)
	return &Front{
		cfg: cfg, log: log, load: load, memory: semaphore.NewWeighted(cfg.MaxInFlightBytes),
		answers: newAnswerBudget(cfg, load.memory),
	}
}

// Observe adds the load to the metrics.
func (f *Front) Observe(r prometheus.Registerer) { f.load.observe(r) }

// Admit takes a place for a request that asks a model; [Front.Leave] gives it
// back. When there is none it returns the error for the client and gives up
// the client's connection.
func (f *Front) Admit(c *gin.Context) error {
	err := f.load.admit()
	if err != nil {
		c.Header("Connection", "close")
	}
	return err
}

// Leave gives the place of an admitted request back.
func (f *Front) Leave() { f.load.leave() }

// StreamStarted counts a stream until StreamEnded.
func (f *Front) StreamStarted() { f.load.streams.Add(1) }

// StreamEnded ends what StreamStarted began.
func (f *Front) StreamEnded() { f.load.streams.Add(-1) }
