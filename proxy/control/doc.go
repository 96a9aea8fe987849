// Package control is the control API under /v1.0: assistants, settings,
// documents, keys, and the answers an operator or a reader of citations needs.
//
// Its rules: a route does not exist without an entry in the table of routes,
// and an entry that names no requirement lets nobody in; an id is checked for
// its form before anything is asked of the store; what a key may not see
// answers exactly as what does not exist; a body is read member by member, so
// that nothing a client invents reaches a stored record. It must not import a
// database, an index or package proxy: cmd/footnote hands those in through
// [Deps].
package control
