package citations

import (
	"math"
	"slices"
)

// Status says what became of citing in an answer (CONTRACT 2.1, FORMAT.md).
const (
	StatusCited       = "cited"       // the answer cites sources
	StatusNone        = "none"        // sources were given, none is cited
	StatusNoSources   = "no_sources"  // nothing relevant was found
	StatusSkipped     = "skipped"     // retrieval or scanning did not run
	StatusUnavailable = "unavailable" // retrieval failed
	StatusError       = "error"       // what it cites cannot be told
)

// A Citations is the object that an answer gets.
type Citations struct {
	Status            string   `json:"status"`
	Sources           []Source `json:"sources"`
	ReferencedIndices []int    `json:"referenced_indices"`
	Markers           []Marker `json:"markers"`
	Truncated         bool     `json:"truncated,omitempty"` // more than MaxMarkers were written
	InvalidIndices    []int    `json:"invalid_indices"`
	// AutoPopulated: nothing was cited, and the referenced indices were filled in by policy.
	AutoPopulated bool `json:"auto_populated,omitempty"`
	// Coverage is the share of the factual sentences that carry a marker; nil when nothing was scanned.
	Coverage *float64 `json:"coverage,omitempty"`
	Confidence
	OffsetUnit OffsetUnit `json:"offset_unit"`
	Warnings   []string   `json:"warnings"`

	err      error       // of the policies
	unlisted []Marker    // those beyond MaxMarkers that may cite something first
	ends     map[int]int // lengths of the choices' texts, in the unit
}

// A Marker is one marker in the answer. Offsets are half open, in the object's
// offset_unit, in the text the client received.
type Marker struct {
	Choice     int   `json:"choice"`
	Start      int   `json:"start"`
	End        int   `json:"end"`
	Indices    []int `json:"indices"`           // those with a source
	Invalid    []int `json:"invalid,omitempty"` // those without
	ClaimStart int   `json:"claim_start"`       // the sentence it stands in or after
	ClaimEnd   int   `json:"claim_end"`
	// Support is what the check of the claim against the cited sources gave, "" when it was not checked.
	Support      string   `json:"support,omitempty"`
	SupportScore *float64 `json:"support_score,omitempty"` // 0–1
	Quote        *Quote   `json:"quote,omitempty"`         // the passage that carries the claim
}

// Levels of confidence.
const (
	LevelHigh   = "high"
	LevelMedium = "medium"
	LevelLow    = "low"
)

// methodProxy: the mean relevance stands in for the similarity of question and answer.
const methodProxy = "relevance_proxy"

// methodEmbedding: the similarity is that of vectors of question and answer.
const methodEmbedding = "embedding"

// Confidence says how well an answer is covered by what it cites, 0–1, with
// the factors it was computed from.
type Confidence struct {
	Confidence        float64 `json:"confidence"` // three decimals
	ConfidencePercent int     `json:"confidence_percent"`
	ConfidenceLevel   string  `json:"confidence_level"`
	ConfidenceFactors Factors `json:"confidence_factors"`
}

// Factors are the parts of a confidence.
type Factors struct {
	Relevance  float64 `json:"relevance"`  // mean score of the cited sources
	Sources    float64 `json:"sources"`    // 0.3, 0.6 or 1 for one, two or more cited sources
	Similarity float64 `json:"similarity"` // of question and answer
	Method     string  `json:"method"`     // how similarity was found
}

// SourceScore says what the number of cited sources is worth in a confidence.
type SourceScore string

// Scores of one, two, and three or more cited sources.
const (
	SourceScoreTable  SourceScore = ""       // 0.3, 0.6, 1
	SourceScoreLinear SourceScore = "linear" // 1/3, 2/3, 1
)

// of is the score of n cited sources, at least one.
func (m SourceScore) of(n int) float64 {
	if m == SourceScoreLinear {
		return min(float64(n)/3, 1)
	}
	return [...]float64{0.3, 0.6, 1}[min(n, 3)-1]
}

