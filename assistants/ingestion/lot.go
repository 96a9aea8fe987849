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

// lots keeps lots of documents while others have their turn. For one that it
// has no room for there are no turns: it is embedded in one go. Nothing that is
// kept makes room for another, or many large documents would take each other's
// room for ever and none of them would come to its end.
type lots struct {
	mu   sync.Mutex
	kept map[assistants.DocumentID]lot
	size int
}

// keep keeps a document's lot until it is taken; false: there is no room for it.
func (l *lots) keep(id assistants.DocumentID, some lot) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	size := l.size - l.kept[id].bytes() + some.bytes()
	if size > maxLots {
		return false
	}
	if l.kept == nil {
		l.kept = map[assistants.DocumentID]lot{}
	}
	l.kept[id], l.size = some, size
	return true
}

// take returns what was kept of a document, or nothing.
func (l *lots) take(id assistants.DocumentID) lot {
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
