package db

import (
	"testing"

	"footnote/assistants"
)

// BenchmarkDocumentNames measures reading what 10,000 documents are called and what they
// are, for the first time, and again after a change of one of them.
func BenchmarkDocumentNames(b *testing.B) {
	s, collection := listStore(b)
	if err := s.gorm.Model(&versionRow{}).Where("tenant_id = ?", "t").Select("profile").UpdateColumns(&versionRow{Profile: &assistants.Profile{
		Title: "Agreement on the shifts of a plant between management and works council", Kind: "contract", Years: []int{2024},
		Periods: []string{"Q3 2024"}, Language: "en", Subjects: []string{"Corvane Holdings Inc.", "Halvorsen Marine ASA"},
	}}).Error; err != nil {
		b.Fatal(err)
	}
	if err := s.gorm.Model(&documentRow{}).Where("tenant_id = ?", "t").UpdateColumn("live", 1).Error; err != nil {
		b.Fatal(err)
	}
	in := []assistants.CollectionID{collection}
	known, err := s.DocumentNames(b.Context(), "t", in, nil)
	if err != nil || len(known) != listedDocuments || known[7].Profile.Kind == "" {
		b.Fatal(len(known), err)
	}
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.DocumentNames(b.Context(), "t", in, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("again", func(b *testing.B) {
		known[7].Revision--
		for b.Loop() {
			names, err := s.DocumentNames(b.Context(), "t", in, known)
			if err != nil || len(names) != len(known) || names[7].Revision == known[7].Revision {
				b.Fatal(len(names), err)
			}
		}
	})
}
