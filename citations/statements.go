package citations

// A Statement is a factual sentence of a text, see FORMAT.md. Its offsets are half open,
// in the unit that was asked for.
type Statement struct {
	Start, End int
	Text       string
}

// Statements returns the factual sentences of a text in Markdown. Code, headings and
// questions are none. Markers are text here.
func Statements(text string, unit OffsetUnit) []Statement {
	var list []Statement
	if unit == "" {
		unit = UnitCodepoint
	}
	var s scanner
	s.begin(unit, func(found) (*mark, bool) { return nil, false })
	s.claim.sentence = func(found sentence) {
		whole := text[found.start.at:found.end.at] // the scanner keeps only the end of a long sentence
		var counted coverage
		if counted.add([]byte(whole), false, &s.line) {
			list = append(list, Statement{found.start.unit, found.end.unit, whole})
		}
	}
	s.write(text)
	s.finish()
	return list
}
