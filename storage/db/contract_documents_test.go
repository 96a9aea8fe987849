package db_test

import (
	"errors"
	"fmt"
	"reflect"
	"sync"
	"testing"
	"time"

	"footnote/assistants"
)

var documentTests = map[string]func(*testing.T, contract){
	"a document comes back as it was stored, pending, with its ingestion queued": func(t *testing.T, s contract) {
		a := addAssistant(t, s, tenant, "a")
		d := newDocument(a, "Report.pdf", "content")
		d.SourcePath, d.Labels, d.Tags = "/srv/Report.pdf", []string{"hr", "2026"}, map[string]string{"year": "2026", "": ""}
		d.Status, d.Live, d.Latest = assistants.StatusReady, 7, 9 // not the caller's to say
		stored, duplicate, err := s.CreateDocument(t.Context(), d)
		must(t, err)
		want := d
		want.Status, want.Live, want.Latest = assistants.StatusPending, 0, 1
		want.Version.DocumentID, want.Version.Number = d.ID, 1
		if duplicate || !reflect.DeepEqual(stored, want) {
			t.Errorf("created %+v (duplicate %v)\nwant %+v", stored, duplicate, want)
		}
		got, err := s.Document(t.Context(), tenant, d.ID)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("stored %+v, %v\nwant %+v", got, err, want)
		}
		got, err = s.DocumentBySourcePath(t.Context(), tenant, a.CollectionID, d.SourcePath)
		if err != nil || got.ID != d.ID {
			t.Errorf("by path: %v, %v", got.ID, err)
		}
		entries, err := s.DocumentLog(t.Context(), tenant, d.ID)
		if err != nil || len(entries) != 1 || entries[0] != (assistants.LogEntry{Time: birth, Version: 1, Status: assistants.StatusPending}) {
			t.Errorf("log %+v, %v", entries, err)
		}
		all := jobs(t, s)
		if len(all) != 1 || all[0].Kind != assistants.JobIngest || all[0].DocumentID != d.ID || all[0].Version != 1 || all[0].TenantID != tenant {
			t.Errorf("jobs %+v", all)
		}
	},

	"without labels, tags and path lists are empty and never nil": func(t *testing.T, s contract) {
		a := addAssistant(t, s, tenant, "a")
		d := addDocument(t, s, a, "n", "c")
		got, err := s.Document(t.Context(), tenant, d.ID)
		must(t, err)
		if got.Labels == nil || got.Tags == nil || got.SourcePath != "" || !reflect.DeepEqual(got, d) {
			t.Errorf("got %+v, created %+v", got, d)
		}
		addDocument(t, s, a, "also without a path", "c2")
		_, err = s.DocumentBySourcePath(t.Context(), tenant, a.CollectionID, "")
		wantKind(t, "the empty path", err, assistants.ErrNotFound)
	},

	"the same bytes again give the document that has them": func(t *testing.T, s contract) {
		a, b := addAssistant(t, s, tenant, "a"), addAssistant(t, s, tenant, "b")
		first := addDocument(t, s, a, "one", "same")
		again := newDocument(a, "two", "same")
		again.SourcePath = "/two"
		got, duplicate, err := s.CreateDocument(t.Context(), again)
		if err != nil || !duplicate || !reflect.DeepEqual(got, first) {
			t.Errorf("got %+v, %v, %v", got, duplicate, err)
		}
		addDocument(t, s, b, "in another collection", "same")
		if n := len(jobs(t, s)); n != 2 {
			t.Errorf("%d jobs for two documents", n)
		}
	},

	"fifty uploads of the same bytes at once make one document": func(t *testing.T, s contract) {
		a := addAssistant(t, s, tenant, "a")
		ids := make([]assistants.DocumentID, 50)
		fresh := make([]bool, len(ids))
		var wg sync.WaitGroup
		for i := range ids {
			wg.Go(func() {
				d, duplicate, err := s.CreateDocument(t.Context(), newDocument(a, fmt.Sprint("name ", i), "same"))
				if err != nil {
					t.Error(err)
				}
				ids[i], fresh[i] = d.ID, !duplicate
			})
		}
		wg.Wait()
		n := 0
		for i := range ids {
			if ids[i] != ids[0] {
				t.Fatalf("two documents, %s and %s", ids[0], ids[i])
			}
			if fresh[i] {
				n++
			}
		}
		if n != 1 || len(jobs(t, s)) != 1 {
			t.Errorf("%d uploads created the document", n)
		}
	},

	"a path names one document of a collection": func(t *testing.T, s contract) {
		a, b := addAssistant(t, s, tenant, "a"), addAssistant(t, s, tenant, "b")
		var wg sync.WaitGroup
		errs := make([]error, 10)
		for i := range errs {
			wg.Go(func() {
				d := newDocument(a, "n", fmt.Sprint("content ", i))
				d.SourcePath = "/same"
				_, _, errs[i] = s.CreateDocument(t.Context(), d)
			})
		}
		wg.Wait()
		won := 0
		for _, err := range errs {
			if err == nil {
				won++
				continue
			}
			wantKind(t, "a taken path", err, assistants.ErrConflict)
		}
		if won != 1 {
			t.Errorf("%d documents from one path", won)
		}
		d := newDocument(b, "n", "content")
		d.SourcePath = "/same"
		if _, _, err := s.CreateDocument(t.Context(), d); err != nil {
			t.Errorf("the path in another collection: %v", err)
		}
	},

	"documents are listed in pages by creation": func(t *testing.T, s contract) {
		a, b := addAssistant(t, s, tenant, "a"), addAssistant(t, s, tenant, "b")
		var want []assistants.Document
		for i := range 7 {
			d := newDocument(a, fmt.Sprint("n", i), fmt.Sprint("c", i))
			d.CreatedAt = birth.Add(time.Duration(i/2) * time.Millisecond)
			d, _, err := s.CreateDocument(t.Context(), d)
			must(t, err)
			want = append(want, d)
		}
		addDocument(t, s, b, "elsewhere", "c")
		for _, limit := range []int{1, 3, 7, 100} {
			got, err := everything(t.Context(), s, a, limit)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("in pages of %d: %d documents, %v\n got %+v\nwant %+v", limit, len(got), err, got, want)
			}
		}
		_, _, err := s.Documents(t.Context(), tenant, "coll_unknown", assistants.List{})
		wantKind(t, "a collection that is not there", err, assistants.ErrNotFound)
		_, _, err = s.Documents(t.Context(), tenant, a.CollectionID, assistants.List{Cursor: "no"})
		wantKind(t, "a bad cursor", err, assistants.ErrInvalid)
	},

	"documents are counted by state, per tenant and over all": func(t *testing.T, s contract) {
		a, b := addAssistant(t, s, tenant, "a"), addAssistant(t, s, other, "a")
		publish(t, s, addDocument(t, s, a, "1", "1"), 1, "text")
		addDocument(t, s, a, "2", "2")
		addDocument(t, s, b, "1", "1")
		for _, c := range []struct {
			tenant assistants.TenantID
			want   map[assistants.Status]int
		}{
			{tenant, map[assistants.Status]int{assistants.StatusReady: 1, assistants.StatusPending: 1}},
			{other, map[assistants.Status]int{assistants.StatusPending: 1}},
			{"", map[assistants.Status]int{assistants.StatusReady: 1, assistants.StatusPending: 2}},
			{"none", map[assistants.Status]int{}},
		} {
			if got, err := s.CountDocuments(t.Context(), c.tenant); err != nil || !reflect.DeepEqual(got, c.want) {
				t.Errorf("tenant %q: %v, %v, want %v", c.tenant, got, err, c.want)
			}
		}
	},

	"an empty collection is told from one that nothing can be found in": func(t *testing.T, s contract) {
		a, b, c := addAssistant(t, s, tenant, "a"), addAssistant(t, s, tenant, "b"), addAssistant(t, s, tenant, "c")
		publish(t, s, addDocument(t, s, a, "1", "1"), 1, "text")
		addDocument(t, s, a, "2", "2")
		addDocument(t, s, b, "1", "1")
		for what, want := range map[string]struct {
			tenant                assistants.TenantID
			in                    []assistants.CollectionID
			documents, searchable bool
		}{
			"one is ready":     {tenant, []assistants.CollectionID{a.CollectionID}, true, true},
			"none is ready":    {tenant, []assistants.CollectionID{b.CollectionID}, true, false},
			"there is none":    {tenant, []assistants.CollectionID{c.CollectionID}, false, false},
			"two collections":  {tenant, []assistants.CollectionID{b.CollectionID, a.CollectionID}, true, true},
			"another tenant's": {other, []assistants.CollectionID{a.CollectionID}, false, false},
		} {
			documents, searchable, err := s.Holdings(t.Context(), want.tenant, want.in)
			if err != nil || documents != want.documents || searchable != want.searchable {
				t.Errorf("%s: %v, %v, %v", what, documents, searchable, err)
			}
		}
	},

	"an update changes name, path, labels and tags and nothing else": func(t *testing.T, s contract) {
		a := addAssistant(t, s, tenant, "a")
		d := addDocument(t, s, a, "before", "c")
		got, err := s.UpdateDocument(t.Context(), tenant, d.ID, func(e *assistants.Document) error {
			if !reflect.DeepEqual(*e, d) {
				t.Errorf("the change sees %+v", *e)
			}
			e.Name, e.Labels, e.Tags = "after", []string{"x"}, map[string]string{"k": "v"}
			e.Status, e.Live, e.SourcePath, e.TenantID, e.CollectionID = assistants.StatusReady, 4, "/p", other, "coll_x"
			return nil
		})
		must(t, err)
		want := d
		want.Name, want.SourcePath, want.Labels, want.Tags, want.UpdatedAt = "after", "/p", []string{"x"}, map[string]string{"k": "v"}, got.UpdatedAt
		stored, err := s.Document(t.Context(), tenant, d.ID)
		if err != nil || !reflect.DeepEqual(got, want) || !reflect.DeepEqual(stored, want) {
			t.Errorf("returned %+v\nstored   %+v, %v\nwant     %+v", got, stored, err, want)
		}
		refusal := errors.New("no")
		_, err = s.UpdateDocument(t.Context(), tenant, d.ID, func(e *assistants.Document) error { e.Name = "no"; return refusal })
		if err != refusal { //nolint:errorlint // identity is the promise
			t.Errorf("a refused change: %v", err)
		}
		got, err = s.UpdateDocument(t.Context(), tenant, d.ID, func(e *assistants.Document) error { e.Labels, e.Tags = nil, nil; return nil })
		if err != nil || got.Name != "after" || got.Labels == nil || got.Tags == nil || len(got.Labels)+len(got.Tags) != 0 {
			t.Errorf("emptied: %+v, %v", got, err)
		}
		if found, err := s.DocumentBySourcePath(t.Context(), tenant, a.CollectionID, "/p"); err != nil || found.ID != d.ID {
			t.Errorf("by its new path: %+v, %v", found, err)
		}
		second := addDocument(t, s, a, "second", "another")
		err = errorOf(s.UpdateDocument(t.Context(), tenant, second.ID, func(e *assistants.Document) error { e.SourcePath = "/p"; return nil }))
		wantKind(t, "the path of another document", err, assistants.ErrConflict)
	},

	"deleting a document takes everything with it and queues a purge": func(t *testing.T, s contract) {
		a := addAssistant(t, s, tenant, "a")
		d := addDocument(t, s, a, "n", "one")
		chunks := publish(t, s, d, 1, "hello world")
		_, _, err := s.ReplaceFile(t.Context(), tenant, d.ID, newVersion(tenant, "two"))
		must(t, err)
		second, err := s.Version(t.Context(), tenant, d.ID, 2)
		must(t, err)

		must(t, s.DeleteDocument(t.Context(), tenant, d.ID))

		wantKind(t, "deleting it again", s.DeleteDocument(t.Context(), tenant, d.ID), assistants.ErrNotFound)
		for what, err := range map[string]error{
			"document": errorOf(s.Document(t.Context(), tenant, d.ID)),
			"log":      errorOf(s.DocumentLog(t.Context(), tenant, d.ID)),
			"version":  errorOf(s.Version(t.Context(), tenant, d.ID, 1)),
			"text":     errorOf(s.LiveText(t.Context(), tenant, d.ID)),
		} {
			wantKind(t, what, err, assistants.ErrNotFound)
		}
		if hits := find(t, s, tenant, a.CollectionID, chunks...); len(hits) != 0 {
			t.Errorf("%d chunks are still found", len(hits))
		}
		all := jobs(t, s)
		if len(all) != 1 || all[0].Kind != assistants.JobPurge || all[0].Version != 0 || all[0].DocumentID != d.ID ||
			!reflect.DeepEqual(all[0].BlobKeys, []string{d.Version.BlobKey, second.BlobKey}) {
			t.Errorf("jobs %+v", all)
		}
		addDocument(t, s, a, "the same bytes again", "two")
	},

	"a version needs the key and the hash of its bytes": func(t *testing.T, s contract) {
		a := addAssistant(t, s, tenant, "a")
		d := newDocument(a, "n", "c")
		d.Version.SHA256 = ""
		_, _, err := s.CreateDocument(t.Context(), d)
		wantKind(t, "no hash", err, assistants.ErrInvalid)
		d = newDocument(a, "n", "c")
		d.Version.BlobKey = ""
		_, _, err = s.CreateDocument(t.Context(), d)
		wantKind(t, "no key", err, assistants.ErrInvalid)
	},
}

// errorOf is the error of a call that returns a value and an error.
func errorOf[T any](_ T, err error) error { return err }
