package extract

import (
	"slices"
	"strings"
)

// leastLabels is how many labels two tables must share to be about the same things.
const leastLabels = 2

// labelledLike reports whether a table has most of the labels of the statement's first part: "Net sales",
// "Operating expenses" for each segment of a company. It has the same columns then.
func (t *tableTitler) labelledLike(b Block) bool {
	shared, all := 0, 0
	known := t.labelsOfFirst()
	for label := range t.labels(b) {
		if all++; known[label] {
			shared++
		}
	}
	return shared >= leastLabels && 2*shared > all
}

// labelsOfFirst returns the labels of the statement's first part, which are read once.
func (t *tableTitler) labelsOfFirst() map[string]bool {
	s := &t.statement
	if s.labels != nil {
		return s.labels
	}
	first, found := slices.BinarySearchFunc(t.Blocks, s.first, func(b Block, at int) int { return b.Start - at })
	if !found {
		first--
	}
	if first >= 0 {
		s.labels = t.labels(t.Blocks[first])
	}
	return s.labels
}

// labels returns the first cells of a table's rows that have amounts.
func (t *tableTitler) labels(b Block) map[string]bool {
	out := map[string]bool{}
	for row := range strings.Lines(t.Text[max(b.Start, b.HeaderEnd):b.End]) {
		cells := strings.Split(row, "|")
		if label := strings.ToLower(strings.TrimSpace(cells[0])); label != "" && !isAmount(label) && amountsIn(cells[1:]) > 0 {
			out[label] = true
		}
	}
	return out
}
