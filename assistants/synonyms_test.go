package assistants_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"footnote/assistants"
)

func TestALineOfSynonymsIsAGroupOrHasADirection(t *testing.T) {
	for line, want := range map[string]assistants.Synonym{
		"capex, capital expenditure":              {From: []string{"capex", "capital expenditure"}, To: []string{"capex", "capital expenditure"}},
		" a ,b,, a , ":                            {From: []string{"a", "b"}, To: []string{"a", "b"}},
		"a => b, c":                               {From: []string{"a"}, To: []string{"b", "c"}},
		"a,b=>c":                                  {From: []string{"a", "b"}, To: []string{"c"}},
		`ppe => "property, plant and equipment"`:  {From: []string{"ppe"}, To: []string{"property, plant and equipment"}},
		`"property, plant and equipment", "PP&E"`: {From: []string{"property, plant and equipment", "PP&E"}, To: []string{"property, plant and equipment", "PP&E"}},
	} {
		if got, err := assistants.ParseSynonym(line); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v", line, got, err)
		}
	}
	for _, line := range []string{"", "alone", "a, a", "=>", "a =>", "=> b", `"open, b`, `a"b, c`, "a, &", "a => b => c\x00", "-, +", strings.Repeat("a, ", 3) + "b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q", "a,b,c,d,e,f,g,h => i,j,k,l,m,n,o,p,q"} {
		if err := assistants.CheckSynonyms("synonyms", []string{"a, b", line}); err == nil || !errors.Is(err, assistants.ErrInvalid) || !strings.Contains(err.Error(), "synonyms: line 2 ") {
			t.Errorf("%q: %v", line, err)
		}
	}
}

func TestSynonymsHaveBounds(t *testing.T) {
	long := "a, " + strings.Repeat("ü", assistants.MaxSynonymLine-3)
	if err := assistants.CheckSynonyms("synonyms", slices.Repeat([]string{long}, assistants.MaxSynonyms)); err != nil {
		t.Error(err)
	}
	for _, lines := range [][]string{{long + "ü"}, slices.Repeat([]string{"a, b"}, assistants.MaxSynonyms+1), {"a, b\nc, d"}, {"a, \xff"}} {
		if assistants.CheckSynonyms("synonyms", lines) == nil {
			t.Errorf("%d lines such as %.20q are taken", len(lines), lines[0])
		}
	}
}

func TestSettingsNameTheirSynonyms(t *testing.T) {
	for patch, field := range map[string]string{
		`{"synonyms":["alone"]}`: "synonyms", `{"synonyms":"a, b"}`: "synonyms", `{"synonyms":[7]}`: "synonyms",
		`{"synonym_packs":["cooking"]}`: "synonym_packs", `{"synonym_packs":["business",""]}`: "synonym_packs",
	} {
		var wrong *assistants.FieldError
		if _, err := assistants.DefaultSettings().Merge([]byte(patch)); !errors.As(err, &wrong) || wrong.Field != field {
			t.Errorf("%s: %v", patch, err)
		}
	}
	s, err := assistants.DefaultSettings().Merge([]byte(`{"synonyms":["a => b"],"synonym_packs":[]}`))
	if err != nil || !slices.Equal(s.Synonyms, []string{"a => b"}) || len(s.SynonymPacks) != 0 {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestAFileOfSynonymsHasAGroupOnEachLine(t *testing.T) {
	got := assistants.SynonymLines("\ufeffa, b\r\n\n# a comment\n  c => d  \n\"e, f\",g,,\n")
	if want := []string{"a, b", "c => d", `"e, f",g`}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
