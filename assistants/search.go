package assistants

import "time"

// A Space is a model and a number of dimensions. Only vectors of one space can
// be compared. The zero value is not a space.
type Space struct {
	Model      string `json:"model"`
	Dimensions int    `json:"dimensions"`
}

// IsZero reports whether s is the zero value.
func (s Space) IsZero() bool { return s == Space{} }

// A Calibration maps the cosine of two vectors of a [Space] to a score: Low and
// below is 0, High and above is 1.
type Calibration struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Score returns the calibrated cosine, 0–1. The zero Calibration keeps cosines
// from 0 to 1 as they are.
func (c Calibration) Score(cosine float64) float64 {
	if c == (Calibration{}) {
		c.High = 1
	}
	return min(1, max(0, (cosine-c.Low)/(c.High-c.Low)))
}

// A Search is a query of an index: by words, by vector, or both.
type Search struct {
	Tenant      TenantID
	Collections []CollectionID // word weights are computed over all of them together
	Documents   []DocumentID   // not nil: only these are searched

	Terms []string // distinct, made by assistants/lexical; none: no search by words
	// Wordings are other ways to word Terms. The best one is the text score of a chunk.
	Wordings [][]string

	Vector      []float32 // of length 1; none: no search by vector
	Space       Space     // of Vector; chunks without a vector in this space are found by words only
	Calibration Calibration
	TextWeight  float64 // of the text score, 0–1; the vector score has the rest

	Limit    int     // clamped to 1–MaxMatches
	MinScore float64 // matches below are left out
}

// Score combines the text score and the cosine into the number that matches are
// ordered and filtered by. A missing one is left out.
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

// Found is an index's answer: the best matches by descending score, and how long
// the searches took.
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
	// Trust is how much of the vector score's weight the vector deserves, 0–1. The
	// question's words get the rest.
	Trust float64
	// CosineScale is what the bounds of the space's calibration are multiplied by
	// for this vector. 0: they are not changed.
	CosineScale float64
	// Adapt returns the vector for documents that contain this share, 0–1, of the
	// question's words. nil: one vector serves all documents.
	Adapt func(knownWords float64) QueryVector
}

// Calibration returns the calibration of the vector's cosines. c is the calibration
// of its space.
func (v QueryVector) Calibration(c Calibration) Calibration {
	if v.CosineScale == 0 {
		return c
	}
	return Calibration{Low: c.Low * v.CosineScale, High: c.High * v.CosineScale}
}

// A Match is a chunk that an index found, with its scores. Scores are between 0
// and 1 and mean the same for every corpus.
type Match struct {
	ChunkID    ChunkID
	DocumentID DocumentID
	Version    int
	TextScore  float64 // 0 unless words were searched for
	Cosine     float64 // of the vectors, uncalibrated; 0 without vectors
	Score      float64 // see [Search.Score]
}

// MaxMatches is the largest number of matches one search returns.
const MaxMatches = 50
