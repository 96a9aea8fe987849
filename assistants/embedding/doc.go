// Package embedding makes vectors of texts: the built-in embedder runs
// all-MiniLM-L6-v2 (384 dimensions, English, Apache-2.0) in this process, with
// its own WordPiece tokenizer and forward pass, over an assembly kernel where
// the processor has AVX2 and FMA and over plain Go elsewhere. Its weights are
// no part of the program: [Import] makes one file of them, ready to be mapped,
// and without that file there is [None], which says so. [Cached] stands before
// whatever makes the vectors and remembers them.
//
// The rule it obeys: a vector has length 1 and depends on the model and the
// text alone, never on what else is embedded at the time. Questions go before
// passages. It may import the domain and nothing else of this module.
package embedding
