package support

import (
	"math"
	"strings"
	"testing"
)

func TestMarkersSideBySideShareTheBurden(t *testing.T) {
	passages := []string{
		"Halden Marine reported revenue of $4.2B for 2024.",
		"Operating costs of Halden Marine fell to $3.1B in 2024.",
		"Whales sing at night in the warm water of the bay.",
	}
	text := "In 2024 Halden Marine had revenue of $4.2 billion and operating costs of $3.1 billion."
	check := func(own int, group ...int) string {
		return New(passages, nil).Check(Claim{Text: text, Focus: [2]int{0, len(text)}, Own: []int{own}, Group: group}).Level
	}
	for _, c := range []struct {
		own   int
		group []int
		want  string
	}{
		{0, []int{0, 1}, Supported},
		{1, []int{0, 1}, Supported},
		{0, []int{0}, Weak}, // who says what the costs were?
		{2, []int{0, 1, 2}, Unsupported},
	} {
		if got := check(c.own, c.group...); got != c.want {
			t.Errorf("passage %d of %v: %s, want %s", c.own, c.group, got, c.want)
		}
	}
}

func TestOnlyTheFocusIsAnsweredFor(t *testing.T) {
	passages := []string{"Revenue of the group grew by 15%.", "Costs of the group fell by 3%."}
	text := "Revenue of the group grew by 15%     while costs of the group fell by 3%     ."
	cut := strings.Index(text, "while")
	k := New(passages, nil)
	for i, focus := range [][2]int{{0, cut}, {cut, len(text)}} {
		if f := k.Check(Claim{Text: text, Focus: focus, Own: []int{i}, Group: []int{i}}); f.Level != Supported {
			t.Errorf("marker %d: %s", i, f.Level)
		}
		if f := k.Check(Claim{Text: text, Focus: focus, Own: []int{1 - i}, Group: []int{1 - i}}); f.Level == Supported {
			t.Errorf("marker %d is supported by the other's source", i)
		}
	}
}

func TestPassagesThatDoNotExist(t *testing.T) {
	k := New([]string{report}, nil)
	for _, own := range [][]int{nil, {-1}, {1}, {7, -3}} {
		if f := k.Check(Claim{Text: "Revenue was $4.2B.", Own: own}); f.Level != Unsupported || f.Start != f.End {
			t.Errorf("%v: %+v", own, f)
		}
	}
}

func TestASimilarityDecidesWhatWordsLeaveOpenAndNothingElse(t *testing.T) {
	passage := "The enterprise generated proceeds of 42 million euros during 2024."
	same := func(string, string) float64 { return .9 }
	level := func(text string, similarity func(string, string) float64) string {
		return New([]string{passage}, similarity).Check(Claim{Text: text, Own: []int{0}}).Level
	}
	if got := level("Takings hit 42 million euros in 2024 at that outfit.", same); got != Supported {
		t.Errorf("with a similarity: %s", got)
	}
	if got := level("Takings hit 43 million euros in 2024 at that outfit.", same); got == Supported {
		t.Error("a similarity outweighs a number")
	}
	for _, c := range []struct{ claim, passage string }{
		{"Aspirin cures bleeding in adults.", "Aspirin causes bleeding in adults."},
		{"The landlord cleans the stairs.", "The landlord repairs the heating, and the tenant cleans the stairs."},
		{"The update repairs the crash.", "The update may fix the crash."},
	} {
		if f := New([]string{c.passage}, same).Check(Claim{Text: c.claim, Own: []int{0}}); f.Level == Supported {
			t.Errorf("%q is supported by %q", c.claim, c.passage)
		}
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), -3, 7} {
		f := New([]string{passage}, func(string, string) float64 { return bad }).Check(Claim{Text: "Takings hit 42 million euros.", Own: []int{0}})
		checkFinding(t, f, passage)
	}
}

func TestMarkdownIsNoPartOfAClaim(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"plain text", "plain text"},
		{"- **a** b", "  **a** b"},
		{"3. Then go", "   Then go"},
		{"3. März war es", "3. März war es"},
		{"see [docs](https://x.test/1) now", "see [docs                    now"},
		{"a <b>b</b> c", "a    b     c"},
		{"at https://x.test/9 it", "at                  it"},
		{"grew [1][2, 3] so", "grew           so"},
		{"in [2024] so", "in [2024] so"},
		{"1 < 2 and 3 > 2", "1 < 2 and 3 > 2"},
	} {
		got := cleanClaim(c.text)
		if got != c.want || len(got) != len(c.text) {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}
