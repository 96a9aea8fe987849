package sandbox

import (
	"sync"
	"time"
)

// A wall ends a child at a deadline. It extends the deadline by the time that the
// child waited for a processor, because the document is not to blame for a busy
// machine.
type wall struct {
	end    func()
	waited func() time.Duration
	most   time.Duration // the most that the deadline is extended in all
	slack  time.Duration // shorter waits do not extend the deadline

	mu       sync.Mutex
	timer    *time.Timer
	deadline time.Time
	given    time.Duration // how long the child had waited at the last change of the deadline
}

// newWall returns a wall whose deadline is Limits.Wall from now.
func (x *Extractor) newWall(pid int, end func()) *wall {
	l := x.cfg.Limits
	w := &wall{end: end, waited: func() time.Duration { return x.waited(pid) }, most: l.MaxWall, slack: l.Wall / 100}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.deadline = time.Now().Add(l.Wall)
	w.timer = time.AfterFunc(l.Wall, w.expire)
	return w
}

// set moves the deadline to d from now.
func (w *wall) set(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.given = w.waited()
	w.setDeadline(time.Now().Add(d))
}

// add extends the deadline by d.
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
