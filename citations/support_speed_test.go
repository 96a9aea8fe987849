package citations

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

// answer are thirty claims of about 130 bytes about ten passages.
func answerOf(n int) []claim {
	var claims []claim
	for i := range n {
		text := fmt.Sprintf("The northern division reported revenue of %d.%d billion dollars in %d, which is %d percent more than in the year before, as costs fell.",
			i%10+1, i%3, 2000+i%10, 10*(i%10)+i%3)
		claims = append(claims, claim{text: text, focus: [2]int{0, len(text)}, own: []int{i % 10}, group: []int{i % 10, (i + 1) % 10}})
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
		k := newChecker(passages, nil)
		for _, c := range claims {
			k.check(c)
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
