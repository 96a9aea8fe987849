package support

// What the claim says of the text that says something: "the false report states that …", "the
// landlord's letter says that …". The passage does not say that of itself.

// undermines reports whether a word of the claim without a counterpart makes what is said another
// thing: a false report, a former mayor, or any word before "states that" that names no rule.
func (w *carrying) undermines(tok int32) bool {
	t := &w.c.tokens[tok]
	if t.kind != wordToken {
		return false
	}
	if t.mean == meansDoubtful || t.mean == meansOther {
		return true
	}
	that := w.c.saidThat(w.part)
	return tok < that && !w.c.sense(t).rule && t.class&classGeneric == 0
}

// saidThat returns the "that" which a verb of saying of a part governs, -1 if there is none.
func (a *analysed) saidThat(part *claimPart) int32 {
	says := false
	for i := part.first; i < part.last; i++ {
		t := &a.tokens[i]
		switch {
		case t.kind != wordToken:
		case t.is(tells):
			says = true
		case says && t.mean == meansThat:
			return i
		case says && t.is(isContent):
			return -1
		}
	}
	return -1
}
