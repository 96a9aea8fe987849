package ingestion

import (
	"sync"

	"footnote/assistants"
)

// maxPartialBytes limits the passages and vectors that are kept between turns.
const maxPartialBytes = 64 << 20

// A partialEmbedding holds the vectors of a document's first passages.
type partialEmbedding struct {
	space   assistants.Space
	chunks  []assistants.Chunk
	vectors [][]float32
}

func (p partialEmbedding) bytes() int {
	n := 4 * p.space.Dimensions * len(p.vectors)
	for _, c := range p.chunks {
		n += len(c.Text)
	}
	return n
}

// partialEmbeddings keeps unfinished embeddings while other documents have
// their turn. A document that does not fit is embedded without a pause.
// Nothing is evicted: many large documents would otherwise evict each other
// and none of them would ever be finished.
type partialEmbeddings struct {
	mu   sync.Mutex
	kept map[assistants.DocumentID]partialEmbedding
	size int
}

// keep stores a document's partial embedding until it is taken. It returns
// false when there is no room.
func (l *partialEmbeddings) keep(id assistants.DocumentID, p partialEmbedding) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	size := l.size - l.kept[id].bytes() + p.bytes()
	if size > maxPartialBytes {
		return false
	}
	if l.kept == nil {
		l.kept = map[assistants.DocumentID]partialEmbedding{}
	}
	l.kept[id], l.size = p, size
	return true
}

// take removes and returns a document's partial embedding, or an empty one.
func (l *partialEmbeddings) take(id assistants.DocumentID) partialEmbedding {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.kept[id]
	delete(l.kept, id)
	l.size -= p.bytes()
	return p
}