// ConfidenceOf computes the confidence of an answer from the scores of the
// distinct sources it cites: 0.4·relevance + 0.3·sources + 0.3·similarity, 0
// when it cites none. The level is taken before rounding: 0.8 is high, 0.5
// medium. The sources' part is that of SourceScoreTable.
func ConfidenceOf(scores []float64) Confidence { return SourceScoreTable.Confidence(scores) }

// Confidence is [ConfidenceOf] with this score of sources.
func (m SourceScore) Confidence(scores []float64) Confidence { return m.confidence(scores, nil) }

// confidence takes the similarity of question and answer, nil where nobody knows it.
func (m SourceScore) confidence(scores []float64, similarity *float64) Confidence {
	f := Factors{Method: methodProxy}
	raw := 0.0
	if n := len(scores); n > 0 {
		for _, s := range scores {
			f.Relevance += s / float64(n)
		}
		f.Sources = m.of(n)
		f.Similarity = f.Relevance
		if similarity != nil {
			f.Similarity, f.Method = min(max(*similarity, 0), 1), methodEmbedding
		}
		raw = min(1, 0.4*f.Relevance+0.3*f.Sources+0.3*f.Similarity)
	}
	// Sums of decimal scores must not miss a level by a rounding error.
	const slack = 1e-9
	level := LevelLow
	switch {
	case raw >= 0.8-slack:
		level = LevelHigh
	case raw >= 0.5-slack:
		level = LevelMedium
	}
	f.Relevance, f.Similarity, f.Sources = decimals(f.Relevance), decimals(f.Similarity), decimals(f.Sources)
	return Confidence{Confidence: decimals(raw), ConfidencePercent: int(math.Round(raw * 100)), ConfidenceLevel: level, ConfidenceFactors: f}
}

func decimals(x float64) float64 { return math.Round(x*1000) / 1000 }

// result is an object of a status, with the set's sources and warnings.
func (s *Set) result(status string) *Citations {
	c := &Citations{
		Status: status, Sources: []Source{}, ReferencedIndices: []int{}, Markers: []Marker{}, InvalidIndices: []int{},
		Confidence: ConfidenceOf(nil), OffsetUnit: UnitCodepoint, Warnings: []string{},
	}
	if s != nil {
		if len(s.sources) > 0 {
			c.Sources = slices.Clip(s.sources)
		}
		c.Warnings = append(c.Warnings, s.warnings...)
		if s.opt.Unit != "" {
			c.OffsetUnit = s.opt.Unit
		}
	}
	return c
}

// Skipped is the object of an answer that was not scanned; s is nil when
// nothing was retrieved either.
func Skipped(s *Set) *Citations { return s.result(StatusSkipped) }

// Unavailable is the object of an answer whose retrieval failed; s may be nil.
func Unavailable(s *Set) *Citations { return s.result(StatusUnavailable) }

// Annotations returns OpenAI's annotations of one choice as a JSON array: one
// for each distinct URL it cites, in the order of the numbers, at its first
// marker, or at the end of the text when the indices were filled in. It is nil
// when there is none.
func (c *Citations) Annotations(choice int) []byte {
	var list []byte
	seen := map[string]bool{}
	for _, src := range c.Sources {
		if src.DownloadURL == "" || seen[src.DownloadURL] {
			continue
		}
		if m, ok := c.mention(choice, src.Index); ok {
			seen[src.DownloadURL] = true
			list = appendAnnotation(append(list, ','), m, src)
		}
	}
	if list == nil {
		return nil
	}
	list[0] = '['
	return append(list, ']')
}

// mention is where a choice refers to a source first.
func (c *Citations) mention(choice, source int) (Marker, bool) {
	for _, list := range [...][]Marker{c.Markers, c.unlisted} {
		for i := range list {
			if m := &list[i]; m.Choice == choice && slices.Contains(m.Indices, source) {
				return *m, true
			}
		}
	}
	end := c.ends[choice]
	return Marker{Start: end, End: end}, c.AutoPopulated && slices.Contains(c.ReferencedIndices, source)
}
