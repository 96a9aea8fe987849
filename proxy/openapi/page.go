package openapi

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"strings"
)

//go:embed page.html
var pageSource string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{"code": code}).Parse(pageSource))

// A pageView is what the page shows. The texts are Markdown with nothing but `code`.
type pageView struct {
	Title, Version, Description string
	Groups                      []groupView
	Schemas                     []schemaView
}

type groupView struct {
	Name, Description string
	Operations        []operationView
}

type operationView struct {
	ID, Method, Path, Summary, Description string
	Open                                   bool // needs no key
	Parameters, Body                       []fieldView
	Examples                               []exampleView
	Responses                              []responseView
}

type exampleView struct{ Summary, JSON string }

type responseView struct {
	Status, Description string
	Schemas             []typeView
	Examples            []exampleView
}

type schemaView struct {
	Name, Description string
	Type              typeView
	Fields            []fieldView
}

type fieldView struct {
	Name, In, Description string
	Type                  typeView
	Required              bool
}

// A typeView is a type in words. Name is the schema that it leads to, if it has one.
type typeView struct{ Before, Name, After string }

// page renders the description for people. It needs no script and loads nothing.
func page(spec *object) ([]byte, error) {
	components := spec.object("components")
	info := spec.object("info")
	view := pageView{Title: info.text("title"), Version: info.text("version"), Description: info.text("description")}
	r := reader{components}
	places := map[string]int{}
	for i, tag := range spec.list("tags") {
		t, ok := tag.(*object)
		if !ok {
			return nil, fmt.Errorf("tag %d is no object", i)
		}
		places[t.text("name")] = i
		view.Groups = append(view.Groups, groupView{Name: t.text("name"), Description: t.text("description")})
	}
	paths := spec.object("paths")
	for _, path := range paths.names {
		item := paths.object(path)
		for _, method := range item.names {
			if method == "parameters" || method == "head" {
				continue
			}
			op := item.object(method)
			shown, err := r.operation(method, path, item, op)
			if err != nil {
				return nil, err
			}
			for _, tag := range op.list("tags") {
				name, _ := tag.(string)
				at, known := places[name]
				if !known {
					return nil, fmt.Errorf("%s has the unknown tag %q", op.text("operationId"), name)
				}
				view.Groups[at].Operations = append(view.Groups[at].Operations, shown)
			}
		}
	}
	schemas := components.object("schemas")
	for _, name := range schemas.names {
		s := schemas.object(name)
		view.Schemas = append(view.Schemas, schemaView{Name: name, Description: s.text("description"), Type: typeOf(s), Fields: fields(s)})
	}
	var b bytes.Buffer
	err := pageTemplate.Execute(&b, view)
	return b.Bytes(), err
}

// A reader resolves references.
type reader struct{ components *object }

func (r reader) resolve(o *object) *object {
	if to, ok := strings.CutPrefix(o.text("$ref"), "#/components/"); ok {
		kind, name, _ := strings.Cut(to, "/")
		return r.components.object(kind).object(name)
	}
	return o
}

func (r reader) operation(method, path string, item, op *object) (operationView, error) {
	view := operationView{
		ID: op.text("operationId"), Method: strings.ToUpper(method), Path: path, Summary: op.text("summary"), Description: op.text("description"),
	}
	if security, given := op.members["security"].([]any); given {
		view.Open = len(security) != 1
	}
	for _, given := range append(item.list("parameters"), op.list("parameters")...) {
		if o, ok := given.(*object); ok {
			p := r.resolve(o)
			required, _ := p.members["required"].(bool)
			view.Parameters = append(view.Parameters, fieldView{p.text("name"), p.text("in"), p.text("description"), typeOf(p.object("schema")), required})
		}
	}
	body := op.object("requestBody").object("content")
	for _, media := range body.names {
		content := body.object(media)
		view.Body = append(view.Body, fieldView{Name: media, Type: typeOf(content.object("schema"))})
		if schema := content.object("schema"); schema.text("$ref") == "" {
			view.Body = append(view.Body, fields(schema)...)
		}
		var err error
		if view.Examples, err = examplesOf(content, view.Examples); err != nil {
			return view, err
		}
	}
	responses := op.object("responses")
	for _, status := range responses.names {
		response := r.resolve(responses.object(status))
		shown := responseView{Status: status, Description: response.text("description")}
		content := response.object("content")
		for _, media := range content.names {
			shown.Schemas = append(shown.Schemas, typeOf(content.object(media).object("schema")))
			var err error
			if shown.Examples, err = examplesOf(content.object(media), shown.Examples); err != nil {
				return view, err
			}
		}
		view.Responses = append(view.Responses, shown)
	}
	return view, nil
}

