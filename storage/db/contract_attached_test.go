package db_test

import (
	"testing"

	"footnote/assistants"
)

// attachedTests test documents that were attached to a mail.
var attachedTests = map[string]func(*testing.T, contract){
	"attachments of a mail are listed": func(t *testing.T, s contract) {
		a := addAssistant(t, s, tenant, "a")
		mail := addDocument(t, s, a, "mail", "mail")
		addDocument(t, s, a, "by itself", "by itself")
		first := addAttached(t, s, a, mail, "first")
		second := addAttached(t, s, a, mail, "second")
		got, err := s.Attached(t.Context(), tenant, mail.ID)
		if err != nil || len(got) != 2 || got[0].ID != first.ID || got[1].ID != second.ID || got[0].Parent != mail.ID || got[1].Version.FileName == "" {
			t.Errorf("%+v, %v", got, err)
		}
		if d, err := s.Document(t.Context(), tenant, first.ID); err != nil || d.Parent != mail.ID {
			t.Errorf("%+v, %v", d, err)
		}
		if got, err := s.Attached(t.Context(), tenant, first.ID); err != nil || len(got) != 0 {
			t.Errorf("%+v, %v", got, err)
		}
	},

	"deleting a mail deletes its attachments": func(t *testing.T, s contract) {
		a := addAssistant(t, s, tenant, "a")
		mail, other := addDocument(t, s, a, "mail", "mail"), addDocument(t, s, a, "other", "other")
		child, kept := addAttached(t, s, a, mail, "child"), addAttached(t, s, a, other, "kept")
		chunks := publish(t, s, child, 1, "hello world")
		must(t, s.DeleteDocument(t.Context(), tenant, mail.ID))
		wantKind(t, "the mail", errorOf(s.Document(t.Context(), tenant, mail.ID)), assistants.ErrNotFound)
		wantKind(t, "what came with it", errorOf(s.Document(t.Context(), tenant, child.ID)), assistants.ErrNotFound)
		if hits := find(t, s, tenant, a.CollectionID, chunks...); len(hits) != 0 {
			t.Errorf("%d chunks are still found", len(hits))
		}
		must(t, errorOf(s.Document(t.Context(), tenant, kept.ID)))
		purged := map[assistants.DocumentID]bool{}
		for _, j := range jobsOf(jobs(t, s), assistants.JobPurge) {
			purged[j.DocumentID] = len(j.BlobKeys) == 1
		}
		if len(purged) != 2 || !purged[mail.ID] || !purged[child.ID] {
			t.Errorf("purged %v", purged)
		}
	},

	"an attachment of two mails, or uploaded by itself as well, outlives them": func(t *testing.T, s contract) {
		a := addAssistant(t, s, tenant, "a")
		mail, second := addDocument(t, s, a, "mail", "mail"), addDocument(t, s, a, "second", "second")
		again := func(content string, parent assistants.DocumentID, want assistants.Document) {
			t.Helper()
			d := newDocument(a, "again", content)
			d.Parent = parent
			got, duplicate, err := s.CreateDocument(t.Context(), d)
			if err != nil || !duplicate || got.ID != want.ID || got.Parent != want.Parent {
				t.Errorf("%+v, duplicate %v, %v", got, duplicate, err)
			}
			if d, err := s.Document(t.Context(), tenant, want.ID); err != nil || d.Parent != want.Parent {
				t.Errorf("stored %+v, %v", d, err)
			}
		}
		both, own, once := addAttached(t, s, a, mail, "both"), addAttached(t, s, a, mail, "own"), addAttached(t, s, a, mail, "once")
		again("once", mail.ID, once) // twice in one mail
		both.Parent, own.Parent = "", ""
		again("both", second.ID, both)
		again("own", "", own)
		must(t, s.DeleteDocument(t.Context(), tenant, mail.ID))
		must(t, errorOf(s.Document(t.Context(), tenant, both.ID)))
		must(t, errorOf(s.Document(t.Context(), tenant, own.ID)))
		wantKind(t, "what came with one mail", errorOf(s.Document(t.Context(), tenant, once.ID)), assistants.ErrNotFound)
	},

	"a document alone is deleted without its mail": func(t *testing.T, s contract) {
		a := addAssistant(t, s, tenant, "a")
		mail := addDocument(t, s, a, "mail", "mail")
		child := addAttached(t, s, a, mail, "child")
		must(t, s.DeleteDocument(t.Context(), tenant, child.ID))
		must(t, errorOf(s.Document(t.Context(), tenant, mail.ID)))
	},

	"a missing mail has no attachments": func(t *testing.T, s contract) {
		a := addAssistant(t, s, tenant, "a")
		d := newDocument(a, "child", "child")
		d.Parent = assistants.NewDocumentID()
		_, _, err := s.CreateDocument(t.Context(), d)
		wantKind(t, "no mail", err, assistants.ErrNotFound)
		foreign := addDocument(t, s, addAssistant(t, s, other, "b"), "mail", "mail")
		d.Parent = foreign.ID
		_, _, err = s.CreateDocument(t.Context(), d)
		wantKind(t, "the mail of another tenant", err, assistants.ErrNotFound)
	},
}

// addAttached stores a document that was attached to a mail.
func addAttached(t *testing.T, s contract, a assistants.Assistant, mail assistants.Document, content string) assistants.Document {
	t.Helper()
	d := newDocument(a, content, content)
	d.Parent = mail.ID
	d, duplicate, err := s.CreateDocument(t.Context(), d)
	must(t, err)
	if duplicate || d.Parent != mail.ID {
		t.Fatalf("stored as %+v, a duplicate: %v", d, duplicate)
	}
	return d
}
