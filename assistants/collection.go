package assistants

import "time"

// A Collection is a set of documents that are searched together. Every
// assistant has one of its own, which others may be allowed to read.
//
// Its documents are embedded in one [Space], so that their vectors can be
// compared. While they are embedded anew, Next is the space they go to; Space
// answers until all of them are there.
type Collection struct {
	ID          CollectionID
	TenantID    TenantID
	AssistantID AssistantID // whose own it is
	Name        string      // the assistant's
	Space       Space       // zero: nothing has been embedded yet
	Calibration Calibration // of Space
	Calibrated  int         // passages that were embedded when the calibration was worked out; 0: it never was
	Next        Space       // zero: it is not being embedded anew
	CreatedAt   time.Time
}

// Target is the space that documents are to be embedded in; zero: any.
func (c Collection) Target() Space {
	if !c.Next.IsZero() {
		return c.Next
	}
	return c.Space
}

// Takes reports whether vectors of a space may be added to the collection.
func (c Collection) Takes(s Space) bool { return c.Target().IsZero() || c.Target() == s }

// Lacks reports whether a version that answers has still to be embedded.
func (c Collection) Lacks(v Version) bool {
	if !c.Next.IsZero() {
		return v.Next != c.Next
	}
	return v.Space.IsZero()
}

// A CollectionUse counts what is in a collection.
type CollectionUse struct {
	Documents int
	Text      int // documents that are found by their words only
	Full      int // documents that are found by their meaning, too
	Next      int // documents that have been embedded in the next space
	Passages  int // of the documents that answer
	Embedded  int // of those in Full
	Queued    int // documents that wait to be embedded
}

// calibrations are those of models that were measured.
var calibrations = map[string]Calibration{
	// The built-in embedder: passages that have nothing to do with a question
	// lie about 0, those that answer it between 0.4 and 0.8.
	"all-MiniLM-L6-v2": {Low: 0.1, High: 0.7},
	// With the multilingual one beside it, whose cosines lie as far apart: those of
	// passages in another language than the question between 0.2 and 0.5.
	"all-MiniLM-L6-v2+use-multilingual-3": {Low: 0.1, High: 0.7},
}

// KnownCalibration is the calibration of a model that was measured; for others
// it is worked out from a sample of the collection.
func KnownCalibration(model string) (c Calibration, ok bool) {
	c, ok = calibrations[model]
	return c, ok
}
