package lexical

import "testing"

func TestMonth(t *testing.T) {
	for word, want := range map[string]int{"January": 1, "märz": 3, "AOÛT": 8, "Dezember": 12, "sept": 0, "quarter": 0, "": 0} {
		if got := Month(word); got != want {
			t.Errorf("%q is month %d, want %d", word, got, want)
		}
	}
	for word, want := range map[string]int{"Sept": 9, "dez": 12, "May": 5, "March": 0, "-": 0, "": 0} {
		if got := ShortMonth(word); got != want {
			t.Errorf("%q abbreviates month %d, want %d", word, got, want)
		}
	}
}
