package db_test

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"footnote/assistants"
)

// Spaces that collections of the suite are embedded in.
var (
	space   = assistants.Space{Model: "model <a>", Dimensions: 3}
	another = assistants.Space{Model: "model b", Dimensions: 4}
)

var collectionTests = map[string]func(*testing.T, contract){
	"the first space claimed is the collection's, and no other is taken": func(t *testing.T, s contract) {
		a := addAssistant(t, s, tenant, "a")
		want := assistants.Collection{ID: a.CollectionID, TenantID: tenant, AssistantID: a.ID, Name: a.Name, CreatedAt: birth}
		if got := collection(t, s, a); !reflect.DeepEqual(got, want) {
			t.Errorf("new: %+v\nwant %+v", got, want)
		}
		want.Space = space
		for range 2 {
			if got, err := s.ClaimSpace(t.Context(), tenant, a.CollectionID, space); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("claimed: %+v, %v", got, err)
			}
		}
		_, err := s.ClaimSpace(t.Context(), tenant, a.CollectionID, another)
		wantKind(t, "another space", err, assistants.ErrSpaceMismatch)
		if got := collection(t, s, a); !reflect.DeepEqual(got, want) {
			t.Errorf("after a refusal: %+v", got)
		}
		must(t, s.Calibrate(t.Context(), tenant, a.CollectionID, space, assistants.Calibration{Low: 0.25, High: 0.5}, 7))
		want.Calibration, want.Calibrated = assistants.Calibration{Low: 0.25, High: 0.5}, 7
		if got := collection(t, s, a); !reflect.DeepEqual(got, want) {
			t.Errorf("calibrated: %+v", got)
		}
		err = s.Calibrate(t.Context(), tenant, a.CollectionID, another, assistants.Calibration{}, 7)
		wantKind(t, "calibrating another space", err, assistants.ErrSpaceMismatch)
	},

	"a measured calibration is used instead of a sample": func(t *testing.T, s contract) {
		a := addAssistant(t, s, tenant, "a")
		const model = "all-MiniLM-L6-v2"
		got, err := s.ClaimSpace(t.Context(), tenant, a.CollectionID, assistants.Space{Model: model, Dimensions: 384})
		if known, ok := assistants.KnownCalibration(model); err != nil || !ok || got.Calibration != known {
			t.Errorf("%+v, %v", got, err)
		}
	},

	"collections are listed with their counts": func(t *testing.T, s contract) {
		a, b := addAssistant(t, s, tenant, "a"), addAssistant(t, s, tenant, "b")
		addAssistant(t, s, other, "c")
		embedded(t, s, a, "one", "one two")
		publish(t, s, addDocument(t, s, a, "d", "words"), 1, "words")
		addDocument(t, s, a, "d", "pending")
		var all []assistants.Collection
		list := assistants.List{Limit: 1}
		for {
			items, next, err := s.ListCollections(t.Context(), tenant, list)
			must(t, err)
			all = append(all, items...)
			if list.Cursor = next; next == "" {
				break
			}
		}
		if len(all) != 2 || !(all[0].ID == a.CollectionID && all[1].ID == b.CollectionID || all[0].ID == b.CollectionID && all[1].ID == a.CollectionID) {
			t.Errorf("listed %+v", all)
		}
		uses, err := s.CollectionUses(t.Context(), tenant, []assistants.CollectionID{a.CollectionID, b.CollectionID})
		want := assistants.CollectionUse{Documents: 3, Text: 1, Full: 1, Passages: 3, Embedded: 2}
		if err != nil || uses[a.CollectionID] != want || uses[b.CollectionID] != (assistants.CollectionUse{}) {
			t.Errorf("%+v, %v", uses, err)
		}
	},

	"a document is embedded after it was published, and ready then": func(t *testing.T, s contract) {
		a := addAssistant(t, s, tenant, "a")
		d := addDocument(t, s, a, "d", "c")
		jobs(t, s)
		text, chunks := newText(d, 1, "hello world")
		ref := assistants.VersionRef{Tenant: tenant, Document: d.ID, Number: 1}
		must(t, s.SaveVersion(t.Context(), ref, "text/plain", text, chunks))
		must(t, s.Publish(t.Context(), ref, birth, assistants.StatusEmbedding))
		got := document(t, s, d.ID)
		if got.Status != assistants.StatusEmbedding || got.Live != 1 || got.ReadyAt != nil || got.Searchable() != assistants.SearchableText ||
			got.Progress.Chunks != 0 || got.Progress.ChunksTotal != len(chunks) {
			t.Errorf("published: %+v", got)
		}
		must(t, s.QueueEmbedding(t.Context(), ref, false)) // it is queued already
		if all := jobs(t, s); len(all) != 1 || all[0].Kind != assistants.JobEmbed || all[0].Version != 1 {
			t.Errorf("jobs %+v", all)
		}
		down := &assistants.Cause{Code: assistants.CodeEmbedderUnavailable, Message: "It is away."}
		for range 2 { // logged once
			must(t, s.SetStatus(t.Context(), ref, assistants.StatusEmbedding, assistants.Progress{Chunks: 1, ChunksTotal: len(chunks)}, down))
		}
		wantKind(t, "vectors of an unclaimed space", s.Embedded(t.Context(), ref, space, birth), assistants.ErrSpaceMismatch)
		_, err := s.ClaimSpace(t.Context(), tenant, a.CollectionID, space)
		must(t, err)
		wantKind(t, "another version", s.Embedded(t.Context(), assistants.VersionRef{Tenant: tenant, Document: d.ID, Number: 2}, space, birth), assistants.ErrConflict)
		must(t, s.Embedded(t.Context(), ref, space, birth.Add(time.Hour)))
		got = document(t, s, d.ID)
		if got.Status != assistants.StatusReady || got.Cause != nil || got.Searchable() != assistants.SearchableFull || got.Version.Space != space ||
			got.ReadyAt == nil || !got.ReadyAt.Equal(birth.Add(time.Hour)) {
			t.Errorf("embedded: %+v", got)
		}
		log, err := s.DocumentLog(t.Context(), tenant, d.ID)
		must(t, err)
		var logged []string
		for _, e := range log {
			logged = append(logged, fmt.Sprint(e.Status, " ", e.Cause != nil))
		}
		if want := []string{"pending false", "embedding false", "embedding true", "ready false"}; !reflect.DeepEqual(logged, want) {
			t.Errorf("log %v, want %v", logged, want)
		}
	},

	"a version that takes the place of one with vectors is embedded before it is published": embedsBeforePublishing,

	"vectors are gone with the words they were of": func(t *testing.T, s contract) {
		a := addAssistant(t, s, tenant, "a")
		d := embedded(t, s, a, "d", "one")
		ref := assistants.VersionRef{Tenant: tenant, Document: d.ID, Number: 1}
		must(t, s.QueueEmbedding(t.Context(), ref, true))
		if got := document(t, s, d.ID); got.Searchable() != assistants.SearchableText || got.Status != assistants.StatusReady {
			t.Errorf("lost: %+v", got)
		}
		must(t, s.Embedded(t.Context(), ref, space, birth))
		_, err := s.Reprocess(t.Context(), tenant, d.ID)
		must(t, err)
		for _, j := range jobs(t, s) {
			if j.Kind == assistants.JobEmbed {
				t.Errorf("what takes its place is embedded instead: %+v", j)
			}
		}
		publish(t, s, d, 2, "one, read again")
		if got := document(t, s, d.ID); got.Searchable() != assistants.SearchableText {
			t.Errorf("published again: %+v", got)
		}
	},

	"a document that could not be embedded says why and is ready": func(t *testing.T, s contract) {
		a := addAssistant(t, s, tenant, "a")
		d := addDocument(t, s, a, "d", "c")
		ref := assistants.VersionRef{Tenant: tenant, Document: d.ID, Number: 1}
		text, chunks := newText(d, 1, "hello")
		must(t, s.SaveVersion(t.Context(), ref, "text/plain", text, chunks))
		must(t, s.Publish(t.Context(), ref, birth, assistants.StatusEmbedding))
		cause := &assistants.Cause{Code: assistants.CodeEmbeddingFailed, Message: "No vectors."}
		must(t, s.SetStatus(t.Context(), ref, assistants.StatusReady, assistants.Progress{}, cause))
		if got := document(t, s, d.ID); got.Status != assistants.StatusReady || got.ReadyAt == nil || !reflect.DeepEqual(got.Cause, cause) {
			t.Errorf("%+v", got)
		}
		_, err := s.ClaimSpace(t.Context(), tenant, a.CollectionID, space)
		must(t, err)
		must(t, s.Embedded(t.Context(), ref, space, birth))
		if got := document(t, s, d.ID); got.Cause != nil || got.Searchable() != assistants.SearchableFull {
			t.Errorf("embedded later: %+v", got)
		}
	},

	"a re-embedding keeps the old vectors until all new ones are made": reembedTest,
}

