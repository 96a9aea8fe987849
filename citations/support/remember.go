package support

import "slices"

const (
	// maxRemembered is how many claims a passage remembers.
	maxRemembered = 8
	// maxRememberedClaim bounds the bytes of a claim that is remembered.
	maxRememberedClaim = 1000
)

// A checkedClaim is a claim with what was found. People repeat questions, models repeat
// sentences, and nothing of a finding changes while its passages stay the same.
type checkedClaim struct {
	text       string
	focus      [2]int
	own, group []*Passage
	finding    Finding // its passage is a place in own and group, one after the other
}

// sharedOf returns passages by their numbers. ok is false if one is not kept.
func (k *Checker) sharedOf(numbers []int) (passages []*Passage, ok bool) {
	passages = make([]*Passage, len(numbers))
	for i, n := range numbers {
		if n < 0 || n >= len(k.shared) || k.shared[n] == nil {
			return nil, false
		}
		passages[i] = k.shared[n]
	}
	return passages, true
}

// recall returns the finding for a claim, if its first passage remembers it.
func (k *Checker) recall(c Claim) (f Finding, ok bool) {
	if !k.remembers(c) {
		return f, false
	}
	same := func(known *Passage, n int) bool { return n >= 0 && n < len(k.shared) && k.shared[n] == known }
	p := k.shared[c.Own[0]]
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range p.remembered {
		r := &p.remembered[i]
		if r.focus != c.Focus || r.text != c.Text || !slices.EqualFunc(r.own, c.Own, same) || !slices.EqualFunc(r.group, c.Group, same) {
			continue
		}
		f = r.finding
		switch {
		case f.Passage >= len(c.Own):
			f.Passage = c.Group[f.Passage-len(c.Own)]
		case f.Passage >= 0:
			f.Passage = c.Own[f.Passage]
		}
		return f, true
	}
	return f, false
}

// remembers reports whether findings for a claim are kept: not those that a model has
// a say in, and only with passages that are kept themselves.
func (k *Checker) remembers(c Claim) bool {
	if k.similarity != nil || len(c.Own) == 0 || len(c.Text) > maxRememberedClaim {
		return false
	}
	n := c.Own[0]
	return n >= 0 && n < len(k.shared) && k.shared[n] != nil
}

// remember keeps the finding for a claim with its first passage, in place of the oldest.
func (k *Checker) remember(c Claim, f Finding) {
	if !k.remembers(c) {
		return
	}
	own, ok := k.sharedOf(c.Own)
	group, also := k.sharedOf(c.Group)
	if !ok || !also {
		return
	}
	if f.Passage >= 0 {
		place := slices.Index(c.Own, f.Passage)
		if place < 0 {
			place = len(own) + slices.Index(c.Group, f.Passage)
		}
		f.Passage = place
	}
	own[0].remember(checkedClaim{c.Text, c.Focus, own, group, f})
}

func (p *Passage) remember(r checkedClaim) {
	bytes := r.size()
	p.mu.Lock()
	if len(p.remembered) < maxRemembered {
		p.remembered = append(p.remembered, r)
	} else {
		oldest := &p.remembered[p.oldest]
		bytes -= oldest.size()
		*oldest, p.oldest = r, (p.oldest+1)%maxRemembered
	}
	p.mu.Unlock()
	p.grown(bytes) // without the lock, because it may end the passage
}

// size is about how many bytes a remembered claim takes.
func (r *checkedClaim) size() int {
	const fixed, perPassage = 200, 8
	return fixed + len(r.text) + perPassage*(len(r.own)+len(r.group))
}
