package proxy

import (
	"footnote/assistants"
	"footnote/citations"
)

// The domain and the citation engine each have their enumerations, because
// neither may import the other. This is where one becomes the other.

// citationOptions are an assistant's settings as the engine knows them.
func citationOptions(s assistants.Settings) citations.Options {
	opt := citations.Options{
		Unit: offsetUnit(s.CitationOffsetUnit), Numbering: numbering(s.CitationNumbering), Renumber: s.CitationRenumber,
		Markers: markerStyle(s.MarkerMode), Orphans: orphanPolicy(s.OrphanPolicy), NoMarkers: noMarkerPolicy(s.NoMarkerPolicy),
		Support: s.SupportCheck != assistants.SupportOff && dialects[s.CitationFormat].object, // other formats cannot show it
	}
	if s.CitationFormat == assistants.FormatAzure {
		opt.Renumber = false // its list is out before the first marker
		if opt.Markers == citations.MarkersKeep {
			opt.Markers = citations.MarkersDoc
		}
	}
	return opt
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
