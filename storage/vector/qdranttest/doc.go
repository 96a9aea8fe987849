// Package qdranttest is an in-process Qdrant server for tests. It speaks real gRPC,
// stores nothing on disk, and validates requests as strictly as Qdrant: ids are
// UUIDs, vectors fit the collection, and a filter needs an index on its field. It
// also refuses writes without wait, because their caller cannot know whether they
// were done. It has only the calls that Footnote uses.
//
// It answers as Qdrant 1.15 documents (https://qdrant.tech/documentation), and
// imports nothing of this module.
package qdranttest
