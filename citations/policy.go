package citations

import (
	"errors"
	"fmt"
	"slices"
)

// OrphanPolicy says what a marker without a source does to the object.
type OrphanPolicy string

// Orphan policies.
const (
	OrphansDrop     OrphanPolicy = ""         // it is listed as invalid
	OrphansDisclaim OrphanPolicy = "disclaim" // nothing counts as cited
	OrphansFail     OrphanPolicy = "error"    // Err is an *OrphanError
)

// NoMarkerPolicy says what becomes of an answer that cites none of its sources.
type NoMarkerPolicy string

// Policies for answers that cite nothing.
const (
	NoMarkerEmpty      NoMarkerPolicy = ""            // it says so
	NoMarkerAllSources NoMarkerPolicy = "all_sources" // one source of each document is referenced
	NoMarkerFail       NoMarkerPolicy = "fail"        // Err is ErrNoCitations
)

// ErrNoCitations says that the answer cites none of the sources it was given.
var ErrNoCitations = errors.New("citations: the answer cites none of its sources")

// An OrphanError tells of markers that no source has.
type OrphanError struct {
	Markers []int // their numbers, distinct and ascending
	Sources int   // how many there are
}

// Error names the numbers.
func (e *OrphanError) Error() string {
	return fmt.Sprintf("citations: the answer cites %v of %d sources", e.Markers, e.Sources)
}

// Disclaimer is the warning of an answer whose citations cannot be told.
const Disclaimer = "Citations unavailable for this response. Please verify information manually."

// Err is what the set's policies make of the answer: an *OrphanError,
// ErrNoCitations or nil.
func (c *Citations) Err() error { return c.err }

// judged applies the policies to what an answer cites.
func (s *Set) judged(r *Citations) *Citations {
	if orphans := r.InvalidIndices; len(orphans) > 0 {
		switch s.opt.Orphans {
		case OrphansDisclaim:
			disclaimed := s.disclaimed(orphans)
			disclaimed.Sources = r.Sources // by the numbers that the text went out with
			return disclaimed
		case OrphansFail:
			r.err = &OrphanError{Markers: orphans, Sources: len(s.sources)}
			return r
		}
	}
	if r.Status == StatusNone {
		switch s.opt.NoMarkers {
		case NoMarkerAllSources:
			r.AutoPopulated = true
			r.ReferencedIndices = firstOfEach(r.Sources)
		case NoMarkerFail:
			r.err = ErrNoCitations
		}
	}
	return r
}

// disclaimed is the object of an answer whose citations cannot be relied on.
func (s *Set) disclaimed(orphans []int) *Citations {
	r := s.result(StatusError)
	if orphans != nil {
		r.InvalidIndices = orphans
	}
	r.Confidence.Confidence, r.ConfidencePercent, r.ConfidenceLevel = 0.5, 50, LevelMedium
	if !slices.Contains(r.Warnings, Disclaimer) {
		r.Warnings = append(r.Warnings, Disclaimer)
	}
	return r
}

// firstOfEach are the numbers of the first source of each document.
func firstOfEach(sources []Source) []int {
	list := []int{}
	for i := range sources {
		first := slices.IndexFunc(sources, func(o Source) bool { return o.DocumentID == sources[i].DocumentID })
		if first == i {
			list = append(list, sources[i].Index)
		}
	}
	return list
}
