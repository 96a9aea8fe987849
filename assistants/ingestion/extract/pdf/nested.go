package pdf

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"footnote/assistants/ingestion/extract"
)

// Titles that number the parts of a document are often of the same type as those within the parts:
// "Note 5. Debt" and "Covenants". The second one is below the first one, because another number follows it.

// Bounds of a run of numbers.
const (
	leastSteps  = 2   // from a title to one that goes on with its part, or has the next number
	mostRuns    = 12  // of a level
	unlikeShare = 5   // one title in so many may be elsewhere than the others of its run
	largestPart = 100 // the largest number of a part; a larger one may be a year

	longestNumber = 10 // characters: "12.10.3."
)

// A titleNumber is how a title begins: "Note 5", "Item 1A", "3.1", "(2)". Titles of one kind form a run.
type titleNumber struct {
	kind   string
	number []int
	letter int  // of "I", "V" and "X", which may be letters, too; else 0
	bare   bool // the title is nothing but the number: "Chapter 2"
}

// numberOf returns how a title begins. ok is false if it has no number.
func numberOf(title string) (n titleNumber, ok bool) {
	first, rest, _ := strings.Cut(title, " ")
	if word := strings.ToLower(first); designated[word] {
		number, name, _ := strings.Cut(strings.TrimSpace(rest), " ")
		number = strings.Trim(number, ".:()–—-")
		if !isPartNumber(number) {
			return titleNumber{}, false
		}
		n = titleNumber{kind: word, number: partNumber(number), bare: strings.TrimSpace(name) == ""}
		if number == "I" || number == "V" || number == "X" {
			n.letter = letterNumber(number)
		}
		return n, len(n.number) > 0
	}
	letter, _ := utf8.DecodeRuneInString(strings.TrimLeft(rest, " –—-"))
	digits := strings.Trim(first, ".()")
	if digits == "" || strings.Trim(digits, "0123456789.") != "" || len(first) > longestNumber || !unicode.IsLetter(letter) || unicode.IsLower(letter) || extract.IsDate(title) {
		return titleNumber{}, false
	}
	for part := range strings.SplitSeq(digits, ".") {
		i, err := strconv.Atoi(part)
		if err != nil || i > largestPart {
			return titleNumber{}, false
		}
		n.number = append(n.number, i)
	}
	n.kind = strings.Repeat("#.", len(n.number)-1) + strings.Replace(first, digits, "#", 1)
	return n, true
}

// partNumber returns the number of a part: "1A" is 1 and 1, "4.2" is 4 and 2, "IV" is 4, "C" is 3.
func partNumber(number string) []int {
	if strings.Trim(number, "IVXLC") == "" && number != "C" && number != "L" {
		n, _ := pageOf(strings.ToLower(number))
		return []int{n}
	}
	var out []int
	for part := range strings.SplitSeq(number, ".") {
		digits := strings.TrimRightFunc(part, unicode.IsLetter)
		if i, err := strconv.Atoi(digits); err == nil {
			out = append(out, i)
		}
		if letters := part[len(digits):]; letters != "" {
			out = append(out, letterNumber(letters))
		}
	}
	return out
}

// letterNumber returns the place of a letter in the alphabet, from 1.
func letterNumber(letters string) int { return int(unicode.ToUpper(rune(letters[0]))-'A') + 1 }

// A numberedRun has the titles of one kind and level, as indexes in the order of the text.
type numberedRun struct {
	titles []int
	starts []bool         // of each title: whether it begins a part of something larger, as "1" and "3.1" do
	steps  []bool         // of each title: whether it follows from the one before, which has a name, or goes on with its part
	parts  []*numberedRun // the runs within its parts

	named bool // its titles begin with a word: "Note"
	last  titleNumber
	title string // the last one, squeezed
	count int    // of steps
}

