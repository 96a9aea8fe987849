package office

import (
	"context"
	"strconv"
	"strings"
)

// bullet is the mark of an item without a number.
const bullet = "-"

// wordNumbers holds the list definitions of a Word document and numbers the items.
type wordNumbers struct {
	lists       map[string]*wordList  // by the id that paragraphs use
	counts      map[*wordList][]int   // current number at each depth; lists with the same definition share it
	definitions map[string]*wordList  // by their own ids
	linked      map[string]styleDepth // the list level that a paragraph style belongs to
}

type styleDepth struct {
	list  *wordList
	depth int
}

type wordList struct {
	levels     []wordLevel
	definition *wordList // the definition, whose counts it shares unless it restarts
	restarts   bool
}

type wordLevel struct {
	format string // of its numbers, as in Word: decimal, lowerLetter …
	text   string // with %1 for the number of the first level …
	start  int
	legal  bool // all numbers as decimals
}

const listLevels = 9

func (n *wordNumbers) read(ctx context.Context, a *archive, part string) error {
	n.lists, n.counts = map[string]*wordList{}, map[*wordList][]int{}
	n.definitions, n.linked = map[string]*wordList{}, map[string]styleDepth{}
	return a.part(ctx, part, func(x *xmlReader, e element) error {
		if len(n.lists) >= maxEntries || len(n.definitions) >= maxEntries {
			return nil
		}
		switch e.name {
		case "abstractNum":
			list := &wordList{levels: make([]wordLevel, listLevels)}
			n.definitions[e.attr("abstractNumId")] = list
			return x.children(func(e element) error {
				if e.name != "lvl" {
					return nil
				}
				return n.readLevel(x, list, e)
			})
		case "num":
			return n.readList(x, e.attr("numId"))
		}
		return nil
	})
}

func (n *wordNumbers) readLevel(x *xmlReader, list *wordList, e element) error {
	depth := min(intOf(e.attr("ilvl")), listLevels-1)
	level := wordLevel{format: "decimal"}
	err := x.children(func(e element) error {
		switch e.name {
		case "start":
			level.start = intOf(e.attr("val"))
		case "numFmt":
			level.format = e.attr("val")
		case "lvlText":
			level.text = e.attr("val")
		case "isLgl":
			level.legal = isOn(e)
		case "pStyle":
			n.linked[e.attr("val")] = styleDepth{list, depth}
		}
		return nil
	})
	list.levels[depth] = level
	return err
}

// readList reads a list that paragraphs use: a definition with overrides.
func (n *wordNumbers) readList(x *xmlReader, id string) error {
	list := &wordList{levels: make([]wordLevel, listLevels)}
	n.lists[id] = list
	return x.children(func(e element) error {
		switch e.name {
		case "abstractNumId":
			if list.definition = n.definitions[e.attr("val")]; list.definition != nil {
				copy(list.levels, list.definition.levels)
			}
		case "lvlOverride":
			depth := min(intOf(e.attr("ilvl")), listLevels-1)
			return x.children(func(e element) error {
				switch e.name {
				case "startOverride":
					list.levels[depth].start = intOf(e.attr("val"))
					list.restarts = true
				case "lvl":
					return n.readLevel(x, list, e)
				}
				return nil
			})
		}
		return nil
	})
}

// next counts a paragraph and returns its mark. listed is false if the paragraph is
// not a list item.
func (n *wordNumbers) next(listID, style string, depth int) (mark string, at int, listed bool) {
	list := n.lists[listID]
	if list == nil || listID == "0" {
		return "", 0, false
	}
	if depth < 0 {
		if l, ok := n.linked[style]; ok && l.list == list.definition {
			depth = l.depth
		}
	}
	depth = max(0, min(depth, listLevels-1))
	counter := list
	if list.definition != nil && !list.restarts {
		counter = list.definition
	}
	counts := n.counts[counter]
	if counts == nil {
		counts = make([]int, listLevels)
		for i := range counts {
			counts[i] = -1
		}
		n.counts[counter] = counts
	}
	for i := range depth { // the item may skip levels
		if counts[i] < 0 {
			counts[i] = list.levels[i].start
		}
	}
	if counts[depth]++; counts[depth] == 0 {
		counts[depth] = list.levels[depth].start
	}
	for i := depth + 1; i < listLevels; i++ {
		counts[i] = -1
	}
	mark = list.mark(depth, counts)
	return mark, depth, mark != ""
}

// mark returns the number or bullet of an item, or "" if it has none.
func (l *wordList) mark(depth int, counts []int) string {
	level := l.levels[depth]
	switch level.format {
	case "bullet":
		return bullet
	case "none":
		return oneLine(level.text)
	}
	var b strings.Builder
	for i := 0; i < len(level.text) && b.Len() < 64; i++ {
		if level.text[i] != '%' || i+1 == len(level.text) {
			b.WriteByte(level.text[i])
			continue
		}
		i++
		if at := int(level.text[i]) - '1'; at >= 0 && at <= depth {
			format := l.levels[at].format
			if level.legal {
				format = "decimal"
			}
			b.WriteString(formatNumber(counts[at], format))
		}
	}
	return oneLine(b.String())
}

// formatNumber writes a number in one of Word's formats. Unknown formats are decimal.
func formatNumber(n int, format string) string {
	switch format {
	case "lowerLetter", "upperLetter":
		if n < 1 || n > 26*10 {
			break
		}
		first := 'a'
		if format == "upperLetter" {
			first = 'A'
		}
		return strings.Repeat(string(first+rune((n-1)%26)), (n-1)/26+1)
	case "lowerRoman":
		return strings.ToLower(roman(n))
	case "upperRoman":
		return roman(n)
	case "decimalZero":
		if n < 10 {
			return "0" + strconv.Itoa(n)
		}
	case "none", "bullet":
		return ""
	}
	return strconv.Itoa(n)
}

func roman(n int) string {
	if n < 1 || n > 3999 {
		return strconv.Itoa(n)
	}
	signs := []string{"M", "CM", "D", "CD", "C", "XC", "L", "XL", "X", "IX", "V", "IV", "I"}
	var b strings.Builder
	for i, value := range []int{1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1} {
		for ; n >= value; n -= value {
			b.WriteString(signs[i])
		}
	}
	return b.String()
}
