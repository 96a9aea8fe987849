// Package assistants is the domain of Footnote: assistants, their settings,
// their documents and chunks, the keys that may use them and the jobs that
// keep them in order. It names the things the other packages talk about and
// the [Store] that keeps them.
//
// It obeys one rule: it imports nothing else of this module, and no database,
// HTTP or model library. Adapters (storage/..., proxy/...) depend on it, never
// the other way round.
package assistants
