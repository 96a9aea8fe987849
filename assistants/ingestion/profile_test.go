package ingestion

import (
	"fmt"
	"slices"
	"strings"
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

// titledPDF makes a page with titles, the first in the largest type, above a text of lines
// that break anywhere.
func titledPDF(titles ...string) string {
	var page, file strings.Builder
	for i, title := range titles {
		fmt.Fprintf(&page, "BT /F1 %d Tf 72 %d Td (%s) Tj ET\n", 28-6*i, 760-40*i, title)
	}
	page.WriteString("BT /F1 10 Tf 14 TL 72 600 Td\n")
	for range 10 {
		page.WriteString("(The group sold more boats in the north than in any other part) Tj T*\n(of the world, and it had no debts at the end of the year.) Tj T*\n")
	}
	page.WriteString("ET")
	file.WriteString("%PDF-1.7\n")
	var places []int
	for _, object := range []string{
		"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 1/Kids[4 0 R]>>", "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F1 3 0 R>>>>/Contents 5 0 R>>",
		fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", page.Len(), page.String()),
	} {
		places = append(places, file.Len())
		fmt.Fprintf(&file, "%d 0 obj\n%s\nendobj\n", len(places), object)
	}
	start := file.Len()
	file.WriteString("xref\n0 6\n0000000000 65535 f \n")
	for _, at := range places {
		fmt.Fprintf(&file, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&file, "trailer\n<</Size 6/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", start)
	return file.String()
}

// A word and a year that a PDF has run together are no title: the file's name says more.
func TestATitleThatAPDFRanTogetherIsNone(t *testing.T) {
	w := newWorld(t)
	for name, c := range map[string]struct {
		titles []string
		want   string
	}{
		"consolidated-accounts.pdf": {[]string{"CONSOLIDATED2021"}, ""},
		"group-2021.pdf":            {[]string{"2021Consolidated"}, ""},
		"boats.pdf":                 {[]string{"CONSOLIDATED2021", "Financial statements of the group"}, "Financial statements of the group"},
		"apart.pdf":                 {[]string{"CONSOLIDATED 2021"}, "CONSOLIDATED 2021"},
		"model.pdf":                 {[]string{"MFC2020"}, "MFC2020"},
	} {
		d := w.add(name, titledPDF(c.titles...))
		w.drain(w.worker)
		p, ok := w.document(d.ID).Profile()
		if !ok || p.Title != c.want || slices.ContainsFunc(p.Subjects, func(s string) bool { return strings.Contains(s, "2021") }) {
			t.Errorf("%s: %+v, %v", name, p, ok)
		}
	}
}
