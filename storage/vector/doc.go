// Package vector keeps the index in which passages are found. [Embedded] is the
// index inside the program, [Qdrant] one on a server of that name; both have the
// same methods and pass the same suite (vectortest.Run). What follows is about
// the first, but for the scores.
//
// # What is kept
//
// An SQLite file of its own is the durable truth: one row per document, holding
// the terms of all its chunks and the version they belong to, and one for its
// vectors in each space, with checksums. It is read into memory at start, where
// every collection has its own posting lists and vectors, so that no other
// collection's words move its scores or are ever seen. The index can always be
// built anew from the store: a file that is damaged or written under other rules
// is moved aside, a damaged row is dropped, and [Embedded.Versions] then lacks
// those documents, or those vectors.
//
// A document is replaced as a whole: a search sees all of its old chunks or all
// of its new ones. Its vectors go with what they were made of; new ones come
// later, and until then it is found by its words. Vectors of several spaces may
// be there at once, of which a search sees those of its own.
//
// # How it is searched
//
// Words: each term has a list of postings, with bounds of what the term can bring
// to the score of any chunk, and of any in a block of the list. A search passes
// over what cannot come among the best any more.
//
// Vectors: each is kept as it is and as codes of a byte, in memory outside the
// garbage collector's sight. A search reads the codes of all, and for each knows
// how far the cosine may be from what they say; the few that may be among the
// nearest are compared as they are.
//
// Either way finds what comparing everything would find. Documents that are asked
// for alone are found without reading the others.
//
// # Scores
//
// The text score is min(1, BM25 sum ÷ sum of the idf of all the terms asked for),
// over the collections searched taken as one. With N chunks of L words on
// average, a term found in n of them, tf times in a chunk of l words:
//
//	idf  = ln(1 + (N+1)/(n+1))
//	bm25 = idf · tf·(k1+1) / (tf + k1·(1 − b + b·l/L))     k1 = 1.2, b = 0.5
//
// This idf is positive and bends gently, so that in a collection of a few chunks
// a word which they all share still counts beside one that none has. A chunk of
// average length that has every term once scores 1; terms that no chunk has
// weigh most of all, which keeps foreign questions under the threshold. A term of
// the document's name counts as half an occurrence in each of its chunks, and a
// compound as one of each of its parts that the document has as a word of its own
// (lexical.Parts).
//
// A search for words and meaning takes the best of either side, at least a
// hundred, gives each the score of the other side as well, and orders them by
// assistants.Search.Score. Cosines are those of the vectors as they were given.
//
// The package imports of ours only assistants and assistants/lexical.
package vector
