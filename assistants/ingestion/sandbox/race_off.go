//go:build !race

package sandbox

// raceDetector says whether this binary carries the race detector.
const raceDetector = false
