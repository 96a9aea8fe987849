package sandbox

import (
	"sync"
	"time"
)

// A wall ends a child whose time is up. It gives the time back that the child
// waited for a processor: on a busy machine that is no fault of the document.
type wall struct {
	end    func()
	waited func() time.Duration
	most   time.Duration // that can be given back
	slack  time.Duration // too little to be given back

	mu       sync.Mutex
	timer    *time.Timer
	deadline time.Time
	given    time.Duration // back so far
}

// newWall returns a wall at Limits.Wall from now.
func (x *Extractor) newWall(pid int, end func()) *wall {
	l := x.cfg.Limits
	w := &wall{end: end, waited: func() time.Duration { return x.waited(pid) }, most: l.MaxWall, slack: l.Wall / 100}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.deadline = time.Now().Add(l.Wall)
	w.timer = time.AfterFunc(l.Wall, w.expire)
	return w
}

// set moves the wall to d from now.
func (w *wall) set(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.given = w.waited()
	w.setDeadline(time.Now().Add(d))
}

// add moves the wall by d.
func (w *wall) add(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.setDeadline(w.deadline.Add(d))
}

func (w *wall) setDeadline(deadline time.Time) {
	w.deadline = deadline
	w.timer.Reset(time.Until(deadline))
}

func (w *wall) expire() {
	w.mu.Lock()
	defer w.mu.Unlock()
	waited := min(w.waited(), w.most)
	if back := waited - w.given; back > w.slack {
		w.given = waited
		w.setDeadline(w.deadline.Add(back))
		return
	}
	w.end()
}

func (w *wall) stop() { w.timer.Stop() }
