package evaluation

import (
	"fmt"
	"slices"
	"strings"
)

// A Document is one that an assistant may answer from.
type Document struct {
	Name  string
	Pages int  // 0: it has none
	Found bool // whether anything of it can be found yet
}

// Check tells, a sentence for each document, which questions ask for what these
// documents do not have: those count as not found, and nothing is wrong with
// the assistant. complete says that there are no other documents.
func Check(questions []Question, documents []Document, complete bool) []string {
	var out []string
	var seen []string
	for _, q := range questions {
		key := documentKey(q.Document)
		if slices.Contains(seen, key) {
			continue
		}
		seen = append(seen, key)
		if problem := about(key, questions, documents, complete); problem != "" {
			out = append(out, problem)
		}
	}
	return out
}

// about is what is wrong with the questions about a document, "" if nothing is.
func about(key string, questions []Question, documents []Document, complete bool) string {
	there, found, last := false, false, 0
	name := ""
	for _, d := range documents {
		if documentKey(d.Name) == key {
			there, found, last = true, found || d.Found, max(last, d.Pages)
		}
	}
	var all, beyond []string
	for _, q := range questions {
		if documentKey(q.Document) != key {
			continue
		}
		if name == "" {
			name = q.Document
		}
		all = append(all, q.ID)
		if len(q.Pages) > 0 && slices.Max(q.Pages) > last { // a slip, even beside a page that is there
			beyond = append(beyond, q.ID)
		}
	}
	switch {
	case !there && complete:
		return fmt.Sprintf("The assistant has no document %q, so these questions count as not found: %s.", name, few(all))
	case there && !found:
		return fmt.Sprintf("%q cannot be searched yet, so these questions count as not found: %s.", name, few(all))
	case there && len(beyond) > 0 && last == 0:
		return fmt.Sprintf("%q has no pages, and questions name some: %s.", name, few(beyond))
	case there && len(beyond) > 0:
		return fmt.Sprintf("%q ends with page %d, and questions name later ones: %s.", name, last, few(beyond))
	}
	return ""
}

// few are some of the ids, and how many more there are.
func few(ids []string) string {
	const most = 5
	if len(ids) <= most {
		return strings.Join(ids, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(ids[:most], ", "), len(ids)-most)
}
