package pdf

// maxSegments is the most segments of a page for which columns are found. A page with
// more is read line by line, which only takes sorting.
const maxSegments = 6000

// A pageLayout is the text of a page in reading order. It depends on that
// page alone, so that a place in the text can be found on the page again.
type pageLayout struct {
	blocks []textBlock
	unread error      // why the page could not be read; nil: it was, or is empty
	framed *pageFrame // from frame; nil: nobody has asked yet
}

// layout reads a page and puts it into reading order.
func (p *pdfPage) layout() (pageLayout, error) {
	words, err := p.words()
	if err != nil {
		return pageLayout{}, err
	}
	turn := mainTurn(words)
	rules, err := p.readRules(turn)
	if err != nil {
		return pageLayout{}, err
	}
	if len(rules.hidden) > 0 {
		if words, err = p.withoutHidden(words, rules.hidden); err != nil {
			return pageLayout{}, err
		}
	}
	return arrange(words, turn, grids(rules.across, rules.down)), nil
}

func arrange(words []word, turn int, tables []grid) pageLayout {
	upright, rotated := joinWords(words, turn)
	var out pageLayout
	depth := maxDepth
	if len(upright) > maxSegments {
		depth = 0
	} else {
		upright = joinMarks(takeGrids(upright, wholeGrids(upright, tables)))
	}
	for _, part := range divide(upright, depth) {
		out.blocks = append(out.blocks, part.blocks()...)
	}
	for _, s := range rotated { // such as text along the margin
		r := textRow{}
		r.add(s)
		line := newLine(r)
		line.rotated = true
		out.blocks = append(out.blocks, textBlock{lines: []textLine{line}})
	}
	return out
}

// lines calls fn for every line of the page.
func (l *pageLayout) lines(fn func(b *textBlock, line *textLine)) {
	for i := range l.blocks {
		for j := range l.blocks[i].lines {
			fn(&l.blocks[i], &l.blocks[i].lines[j])
		}
	}
}
