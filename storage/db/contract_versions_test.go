package db_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"footnote/assistants"
)

var versionTests = map[string]func(*testing.T, contract){
	"a version goes through its states to ready, and the log lists them": func(t *testing.T, s contract) {
		a := addAssistant(t, s, tenant, "a")
		d := addDocument(t, s, a, "n", "c")
		p := assistants.Progress{Pages: 1, PagesTotal: 3}
		must(t, s.SetStatus(t.Context(), assistants.VersionRef{Tenant: tenant, Document: d.ID, Number: 1}, assistants.StatusExtracting, p, nil))
		got, err := s.Document(t.Context(), tenant, d.ID)
		if err != nil || got.Status != assistants.StatusExtracting || got.Progress != p || got.Live != 0 || got.Searchable() != assistants.SearchableNone {
			t.Errorf("extracting: %+v, %v", got, err)
		}
		// The same state again is progress and is not logged.
		must(t, s.SetStatus(t.Context(), assistants.VersionRef{Tenant: tenant, Document: d.ID, Number: 1}, assistants.StatusExtracting, assistants.Progress{Pages: 2, PagesTotal: 3}, nil))
		must(t, s.SetStatus(t.Context(), assistants.VersionRef{Tenant: tenant, Document: d.ID, Number: 1}, assistants.StatusIndexing, assistants.Progress{Pages: 3, PagesTotal: 3, Chunks: 2}, nil))
		_, err = s.LiveText(t.Context(), tenant, d.ID)
		wantKind(t, "the text of no live version", err, assistants.ErrNotFound)

		chunks := publish(t, s, d, 1, "hello wörld")

		got, err = s.Document(t.Context(), tenant, d.ID)
		must(t, err)
		if got.Status != assistants.StatusReady || got.Live != 1 || got.ReadyAt == nil || !got.ReadyAt.Equal(birth.Add(time.Minute)) ||
			got.Version.Chunks != len(chunks) || got.Version.Pages != 2 || got.Progress.Chunks != 2 {
			t.Errorf("ready: %+v", got)
		}
		entries, err := s.DocumentLog(t.Context(), tenant, d.ID)
		must(t, err)
		var states []assistants.Status
		for _, e := range entries {
			states = append(states, e.Status)
			if e.Version != 1 || e.Cause != nil || e.Time.Location() != time.UTC {
				t.Errorf("entry %+v", e)
			}
		}
		want := []assistants.Status{assistants.StatusPending, assistants.StatusExtracting, assistants.StatusIndexing, assistants.StatusReady}
		if !reflect.DeepEqual(states, want) {
			t.Errorf("log %v, want %v", states, want)
		}
	},

	"reprocessing restarts a version that is being embedded, not one that is being read": func(t *testing.T, s contract) {
		a := addAssistant(t, s, tenant, "a")
		d := addDocument(t, s, a, "n", "c")
		ref := assistants.VersionRef{Tenant: tenant, Document: d.ID, Number: 1}
		text, chunks := newText(d, 1, "hello world")
		must(t, s.SetStatus(t.Context(), ref, assistants.StatusChunking, assistants.Progress{}, nil))
		must(t, s.SaveVersion(t.Context(), ref, "text/plain", text, chunks))
		if got, err := s.Reprocess(t.Context(), tenant, d.ID); err != nil || got.Status != assistants.StatusChunking {
			t.Errorf("being read: %+v, %v", got, err)
		}
		must(t, s.Publish(t.Context(), ref, birth, assistants.StatusEmbedding))
		if got, err := s.Reprocess(t.Context(), tenant, d.ID); err != nil || got.Status != assistants.StatusPending || got.Live != 1 {
			t.Errorf("being embedded: %+v, %v", got, err)
		}
		if all := jobs(t, s); len(all) != 1 || all[0].Kind != assistants.JobIngest || all[0].Version != 2 {
			t.Errorf("jobs %+v", all)
		}
	},

	"a document carries all that is known of its version": func(t *testing.T, s contract) {
		a := addAssistant(t, s, tenant, "a")
		d := addDocument(t, s, a, "n", "c")
		ref := assistants.VersionRef{Tenant: tenant, Document: d.ID, Number: 1}
		text, chunks := newText(d, 1, "hello world")
		text.OCR = true
		must(t, s.SaveVersion(t.Context(), ref, "application/pdf", text, chunks))
		must(t, s.Publish(t.Context(), ref, birth, assistants.StatusReady))
		space := assistants.Space{Model: "m", Dimensions: 2}
		must(t, errorOf(s.ClaimSpace(t.Context(), tenant, a.CollectionID, space)))
		must(t, s.Embedded(t.Context(), ref, space, birth))
		want, err := s.Version(t.Context(), tenant, d.ID, 1)
		if err != nil || !want.OCR || want.Pages == 0 || want.Space != space {
			t.Errorf("%+v, %v", want, err)
		}
		if got := document(t, s, d.ID); got.Version != want {
			t.Errorf("%+v, want %+v", got.Version, want)
		}
	},

	"a failure keeps its cause until the document is taken up again": func(t *testing.T, s contract) {
		a := addAssistant(t, s, tenant, "a")
		d := addDocument(t, s, a, "n", "c")
		jobs(t, s)
		cause := &assistants.Cause{Code: assistants.CodeEncrypted, Message: "The file is encrypted."}
		must(t, s.SetStatus(t.Context(), assistants.VersionRef{Tenant: tenant, Document: d.ID, Number: 1}, assistants.StatusFailed, assistants.Progress{}, cause))
		got, err := s.Document(t.Context(), tenant, d.ID)
		if err != nil || got.Status != assistants.StatusFailed || !reflect.DeepEqual(got.Cause, cause) {
			t.Errorf("failed: %+v, %v", got, err)
		}
		got, err = s.Reprocess(t.Context(), tenant, d.ID)
		if err != nil || got.Status != assistants.StatusPending || got.Cause != nil || got.Latest != 1 {
			t.Errorf("reprocessed: %+v, %v", got, err)
		}
		entries, err := s.DocumentLog(t.Context(), tenant, d.ID)
		must(t, err)
		if len(entries) != 3 || !reflect.DeepEqual(entries[1].Cause, cause) || entries[2].Status != assistants.StatusPending {
			t.Errorf("log %+v", entries)
		}
		n, err := s.CountJobs(t.Context())
		if err != nil || n != 1 {
			t.Errorf("%d jobs, %v; the new ingestion replaces the old one", n, err)
		}
	},

	"text and chunks come back as they were saved, in pages of a list": func(t *testing.T, s contract) {
		a := addAssistant(t, s, tenant, "a")
		d := addDocument(t, s, a, "n", "c")
		content := "a👩‍👩‍👧b\u202e\u0301 <&> \\ \"'` — 日本語テキスト\r\n\ttail"
		want := publish(t, s, d, 1, content)
		text, err := s.LiveText(t.Context(), tenant, d.ID)
		must(t, err)
		wantText, _ := newText(d, 1, content)
		if !reflect.DeepEqual(text, wantText) {
			t.Errorf("text %+v, want %+v", text, wantText)
		}
		for _, limit := range []int{1, 2, 100} {
			var got []assistants.Chunk
			list := assistants.List{Limit: limit}
			for {
				items, next, err := s.LiveChunks(t.Context(), tenant, d.ID, list)
				must(t, err)
				got = append(got, items...)
				if next == "" {
					break
				}
				list.Cursor = next
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("in pages of %d:\n got %+v\nwant %+v", limit, got, want)
			}
		}
		_, _, err = s.LiveChunks(t.Context(), tenant, d.ID, assistants.List{Cursor: "no"})
		wantKind(t, "a bad cursor", err, assistants.ErrInvalid)
	},

	"saving again replaces the result of an earlier attempt": func(t *testing.T, s contract) {
		a := addAssistant(t, s, tenant, "a")
		d := addDocument(t, s, a, "n", "c")
		text, chunks := newText(d, 1, strings.Repeat("first try ", 100))
		must(t, s.SaveVersion(t.Context(), assistants.VersionRef{Tenant: tenant, Document: d.ID, Number: 1}, "text/html", text, chunks))
		want := publish(t, s, d, 1, "second")
		got, _, err := s.LiveChunks(t.Context(), tenant, d.ID, assistants.List{Limit: 1000})
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%d chunks, %v, want %d", len(got), err, len(want))
		}
		v, err := s.Version(t.Context(), tenant, d.ID, 1)
		if err != nil || v.ContentType != "text/plain" || v.Chunks != len(want) {
			t.Errorf("version %+v, %v", v, err)
		}
	},

	"a profile is stored with its version, and what people set of it with the document": func(t *testing.T, s contract) {
		a := addAssistant(t, s, tenant, "a")
		d := addDocument(t, s, a, "n", "c")
		read := assistants.Profile{Title: "Bericht über Größe", Years: []int{2023, 2024}, Periods: []string{"Q1 2024"}, Kind: "report", Language: "de", Subjects: []string{"日本"}}
		must(t, s.SaveVersion(t.Context(), assistants.VersionRef{Tenant: tenant, Document: d.ID, Number: 1}, "text/plain", assistants.Text{Profile: &read}, nil))
		must(t, s.Publish(t.Context(), assistants.VersionRef{Tenant: tenant, Document: d.ID, Number: 1}, birth, assistants.StatusReady))
		kind, none := "letter", []int{}
		want := read
		want.Kind, want.Years = kind, none
		saved, err := s.UpdateDocument(t.Context(), tenant, d.ID, func(d *assistants.Document) error {
			d.Edits = &assistants.ProfileEdits{Kind: &kind, Years: &none}
			return nil
		})
		must(t, err)
		if got, ok := saved.Profile(); !ok || !reflect.DeepEqual(got, want) || !reflect.DeepEqual(*saved.Version.Profile, read) {
			t.Errorf("got %+v, want %+v", got, want)
		}
		names, err := s.DocumentNames(t.Context(), tenant, []assistants.CollectionID{a.CollectionID}, nil)
		if err != nil || len(names) != 1 || !reflect.DeepEqual(names[0], assistants.DocumentName{ID: d.ID, Name: d.Name, Profile: want, CreatedAt: d.CreatedAt, Revision: names[0].Revision}) {
			t.Errorf("names %+v, %v", names, err)
		}
		saved, err = s.UpdateDocument(t.Context(), tenant, d.ID, func(d *assistants.Document) error {
			d.Edits = nil
			return nil
		})
		must(t, err)
		if got, _ := saved.Profile(); !reflect.DeepEqual(got, read) {
			t.Errorf("reset it is %+v", got)
		}
	},

	"a document supersedes one of its own collection, until that one goes": func(t *testing.T, s contract) {
		a, b, c := addAssistant(t, s, tenant, "a"), addAssistant(t, s, tenant, "b"), addAssistant(t, s, other, "c")
		old := addDocument(t, s, a, "old", "old")
		for _, stranger := range []assistants.Document{addDocument(t, s, b, "b", "b"), addDocument(t, s, c, "c", "c")} {
			d := newDocument(a, "new", "of a stranger")
			d.Supersedes = stranger.ID
			_, _, err := s.CreateDocument(t.Context(), d)
			wantKind(t, "superseding a document of "+stranger.Name, err, assistants.ErrInvalid)
		}
		d := newDocument(a, "new", "new")
		d.Supersedes = old.ID
		stored, _, err := s.CreateDocument(t.Context(), d)
		must(t, err)
		if got, err := s.Document(t.Context(), tenant, old.ID); err != nil || got.SupersededBy != stored.ID || got.Supersedes != "" {
			t.Errorf("the old one: %+v, %v", got, err)
		}
		wantKind(t, "a circle", supersede(t, s, old.ID, stored.ID), assistants.ErrInvalid)
		circle := old
		circle.Supersedes = stored.ID
		wantKind(t, "a circle that is only asked for", s.CheckSupersedes(t.Context(), circle), assistants.ErrInvalid)
		must(t, s.CheckSupersedes(t.Context(), stored))
		newest := addDocument(t, s, a, "newest", "newest")
		must(t, supersede(t, s, newest.ID, old.ID))
		if got, err := s.Document(t.Context(), tenant, old.ID); err != nil || got.SupersededBy != newest.ID {
			t.Errorf("superseded by two: %+v, %v", got, err)
		}
		publish(t, s, newest, 1, "text")
		names, err := s.DocumentNames(t.Context(), tenant, []assistants.CollectionID{a.CollectionID}, nil)
		if err != nil || len(names) != 1 || names[0].Supersedes != old.ID {
			t.Errorf("names %+v, %v", names, err)
		}
		must(t, s.DeleteDocument(t.Context(), tenant, old.ID))
		for _, id := range []assistants.DocumentID{stored.ID, newest.ID} {
			if got, err := s.Document(t.Context(), tenant, id); err != nil || got.Supersedes != "" {
				t.Errorf("after the old one is gone: %+v, %v", got, err)
			}
		}
	},

	"what superseded a document that goes supersedes what that one did": func(t *testing.T, s contract) {
		a := addAssistant(t, s, tenant, "a")
		chain := chainOf(t, s, a, "v1", "v2", "v3", "v4", "v5")
		must(t, s.DeleteDocument(t.Context(), tenant, chain["v2"]))
		wantSuperseded(t, s, chain["v3"], chain["v1"])
		must(t, s.DeleteDocument(t.Context(), tenant, chain["v3"]))
		wantSuperseded(t, s, chain["v4"], chain["v1"])
		must(t, s.DeleteDocument(t.Context(), tenant, chain["v1"]))
		wantSuperseded(t, s, chain["v4"], "")
		wantSuperseded(t, s, chain["v5"], chain["v4"])
		mail := addDocument(t, s, a, "mail", "mail") // what is attached goes with it
		first, second := addAttached(t, s, a, mail, "first"), addAttached(t, s, a, mail, "second")
		oldest, newest := addDocument(t, s, a, "oldest", "oldest"), addDocument(t, s, a, "newest", "newest")
		for by, id := range map[assistants.DocumentID]assistants.DocumentID{first.ID: oldest.ID, second.ID: first.ID, newest.ID: second.ID} {
			must(t, supersede(t, s, by, id))
		}
		must(t, s.DeleteDocument(t.Context(), tenant, mail.ID))
		wantSuperseded(t, s, newest.ID, oldest.ID)
	},

	"bytes that are uploaded again supersede what the upload says": func(t *testing.T, s contract) {
		a := addAssistant(t, s, tenant, "a")
		old, known := addDocument(t, s, a, "old", "old"), addDocument(t, s, a, "known", "known")
		again := func(content string, id assistants.DocumentID) (assistants.Document, bool, error) {
			d := newDocument(a, "again", content)
			d.Supersedes = id
			return s.CreateDocument(t.Context(), d)
		}
		wantKind(t, "superseding an unknown document", third(again("known", assistants.NewDocumentID())), assistants.ErrInvalid)
		wantKind(t, "superseding itself", third(again("known", known.ID)), assistants.ErrInvalid)
		if d, duplicate, err := again("known", old.ID); err != nil || !duplicate || d.ID != known.ID || d.Supersedes != old.ID {
			t.Errorf("again: %+v, %v, %v", d, duplicate, err)
		}
		wantSuperseded(t, s, known.ID, old.ID)
		wantKind(t, "a circle", third(again("old", known.ID)), assistants.ErrInvalid)
		if d, _, err := again("known", ""); err != nil || d.Supersedes != old.ID {
			t.Errorf("without a word of it: %+v, %v", d, err)
		}
	},

	"a text without pages or chunks is stored too": func(t *testing.T, s contract) {
		a := addAssistant(t, s, tenant, "a")
		d := addDocument(t, s, a, "n", "c")
		must(t, s.SaveVersion(t.Context(), assistants.VersionRef{Tenant: tenant, Document: d.ID, Number: 1}, "text/plain", assistants.Text{}, nil))
		must(t, s.Publish(t.Context(), assistants.VersionRef{Tenant: tenant, Document: d.ID, Number: 1}, birth, assistants.StatusReady))
		text, err := s.LiveText(t.Context(), tenant, d.ID)
		if err != nil || text.Text != "" || len(text.Pages) != 0 {
			t.Errorf("text %+v, %v", text, err)
		}
		if chunks, next, err := s.LiveChunks(t.Context(), tenant, d.ID, assistants.List{}); err != nil || len(chunks) != 0 || next != "" {
			t.Errorf("chunks %v, %q, %v", chunks, next, err)
		}
	},

	"the old version answers until the new one is published": replaceTest,

	"the live bytes are a duplicate while the version after them has failed": func(t *testing.T, s contract) {
		a := addAssistant(t, s, tenant, "a")
		d := addDocument(t, s, a, "n", "one")
		publish(t, s, d, 1, "one")
		_, _, err := s.ReplaceFile(t.Context(), tenant, d.ID, newVersion(tenant, "two"))
		must(t, err)
		second := assistants.VersionRef{Tenant: tenant, Document: d.ID, Number: 2}
		must(t, s.SetStatus(t.Context(), second, assistants.StatusFailed, assistants.Progress{}, &assistants.Cause{Code: "x", Message: "y"}))
		if got, duplicate, err := s.CreateDocument(t.Context(), newDocument(a, "again", "one")); err != nil || !duplicate || got.ID != d.ID {
			t.Errorf("%+v, %v, %v", got, duplicate, err)
		}
	},

	"a version that was superseded can do no more": func(t *testing.T, s contract) {
		a := addAssistant(t, s, tenant, "a")
		d := addDocument(t, s, a, "n", "one")
		old := jobs(t, s)[0]
		_, _, err := s.ReplaceFile(t.Context(), tenant, d.ID, newVersion(tenant, "two"))
		must(t, err)
		text, chunks := newText(d, 1, "text")
		for what, err := range map[string]error{
			"SetStatus":   s.SetStatus(t.Context(), assistants.VersionRef{Tenant: tenant, Document: d.ID, Number: 1}, assistants.StatusChunking, assistants.Progress{}, nil),
			"SaveVersion": s.SaveVersion(t.Context(), assistants.VersionRef{Tenant: tenant, Document: d.ID, Number: 1}, "text/plain", text, chunks),
			"Publish":     s.Publish(t.Context(), assistants.VersionRef{Tenant: tenant, Document: d.ID, Number: 1}, birth, assistants.StatusReady),
			"RenewJob":    errorOf(s.RenewJob(t.Context(), old, birth.Add(time.Hour))),
			"FinishJob":   s.FinishJob(t.Context(), old),
		} {
			wantKind(t, what, err, assistants.ErrConflict)
		}
		if all := jobs(t, s); len(all) != 1 || all[0].Version != 2 {
			t.Errorf("jobs %+v", all)
		}
		// The first version never answered; publishing the second removes it.
		publish(t, s, d, 2, "two")
		all := jobs(t, s)
		if len(all) != 1 || all[0].Kind != assistants.JobPurge || all[0].Version != 1 || !reflect.DeepEqual(all[0].BlobKeys, []string{d.Version.BlobKey}) {
			t.Errorf("jobs %+v", all)
		}
	},

	"replacing by the same bytes changes nothing, by another's is a conflict": func(t *testing.T, s contract) {
		a := addAssistant(t, s, tenant, "a")
		d := addDocument(t, s, a, "n", "one")
		addDocument(t, s, a, "m", "taken")
		before, err := s.Document(t.Context(), tenant, d.ID)
		must(t, err)
		got, duplicate, err := s.ReplaceFile(t.Context(), tenant, d.ID, newVersion(tenant, "one"))
		if err != nil || !duplicate || !reflect.DeepEqual(got, before) {
			t.Errorf("the same bytes: %+v, %v, %v", got, duplicate, err)
		}
		_, _, err = s.ReplaceFile(t.Context(), tenant, d.ID, newVersion(tenant, "taken"))
		wantKind(t, "bytes of another document", err, assistants.ErrConflict)
		if n := len(jobs(t, s)); n != 2 {
			t.Errorf("%d jobs", n)
		}
	},

	"an upload equals the latest version, not the one it replaced": func(t *testing.T, s contract) {
		a := addAssistant(t, s, tenant, "a")
		d := addDocument(t, s, a, "n", "one")
		_, _, err := s.ReplaceFile(t.Context(), tenant, d.ID, newVersion(tenant, "two"))
		must(t, err)
		got, duplicate, err := s.CreateDocument(t.Context(), newDocument(a, "m", "two"))
		if err != nil || !duplicate || got.ID != d.ID {
			t.Errorf("the new bytes: %v, %v, %v", got.ID, duplicate, err)
		}
		addDocument(t, s, a, "the old bytes", "one")
	},

	"reprocessing leaves the live version as it is": func(t *testing.T, s contract) {
		a := addAssistant(t, s, tenant, "a")
		d := addDocument(t, s, a, "n", "one")
		chunks := publish(t, s, d, 1, "hello world")
		got, err := s.Reprocess(t.Context(), tenant, d.ID)
		if err != nil || got.Live != 1 || got.Latest != 2 || got.Status != assistants.StatusPending || got.Searchable() != assistants.SearchableText {
			t.Errorf("reprocessed: %+v, %v", got, err)
		}
		same, err := s.Version(t.Context(), tenant, d.ID, 2)
		if err != nil || same.BlobKey != d.Version.BlobKey || same.SHA256 != d.Version.SHA256 || same.Bytes != d.Version.Bytes || same.FileName != d.Version.FileName {
			t.Errorf("its next version: %+v, %v", same, err)
		}
		ref := assistants.VersionRef{Tenant: tenant, Document: d.ID, Number: 2}
		text, next := newText(d, 2, "hello moon")
		must(t, s.SaveVersion(t.Context(), ref, "text/plain", text, next))
		if hits := find(t, s, tenant, a.CollectionID, chunks...); len(hits) != len(chunks) || hits[0].Chunk.Text != chunks[0].Text {
			t.Errorf("before the next is published: %+v", hits)
		}
		// What failed or was not begun is tried again as the same version.
		must(t, s.SetStatus(t.Context(), ref, assistants.StatusFailed, assistants.Progress{}, &assistants.Cause{Code: assistants.CodeUnreadable}))
		if got, err = s.Reprocess(t.Context(), tenant, d.ID); err != nil || got.Live != 1 || got.Latest != 2 {
			t.Errorf("reprocessed after a failure: %+v, %v", got, err)
		}
		publish(t, s, d, 2, "hello world")
		if purges := jobsOf(jobs(t, s), assistants.JobPurge); len(purges) != 0 {
			t.Errorf("the bytes that are needed are purged: %+v", purges)
		}
		_, err = s.Reprocess(t.Context(), tenant, d.ID)
		must(t, err)
		_, _, err = s.ReplaceFile(t.Context(), tenant, d.ID, newVersion(tenant, "two"))
		must(t, err)
		publish(t, s, d, 4, "two")
		if purges := jobsOf(jobs(t, s), assistants.JobPurge); len(purges) != 1 || !reflect.DeepEqual(purges[0].BlobKeys, []string{d.Version.BlobKey}) {
			t.Errorf("bytes of two versions: %+v", purges)
		}
	},

	"a reprocessed file is purged once with its document": func(t *testing.T, s contract) {
		a := addAssistant(t, s, tenant, "a")
		d := addDocument(t, s, a, "n", "one")
		publish(t, s, d, 1, "hello world")
		_, err := s.Reprocess(t.Context(), tenant, d.ID)
		must(t, err)
		must(t, s.DeleteDocument(t.Context(), tenant, d.ID))
		if all := jobs(t, s); len(all) != 1 || !reflect.DeepEqual(all[0].BlobKeys, []string{d.Version.BlobKey}) {
			t.Errorf("jobs %+v", all)
		}
	},
}

