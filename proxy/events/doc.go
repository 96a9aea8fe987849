// Package events keeps the latest changes of documents for clients that follow them.
//
// Its rules: publishing a change never waits for a reader; memory is bounded, however
// slowly a client reads; a client that has missed a change is told so. The package keeps
// which documents have changed, not how: readers look up the present state. It imports
// the domain package and nothing else of this module.
package events
