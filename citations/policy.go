package citations

import (
	"errors"
	"fmt"
	"slices"
)

// ErrNoCitations means that the answer cites none of the sources it was given.
var ErrNoCitations = errors.New("citations: the answer cites none of its sources")

// An OrphanError lists markers that have no source.
type OrphanError struct {
	Markers []int // their numbers, distinct and ascending
	Sources int   // number of sources
}

// Error names the numbers.
func (e *OrphanError) Error() string {
	return fmt.Sprintf("citations: the answer cites %v of %d sources", e.Markers, e.Sources)
}

// Disclaimer is the warning of an answer whose citations could not be determined.
const Disclaimer = "Citations unavailable for this response. Please verify information manually."

// Err returns the error of the set's policies: an *OrphanError, ErrNoCitations or nil.
func (c *Citations) Err() error { return c.err }

// applyPolicies applies the policies to the citations of an answer. It may change r.
func (s *Set) applyPolicies(r *Citations) *Citations {
	if orphans := r.InvalidIndices; len(orphans) > 0 {
		switch s.opt.Orphans {
		case OrphansDisclaim:
			disclaimed := s.disclaimedResult(orphans)
			disclaimed.Sources = r.Sources // with the numbers of the text that the client already has
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

// disclaimedResult returns the object of an answer whose citations are unreliable.
func (s *Set) disclaimedResult(orphans []int) *Citations {
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

// firstOfEach returns the number of the first source of each document.
func firstOfEach(sources []Source) []int {
	list := []int{}
	for i := range sources {
		first := slices.IndexFunc(sources, func(o Source) bool { return o.DocumentID == sources[i].DocumentID && o.Brought == sources[i].Brought })
		if first == i {
			list = append(list, sources[i].Index)
		}
	}
	return list
}
