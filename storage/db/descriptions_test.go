package db

import (
	"testing"
	"time"

	"footnote/assistants"
)

// TestWhatChangesNamesIsCounted: names that were read before are read again.
func TestWhatChangesNamesIsCounted(t *testing.T) {
	s, ctx := openFile(t), t.Context()
	b, d, _ := fill(t, s, "t")
	b.ID, b.Slug, b.CollectionID = assistants.NewAssistantID(), "b", assistants.NewCollectionID()
	if err := s.CreateAssistant(ctx, b); err != nil {
		t.Fatal(err)
	}
	job, _, err := s.ClaimJob(ctx, s.now(), time.Minute, assistants.JobFilter{})
	if err == nil {
		err = s.FinishJob(ctx, job)
	}
	if err != nil {
		t.Fatal(err)
	}
	again := d
	again.ID, again.SourcePath, again.Supersedes = assistants.NewDocumentID(), "", ""
	other := again
	other.ID, other.Version.SHA256 = assistants.NewDocumentID(), "other"
	if _, _, err := s.CreateDocument(ctx, other); err != nil {
		t.Fatal(err)
	}
	again.Supersedes = other.ID
	ref := assistants.VersionRef{Tenant: "t", Document: d.ID, Number: 1}
	for _, c := range []struct {
		what   string
		change func() error
	}{
		{"publish", func() error { return s.Publish(ctx, ref, s.now(), assistants.StatusReady) }},
		{"supersede", func() error { _, _, err := s.CreateDocument(ctx, again); return err }},
		{"move", func() error { _, err := s.MoveDocument(ctx, "t", d.ID, b.CollectionID, nil); return err }},
		{"delete", func() error { return s.DeleteDocument(ctx, "t", d.ID) }},
	} {
		before := s.Descriptions()
		if err := c.change(); err != nil || s.Descriptions() == before {
			t.Errorf("%s: counted %d, then %d: %v", c.what, before, s.Descriptions(), err)
		}
	}
}
