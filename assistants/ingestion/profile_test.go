package ingestion

import (
	"slices"
	"testing"

	"footnote/assistants"
)

const handbookV1 = "# Acme Travel Policy 2023\n\nThe rules are for all of the staff, and they are the same for each of them. What is not said here is not paid for.\n"

// TestReadingADocumentMakesItsProfile: it is stored with the version, and what people set
// of it stays when the document is read again.
func TestReadingADocumentMakesItsProfile(t *testing.T) {
	w := newWorld(t)
	d := w.add("rules.md", handbookV1)
	if _, ok := w.document(d.ID).Profile(); ok {
		t.Error("a document that was not read has a profile")
	}
	w.drain(w.worker)
	p, ok := w.document(d.ID).Profile()
	if !ok || p.Title != "Acme Travel Policy 2023" || !slices.Equal(p.Years, []int{2023}) || p.Kind != "policy" || p.Language != "en" {
		t.Fatalf("read %+v, %v", p, ok)
	}
	years := []int{2024}
	_, err := w.store.UpdateDocument(t.Context(), assistants.DefaultTenant, d.ID, func(d *assistants.Document) error {
		d.Edits = &assistants.ProfileEdits{Years: &years}
		return nil
	})
	w.must(err)
	_, err = w.store.Reprocess(t.Context(), assistants.DefaultTenant, d.ID)
	w.must(err)
	if p, _ := w.document(d.ID).Profile(); p.Title != "Acme Travel Policy 2023" {
		t.Errorf("while it is read again it is %+v", p)
	}
	w.drain(w.worker)
	if p, _ := w.document(d.ID).Profile(); !slices.Equal(p.Years, years) || p.Kind != "policy" {
		t.Errorf("read again it is %+v", p)
	}
	names, err := w.store.DocumentNames(t.Context(), assistants.DefaultTenant, []assistants.CollectionID{w.collection}, nil)
	w.must(err)
	if len(names) != 1 || !slices.Equal(names[0].Profile.Years, years) || names[0].Profile.Title != p.Title || names[0].CreatedAt.IsZero() {
		t.Errorf("questions choose by %+v", names)
	}
}
