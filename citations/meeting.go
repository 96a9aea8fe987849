package citations

import "strings"

// Code keeps its brackets in a prompt, because whoever quotes it quotes it as
// code. That holds only as long as nothing around it ends it: an element that
// one passage leaves open hides the fence with which the next begins its code.

// settle sees to it that no passage has a marker where it stands, behind the
// others. One that has loses the brackets of its code as well.
func settle(passages []passage) {
	for hasNumbers(passages) {
		changed := false
		for i := range freedIn(passages) {
			var b strings.Builder
			writeSegment(&b, passages[i].text, false)
			changed = changed || passages[i].text != b.String()
			passages[i].text = b.String()
		}
		if !changed {
			return
		}
	}
}

// hasNumbers reports whether a passage holds a number in brackets, which only
// code does.
func hasNumbers(passages []passage) bool {
	for _, p := range passages {
		for i := 0; i < len(p.text); i++ {
			switch p.text[i] {
			case '[', "【"[0], "［"[0]:
				if _, size := numbers(p.text[i:]); size > 0 {
					return true
				}
			}
		}
	}
	return false
}

// freedIn returns the passages that have markers in an answer which repeats
// them all.
func freedIn(passages []passage) map[int]bool {
	var b strings.Builder
	spans := make([][2]int, len(passages))
	for i, p := range passages {
		b.WriteString("\n" + p.header + "\n" + fenceOpen("") + "\n")
		spans[i][0] = b.Len()
		b.WriteString(p.text)
		spans[i][1] = b.Len()
		b.WriteString("\n" + fenceClose("") + "\n")
	}
	freed, current := make(map[int]bool), 0
	var scan scanner
	scan.begin(UnitByte, func(f found) (*mark, bool) {
		for current < len(spans) && f.start.at >= spans[current][1] {
			current++
		}
		if current < len(spans) && f.start.at >= spans[current][0] {
			freed[current] = true
		}
		return nil, false
	})
	scan.claim.off = true
	scan.write(b.String())
	scan.finish()
	return freed
}
