package retrieval

import (
	"cmp"
	_ "embed"
	"regexp"
	"slices"
	"strings"

	"footnote/assistants/lexical"
)

// Questions often come with sentences that say how to answer: "Give your answer in USD
// millions", "Beantworte kurz". Their words are not what is looked for.

//go:embed instructions.txt
var instructionFile string

// Where an answer stands is looked for, though: "Answer from the cash flow statement only".
//
//go:embed statements.txt
var statementFile string

// statements are the names of financial statements in words, the longest first.
var statements = func() (all [][]string) {
	for _, lines := range lexical.Lists(statementFile) {
		for line := range strings.Lines(lines) {
			all = append(all, strings.Fields(line))
		}
	}
	slices.SortFunc(all, func(a, b []string) int { return cmp.Or(len(b)-len(a), slices.Compare(a, b)) })
	return all
}()

// unitsAside matches what an answer is counted in, in parentheses: "(in USD millions)". Anything
// else in them, such as a year or a place, belongs to the question.
var unitsAside = regexp.MustCompile(`(?i)\s*\(in (?:(?:us |u\.s\. )?(?:usd|eur|gbp|chf|dollars?|euros?|pounds?|[$€£]) )?(?:thousands|millions|billions|tausend|millionen|mio\.?)(?: (?:of )?(?:us |u\.s\. )?(?:usd|eur|gbp|chf|dollars?|euros?|pounds?|[$€£]))?\)`)

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

// bareWords returns the words of a text without the dots that end sentences.
func bareWords(text string) []string {
	words := wordsOf(text)
	for i, w := range words {
		words[i] = strings.Trim(w, ".")
	}
	return words
}

func isInstruction(sentence string) bool {
	words := bareWords(sentence)
	return len(words) > 0 && slices.ContainsFunc(cues[words[0]], func(c cue) bool {
		return begins(words, c.begin) && slices.Equal(words[max(0, len(words)-len(c.end)):], c.end)
	})
}

// withoutInstructions returns a question without the sentences that say how to answer it,
// or as it is if nothing else is left. What follows the colon of an instruction stays, and
// so do the names of the statements that it wants to be read.
func withoutInstructions(question string) string {
	var kept, cut []string
	bare := question
	if strings.Contains(question, "(") { // the expression would go through all of it
		bare = unitsAside.ReplaceAllString(question, "")
	}
	for _, s := range lexical.Sentences(bare) {
		sentence := bare[s.Start:s.End]
		if isInstruction(sentence) {
			instruction, rest, _ := strings.Cut(sentence, ": ")
			cut, sentence = append(cut, instruction), rest
		}
		if sentence = strings.TrimSpace(sentence); sentence != "" {
			kept = append(kept, sentence)
		}
	}
	if len(cut) == 0 && bare == question || len(lexical.QueryTerms(strings.Join(kept, " "))) == 0 {
		return question
	}
	return strings.Join(append(kept, statementsIn(strings.Join(cut, " "))...), " ")
}

// statementsIn returns the names of the financial statements in a text.
func statementsIn(text string) (names []string) {
	words := bareWords(text)
	for i := 0; i < len(words); {
		at := slices.IndexFunc(statements, func(name []string) bool { return begins(words[i:], name) })
		if at < 0 {
			i++
			continue
		}
		if name := strings.Join(statements[at], " "); !slices.Contains(names, name) {
			names = append(names, name)
		}
		i += len(statements[at])
	}
	return names
}
