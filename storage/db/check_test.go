package db

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"footnote/assistants"
)

func inventories(t *testing.T, s *Store) []assistants.Inventory {
	t.Helper()
	var all []assistants.Inventory
	if err := s.Inventories(t.Context(), func(i assistants.Inventory) error {
		all = append(all, i)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestAnInventoryIsEverythingThatHangsOnADocument(t *testing.T) {
	checkedDatabases(t, func(t *testing.T, s *Store) {
		_, d, _ := fill(t, s, "t")
		_, other, _ := fill(t, s, "u")
		_, _, err := s.ReplaceFile(t.Context(), "t", d.ID, assistants.Version{BlobKey: "default/2", SHA256: "2"})
		if err != nil {
			t.Fatal(err)
		}
		all := inventories(t, s)
		if len(all) != 2 || all[0].ID != d.ID || all[1].ID != other.ID || all[1].TenantID != "u" {
			t.Fatalf("got %+v", all)
		}
		i := all[0]
		if !i.Owned || i.Status != assistants.StatusPending || i.Live != 1 || i.Latest != 2 || !reflect.DeepEqual(i.Queued, []int{2}) || len(i.Versions) != 2 {
			t.Errorf("got %+v", i)
		}
		first, second := i.Versions[0], i.Versions[1]
		if first.Chunks != 2 || first.ChunkRows != 2 || !first.HasText || second.ChunkRows != 0 || second.HasText || second.BlobKey != "default/2" {
			t.Errorf("got %+v", i.Versions)
		}
		if strays, err := s.Strays(t.Context()); err != nil || len(strays) > 0 {
			t.Errorf("strays %+v, %v", strays, err)
		}
		if damage, err := s.Damage(t.Context()); err != nil || len(damage) > 0 {
			t.Errorf("damage %q, %v", damage, err)
		}
		stop := errors.New("enough")
		if err := s.Inventories(t.Context(), func(assistants.Inventory) error { return stop }); !errors.Is(err, stop) {
			t.Errorf("got %v", err)
		}
	})
}

func TestInventoriesOfManyDocumentsMissNone(t *testing.T) {
	s := openTest(t, "sqlite::memory:", Options{})
	a, _, _ := fill(t, s, "t")
	const more = 2*inventoryBatch + 1
	for n := range more {
		_, _, err := s.CreateDocument(t.Context(), assistants.Document{
			ID: assistants.NewDocumentID(), TenantID: "t", CollectionID: a.CollectionID, Name: "d",
			Version: assistants.Version{BlobKey: fmt.Sprint("default/m", n), SHA256: fmt.Sprint("m", n)},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	seen := map[assistants.DocumentID]bool{}
	for _, i := range inventories(t, s) {
		seen[i.ID] = true
	}
	if len(seen) != more+1 {
		t.Errorf("%d documents", len(seen))
	}
}

func TestOnlyStraysAreFoundAndRemoved(t *testing.T) {
	checkedDatabases(t, func(t *testing.T, s *Store) {
		_, kept, _ := fill(t, s, "t")
		_, gone, _ := fill(t, s, "u")
		if err := s.gorm.Where("id = ?", gone.ID).Delete(&documentRow{}).Error; err != nil {
			t.Fatal(err)
		}
		strays, err := s.Strays(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		rows := map[string]int{}
		for _, stray := range strays {
			if stray.Document != gone.ID || stray.TenantID != "u" || stray.Version != 1 {
				t.Errorf("got %+v", stray)
			}
			rows[stray.Table] = stray.Rows
			if err := s.RemoveStray(t.Context(), stray); err != nil {
				t.Error(err)
			}
		}
		// The ingestion's job still exists, because it was not claimed.
		if want := (map[string]int{"chunks": 2, "document_texts": 1, "document_versions": 1, "document_log": 2, "jobs": 1}); !reflect.DeepEqual(rows, want) {
			t.Errorf("rows %v, want %v", rows, want)
		}
		if again, err := s.Strays(t.Context()); err != nil || len(again) > 0 {
			t.Errorf("strays %+v, %v", again, err)
		}
		if i := inventories(t, s); len(i) != 1 || i[0].ID != kept.ID || i[0].Versions[0].ChunkRows != 2 || len(i[0].Queued) != 1 {
			t.Errorf("kept %+v", i)
		}
		// Rows that belong to a document are never removed.
		for _, table := range []string{"chunks", "document_texts", "document_versions", "document_log", "jobs"} {
			if err := s.RemoveStray(t.Context(), assistants.Stray{Table: table, TenantID: "t", Document: kept.ID, Version: 1}); err != nil {
				t.Error(err)
			}
		}
		if i := inventories(t, s); len(i) != 1 || i[0].Versions[0].ChunkRows != 2 || len(i[0].Queued) != 1 {
			t.Errorf("kept %+v", i)
		}
		if err := s.RemoveStray(t.Context(), assistants.Stray{Table: "assistants"}); !errors.Is(err, assistants.ErrNotFound) {
			t.Errorf("got %v", err)
		}
	})
}

func TestRequeueUsesTheExistingVersions(t *testing.T) {
	checkedDatabases(t, func(t *testing.T, s *Store) {
		_, d, _ := fill(t, s, "t")
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		_, _, err := s.ReplaceFile(t.Context(), "t", d.ID, assistants.Version{BlobKey: "default/2", SHA256: "2"})
		must(err)
		if err := s.Requeue(t.Context(), "u", d.ID); !errors.Is(err, assistants.ErrNotFound) {
			t.Errorf("another tenant's: %v", err)
		}
		must(s.gorm.Where("document_id = ? AND version = 2", d.ID).Delete(&versionRow{}).Error)
		must(s.Requeue(t.Context(), "t", d.ID))
		// The live version is not read again in place.
		for range 2 {
			got, err := s.Document(t.Context(), "t", d.ID)
			if err != nil || got.Latest != 2 || got.Live != 1 || got.Status != assistants.StatusPending {
				t.Errorf("got %+v, %v", got, err)
			}
			i := inventories(t, s)[0]
			if len(i.Versions) != 2 {
				t.Fatalf("got %+v", i)
			}
			first, second := i.Versions[0], i.Versions[1]
			if !reflect.DeepEqual(i.Queued, []int{2}) || first.ChunkRows != 2 || second.BlobKey != first.BlobKey || second.SHA256 != first.SHA256 || second.ChunkRows != 0 {
				t.Errorf("got %+v", i)
			}
			must(s.Requeue(t.Context(), "t", d.ID))
		}
		must(s.gorm.Model(&documentRow{}).Where("id = ?", d.ID).UpdateColumn("live", 9).Error)
		must(s.Requeue(t.Context(), "t", d.ID))
		if i := inventories(t, s)[0]; i.Live != 0 || !reflect.DeepEqual(i.Queued, []int{2}) {
			t.Errorf("got %+v", i)
		}
		must(s.gorm.Where("document_id = ?", d.ID).Delete(&versionRow{}).Error)
		must(s.Requeue(t.Context(), "t", d.ID))
		if i := inventories(t, s); len(i) > 0 {
			t.Errorf("got %+v", i)
		}
		purges := 0
		must(s.OpenPurges(t.Context(), func(j assistants.Job) error {
			purges++
			if j.DocumentID != d.ID {
				t.Errorf("got %+v", j)
			}
			return nil
		}))
		if purges != 1 {
			t.Errorf("%d purges", purges)
		}
	})
}

func TestAProbeWritesAndSaysWhenItCannot(t *testing.T) {
	checkedDatabases(t, func(t *testing.T, s *Store) {
		for range 2 {
			if err := s.ProbeWrite(t.Context()); err != nil {
				t.Error(err)
			}
		}
		first, err := s.Meta(t.Context(), "write_probe")
		if err != nil || first == "" {
			t.Errorf("%q, %v", first, err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if err := s.ProbeWrite(t.Context()); !errors.Is(err, assistants.ErrUnavailable) {
			t.Errorf("got %v", err)
		}
	})
}

// checkedDatabases runs a test on each kind of database.
func checkedDatabases(t *testing.T, test func(*testing.T, *Store)) {
	eachDatabase(t, func(t *testing.T, url string) { test(t, openTest(t, url, Options{})) })
}

// A check must not take the documents of a shared collection for leftovers.
func TestDocumentsOfASharedCollectionBelongToSomething(t *testing.T) {
	s := openTest(t, "sqlite::memory:", Options{})
	c := assistants.Collection{ID: assistants.NewCollectionID(), TenantID: "t", Name: "common"}
	if err := s.CreateCollection(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		_, _, err := s.CreateDocument(t.Context(), assistants.Document{
			ID: assistants.NewDocumentID(), TenantID: "t", CollectionID: c.ID, Name: "d", Version: assistants.Version{BlobKey: "t/1", SHA256: fmt.Sprint(i)},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	owned := func() (n int) {
		for _, i := range inventories(t, s) {
			if i.Owned {
				n++
			}
		}
		return n
	}
	if n := owned(); n != 2 {
		t.Errorf("%d documents are owned", n)
	}
	if err := s.gorm.Where("tenant_id = ?", "t").Delete(&collectionRow{}).Error; err != nil {
		t.Fatal(err)
	}
	if n := owned(); n != 0 {
		t.Errorf("%d documents are owned by a collection that is gone", n)
	}
}
