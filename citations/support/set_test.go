package support

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// labelledPair is a claim with a passage and the relation between them. The support
// check is measured by such pairs. Rules may be written with the pairs of
// testdata/tuning.jsonl in view; those of held_out.jsonl are for the table only, and the
// two files share no passage.
type labelledPair struct {
	ID      string `json:"id"`
	Topic   string `json:"topic"`
	Lang    string `json:"lang"`
	Class   string `json:"class"`
	Claim   string `json:"claim"`
	Passage string `json:"passage"`
}

// supportClasses are the classes of the labelled set, in the order of the table.
var supportClasses = []string{
	"verbatim", "paraphrase", "changed_number", "changed_name", "changed_date", "negated", "unrelated", "partial",
}

var supportLanguages = []string{"en", "de", "fr"}

// readLabelled reads one half of the labelled set.
func readLabelled(t *testing.T, half string) []labelledPair {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", half+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if !utf8.Valid(data) {
		t.Fatalf("%s is not UTF-8", half)
	}
	var pairs []labelledPair
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	for decoder.More() {
		var pair labelledPair
		if err := decoder.Decode(&pair); err != nil {
			t.Fatalf("%s, after %d pairs: %v", half, len(pairs), err)
		}
		pairs = append(pairs, pair)
	}
	if lines := bytes.Count(data, []byte("\n")); lines != len(pairs) {
		t.Fatalf("%s has %d lines and %d pairs", half, lines, len(pairs))
	}
	return pairs
}

func TestLabelledSetHasTheSizesItPromises(t *testing.T) {
	topics, languages, total := map[string]bool{}, map[string]int{}, 0
	for _, half := range []string{"tuning", "held_out"} {
		classes, topicsHere := map[string]int{}, map[string]bool{}
		for _, pair := range readLabelled(t, half) {
			classes[pair.Class]++
			languages[pair.Lang]++
			topics[pair.Topic], topicsHere[pair.Topic] = true, true
			total++
		}
		if len(classes) != len(supportClasses) {
			t.Errorf("%s has %d classes, want %d", half, len(classes), len(supportClasses))
		}
		for _, class := range supportClasses {
			if classes[class] < 26 {
				t.Errorf("%s has %d pairs of %s, want 26", half, classes[class], class)
			}
		}
		if len(topicsHere) < 10 {
			t.Errorf("%s has %d topics, want 10", half, len(topicsHere))
		}
	}
	if total < 416 || len(topics) < 10 || len(languages) != len(supportLanguages) {
		t.Errorf("%d pairs, %d topics, languages %v", total, len(topics), languages)
	}
	for i, least := range []int{45, 20, 20} {
		if language := supportLanguages[i]; languages[language]*100 < least*total {
			t.Errorf("%d of %d pairs are %s, want %d %%", languages[language], total, language, least)
		}
	}
}

func TestHalvesOfTheLabelledSetShareNothing(t *testing.T) {
	ids, claims, passages := map[string]bool{}, map[string]bool{}, map[string]string{}
	for _, half := range []string{"tuning", "held_out"} {
		for _, pair := range readLabelled(t, half) {
			if ids[pair.ID] || claims[pair.Claim] {
				t.Errorf("%s: its id or its claim occurs twice", pair.ID)
			}
			ids[pair.ID], claims[pair.Claim] = true, true
			if other, found := passages[pair.Passage]; found && other != half {
				t.Errorf("%s: its passage is in both halves", pair.ID)
			}
			passages[pair.Passage] = half
		}
	}
}

func TestPairsOfTheLabelledSetAreWhatTheyAreCalled(t *testing.T) {
	for _, half := range []string{"tuning", "held_out"} {
		for _, pair := range readLabelled(t, half) {
			if !slices.Contains(supportClasses, pair.Class) || !slices.Contains(supportLanguages, pair.Lang) || pair.ID == "" || pair.Topic == "" {
				t.Errorf("%s: class %q, language %q, topic %q", pair.ID, pair.Class, pair.Lang, pair.Topic)
			}
			if words := len(strings.Fields(pair.Passage)); words < 50 || words > 180 {
				t.Errorf("%s: a passage of %d words", pair.ID, words)
			}
			if !strings.HasSuffix(pair.Claim, ".") || strings.ContainsAny(pair.Claim, "[]【】\n") {
				t.Errorf("%s: the claim is not a sentence without markers: %q", pair.ID, pair.Claim)
			}
			if verbatim := strings.Contains(pair.Passage, strings.TrimSuffix(pair.Claim, ".")); verbatim != (pair.Class == "verbatim") {
				t.Errorf("%s: in the passage word for word: %v", pair.ID, verbatim)
			}
		}
	}
}
