// Package assistants is the domain of Footnote: assistants, their settings,
// documents and chunks, the keys that may use them, and the jobs that process
// the documents. It defines the types that packages exchange.
//
// It imports nothing of this module but its own subpackages, and no database,
// HTTP or model library. Adapters (storage/..., proxy/...) depend on it, never
// the reverse. Interfaces are declared by the packages that use them.
package assistants
