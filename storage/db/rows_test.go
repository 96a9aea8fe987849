package db

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"gorm.io/gorm"

	"footnote/assistants"
	"footnote/storage/db/dbtest"
)

func fill(t *testing.T, s *Store, owner assistants.TenantID) (assistants.Assistant, assistants.Document, []assistants.Chunk) {
	t.Helper()
	a := assistants.Assistant{
		ID: assistants.NewAssistantID(), TenantID: owner, Slug: "a", Name: "A", CollectionID: assistants.NewCollectionID(),
		Settings: assistants.DefaultSettings(),
	}
	d := assistants.Document{
		ID: assistants.NewDocumentID(), TenantID: owner, CollectionID: a.CollectionID, Name: "d",
		Version: assistants.Version{BlobKey: "default/1", SHA256: "1"},
	}
	chunks := []assistants.Chunk{
		{ID: assistants.NewChunkID(d.ID, 1, 0), Index: 0, Text: "hello"},
		{ID: assistants.NewChunkID(d.ID, 1, 1), Index: 1, Text: "world"},
	}
	if err := s.CreateAssistant(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.CreateDocument(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(
		s.SaveVersion(t.Context(), assistants.VersionRef{Tenant: owner, Document: d.ID, Number: 1}, "text/plain", assistants.Text{Text: "helloworld"}, chunks),
		s.Publish(t.Context(), assistants.VersionRef{Tenant: owner, Document: d.ID, Number: 1}, s.now(), assistants.StatusReady)); err != nil {
		t.Fatal(err)
	}
	return a, d, chunks
}

func TestDeletionLeavesNoRowsBehind(t *testing.T) {
	for _, how := range []string{"assistant", "document first"} {
		s := openTest(t, "sqlite::memory:", Options{})
		a, d, _ := fill(t, s, "t")
		if how != "assistant" {
			if err := s.DeleteDocument(t.Context(), "t", d.ID); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.DeleteAssistant(t.Context(), "t", string(a.ID)); err != nil {
			t.Fatal(err)
		}
		for _, model := range models() {
			var n int64
			if err := s.gorm.Model(model).Count(&n).Error; err != nil {
				t.Fatal(err)
			}
			want := int64(0)
			if _, ok := model.(*jobRow); ok {
				want = 1 // the purge
			}
			if n != want {
				t.Errorf("%s: %d rows of %T", how, n, model)
			}
		}
	}
}

func TestHitsAreTwoQueries(t *testing.T) {
	s := openTest(t, "sqlite::memory:", Options{})
	a, _, chunks := fill(t, s, "t")
	matches := make([]assistants.Match, 50)
	for i := range matches {
		matches[i].ChunkID = chunks[i%2].ID
	}
	queries := 0
	if err := s.gorm.Callback().Query().After("gorm:query").Register("count", func(*gorm.DB) { queries++ }); err != nil {
		t.Fatal(err)
	}
	hits, err := s.Hits(t.Context(), "t", []assistants.CollectionID{a.CollectionID}, matches)
	if err != nil || len(hits) != 50 || queries != 2 {
		t.Errorf("%d hits in %d queries, %v", len(hits), queries, err)
	}
}

// The contract runs with this guard, so the guard is tested as well.
func TestTheGuardSeesStatementsWithoutATenant(t *testing.T) {
	for sql, want := range map[string]bool{
		"SELECT * FROM `documents` WHERE tenant_id = ? AND id = ?":                                   true,
		`SELECT * FROM "documents" WHERE "tenant_id" = $1$ AND id = $2$`:                             true,
		"SELECT * FROM `documents` WHERE documents.tenant_id = ? AND (id = ? OR slug = ?)":           true,
		"INSERT INTO `chunks` (`id`,`tenant_id`) VALUES (?,?)":                                       true,
		"SELECT * FROM `api_keys` WHERE prefix = ? LIMIT 1":                                          true,
		"SELECT * FROM `documents` WHERE id = ?":                                                     false,
		"SELECT tenant_id FROM `documents` WHERE id = ?":                                             false,
		"SELECT * FROM `documents`":                                                                  false,
		"SELECT * FROM `documents` WHERE tenant_id = ? OR id = ?":                                    false,
		"SELECT * FROM `chunks` WHERE document_id IN (SELECT id FROM documents WHERE tenant_id = ?)": false,
		"SELECT * FROM `documents` WHERE tenant_id <> ?":                                             false,
		"UPDATE `documents` SET `tenant_id`=? WHERE id = ?":                                          false,
		"DELETE FROM `jobs` WHERE document_id = ?":                                                   false,
		"INSERT INTO `chunks` (`id`,`body`) VALUES (?,?)":                                            false,
		"SELECT * FROM `things_of_tomorrow` WHERE id = ?":                                            false,
	} {
		if err := dbtest.NamesTenant(sql); (err == nil) != want {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

func TestUnknownBlobsAreFound(t *testing.T) {
	s := openTest(t, "sqlite::memory:", Options{})
	_, d, _ := fill(t, s, "t")
	keys := []string{"default/0", "default/1"}
	for i := range 1200 {
		keys = append(keys, fmt.Sprint("default/x", i))
	}
	got, err := s.UnknownBlobs(t.Context(), keys)
	if err != nil || len(got) != len(keys)-1 || got[0] != "default/0" || got[1] != "default/x0" {
		t.Errorf("%d keys, %v", len(got), err)
	}
	if err := s.DeleteDocument(t.Context(), "t", d.ID); err != nil {
		t.Fatal(err)
	}
	if got, err := s.UnknownBlobs(t.Context(), keys); err != nil || !reflect.DeepEqual(got, keys) {
		t.Errorf("after the deletion %d keys, %v", len(got), err)
	}
}
