//go:build !race

package ingestion

import (
	"context"
	"os"
	"slices"
	"testing"

	"footnote/assistants"
	"footnote/assistants/ingestion/extract"
	"footnote/assistants/ingestion/sandbox"
)

func TestWhatCannotBeReadFailsWithItsCause(t *testing.T) {
	for code, content := range map[string]string{
		assistants.CodeNoText:     "<html><body> </body></html>",
		assistants.CodeUnreadable: "%PDF-1.7\nrubbish",
	} {
		w := newWorld(t)
		d := w.add("a", content)
		w.drain(w.worker)
		if d = w.document(d.ID); d.Status != assistants.StatusFailed || d.Cause == nil || d.Cause.Code != code || d.Cause.Message == "" {
			t.Errorf("%s: %s, %v", code, d.Status, d.Cause)
		}
		w.consistent()
	}
}

// A document that lost pages is found by the others, and says so: while it is embedded, after
// that, in its log, and once it is read again.
func TestADocumentSaysHowManyOfItsPagesCouldNotBeRead(t *testing.T) {
	w := newWorld(t)
	w.embedder = newTestEmbedder("a")
	unread := 2
	worker := w.newWorker(w.store, w.blobs, w.index, extractorFunc(func(context.Context, *os.File, sandbox.Hint) (extract.Document, error) {
		return extract.Document{Text: "The tenant pays the rent.", ContentType: extract.TypePDF, Pages: []extract.Page{{Number: 1, End: 25}, {Number: 2, Start: 25, End: 25}, {Number: 3, Start: 25, End: 25}}, Unread: unread}, nil
	}))
	d := w.add("a.pdf", "some bytes")
	w.drain(worker)
	const message = "2 of 3 pages could not be read; the file may be damaged."
	d = w.document(d.ID)
	if n := d.Notice(); d.Status != assistants.StatusReady || d.Searchable() != assistants.SearchableFull || n == nil || n.Code != assistants.CodePagesUnreadable || n.Message != message {
		t.Errorf("%s, %s, notice %+v", d.Status, d.Searchable(), n)
	}
	log, err := w.store.DocumentLog(t.Context(), assistants.DefaultTenant, d.ID)
	w.must(err)
	if !slices.ContainsFunc(log, func(e assistants.LogEntry) bool { return e.Cause != nil && e.Cause.Message == message }) {
		t.Errorf("the log does not say it: %+v", log)
	}
	unread = 0 // the next version of the program reads more
	_, err = w.store.Reprocess(t.Context(), assistants.DefaultTenant, d.ID)
	w.must(err)
	w.drain(worker)
	if d = w.document(d.ID); d.Status != assistants.StatusReady || d.Notice() != nil {
		t.Errorf("read again: %s, notice %+v", d.Status, d.Notice())
	}
}
