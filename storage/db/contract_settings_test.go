package db_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"footnote/assistants"
)

var settingsTests = map[string]func(*testing.T, contract){
	"every setting comes back as it was set, alone and with all others": func(t *testing.T, s contract) {
		addAssistant(t, s, tenant, "a")
		addUpstream(t, s, tenant, otherText) // what the settings name must be there
		addCollections(t, s)
		all := assistants.DefaultSettings()
		for i := range reflect.TypeFor[assistants.Settings]().NumField() {
			one := assistants.DefaultSettings()
			setOther(t, reflect.ValueOf(&one).Elem().Field(i))
			setOther(t, reflect.ValueOf(&all).Elem().Field(i))
			roundTrip(t, s, reflect.TypeFor[assistants.Settings]().Field(i).Name, one)
		}
		roundTrip(t, s, "all at once", all)
		roundTrip(t, s, "the defaults", assistants.DefaultSettings())
	},

	"the longest texts and the largest numbers fit": func(t *testing.T, s contract) {
		addAssistant(t, s, tenant, "a")
		named := newUpstream(tenant, "far") // what the settings name must be there
		named.Name, named.DefaultModel = strings.Repeat("👍", assistants.MaxName), strings.Repeat("👍", assistants.MaxName)
		must(t, s.CreateUpstream(t.Context(), named))
		largest := assistants.DefaultSettings()
		for i := range reflect.TypeFor[assistants.Settings]().NumField() {
			f := reflect.ValueOf(&largest).Elem().Field(i)
			if f.Kind() == reflect.Pointer {
				f.Set(reflect.New(f.Type().Elem()))
				f = f.Elem()
			}
			switch field := assistants.Fields()[i]; {
			case f.Kind() == reflect.String && field.MaxLength > 0:
				f.SetString(strings.Repeat("👍", field.MaxLength))
			case f.Kind() == reflect.String && len(field.Allowed) > 0:
				f.SetString(longest(field.Allowed))
			case f.Kind() == reflect.String:
				f.SetString(strings.Repeat("👍", 100_000))
			case f.CanInt():
				f.SetInt(1<<63 - 1)
			case f.CanFloat():
				f.SetFloat(0.1 + 0.2) // seventeen digits
			}
		}
		roundTrip(t, s, "the largest", largest)
	},

	"zero and false are values, also where the default is another": func(t *testing.T, s contract) {
		addAssistant(t, s, tenant, "a")
		addUpstream(t, s, tenant, "") // what the settings name must be there
		zero := assistants.Settings{Collections: []string{}, UpstreamFallbacks: []assistants.Fallback{}, Synonyms: []string{}, SynonymPacks: []string{}}
		roundTrip(t, s, "all zero", zero)
		for i := range reflect.ValueOf(zero).NumField() {
			if f := reflect.ValueOf(&zero).Elem().Field(i); f.Kind() == reflect.Pointer {
				f.Set(reflect.New(f.Type().Elem()))
			}
		}
		roundTrip(t, s, "all pointing to zero", zero)
		created := newAssistant(tenant, "zero")
		created.Settings = zero
		must(t, s.CreateAssistant(t.Context(), created))
		got, err := s.Assistant(t.Context(), tenant, "zero")
		must(t, err)
		if !reflect.DeepEqual(got.Settings, zero) {
			t.Errorf("created with zero values:\n got %+v\nwant %+v", got.Settings, zero)
		}
	},

	"further collections must be the tenant's when they are added": func(t *testing.T, s contract) {
		a, b, foreign := addAssistant(t, s, tenant, "a"), addAssistant(t, s, tenant, "b"), addAssistant(t, s, other, "c")
		reads := func(ids ...assistants.CollectionID) error {
			return errorOf(s.UpdateAssistant(t.Context(), tenant, "a", func(a *assistants.Assistant) error {
				a.Settings.Collections = []string{}
				for _, id := range ids {
					a.Settings.Collections = append(a.Settings.Collections, string(id))
				}
				return nil
			}))
		}
		refused := func(err error) {
			t.Helper()
			var field *assistants.FieldError
			if !errors.As(err, &field) || field.Field != "settings.collections" || !errors.Is(err, assistants.ErrInvalid) {
				t.Errorf("%v", err)
			}
		}
		must(t, reads(a.CollectionID, b.CollectionID))
		refused(reads(b.CollectionID, foreign.CollectionID))
		refused(reads("coll_none"))
		made := newAssistant(tenant, "made")
		made.Settings.Collections = []string{string(foreign.CollectionID)}
		refused(s.CreateAssistant(t.Context(), made))

		must(t, s.DeleteAssistant(t.Context(), tenant, "b"))
		must(t, reads(b.CollectionID)) // it existed when it was added, so other settings can still be changed
		refused(reads(b.CollectionID, foreign.CollectionID))
		must(t, reads())
		refused(reads(b.CollectionID))
	},

	"empty and missing lists of a filter differ": func(t *testing.T, s contract) {
		addAssistant(t, s, tenant, "a")
		set := assistants.DefaultSettings()
		set.RetrievalLabelFilter = &assistants.LabelFilter{Required: []string{}}
		set.RetrievalTagFilter = &assistants.TagFilter{Excluded: []assistants.TagCondition{{Key: "a\"b", Condition: "<>", Value: "\u2028 & \\"}}}
		roundTrip(t, s, "filters", set)
	},
}

