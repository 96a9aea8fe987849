package assistants

import (
	"fmt"
	"slices"
	"strings"
)

// PresetDefault is the citation_prompt of an assistant that sets none.
const PresetDefault = "default"

// CitationPresets are the names that citation_prompt may have; their texts are
// the citation engine's.
func CitationPresets() []string { return []string{PresetDefault, "seed", "lumikb", "strict", "worked"} }

const (
	// SourcesPlace is where a citation_prompt of one's own has the sources.
	SourcesPlace = "{sources}"
	// MaxPrompt is the longest citation_prompt, in code points.
	MaxPrompt = 16_000
)

// checkPrompt checks that the citing instruction is a preset or has one place
// for the sources.
func (s Settings) checkPrompt() error {
	presets := CitationPresets()
	if slices.Contains(presets, s.CitationPrompt) {
		return nil
	}
	invalid := func(format string, args ...any) error {
		return &FieldError{Field: "citation_prompt", Message: fmt.Sprintf(format, args...)}
	}
	switch strings.Count(s.CitationPrompt, SourcesPlace) {
	case 0:
		asked := strings.ToLower(strings.TrimSpace(s.CitationPrompt))
		if slices.Contains(presets, asked) {
			return invalid("citation_prompt has no preset %q; did you mean %q?", clip(s.CitationPrompt), asked)
		}
		return invalid("citation_prompt must be one of the presets %s, or a text with %s where the sources go.", strings.Join(presets, ", "), SourcesPlace)
	case 1:
		return nil
	default:
		return invalid("citation_prompt must contain %s exactly once.", SourcesPlace)
	}
}
