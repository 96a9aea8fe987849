package db

import (
	"fmt"
	"testing"

	"footnote/assistants"
)

// TestRowsOfOlderProgramsAreFoundAfterTheNextStart proves that the start fills
// in what lists search, in more rows than one batch.
func TestRowsOfOlderProgramsAreFoundAfterTheNextStart(t *testing.T) {
	eachDatabase(t, func(t *testing.T, url string) {
		s := openTest(t, url, Options{})
		a, _, _ := fill(t, s, "t")
		const n = fillBatch + 7
		for i := range n {
			d := assistants.Document{
				ID: assistants.NewDocumentID(), TenantID: "t", CollectionID: a.CollectionID, Name: fmt.Sprint("BÜRO ", i),
				Labels: []string{"<hr>"}, Tags: map[string]string{"year": "2026"}, Version: assistants.Version{BlobKey: "t/x", SHA256: fmt.Sprint("x", i)},
			}
			if _, _, err := s.CreateDocument(t.Context(), d); err != nil {
				t.Fatal(err)
			}
		}
		find := func() (documents, named int) {
			t.Helper()
			q := assistants.DocumentQuery{Name: "büro", Labels: []string{"<hr>"}, Tags: []assistants.Tag{{Key: "year", Value: "2026"}}}
			docs, err := s.FindDocuments(t.Context(), "t", a.CollectionID, q, assistants.List{Limit: 1, Count: true})
			if err != nil {
				t.Fatal(err)
			}
			found, err := s.FindAssistants(t.Context(), "t", assistants.AssistantQuery{Name: "a"}, assistants.List{Count: true})
			if err != nil {
				t.Fatal(err)
			}
			return docs.Total, found.Total
		}
		for _, empty := range []string{"UPDATE documents SET name_key = '', marks = ''", "UPDATE assistants SET name_key = ''"} {
			if err := s.gorm.Exec(empty).Error; err != nil {
				t.Fatal(err)
			}
		}
		if documents, named := find(); documents != 0 || named != 0 {
			t.Fatalf("%d and %d are found before the start", documents, named)
		}
		for range 2 {
			if _, err := s.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			if documents, named := find(); documents != n || named != 1 {
				t.Errorf("%d documents and %d assistants are found", documents, named)
			}
		}
	})
}
