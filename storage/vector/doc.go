// Package vector is what the indexes share: how a document is split into terms,
// how a chunk is scored, and which input is refused. The indexes are
// storage/vector/embedded, inside the program, and storage/vector/qdrant, on a
// server. Both pass the same suite, storage/vector/vectortest.
//
// # Scores
//
// The text score is min(1, BM25 sum ÷ sum of the IDF of the rarest terms of the question,
// eight of them and a third of those beyond 16), over the collections searched taken as one. A long
// question says more than any passage, so the other terms add to the score and are not needed for it. With
// N chunks of L words on average, a term found in n of them, tf times in a chunk of l words:
//
//	idf  = ln(1 + (N+1)/(n+1))
//	bm25 = idf · tf·(K1+1) / (tf + K1·(1 − B + B·l/L))     K1 = 1.2, B = 0.5
//
// This IDF is positive and bends gently, so that in a collection of a few chunks
// a word which they all share still counts next to one that none has. A chunk of
// average length that has every term once scores 1. Terms that no chunk has weigh
// most, which keeps unrelated questions under the threshold. A term of the
// document's name counts as half an occurrence in each of its chunks. A compound
// counts as one occurrence of each of its parts that the document has as a word
// of its own (lexical.Parts). Of several wordings of a question the best one counts.
//
// A search for words and meaning takes the best chunks of either search, at least
// MinCandidates, gives each the score of the other search as well, and orders them
// by assistants.Search.Score. Cosines are those of the vectors as they were given.
//
// The package imports assistants and assistants/lexical only.
package vector
