//go:build nightly

package sandbox

// nightly selects the full set of the slow tests.
const nightly = true
