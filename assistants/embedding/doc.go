// Package embedding makes vectors of texts: the built-in embedder runs
// all-MiniLM-L6-v2 (384 dimensions, English, Apache-2.0) in this process, with
// its own WordPiece tokenizer and forward pass, over an assembly kernel where
// the processor has AVX2 and FMA and over plain Go elsewhere. A [Pair] adds a second
// model, universal-sentence-encoder-multilingual 3 (512 dimensions, 16 languages,
// Apache-2.0), with its SentencePiece tokenizer, over the same kernels. Only this package
// knows that there are two models: others see one vector of a question, which can be
// adapted to the documents. The program does not contain weights: [Import] makes a file of
// them that can be mapped. Without it, [None] explains what is missing. [Cached] caches
// the vectors of any [Maker].
//
// The rule it obeys: a vector has length 1 and depends on the model and the
// text alone, never on what else is embedded at the time. Questions go before
// passages. It may import the domain and nothing else of this module.
package embedding
