//go:build !nightly

package sandbox

// nightly is false: the slow tests run a sample.
const nightly = false
