package support

import (
	"slices"
	"strings"
	"testing"
)

// passagesOfTuning returns the distinct passages of the tuning half.
func passagesOfTuning(t *testing.T) []string {
	t.Helper()
	var passages []string
	for _, pair := range readLabelled(t, "tuning") {
		if !slices.Contains(passages, pair.Passage) {
			passages = append(passages, pair.Passage)
		}
	}
	return passages
}

func TestASentenceOfThePassageIsSupported(t *testing.T) {
	for _, passage := range passagesOfTuning(t) {
		for _, s := range analyse(passage, english).sentences {
			sentence := strings.TrimSpace(passage[s.start:s.end])
			f := checked(sentence, passage)
			checkFinding(t, f, passage)
			if f.Level != Supported || f.Score != 1 {
				t.Errorf("%q: %s, %v", sentence, f.Level, f.Score)
			}
			if quote := passage[f.Start:f.End]; !strings.Contains(sentence, quote) && !strings.Contains(quote, sentence) {
				t.Errorf("%q: quote %q", sentence, quote)
			}
		}
	}
}

func TestASentenceWithAnotherDigitIsNotSupported(t *testing.T) {
	for _, passage := range passagesOfTuning(t) {
		for _, s := range analyse(passage, english).sentences {
			sentence := strings.TrimSpace(passage[s.start:s.end])
			for i := range sentence {
				if !isDigit(sentence[i]) {
					continue
				}
				changed := []byte(sentence)
				changed[i] = '0' + (changed[i]-'0'+3)%10
				if f := checked(string(changed), passage); f.Level == Supported {
					t.Errorf("%q is supported by %q", changed, sentence)
				}
			}
		}
	}
}
