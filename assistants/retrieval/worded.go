package retrieval

import (
	"slices"
	"strings"

	"footnote/assistants/lexical"
)

// Rewording returns a function that puts a question into the words of texts: in place of a
// phrase that none of them has stands an addition that one has, or the first. Sentences that
// say how to answer are left out.
func Rewording(added []Addition) func(question string, texts []string) string {
	return func(question string, texts []string) string {
		question = withoutInstructions(question)
		if len(added) == 0 {
			return question
		}
		words := make([][]lexical.PhraseWord, len(texts))
		for i, text := range texts {
			words[i] = lexical.PhraseWords(text)
		}
		found := func(phrase string) bool {
			sought := lexical.PhraseWords(phrase)
			return slices.ContainsFunc(words, func(text []lexical.PhraseWord) bool { return hasPhrase(text, sought) })
		}
		var missing []Addition
		for _, s := range added {
			if found(s.Phrase) {
				continue
			}
			s.Added = s.Added[max(0, slices.IndexFunc(s.Added, found)):]
			missing = append(missing, s)
		}
		return worded(question, missing)
	}
}

// hasPhrase reports whether a text has the words of a phrase one after the other, in
// whatever inflection.
func hasPhrase(text, phrase []lexical.PhraseWord) bool {
	for i := range len(text) - len(phrase) + 1 {
		part := text[i : i+len(phrase)]
		if slices.EqualFunc(part, phrase, func(a, b lexical.PhraseWord) bool { return a.English == b.English }) ||
			slices.EqualFunc(part, phrase, func(a, b lexical.PhraseWord) bool { return a.German == b.German }) {
			return true
		}
	}
	return false
}

// worded returns a question with the first addition in place of each phrase.
func worded(question string, additions []Addition) string {
	if len(additions) == 0 {
		return question
	}
	ends := map[int]bool{}
	words := lexical.PhraseWords(question)
	for _, w := range words {
		ends[w.End] = true
	}
	var b strings.Builder
	end := 0
	for _, w := range words {
		var best Addition
		for _, s := range additions {
			if len(s.Phrase) > len(best.Phrase) && strings.HasPrefix(question[w.Start:], s.Phrase) && ends[w.Start+len(s.Phrase)] {
				best = s
			}
		}
		if best.Phrase != "" && w.Start >= end {
			b.WriteString(question[end:w.Start] + best.Added[0])
			end = w.Start + len(best.Phrase)
		}
	}
	return b.String() + question[end:]
}
