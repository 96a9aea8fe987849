package citations

// Clean removes the markers from an answer and returns the numbers from 1 to sources
// that they cite, distinct and ascending. If a marker has another number, the error
// is an *OrphanError, and the other results are still valid.
//
// The server does the same with a Tracker, because its answers come in pieces. Clean is
// for programs that use this package alone and have the whole answer.
func Clean(text string, sources int) (clean string, cited []int, err error) {
	sources = min(max(sources, 0), maxNumber) // there are no larger numbers
	tracker := NewSet(make([]Source, sources), Options{Markers: MarkersStrip, Orphans: OrphansFail}).Tracker()
	clean = tracker.Write(0, text)
	clean += tracker.Close(0)
	result := tracker.Result()
	return clean, result.ReferencedIndices, result.Err()
}
