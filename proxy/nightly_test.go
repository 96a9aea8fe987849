//go:build nightly

package proxy_test

// nightly says whether the exhaustive tests run in full.
const nightly = true
