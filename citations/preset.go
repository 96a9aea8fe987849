package citations

import (
	"embed"
	"strconv"
	"strings"
)

// Presets of the citing instruction, for PromptOptions.Template.
const (
	// PresetDefault asks to cite and to keep the numbers.
	PresetDefault = "default"
	// PresetSeed is the short instruction: use the numbers, and invent nothing.
	PresetSeed = "seed"
	// PresetLumiKB asks for a number after every factual claim. It is named after the
	// system whose wording it keeps.
	PresetLumiKB = "lumikb"
	// PresetStrict forbids what the sources do not say.
	PresetStrict = "strict"
	// PresetWorked adds turns that show how answers cite. Small local models hardly
	// cite without them.
	PresetWorked = "worked"
)

// Presets returns the names of the presets.
func Presets() []string {
	names := make([]string, len(presets))
	for i, p := range presets {
		names[i] = p.name
	}
	return names
}

// SourcesPlace marks the position of the sources in a custom template.
const SourcesPlace = "{sources}"

// A Turn is a question and its answer, shown to the model before the conversation.
type Turn struct{ Question, Answer string }

// Turns returns the worked turns that belong to the prompt: those of PresetWorked,
// and none if the prompt does not ask for citations. They have invented sources.
func (p PromptOptions) Turns() []Turn {
	if !p.Cite || !p.Instruct {
		return nil
	}
	return presetOf(p.Template).turns
}

// A preset is the instruction around the sources. {numbers} in it is replaced by the
// range of valid numbers.
type preset struct {
	name   string
	before string // lines before the rule about data and the sources
	after  string // repeats the rule after the sources, where models follow it best
	turns  []Turn
}

const lead = "Use the following numbered sources to answer the user's question.\n"

//go:embed presets
var presetFiles embed.FS

// presets are the texts of the folder, with the sources in their place.
var presets = []preset{
	readPreset(PresetDefault), readPreset(PresetSeed), readPreset(PresetLumiKB), readPreset(PresetStrict),
	readPreset(PresetWorked,
		workedTurn("When do the tulips flower?", "The tulips in the park flower in April [2].",
			Source{DocumentName: "boats.txt", Text: "The ferry to the island leaves at nine."},
			Source{DocumentName: "garden.txt", Text: "The tulips in the park flower in April."},
			Source{DocumentName: "kitchen.txt", Text: "Rice is boiled for twelve minutes."}),
		workedTurn("Who repairs the clock?", "A watchmaker from the next village repairs the clock [3].",
			Source{DocumentName: "choir.txt", Text: "The choir sings on Sundays."},
			Source{DocumentName: "bakery.txt", Text: "The bakery opens at six."},
			Source{DocumentName: "tower.txt", Text: "A watchmaker from the next village repairs the clock."}),
		workedTurn("How long is the trail?", "The trail around the lake is five miles long [1].",
			Source{DocumentName: "lake.txt", Text: "The trail around the lake is five miles long."},
			Source{DocumentName: "school.txt", Text: "The school has two gardens."},
			Source{DocumentName: "market.txt", Text: "The market sells honey."}),
	),
}

func readPreset(name string, turns ...Turn) preset {
	text, err := presetFiles.ReadFile("presets/" + name + ".txt")
	if err != nil {
		panic(err)
	}
	before, after, _ := strings.Cut(string(text), SourcesPlace+"\n")
	return preset{name, before, strings.TrimSuffix(after, "\n"), turns}
}

// workedTurn shows a question about invented sources, in the form of the block.
// Their fence lines say so; the code of a block never reads like that.
func workedTurn(question, answer string, sources ...Source) Turn {
	for i := range sources {
		sources[i].complete(i + 1)
	}
	return Turn{
		Question: list(passagesOf(sources), "example", "An example, with sources of its own:\n", "\nThe question of the example: "+question),
		Answer:   answer,
	}
}

// presetOf returns the preset with a name, and the default preset for other names.
func presetOf(name string) preset {
	for _, p := range presets {
		if p.name == name {
			return p
		}
	}
	return presets[0]
}

// words returns the text before and after the sources of a cited block whose numbers
// go from 1 to highest.
func (p PromptOptions) words(highest int) (before, after string) {
	const heading = dataRule + "\nSources:\n"
	if !p.Instruct {
		return lead + heading, ""
	}
	if before, after, own := strings.Cut(p.Template, SourcesPlace); own {
		// The fence lines must stay lines wherever the sources are inserted, and the list
		// ends with a line break.
		if before != "" && !strings.HasSuffix(before, "\n") {
			before += "\n"
		}
		return before + dataRule, strings.TrimPrefix(after, "\n")
	}
	text, numbers := presetOf(p.Template), validNumbers(highest)
	before = strings.Replace(text.before, "{numbers}", numbers, 1)
	return before + heading, "\n" + strings.Replace(text.after, "{numbers}", numbers, 1)
}

func validNumbers(highest int) string {
	if highest == 1 {
		return "the only valid number is 1"
	}
	return "the only valid numbers are 1 to " + strconv.Itoa(highest)
}
