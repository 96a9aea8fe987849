package support

// "Smoking is forbidden" denies smoking, as "you must not smoke" does. The word itself is not
// denied: its opposite is, in "smoking is not allowed". And "not forbidden" denies nothing else.

// forbid marks what a part of a sentence without another negation forbids, and reports whether
// it does.
func (a *analysed) forbid(first, last int32) bool {
	found := false
	for i := first; i < last && !found; i++ {
		found = a.forbids(&a.tokens[i])
	}
	for i := first; i < last && found; i++ {
		if t := &a.tokens[i]; !a.forbids(t) {
			t.marks |= negated
		}
	}
	return found
}

// permit marks the word of forbidding in a part of a sentence with a negation, and reports whether
// there is one.
func (a *analysed) permit(first, last int32) bool {
	found := false
	for i := first; i < last; i++ {
		if t := &a.tokens[i]; a.forbids(t) {
			t.marks |= negated
			found = true
		}
	}
	return found
}

func (a *analysed) forbids(t *token) bool {
	return t.kind == wordToken && t.sign < 0 && t.concept == a.lex.permits
}
