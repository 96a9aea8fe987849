//go:build nightly

package ingestion

// everyWrite is the distance between the writes at which the crash tests fail:
// the nightly run takes all.
const everyWrite = 1
