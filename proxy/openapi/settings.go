package openapi

import (
	"reflect"
	"slices"

	"footnote/assistants"
)

// shapes are the schemas of settings that are objects or lists. The others follow
// from the table of settings.
var shapes = map[string]string{
	"retrieval_label_filter": "LabelFilter",
	"retrieval_tag_filter":   "TagFilter",
	"citation_format":        "CitationFormat",
	"upstream_fallbacks":     "UpstreamFallbacks",
}

// addSettings adds the settings of assistants: Settings are all of them, as answers have
// them. SettingsUpdate are those that a request changes, where null stands for the default.
func addSettings(schemas *object) {
	types := settingTypes()
	all, some := newObject(), newObject()
	for _, o := range []*object{all, some} {
		o.set("type", "object")
	}
	all.set("description", "The settings of an assistant.")
	some.set("description", "Settings to change; null: the default.")
	some.set("additionalProperties", false)
	var names []any
	for _, f := range assistants.Fields() {
		names = append(names, f.Name)
		all.object("properties").set(f.Name, setting(f, types[f.Name], false))
		some.object("properties").set(f.Name, setting(f, types[f.Name], true))
		if f.Name == "citation_format" {
			schemas.set("CitationFormat", formats(f))
		}
	}
	all.set("required", names)
	warnings, sentence := newObject(), newObject()
	sentence.set("type", "string")
	warnings.set("type", "array")
	warnings.set("items", sentence)
	warnings.set("description", "In answers to changes: settings that have no effect together.")
	all.object("properties").set("warnings", warnings)
	schemas.set("Settings", all)
	schemas.set("SettingsUpdate", some)
}

func formats(f assistants.Field) *object {
	o := newObject()
	o.set("type", "string")
	o.set("enum", texts(f.Allowed))
	o.set("description", f.Help)
	return o
}

// setting is the schema of one setting. In an update it takes null whatever its type,
// and has no default: a setting that is left out stays as it is, and generators of
// clients take a member with a default for one that is always there.
func setting(f assistants.Field, t reflect.Type, update bool) *object {
	nullable := update || t == reflect.TypeFor[assistants.Ceiling]()
	if name, ok := shapes[f.Name]; ok {
		o := ref("schemas/" + name)
		if nullable {
			o = either(o)
		}
		o.set("description", f.Help)
		if !update {
			o.set("default", f.Default)
		}
		return o
	}
	o := newObject()
	if t.Kind() == reflect.Pointer {
		nullable, t = true, t.Elem()
	}
	kind := kindOf(t)
	if o.set("type", kind); nullable {
		o.set("type", []any{kind, "null"})
	}
	values := texts(f.Allowed)
	if kind == "array" {
		item := newObject()
		item.set("type", kindOf(t.Elem()))
		switch f.Name {
		case "collections":
			item.set("pattern", "^coll_[0-9a-z]{26}$")
			o.set("maxItems", assistants.MaxCollections)
		case "synonyms":
			item.set("maxLength", assistants.MaxSynonymLine)
			o.set("maxItems", assistants.MaxSynonyms)
		default:
			item.set("enum", values)
			values = nil
		}
		o.set("items", item)
	}
	if f.NotBuilt && kind != "boolean" && f.Default != nil { // generators know no lists of truth values, and none of null alone
		values = []any{f.Default}
	}
	if nullable && len(values) > 0 && !slices.Contains(values, nil) {
		values = append(values, nil)
	}
	if len(values) > 0 {
		o.set("enum", values)
	}
	if f.Min != nil {
		o.set("minimum", *f.Min)
	}
	if f.Max != nil {
		o.set("maximum", *f.Max)
	}
	if f.MaxLength > 0 {
		o.set("maxLength", f.MaxLength)
	}
	if !update {
		o.set("default", f.Default)
	}
	help := f.Help
	if f.NotBuilt {
		help += " This version accepts the default only."
	}
	o.set("description", help)
	return o
}

// either is a schema that takes null, too.
func either(schema *object) *object {
	null, o := newObject(), newObject()
	null.set("type", "null")
	o.set("anyOf", []any{schema, null})
	return o
}

// settingTypes maps the names of settings to their Go types.
func settingTypes() map[string]reflect.Type {
	t := reflect.TypeFor[assistants.Settings]()
	types := make(map[string]reflect.Type, t.NumField())
	for i := range t.NumField() {
		types[t.Field(i).Tag.Get("json")] = t.Field(i).Type
	}
	return types
}

// kindOf is the JSON type of a Go type.
func kindOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "boolean"
	case reflect.Int:
		return "integer"
	case reflect.Float64:
		return "number"
	case reflect.Slice:
		return "array"
	}
	return "string"
}

func texts(list []string) []any {
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out
}
