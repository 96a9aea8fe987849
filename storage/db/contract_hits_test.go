package db_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"footnote/assistants"
)

// find resolves chunks as matches of a search, in this order.
func find(t *testing.T, s contract, owner assistants.TenantID, collection assistants.CollectionID, chunks ...assistants.Chunk) []assistants.Hit {
	t.Helper()
	matches := make([]assistants.Match, len(chunks))
	for i, c := range chunks {
		matches[i] = assistants.Match{ChunkID: c.ID, DocumentID: c.DocumentID, Version: c.Version, Score: 1 / float64(i+1)}
	}
	hits, err := s.Hits(t.Context(), owner, []assistants.CollectionID{collection}, matches)
	must(t, err)
	return hits
}

var hitTests = map[string]func(*testing.T, contract){
	"matches become hits in their order, with chunk, document and score": func(t *testing.T, s contract) {
		a := addAssistant(t, s, tenant, "a")
		d, e := addDocument(t, s, a, "d", "d"), addDocument(t, s, a, "e", "e")
		of := publish(t, s, d, 1, "hello world")
		chunks := append(publish(t, s, e, 1, "other text here"), of...)
		slices.Reverse(chunks)
		hits := find(t, s, tenant, a.CollectionID, chunks...)
		if len(hits) != len(chunks) {
			t.Fatalf("%d of %d", len(hits), len(chunks))
		}
		for i, h := range hits {
			want, err := s.Document(t.Context(), tenant, chunks[i].DocumentID)
			must(t, err)
			if !reflect.DeepEqual(h.Chunk, chunks[i]) || !reflect.DeepEqual(h.Document, want) || h.Score != 1/float64(i+1) {
				t.Errorf("hit %d: %+v", i, h)
			}
		}
	},

	"documents by id are those that exist": func(t *testing.T, s contract) {
		a := addAssistant(t, s, tenant, "a")
		d, e := addDocument(t, s, a, "d", "1"), addDocument(t, s, a, "e", "2")
		publish(t, s, d, 1, "hello world")
		gone := addDocument(t, s, a, "gone", "3")
		must(t, s.DeleteDocument(t.Context(), tenant, gone.ID))
		found, err := s.DocumentsByID(t.Context(), tenant, []assistants.DocumentID{gone.ID, e.ID, "doc_none", d.ID})
		must(t, err)
		slices.SortFunc(found, func(x, y assistants.Document) int { return strings.Compare(x.Name, y.Name) })
		if len(found) != 2 {
			t.Fatalf("%+v", found)
		}
		for i, id := range []assistants.DocumentID{d.ID, e.ID} {
			if want, err := s.Document(t.Context(), tenant, id); err != nil || !reflect.DeepEqual(found[i], want) {
				t.Errorf("%+v, want %+v, %v", found[i], want, err)
			}
		}
		there, err := s.ExistingDocuments(t.Context(), tenant, []assistants.DocumentID{gone.ID, e.ID, "doc_none", d.ID})
		must(t, err)
		slices.Sort(there)
		if want := []assistants.DocumentID{min(d.ID, e.ID), max(d.ID, e.ID)}; !slices.Equal(there, want) {
			t.Errorf("there are %v, want %v", there, want)
		}
		many := make([]assistants.DocumentID, 1200)
		for i := range many {
			many[i] = assistants.DocumentID(fmt.Sprint("doc_", i))
		}
		if found, err = s.DocumentsByID(t.Context(), tenant, append(many, e.ID)); err != nil || len(found) != 1 {
			t.Errorf("of many: %d, %v", len(found), err)
		}
		if there, err = s.ExistingDocuments(t.Context(), tenant, append(many, e.ID)); err != nil || len(there) != 1 {
			t.Errorf("of many there are %v, %v", there, err)
		}
		if found, err = s.DocumentsByID(t.Context(), tenant, nil); err != nil || len(found) != 0 {
			t.Errorf("of none: %d, %v", len(found), err)
		}
		if there, err = s.ExistingDocuments(t.Context(), tenant, nil); err != nil || len(there) != 0 {
			t.Errorf("of none there are %v, %v", there, err)
		}
	},

	"passages are found by their place in a version": func(t *testing.T, s contract) {
		a := addAssistant(t, s, tenant, "a")
		d, e := addDocument(t, s, a, "d", "d"), addDocument(t, s, a, "e", "e")
		of, others := publish(t, s, d, 1, "hello wide world, again and again"), publish(t, s, e, 1, "other text here")
		found, err := s.Passages(t.Context(), tenant, []assistants.PassageRange{
			{Document: d.ID, Version: 1, First: 1, Last: 2}, {Document: d.ID, Version: 2, First: 0, Last: 9}, {Document: e.ID, Version: 1, First: 2, Last: 99},
			{Document: d.ID, Version: 1, First: 2, Last: 3}, {Document: "doc_none", Version: 1, Last: 5},
		})
		must(t, err)
		slices.SortFunc(found, func(x, y assistants.Chunk) int { return strings.Compare(string(x.ID), string(y.ID)) })
		want := append(slices.Clone(of[1:4]), others[2:]...)
		slices.SortFunc(want, func(x, y assistants.Chunk) int { return strings.Compare(string(x.ID), string(y.ID)) })
		if !reflect.DeepEqual(found, want) {
			t.Errorf("%+v\nwant %+v", found, want)
		}
		if found, err := s.Passages(t.Context(), tenant, nil); err != nil || len(found) != 0 {
			t.Errorf("of none: %v, %v", found, err)
		}
	},

	"documents of other tenants and collections differ from missing ones": func(t *testing.T, s contract) {
		a, b, theirs := addAssistant(t, s, tenant, "a"), addAssistant(t, s, tenant, "b"), addAssistant(t, s, other, "c")
		here, elsewhere, foreign, gone := addDocument(t, s, a, "1", "1"), addDocument(t, s, b, "2", "2"), addDocument(t, s, theirs, "3", "3"), addDocument(t, s, a, "4", "4")
		must(t, s.DeleteDocument(t.Context(), tenant, gone.ID))
		found, err := s.ForeignDocuments(t.Context(), tenant, []assistants.CollectionID{a.CollectionID}, []assistants.DocumentID{here.ID, elsewhere.ID, foreign.ID, gone.ID})
		slices.Sort(found)
		want := []assistants.DocumentID{elsewhere.ID, foreign.ID}
		slices.Sort(want)
		if err != nil || !slices.Equal(found, want) {
			t.Errorf("%v, %v, want %v", found, err, want)
		}
	},

	"missing documents and those of other collections are left out": func(t *testing.T, s contract) {
		a, b := addAssistant(t, s, tenant, "a"), addAssistant(t, s, tenant, "b")
		kept := publish(t, s, addDocument(t, s, a, "kept", "1"), 1, "kept!")
		elsewhere := publish(t, s, addDocument(t, s, b, "b", "2"), 1, "there")
		deleted := addDocument(t, s, a, "deleted", "3")
		gone := publish(t, s, deleted, 1, "gone!")
		must(t, s.DeleteDocument(t.Context(), tenant, deleted.ID))
		pending := addDocument(t, s, a, "pending", "4")
		text, early := newText(pending, 1, "early")
		must(t, s.SaveVersion(t.Context(), assistants.VersionRef{Tenant: tenant, Document: pending.ID, Number: 1}, "text/plain", text, early))
		invented := []assistants.Chunk{{ID: "chunk_none", DocumentID: deleted.ID, Version: 1}}

		hits := find(t, s, tenant, a.CollectionID, slices.Concat(gone, invented, early, kept, elsewhere)...)
		want := slices.Concat(early, kept)
		if !slices.EqualFunc(hits, want, func(h assistants.Hit, c assistants.Chunk) bool { return h.Chunk.ID == c.ID }) {
			t.Errorf("hits %+v, want %+v", hits, want)
		}
		if hits, err := s.Hits(t.Context(), tenant, nil, []assistants.Match{{ChunkID: kept[0].ID}}); err != nil || len(hits) != 0 {
			t.Errorf("without a collection: %v, %v", hits, err)
		}
		if hits, err := s.Hits(t.Context(), tenant, []assistants.CollectionID{a.CollectionID}, nil); err != nil || len(hits) != 0 {
			t.Errorf("without matches: %v, %v", hits, err)
		}
	},

	"two thousand matches are resolved": func(t *testing.T, s contract) {
		a := addAssistant(t, s, tenant, "a")
		chunks := publish(t, s, addDocument(t, s, a, "d", "d"), 1, strings.Repeat("12345", 2000))
		if hits := find(t, s, tenant, a.CollectionID, chunks...); len(hits) != 2000 {
			t.Errorf("%d hits", len(hits))
		}
	},

	"every live version of every tenant is streamed by document id": func(t *testing.T, s contract) {
		a, b := addAssistant(t, s, tenant, "a"), addAssistant(t, s, other, "b")
		want := map[assistants.DocumentID][]assistants.Chunk{}
		for i := range 120 {
			owner := []assistants.Assistant{a, b}[i%2]
			d := addDocument(t, s, owner, "d", fmt.Sprint(i))
			if i%10 != 0 { // these stay pending
				want[d.ID] = publish(t, s, d, 1, fmt.Sprint("text ", i))
			}
		}
		var last assistants.DocumentID
		err := s.EachLive(t.Context(), func(d assistants.Document) error {
			if d.ID <= last {
				t.Errorf("%s after %s", d.ID, last)
			}
			last = d.ID
			chunks, _, err := s.LiveChunks(t.Context(), d.TenantID, d.ID, assistants.List{Limit: 100})
			if err != nil || !reflect.DeepEqual(chunks, want[d.ID]) || d.Live != 1 {
				t.Errorf("%s: %d chunks, live %d, %v", d.ID, len(chunks), d.Live, err)
			}
			delete(want, d.ID)
			return nil
		})
		if err != nil || len(want) != 0 {
			t.Errorf("%v; %d versions are missing", err, len(want))
		}
		stop := errors.New("stop")
		n := 0
		err = s.EachLive(t.Context(), func(assistants.Document) error { n++; return stop })
		if err != stop || n != 1 { //nolint:errorlint // identity is the promise
			t.Errorf("after an error: %v, %d calls", err, n)
		}
	},

	"streaming may use the store while documents change": func(t *testing.T, s contract) {
		a := addAssistant(t, s, tenant, "a")
		var docs []assistants.Document
		for i := range 8 {
			d := addDocument(t, s, a, "d", fmt.Sprint(i))
			publish(t, s, d, 1, "old text")
			docs = append(docs, d)
		}
		var wg sync.WaitGroup
		wg.Go(func() {
			for _, d := range docs {
				if _, _, err := s.ReplaceFile(t.Context(), tenant, d.ID, newVersion(tenant, "new"+string(d.ID))); err != nil {
					t.Error(err)
					return
				}
				text, chunks := newText(d, 2, "the new text is longer")
				if err := errors.Join(s.SaveVersion(t.Context(), assistants.VersionRef{Tenant: tenant, Document: d.ID, Number: 2}, "text/plain", text, chunks),
					s.Publish(t.Context(), assistants.VersionRef{Tenant: tenant, Document: d.ID, Number: 2}, time.Now(), assistants.StatusReady)); err != nil {
					t.Error(err)
					return
				}
			}
		})
		for range 5 {
			err := s.EachLive(t.Context(), func(d assistants.Document) error {
				chunks, _, err := s.LiveChunks(t.Context(), d.TenantID, d.ID, assistants.List{Limit: 100})
				if len(chunks) == 0 || chunks[0].Version < d.Live || d.Version.Number != d.Live {
					t.Errorf("document of version %d with %d chunks", d.Live, len(chunks))
				}
				return err
			})
			must(t, err)
		}
		wg.Wait()
	},
}
