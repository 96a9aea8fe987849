package support

import "slices"

// negatingPrefixes turn a word into its opposite.
var negatingPrefixes = [...]string{"un", "in", "im", "il", "ir", "non", "dis", "nicht"}

// isNegating reports whether what stands before the end of a word turns it into its opposite:
// Nichtraucher.
func isNegating(word, end []byte) bool {
	return slices.Contains(negatingPrefixes[:], string(word[:len(word)-len(end)]))
}

// A prefixed holds the hashes of the words that a word of a claim becomes with another
// prefix. A claim is compared with several passages, and makes them once.
type prefixed struct {
	known      bool
	opposites  []uint64 // with or without a negating prefix
	participle uint64   // the verb of a German participle; 0: none
}

// prefixedOf returns the hashes for a token of the claim at hand.
func (k *Checker) prefixedOf(tok int32, word []byte) *prefixed {
	if len(k.prefixed) < len(k.claim.tokens) {
		k.prefixed = zeroed(k.prefixed, len(k.claim.tokens))
	}
	p := &k.prefixed[tok]
	if p.known {
		return p
	}
	p.known = true
	first := len(k.keys)
	for _, prefix := range negatingPrefixes {
		if len(word) >= len(prefix)+4 && string(word[:len(prefix)]) == prefix {
			k.keys = append(k.keys, stemHash(word[len(prefix):]))
		}
		if len(word) >= 4 && len(word) < 40 {
			var room [48]byte
			k.keys = append(k.keys, stemHash(append(append(room[:0], prefix...), word...)))
		}
	}
	p.opposites = slices.Clip(k.keys[first:])
	if len(word) >= 7 && string(word[:2]) == "ge" { // gekauft, kaufen
		p.participle = stemHash(withoutEnding(word[2:], "t"))
	}
	return p
}

// matchPrefixed looks for the word with or without a negating prefix, and for the verb
// of a German participle.
func (k *Checker) matchPrefixed(t *token, word []byte, n int32, p *analysed) {
	other := k.prefixedOf(k.terms[n].tok, word)
	for _, key := range other.opposites {
		if tok := p.words.get(key); tok >= 0 {
			k.hits = append(k.hits, hit{n, tok, p.tokens[tok].sentence, true, qualitySynonym})
			return
		}
	}
	if other.participle != 0 {
		if tok := p.words.get(other.participle); tok >= 0 {
			k.addHits(t, n, p, tok, qualityRoot)
		}
	}
}
