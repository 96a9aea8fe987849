package assistants

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
)

func TestDefaultSettingsAreValidAndEveryFieldIsDescribed(t *testing.T) {
	if err := DefaultSettings().Validate(); err != nil {
		t.Fatal(err)
	}
	for _, f := range Fields() {
		if f.Help == "" {
			t.Errorf("%s has no explanation", f.Name)
		}
	}
	if n := reflect.TypeFor[Settings]().NumField(); n != len(Fields()) {
		t.Errorf("%d fields described, %d exist", len(Fields()), n)
	}
}

func TestSettingsSurviveJSON(t *testing.T) {
	raw, err := json.Marshal(DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	got, err := DefaultSettings().Merge(raw)
	if err != nil || !reflect.DeepEqual(got, DefaultSettings()) {
		t.Errorf("defaults came back as %+v, %v", got, err)
	}
}

// 0 stands for none inside. Outside it is null, and 0 is refused.
func TestACeilingIsNullOrInItsRange(t *testing.T) {
	for given, want := range map[string]string{"null": "null", "1": "1", "50": "50"} {
		got, err := DefaultSettings().Merge([]byte(`{"max_sources_per_document":` + given + `}`))
		if err != nil {
			t.Fatal(given, err)
		}
		raw, err := json.Marshal(got)
		if err != nil || !strings.Contains(string(raw), `"max_sources_per_document":`+want+`,`) {
			t.Errorf("%s: %s, %v", given, raw, err)
		}
	}
	for given, want := range map[string]string{"0": "between 1 and 50", "51": "between 1 and 50", "-1": "between 1 and 50", `"2"`: "a whole number or null", "1.5": "a whole number or null"} {
		_, err := DefaultSettings().Merge([]byte(`{"max_sources_per_document":` + given + `}`))
		var field *FieldError
		if !errors.As(err, &field) || field.Field != "max_sources_per_document" || !strings.Contains(field.Message, want) {
			t.Errorf("%s: %v", given, err)
		}
	}
	for _, f := range Fields() {
		if f.Name == "max_sources_per_document" && (f.Default != nil || *f.Min != 1 || *f.Max != 50) {
			t.Errorf("%+v", f)
		}
	}
}

// Up to 100 was valid once. Such a value stays, also when another setting changes.
func TestACeilingFromBeforeStays(t *testing.T) {
	old := DefaultSettings()
	old.MaxSourcesPerDocument = 100
	if err := old.Validate(); err != nil {
		t.Error(err)
	}
	if got, err := old.Merge([]byte(`{"enable_rag":true}`)); err != nil || got.MaxSourcesPerDocument != 100 {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := old.Merge([]byte(`{"max_sources_per_document":null}`)); err != nil || got.MaxSourcesPerDocument != 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestMergeChangesOnlyWhatItNames(t *testing.T) {
	base, err := DefaultSettings().Merge([]byte(`{"enable_rag":true,"temperature":0.5,"model":"m"}`))
	if err != nil {
		t.Fatal(err)
	}
	got, err := base.Merge([]byte(`{"enable_rag":false,"temperature":0,"model":null,"retrieval_score_threshold":0}`))
	if err != nil {
		t.Fatal(err)
	}
	want := base
	zero := 0.0
	want.EnableRAG, want.Temperature, want.Model, want.RetrievalScoreThreshold = false, &zero, nil, 0
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}

func TestMergeRefusesAndNamesTheField(t *testing.T) {
	for _, c := range []struct {
		patch, field string
		kind         error
		says         string
	}{
		{`[]`, "", ErrInvalid, "JSON object"},
		{`{"model":"` + strings.Repeat("👍", MaxName+1) + `"}`, "model", ErrInvalid, "255 characters"},
		{`null`, "", ErrInvalid, "JSON object"},
		{`{"enable_rag":1}`, "enable_rag", ErrInvalid, "true or false"},
		{`{"temperature":2.5}`, "temperature", ErrInvalid, "between 0 and 2"},
		{`{"max_tokens":0}`, "max_tokens", ErrInvalid, "at least 1"},
		{`{"retrieval_top_k":51}`, "retrieval_top_k", ErrInvalid, "between 1 and 50"},
		{`{"retrieval_top_k":1.5}`, "retrieval_top_k", ErrInvalid, "whole number"},
		{`{"citation_link_mode":"public"}`, "citation_link_mode", ErrInvalid, "Authenticated"},
		{`{"citation_link_ttl_seconds":0}`, "citation_link_ttl_seconds", ErrInvalid, "between 1 and 604800"},
		{`{"citation_link_ttl_seconds":604801}`, "citation_link_ttl_seconds", ErrInvalid, "between 1 and 604800"},
		{`{"citation_link_ttl_seconds":1.5}`, "citation_link_ttl_seconds", ErrInvalid, "whole number"},
		{`{"logo_url":"https://logo.example/a.png"}`, "logo_url", ErrNotBuilt, "not available"},
		{`{"enable_citations":true}`, "enable_citations", ErrInvalid, "enable_rag"},
		{`{"EnableRag":true}`, "EnableRag", ErrInvalid, `; did you mean "enable_rag"?`},
		{`{"retrieval_label_filter":{"x":1}}`, "retrieval_label_filter", ErrInvalid, "an object or null"},
		{`{"citation_prompt":"Strict"}`, "citation_prompt", ErrInvalid, `did you mean "strict"?`},
		{`{"citation_prompt":"strikt"}`, "citation_prompt", ErrInvalid, "presets default, seed, lumikb, strict, worked, or a text with {sources}"},
		{`{"citation_prompt":""}`, "citation_prompt", ErrInvalid, "presets default"},
		{`{"citation_prompt":"Cite the {source}s."}`, "citation_prompt", ErrInvalid, "{sources}"},
		{`{"citation_prompt":"{sources} and {sources}"}`, "citation_prompt", ErrInvalid, "exactly once"},
		{`{"citation_prompt":"{sources}\u0000"}`, "citation_prompt", ErrInvalid, "NUL"},
		{`{"citation_prompt":"` + strings.Repeat("é", MaxPrompt-8) + `{sources}"}`, "citation_prompt", ErrInvalid, "at most 16000 characters"},
		{`{"citation_prompt":7}`, "citation_prompt", ErrInvalid, "a string"},
		{`{"system_prompt":"a\u0000b"}`, "system_prompt", ErrInvalid, "NUL"},
	} {
		got, err := DefaultSettings().Merge([]byte(c.patch))
		var fe *FieldError
		if !errors.As(err, &fe) || !errors.Is(err, c.kind) || fe.Field != c.field || !strings.Contains(fe.Message, c.says) {
			t.Errorf("%s: %v", c.patch, err)
		}
		if c.kind == ErrInvalid && c.field == "" && !reflect.DeepEqual(got, DefaultSettings()) {
			t.Errorf("%s changed the settings", c.patch)
		}
	}
}

func TestCitationPromptIsAPresetOrATextWithAPlaceForTheSources(t *testing.T) {
	valid := append(CitationPresets(), "{sources}", "Cite.\n\n{sources}\n\nCite!", strings.Repeat("é", MaxPrompt-9)+"{sources}")
	for _, prompt := range valid {
		patch, err := json.Marshal(map[string]string{"citation_prompt": prompt})
		if err != nil {
			t.Fatal(err)
		}
		s, err := DefaultSettings().Merge(patch)
		if err != nil || s.CitationPrompt != prompt {
			t.Errorf("%.40q: %v", prompt, err)
		}
		if s, err = s.Merge([]byte(`{"citation_prompt":null}`)); err != nil || s.CitationPrompt != "default" {
			t.Errorf("after null the prompt is %.40q, %v", s.CitationPrompt, err)
		}
	}
}

func TestFieldsAreACopy(t *testing.T) {
	Fields()[0].Name = "changed"
	if Fields()[0].Name != "system_prompt" {
		t.Error("a caller can change the table")
	}
}
