package citations

import "slices"

// assignNumbers assigns numbers to the passages and lists the sources. With
// NumberDocuments, the passages of a document follow one another at the position of
// the first.
func (s *Set) assignNumbers(passages []Source) {
	if s.opt.Numbering != NumberDocuments {
		for i := range passages {
			passages[i].complete(i + 1)
		}
		s.sources, s.passages = passages, passages
		return
	}
	places := map[string]int{} // of documents
	var groups [][]Source
	for _, p := range passages {
		place, known := places[p.DocumentID]
		if !known || p.DocumentID == "" || p.Brought { // a passage without a document has a number of its own
			place = len(groups)
			if !p.Brought { // its id is not a document's
				places[p.DocumentID] = place
			}
			groups = append(groups, nil)
		}
		p.complete(place + 1)
		groups[place] = append(groups[place], p)
	}
	s.sources, s.passages = make([]Source, 0, len(groups)), make([]Source, 0, len(passages))
	for _, group := range groups {
		s.sources = append(s.sources, documentOf(group))
		s.passages = append(s.passages, group...)
	}
}

// documentOf returns the entry of a document: the fields of its best passage, and
// references to all.
func documentOf(group []Source) Source {
	best := group[0]
	chunks := make([]ChunkRef, len(group))
	for i, p := range group {
		if p.Score > best.Score {
			best = p
		}
		chunks[i] = ChunkRef{p.ChunkID, p.ChunkIndex, p.PageNumber, p.CharStart, p.CharEnd, p.Score}
	}
	best.Chunks = chunks
	best.AlsoIn = placesBeside(best.DocumentID, group)
	return best
}

// maxPlaces is the largest number of further places of an entry.
const maxPlaces = 5

// placesBeside returns the places of the passages of a document that are in others.
func placesBeside(document string, group []Source) []Place {
	var places []Place
	for _, src := range group {
		for _, p := range src.AlsoIn {
			same := func(q Place) bool {
				return q.DocumentID == p.DocumentID && pageNumber(q.PageNumber) == pageNumber(p.PageNumber)
			}
			if p.DocumentID != document && len(places) < maxPlaces && !slices.ContainsFunc(places, same) {
				places = append(places, p)
			}
		}
	}
	return places
}

func pageNumber(page *int) int {
	if page == nil {
		return 0
	}
	return *page
}
