package citations

// A mark is a marker as it is kept until the object is built.
type mark struct {
	start, end         int // in the scanned text, in bytes
	from, to           int // in the client's text, in units
	claimFrom, claimTo int
	// Indices into the numbers of the choice: those in [first, orphans) have a source,
	// those in [orphans, last) have none.
	first, orphans, last int32
	claim                *claimText
	backing              backing
}

// A backing is what the support check says of a marker.
type backing struct {
	level string // "": it was not checked yet, or the marker has no source
	score float64
	quote *Quote
}

// A claimText is the kept text of a sentence with markers.
type claimText struct {
	text    string // markers replaced by spaces
	offset  int    // of its first byte in the scanned text
	checked bool
}

// A sentence is a complete sentence with the markers that support it.
type sentence struct {
	start, end place
	markers    []*mark // those listed; valid during the call
	cites      bool    // a marker has a source
}
