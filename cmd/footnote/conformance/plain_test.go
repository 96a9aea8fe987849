package conformance

import (
	"strings"
	"testing"
)

// A layout is what a format shows of two sources with public links. It is what
// readings are compared with, so it is held to the formats' own rules first.
type layout struct {
	object, annotations, list, context bool
	// footer: the text ends with the cited sources.
	footer bool
	// marks are what the format makes of markers.
	marks *strings.Replacer
}

var layouts = map[string]layout{
	"native":     {object: true, annotations: true},
	"utf16":      {object: true, annotations: true},
	"bytes":      {object: true, annotations: true},
	"openai":     {annotations: true},
	"perplexity": {list: true},
	"azure":      {context: true, marks: strings.NewReplacer("[1]", "[doc1]", "[2]", "[doc2]", "【1】", "[doc1]")},
	"markdown":   {object: true, footer: true},
	"none":       {},
}

// checkPlain proves that plain HTTP shows what the format consists of.
func checkPlain(t *testing.T, name, format string, r reading) {
	t.Helper()
	l := layouts[format]
	cited := name == "cited"
	object, isObject := r.Citations.(map[string]any)
	list, isList := r.Citations.([]any)
	annotations, _ := r.Annotations.([]any)
	if isObject != l.object || isList != l.list || (r.SearchResults != nil) != l.list || (r.Context != nil) != l.context {
		t.Fatalf("%s in %s: %+v", name, format, r)
	}
	status := map[string]string{"cited": "cited", "uncited": "none", "tools": "skipped"}[name]
	if sources, _ := object["sources"].([]any); isObject && (object["status"] != status || len(sources) != 2) {
		t.Errorf("%s in %s: the object is %v", name, format, object)
	}
	want := 0
	if cited && l.annotations {
		want = 2
	}
	if len(annotations) != want {
		t.Errorf("%s in %s: the annotations are %v", name, format, annotations)
	}
	if want = 0; isList {
		want = 2
	}
	if results, _ := r.SearchResults.([]any); len(list) != want || len(results) != want {
		t.Errorf("%s in %s: the lists are %v and %v", name, format, list, results)
	}
	for _, from := range []string{"annotations", "citations"} {
		for i, link := range r.links(from) {
			if name != "tools" && !strings.HasSuffix(link.URL, "/"+[]string{"vacation.md", "offices.md"}[i]+"#chunk=0") {
				t.Errorf("%s in %s: the link %d is %s", name, format, i+1, link.URL)
			}
			if !opens(t, link.URL) {
				t.Errorf("%s in %s: %s does not open", name, format, link.URL)
			}
		}
	}
	context, _ := r.Context.(map[string]any)
	if sources, _ := context["citations"].([]any); l.context && len(sources) != 2 {
		t.Errorf("%s in %s: the context is %v", name, format, r.Context)
	}
	checkPlainText(t, l, name, format, r)
}

func checkPlainText(t *testing.T, l layout, name, format string, r reading) {
	t.Helper()
	text := map[string]string{"cited": citedText, "uncited": uncitedText}[name]
	if l.marks != nil {
		text = l.marks.Replace(text)
	}
	rest, ok := strings.CutPrefix(r.Text, text)
	if !ok || (name == "tools") != (len(r.Tools) == 2) {
		t.Errorf("%s in %s: the text is %q, the tools are %v", name, format, r.Text, r.Tools)
	}
	if !l.footer || name != "cited" {
		if rest != "" {
			t.Errorf("%s in %s: the text goes on with %q", name, format, rest)
		}
		return
	}
	object, _ := r.Citations.(map[string]any)
	sources, _ := object["sources"].([]any)
	want := "\n\n**Sources**\n"
	for i, s := range sources {
		source, _ := s.(map[string]any)
		docName, _ := source["document_name"].(string)
		url, _ := source["download_url"].(string)
		want += "\n" + string(rune('1'+i)) + ". [" + docName + "](" + url + "#chunk=0)"
	}
	if rest != want {
		t.Errorf("%s in %s: the list is %q, want %q", name, format, rest, want)
	}
}

// TestTheNthLinkIsTheNthMarker proves what the README of this folder tells users of
// Open WebUI to set: there the n-th of the links is taken for [n], so that an
// answer that cites the second source alone must not call it [2].
func TestTheNthLinkIsTheNthMarker(t *testing.T) {
	w := startAssistants(t, map[string]map[string]any{"chips": {"citation_numbering": "document", "citation_renumber": true}})
	for kind, r := range map[string]reading{"JSON": w.plain("second", "chips"), "a stream": w.streamed("second", "chips")} {
		links := r.links("annotations")
		if r.Text != "Leeds has holidays of its own [1]." || len(links) != 1 || links[0].Title != "offices.md" {
			t.Errorf("%s: %q with %v", kind, r.Text, links)
		}
	}
}
