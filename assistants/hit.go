package assistants

import (
	"slices"
	"time"
)

// A Point is a chunk as an index stores it.
type Point struct {
	ChunkID ChunkID
	Index   int
	// Text is the searched text: the heading path and the chunk's text.
	Text string
}

// A Hit is a chunk with a score and the document it belongs to, ready to be
// numbered as a source.
type Hit struct {
	Chunk    Chunk
	Document Document
	Score    float64
	// RerankScore is the model's score of the passage, 0–10; nil: not reranked.
	RerankScore *float64
	// Given is the passage with its neighbours, as the model gets it; nil:
	// without neighbours.
	Given *JoinedPassages
	// AlsoIn are places of other passages of the same search that have the same words.
	AlsoIn []Place
	// Memo keeps what is computed of the chunk and its document; nil: nothing is kept.
	Memo *Memo
}

// MaxPlaces is the largest number of places that a hit has besides its own.
const MaxPlaces = 5

// A Place is where a passage stands. Page is 0 if it is unknown.
type Place struct {
	Document DocumentID
	Name     string // of the document
	Page     int
}

// Place is where the hit stands.
func (h Hit) Place() Place { return Place{h.Document.ID, h.Document.Name, h.Chunk.Page} }

// DocumentsOf returns the documents of hits, each once, the best first.
func DocumentsOf(hits []Hit) []DocumentID {
	var ids []DocumentID
	for _, h := range hits {
		if !slices.Contains(ids, h.Document.ID) {
			ids = append(ids, h.Document.ID)
		}
	}
	return ids
}

// JoinedPassages are consecutive passages as one text: the code points of the document
// from CharStart on, without the white space between the passages.
type JoinedPassages struct {
	Text        string
	CharStart   int
	Page        int         // of the first character, 0: unknown
	PageStarts  []PageStart // pages that begin in it, including its first
	TableHeader string      // of the table that it continues
}

// A PassageRange names chunks of a version by their index, both ends included.
type PassageRange struct {
	Document    DocumentID
	Version     int
	First, Last int
}

// A DocumentName is what a document is called, and what it is.
type DocumentName struct {
	ID        DocumentID
	Name      string
	Profile   Profile // zero: none was made yet
	CreatedAt time.Time
	// Supersedes is the document that it replaces, whatever questions say.
	Supersedes DocumentID
	Revision   int64 // another one after every change of the document
}