// examplesOf appends the examples of a content type.
func examplesOf(content *object, to []exampleView) ([]exampleView, error) {
	examples, ok := content.members["examples"].(*object)
	if !ok {
		return to, nil
	}
	for _, name := range examples.names {
		example := examples.object(name)
		raw, err := json.MarshalIndent(example.members["value"], "", "  ")
		if err != nil {
			return to, err
		}
		to = append(to, exampleView{example.text("summary"), string(raw)})
	}
	return to, nil
}

// fields lists the members of a schema.
func fields(schema *object) []fieldView {
	required := map[any]bool{}
	for _, name := range schema.list("required") {
		required[name] = true
	}
	members, ok := schema.members["properties"].(*object)
	if !ok {
		return nil
	}
	var list []fieldView
	for _, name := range members.names {
		m := members.object(name)
		description := m.text("description")
		if value, ok := m.members["default"]; ok {
			if raw, err := json.Marshal(value); err == nil {
				description = strings.TrimSpace(description + " Default: `" + string(raw) + "`.")
			}
		}
		list = append(list, fieldView{Name: name, Description: description, Type: typeOf(m), Required: required[name]})
	}
	return list
}

// typeOf puts a schema's type into words.
func typeOf(s *object) typeView {
	if name, ok := strings.CutPrefix(s.text("$ref"), "#/components/schemas/"); ok {
		return typeView{Name: name}
	}
	for _, combined := range []string{"anyOf", "allOf"} {
		for _, one := range s.list(combined) {
			if o, ok := one.(*object); ok && o.text("$ref") != "" {
				return typeOf(o)
			}
		}
	}
	var kinds []string
	switch t := s.members["type"].(type) {
	case string:
		kinds = []string{t}
	case []any:
		for _, kind := range t {
			kinds = append(kinds, fmt.Sprint(kind))
		}
	}
	words := strings.Join(kinds, " or ")
	if items, ok := s.members["items"].(*object); ok {
		of := typeOf(items)
		return typeView{words + " of " + of.Before, of.Name, of.After + bounds(s)}
	}
	if values := s.list("enum"); len(values) > 0 {
		var list []string
		for _, v := range values {
			list = append(list, fmt.Sprint(v))
		}
		words = strings.Join(list, " | ")
	}
	return typeView{Before: words + bounds(s)}
}

// bounds puts the bounds of a schema into words.
func bounds(s *object) string {
	text := ""
	for _, b := range []struct{ name, words string }{
		{"minimum", " ≥ %v"}, {"maximum", " ≤ %v"}, {"maxLength", ", at most %v characters"}, {"maxItems", ", at most %v"},
	} {
		if value, ok := s.members[b.name]; ok {
			text += fmt.Sprintf(b.words, value)
		}
	}
	return text
}

// code renders a text in which `code` stands between backticks.
func code(text string) template.HTML {
	parts := strings.Split(text, "`")
	var b strings.Builder
	for i, part := range parts {
		safe := template.HTMLEscapeString(part)
		if i%2 == 1 && i+1 < len(parts) {
			safe = "<code>" + safe + "</code>"
		}
		b.WriteString(safe)
	}
	return template.HTML(b.String()) //nolint:gosec // every part is escaped
}
