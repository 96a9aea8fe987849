// Package dbtest is the contract of [Store] as tests. Every database must pass
// [Run] unchanged; a rule of a single database does not belong here. It imports
// assistants, nothing else of this module.
package dbtest

import (
	"testing"
)

// Run runs the suite, its tests in parallel. open returns an empty, migrated
// store that can keep secrets and is closed when the test ends; it is called
// once for each test.
func Run(t *testing.T, open func(t *testing.T) Store) {
	t.Parallel()
	for _, part := range []struct {
		name  string
		tests map[string]func(*testing.T, Store)
	}{
		{"assistants", assistantTests},
		{"settings", settingsTests},
		{"collections", collectionTests},
		{"documents", documentTests},
		{"versions", versionTests},
		{"hits", hitTests},
		{"filters", filterTests},
		{"keys", keyTests},
		{"upstreams", upstreamTests},
		{"jobs", jobTests},
		{"idempotency", idempotencyTests},
		{"meta", metaTests},
		{"text", textTests},
		{"methods", methodTests},
		{"attached", attachedTests},
	} {
		t.Run(part.name, func(t *testing.T) {
			t.Parallel()
			for name, test := range part.tests {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					test(t, open(t))
				})
			}
		})
	}
}
