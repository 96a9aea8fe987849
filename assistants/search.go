package assistants

import "time"

// A Space is where vectors may be compared: those that one model made with one
// number of dimensions. Its zero value is no space.
type Space struct {
	Model      string `json:"model"`
	Dimensions int    `json:"dimensions"`
}

// IsZero reports whether s is no space.
func (s Space) IsZero() bool { return s == Space{} }

// A Calibration turns the cosine of two vectors of a [Space] into a score: Low
// and what lies below is 0, High and what lies above is 1.
type Calibration struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Score is the calibrated cosine, 0–1. The zero Calibration is no calibration:
// cosines from 0 to 1 stay as they are.
func (c Calibration) Score(cosine float64) float64 {
	if c == (Calibration{}) {
		c.High = 1
	}
	return min(1, max(0, (cosine-c.Low)/(c.High-c.Low)))
}

// A Search is one question to an index: for words, for meaning, or for both.
type Search struct {
	Tenant      TenantID
	Collections []CollectionID // searched as one; weights of words are computed over all of them
	Documents   []DocumentID   // if not nil, only these are searched

	Terms []string // distinct, made by assistants/lexical; none: not searched for words

	Vector      []float32 // of length 1; none: not searched for meaning
	Space       Space     // of Vector; chunks without a vector in it are found by words only
	Calibration Calibration
	TextWeight  float64 // of the text score beside the vector score, 0–1

	Limit    int     // clamped to 1–MaxMatches
	MinScore float64 // matches below are left out
}

// Score is the one number that orders and bounds matches (CONTRACT 2.1):
// text is the text score, cosine that of the vectors. Only what is there counts.
func (s Search) Score(text, cosine float64, hasVector bool) float64 {
	switch {
	case len(s.Vector) == 0 || !hasVector && len(s.Terms) > 0:
		return text
	case !hasVector:
		return 0
	case len(s.Terms) == 0:
		return s.Calibration.Score(cosine)
	}
	return s.TextWeight*text + (1-s.TextWeight)*s.Calibration.Score(cosine)
}

// Found is what an index found: the best matches by descending score, and how
// long either way took.
type Found struct {
	Matches []Match
	Text    time.Duration
	Vector  time.Duration
}

// Indexed is what an index holds of a document.
type Indexed struct {
	Version int
	Spaces  []Space // in which every chunk of the version has a vector
}

// A QueryVector is a question as a vector.
type QueryVector struct {
	Vector []float32 // of length 1
	Space  Space
	Fit    float64 // 0–1: how well the model knows the question's words
	// Split is where the part of a second model begins, which knows languages
	// that the first, whose Fit it is, does not; 0 when there is none.
	Split int
}
