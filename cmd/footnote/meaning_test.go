package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"footnote/assistants"
	"footnote/assistants/embedding"
	"footnote/citations"
	"footnote/citations/support"
	"footnote/proxy/grounding"
)

// A meantPair is a pair of the support check's labelled sets.
type meantPair struct {
	Class, Truth, Claim, Passage string
	Passages                     []string
}

func (p *meantPair) isTrue() bool {
	return p.Truth != "false" && (p.Truth != "" || p.Class == "verbatim" || p.Class == "paraphrase")
}

func meantPairs(t *testing.T, half string) []meantPair {
	t.Helper()
	var pairs []meantPair
	for _, name := range []string{half, "classes_" + half} {
		raw, err := os.ReadFile(filepath.Join("..", "..", "citations", "support", "testdata", name+".jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(raw) {
			var p meantPair
			if err := json.Unmarshal(line, &p); err != nil {
				t.Fatal(err)
			}
			if p.Passages == nil {
				p.Passages = []string{p.Passage}
			}
			pairs = append(pairs, p)
		}
	}
	return pairs
}

// meantCounts are the claims that are called supported.
type meantCounts struct{ right, wrong, falseClaims int }

// countMeant checks each pair as one answer. Without an embedder only words are compared.
func countMeant(t *testing.T, pairs []meantPair, e grounding.Embedder) (c meantCounts) {
	settings := assistants.DefaultSettings()
	settings.SupportCheck = assistants.SupportEmbedding
	for i := range pairs {
		p, options := &pairs[i], citations.Options{Support: true}
		comparison := grounding.Compare(t.Context(), e, &settings, "", &options)
		if comparison != nil {
			comparison.Log = func(err error) { t.Error(err) }
		}
		all := make([]int, len(p.Passages))
		for j := range all {
			all[j] = j
		}
		supported := false
		for j := range all {
			found := support.New(p.Passages, options.Similarity).Check(support.Claim{Text: p.Claim, Own: all[j : j+1], Group: all})
			supported = supported || found.Level == support.Supported
		}
		comparison.End()
		switch {
		case !p.isTrue():
			c.falseClaims++
			if supported {
				c.wrong++
			}
		case supported:
			c.right++
		}
	}
	return c
}

// With support_check embedding more true claims are supported than by words, in the space of each
// set of models, and no false one of those that the scales were measured with.
func TestMeaningAddsTrueClaimsInEachSpace(t *testing.T) {
	english, err := embedding.Open(packedModel(t))
	if err != nil {
		t.Fatal(err)
	}
	other, err := embedding.OpenMultilingual(packedFile(t, "FOOTNOTE_TEST_MULTILINGUAL", "model-multilingual"))
	if err != nil {
		t.Fatal(err)
	}
	for _, half := range []string{"tuning", "held_out"} {
		pairs := meantPairs(t, half)
		words := countMeant(t, pairs, nil)
		for name, embedder := range map[string]grounding.Embedder{"english": english, "both": embedding.NewPair(english, other)} {
			meant := countMeant(t, pairs, embedder)
			t.Logf("%s, %s: %d true claims and %d false ones of %d are supported; by words %d and %d", half, name, meant.right, meant.wrong, meant.falseClaims, words.right, words.wrong)
			if meant.right < words.right || half == "tuning" && (meant.right == words.right || meant.wrong > words.wrong) || 100*meant.wrong > 3*meant.falseClaims {
				t.Errorf("%s, %s: %+v, by words %+v", half, name, meant, words)
			}
		}
	}
	for _, err := range []error{english.Close(), other.Close()} {
		if err != nil {
			t.Error(err)
		}
	}
}
