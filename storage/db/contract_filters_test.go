package db_test

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"footnote/assistants"
)

// filtered returns the names of the documents that a filter selects.
func filtered(t *testing.T, s contract, f assistants.Filter, in ...assistants.CollectionID) []string {
	t.Helper()
	ids, err := s.FilterDocuments(t.Context(), tenant, in, f)
	must(t, err)
	if !slices.IsSorted(ids) {
		t.Errorf("%v is not in order", ids)
	}
	docs, err := s.DocumentsByID(t.Context(), tenant, ids)
	must(t, err)
	names := []string{}
	for _, d := range docs {
		names = append(names, d.Name)
	}
	slices.Sort(names)
	return names
}

// describe gives a new document labels and tags.
func describe(t *testing.T, s contract, a assistants.Assistant, name string, labels []string, tags map[string]string) assistants.Document {
	t.Helper()
	d := newDocument(a, name, name+a.Slug)
	d.Labels, d.Tags = labels, tags
	d, _, err := s.CreateDocument(t.Context(), d)
	must(t, err)
	return d
}

func labelled(required ...string) assistants.Filter {
	return assistants.Filter{Labels: assistants.LabelFilter{Required: required}}
}

var filterTests = map[string]func(*testing.T, contract){
	"the names of what can be searched are listed": func(t *testing.T, s contract) {
		a, b, c := addAssistant(t, s, tenant, "a"), addAssistant(t, s, tenant, "b"), addAssistant(t, s, other, "c")
		want := map[assistants.DocumentID]string{}
		for i, in := range []assistants.Assistant{a, b, a} {
			d := describe(t, s, in, fmt.Sprintf("name %d", i), nil, nil)
			publish(t, s, d, 1, "text")
			want[d.ID] = d.Name
		}
		publish(t, s, describe(t, s, c, "of another tenant", nil, nil), 1, "text")
		describe(t, s, a, "not read yet", nil, nil)
		list, err := s.DocumentNames(t.Context(), tenant, []assistants.CollectionID{a.CollectionID, b.CollectionID, c.CollectionID}, nil)
		must(t, err)
		if !slices.IsSortedFunc(list, func(x, y assistants.DocumentName) int { return cmp.Compare(x.ID, y.ID) }) {
			t.Errorf("%v is not in order", list)
		}
		got := map[assistants.DocumentID]string{}
		for _, d := range list {
			got[d.ID] = d.Name
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
		none, err := s.DocumentNames(t.Context(), tenant, nil, nil)
		must(t, err)
		if len(none) != 0 {
			t.Errorf("no collections have %v", none)
		}
	},
	"names that are known are read again only where they changed": func(t *testing.T, s contract) {
		a, b := addAssistant(t, s, tenant, "a"), addAssistant(t, s, tenant, "b")
		var docs []assistants.Document
		for i := range 6 {
			d := describe(t, s, a, fmt.Sprintf("name %d", i), nil, nil)
			publish(t, s, d, 1, "text")
			docs = append(docs, d)
		}
		worked(t, s) // what is being processed cannot move
		in := []assistants.CollectionID{a.CollectionID}
		known, err := s.DocumentNames(t.Context(), tenant, in, nil)
		must(t, err)
		title := "Title"
		for _, c := range []struct {
			what   string
			read   int // documents that are read again
			change func() error
		}{
			{"nothing", 0, func() error { return nil }},
			{"one is renamed", 1, func() error {
				_, err := s.UpdateDocument(t.Context(), tenant, docs[0].ID, func(d *assistants.Document) error { d.Name = "renamed"; return nil })
				return err
			}},
			{"one gets a title", 1, func() error {
				_, err := s.UpdateDocument(t.Context(), tenant, docs[1].ID, func(d *assistants.Document) error {
					d.Edits = &assistants.ProfileEdits{Title: &title}
					return nil
				})
				return err
			}},
			{"one supersedes another", 1, func() error { return supersede(t, s, docs[2].ID, docs[3].ID) }},
			{"it supersedes none", 1, func() error { return supersede(t, s, docs[2].ID, "") }},
			{"it supersedes it again", 1, func() error { return supersede(t, s, docs[2].ID, docs[3].ID) }},
			{"that one goes", 1, func() error { return s.DeleteDocument(t.Context(), tenant, docs[3].ID) }},
			{"one is moved away", 0, func() error {
				_, err := s.MoveDocument(t.Context(), tenant, docs[4].ID, b.CollectionID, nil)
				return err
			}},
			{"one comes", 1, func() error { publish(t, s, describe(t, s, a, "new", nil, nil), 1, "text"); return nil }},
			{"all go", 0, func() error {
				for _, d := range known {
					must(t, s.DeleteDocument(t.Context(), tenant, d.ID))
				}
				return nil
			}},
		} {
			must(t, c.change())
			want, err := s.DocumentNames(t.Context(), tenant, in, nil)
			must(t, err)
			if got, err := s.DocumentNames(t.Context(), tenant, in, known); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s: got %+v, %v, want %+v", c.what, got, err, want)
			}
			for i := range known {
				known[i].Name = "as known"
			}
			got, err := s.DocumentNames(t.Context(), tenant, in, known)
			must(t, err)
			read := slices.DeleteFunc(got, func(d assistants.DocumentName) bool { return d.Name == "as known" })
			if len(read) != c.read {
				t.Errorf("%s: read again %+v, want %d", c.what, read, c.read)
			}
			known = want
		}
	},
	"a filter selects documents of the collections by labels and tags": func(t *testing.T, s contract) {
		a, b, c := addAssistant(t, s, tenant, "a"), addAssistant(t, s, tenant, "b"), addAssistant(t, s, other, "c")
		describe(t, s, a, "one", []string{"hr", "日本"}, map[string]string{"year": "2022"})
		describe(t, s, a, "two", []string{"hr", "draft"}, map[string]string{"year": "2023"})
		describe(t, s, a, "three", nil, nil)
		describe(t, s, b, "four", []string{"hr"}, map[string]string{"year": "2024"})
		describe(t, s, c, "foreign", []string{"hr"}, map[string]string{"year": "2024"})
		later := assistants.Filter{Tags: assistants.TagFilter{Required: []assistants.TagCondition{{Key: "year", Condition: assistants.TagGreaterThan, Value: "2022"}}}}
		for _, test := range []struct {
			filter assistants.Filter
			in     []assistants.CollectionID
			want   []string
		}{
			{assistants.Filter{}, []assistants.CollectionID{a.CollectionID}, []string{"one", "three", "two"}},
			{labelled("hr"), []assistants.CollectionID{a.CollectionID}, []string{"one", "two"}},
			{labelled("hr"), []assistants.CollectionID{a.CollectionID, b.CollectionID, c.CollectionID}, []string{"four", "one", "two"}},
			{labelled("日本"), []assistants.CollectionID{a.CollectionID}, []string{"one"}},
			{labelled("none"), []assistants.CollectionID{a.CollectionID}, []string{}},
			{later, []assistants.CollectionID{b.CollectionID, a.CollectionID}, []string{"four", "two"}},
			{assistants.Filter{}, nil, []string{}},
			{assistants.Filter{}, []assistants.CollectionID{c.CollectionID}, []string{}},
		} {
			if got := filtered(t, s, test.filter, test.in...); !slices.Equal(got, test.want) {
				t.Errorf("%+v in %v: %v, want %v", test.filter, test.in, got, test.want)
			}
		}
	},

	"changes of a document count at once": func(t *testing.T, s contract) {
		a := addAssistant(t, s, tenant, "a")
		d := describe(t, s, a, "one", []string{"hr"}, nil)
		check := func(when string, want ...string) {
			t.Helper()
			if got := filtered(t, s, labelled("hr"), a.CollectionID); !slices.Equal(got, append([]string{}, want...)) {
				t.Errorf("%s: %v, want %v", when, got, want)
			}
		}
		label := func(labels ...string) {
			t.Helper()
			must(t, errorOf(s.UpdateDocument(t.Context(), tenant, d.ID, func(d *assistants.Document) error { d.Labels = labels; return nil })))
		}
		check("at first", "one")
		label("it")
		check("with another label")
		label("it", "hr")
		check("with its label back", "one")
		e := describe(t, s, a, "two", []string{"hr"}, nil)
		check("with another document", "one", "two")
		must(t, s.DeleteDocument(t.Context(), tenant, d.ID))
		check("with one deleted", "two")
		must(t, s.DeleteAssistant(t.Context(), tenant, "a"))
		if ids, err := s.FilterDocuments(t.Context(), tenant, []assistants.CollectionID{a.CollectionID}, labelled("hr")); err != nil || len(ids) != 0 {
			t.Errorf("after all was deleted %v are left, %v; %v", ids, err, e.ID)
		}
	},

	"labels and tags are listed once, with how many have them": func(t *testing.T, s contract) {
		a, b := addAssistant(t, s, tenant, "a"), addAssistant(t, s, tenant, "b")
		describe(t, s, a, "one", []string{"hr", "draft", "hr"}, map[string]string{"year": "2022", "team": "it"})
		describe(t, s, a, "two", []string{"hr"}, map[string]string{"year": "2023"})
		describe(t, s, b, "three", []string{"hr"}, map[string]string{"year": "2023"})
		labels, err := s.Labels(t.Context(), tenant, nil)
		if want := []assistants.LabelCount{{Label: "draft", Documents: 1}, {Label: "hr", Documents: 3}}; err != nil || !reflect.DeepEqual(labels, want) {
			t.Errorf("%v, %v", labels, err)
		}
		tags, err := s.Tags(t.Context(), tenant, nil)
		if want := []assistants.TagCount{{Key: "team", Value: "it", Documents: 1}, {Key: "year", Value: "2022", Documents: 1}, {Key: "year", Value: "2023", Documents: 2}}; err != nil || !reflect.DeepEqual(tags, want) {
			t.Errorf("%v, %v", tags, err)
		}
		labels, err = s.Labels(t.Context(), tenant, []assistants.CollectionID{b.CollectionID})
		if want := []assistants.LabelCount{{Label: "hr", Documents: 1}}; err != nil || !reflect.DeepEqual(labels, want) {
			t.Errorf("of one collection: %v, %v", labels, err)
		}
	},

	"thousands of documents are filtered": func(t *testing.T, s contract) {
		a := addAssistant(t, s, tenant, "a")
		for i := range 1100 {
			d := newDocument(a, fmt.Sprint("d", i), fmt.Sprint("d", i))
			d.Labels = []string{[]string{"even", "odd"}[i%2]}
			_, _, err := s.CreateDocument(t.Context(), d)
			must(t, err)
		}
		ids, err := s.FilterDocuments(t.Context(), tenant, []assistants.CollectionID{a.CollectionID}, labelled("odd"))
		if err != nil || len(ids) != 550 {
			t.Errorf("%d, %v", len(ids), err)
		}
	},
}
