package db_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"sync"
	"testing"

	"footnote/assistants"
	"footnote/storage/db"
)

// A follower keeps what it can know of documents from the reported changes alone.
type follower struct {
	t     *testing.T
	store *db.Store

	mu      sync.Mutex
	known   map[assistants.DocumentID]assistants.Document
	outages int // looks at the database that failed
}

// told looks up the documents that have changed.
func (f *follower) told(changes []assistants.DocumentChange) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range changes {
		if c.Document != "" {
			f.look(c.Tenant, c.Document, c.Deleted)
			continue
		}
		for id, d := range f.known {
			if d.TenantID == c.Tenant && d.CollectionID == c.Collection {
				f.look(c.Tenant, id, false)
			}
		}
	}
}

func (f *follower) look(owner assistants.TenantID, id assistants.DocumentID, deleted bool) {
	d, err := f.store.Document(context.Background(), owner, id)
	switch {
	case err == nil:
		f.known[id] = d
		if deleted {
			f.t.Errorf("%s is there, although it is reported as deleted", id)
		}
	case errors.Is(err, assistants.ErrNotFound):
		delete(f.known, id)
	default:
		f.outages++
	}
}

// shown is what the events say of a document.
func shown(d assistants.Document) any {
	return []any{d.CollectionID, d.Name, d.Status, d.Cause, d.Progress, d.Searchable(), d.Labels, d.Tags, d.SourcePath, d.Parent}
}

// check compares what is known with what is stored.
func (f *follower) check() {
	f.mu.Lock()
	defer f.mu.Unlock()
	counts, err := f.store.CountDocuments(context.Background(), "")
	if err != nil || f.outages > 0 {
		return // the test has closed the database
	}
	total := 0
	for _, n := range counts {
		total += n
	}
	if total != len(f.known) {
		f.t.Errorf("%d documents are stored, %d are known", total, len(f.known))
	}
	for id, last := range f.known {
		d, err := f.store.Document(context.Background(), last.TenantID, id)
		if err != nil || !reflect.DeepEqual(shown(d), shown(last)) {
			f.t.Errorf("last reported: %+v\nstored: %+v, %v", last, d, err)
		}
	}
}

// openFollowed is open. At the end of the test, a follower must know every document as it
// is stored.
func openFollowed(t *testing.T, url string, opts db.Options) *db.Store {
	t.Helper()
	f := &follower{t: t, known: map[assistants.DocumentID]assistants.Document{}}
	opts.Changed = f.told
	f.store = open(t, url, opts)
	t.Cleanup(f.check)
	return f.store
}

func TestOnlyWhatWasCommittedIsReported(t *testing.T) {
	var got []assistants.DocumentChange
	s := open(t, "sqlite::memory:", db.Options{Changed: func(changes []assistants.DocumentChange) { got = append(got, changes...) }})
	take := func() []assistants.DocumentChange {
		defer func() { got = nil }()
		return got
	}
	a := addAssistant(t, s, tenant, "a")
	if changes := take(); len(changes) != 0 {
		t.Errorf("an assistant: %+v", changes)
	}
	d := addDocument(t, s, a, "a", "a")
	want := assistants.DocumentChange{Tenant: tenant, Collection: a.CollectionID, Document: d.ID}
	if changes := take(); !slices.Equal(changes, []assistants.DocumentChange{want}) {
		t.Errorf("a new document: %+v", changes)
	}
	if _, duplicate, err := s.CreateDocument(t.Context(), newDocument(a, "b", "a")); err != nil || !duplicate || len(take()) != 0 {
		t.Error("a duplicate", duplicate, err)
	}
	refusal := errors.New("no")
	_, err := s.UpdateDocument(t.Context(), tenant, d.ID, func(d *assistants.Document) error { d.Name = "b"; return refusal })
	if err != refusal || len(take()) != 0 { //nolint:errorlint // it is returned as it is
		t.Error("a refused change", err)
	}
	if err := s.DeleteDocument(t.Context(), other, d.ID); !errors.Is(err, assistants.ErrNotFound) || len(take()) != 0 {
		t.Error("a foreign document", err)
	}
	must(t, s.DeleteDocument(t.Context(), tenant, d.ID))
	changes := take()
	if want.Deleted = true; len(changes) == 0 || changes[len(changes)-1] != want {
		t.Errorf("a deleted document: %+v", changes)
	}
}

// A document that has vectors of the next space only is found by its meaning once that
// space is the collection's. No document is locked then, so the collection is reported.
func TestVectorsThatAreSwappedInAreReported(t *testing.T) {
	s := openFollowed(t, "sqlite::memory:", db.Options{})
	a := addAssistant(t, s, tenant, "a")
	embedded(t, s, a, "one", "one")
	later := addDocument(t, s, a, "two", "two")
	_, err := s.Reembed(t.Context(), tenant, a.CollectionID, another)
	must(t, err)
	publish(t, s, later, 1, "two")
	must(t, s.Embedded(t.Context(), assistants.VersionRef{Tenant: tenant, Document: later.ID, Number: 1}, another, birth))
	for _, j := range jobs(t, s) {
		if j.Kind == assistants.JobEmbed {
			must(t, s.Embedded(t.Context(), j.Ref(), another, birth))
		}
		must(t, s.FinishJob(t.Context(), j))
	}
	if d := document(t, s, later.ID); d.Searchable() != assistants.SearchableText {
		t.Errorf("before: %+v", d)
	}
	_, swapped, err := s.SwapSpace(t.Context(), tenant, a.CollectionID, another, assistants.Calibration{}, 2)
	if d := document(t, s, later.ID); err != nil || !swapped || d.Searchable() != assistants.SearchableFull {
		t.Errorf("swapped %v, %v: %+v", swapped, err, d)
	}
}
