package citations

import (
	"reflect"
	"testing"
)

func at(document string, page int) Place {
	return Place{DocumentID: document, DocumentName: "n" + document, PageNumber: &page}
}

func TestPlacesOfADeletedDocumentAreNotNamed(t *testing.T) {
	s := NewSet([]Source{{DocumentID: "a", Text: "x", AlsoIn: []Place{at("b", 1), at("c", 2)}}}, Options{})
	if got := s.Documents(); !reflect.DeepEqual(got, []string{"a", "b", "c"}) {
		t.Errorf("asks for %v", got)
	}
	s.Link(func(id, _ string) (string, bool) {
		if id != "a" {
			t.Errorf("the URL of %s, which is a place only, was asked for", id)
		}
		return "", true
	}, func(id string) bool { return id != "b" })
	if got := s.Sources()[0].AlsoIn; !reflect.DeepEqual(got, []Place{at("c", 2)}) {
		t.Errorf("got %v", got)
	}
}

// TestADocumentsEntryNamesPlacesInOthers: with a number for each document, its own pages are
// among its chunks.
func TestADocumentsEntryNamesPlacesInOthers(t *testing.T) {
	s := NewSet([]Source{
		{DocumentID: "a", Text: "x", Score: 0.9, AlsoIn: []Place{at("a", 7), at("b", 1), at("b", 2), at("c", 1)}},
		{DocumentID: "a", Text: "y", Score: 0.8, AlsoIn: []Place{at("b", 1), at("d", 1), at("e", 1), at("f", 1)}},
	}, Options{Numbering: NumberDocuments})
	if got, want := s.Sources()[0].AlsoIn, []Place{at("b", 1), at("b", 2), at("c", 1), at("d", 1), at("e", 1)}; len(s.Sources()) != 1 || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
