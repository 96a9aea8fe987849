package office

import (
	"context"
	"fmt"
	"path"
	"strings"

	"footnote/assistants/ingestion/extract"
)

// A relation is an edge from one part of an Office document to another.
type relation struct {
	kind   string // the last part of its type, such as "footnotes"
	target string // the other part; "" when it lies outside of the document
}

// relations returns the relations of a part by their ids. A part need not have any.
func (a *archive) relations(ctx context.Context, part string) (map[string]relation, error) {
	dir, file := path.Split(part)
	name := dir + "_rels/" + file + ".rels"
	found := map[string]relation{}
	if !a.has(name) {
		return found, nil
	}
	err := a.part(ctx, name, func(_ *xmlReader, e element) error {
		if e.name != "Relationship" || len(found) >= maxEntries {
			return nil
		}
		r := relation{kind: path.Base(e.attr("Type"))}
		if e.attr("TargetMode") != "External" {
			r.target = e.attr("Target")
			if !strings.HasPrefix(r.target, "/") {
				r.target = "/" + dir + r.target
			}
			r.target = strings.TrimPrefix(path.Clean(r.target), "/")
		}
		found[e.attr("Id")] = r
		return nil
	})
	return found, err
}

// related returns the part that relations of a kind lead to, or "" if the archive
// has no such part.
func (a *archive) related(relations map[string]relation, kind string) string {
	best := ""
	for _, r := range relations {
		// Several relations of one kind are an error in the document. The result must
		// not depend on the order of the map.
		if r.kind == kind && r.target != "" && a.has(r.target) && (best == "" || r.target < best) {
			best = r.target
		}
	}
	return best
}

func (a *archive) mainPart(ctx context.Context) (string, error) {
	root, err := a.relations(ctx, "")
	if err != nil {
		return "", err
	}
	main := a.related(root, "officeDocument")
	if main == "" {
		return "", damaged(errMissing)
	}
	return main, nil
}

// mainRelations returns the main part and its relations.
func (a *archive) mainRelations(ctx context.Context) (main string, relations map[string]relation, err error) {
	if main, err = a.mainPart(ctx); err != nil {
		return "", nil, err
	}
	relations, err = a.relations(ctx, main)
	return main, relations, err
}

// officeTitle returns the title in the document's properties, or "" if a program
// made it up.
func (a *archive) officeTitle(ctx context.Context) string {
	title := ""
	if !a.has("docProps/core.xml") {
		return ""
	}
	// If the properties cannot be read, only the title is missing.
	_ = a.part(ctx, "docProps/core.xml", func(x *xmlReader, e element) error {
		if e.name != "title" {
			return nil
		}
		text, err := x.text()
		title = oneLine(text)
		return err
	})
	if title == "PowerPoint Presentation" || title == "PowerPoint-Präsentation" || strings.HasPrefix(title, "Microsoft Word - ") {
		return ""
	}
	return title
}

func tooManyPages(pages, limit int) error {
	return &extract.Error{Code: extract.CodeTooComplex, Message: fmt.Sprintf("The document has %d pages; at most %d can be read.", pages, limit)}
}

// oneLine returns a text as one line without invisible characters.
func oneLine(text string) string {
	return strings.Join(strings.Fields(extract.Normalise(strings.ToValidUTF8(text, ""))), " ")
}
