package lexical

import "testing"

func TestMonth(t *testing.T) {
	for word, want := range map[string]int{"January": 1, "märz": 3, "AOÛT": 8, "sept": 9, "Dezember": 12, "dic": 0, "quarter": 0, "": 0} {
		if got := Month(word); got != want {
			t.Errorf("%q is month %d, want %d", word, got, want)
		}
	}
}
