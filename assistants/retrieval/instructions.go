package retrieval

import (
	_ "embed"
	"slices"
	"strings"

	"footnote/assistants/lexical"
)

// Questions often come with sentences that say how to answer: "Give your answer in USD
// millions", "Beantworte kurz". Their words are not what is looked for.

//go:embed instructions.txt
var instructionFile string

// A cue is the beginning of an instruction, and how it must end.
type cue struct{ begin, end []string }

// cues are those of all languages, by their first word.
var cues = func() map[string][]cue {
	all := map[string][]cue{}
	for _, lines := range lexical.Lists(instructionFile) {
		for line := range strings.Lines(lines) {
			begin, end, _ := strings.Cut(line, "…")
			c := cue{strings.Fields(begin), strings.Fields(end)}
			all[c.begin[0]] = append(all[c.begin[0]], c)
		}
	}
	return all
}()

func isInstruction(sentence string) bool {
	words := wordsOf(sentence)
	for i, w := range words {
		words[i] = strings.Trim(w, ".")
	}
	return len(words) > 0 && slices.ContainsFunc(cues[words[0]], func(c cue) bool {
		return begins(words, c.begin) && slices.Equal(words[max(0, len(words)-len(c.end)):], c.end)
	})
}

// withoutInstructions returns a question without the sentences that say how to answer it,
// or as it is if nothing else is left. What follows the colon of an instruction stays.
func withoutInstructions(question string) string {
	var kept []string
	cut := false
	for _, s := range lexical.Sentences(question) {
		sentence := question[s.Start:s.End]
		if isInstruction(sentence) {
			cut = true
			_, sentence, _ = strings.Cut(sentence, ": ")
		}
		if sentence = strings.TrimSpace(sentence); sentence != "" {
			kept = append(kept, sentence)
		}
	}
	if !cut || len(lexical.QueryTerms(strings.Join(kept, " "))) == 0 {
		return question
	}
	return strings.Join(kept, " ")
}
