package lexical

import "strings"

// A PhraseWord is a word of a phrase or of a text that phrases are looked for in. Its
// stems are compared in one language at a time: two inflections of a word have the same
// stem in the language that they are of.
type PhraseWord struct {
	English, German string
	Start, End      int // in bytes
}

// PhraseWords returns the words of a text, without those that only join others. Letters
// joined by an ampersand, as in R&D, are one word.
func PhraseWords(text string) []PhraseWord {
	var ws []word
	eachWord(text, func(w word) { ws = append(ws, w) })
	m := stemCaches.Get().(stemCache)
	defer stemCaches.Put(m)
	out := make([]PhraseWord, 0, len(ws))
	for i := 0; i < len(ws); i++ {
		last := i
		for last+1 < len(ws) && ws[last].end+1 == ws[last+1].start && text[ws[last].end] == '&' {
			last++
		}
		w := PhraseWord{Start: ws[i].start, End: ws[last].end}
		switch {
		case last > i:
			w.English = strings.ToLower(text[w.Start:w.End])
			w.German = w.English
		case ws[i].kind != kindWord:
			w.English = strings.Clone(ws[i].text)
			w.German = w.English
		case functionWords[ws[i].text]:
			continue
		default:
			s := m.stems(ws[i].text, englishAndGerman)
			w.English, w.German = s.by[languageEnglish], s.by[languageGerman]
		}
		out = append(out, w)
		i = last
	}
	return out
}
