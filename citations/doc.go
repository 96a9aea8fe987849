// Package citations is the core of Footnote: it numbers sources, writes them into a
// prompt so that retrieved text stays data, finds the markers that a model wrote,
// and resolves each to its source.
//
// FORMAT.md in this folder specifies the object and the markers; the tests read
// their cases from it.
//
// It obeys one rule: everything it reports is in the text. The offsets of a marker
// are its brackets, a referenced index has a source, and nothing is filled in. It
// imports the standard library and citations/support only, so that it can be used
// and tested alone.
package citations
