// Package embedding makes vectors of texts: the built-in embedder runs
// all-MiniLM-L6-v2 (384 dimensions, English, Apache-2.0) in this process, with
// its own WordPiece tokenizer and forward pass, over an assembly kernel where
// the processor has AVX2 and FMA and over plain Go elsewhere. A second model may
// stand beside it in a [Pair]: universal-sentence-encoder-multilingual 3 (512
// dimensions, 16 languages, Apache-2.0), with its SentencePiece tokenizer, over
// the same kernels. Weights are no part of the program: [Import] makes one file
// of those of a model, ready to be mapped, and without that of the first there
// is [None], which says so. [Cached] stands before whatever makes the vectors
// and remembers them.
//
// The rule it obeys: a vector has length 1 and depends on the model and the
// text alone, never on what else is embedded at the time. Questions go before
// passages. It may import the domain and nothing else of this module.
package embedding
