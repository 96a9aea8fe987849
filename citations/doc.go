// Package citations is the heart of Footnote: it numbers sources, writes them
// into a prompt so that retrieved text stays data, finds the markers a model
// wrote, and says which source each stands for.
//
// FORMAT.md beside this file specifies the object, what is a marker and what
// is none; the tests read their cases from it.
//
// It obeys one rule: what it reports is in the text. A marker's offsets are its
// brackets, a referenced index has a source, nothing is filled in. It uses the
// standard library only and imports nothing of this module, so that it can be
// used and tested by itself.
package citations
