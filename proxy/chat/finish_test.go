package chat

import (
	"fmt"
	"testing"

	"footnote/assistants"
	"footnote/citations"
	"footnote/proxy/grounding"
)

func TestOnlyFormatsThatShowTheSupportCheckAskForIt(t *testing.T) {
	for _, format := range allowedOf(t, "citation_format") { // what no client sees is not worked out
		shown := format == "native" || format == "markdown"
		if got := formats[assistants.CitationFormat(format)].options(grounding.Options(withSetting(t, "citation_format", format))); got.Support != shown {
			t.Errorf("citation_format %s: %+v", format, got)
		}
	}
}

func TestEveryFormatHasItsRow(t *testing.T) {
	allowed := allowedOf(t, "citation_format")
	for _, name := range allowed {
		d, known := formats[assistants.CitationFormat(name)]
		if !known || (d == format{}) != (name == "none") {
			t.Errorf("%s is %+v, %v", name, d, known)
		}
	}
	if len(formats) != len(allowed) {
		t.Errorf("%d formats for %v", len(formats), allowed)
	}
}

// Azure's markers are its own, and its list is out before the first of them.
func TestAzureWritesItsOwnMarkersAndIsNotRenumbered(t *testing.T) {
	s := assistants.DefaultSettings()
	s.CitationFormat, s.CitationRenumber = assistants.FormatAzure, true
	if o := formats[s.CitationFormat].options(grounding.Options(&s)); o.Renumber || o.Markers != citations.MarkersDoc {
		t.Errorf("%+v", o)
	}
	s.MarkerMode = assistants.MarkersStrip
	if o := formats[s.CitationFormat].options(grounding.Options(&s)); o.Markers != citations.MarkersStrip {
		t.Errorf("%+v", o)
	}
}

func allowedOf(t *testing.T, setting string) []string {
	t.Helper()
	for _, f := range assistants.Fields() {
		if f.Name == setting {
			return f.Allowed
		}
	}
	t.Fatal("there is no setting", setting)
	return nil
}

func withSetting(t *testing.T, name, value string) *assistants.Settings {
	t.Helper()
	s, err := assistants.DefaultSettings().Merge(fmt.Appendf(nil, `{%q:%q}`, name, value))
	if err != nil {
		t.Fatal(err)
	}
	return &s
}
