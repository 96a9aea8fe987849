//go:build !nightly

package ingestion

// everyWrite is the distance between the writes at which the crash tests fail:
// the everyday run takes a sample.
const everyWrite = 3
