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
}
