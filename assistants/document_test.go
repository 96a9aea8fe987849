package assistants_test

import (
	"testing"

	"footnote/assistants"
)

// A person learns of lost pages from a document that answers, whatever else is to be said of it.
func TestANoticeSaysHowManyPagesCouldNotBeRead(t *testing.T) {
	damaged := assistants.Version{Pages: 73, Profile: &assistants.Profile{Unread: 53}}
	away := &assistants.Cause{Code: assistants.CodeEmbedderUnavailable, Message: "The embedder cannot answer now."}
	const lost = "53 of 73 pages could not be read; the file may be damaged."
	for name, c := range map[string]struct {
		document      assistants.Document
		code, message string
	}{
		"ready":           {assistants.Document{Status: assistants.StatusReady, Live: 1, Version: damaged}, "pages_unreadable", lost},
		"embedding":       {assistants.Document{Status: assistants.StatusEmbedding, Live: 1, Version: damaged}, "pages_unreadable", lost},
		"without vectors": {assistants.Document{Status: assistants.StatusReady, Live: 1, Version: damaged, Cause: away}, away.Code, away.Message + " " + lost},
		"whole":           {assistants.Document{Status: assistants.StatusReady, Live: 1, Version: assistants.Version{Pages: 73, Profile: &assistants.Profile{}}}, "", ""},
		"read long ago":   {assistants.Document{Status: assistants.StatusReady, Live: 1, Version: assistants.Version{Pages: 73}}, "", ""},
		"read again":      {assistants.Document{Status: assistants.StatusPending, Live: 1, Version: damaged}, "", ""},
	} {
		var got assistants.Cause
		if n := c.document.Notice(); n != nil {
			got = *n
		}
		if got.Code != c.code || got.Message != c.message {
			t.Errorf("%s: %+v, want %s %q", name, got, c.code, c.message)
		}
	}
}

// What people set of a profile says nothing about the file.
func TestEditsOfAProfileKeepWhatCouldNotBeRead(t *testing.T) {
	title := "Report"
	if p := (assistants.ProfileEdits{Title: &title}).Apply(assistants.Profile{Unread: 53}); p.Unread != 53 || p.Title != title {
		t.Errorf("%+v", p)
	}
}
