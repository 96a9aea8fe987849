package family

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"go.uber.org/goleak"

	"footnote/assistants/evaluation"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestQuestionsNamePagesOfTheFamily checks what the program cannot check while it asks.
func TestQuestionsNamePagesOfTheFamily(t *testing.T) {
	raw, err := os.ReadFile("documents.json")
	if err != nil {
		t.Fatal(err)
	}
	var listed []struct {
		Name  string
		Pages int
	}
	if err := json.Unmarshal(raw, &listed); err != nil {
		t.Fatal(err)
	}
	if len(listed) < 60 {
		t.Errorf("%d documents, want 60 or more", len(listed))
	}
	pages := map[string]int{}
	for _, d := range listed {
		pages[d.Name] = d.Pages
	}
	asked := map[string]string{}
	for _, set := range []string{"questions.jsonl", "questions_heldout.jsonl"} {
		f, err := os.Open(set)
		if err != nil {
			t.Fatal(err)
		}
		questions, err := evaluation.Read(f)
		f.Close()
		if err != nil {
			t.Fatalf("%s: %v", set, err)
		}
		if len(questions) < 150 {
			t.Errorf("%s has %d questions, want 150 or more", set, len(questions))
		}
		for _, q := range questions {
			if other, ok := asked[q.Question]; ok {
				t.Errorf("%s asks what %s asks", q.ID, other)
			}
			asked[q.Question] = q.ID
			for _, e := range q.Expected() {
				if len(e.Pages) == 0 || slices.Min(e.Pages) < 1 || slices.Max(e.Pages) > pages[e.Document] {
					t.Errorf("%s: pages %v of %s, which has %d", q.ID, e.Pages, e.Document, pages[e.Document])
				}
			}
		}
	}
}
