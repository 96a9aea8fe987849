package citations

// Clean returns an answer's text without its markers and the numbers, from 1
// to sources, that they cite: distinct and ascending. Numbers that no source
// has are an *OrphanError, beside a result that is good all the same.
func Clean(text string, sources int) (clean string, cited []int, err error) {
	sources = min(max(sources, 0), maxNumber) // none has a larger number
	tracker := NewSet(make([]Source, sources), Options{Markers: MarkersStrip, Orphans: OrphansFail}).Tracker()
	clean = tracker.Write(0, text)
	clean += tracker.Close(0)
	result := tracker.Result()
	return clean, result.ReferencedIndices, result.Err()
}
