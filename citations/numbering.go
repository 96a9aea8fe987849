package citations

// Numbering says what gets a number of its own.
type Numbering string

// Numberings.
const (
	NumberChunks    Numbering = ""         // every passage
	NumberDocuments Numbering = "document" // every document: its passages share a number
)

// A ChunkRef names a passage of a document that shares one number.
type ChunkRef struct {
	ChunkID    string  `json:"chunk_id,omitempty"`
	ChunkIndex int     `json:"chunk_index"`
	PageNumber *int    `json:"page_number,omitempty"`
	CharStart  int     `json:"char_start"`
	CharEnd    int     `json:"char_end"`
	Score      float64 `json:"score"`
}

// number gives the passages their numbers and lists the sources. Passages of a
// document that shares a number come one behind the other, at the place of its first.
func (s *Set) number(passages []Source) {
	if s.opt.Numbering != NumberDocuments {
		for i := range passages {
			passages[i].complete(i + 1)
		}
		s.sources, s.passages = passages, passages
		return
	}
	places := map[string]int{} // of documents
	var groups [][]Source
	for _, p := range passages {
		place, known := places[p.DocumentID]
		if !known || p.DocumentID == "" { // what has no document stands for itself
			place = len(groups)
			places[p.DocumentID] = place
			groups = append(groups, nil)
		}
		p.complete(place + 1)
		groups[place] = append(groups[place], p)
	}
	s.sources, s.passages = make([]Source, 0, len(groups)), make([]Source, 0, len(passages))
	for _, group := range groups {
		s.sources = append(s.sources, documentOf(group))
		s.passages = append(s.passages, group...)
	}
}

// documentOf is the entry of a document: the fields of its best passage, and all of them.
func documentOf(group []Source) Source {
	best := group[0]
	chunks := make([]ChunkRef, len(group))
	for i, p := range group {
		if p.Score > best.Score {
			best = p
		}
		chunks[i] = ChunkRef{p.ChunkID, p.ChunkIndex, p.PageNumber, p.CharStart, p.CharEnd, p.Score}
	}
	best.Chunks = chunks
	return best
}
