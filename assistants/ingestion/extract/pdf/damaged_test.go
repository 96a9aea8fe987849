package pdf

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"

	"footnote/assistants/ingestion/extract"
	"footnote/assistants/ingestion/extract/extracttest"
)

// withoutPages makes a PDF of five pages and removes some of them, counted from 1, from the
// file. It still counts five pages.
func withoutPages(lost ...int) []byte {
	lines := [][]string{{"The tenant pays the rent."}, {"Repairs are for the owner."}, {"Dogs are allowed."}, {}, {"Notice is given in writing."}}
	raw := madePDF(len(lines), func(page int) []string { return lines[page] })
	at := bytes.Index(raw, []byte("<</Type/Page/"))
	for page := 1; page <= len(lines); page++ {
		if slices.Contains(lost, page) {
			copy(raw[at:], "null %")
		}
		at += 1 + max(0, bytes.Index(raw[at+1:], []byte("<</Type/Page/")))
	}
	return raw
}

// An empty page is read; one that the file has lost is not.
func TestPagesThatCannotBeReadAreCounted(t *testing.T) {
	whole := pageTexts(extracttest.MustExtract(t, "a.pdf", withoutPages()))
	for _, lost := range [][]int{nil, {2}, {1, 2, 5}} {
		doc := extracttest.MustExtract(t, "a.pdf", withoutPages(lost...))
		want := slices.Clone(whole)
		for _, n := range lost {
			want[n-1] = ""
		}
		if got := pageTexts(doc); doc.Unread != len(lost) || !slices.Equal(got, want) {
			t.Errorf("without %v: %d pages are unread, and the text is %q, want %q", lost, doc.Unread, got, want)
		}
	}
}

// What cannot be read is not taken for a picture.
func TestAPDFWithoutItsPagesIsDamaged(t *testing.T) {
	for _, lost := range [][]int{{1, 2, 3, 5}, {1, 2, 3, 4, 5}} {
		_, err := extracttest.Extracted(t, "a.pdf", withoutPages(lost...))
		extracttest.WantCode(t, err, extract.CodeUnreadable)
	}
}

// Text recognition changes nothing for a page that cannot be drawn.
func TestPagesThatCannotBeDrawnStayUnread(t *testing.T) {
	raw := withoutPages(2)
	doc, err := extract.Extract(t.Context(), bytes.NewReader(raw), int64(len(raw)), extract.Options{
		Name: "a.pdf", CacheDir: extracttest.CacheDir,
		Recognise: func(context.Context, int, []byte) (string, error) { return "", errors.New("no page has a picture") },
	})
	if err != nil || doc.Unread != 1 {
		t.Errorf("%d unread, %v", doc.Unread, err)
	}
}