// The collections that setOther names.
const (
	firstCollection  = "coll_b"
	secondCollection = "coll_a"
)

// addCollections adds the collections that setOther names.
func addCollections(t *testing.T, s contract) {
	t.Helper()
	for i, id := range []assistants.CollectionID{firstCollection, secondCollection} {
		a := newAssistant(tenant, fmt.Sprint("owner", i))
		a.CollectionID = id
		must(t, s.CreateAssistant(t.Context(), a))
	}
}

// otherText is what setOther adds to texts.
const otherText = "ö'\""

// setOther gives a field a value that is not its default.
func setOther(t *testing.T, f reflect.Value) {
	t.Helper()
	if f.Kind() == reflect.Pointer {
		if f.IsNil() {
			f.Set(reflect.New(f.Type().Elem()))
		}
		setOther(t, f.Elem())
		return
	}
	switch v := f.Addr().Interface().(type) {
	case *[]string:
		*v = []string{firstCollection, secondCollection}
	case *[]assistants.Fallback:
		model := "m" + otherText
		*v = []assistants.Fallback{{Upstream: assistants.BuiltinExtractive}, {Upstream: assistants.BuiltinExtractive, Model: &model}}
	case *assistants.LabelFilter:
		*v = assistants.LabelFilter{Required: []string{"hr", "日本"}, Excluded: []string{"draft"}}
	case *assistants.TagFilter:
		*v = assistants.TagFilter{
			Required: []assistants.TagCondition{{Key: "year", Condition: "GreaterThan", Value: "2022"}},
			Excluded: []assistants.TagCondition{},
		}
	default:
		switch f.Kind() {
		case reflect.String:
			f.SetString(f.String() + otherText)
		case reflect.Bool:
			f.SetBool(!f.Bool())
		case reflect.Int:
			f.SetInt(f.Int() + 1)
		case reflect.Float64:
			f.SetFloat(f.Float() + 0.1)
		default:
			t.Fatalf("the suite does not know how to set a %s", f.Type())
		}
	}
}

func roundTrip(t *testing.T, s contract, what string, set assistants.Settings) {
	t.Helper()
	returned, err := s.UpdateAssistant(t.Context(), tenant, "a", func(a *assistants.Assistant) error { a.Settings = set; return nil })
	must(t, err)
	stored, err := s.Assistant(t.Context(), tenant, "a")
	must(t, err)
	for _, got := range []assistants.Settings{returned.Settings, stored.Settings} {
		if !reflect.DeepEqual(got, set) {
			t.Errorf("%s:\n got %+v\nwant %+v", what, got, set)
		}
	}
}

func longest(texts []string) (long string) {
	for _, text := range texts {
		if len(text) > len(long) {
			long = text
		}
	}
	return long
}
