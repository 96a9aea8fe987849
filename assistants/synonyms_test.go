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
	group := func(phrases ...string) assistants.Synonym { return assistants.Synonym{From: phrases, To: phrases} }
	capex := assistants.Synonym{From: []string{"purchases of property, plant"}, To: []string{"capex"}}
	for line, want := range map[string]assistants.Synonym{
		"capex, capital expenditure":              group("capex", "capital expenditure"),
		" boss ,chief,, boss , Boss ":             group("boss", "chief"),
		"boss => chief, leader":                   {From: []string{"boss"}, To: []string{"chief", "leader"}},
		"boss,chief=>leader":                      {From: []string{"boss", "chief"}, To: []string{"leader"}},
		"boss, chief => chief":                    {From: []string{"boss", "chief"}, To: []string{"chief"}},
		"the, boss, chief":                        group("the", "boss", "chief"),
		`ppe => "property, plant and equipment"`:  {From: []string{"ppe"}, To: []string{"property, plant and equipment"}},
		`"property, plant and equipment", "PP&E"`: group("property, plant and equipment", "PP&E"),
		`"purchases of property, plant" => capex`: capex,
		`"purchases of property, plant"=>capex`:   capex,
		`"boss, chief" , leader`:                  group("boss, chief", "leader"),
		`leader, "boss, chief" `:                  group("leader", "boss, chief"),
		`"boss => chief", leader`:                 group("boss => chief", "leader"),
		`"the ""boss""", chief`:                   group(`the "boss"`, "chief"),
		`"capex => purchases of property, plant"`: {From: []string{"capex"}, To: []string{"purchases of property", "plant"}},
		`"capex => ""property, plant"""`:          {From: []string{"capex"}, To: []string{"property, plant"}},
		`"boss, chief"`:                           group("boss", "chief"),
		`"boss; owner", chief`:                    group("boss; owner", "chief"),
		`"#1", number one`:                        group("#1", "number one"),
	} {
		if got, err := assistants.ParseSynonym(line); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v", line, got, err)
		}
		if err := assistants.CheckSynonyms("synonyms", []string{line}); err != nil {
			t.Error(err)
		}
	}
	for line, why := range map[string]string{
		"": "two phrases", "alone": "two phrases", `"alone"`: "two phrases", "boss, boss": "two phrases", "=>": "either side", "boss =>": "either side", "=> boss": "either side",
		`"open, boss`: "quotation mark", `bo"ss, chief`: "quotation mark", `"boss" chief, leader`: "quotation mark", `boss "chief", leader`: "quotation mark", "boss, &": "letter or digit", "-, +": "letter or digit",
		"boss => chief\x00": "control characters", "boss => chief => leader": "more than one =>", "boss => Boss": "does nothing", "the, of": "does nothing", "the => boss": "does nothing", "boss => the": "does nothing",
		"boss; chief, leader": "semicolon", "# boss, chief": "begins with #", " #boss, chief": "begins with #",
		"b1,b2,b3,b4,b5,b6,b7,b8,b9,c1,c2,c3,c4,c5,c6,c7,c8": "more than 16 phrases", "b1,b2,b3,b4,b5,b6,b7,b8,b9 => c1,c2,c3,c4,c5,c6,c7,c8": "more than 16 phrases",
	} {
		err := assistants.CheckSynonyms("synonyms", []string{"boss, chief", line})
		if err == nil || !errors.Is(err, assistants.ErrInvalid) || !strings.Contains(err.Error(), "synonyms: line 2 ") || !strings.Contains(err.Error(), why) {
			t.Errorf("%q: %v", line, err)
		}
	}
}

func TestSynonymsHaveBounds(t *testing.T) {
	long := "boss, " + strings.Repeat("ü", assistants.MaxSynonymLine-6)
	if err := assistants.CheckSynonyms("synonyms", slices.Repeat([]string{long}, assistants.MaxSynonyms)); err != nil {
		t.Error(err)
	}
	for _, lines := range [][]string{{long + "ü"}, slices.Repeat([]string{"boss, chief"}, assistants.MaxSynonyms+1), {"boss, chief\nleader, head"}, {"boss, \xff"}} {
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
	s, err := assistants.DefaultSettings().Merge([]byte(`{"synonyms":["boss => chief"],"synonym_packs":[]}`))
	if err != nil || !slices.Equal(s.Synonyms, []string{"boss => chief"}) || len(s.SynonymPacks) != 0 {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestAFileOfSynonymsHasAGroupOnEachLine(t *testing.T) {
	got := assistants.SynonymLines("\ufeffa, b\r\n\n# a comment\n  c => d  \n\"e, f\",g,,\n")
	if want := []string{"a, b", "c => d", `"e, f",g`}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestAFileOfSynonymsIsRefusedWithTheNumberOfItsLine(t *testing.T) {
	for file, want := range map[string]string{
		"\ufeff# titles\r\n\r\nboss,chief\r\nalone\r\n": "synonyms: line 4 needs",
		"boss,chef d'\xe9quipe\n":                       "synonyms: the file must be UTF-8.",
		"\xff\xfeb\x00,\x00c\x00":                       "synonyms: the file must be UTF-8.",
		"b\x00,\x00c\x00":                               "synonyms: the file must be UTF-8.",
		"boss,chief\nleader;head\n":                     "synonyms: line 2 has a semicolon",
		strings.Repeat("boss,chief\n", 1001):            "synonyms has at most",
	} {
		if _, err := assistants.ReadSynonyms("synonyms", file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %s", file, err, want)
		}
	}
	got, err := assistants.ReadSynonyms("synonyms", "boss;chief;;\r\n\"boss; owner\";leader\r\n")
	if want := []string{"boss,chief", `"boss; owner",leader`}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}
