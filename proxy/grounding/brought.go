package grounding

import (
	"unicode/utf8"

	"footnote/assistants/lexical"
	"footnote/citations"
	"footnote/proxy/wire"
)

// Brought turns the passages that came with a request into sources. The score of a
// passage is the share of the question's terms that it has.
func Brought(passages []wire.Passage, question string) []citations.Source {
	if len(passages) == 0 {
		return nil
	}
	terms := lexical.QueryTerms(question)
	sources := make([]citations.Source, len(passages))
	for i, p := range passages {
		src := citations.Source{
			DocumentID: p.ID, DocumentName: p.Name, DownloadURL: p.URL, Text: p.Text, CharEnd: utf8.RuneCountInString(p.Text),
			Score: score(shareOf(terms, p.Text)), Brought: true,
		}
		if p.Name == "" {
			src.DocumentName = p.ID
		}
		if page := p.Page; page > 0 {
			src.PageNumber, src.PageEnd = &page, &page
		}
		sources[i] = src
	}
	return sources
}

// shareOf returns the share of terms that a text has, 0 if there are no terms.
func shareOf(terms []string, text string) float64 {
	if len(terms) == 0 {
		return 0
	}
	has := map[string]bool{}
	lexical.EachTerm(text, func(t lexical.Term) { has[t.Text] = true })
	found := 0
	for _, term := range terms {
		if has[term] {
			found++
		}
	}
	return float64(found) / float64(len(terms))
}