func embedsBeforePublishing(t *testing.T, s contract) {
	a := addAssistant(t, s, tenant, "a")
	first := addDocument(t, s, a, "first", "first")
	must(t, s.SetStatus(t.Context(), assistants.VersionRef{Tenant: tenant, Document: first.ID, Number: 1}, assistants.StatusEmbedding, assistants.Progress{}, nil))
	if all := jobsOf(jobs(t, s), assistants.JobEmbed); len(all) != 0 {
		t.Errorf("where nothing answers: %+v", all)
	}
	d := embedded(t, s, a, "d", "old")
	_, err := s.Reprocess(t.Context(), tenant, d.ID)
	must(t, err)
	for _, j := range jobs(t, s) {
		must(t, s.FinishJob(t.Context(), j))
	}
	live := assistants.VersionRef{Tenant: tenant, Document: d.ID, Number: 1}
	ref := assistants.VersionRef{Tenant: tenant, Document: d.ID, Number: 2}
	text, chunks := newText(d, 2, "the new words")
	must(t, s.SaveVersion(t.Context(), ref, "text/plain", text, chunks))
	open := func(what string) []assistants.Job {
		t.Helper()
		all := jobsOf(jobs(t, s), assistants.JobEmbed)
		if len(all) > 1 || len(all) == 1 && all[0].Ref() != ref {
			t.Errorf("%s: jobs %+v", what, all)
		}
		if n, err := s.CountJobs(t.Context(), assistants.JobEmbed); err != nil || n != 1 {
			t.Errorf("%s: %d jobs, %v", what, n, err)
		}
		return all
	}
	away := &assistants.Cause{Code: assistants.CodeEmbedderUnavailable, Message: "It is away."}
	for i, cause := range []*assistants.Cause{nil, nil, away} { // repeated states, queued once
		must(t, s.SetStatus(t.Context(), ref, assistants.StatusEmbedding, assistants.Progress{Chunks: i, ChunksTotal: len(chunks)}, cause))
		open("repeated")
	}
	must(t, s.QueueEmbedding(t.Context(), live, false))
	open("queued")
	wantKind(t, "vectors of what is not live", s.Embedded(t.Context(), ref, space, birth), assistants.ErrConflict)
	got := document(t, s, d.ID)
	if got.Status != assistants.StatusEmbedding || got.Live != 1 || got.Latest != 2 || got.ToEmbed() != 2 || got.Searchable() != assistants.SearchableFull {
		t.Errorf("%+v", got)
	}
	if items, _, err := s.LiveChunks(t.Context(), tenant, d.ID, assistants.List{Limit: 10}); err != nil || len(items) == 0 || items[0].Version != 1 {
		t.Errorf("what answers: %+v, %v", items, err)
	}
	if next, err := s.Passages(t.Context(), tenant, []assistants.PassageRange{{Document: d.ID, Version: 2, First: 0, Last: 9}}); err != nil || len(next) != len(chunks) {
		t.Errorf("what is embedded: %+v, %v", next, err)
	}
	for _, to := range []assistants.Space{space, another} { // the live version has the vectors of the first
		_, err = s.Reembed(t.Context(), tenant, a.CollectionID, to)
		must(t, err)
		if all := open("re-embedded"); len(all) != 1 {
			t.Errorf("jobs %+v", all)
		}
	}
	if _, swapped, err := s.SwapSpace(t.Context(), tenant, a.CollectionID, another, assistants.Calibration{}, 0); err != nil || swapped {
		t.Errorf("swapped before it has its vectors, %v", err)
	}
	must(t, s.Publish(t.Context(), ref, birth, assistants.StatusEmbedding))
	open("published")
	must(t, s.Embedded(t.Context(), ref, another, birth))
	if got = document(t, s, d.ID); got.Status != assistants.StatusReady || got.Cause != nil || got.Live != 2 || got.ToEmbed() != 2 || got.Version.Next != another {
		t.Errorf("embedded: %+v", got)
	}
	// A newer file makes it void.
	_, _, err = s.ReplaceFile(t.Context(), tenant, d.ID, newVersion(tenant, "three"))
	must(t, err)
	if n, err := s.CountJobs(t.Context(), assistants.JobEmbed); err != nil || n != 0 {
		t.Errorf("%d jobs, %v", n, err)
	}
}

