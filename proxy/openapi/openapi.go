package openapi

import (
	"embed"
	"encoding/json"
	"fmt"
	"path"
)

//go:embed spec
var files embed.FS

// parts are the files in spec, in the order of the page.
var parts = struct{ paths, schemas []string }{
	paths:   []string{"paths_chat.yaml", "paths_responses.yaml", "paths_search.yaml", "paths_search_collections.yaml", "paths_check.yaml", "paths_files.yaml", "paths_assistants.yaml", "paths_evaluation.yaml", "paths_history.yaml", "paths_documents.yaml", "paths_server.yaml", "paths_limits.yaml", "paths_usage.yaml", "paths_mcp.yaml"},
	schemas: []string{"schemas_chat.yaml", "schemas_debug.yaml", "schemas_responses.yaml", "schemas_search.yaml", "schemas_search_collections.yaml", "schemas_check.yaml", "schemas_files.yaml", "schemas_control.yaml", "schemas_evaluation.yaml", "schemas_history.yaml", "schemas_limits.yaml", "schemas_mcp.yaml", "schemas_breakers.yaml"},
}

// A Description is the API, as OpenAPI 3.1 in JSON and as a page in HTML.
type Description struct {
	JSON []byte
	Page []byte
}

// New describes the API of a version of the program.
func New(version string) (Description, error) {
	spec, err := assemble(version)
	if err != nil {
		return Description{}, fmt.Errorf("openapi: %w", err)
	}
	var d Description
	if d.JSON, err = json.Marshal(spec); err != nil {
		return Description{}, fmt.Errorf("openapi: %w", err)
	}
	if d.Page, err = page(spec); err != nil {
		return Description{}, fmt.Errorf("openapi: %w", err)
	}
	return d, nil
}

func read(name string) (*object, error) {
	raw, err := files.ReadFile(path.Join("spec", name))
	if err != nil {
		return nil, err
	}
	o, err := parse(raw)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return o, nil
}

// join adds the members of files to o, each once.
func (o *object) join(names []string) error {
	for _, name := range names {
		part, err := read(name)
		if err != nil {
			return err
		}
		for _, member := range part.names {
			if _, twice := o.members[member]; twice {
				return fmt.Errorf("%s: %s is there twice", name, member)
			}
			o.set(member, part.members[member])
		}
	}
	return nil
}

func assemble(version string) (*object, error) {
	spec, err := read("openapi.yaml")
	if err != nil {
		return nil, err
	}
	spec.object("info").set("version", version)
	if err := spec.object("paths").join(parts.paths); err != nil {
		return nil, err
	}
	components := spec.object("components")
	schemas := components.object("schemas")
	if err := schemas.join(parts.schemas); err != nil {
		return nil, err
	}
	for _, name := range schemas.names {
		if schema := schemas.object(name); schema.text("x-page-of") != "" {
			_, counted := schema.members["x-counted"]
			schemas.set(name, pageOf(schema.text("x-page-of"), counted))
		}
	}
	addSettings(schemas)
	addErrors(spec.object("paths"), components.object("responses"))
	return spec, addExamples(spec.object("paths"))
}

// pageOf is the schema of a page of a list, which may be counted.
func pageOf(item string, counted bool) *object {
	data, next := newObject(), newObject()
	data.set("type", "array")
	data.set("items", ref("schemas/"+item))
	next.set("type", []any{"string", "null"})
	next.set("description", "What `cursor` takes for the next page; null: this is the last one.")
	o := newObject()
	o.set("type", "object")
	o.set("required", []any{"data", "next_cursor"})
	o.object("properties").set("data", data)
	o.object("properties").set("next_cursor", next)
	if counted {
		total := newObject()
		total.set("type", "integer")
		total.set("description", "Number of items of all pages, with `count=true`.")
		o.object("properties").set("total", total)
	}
	return o
}

// ref refers to a component.
func ref(component string) *object {
	o := newObject()
	o.set("$ref", "#/components/"+component)
	return o
}
