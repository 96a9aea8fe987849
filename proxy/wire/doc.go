// Package wire reads and edits OpenAI objects as raw bytes.
//
// Its rule: nothing is ever decoded and encoded again. A request, an answer or
// a stream frame keeps every byte that was not edited, with its white space,
// key order, large integers, escapes and unknown fields; an edit replaces or
// inserts exactly the bytes of the named field. Only what is read is validated.
//
// The package imports nothing else of this module and knows nothing of HTTP.
package wire
