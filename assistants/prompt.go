package assistants

import (
	"fmt"
	"slices"
	"strings"
)

// CitationPresets are the presets of citation_prompt. The citation engine holds
// their texts.
func CitationPresets() []string { return []string{PresetDefault, "seed", "lumikb", "strict", "worked"} }

const (
	// SourcesPlace is where the sources go in a custom citation_prompt.
	SourcesPlace = "{sources}"
	// MaxPrompt is the longest citation_prompt, in code points.
	MaxPrompt = 16_000
)

// checkPrompt checks that citation_prompt is a preset or contains SourcesPlace
// once.
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
