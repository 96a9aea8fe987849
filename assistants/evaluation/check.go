package evaluation

import (
	"fmt"
	"slices"
	"strings"
)

// A Document is a document of an assistant.
type Document struct {
	ID    string // on the server; Check does not need it
	Name  string
	Pages int  // 0: the document has no pages
	Found bool // whether any passage of it is searchable yet
}

// Check finds questions that these documents cannot answer, and returns a
// sentence for each document. Such questions count as not found although
// nothing is wrong with the assistant. complete means that the assistant has no
// other documents.
func Check(questions []Question, documents []Document, complete bool) []string {
	var out []string
	var seen []string
	for _, q := range questions {
		for _, e := range q.Expected() {
			key := documentKey(e.Document)
			if slices.Contains(seen, key) {
				continue
			}
			seen = append(seen, key)
			if problem := problemOf(key, questions, documents, complete); problem != "" {
				out = append(out, problem)
			}
		}
	}
	return out
}

// problemOf returns a sentence about questions that a document cannot answer, or "".
func problemOf(key string, questions []Question, documents []Document, complete bool) string {
	known, found, last := false, false, 0
	name := ""
	for _, d := range documents {
		if documentKey(d.Name) == key {
			known, found, last = true, found || d.Found, max(last, d.Pages)
		}
	}
	var all, beyond []string
	for _, q := range questions {
		for _, e := range q.Expected() {
			if documentKey(e.Document) != key {
				continue
			}
			if name == "" {
				name = e.Document
			}
			all = append(all, q.ID)
			if len(e.Pages) > 0 && slices.Max(e.Pages) > last { // a mistake, even if another page exists
				beyond = append(beyond, q.ID)
			}
		}
	}
	switch {
	case !known && complete:
		return fmt.Sprintf("The assistant has no document %q, so these questions count as not found: %s.", name, joinFirst(all))
	case known && !found:
		return fmt.Sprintf("%q cannot be searched yet, so these questions count as not found: %s.", name, joinFirst(all))
	case known && len(beyond) > 0 && last == 0:
		return fmt.Sprintf("%q has no pages, and questions name some: %s.", name, joinFirst(beyond))
	case known && len(beyond) > 0:
		return fmt.Sprintf("%q ends with page %d, and questions name later ones: %s.", name, last, joinFirst(beyond))
	}
	return ""
}

// joinFirst joins the first ids and appends how many more there are.
func joinFirst(ids []string) string {
	const most = 5
	if len(ids) <= most {
		return strings.Join(ids, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(ids[:most], ", "), len(ids)-most)
}
