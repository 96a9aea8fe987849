package front

import (
	"runtime/debug"
	"time"

	"golang.org/x/sync/semaphore"

	"footnote/proxy/apierr"
)

const (
	// answerMemory is what answers may take together while they are read as a
	// whole. Half of GOMEMLIMIT is the most.
	answerMemory = 512 << 20
	// uncounted is what an answer takes without being counted: most take less.
	uncounted = 64 << 10
	// largeShare is how much memory is given back to the system at once, and
	// giveBackPause the least time between two times.
	largeShare    = 16 << 20
	giveBackPause = time.Second
)

func newAnswerBudget(cfg Config, memory *memoryWatch) *semaphore.Weighted {
	if cfg.MaxAnswerMemory == 0 {
		cfg.MaxAnswerMemory = answerMemory
	}
	return semaphore.NewWeighted(min(cfg.MaxAnswerMemory, memory.limit/2))
}

// A Share is the memory that one answer takes of what all may take together. It
// must be released.
type Share struct {
	front      *Front
	used, held int64
}

// NewShare returns a share that takes nothing yet.
func (f *Front) NewShare() *Share { return &Share{front: f} }

// Take takes n bytes more. Its error is for the client.
func (s *Share) Take(n int) error {
	s.used += int64(n)
	more := s.used - uncounted - s.held
	if more <= 0 {
		return nil
	}
	more = max(more, uncounted)
	if !s.front.answers.TryAcquire(more) {
		s.front.load.refused.WithLabelValues("answer_bytes").Inc()
		return apierr.Overloaded()
	}
	s.held += more
	s.front.load.answerBytes.Add(more)
	return nil
}

// Release gives the memory back.
func (s *Share) Release() {
	if s.held == 0 {
		return
	}
	s.front.answers.Release(s.held)
	s.front.load.answerBytes.Add(-s.held)
	if s.held >= largeShare && s.front.givesBack.CompareAndSwap(false, true) {
		// Go keeps freed memory for minutes when little else is allocated.
		time.AfterFunc(giveBackPause, func() {
			s.front.givesBack.Store(false)
			debug.FreeOSMemory()
		})
	}
	s.used, s.held = 0, 0
}
