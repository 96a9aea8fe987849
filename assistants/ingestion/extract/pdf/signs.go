package pdf

import "slices"

// joinSigns joins the signs of currencies to the amounts behind them, which may stand far away: a sign is no cell of
// a table. It may also stand close behind the amount of the column before: "$ 1,723 $", then "755".
func joinSigns(all []segment) []segment {
	if !slices.ContainsFunc(all, segment.endsWithSign) {
		return all
	}
	lines := rows(all)
	for i := range lines {
		lines[i].segments = joinSignsOf(byLeft(lines[i].segments))
	}
	return flatten(lines)
}

// endsWithSign reports whether the last word of a segment is the sign of a currency.
func (s segment) endsWithSign() bool {
	return s.table == nil && len(s.words) > 0 && isCurrency(s.words[len(s.words)-1].text())
}

// joinSignsOf joins the signs in a row, if the first of them stands in front of the first amount. In other rows the signs
// are behind their amounts: "1,723 €".
func joinSignsOf(row []segment) []segment {
	var out []segment
	leads, behind := false, false
	for i := range row {
		s := &row[i]
		if figure := s.isFigure(); s.table == nil && len(s.words) > 0 && !behind {
			leads = leads || isCurrency(s.words[0].text()) || !figure && s.endsWithSign()
			behind = figure && !leads
		}
		if !leads || !s.endsWithSign() || i+1 == len(row) || !row[i+1].isPlain() || isCurrency(row[i+1].words[0].text()) {
			out = append(out, *s)
			continue
		}
		n := len(s.words) - 1
		row[i+1].words = slices.Concat(s.words[n:], row[i+1].words)
		row[i+1].box = row[i+1].box.union(s.words[n].box)
		if n > 0 {
			out = append(out, segmentOf(s.words[:n]))
		}
	}
	return out
}

// segmentOf makes a segment of words.
func segmentOf(words []word) segment {
	s := segment{words: slices.Clip(words), box: words[0].box}
	for _, w := range words {
		s.box = s.box.union(w.box)
		if w.size > s.size {
			s.size, s.baseline = w.size, w.baseline
		}
	}
	return s
}

func (w word) text() string {
	chars := make([]rune, len(w.glyphs))
	for i, g := range w.glyphs {
		chars[i] = g.char
	}
	return string(chars)
}
