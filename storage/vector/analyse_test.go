package vector

import (
	"fmt"
	"testing"
)

func TestNamesAreSearchedWithoutTheirExtension(t *testing.T) {
	for name, want := range map[string]string{
		"Travel Policy.pdf": "[travel polici policy]", "notes.v2.markdown": "[note not notes v2]", "README": "[readm]", "No. 7 apples": "[7 appl apples]", "": "[]",
	} {
		if got := fmt.Sprint(nameTerms(name)); got != want {
			t.Errorf("%q gives %s, want %s", name, got, want)
		}
	}
}