func replaceTest(t *testing.T, s contract) {
	a := addAssistant(t, s, tenant, "a")
	d := addDocument(t, s, a, "n", "one")
	first := publish(t, s, d, 1, strings.Repeat("first ", 20))
	_, cursor, err := s.LiveChunks(t.Context(), tenant, d.ID, assistants.List{Limit: 2})
	must(t, err)
	jobs(t, s)

	v := newVersion(tenant, "two")
	got, duplicate, err := s.ReplaceFile(t.Context(), tenant, d.ID, v)
	must(t, err)
	if duplicate || got.Live != 1 || got.Latest != 2 || got.Status != assistants.StatusPending || got.Version.Number != 1 ||
		got.Version.SHA256 != d.Version.SHA256 || got.Searchable() != assistants.SearchableText {
		t.Errorf("replaced: %+v", got)
	}
	stored, err := s.Version(t.Context(), tenant, d.ID, 2)
	v.DocumentID, v.Number = d.ID, 2
	if err != nil || stored != v {
		t.Errorf("version 2: %+v, %v, want %+v", stored, err, v)
	}
	text, chunks := newText(d, 2, strings.Repeat("second ", 20))
	must(t, s.SaveVersion(t.Context(), assistants.VersionRef{Tenant: tenant, Document: d.ID, Number: 2}, "text/markdown", text, chunks))
	if hits := find(t, s, tenant, a.CollectionID, append(first[:1:1], chunks...)...); len(hits) != 1+len(chunks) || hits[0].Chunk.ID != first[0].ID {
		t.Errorf("before the publication, when the index may have either version: %+v", hits)
	}
	if live, err := s.LiveText(t.Context(), tenant, d.ID); err != nil || !strings.HasPrefix(live.Text, "first") {
		t.Errorf("before the publication: %+v, %v", live, err)
	}

	must(t, s.Publish(t.Context(), assistants.VersionRef{Tenant: tenant, Document: d.ID, Number: 2}, birth.Add(time.Hour), assistants.StatusReady))

	hits := find(t, s, tenant, a.CollectionID, append(first, chunks...)...)
	if len(hits) != len(chunks) || hits[0].Document.Version.Number != 2 || hits[0].Document.Version.ContentType != "text/markdown" {
		t.Errorf("after the publication: %d hits", len(hits))
	}
	if live, err := s.LiveText(t.Context(), tenant, d.ID); err != nil || !reflect.DeepEqual(live, text) {
		t.Errorf("after the publication: %+v, %v", live, err)
	}
	_, err = s.Version(t.Context(), tenant, d.ID, 1)
	wantKind(t, "the old version", err, assistants.ErrNotFound)
	_, _, err = s.LiveChunks(t.Context(), tenant, d.ID, assistants.List{Limit: 2, Cursor: cursor})
	var field *assistants.FieldError
	if !errors.As(err, &field) || field.Field != "cursor" {
		t.Errorf("the cursor of a replaced version: %v", err)
	}
	purges := jobsOf(jobs(t, s), assistants.JobPurge)
	if len(purges) != 1 || purges[0].Version != 1 || !reflect.DeepEqual(purges[0].BlobKeys, []string{d.Version.BlobKey}) {
		t.Errorf("purges %+v", purges)
	}
}

func supersede(t *testing.T, s contract, by, id assistants.DocumentID) error {
	t.Helper()
	_, err := s.UpdateDocument(t.Context(), tenant, by, func(d *assistants.Document) error {
		d.Supersedes = id
		return nil
	})
	return err
}

// chainOf adds documents, each of which supersedes the one before.
func chainOf(t *testing.T, s contract, a assistants.Assistant, names ...string) map[string]assistants.DocumentID {
	t.Helper()
	ids := map[string]assistants.DocumentID{}
	for i, name := range names {
		d := newDocument(a, name, name)
		if i > 0 {
			d.Supersedes = ids[names[i-1]]
		}
		must(t, third(s.CreateDocument(t.Context(), d)))
		ids[name] = d.ID
	}
	return ids
}

func wantSuperseded(t *testing.T, s contract, by, want assistants.DocumentID) {
	t.Helper()
	if got, err := s.Document(t.Context(), tenant, by); err != nil || got.Supersedes != want {
		t.Errorf("it supersedes %q, want %q: %v", got.Supersedes, want, err)
	}
}
