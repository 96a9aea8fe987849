package support

import (
	"fmt"
	"strings"
	"testing"
)

// longPassage is a passage of about 1.5 KB like those of a report, with its own numbers.
func longPassage(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < 1500; i++ {
		fmt.Fprintf(&b, "In the %d quarter of %d the northern division of Halden Marine reported revenue of $%d.%d billion, up %d%% from a year earlier. "+
			"Operating costs did not rise, because %d employees left the company; the dividend was paid on March %d, %d. ",
			i+1, 2000+n, n+1, i, 10*n+i, 1000+37*i, i+1, 2001+n)
	}
	return b.String()
}

// answerOf returns n claims of about 130 bytes, each about one of ten passages.
func answerOf(n int) []Claim {
	var claims []Claim
	for i := range n {
		text := fmt.Sprintf("The northern division reported revenue of %d.%d billion dollars in %d, which is %d percent more than in the year before, as costs fell.",
			i%10+1, i%3, 2000+i%10, 10*(i%10)+i%3)
		claims = append(claims, Claim{Text: text, Focus: [2]int{0, len(text)}, Own: []int{i % 10}, Group: []int{i % 10, (i + 1) % 10}})
	}
	return claims
}

func BenchmarkSupport(b *testing.B) {
	passages := make([]string, 10)
	for i := range passages {
		passages[i] = longPassage(i)
	}
	claims := answerOf(30)
	b.ReportAllocs()
	for b.Loop() {
		k := New(passages, nil)
		for _, c := range claims {
			k.Check(c)
		}
	}
}

func BenchmarkSupportAnalyse(b *testing.B) {
	passage := longPassage(3)
	b.SetBytes(int64(len(passage)))
	b.ReportAllocs()
	for b.Loop() {
		analyse(passage, english)
	}
}

// Work is counted, not timed. The cost of a passage grows with its length up to the
// limits and stays the same beyond them.
func TestWorkOfTheSupportCheckIsLinear(t *testing.T) {
	for _, pattern := range []string{
		"a ", "a. ", "1 ", "1.", "1,", "Abc ", "not ", "million ", "hundert", "日", "(", "$", "-", "l'", "2024 ", "5 March ", "third quarter of ", "\n", "1 in 2 ", "\xff", "U.", "WHO ",
	} {
		text := strings.Repeat(pattern, 2*MaxClaim/len(pattern))
		steps := func(size int) int {
			k := New([]string{strings.Repeat(pattern, size/len(pattern))}, nil)
			k.Check(Claim{Text: text, Own: []int{0}})
			return k.steps
		}
		half, whole, more := steps(maxPassage/2), steps(maxPassage), steps(2*maxPassage)
		if whole > 5*half/2+1000 || more > whole+1000 {
			t.Errorf("%q: %d steps for 32 KB, %d for 64 KB, %d for 128 KB", pattern, half, whole, more)
		}
		if limit := 40 * (maxPassage + MaxClaim); whole > limit {
			t.Errorf("%q: %d steps, want at most %d", pattern, whole, limit)
		}
	}
}

// stockList returns a CSV file of about a number of bytes, and claims about rows of it.
func stockList(size, claims int) (text string, about []Claim) {
	var b strings.Builder
	b.WriteString("Article,Warehouse,Stock,Price (EUR),Weight (kg)\n")
	rows := 0
	for ; b.Len() < size; rows++ {
		fmt.Fprintf(&b, "Pump P-%d,Hall %d,%d,%d.%02d,%d.%d\n", 1000+rows, rows%7, 37*rows%900, 20+rows%300, rows%100, 1+rows%40, rows%10)
	}
	for i := range claims {
		n := i * 61 % rows
		claim := fmt.Sprintf("The stock of Pump P-%d is %d.", 1000+n, 37*n%900)
		about = append(about, Claim{Text: claim, Focus: [2]int{0, len(claim)}, Own: []int{0}})
	}
	return b.String(), about
}

func BenchmarkSupportTable(b *testing.B) {
	text, claims := stockList(maxPassage, 100)
	b.ReportAllocs()
	for b.Loop() {
		k := New([]string{text, text, text, text}, nil)
		for _, c := range claims {
			c.Own = []int{0, 1, 2, 3}
			k.Check(c)
		}
	}
}

// A claim about a table looks at each word of the table once, and analyses few of its cells.
func TestWorkOfAClaimAboutATableIsLinear(t *testing.T) {
	steps := func(size, claims int) int {
		text, about := stockList(size, claims)
		k := New([]string{text}, nil)
		for _, c := range about {
			k.Check(c)
		}
		return k.steps
	}
	half, whole := steps(maxPassage/2, 20), steps(maxPassage, 20)
	if whole > 5*half/2 {
		t.Errorf("%d steps for 32 KB, %d for 64 KB", half, whole)
	}
	if limit := 20 * maxPassage; whole > limit {
		t.Errorf("%d steps for 20 claims, want at most %d", whole, limit)
	}
	if once, again := steps(maxPassage, 1), steps(maxPassage, 40)/40; again > once {
		t.Errorf("%d steps for a claim, %d for each of 40", once, again)
	}
}

func TestASentenceWithManyMarkersIsReadOnce(t *testing.T) {
	k := New([]string{longPassage(1), longPassage(2)}, nil)
	c := answerOf(1)[0]
	c.Own, c.Group = []int{0}, []int{0, 1}
	first := k.Check(c)
	steps := k.steps
	if again := k.Check(c); again != first || k.steps != steps {
		t.Errorf("%+v after %d steps, then %+v after %d", first, steps, again, k.steps)
	}
}
