package openapi

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"footnote/assistants"
)

func described(t *testing.T) Description {
	t.Helper()
	d, err := New("test")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestTheDescriptionIsValidOpenAPI checks it, and that it refers to nothing but itself.
func TestTheDescriptionIsValidOpenAPI(t *testing.T) {
	d := described(t)
	loader := openapi3.NewLoader()
	doc, err := loader.LoadFromData(d.JSON)
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Validate(context.Background(), openapi3.DisableExamplesValidation()); err != nil {
		t.Error(err)
	}
	if bytes.Contains(d.JSON, []byte(`"x-`)) {
		t.Error("a private member is left in the description")
	}
	if n := bytes.Count(d.JSON, []byte(`"$ref":`)) - bytes.Count(d.JSON, []byte(`"$ref":"#/components/`)); n != 0 {
		t.Errorf("%d references lead elsewhere", n)
	}
}

// TestEveryPartIsThere finds files in spec that are not read.
func TestEveryPartIsThere(t *testing.T) {
	found, err := filepath.Glob("spec/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	known := append(append([]string{"openapi.yaml"}, parts.paths...), parts.schemas...)
	for _, file := range found {
		if !slices.Contains(known, filepath.Base(file)) {
			t.Errorf("%s is not read", file)
		}
	}
}

// TestEverySettingIsDescribed compares the schema with the table of settings.
func TestEverySettingIsDescribed(t *testing.T) {
	var doc struct {
		Components struct {
			Schemas map[string]struct {
				Properties map[string]struct {
					Description string
					Default     any
					Ref         string `json:"$ref"`
				}
			}
		}
	}
	if err := json.Unmarshal(described(t).JSON, &doc); err != nil {
		t.Fatal(err)
	}
	settings := doc.Components.Schemas["Settings"].Properties
	for _, f := range assistants.Fields() {
		s, ok := settings[f.Name]
		if !ok || !strings.HasPrefix(s.Description, f.Help) || s.Description == "" {
			t.Errorf("%s: %+v", f.Name, s)
		}
	}
	if got, want := len(settings), len(assistants.Fields())+1; got != want { // and warnings
		t.Errorf("%d settings, want %d", got, want)
	}
}

// TestThePageShowsEverything proves that the page leads to each operation and each
// object, and loads nothing from anywhere.
func TestThePageShowsEverything(t *testing.T) {
	d := described(t)
	doc, err := openapi3.NewLoader().LoadFromData(d.JSON)
	if err != nil {
		t.Fatal(err)
	}
	page := string(d.Page)
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			if method != "HEAD" && (strings.Count(page, `id="`+op.OperationID+`"`) != 1 || !strings.Contains(page, path)) {
				t.Errorf("%s %s is not on the page", method, path)
			}
		}
	}
	for name := range doc.Components.Schemas {
		if strings.Count(page, `id="schema-`+name+`"`) != 1 {
			t.Errorf("%s is not on the page", name)
		}
	}
	for _, address := range []string{`="http`, `="//`, "<script", "@import", "url("} {
		if strings.Contains(page, address) {
			t.Errorf("the page has %s", address)
		}
	}
	if dir := os.Getenv("FOOTNOTE_TEST_OUTPUT"); dir != "" {
		for name, raw := range map[string][]byte{"openapi.json": d.JSON, "docs.html": d.Page} {
			if err := os.WriteFile(filepath.Join(dir, name), raw, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestBrokenPartsAreRefused(t *testing.T) {
	for _, text := range []string{"", "- a list", "a: [", "a: *missing", "a:\n  <<: 3"} {
		if _, err := parse([]byte(text)); err == nil {
			t.Errorf("%q was read", text)
		}
	}
}
