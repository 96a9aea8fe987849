package citations

import (
	"math"
	"slices"
)

// Status describes how an answer uses its sources; FORMAT.md defines the values.
const (
	StatusCited       = "cited"       // the answer cites sources
	StatusNone        = "none"        // sources were given, none is cited
	StatusNoSources   = "no_sources"  // nothing relevant was found
	StatusSkipped     = "skipped"     // retrieval or scanning did not run
	StatusUnavailable = "unavailable" // retrieval failed
	StatusError       = "error"       // the citations could not be determined
)

// Citations is the object added to an answer.
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
	// Uncited lists the factual sentences without a marker, at most MaxMarkers, if [Options.Uncited] asks for them.
	Uncited []Span `json:"uncited,omitempty"`
	Confidence
	OffsetUnit OffsetUnit `json:"offset_unit"`
	Warnings   []string   `json:"warnings"`

	err      error       // set by a policy that rejects the answer
	unlisted []Marker    // markers beyond MaxMarkers that are the first to cite some source
	ends     map[int]int // length of each choice's text, in the offset unit
}

// A Span is a part of a choice's text. Offsets are as in a [Marker].
type Span struct {
	Choice int `json:"choice"`
	Start  int `json:"start"`
	End    int `json:"end"`
}

// A Marker is one marker of the answer. Offsets are half-open, in the object's
// offset_unit, in the text that the client received.
type Marker struct {
	Choice     int   `json:"choice"`
	Start      int   `json:"start"`
	End        int   `json:"end"`
	Indices    []int `json:"indices"`           // numbers that have a source
	Invalid    []int `json:"invalid,omitempty"` // numbers that have none
	ClaimStart int   `json:"claim_start"`       // the sentence that the marker belongs to
	ClaimEnd   int   `json:"claim_end"`
	// Support is the result of the support check, "" if the claim was not checked.
	Support      string   `json:"support,omitempty"`
	SupportScore *float64 `json:"support_score,omitempty"` // 0–1
	Quote        *Quote   `json:"quote,omitempty"`         // the words of the source that back the claim
}

// Levels of confidence.
const (
	LevelHigh   = "high"
	LevelMedium = "medium"
	LevelLow    = "low"
)

// methodProxy: the mean relevance of the cited sources replaces the similarity of
// question and answer.
const methodProxy = "relevance_proxy"

// methodEmbedding: the similarity of the vectors of question and answer.
const methodEmbedding = "embedding"

// Confidence estimates how well an answer is covered by its citations, from 0 to 1,
// with the factors of the estimate.
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
	Method     string  `json:"method"`     // how the similarity was computed
}

// SourceScore chooses how the number of cited sources counts in a confidence.
type SourceScore string

// Scores of one, two, and three or more cited sources.
const (
	SourceScoreTable  SourceScore = ""       // 0.3, 0.6, 1
	SourceScoreLinear SourceScore = "linear" // 1/3, 2/3, 1
)

// of returns the score of n cited sources; n is at least one.
func (m SourceScore) of(n int) float64 {
	if m == SourceScoreLinear {
		return min(float64(n)/3, 1)
	}
	return [...]float64{0.3, 0.6, 1}[min(n, 3)-1]
}

// ConfidenceOf computes the confidence of an answer from the scores of the distinct
// sources it cites: 0.4·relevance + 0.3·sources + 0.3·similarity, and 0 for an
// answer that cites none. The level is taken before rounding: 0.8 is high, 0.5 is
// medium. It scores the number of sources with SourceScoreTable.
func ConfidenceOf(scores []float64) Confidence { return SourceScoreTable.Confidence(scores) }

// Confidence is [ConfidenceOf] with this score for the number of sources.
func (m SourceScore) Confidence(scores []float64) Confidence { return m.confidence(scores, nil) }

// confidence takes the similarity of question and answer, nil if it is unknown.
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
	// Rounding errors in sums of decimal scores must not lower the level.
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

// result returns an object with a status, the set's sources and its warnings.
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

// Skipped returns the object of an answer that was not scanned. s is nil if nothing
// was retrieved.
func Skipped(s *Set) *Citations { return s.result(StatusSkipped) }

// Unavailable returns the object of an answer whose retrieval failed; s may be nil.
func Unavailable(s *Set) *Citations { return s.result(StatusUnavailable) }

// Annotations returns OpenAI's annotations of one choice as a JSON array: one for
// each source that it cites, in the order of the numbers, at its first marker.
// If a policy filled in the indices, they are at the end of the text. It is nil if
// there are none.
func (c *Citations) Annotations(choice int) []byte {
	var list []byte
	for i := range c.Sources {
		src := &c.Sources[i]
		if src.DownloadURL == "" {
			continue
		}
		if m, ok := c.mention(choice, src.Index); ok {
			list = appendAnnotation(append(list, ','), m, title(src), linkOf(c.Sources, i))
		}
	}
	if list == nil {
		return nil
	}
	list[0] = '['
	return append(list, ']')
}

// mention returns the first marker of a choice that cites a source.
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

// A Quote is the text of a source that backs a claim, verbatim.
type Quote struct {
	Index      int    `json:"index"`                 // the source's number
	Text       string `json:"text"`                  // as in the document
	CharStart  int    `json:"char_start"`            // in the document's text, in code points
	CharEnd    int    `json:"char_end"`              // half open
	Header     string `json:"header,omitempty"`      // of the table, if the text is one of its rows
	PageNumber *int   `json:"page_number,omitempty"` // of its first character
}
