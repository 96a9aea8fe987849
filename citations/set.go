package citations

import (
	"fmt"
	"math"
	"slices"
	"sort"
)

// Set is the list of sources of one request, numbered from 1 in the order in which
// they were given. One goroutine prepares it (Fit, Warn, Link); afterwards any
// number of goroutines may read it.
type Set struct {
	sources  []Source // entries with a number
	passages []Source // passages that the model got, each with the number of its source
	opt      Options
	warnings []string
}

// NewSet returns the sources as a set. It numbers them and fills in the
// excerpt, the citation line and, where it is blank, the name of the document.
// The argument is not changed.
func NewSet(sources []Source, opt Options) *Set {
	s := &Set{opt: opt}
	if s.opt.Unit == "" {
		s.opt.Unit = UnitCodepoint
	}
	s.assignNumbers(slices.Clone(sources))
	return s
}

// Sources returns a copy of the list, in the order of the numbers.
func (s *Set) Sources() []Source { return slices.Clone(s.sources) }

// Passages returns the passages that the model got, each with the number of its
// source.
func (s *Set) Passages() []Source { return slices.Clone(s.passages) }

// Empty reports whether the model got no passages.
func (s *Set) Empty() bool { return len(s.passages) == 0 }

// Warn adds a sentence to the "warnings" of the result, once.
func (s *Set) Warn(sentence string) {
	if !slices.Contains(s.warnings, sentence) {
		s.warnings = append(s.warnings, sentence)
	}
}

// Documents lists the ids of the stored documents that the sources come from or that are
// among their places, each once.
func (s *Set) Documents() []string {
	ids := make([]string, 0, len(s.sources))
	add := func(id string) {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	for i := range s.sources {
		if !s.sources[i].Brought {
			add(s.sources[i].DocumentID)
		}
		for _, p := range s.sources[i].AlsoIn {
			add(p.DocumentID)
		}
	}
	return ids
}

// Link completes the sources when the answer is sent. lookup returns the URL of a
// document, "" for none, and whether the document still exists. Link calls it once
// for each document, with its id and the name in its sources. A document that is not
// available gets no URL. Further places have no URLs: exists says whether a place's
// document still exists, or else it is no place of the source. Sources that came with the
// request stay as they are.
func (s *Set) Link(lookup func(id, name string) (url string, available bool), exists func(id string) bool) {
	gone := false
	for i := range s.sources {
		src := &s.sources[i]
		if src.Brought {
			continue
		}
		if first := s.firstOf(i); first < i {
			src.DownloadURL, src.Available = s.sources[first].DownloadURL, s.sources[first].Available
			continue
		}
		url, available := lookup(src.DocumentID, src.DocumentName)
		src.DownloadURL, src.Available = url, nil
		if !available {
			src.DownloadURL, src.Available = "", &gone
		}
	}
	for i := range s.sources {
		src := &s.sources[i]
		src.AlsoIn = slices.DeleteFunc(slices.Clone(src.AlsoIn), func(p Place) bool { return !exists(p.DocumentID) })
	}
}

// firstOf returns the index of the first source of the same document as source i. A
// source without a document is alone.
func (s *Set) firstOf(i int) int {
	document := s.sources[i].DocumentID
	if document == "" {
		return i
	}
	return slices.IndexFunc(s.sources, func(src Source) bool { return src.DocumentID == document && !src.Brought })
}

// Fit drops sources from the end until count returns at most limit for the source
// block, rendered with these options. It returns how many it dropped, and adds a
// warning to the result. A set that has none left is as if nothing was found. The limit math.MaxInt keeps everything without counting.
// Because a count may be slow (a tokenizer), Fit guesses from sizes first and counts
// only a few blocks.
func (s *Set) Fit(p PromptOptions, limit int, count func(string) int) (dropped int) {
	total := len(s.passages)
	if total == 0 || limit == math.MaxInt {
		return 0
	}
	keep := fitting(s.passages, p, limit, count)
	if keep == total {
		return 0
	}
	clear(s.passages[keep:])
	s.assignNumbers(s.passages[:keep])
	s.Warn(fmt.Sprintf("%d of %d sources were left out because the prompt would exceed the context window.", total-keep, total))
	return total - keep
}

// fitting returns how many of the first sources stay within limit.
func fitting(sources []Source, p PromptOptions, limit int, count func(string) int) int {
	if limit <= 0 {
		return 0
	}
	passages := passagesOf(sources)
	measure := func(n int) int { return count(p.block(passages[:n])) }
	whole := measure(len(passages))
	if whole <= limit {
		return len(passages)
	}
	// fits and exceeds converge: first to the guess by size, then next to it, then by
	// halves if the sizes were misleading.
	fits, exceeds := 0, len(passages)
	guess := guessFitting(passages, len(p.block(nil)), limit, whole)
	for try := 0; exceeds-fits > 1; try++ {
		guess = min(max(guess, fits+1), exceeds-1)
		if measure(guess) <= limit {
			fits = guess
			guess++
		} else {
			exceeds = guess
			guess--
		}
		if try > 0 {
			guess = (fits + exceeds) / 2
		}
	}
	return fits
}

// guessFitting returns how many passages fit if the count grows with the bytes of the
// block. size is the length of a block without passages.
func guessFitting(passages []passage, size, limit, whole int) int {
	ends := make([]int, len(passages))
	for i, p := range passages {
		size += p.size()
		ends[i] = size
	}
	budget := float64(size) * float64(limit) / float64(whole)
	return sort.Search(len(ends), func(i int) bool { return float64(ends[i]) > budget })
}
