package citations

import (
	"fmt"
	"math"
	"slices"
	"sort"
)

// OffsetUnit says in what the offsets of markers and claims are counted.
type OffsetUnit string

// The units of offsets.
const (
	// UnitCodepoint counts Unicode code points, as Python does.
	UnitCodepoint OffsetUnit = "codepoint"
	// UnitUTF16 counts UTF-16 code units, as JavaScript does.
	UnitUTF16 OffsetUnit = "utf16"
	// UnitByte counts bytes of UTF-8, as Go does.
	UnitByte OffsetUnit = "byte"
)

// Options are the choices an assistant makes about its citations.
type Options struct {
	// Unit is the unit of offsets; empty means UnitCodepoint.
	Unit OffsetUnit
	// Numbering says what gets a number: passages, or documents.
	Numbering Numbering
	// Renumber gives cited sources the numbers 1, 2, … at their first appearance.
	Renumber bool
	// Markers says what becomes of markers in the text.
	Markers MarkerStyle
	// Orphans says what a marker without a source does.
	Orphans OrphanPolicy
	// NoMarkers says what an answer does that cites none of its sources.
	NoMarkers NoMarkerPolicy
	// Support checks each claim against the sources it cites, and quotes them.
	Support bool
	// Similarity of a claim and a passage, 0–1, makes the check more precise; nil: words only.
	Similarity func(claim, passage string) float64
	// Answers is the similarity of the question and an answer, 0–1, for
	// confidence; it is asked once, with the beginning of the first answer. nil,
	// or not ok: the mean score of the cited sources stands in for it.
	Answers func(answer string) (similarity float64, ok bool)
}

// Set is the list of sources of one request, numbered from 1 in the order in
// which they were given. One goroutine prepares it (Fit, Warn, Link); afterwards
// any number may read it.
type Set struct {
	sources  []Source // what has a number
	passages []Source // what was given to the model, each with the number of its source
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
	s.number(slices.Clone(sources))
	return s
}

// Sources returns a copy of the list, in the order of the numbers.
func (s *Set) Sources() []Source { return slices.Clone(s.sources) }

// Passages returns what the model was given, each passage with the number of
// its source.
func (s *Set) Passages() []Source { return slices.Clone(s.passages) }

// Warn adds a sentence to the "warnings" of the result, once.
func (s *Set) Warn(sentence string) {
	if !slices.Contains(s.warnings, sentence) {
		s.warnings = append(s.warnings, sentence)
	}
}

// Documents lists the ids of the documents that the sources come from, each once.
func (s *Set) Documents() []string {
	ids := make([]string, 0, len(s.sources))
	for i := range s.sources {
		if id := s.sources[i].DocumentID; !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// Link tells the sources what is known only when the answer goes out: where
// their document can be had ("": nowhere), and whether it is still there. of
// is asked once for each document, with its id and the name its sources have.
// One that is not available has no URL.
func (s *Set) Link(of func(id, name string) (url string, available bool)) {
	gone := false
	for i := range s.sources {
		src := &s.sources[i]
		if first := s.firstOf(src.DocumentID); first < i {
			src.DownloadURL, src.Available = s.sources[first].DownloadURL, s.sources[first].Available
			continue
		}
		url, available := of(src.DocumentID, src.DocumentName)
		src.DownloadURL, src.Available = url, nil
		if !available {
			src.DownloadURL, src.Available = "", &gone
		}
	}
}

// firstOf is the place of the first source of a document.
func (s *Set) firstOf(document string) int {
	return slices.IndexFunc(s.sources, func(src Source) bool { return src.DocumentID == document })
}

// Fit drops sources from the end until the source block, as Prompt renders it
// with these options, is at most limit by the given count, and returns
// how many it dropped; the result then carries a warning. The limit
// math.MaxInt keeps everything without counting. Counting may be slow
// (a tokenizer), so Fit guesses from sizes first and counts a handful of blocks.
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
	s.number(s.passages[:keep])
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
	// fits and exceeds close in on the answer: first where the sizes say it
	// is, then beside it, then by halves should the sizes have misled.
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

// guessFitting assumes that the count of a block, which without passages has
// size bytes, grows with its bytes.
func guessFitting(passages []passage, size, limit, whole int) int {
	ends := make([]int, len(passages))
	for i, p := range passages {
		size += p.size()
		ends[i] = size
	}
	budget := float64(size) * float64(limit) / float64(whole)
	return sort.Search(len(ends), func(i int) bool { return float64(ends[i]) > budget })
}
