//go:build !nightly

package db

// nightly makes tests try everything instead of a sample.
const nightly = false
