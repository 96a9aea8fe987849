package support

import (
	"math/rand/v2"
	"testing"
)

// A remembered finding equals a new one, whatever the numbers of the passages are. The
// sizes that grown is called with add up to the memory that is used.
func TestARememberedClaimIsFoundAsAnew(t *testing.T) {
	texts := passagesOfTuning(t)[:12]
	told := 0
	kept := map[string]*Passage{}
	for _, text := range texts {
		kept[text] = NewPassage(text, func(bytes int) { told += bytes })
	}
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same every time
	var claims []string
	for _, pair := range readLabelled(t, "tuning")[:30] {
		claims = append(claims, pair.Claim)
	}
	recalled := 0
	for range 3000 {
		random.Shuffle(len(texts), func(i, j int) { texts[i], texts[j] = texts[j], texts[i] })
		shared := make([]*Passage, len(texts))
		for i, text := range texts {
			shared[i] = kept[text]
		}
		if random.IntN(10) == 0 {
			shared[random.IntN(len(shared))] = nil // a passage that the request brought
		}
		text := claims[random.IntN(len(claims))]
		c := Claim{Text: text, Focus: [2]int{0, len(text)}, Own: []int{random.IntN(3)}}
		if c.Group = []int{c.Own[0]}; random.IntN(3) == 0 {
			c.Group = append(c.Group, random.IntN(3))
		}
		k := NewOf(texts, shared, nil)
		if _, ok := k.recall(c); ok {
			recalled++
		}
		got, want := k.Check(c), New(texts, nil).Check(c)
		if got != want {
			t.Fatalf("%q: %+v, anew %+v", text, got, want)
		}
		k.Release()
	}
	if recalled < 300 {
		t.Errorf("only %d claims were recalled", recalled)
	}
	kepts := 0
	for _, p := range kept {
		kepts += p.analysis().size()
		for i := range p.remembered {
			kepts += p.remembered[i].size()
		}
		if len(p.remembered) > maxRemembered {
			t.Errorf("a passage remembers %d claims", len(p.remembered))
		}
	}
	if told != kepts {
		t.Errorf("%d bytes are told, %d are kept", told, kepts)
	}
}
