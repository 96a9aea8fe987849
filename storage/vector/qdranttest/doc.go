// Package qdranttest is a Qdrant server for tests, inside the process: real
// gRPC, no persistence, and as strict as the real one in what it takes. Ids are
// UUIDs, vectors and dimensions must be those of the collection, a field that is
// filtered by must have an index of its kind. In one thing it is stricter: a
// write that does not ask to wait is refused, because its caller cannot
// know whether it was done. What Footnote does not use is not there.
//
// It answers as Qdrant 1.15 documents (https://qdrant.tech/documentation), and
// imports nothing of this module.
package qdranttest
