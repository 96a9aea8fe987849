//go:build !race

package ingestion

import (
	"testing"

	"footnote/assistants"
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
