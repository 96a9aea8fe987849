package proxy

import (
	"slices"
	"testing"

	"footnote/assistants"
	"footnote/citations"
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

// The domain checks what citation_prompt may name, the engine has the texts.
func TestEveryPresetOfTheCitationPromptHasItsText(t *testing.T) {
	if names, texts := assistants.CitationPresets(), citations.Presets(); !slices.Equal(names, texts) {
		t.Errorf("the setting knows %v, the engine %v", names, texts)
	}
	if assistants.SourcesPlace != citations.SourcesPlace || assistants.PresetDefault != citations.PresetDefault {
		t.Error("the setting and the engine name the place of the sources, or the default, differently")
	}
}
