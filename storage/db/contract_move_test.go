package db_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"footnote/assistants"
)

// worked ends all open jobs and returns them.
func worked(t *testing.T, s contract) []assistants.Job {
	t.Helper()
	all := jobs(t, s)
	for _, j := range all {
		must(t, s.FinishJob(t.Context(), j))
	}
	return all
}

func collectionOf(t *testing.T, s contract, id assistants.DocumentID) assistants.CollectionID {
	t.Helper()
	d, err := s.Document(t.Context(), tenant, id)
	must(t, err)
	return d.CollectionID
}

// moveTests test documents that are moved to another collection.
var moveTests = map[string]func(*testing.T, contract){
	"a moved document is found through its new collection alone": func(t *testing.T, s contract) {
		a, b := addAssistant(t, s, tenant, "a"), addAssistant(t, s, tenant, "b")
		d := addDocument(t, s, a, "d", "d")
		chunks := publish(t, s, d, 1, "hello world")
		worked(t, s)
		must(t, errorOf(s.ClaimSpace(t.Context(), tenant, a.CollectionID, space)))
		must(t, s.Embedded(t.Context(), assistants.VersionRef{Tenant: tenant, Document: d.ID, Number: 1}, space, birth))
		moved, err := s.MoveDocument(t.Context(), tenant, d.ID, b.CollectionID, nil)
		if err != nil || moved.CollectionID != b.CollectionID || moved.Live != 1 || !moved.Version.Space.IsZero() {
			t.Errorf("moved: %+v, %v", moved, err)
		}
		if from, to := find(t, s, tenant, a.CollectionID, chunks...), find(t, s, tenant, b.CollectionID, chunks...); len(from) != 0 || len(to) != len(chunks) {
			t.Errorf("%d passages are found through the old collection, %d of %d through the new one", len(from), len(to), len(chunks))
		}
		// The index still has it where it was, which is no breach.
		if foreign, err := s.ForeignDocuments(t.Context(), tenant, []assistants.CollectionID{a.CollectionID}, []assistants.DocumentID{d.ID}); err != nil || len(foreign) != 0 {
			t.Errorf("foreign before it is indexed again: %v, %v", foreign, err)
		}
		open := worked(t, s)
		if len(open) != 1 || open[0].Kind != assistants.JobPurge || open[0].Version != 0 || len(open[0].BlobKeys) != 0 || open[0].DocumentID != d.ID || open[0].CollectionID != a.CollectionID {
			t.Errorf("queued: %+v", open)
		}
		if foreign, err := s.ForeignDocuments(t.Context(), tenant, []assistants.CollectionID{a.CollectionID}, []assistants.DocumentID{d.ID}); err != nil || !slices.Equal(foreign, []assistants.DocumentID{d.ID}) {
			t.Errorf("foreign afterwards: %v, %v", foreign, err)
		}
		if again, err := s.MoveDocument(t.Context(), tenant, d.ID, b.CollectionID, nil); err != nil || again.UpdatedAt != moved.UpdatedAt || len(worked(t, s)) != 0 {
			t.Errorf("moved to where it is: %+v, %v", again, err)
		}
	},

	"a document is not moved while it is processed, or where there is one like it": func(t *testing.T, s contract) {
		a, b := addAssistant(t, s, tenant, "a"), addAssistant(t, s, tenant, "b")
		busy := addDocument(t, s, a, "busy", "busy")
		move := func(id assistants.DocumentID, to assistants.CollectionID) error {
			return errorOf(s.MoveDocument(t.Context(), tenant, id, to, nil))
		}
		wantKind(t, "pending", move(busy.ID, b.CollectionID), assistants.ErrConflict)
		worked(t, s)
		must(t, move(busy.ID, b.CollectionID))
		twin, path := addDocument(t, s, a, "twin", "same"), newDocument(a, "path", "one")
		addDocument(t, s, b, "twin", "same")
		path.SourcePath = "/x"
		must(t, third(s.CreateDocument(t.Context(), path)))
		there := newDocument(b, "path", "two")
		there.SourcePath = "/x"
		must(t, third(s.CreateDocument(t.Context(), there)))
		worked(t, s)
		for what, id := range map[string]assistants.DocumentID{"the same bytes": twin.ID, "the same path": path.ID} {
			wantKind(t, what, move(id, b.CollectionID), assistants.ErrConflict)
			if collectionOf(t, s, id) != a.CollectionID {
				t.Errorf("%s: it was moved", what)
			}
		}
		wantKind(t, "a collection that does not exist", move(twin.ID, "coll_none"), assistants.ErrNotFound)
		theirs := addAssistant(t, s, other, "c")
		wantKind(t, "a collection of another tenant", move(twin.ID, theirs.CollectionID), assistants.ErrNotFound)
		refusal := errors.New("stale")
		if _, err := s.MoveDocument(t.Context(), tenant, twin.ID, theirs.CollectionID, func(assistants.Document) error { return refusal }); err == nil {
			t.Error("a stale document was moved")
		}
	},

	"attachments move with their mail, and not without it": func(t *testing.T, s contract) {
		a, b := addAssistant(t, s, tenant, "a"), addAssistant(t, s, tenant, "b")
		mail := addDocument(t, s, a, "mail", "mail")
		child := addAttached(t, s, a, mail, "child")
		wantKind(t, "the attachment is being processed", errorOf(s.MoveDocument(t.Context(), tenant, mail.ID, b.CollectionID, nil)), assistants.ErrConflict)
		worked(t, s)
		wantKind(t, "the attachment alone", errorOf(s.MoveDocument(t.Context(), tenant, child.ID, b.CollectionID, nil)), assistants.ErrConflict)
		c := addAssistant(t, s, tenant, "c")
		addDocument(t, s, c, "a copy", "child")
		worked(t, s)
		err := errorOf(s.MoveDocument(t.Context(), tenant, mail.ID, c.CollectionID, nil))
		wantKind(t, "the attachment is there already", err, assistants.ErrConflict)
		var refused *assistants.FieldError
		if !errors.As(err, &refused) || !strings.Contains(refused.Message, `the attachment "child"`) || collectionOf(t, s, mail.ID) != a.CollectionID {
			t.Errorf("the attachment is there already: %v", err)
		}
		must(t, errorOf(s.MoveDocument(t.Context(), tenant, mail.ID, b.CollectionID, nil)))
		if collectionOf(t, s, child.ID) != b.CollectionID {
			t.Error("the attachment stayed behind")
		}
	},
}

// third returns the third result.
func third[A, B any](_ A, _ B, err error) error { return err }
