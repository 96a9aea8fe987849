package db_test

import (
	"errors"
	"reflect"
	"slices"
	"sync"
	"testing"

	"footnote/assistants"
)

func newShared(owner assistants.TenantID, name string) assistants.Collection {
	return assistants.Collection{ID: assistants.NewCollectionID(), TenantID: owner, Name: name, CreatedAt: birth}
}

// reading makes an assistant that reads a collection.
func reading(t *testing.T, s contract, slug string, c assistants.Collection) assistants.Assistant {
	t.Helper()
	a := newAssistant(tenant, slug)
	a.Settings.Collections = []string{string(c.ID)}
	must(t, s.CreateAssistant(t.Context(), a))
	return a
}

var sharedTests = map[string]func(*testing.T, contract){
	"a shared collection comes back as it was stored": func(t *testing.T, s contract) {
		c := newShared(tenant, "Common")
		must(t, s.CreateCollection(t.Context(), c))
		got, err := s.Collections(t.Context(), tenant, []assistants.CollectionID{c.ID})
		if err != nil || len(got) != 1 || !reflect.DeepEqual(got[0], c) {
			t.Errorf("got %+v, %v\nwant %+v", got, err, c)
		}
		a := addAssistant(t, s, tenant, "a")
		all, _, err := s.ListCollections(t.Context(), tenant, assistants.List{})
		if err != nil || len(all) != 2 {
			t.Errorf("all: %+v, %v", all, err)
		}
		for _, listed := range all {
			if listed.ID == a.CollectionID && (listed.AssistantID != a.ID || listed.Name != a.Name) {
				t.Errorf("the collection of an assistant: %+v", listed)
			}
		}
		wantKind(t, "a name that cannot be stored", s.CreateCollection(t.Context(), newShared(tenant, "\x00")), assistants.ErrInvalid)
	},

	"a shared collection holds documents, which have a space and are found": func(t *testing.T, s contract) {
		c := newShared(tenant, "Common")
		must(t, s.CreateCollection(t.Context(), c))
		holder := assistants.Assistant{TenantID: tenant, CollectionID: c.ID}
		d := addDocument(t, s, holder, "d", "content")
		publish(t, s, d, 1, "hello world")
		if _, err := s.ClaimSpace(t.Context(), tenant, c.ID, space); err != nil {
			t.Error(err)
		}
		a := reading(t, s, "reader", c)
		readers, err := s.ReadersOfDocument(t.Context(), tenant, d.ID, assistants.Sight{All: true})
		if err != nil || len(readers) != 1 || readers[0].ID != a.ID {
			t.Errorf("readers %+v, %v", readers, err)
		}
		wantKind(t, "its owner", errorOf(s.AssistantOfDocument(t.Context(), tenant, d.ID, assistants.Sight{All: true})), assistants.ErrNotFound)
		uses, err := s.CollectionUses(t.Context(), tenant, []assistants.CollectionID{c.ID})
		if err != nil || uses[c.ID].Documents != 1 {
			t.Errorf("uses %+v, %v", uses, err)
		}
	},

	"only a shared collection is renamed or gets synonyms": func(t *testing.T, s contract) {
		c, a := newShared(tenant, "Common"), addAssistant(t, s, tenant, "a")
		must(t, s.CreateCollection(t.Context(), c))
		addDocument(t, s, assistants.Assistant{TenantID: tenant, CollectionID: c.ID}, "d", "content")
		stale := func(now assistants.CollectionState) error {
			if now.Name != "Common" || now.Use.Documents != 1 {
				t.Errorf("shown: %+v", now)
			}
			return assistants.ErrStale
		}
		wantKind(t, "a stale rename", errorOf(s.UpdateCollectionIf(t.Context(), tenant, c.ID, assistants.CollectionChange{Name: "New"}, stale)), assistants.ErrStale)
		wantKind(t, "the collection of an assistant", errorOf(s.UpdateCollectionIf(t.Context(), tenant, a.CollectionID, assistants.CollectionChange{Name: "New"}, nil)), assistants.ErrConflict)
		changed, err := s.UpdateCollectionIf(t.Context(), tenant, c.ID, assistants.CollectionChange{Name: "New"}, nil)
		if err != nil || changed.Name != "New" {
			t.Errorf("renamed %+v, %v", changed, err)
		}
		got, err := s.Collections(t.Context(), tenant, []assistants.CollectionID{c.ID})
		if err != nil || len(got) != 1 || !reflect.DeepEqual(got[0], changed) {
			t.Errorf("stored %+v, %v", got, err)
		}
		for _, lines := range [][]string{{"capex, capital expenditure", "é => 😀"}, nil, {}} {
			changed, err := s.UpdateCollectionIf(t.Context(), tenant, c.ID, assistants.CollectionChange{Synonyms: lines}, nil)
			got, readErr := s.Collections(t.Context(), tenant, []assistants.CollectionID{c.ID})
			want := lines
			if lines == nil { // they stay
				want = []string{"capex, capital expenditure", "é => 😀"}
			}
			if err != nil || readErr != nil || changed.Name != "New" || len(got) != 1 || !slices.Equal(got[0].Synonyms, want) || !slices.Equal(changed.Synonyms, want) {
				t.Errorf("synonyms %q: %+v, %+v, %v, %v", lines, changed, got, err, readErr)
			}
		}
		wantKind(t, "an unknown collection", errorOf(s.UpdateCollectionIf(t.Context(), tenant, "coll_none", assistants.CollectionChange{Name: "New"}, nil)), assistants.ErrNotFound)
	},

	"a collection keeps its metadata": func(t *testing.T, s contract) {
		c, a := newShared(tenant, "Common"), addAssistant(t, s, tenant, "a")
		c.Metadata = map[string]string{"project": "é 😀", "": ""}
		must(t, s.CreateCollection(t.Context(), c))
		read := func(id assistants.CollectionID) map[string]string {
			t.Helper()
			got, err := s.Collections(t.Context(), tenant, []assistants.CollectionID{id})
			must(t, err)
			return got[0].Metadata
		}
		if got := read(c.ID); !reflect.DeepEqual(got, c.Metadata) {
			t.Errorf("created with %v", got)
		}
		for _, id := range []assistants.CollectionID{c.ID, a.CollectionID} {
			for _, metadata := range []map[string]string{{"a": "b"}, {}, nil} {
				changed, err := s.SetMetadata(t.Context(), tenant, id, metadata)
				if got := read(id); err != nil || changed.ID != id || len(got) != len(metadata) || got["a"] != metadata["a"] || !reflect.DeepEqual(changed.Metadata, got) {
					t.Errorf("set %v: %v, %+v, %v", metadata, got, changed, err)
				}
			}
		}
		must(t, errorOf(s.SetMetadata(t.Context(), tenant, c.ID, map[string]string{"a": "b"})))
		if _, err := s.UpdateCollectionIf(t.Context(), tenant, c.ID, assistants.CollectionChange{Name: "New"}, nil); err != nil || read(c.ID)["a"] != "b" {
			t.Errorf("after a rename %v, %v", read(c.ID), err)
		}
		wantKind(t, "an unknown collection", errorOf(s.SetMetadata(t.Context(), tenant, "coll_none", nil)), assistants.ErrNotFound)
	},

	"types of tags are kept": func(t *testing.T, s contract) {
		d := addDocument(t, s, addAssistant(t, s, tenant, "a"), "d", "content")
		for _, types := range []map[string]assistants.TagType{{"year": assistants.TagNumber, "draft": assistants.TagBoolean}, nil} {
			changed, err := s.UpdateDocument(t.Context(), tenant, d.ID, func(now *assistants.Document) error {
				now.Tags, now.TagTypes = map[string]string{"year": "2026", "draft": "true"}, types
				return nil
			})
			got, readErr := s.Document(t.Context(), tenant, d.ID)
			if err != nil || readErr != nil || !reflect.DeepEqual(got.TagTypes, types) || !reflect.DeepEqual(changed, got) {
				t.Errorf("%+v, %+v, %v, %v", changed, got, err, readErr)
			}
		}
	},

	"a shared collection is deleted with its documents once nobody reads it": func(t *testing.T, s contract) {
		c, own := newShared(tenant, "Common"), addAssistant(t, s, tenant, "own")
		must(t, s.CreateCollection(t.Context(), c))
		d := addDocument(t, s, assistants.Assistant{TenantID: tenant, CollectionID: c.ID}, "d", "content")
		publish(t, s, d, 1, "hello world")
		a := reading(t, s, "reader", c)
		found, err := s.FindAssistants(t.Context(), tenant, assistants.AssistantQuery{Reads: c.ID}, assistants.List{Count: true})
		if err != nil || len(found.Items) != 1 || found.Items[0].ID != a.ID || found.Total != 1 {
			t.Errorf("readers %+v, %v", found, err)
		}
		wantKind(t, "while it is read", s.DeleteCollectionIf(t.Context(), tenant, c.ID, nil), assistants.ErrConflict)
		wantKind(t, "the collection of an assistant", s.DeleteCollectionIf(t.Context(), tenant, own.CollectionID, nil), assistants.ErrConflict)
		_, err = s.UpdateAssistant(t.Context(), tenant, "reader", func(a *assistants.Assistant) error { a.Settings.Collections = nil; return nil })
		must(t, err)
		refusal := errors.New("no")
		if err := s.DeleteCollectionIf(t.Context(), tenant, c.ID, func(assistants.CollectionState) error { return refusal }); !errors.Is(err, refusal) {
			t.Errorf("refused: %v", err)
		}
		must(t, s.DeleteCollectionIf(t.Context(), tenant, c.ID, nil))
		wantKind(t, "its document", errorOf(s.Document(t.Context(), tenant, d.ID)), assistants.ErrNotFound)
		purges := jobsOf(jobs(t, s), assistants.JobPurge)
		if len(purges) != 1 || !slices.Equal(purges[0].BlobKeys, []string{d.Version.BlobKey}) {
			t.Errorf("purges %+v", purges)
		}
		wantKind(t, "a second time", s.DeleteCollectionIf(t.Context(), tenant, c.ID, nil), assistants.ErrNotFound)
		_, err = s.UpdateAssistant(t.Context(), tenant, "reader", func(a *assistants.Assistant) error {
			a.Settings.Collections = []string{string(c.ID)}
			return nil
		})
		wantKind(t, "reading what is gone", err, assistants.ErrInvalid)
	},

	"no assistant reads a collection that is deleted at the same time": func(t *testing.T, s contract) {
		for range 5 {
			c := newShared(tenant, "Common")
			must(t, s.CreateCollection(t.Context(), c))
			slug := string(c.ID[len(c.ID)-8:])
			addAssistant(t, s, tenant, slug)
			var deleted, read error
			var wg sync.WaitGroup
			wg.Go(func() { deleted = s.DeleteCollectionIf(t.Context(), tenant, c.ID, nil) })
			wg.Go(func() {
				_, read = s.UpdateAssistant(t.Context(), tenant, slug, func(a *assistants.Assistant) error {
					a.Settings.Collections = []string{string(c.ID)}
					return nil
				})
			})
			wg.Wait()
			if (deleted == nil) == (read == nil) {
				t.Errorf("deleted: %v, read: %v", deleted, read)
			}
		}
	},
}
