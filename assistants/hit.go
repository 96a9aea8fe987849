package assistants

// A Match is what an index finds: a chunk and how well it fits. Scores lie in
// 0–1 and mean the same on any corpus (CONTRACT 2.1).
type Match struct {
	ChunkID    ChunkID
	DocumentID DocumentID
	Version    int
	TextScore  float64 // 0 when it was not searched for words
	Cosine     float64 // of the vectors, uncalibrated; 0 when there is none to compare
	Score      float64 // see [Search.Score]
}

// MaxMatches is the largest number of matches one search returns.
const MaxMatches = 50

// A Point is a chunk as an index stores it.
type Point struct {
	ChunkID ChunkID
	Index   int
	// Text is what is searched: the chunk's text, preceded by its heading path.
	Text string
}

// A Hit is a chunk with a score and the document it belongs to, ready to be
// numbered as a source.
type Hit struct {
	Chunk    Chunk
	Document Document
	Score    float64
	// RerankScore is what a model scored the passage, 0–10; nil: none was asked.
	RerankScore *float64
	// Given is the passage with those around it, for the model; nil: it stands alone.
	Given *Stretch
}

// A Stretch is passages that follow each other, as one text: the code points of
// the document from CharStart on, but for the white space between passages.
type Stretch struct {
	Text        string
	CharStart   int
	Page        int         // of the first character, 0: unknown
	PageStarts  []PageStart // pages that begin in it, its first one included
	TableHeader string      // of the table that it goes on with
}

// A PassageRange names chunks of a version by their index, both ends included.
type PassageRange struct {
	Document    DocumentID
	Version     int
	First, Last int
}
