package access

import "time"

const (
	// exactGrains is how many grains a window has before it joins those that are
	// close together, which bounds its memory.
	exactGrains = 1024
	// joinWithin is the longest time between two events of one grain.
	joinWithin = 5 * time.Millisecond
)

// A window counts what happened within the latest stretch of time. It remembers
// when, so that no stretch of that length, wherever it begins, has more than the
// limit, and room is there the moment the oldest events leave. Its zero value is
// empty.
type window struct {
	grains []grain // oldest first
	sum    int
}

// A grain is what happened at one time. Events that were joined all count until
// the last of them leaves, so that the limit holds.
type grain struct {
	from, at time.Duration
	n        int
}

// expire forgets what is older than per.
func (w *window) expire(now, per time.Duration) {
	gone := 0
	for gone < len(w.grains) && w.grains[gone].at+per <= now {
		w.sum -= w.grains[gone].n
		gone++
	}
	if w.grains = w.grains[gone:]; len(w.grains) == 0 {
		w.grains = nil // so that the memory of a burst is given back
	}
}

// add counts n events.
func (w *window) add(now time.Duration, n int) {
	if n <= 0 {
		return
	}
	w.sum += n
	if last := len(w.grains) - 1; last >= 0 {
		g := &w.grains[last]
		if g.at >= now || last >= exactGrains && now-g.from < joinWithin {
			g.at, g.n = max(g.at, now), g.n+n
			return
		}
	}
	w.grains = append(w.grains, grain{now, now, n})
}

// wait is how long it takes until n more fit under the limit besides what is
// reserved; 0: they do now. What only the end of a reservation makes room for
// takes a second, because nobody knows when it ends. It must have been expired.
func (w *window) wait(now, per time.Duration, limit, reserved, n int) time.Duration {
	excess := w.sum + reserved + n - limit
	if excess <= 0 {
		return 0
	}
	for _, g := range w.grains {
		if excess -= g.n; excess <= 0 {
			return g.at + per - now
		}
	}
	if limit == 0 {
		return per
	}
	return time.Second
}

// reset is how long it takes until the window is empty. It must have been expired.
func (w *window) reset(now, per time.Duration) time.Duration {
	if len(w.grains) == 0 {
		return 0
	}
	return w.grains[len(w.grains)-1].at + per - now
}

// A clock tells how much time has passed. It never goes back: if the system's clock is
// set back, time goes on from where it was. It is not safe for concurrent use.
type clock struct {
	now    func() time.Time
	mark   time.Time
	passed time.Duration
}

func (c *clock) elapsed() time.Duration {
	now := c.now()
	c.passed += max(now.Sub(c.mark), 0)
	c.mark = now
	return c.passed
}
