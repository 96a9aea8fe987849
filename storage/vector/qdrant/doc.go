// Package qdrant is the index on a Qdrant server, version 1.15 or later. Its
// scores are those of package embedded.
//
// The package imports assistants and storage/vector only, and is the only one
// that knows the server's client library.
package qdrant
