package citations

import "strings"

// Code in a prompt keeps its brackets, because a model that quotes it quotes it as
// code. That holds only while nothing around the code ends it. An element that one
// passage leaves open, for example, hides the fence with which the next passage
// begins its code.

// neutralizeCombined makes sure that no passage has a marker when all passages
// follow one another. A passage that has one loses the brackets of its code as well.
func neutralizeCombined(passages []passage) {
	for hasNumbers(passages) {
		changed := false
		for i := range markedIn(passages) {
			var b strings.Builder
			writeSegment(&b, passages[i].text, false)
			changed = changed || passages[i].text != b.String()
			passages[i].text, passages[i].inside = b.String(), ""
		}
		if !changed {
			return
		}
	}
}

// hasNumbers reports whether a passage contains a number in brackets. Outside of code
// they were replaced before.
func hasNumbers(passages []passage) bool {
	for i := range passages {
		if !passages[i].clean && hasNumber(passages[i].text) {
			return true
		}
	}
	return false
}

// hasNumber reports whether a text contains a number in brackets.
func hasNumber(text string) bool {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '[', "【"[0], "［"[0]:
			if _, size := numbers(text[i:]); size > 0 {
				return true
			}
		}
	}
	return false
}

// markedIn returns the passages that have markers in an answer that repeats all of
// them.
func markedIn(passages []passage) map[int]bool {
	var b strings.Builder
	spans := make([][2]int, len(passages))
	for i, p := range passages {
		b.WriteString("\n" + p.header + "\n" + fenceOpen("") + "\n")
		spans[i][0] = b.Len()
		b.WriteString(p.text)
		spans[i][1] = b.Len()
		b.WriteString("\n" + fenceClose("") + "\n")
	}
	marked, current := make(map[int]bool), 0
	var scan scanner
	scan.begin(UnitByte, func(f found) (*mark, bool) {
		for current < len(spans) && f.start.at >= spans[current][1] {
			current++
		}
		if current < len(spans) && f.start.at >= spans[current][0] {
			marked[current] = true
		}
		return nil, false
	})
	scan.claim.off = true
	scan.write(b.String())
	scan.finish()
	return marked
}