// add adds a title.
func (r *numberedRun) add(i int, n titleNumber, title string) {
	known := len(r.titles) > 0
	if n.letter > 0 && known && !follows(r.last.number, n.number) && follows(r.last.number, []int{n.letter}) {
		n.number = []int{n.letter}
	}
	title, _ = extract.WithoutContinued(title)
	title = squeeze(title)
	step := known && (title == r.title || follows(r.last.number, n.number))
	if step {
		r.count++
	}
	r.titles, r.starts, r.steps = append(r.titles, i), append(r.starts, n.number[len(n.number)-1] <= 1), append(r.steps, step && !r.last.bare)
	r.last, r.title = n, title
}

func (r *numberedRun) isValid() bool { return r.count >= leastSteps }

// encloses reports whether a title is between two of the run that follow each other.
func (r *numberedRun) encloses(i int) bool {
	next, own := slices.BinarySearch(r.titles, i)
	return !own && 0 < next && next < len(r.titles) && r.steps[next]
}

// contains reports whether the titles of another run are within the parts that this run numbers: behind
// one of its titles the numbers of the other begin again.
func (r *numberedRun) contains(other *numberedRun) bool {
	crossed, broken := 0, 0
	for k := 1; k < len(other.titles); k++ {
		before, _ := slices.BinarySearch(r.titles, other.titles[k-1])
		after, _ := slices.BinarySearch(r.titles, other.titles[k])
		if before == after {
			continue
		}
		if crossed++; !other.starts[k] {
			broken++
		}
	}
	return unlikeShare*broken <= crossed
}

// nestNumbered puts titles below the numbered ones of the same level that enclose them.
func nestNumbered(pages []pageLayout, levels map[*textBlock]int) {
	var blocks []*textBlock
	for i := range pages {
		for j := range pages[i].blocks {
			if b := &pages[i].blocks[j]; levels[b] > 0 {
				blocks = append(blocks, b)
			}
		}
	}
	runs, of := numberedRuns(blocks, levels)
	type place struct{ level, depth int }
	compare := func(a, b place) int { return cmp.Or(a.level-b.level, a.depth-b.depth) }
	places := make([]place, len(blocks))
	for i, b := range blocks {
		places[i].level = levels[b]
		own := of[i]
		if own != nil && !own.isValid() {
			if own.named {
				continue // "Part II" may be above the items around it
			}
			own = nil
		}
		for _, r := range runs[levels[b]] {
			if r != own && r.encloses(i) && (own == nil || slices.Contains(r.parts, own)) {
				places[i].depth++
			}
		}
	}
	sorted := slices.Clone(places)
	slices.SortFunc(sorted, compare)
	sorted = slices.Compact(sorted)
	for i, b := range blocks {
		at, _ := slices.BinarySearchFunc(sorted, places[i], compare)
		levels[b] = at + 1
	}
}

// numberedRuns returns the first runs of each level, and that of each title.
func numberedRuns(blocks []*textBlock, levels map[*textBlock]int) (runs map[int][]*numberedRun, of []*numberedRun) {
	type key struct {
		level int
		kind  string
	}
	runs, of = make(map[int][]*numberedRun), make([]*numberedRun, len(blocks))
	known := make(map[key]*numberedRun)
	for i, b := range blocks {
		title := b.title()
		n, ok := numberOf(title)
		if !ok {
			continue
		}
		k := key{levels[b], n.kind}
		if known[k] == nil {
			if len(runs[k.level]) == mostRuns {
				continue
			}
			known[k] = &numberedRun{named: designated[n.kind]}
			runs[k.level] = append(runs[k.level], known[k])
		}
		known[k].add(i, n, title)
		of[i] = known[k]
	}
	for level := range runs {
		runs[level] = slices.DeleteFunc(runs[level], func(r *numberedRun) bool { return !r.isValid() })
		for _, r := range runs[level] {
			for _, other := range runs[level] {
				if r != other && r.contains(other) {
					r.parts = append(r.parts, other)
				}
			}
		}
	}
	return runs, of
}
