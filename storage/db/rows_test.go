package db

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
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
		s.Publish(t.Context(), assistants.VersionRef{Tenant: owner, Document: d.ID, Number: 1}, s.now())); err != nil {
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

// It runs the contract suite in memory, so that too is proved here.
func TestSQLiteInMemoryKeepsTheContractAndEveryStatementNamesItsTenant(t *testing.T) {
	dbtest.Run(t, func(t *testing.T) assistants.Store {
		s := openTest(t, "sqlite::memory:", Options{})
		check := func(tx *gorm.DB) {
			if sql := tx.Statement.SQL.String(); !strings.Contains(sql, "tenant_id") && !allowedWithoutTenant(sql) {
				t.Errorf("no tenant in %s", sql)
			}
		}
		for _, err := range []error{
			s.gorm.Callback().Query().After("gorm:query").Register("tenant", check),
			s.gorm.Callback().Update().After("gorm:update").Register("tenant", check),
			s.gorm.Callback().Delete().After("gorm:delete").Register("tenant", check),
			s.gorm.Callback().Row().After("gorm:row").Register("tenant", check),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		return s
	})
}

// allowedWithoutTenant knows the few statements that serve all tenants: the
// queue of jobs, the key that tells the tenant, counts over all and the stream
// of what the index should hold.
func allowedWithoutTenant(sql string) bool {
	for _, part := range []string{
		"FROM `jobs`", "UPDATE `jobs`", "DELETE FROM `idempotency_keys` WHERE expires_at <= ?", "FROM `api_keys` WHERE prefix = ?",
		"COUNT(*) AS total FROM `documents` GROUP BY", "WHERE documents.live > 0 AND documents.id > ?",
	} {
		if strings.Contains(sql, part) {
			return true
		}
	}
	return sql == "" // refused before it was built
}

func TestBlobsThatNothingNamesAreFound(t *testing.T) {
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
