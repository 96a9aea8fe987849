// Package control is the control API under /v1.0: assistants, settings,
// documents, collections, upstreams and keys, and the texts and files that
// citations link to.
//
// Its rules: every route is an entry in the table of routes, and an entry
// without a requirement is closed. The form of an id is checked before the store
// is asked. What a key may not see answers like what does not exist. Bodies are
// read member by member, so that unknown members never reach a stored record.
//
// It must not import a database, an index or package proxy: cmd/footnote passes
// those in [Deps].
package control
