package ingestion

import (
	"sync"
	"time"

	"footnote/assistants"
)

// maxLots is how many bytes of passages and vectors are kept between turns.
const maxLots = 64 << 20

// A lot is what has been embedded of a document so far: vectors of the first
// of its passages.
type lot struct {
	space   assistants.Space
	chunks  []assistants.Chunk
	vectors [][]float32
}

func (l lot) bytes() int {
	n := 4 * l.space.Dimensions * len(l.vectors)
	for _, c := range l.chunks {
		n += len(c.Text)
	}
	return n
}

// lots keeps lots of documents while others have their turn. What it cannot
// keep is not lost but embedded in one go.
type lots struct {
	mu   sync.Mutex
	kept map[assistants.JobID]lot
	size int
}

// keep keeps a job's lot until it is taken; false: there is no room for it.
func (l *lots) keep(id assistants.JobID, some lot) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := some.bytes()
	if n > maxLots {
		return false
	}
	if l.kept == nil || l.size+n > maxLots { // jobs that are gone never take theirs
		l.kept, l.size = map[assistants.JobID]lot{}, 0
	}
	l.kept[id] = some
	l.size += n
	return true
}

// take returns what was kept of a job, or nothing.
func (l *lots) take(id assistants.JobID) lot {
	l.mu.Lock()
	defer l.mu.Unlock()
	some := l.kept[id]
	delete(l.kept, id)
	l.size -= some.bytes()
	return some
}

// A pause is a time in which the embedder is left alone, because it did not
// answer: asking for every document in the queue would not help it.
type pause struct {
	mu       sync.Mutex
	failures int
	until    time.Time
}

// rest begins a pause that is the longer, the longer the embedder is away.
func (w *Worker) rest() {
	w.pause.mu.Lock()
	defer w.pause.mu.Unlock()
	if now := w.Now(); now.After(w.pause.until) || w.pause.failures == 0 {
		w.pause.failures++
		w.pause.until = now.Add(backoff(w.pause.failures))
	}
}

// rested ends all pauses.
func (w *Worker) rested() {
	w.pause.mu.Lock()
	defer w.pause.mu.Unlock()
	w.pause.failures, w.pause.until = 0, time.Time{}
}

func (w *Worker) resting() bool {
	w.pause.mu.Lock()
	defer w.pause.mu.Unlock()
	return w.Now().Before(w.pause.until)
}
