package cli

import "testing"

// The claims that ask shows are cut by the assistant's unit of offsets.
func TestShownClaimsInEveryUnit(t *testing.T) {
	const text = "a 🐝. Wax é. b"
	for unit, bounds := range map[string][2]int{"codepoint": {5, 11}, "utf16": {6, 12}, "byte": {8, 15}} {
		if got := cutOut(text, unit, bounds[0], bounds[1]); got != "Wax é." {
			t.Errorf("%s: %q", unit, got)
		}
	}
	for _, bounds := range [][2]int{{-1, 3}, {3, 99}, {4, 3}} {
		if got := cutOut(text, "byte", bounds[0], bounds[1]); len(got) > len(text) {
			t.Errorf("%q", got)
		}
	}
}
