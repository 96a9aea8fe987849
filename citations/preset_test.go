package citations

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

func asking(template string) PromptOptions {
	return PromptOptions{Secret: []byte("k"), Cite: true, Instruct: true, Template: template}
}

func TestEveryPresetHasTheSourcesBetweenItsRuleAndTheReminder(t *testing.T) {
	for _, name := range Presets() {
		prompt := golden(NewSet(reportSources, Options{}).Prompt(asking(name)))
		checkBlock(t, NewSet(reportSources, Options{}).Prompt(asking(name)), 2)
		before, rest, found := strings.Cut(prompt, "\n\nSources:\n\n[1] (Source: \"Q3 Earnings Report.pdf\", page 12)\n<passage CODE>\n")
		_, after, closed := strings.Cut(rest, "\n</passage CODE>\n\nRemember: ")
		if !found || !closed {
			t.Fatalf("%s:\n%s", name, prompt)
		}
		if !strings.HasSuffix(before, strings.TrimSuffix(dataRule, "\n")) {
			t.Errorf("%s does not end in the rule about data: %s", name, before)
		}
		if !strings.Contains(before, "[1]") || !strings.Contains(after, "in brackets") || !strings.Contains(after, "the only valid numbers are 1 to 2.") {
			t.Errorf("%s asks %q and repeats %q", name, before, after)
		}
		if strings.Contains(prompt, "equential") || strings.ContainsAny(prompt, "{}") {
			t.Errorf("%s invites to renumber, or has a place that is not filled: %s", name, prompt)
		}
	}
}

func TestPresetsContainTheirSentences(t *testing.T) {
	for name, sentences := range map[string][]string{
		PresetSeed:   {"cite it using bracket notation like [1], [2], etc.", "[1][3]", "Cite only sources that you use.", "Do not fabricate"},
		PresetLumiKB: {"Every factual claim", `"I don't have information about that in the available documents."`, "An example"},
		PresetStrict: {"ONLY from the numbered sources", `"I don't have information on that."`, "Never renumber"},
	} {
		prompt := NewSet(reportSources, Options{}).Prompt(asking(name))
		for _, sentence := range sentences {
			if !strings.Contains(prompt, sentence) {
				t.Errorf("%s lacks %q", name, sentence)
			}
		}
	}
}

func TestWithoutAnInstructionPresetsAndTemplatesDoNotMatter(t *testing.T) {
	set := NewSet(reportSources, Options{})
	want := set.Prompt(PromptOptions{Secret: []byte("k"), Cite: true})
	for _, template := range append(Presets(), "Cite! {sources}") {
		if got := set.Prompt(PromptOptions{Secret: []byte("k"), Cite: true, Template: template}); got != want {
			t.Errorf("%s: %s", template, got)
		}
		if got := set.Prompt(PromptOptions{Instruct: true, Template: template}); !strings.HasPrefix(got, "Use the following context") {
			t.Errorf("%s: without citations the block is %s", template, got)
		}
	}
}

func TestOnlyTheWorkedPresetHasTurnsAndOnlyWhereItAsks(t *testing.T) {
	for _, name := range append(Presets(), "", "{sources}", "unknown") {
		if got := len(asking(name).Turns()); got != map[bool]int{true: 3}[name == PresetWorked] {
			t.Errorf("%s has %d turns", name, got)
		}
	}
	for _, silent := range []PromptOptions{{Template: PresetWorked}, {Cite: true, Template: PresetWorked}, {Instruct: true, Template: PresetWorked}} {
		if got := silent.Turns(); got != nil {
			t.Errorf("%+v has turns", silent)
		}
	}
}

func TestWorkedTurnsCiteTheirOwnSourcesInTheFormOfTheBlock(t *testing.T) {
	header := regexp.MustCompile(`(?m)^\[(\d)\] \(Source: "[a-z]+\.txt"\)\n<passage example>\n(.+)\n</passage example>$`)
	var cited []int
	for _, turn := range asking(PresetWorked).Turns() {
		sources := header.FindAllStringSubmatch(turn.Question, -1)
		if len(sources) != 3 || !strings.HasPrefix(turn.Question, "An example") || strings.Contains(turn.Question, "Sources:") {
			t.Errorf("%d sources in %s", len(sources), turn.Question)
		}
		set := NewSet(make([]Source, 3), Options{})
		tracker := set.Tracker()
		tracker.Write(0, turn.Answer)
		verdict := tracker.Result()
		if len(verdict.Markers) != 1 || len(verdict.InvalidIndices) > 0 {
			t.Fatalf("%q cites %v", turn.Answer, verdict.ReferencedIndices)
		}
		n := verdict.ReferencedIndices[0]
		cited = append(cited, n)
		if claim := StripMarkers(turn.Answer); claim != sources[n-1][2] {
			t.Errorf("%q is not what source %d says: %q", claim, n, sources[n-1][2])
		}
	}
	if !slices.Equal(cited, []int{2, 3, 1}) {
		t.Errorf("the turns cite %v", cited)
	}
}

func TestTemplateHasTheSourcesInItsPlaceAndNothingElse(t *testing.T) {
	list := strings.TrimSuffix(dataRule, "\n") + `

[1] (Source: "notes.md")
<passage CODE>
The {sources} of the river.
</passage CODE>`
	set := NewSet([]Source{{DocumentName: "notes.md", Text: "The {sources} of the river."}}, Options{})
	for template, want := range map[string]string{
		"{sources}":                     list,
		"Cite.\n\n{sources}\n\nCite!":   "Cite.\n\n" + list + "\n\nCite!",
		"Sources: {sources} Cite!":      "Sources: \n" + list + "\n Cite!",
		"{numbers}\r\n{sources}\r\nEnd": "{numbers}\r\n" + list + "\n\r\nEnd",
		"Cite.\n{sources}\n\n":          "Cite.\n" + list,
	} {
		if got := golden(set.Prompt(asking(template))); got != want {
			t.Errorf("%q: got\n%s\nwant\n%s", template, got, want)
		}
	}
	if got := NewSet(nil, Options{}).Prompt(asking("Cite. {sources}")); got != nothingFound {
		t.Errorf("without sources the prompt is %q", got)
	}
}

func TestUnknownPresetIsTheDefault(t *testing.T) {
	set := NewSet(reportSources, Options{})
	want := set.Prompt(asking(PresetDefault))
	for _, name := range []string{"", "unknown"} {
		if got := set.Prompt(asking(name)); got != want {
			t.Errorf("%q: %s", name, got)
		}
	}
}
