package retrieval

import (
	"slices"

	"footnote/assistants"
)

// newestOf is the choice of a question that names no document and asks for the latest: of
// documents that look alike the older ones fit less. Which of the others is meant stays
// open.
func (x *nameIndex) newestOf(question string, permits func(assistants.DocumentID) bool) choice {
	if len(x.alike) == 0 || !asksForNewest(question) || slices.ContainsFunc(piecesOf(question), isYear) {
		return choice{}
	}
	c := choice{fits: map[assistants.DocumentID]float64{}, rest: 1, sure: newestSure}
	for _, group := range x.alike {
		var of []named
		for _, i := range group {
			if d := x.documents[i]; permits(d.ID) {
				of = append(of, d)
			}
		}
		c.keepNewest(of)
	}
	return c
}

// preferNewest makes of documents that look alike only the last one fit, as well as the best
// of them. Where the question has a year, version or number of one, that one is meant.
func (x *nameIndex) preferNewest(fits map[assistants.DocumentID]float64, asked map[string]bool, isOpen func(int32) bool) {
	for _, group := range x.alike {
		var of []named
		most, said := 0.0, false
		for _, i := range group {
			d := x.documents[i]
			said = said || slices.ContainsFunc(d.dated, func(part string) bool { return asked[part] })
			if isOpen(i) {
				of = append(of, d)
				most = max(most, fits[d.ID])
			}
		}
		if said || most == 0 || len(of) < 2 {
			continue
		}
		c := choice{fits: fits}
		c.keepNewest(of)
		fits[slices.MaxFunc(of, compareAge).ID] = most
	}
}

// keepNewest makes documents that look alike fit no more, but the newest one.
func (c *choice) keepNewest(group []named) {
	if len(group) < 2 {
		return
	}
	newest := slices.MaxFunc(group, compareAge)
	for _, d := range group {
		if d.ID != newest.ID {
			c.fits[d.ID] = 0
		}
	}
}
