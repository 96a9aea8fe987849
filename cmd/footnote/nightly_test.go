//go:build nightly

package main

// nightly says that every case is tried, not only the everyday sample.
const nightly = true