func reembedTest(t *testing.T, s contract) {
	a := addAssistant(t, s, tenant, "a")
	docs := []assistants.Document{embedded(t, s, a, "one", "one"), embedded(t, s, a, "two", "two")}
	pending := addDocument(t, s, a, "d", "pending")
	elsewhere := embedded(t, s, addAssistant(t, s, tenant, "b"), "one", "one")
	jobs(t, s)
	got, err := s.Reembed(t.Context(), tenant, a.CollectionID, another)
	if err != nil || got.Space != space || got.Next != another || !got.Takes(another) || got.Takes(space) {
		t.Fatalf("%+v, %v", got, err)
	}
	open := jobsOf(jobs(t, s), assistants.JobEmbed)
	if len(open) != 2 {
		t.Fatalf("jobs %+v", open)
	}
	swap := func(want bool) {
		t.Helper()
		old, swapped, err := s.SwapSpace(t.Context(), tenant, a.CollectionID, another, assistants.Calibration{Low: 0.5, High: 1}, 9)
		if err != nil || swapped != want || swapped && old != space {
			t.Fatalf("swapped %v, old %v, %v", swapped, old, err)
		}
	}
	for i, j := range open {
		swap(false)
		must(t, s.Embedded(t.Context(), j.Ref(), another, birth))
		if d := document(t, s, j.DocumentID); d.Version.Space != space || d.Version.Next != another || d.Status != assistants.StatusReady {
			t.Errorf("still live: %+v", d)
		}
		uses, err := s.CollectionUses(t.Context(), tenant, []assistants.CollectionID{a.CollectionID})
		if use := uses[a.CollectionID]; err != nil || use.Next != i+1 || use.Full != 2 {
			t.Errorf("%+v, %v", use, err)
		}
		must(t, s.FinishJob(t.Context(), j))
	}
	_, swapped, err := s.SwapSpace(t.Context(), tenant, a.CollectionID, space, assistants.Calibration{}, 0)
	if err != nil || swapped {
		t.Errorf("swapped to what is not next: %v", err)
	}
	swap(true)
	if c := collection(t, s, a); c.Space != another || !c.Next.IsZero() || c.Calibration != (assistants.Calibration{Low: 0.5, High: 1}) || c.Calibrated != 9 {
		t.Errorf("swapped: %+v", c)
	}
	for _, d := range docs {
		if d := document(t, s, d.ID); d.Version.Space != another || !d.Version.Next.IsZero() {
			t.Errorf("swapped: %+v", d)
		}
	}
	if d := document(t, s, elsewhere.ID); d.Version.Space != space {
		t.Errorf("another collection's: %+v", d)
	}
	if d := document(t, s, pending.ID); !d.Version.Space.IsZero() {
		t.Errorf("pending: %+v", d)
	}
	// Once more, with a re-embedding that is cancelled.
	_, err = s.Reembed(t.Context(), tenant, a.CollectionID, space)
	must(t, err)
	if _, err := s.Reembed(t.Context(), tenant, a.CollectionID, another); err != nil || len(jobsOf(jobs(t, s), assistants.JobEmbed)) != 0 {
		t.Errorf("what has its vectors is queued: %v", err)
	}
}

// embedded adds a document that has vectors in space, which its collection claims.
func embedded(t *testing.T, s contract, a assistants.Assistant, name, content string) assistants.Document {
	t.Helper()
	d := addDocument(t, s, a, name, content)
	publish(t, s, d, 1, content)
	_, err := s.ClaimSpace(t.Context(), a.TenantID, a.CollectionID, space)
	must(t, err)
	must(t, s.Embedded(t.Context(), assistants.VersionRef{Tenant: a.TenantID, Document: d.ID, Number: 1}, space, birth))
	return document(t, s, d.ID)
}

func document(t *testing.T, s contract, id assistants.DocumentID) assistants.Document {
	t.Helper()
	d, err := s.Document(t.Context(), tenant, id)
	must(t, err)
	return d
}

func collection(t *testing.T, s contract, a assistants.Assistant) assistants.Collection {
	t.Helper()
	found, err := s.Collections(t.Context(), a.TenantID, []assistants.CollectionID{a.CollectionID, "coll_unknown"})
	must(t, err)
	if len(found) != 1 {
		t.Fatalf("%d collections", len(found))
	}
	return found[0]
}
