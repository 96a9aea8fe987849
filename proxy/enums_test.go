package proxy

import (
	"testing"

	"footnote/assistants"
)

// The domain and the citation engine each have an enumeration of offset units,
// because neither may import the other: every value must survive the way over.
func TestEveryOffsetUnitIsMapped(t *testing.T) {
	for _, f := range assistants.Fields() {
		if f.Name != "citation_offset_unit" {
			continue
		}
		for _, name := range f.Allowed {
			if got := offsetUnit(assistants.OffsetUnit(name)); string(got) != name {
				t.Errorf("%s becomes %s", name, got)
			}
		}
		return
	}
	t.Fatal("there is no such setting")
}
