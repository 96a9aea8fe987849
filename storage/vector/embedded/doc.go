// Package embedded is the index inside the program.
//
// # What is kept
//
// The index is durable in a SQLite file of its own. The file has one row for each
// document, with the terms of all its chunks and their version, and one row for its
// vectors in each space, with checksums. At the start the file is read into memory,
// where every collection has its own posting lists and vectors. So one collection
// never changes the scores of another and never shows in its results.
//
// The index can always be rebuilt from the store. A file that is damaged, or was
// written under other rules, is moved aside, and a damaged row is dropped.
// [Index.Versions] then lacks those documents, or those vectors.
//
// A document is replaced as a whole: a search sees all of its old chunks or all
// of its new ones. Its vectors go with it. New ones come later, and until then
// the document is found by its words. A document can have vectors of several
// spaces; a search sees those of its own space.
//
// # How it is searched
//
// Words: each term has a list of postings, with bounds of what the term can add
// to the score of any chunk, and of any chunk in a block of the list. A search
// skips what cannot be among the best any more.
//
// Vectors: each is kept as floats and as codes of one byte per number, outside
// the memory that the garbage collector scans. A search reads the codes of all
// vectors, with a bound of how far each cosine can be from what they say. It
// compares the floats of the few that can be among the nearest.
//
// Both ways find what comparing everything would find. A search within named
// documents reads only those.
//
// The package imports assistants, assistants/lexical, storage/vector and
// storage/vector/dot only.
package embedded
