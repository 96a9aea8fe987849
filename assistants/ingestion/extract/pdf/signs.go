package pdf

// moveSigns moves the signs of a currency that stand close behind an amount to the amount of the next column, to which
// they belong: "$ 1,723 $" and "755". In other rows the signs are behind their own amounts: "1,723 €".
func moveSigns(row []textRow) {
	if !signsLead(row) {
		return
	}
	for c := 1; c+1 < len(row); c++ {
		if !row[c].endsWithSign() || len(row[c+1].segments) == 0 {
			continue
		}
		segments := byLeft(row[c].segments)
		next := byLeft(row[c+1].segments)[0]
		if !next.isPlain() || isCurrency(next.words[0].text()) || len(segments) == 1 && len(segments[0].words) == 1 {
			continue
		}
		last := segments[len(segments)-1]
		n := len(last.words) - 1
		row[c] = rowOf(segments[:len(segments)-1])
		if n > 0 {
			row[c].add(segmentOf(last.words[:n]))
		}
		row[c+1].add(segmentOf(last.words[n:]))
	}
}

// signsLead reports whether the signs in a row's cells stand in front of the amounts: the first amount has one there, and
// the last has none behind it.
func signsLead(row []textRow) bool {
	first, last := -1, -1
	for c := 1; c < len(row); c++ {
		if len(row[c].segments) == 0 {
			continue
		}
		if last = c; first < 0 {
			first = c
		}
	}
	if first == last {
		return false
	}
	words := byLeft(row[first].segments)[0].words
	return len(words) > 0 && isCurrency(words[0].text()) && !row[last].endsWithSign()
}

// endsWithSign reports whether the last word of a row is the sign of a currency.
func (r textRow) endsWithSign() bool {
	if len(r.segments) == 0 {
		return false
	}
	segments := byLeft(r.segments)
	words := segments[len(segments)-1].words
	return len(words) > 0 && isCurrency(words[len(words)-1].text())
}

func rowOf(segments []segment) textRow {
	var r textRow
	for _, s := range segments {
		r.add(s)
	}
	return r
}

// segmentOf makes one segment of words.
func segmentOf(words []word) segment {
	var out []segment
	for _, w := range words {
		out = appendWord(out, w, func(_, _ word) bool { return true })
	}
	return out[0]
}

func (w word) text() string {
	chars := make([]rune, len(w.glyphs))
	for i, g := range w.glyphs {
		chars[i] = g.char
	}
	return string(chars)
}
