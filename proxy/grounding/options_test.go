package grounding

import (
	"fmt"
	"slices"
	"testing"

	"footnote/assistants"
	"footnote/citations"
)

// Every value of a setting that the domain and the citation engine both know
// must survive the way over, and there must be no other.
func TestEveryEnumerationIsMapped(t *testing.T) {
	for _, c := range []struct {
		setting string
		mapped  func(citations.Options) string
		plain   string // the value that the engine writes as ""
	}{
		{"citation_offset_unit", func(o citations.Options) string { return string(o.Unit) }, ""},
		{"citation_numbering", func(o citations.Options) string { return string(o.Numbering) }, "chunk"},
		{"marker_mode", func(o citations.Options) string { return string(o.Markers) }, "keep"},
		{"orphan_policy", func(o citations.Options) string { return string(o.Orphans) }, "drop"},
		{"no_marker_policy", func(o citations.Options) string { return string(o.NoMarkers) }, "empty"},
	} {
		for _, name := range allowedOf(t, c.setting) {
			got := c.mapped(Options(withSetting(t, c.setting, name)))
			if got != name && (got != "" || name != c.plain) {
				t.Errorf("%s %s becomes %q", c.setting, name, got)
			}
		}
	}
	for value, checks := range map[string]bool{"lexical": true, "off": false} {
		if got := Options(withSetting(t, "support_check", value)); got.Support != checks {
			t.Errorf("support_check %s: %+v", value, got)
		}
	}
	for _, on := range []bool{false, true} {
		s := assistants.DefaultSettings()
		s.CitationRenumber = on
		if Options(&s).Renumber != on {
			t.Errorf("citation_renumber %v", on)
		}
	}
}

func allowedOf(t *testing.T, setting string) []string {
	t.Helper()
	for _, f := range assistants.Fields() {
		if f.Name == setting {
			return f.Allowed
		}
	}
	t.Fatal("there is no setting", setting)
	return nil
}

func withSetting(t *testing.T, name, value string) *assistants.Settings {
	t.Helper()
	s, err := assistants.DefaultSettings().Merge(fmt.Appendf(nil, `{%q:%q}`, name, value))
	if err != nil {
		t.Fatal(err)
	}
	return &s
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
