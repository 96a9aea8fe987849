package citations

import "footnote/citations/support"

// OffsetUnit is the unit of the offsets of markers and claims.
type OffsetUnit string

// The units of offsets.
const (
	// UnitCodepoint counts Unicode code points, as Python does.
	UnitCodepoint OffsetUnit = "codepoint"
	// UnitUTF16 counts UTF-16 code units, as JavaScript does.
	UnitUTF16 OffsetUnit = "utf16"
	// UnitByte counts bytes of UTF-8, as Go does.
	UnitByte OffsetUnit = "byte"
)

// Numbering chooses what has a number of its own.
type Numbering string

// Numberings.
const (
	NumberChunks    Numbering = ""         // every passage
	NumberDocuments Numbering = "document" // every document: its passages share a number
)

// MarkerStyle chooses how markers appear in the text that the client gets.
type MarkerStyle string

// Marker styles.
const (
	MarkersKeep  MarkerStyle = ""      // as the model wrote them
	MarkersStrip MarkerStyle = "strip" // removed
	MarkersDoc   MarkerStyle = "doc"   // [1, 2] becomes [doc1][doc2]
)

// OrphanPolicy chooses the effect of a marker without a source.
type OrphanPolicy string

// Orphan policies.
const (
	OrphansDrop     OrphanPolicy = ""         // the number is listed as invalid
	OrphansDisclaim OrphanPolicy = "disclaim" // the answer counts as citing nothing
	OrphansFail     OrphanPolicy = "error"    // Err is an *OrphanError
)

// NoMarkerPolicy chooses the result for an answer that cites none of its sources.
type NoMarkerPolicy string

// Policies for answers that cite nothing.
const (
	NoMarkerEmpty      NoMarkerPolicy = ""            // the status is StatusNone
	NoMarkerAllSources NoMarkerPolicy = "all_sources" // one source of each document is referenced
	NoMarkerFail       NoMarkerPolicy = "fail"        // Err is ErrNoCitations
)

// Alike is the similarity from which a sentence says the same as a claim.
const Alike = support.Alike

// Options are an assistant's choices about its citations.
type Options struct {
	// Unit is the unit of offsets; empty means UnitCodepoint.
	Unit OffsetUnit
	// Numbering chooses what gets a number: passages or documents.
	Numbering Numbering
	// Renumber gives cited sources the numbers 1, 2, … in the order of their first
	// appearance.
	Renumber bool
	// Markers chooses how markers appear in the text.
	Markers MarkerStyle
	// Orphans chooses the effect of a marker without a source.
	Orphans OrphanPolicy
	// NoMarkers chooses the result for an answer that cites none of its sources.
	NoMarkers NoMarkerPolicy
	// Support checks each claim against the sources it cites, and quotes them.
	Support bool
	// Uncited lists the factual sentences that have no marker with a source.
	Uncited bool
	// Similarity of a claim and a passage, 0–1, makes the check more precise: from
	// Alike on they say the same. nil compares words only.
	Similarity func(claim, passage string) float64
	// Answers returns the similarity of the question and an answer, 0–1, for
	// confidence. It is called once, with the beginning of the first answer. If it is
	// nil or not ok, the mean score of the cited sources is used.
	Answers func(answer string) (similarity float64, ok bool)
}
