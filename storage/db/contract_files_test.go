package db_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"footnote/assistants"
)

// filesOf makes the collection of files of a tenant, as an owner of documents.
func filesOf(t *testing.T, s contract, owner assistants.TenantID) assistants.Assistant {
	t.Helper()
	c := newShared(owner, "Files")
	c.ID = assistants.FilesCollection(owner)
	must(t, s.CreateCollection(t.Context(), c))
	return assistants.Assistant{TenantID: owner, CollectionID: c.ID}
}

// fileTests test files that wait until they are moved into a collection that is searched.
var fileTests = map[string]func(*testing.T, contract){
	"a file waits unread until it is moved": func(t *testing.T, s contract) {
		files, a := filesOf(t, s, tenant), addAssistant(t, s, tenant, "a")
		d := addDocument(t, s, files, "d", "content")
		if open := jobs(t, s); len(open) != 0 || d.Status != assistants.StatusPending {
			t.Errorf("before it is moved: %s, jobs %+v", d.Status, open)
		}
		moved, err := s.MoveDocument(t.Context(), tenant, d.ID, a.CollectionID, nil)
		open := worked(t, s)
		if err != nil || moved.CollectionID != a.CollectionID || moved.Status != assistants.StatusPending || len(open) != 1 ||
			open[0].Kind != assistants.JobIngest || open[0].CollectionID != a.CollectionID || open[0].Version != 1 {
			t.Errorf("moved: %+v, %v, jobs %+v", moved, err, open)
		}
		publish(t, s, d, 1, "hello")
		back, err := s.MoveDocument(t.Context(), tenant, d.ID, files.CollectionID, nil)
		if open := worked(t, s); err != nil || back.Live != 1 || len(open) != 1 || open[0].Kind != assistants.JobPurge {
			t.Errorf("moved back: %+v, %v, jobs %+v", back, err, open)
		}
	},

	"collections are listed both ways from any of them, without that of the files": func(t *testing.T, s contract) {
		filesOf(t, s, tenant)
		filesOf(t, s, other)
		var want []assistants.CollectionID
		for i := range 5 {
			c := newShared(tenant, "Common")
			c.CreatedAt = birth.Add(time.Duration(i/2) * time.Hour)
			must(t, s.CreateCollection(t.Context(), c))
			want = append(want, c.ID)
		}
		for _, descending := range []bool{false, true} {
			var got []assistants.CollectionID
			for list := (assistants.List{Limit: 2, Descending: descending}); ; {
				page, err := s.FindCollections(t.Context(), tenant, list)
				must(t, err)
				for _, c := range page.Items {
					got = append(got, c.ID)
				}
				if page.Next == "" {
					break
				}
				list.After = string(got[len(got)-1])
			}
			if descending {
				slices.Reverse(got)
			}
			if !slices.Equal(got, want) {
				t.Errorf("descending %v: %v, want %v", descending, got, want)
			}
		}
		for _, after := range []string{string(assistants.FilesCollection(tenant)), string(assistants.NewCollectionID())} {
			_, err := s.FindCollections(t.Context(), tenant, assistants.List{After: after})
			wantKind(t, "after what is not in the list", err, assistants.ErrInvalid)
		}
	},

	"all documents of a tenant are one list, and the files of a collection are counted": func(t *testing.T, s contract) {
		files, a := filesOf(t, s, tenant), addAssistant(t, s, tenant, "a")
		addDocument(t, s, files, "waiting", "12345")
		ready, failed := addDocument(t, s, a, "ready", "123"), addDocument(t, s, a, "failed", "1234")
		addDocument(t, s, a, "pending", "12")
		addDocument(t, s, addAssistant(t, s, other, "b"), "theirs", "1")
		publish(t, s, ready, 1, "hello")
		must(t, s.SetStatus(t.Context(), assistants.VersionRef{Tenant: tenant, Document: failed.ID, Number: 1}, assistants.StatusFailed, assistants.Progress{},
			&assistants.Cause{Code: assistants.CodeNoText, Message: "The document holds no text."}))
		all, err := s.FindDocuments(t.Context(), tenant, "", assistants.DocumentQuery{}, assistants.List{Count: true})
		if err != nil || all.Total != 4 || len(all.Items) != 4 {
			t.Errorf("all: %+v, %v", all, err)
		}
		counts, err := s.CollectionFiles(t.Context(), tenant, []assistants.CollectionID{a.CollectionID, files.CollectionID, assistants.NewCollectionID()})
		if want := (assistants.CollectionFiles{Total: 3, Ready: 1, Failed: 1, Bytes: 9}); err != nil || counts[a.CollectionID] != want {
			t.Errorf("counts %+v, %v, want %+v", counts[a.CollectionID], err, want)
		}
		if want := (assistants.CollectionFiles{Total: 1, Bytes: 5}); counts[files.CollectionID] != want || len(counts) != 2 {
			t.Errorf("counts %+v, want %+v", counts, want)
		}
		_, err = s.FindDocuments(t.Context(), tenant, files.CollectionID, assistants.DocumentQuery{}, assistants.List{After: string(ready.ID)})
		var field *assistants.FieldError
		if !errors.As(err, &field) || field.Field != "after" {
			t.Errorf("after a document of another collection: %v", err)
		}
	},
}
