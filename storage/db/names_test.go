package db

import (
	"reflect"
	"slices"
	"testing"

	"footnote/assistants"
)

// If more documents have changed than are read by their ids, all are read.
func TestNamesOfManyChangedDocuments(t *testing.T) {
	s, collection := listStore(t)
	if err := s.gorm.Model(&documentRow{}).Where("tenant_id = ?", "t").UpdateColumn("live", 1).Error; err != nil {
		t.Fatal(err)
	}
	in := []assistants.CollectionID{collection}
	want, err := s.DocumentNames(t.Context(), "t", in, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, changed := range []int{1, maxChangedNames, maxChangedNames + 1, len(want)} {
		known := slices.Clone(want)
		for i := range known {
			known[i].Name = "as known"
			if i < changed {
				known[i].Revision--
			}
		}
		got, err := s.DocumentNames(t.Context(), "t", in, known)
		if err != nil {
			t.Fatal(err)
		}
		asKnown := 0
		for i := range got {
			if got[i].Name == "as known" {
				asKnown++
				got[i].Name = want[i].Name
			}
		}
		if all := changed > maxChangedNames; !reflect.DeepEqual(got, want) || all && asKnown > 0 || !all && asKnown != len(want)-changed {
			t.Errorf("%d changed: %d of %d names are as they were known", changed, asKnown, len(got))
		}
	}
}

// A document can go, or be moved away, between the two reads.
func TestChangedNamesThatAreGoneAreLeftOut(t *testing.T) {
	known := func(id assistants.DocumentID) assistants.DocumentName {
		return assistants.DocumentName{ID: id, Name: "known"}
	}
	read := func(id assistants.DocumentID) assistants.DocumentName {
		return assistants.DocumentName{ID: id, Name: "read"}
	}
	ids := []assistants.DocumentID{"b", "c", "e"}
	all := []assistants.DocumentName{known("a"), {ID: "b"}, {ID: "c"}, known("d"), {ID: "e"}}
	for _, c := range []struct{ read, want []assistants.DocumentName }{
		{[]assistants.DocumentName{read("b"), read("c"), read("e")}, []assistants.DocumentName{known("a"), read("b"), read("c"), known("d"), read("e")}},
		{[]assistants.DocumentName{read("c"), read("e")}, []assistants.DocumentName{known("a"), read("c"), known("d"), read("e")}},
		{[]assistants.DocumentName{read("b")}, []assistants.DocumentName{known("a"), read("b"), known("d")}},
		{nil, []assistants.DocumentName{known("a"), known("d")}},
	} {
		if got := withChanges(slices.Clone(all), ids, c.read); !reflect.DeepEqual(got, c.want) {
			t.Errorf("got %v, want %v", got, c.want)
		}
	}
}
