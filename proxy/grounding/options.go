package grounding

import (
	"footnote/assistants"
	"footnote/citations"
)

// Options translates an assistant's settings for the citation engine. The domain
// and the engine have enumerations each, because neither may import the other.
func Options(s *assistants.Settings) citations.Options {
	return citations.Options{
		Unit: offsetUnit(s.CitationOffsetUnit), Numbering: numbering(s.CitationNumbering), Renumber: s.CitationRenumber,
		Markers: markerStyle(s.MarkerMode), Orphans: orphanPolicy(s.OrphanPolicy), NoMarkers: noMarkerPolicy(s.NoMarkerPolicy),
		Support: s.SupportCheck != assistants.SupportOff,
	}
}

func offsetUnit(u assistants.OffsetUnit) citations.OffsetUnit {
	switch u {
	case assistants.UnitUTF16:
		return citations.UnitUTF16
	case assistants.UnitByte:
		return citations.UnitByte
	default:
		return citations.UnitCodepoint
	}
}

func numbering(n assistants.Numbering) citations.Numbering {
	if n == assistants.NumberDocuments {
		return citations.NumberDocuments
	}
	return citations.NumberChunks
}

func markerStyle(m assistants.MarkerMode) citations.MarkerStyle {
	if m == assistants.MarkersStrip {
		return citations.MarkersStrip
	}
	return citations.MarkersKeep
}

func orphanPolicy(p assistants.OrphanPolicy) citations.OrphanPolicy {
	switch p {
	case assistants.OrphanDisclaim:
		return citations.OrphansDisclaim
	case assistants.OrphanError:
		return citations.OrphansFail
	default:
		return citations.OrphansDrop
	}
}

func noMarkerPolicy(p assistants.NoMarkerPolicy) citations.NoMarkerPolicy {
	switch p {
	case assistants.NoMarkerAllSources:
		return citations.NoMarkerAllSources
	case assistants.NoMarkerFail:
		return citations.NoMarkerFail
	default:
		return citations.NoMarkerEmpty
	}
}
