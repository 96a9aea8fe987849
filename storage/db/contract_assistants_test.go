package db_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"footnote/assistants"
)

var assistantTests = map[string]func(*testing.T, contract){
	"an assistant comes back as it was stored, by id, slug and document": func(t *testing.T, s contract) {
		a := newAssistant(tenant, "handbook")
		a.CreatedAt = time.Date(2026, 10, 25, 2, 30, 0, 0, time.FixedZone("CEST", 2*3600))
		must(t, s.CreateAssistant(t.Context(), a))
		a.CreatedAt = a.CreatedAt.UTC()
		for _, ref := range []string{string(a.ID), a.Slug} {
			got, err := s.Assistant(t.Context(), tenant, ref)
			must(t, err)
			if !reflect.DeepEqual(got, a) {
				t.Errorf("by %q:\n got %+v\nwant %+v", ref, got, a)
			}
		}
		addDocument(t, s, addAssistant(t, s, tenant, "other"), "d", "elsewhere")
		d := addDocument(t, s, a, "d", "here")
		if got, err := s.AssistantOfDocument(t.Context(), tenant, d.ID, assistants.Sight{All: true}); err != nil || !reflect.DeepEqual(got, a) {
			t.Errorf("the document belongs to %+v, %v; want %+v", got, err, a)
		}
	},

	"those that read a document's collection are found as long as they name it": func(t *testing.T, s contract) {
		owner, foreign := addAssistant(t, s, tenant, "owner"), addAssistant(t, s, "tenant-b", "foreign")
		d := addDocument(t, s, owner, "d", "shared")
		reader, bystander := newAssistant(tenant, "reader"), addAssistant(t, s, tenant, "bystander")
		reader.Settings.Collections = []string{string(bystander.CollectionID), string(owner.CollectionID)}
		must(t, s.CreateAssistant(t.Context(), reader))
		check := func(of assistants.TenantID, sight assistants.Sight, want ...assistants.AssistantID) {
			t.Helper()
			found, err := s.ReadersOfDocument(t.Context(), of, d.ID, sight)
			must(t, err)
			var ids []assistants.AssistantID
			for _, a := range found {
				ids = append(ids, a.ID)
			}
			if !slices.Equal(ids, want) {
				t.Errorf("%s sees by %+v: %v, want %v", of, sight, ids, want)
			}
		}
		check(tenant, assistants.Sight{All: true}, reader.ID)
		check(tenant, assistants.Sight{Some: []assistants.AssistantID{reader.ID, foreign.ID}}, reader.ID)
		check(tenant, assistants.Sight{Some: []assistants.AssistantID{owner.ID, bystander.ID, foreign.ID}})
		check(tenant, assistants.Sight{})
		check("tenant-b", assistants.Sight{All: true})
		_, err := s.UpdateAssistant(t.Context(), tenant, string(reader.ID), func(a *assistants.Assistant) error {
			a.Settings.Collections = []string{string(bystander.CollectionID)}
			return nil
		})
		must(t, err)
		check(tenant, assistants.Sight{All: true})
	},

	"invisible assistants are not found": func(t *testing.T, s contract) {
		a, b := addAssistant(t, s, tenant, "a"), newAssistant(tenant, "b")
		b.Settings.PublicAccess = true
		must(t, s.CreateAssistant(t.Context(), b))
		inA, inB := addDocument(t, s, a, "d", "in a"), addDocument(t, s, b, "d", "in b")
		for _, c := range []struct {
			sight        assistants.Sight
			seesA, seesB bool
		}{
			{assistants.Sight{}, false, false},
			{assistants.Sight{All: true}, true, true},
			{assistants.Sight{Public: true}, false, true},
			{assistants.Sight{Some: []assistants.AssistantID{a.ID}}, true, false},
			{assistants.Sight{Some: []assistants.AssistantID{"asst_x", a.ID}, Public: true}, true, true},
			{assistants.Sight{Some: []assistants.AssistantID{"asst_x"}}, false, false},
			{assistants.Sight{Some: []assistants.AssistantID{}}, false, false},
		} {
			for _, of := range []struct {
				assistant assistants.Assistant
				document  assistants.DocumentID
				sees      bool
			}{{a, inA.ID, c.seesA}, {b, inB.ID, c.seesB}} {
				if c.sight.Sees(&of.assistant) != of.sees {
					t.Errorf("%+v sees %s: %v", c.sight, of.assistant.Slug, !of.sees)
				}
				_, bySlug := s.AssistantInSight(t.Context(), tenant, of.assistant.Slug, c.sight)
				_, byID := s.AssistantInSight(t.Context(), tenant, string(of.assistant.ID), c.sight)
				_, byDocument := s.AssistantOfDocument(t.Context(), tenant, of.document, c.sight)
				for _, err := range []error{bySlug, byID, byDocument} {
					if of.sees && err != nil || !of.sees && !errors.Is(err, assistants.ErrNotFound) {
						t.Errorf("%+v looks for %s: %v", c.sight, of.assistant.Slug, err)
					}
				}
			}
		}
	},

	"a slug is unique within its tenant": func(t *testing.T, s contract) {
		addAssistant(t, s, tenant, "same")
		err := s.CreateAssistant(t.Context(), newAssistant(tenant, "same"))
		wantKind(t, "the same slug again", err, assistants.ErrConflict)
		var field *assistants.FieldError
		if !errors.As(err, &field) || field.Field != "slug" {
			t.Errorf("%v does not name the slug", err)
		}
		addAssistant(t, s, other, "same")
		b := addAssistant(t, s, tenant, "free")
		_, err = s.UpdateAssistant(t.Context(), tenant, "free", func(a *assistants.Assistant) error { a.Slug = "same"; return nil })
		wantKind(t, "renaming to a taken slug", err, assistants.ErrConflict)
		if got, err := s.Assistant(t.Context(), tenant, "free"); err != nil || !reflect.DeepEqual(got, b) {
			t.Errorf("the refused change left %+v, %v", got, err)
		}
	},

	"of concurrent requests for a slug one succeeds": func(t *testing.T, s contract) {
		errs := make([]error, 12)
		var wg sync.WaitGroup
		for i := range errs {
			wg.Go(func() { errs[i] = s.CreateAssistant(t.Context(), newAssistant(tenant, "wanted")) })
		}
		wg.Wait()
		won := 0
		for _, err := range errs {
			if err == nil {
				won++
			} else {
				wantKind(t, "a late one", err, assistants.ErrConflict)
			}
		}
		if won != 1 {
			t.Errorf("%d of %d succeeded", won, len(errs))
		}
	},

	"an update changes name, slug and settings and nothing else": func(t *testing.T, s contract) {
		a := addAssistant(t, s, tenant, "before")
		got, err := s.UpdateAssistant(t.Context(), tenant, "before", func(b *assistants.Assistant) error {
			if !reflect.DeepEqual(*b, a) {
				t.Errorf("the change sees %+v, want %+v", *b, a)
			}
			b.Name, b.Slug, b.Settings.EnableRAG = "After", "after", true
			b.ID, b.TenantID, b.CollectionID, b.CreatedAt = "asst_x", other, "coll_x", birth.Add(time.Hour)
			return nil
		})
		must(t, err)
		a.Name, a.Slug, a.Settings.EnableRAG, a.UpdatedAt = "After", "after", true, got.UpdatedAt
		if !reflect.DeepEqual(got, a) || !got.UpdatedAt.After(birth) {
			t.Errorf("the update returned %+v, want %+v", got, a)
		}
		if stored, err := s.Assistant(t.Context(), tenant, "after"); err != nil || !reflect.DeepEqual(stored, a) {
			t.Errorf("stored %+v, %v, want %+v", stored, err, a)
		}
		_, err = s.Assistant(t.Context(), tenant, "before")
		wantKind(t, "the old slug", err, assistants.ErrNotFound)
	},

	"a change that fails changes nothing and its error comes back as it is": func(t *testing.T, s contract) {
		a := addAssistant(t, s, tenant, "kept")
		refusal := errors.New("no")
		_, err := s.UpdateAssistant(t.Context(), tenant, "kept", func(b *assistants.Assistant) error {
			b.Name = "Changed"
			return refusal
		})
		if err != refusal { //nolint:errorlint // identity is the promise
			t.Errorf("got %v", err)
		}
		if got, err := s.Assistant(t.Context(), tenant, "kept"); err != nil || !reflect.DeepEqual(got, a) {
			t.Errorf("stored %+v, %v", got, err)
		}
	},

	"updates at the same time do not lose one another": func(t *testing.T, s contract) {
		a := addAssistant(t, s, tenant, "counter")
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				_, err := s.UpdateAssistant(t.Context(), tenant, "counter", func(b *assistants.Assistant) error {
					b.Settings.HistoryRetentionDays++
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		got, err := s.Assistant(t.Context(), tenant, "counter")
		must(t, err)
		if want := a.Settings.HistoryRetentionDays + 20; got.Settings.HistoryRetentionDays != want {
			t.Errorf("counted to %d, want %d", got.Settings.HistoryRetentionDays, want)
		}
	},

	"lists are paged by creation without gaps or repeats": func(t *testing.T, s contract) {
		var want []assistants.AssistantID
		for i := range 7 {
			a := newAssistant(tenant, fmt.Sprint("a", i))
			a.CreatedAt = birth.Add(time.Duration(i/3) * time.Microsecond) // some at the same time
			must(t, s.CreateAssistant(t.Context(), a))
			want = append(want, a.ID)
		}
		addAssistant(t, s, other, "elsewhere")
		list := assistants.List{Limit: 3}
		var got []assistants.AssistantID
		for {
			items, next, err := s.Assistants(t.Context(), tenant, list)
			must(t, err)
			for _, a := range items {
				got = append(got, a.ID)
			}
			if len(got) == 3 {
				// What goes and comes meanwhile moves nothing.
				must(t, s.DeleteAssistant(t.Context(), tenant, "a0"))
			}
			if next == "" {
				break
			}
			list.Cursor = next
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	},

	"a page that ends the list says so": func(t *testing.T, s contract) {
		if items, next, err := s.Assistants(t.Context(), tenant, assistants.List{}); err != nil || len(items) != 0 || next != "" {
			t.Errorf("an empty list: %v, %q, %v", items, next, err)
		}
		addAssistant(t, s, tenant, "a")
		addAssistant(t, s, tenant, "b")
		if items, next, err := s.Assistants(t.Context(), tenant, assistants.List{Limit: 2}); err != nil || len(items) != 2 || next != "" {
			t.Errorf("a page that holds all: %d items, %q, %v", len(items), next, err)
		}
	},

	"an invalid cursor is refused by name": func(t *testing.T, s contract) {
		for _, cursor := range []string{"x", "!!", "MQ", "MSA", "eCB5", "OTk5OTk5OTk5OTk5OTk5OTk5OTk5OTkgYQ"} {
			_, _, err := s.Assistants(t.Context(), tenant, assistants.List{Cursor: cursor})
			var field *assistants.FieldError
			if !errors.As(err, &field) || field.Field != "cursor" {
				t.Errorf("cursor %q: %v", cursor, err)
			}
		}
	},

	"deleting an assistant takes its documents and queues a purge for each": func(t *testing.T, s contract) {
		a, b := addAssistant(t, s, tenant, "gone"), addAssistant(t, s, tenant, "stays")
		live := addDocument(t, s, a, "live", "first content")
		chunks := publish(t, s, live, 1, "first content")
		replaced, _, err := s.ReplaceFile(t.Context(), tenant, live.ID, newVersion(tenant, "second content"))
		must(t, err)
		pending := addDocument(t, s, a, "pending", "pending content")
		kept := addDocument(t, s, b, "kept", "first content")
		second, err := s.Version(t.Context(), tenant, live.ID, replaced.Latest)
		must(t, err)

		must(t, s.DeleteAssistant(t.Context(), tenant, string(a.ID)))

		for _, d := range []assistants.Document{live, pending} {
			_, err := s.Document(t.Context(), tenant, d.ID)
			wantKind(t, "a document of the deleted assistant", err, assistants.ErrNotFound)
		}
		_, _, err = s.Documents(t.Context(), tenant, a.CollectionID, assistants.List{})
		wantKind(t, "its collection", err, assistants.ErrNotFound)
		_, err = s.Assistant(t.Context(), tenant, "gone")
		wantKind(t, "the assistant", err, assistants.ErrNotFound)
		wantKind(t, "deleting it again", s.DeleteAssistant(t.Context(), tenant, "gone"), assistants.ErrNotFound)
		if hits := find(t, s, tenant, a.CollectionID, chunks...); len(hits) != 0 {
			t.Errorf("%d of its chunks are still found", len(hits))
		}
		_, _, err = s.CreateDocument(t.Context(), newDocument(a, "late", "late"))
		wantKind(t, "a document for it", err, assistants.ErrNotFound)
		if _, err := s.Document(t.Context(), tenant, kept.ID); err != nil {
			t.Errorf("a document of another assistant: %v", err)
		}
		all := jobs(t, s)
		if in := jobsOf(all, assistants.JobIngest); len(in) != 1 || in[0].DocumentID != kept.ID {
			t.Errorf("open ingestions: %+v", in)
		}
		blobs := map[assistants.DocumentID][]string{}
		for _, j := range jobsOf(all, assistants.JobPurge) {
			if j.Version != 0 {
				t.Errorf("a purge of version %d only", j.Version)
			}
			blobs[j.DocumentID] = j.BlobKeys
		}
		want := map[assistants.DocumentID][]string{
			live.ID:    {live.Version.BlobKey, second.BlobKey},
			pending.ID: {pending.Version.BlobKey},
		}
		if !reflect.DeepEqual(blobs, want) {
			t.Errorf("purges of %v, want %v", blobs, want)
		}
		addAssistant(t, s, tenant, "gone") // the slug is free again
	},

	"an upload and the deletion of its assistant leave nothing half": func(t *testing.T, s contract) {
		for i := range 5 {
			slug := fmt.Sprint("race", i)
			a := addAssistant(t, s, tenant, slug)
			var wg sync.WaitGroup
			for n := range 4 {
				wg.Go(func() {
					_, _, err := s.CreateDocument(context.Background(), newDocument(a, "d", fmt.Sprint(slug, n)))
					if err != nil && !errors.Is(err, assistants.ErrNotFound) {
						t.Error(err)
					}
				})
			}
			wg.Go(func() {
				if err := s.DeleteAssistant(context.Background(), tenant, slug); err != nil {
					t.Error(err)
				}
			})
			wg.Wait()
		}
		if counts, err := s.CountDocuments(t.Context(), tenant); err != nil || len(counts) != 0 {
			t.Errorf("documents without an assistant: %v, %v", counts, err)
		}
	},
}
