package db

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"gorm.io/gorm"

	"footnote/assistants"
	"footnote/storage/db/dbtest"
)

func TestCachedStoreKeepsTheContract(t *testing.T) {
	dbtest.Run(t, func(t *testing.T) assistants.Store { return NewCached(openTest(t, "sqlite::memory:", Options{})) })
}

func cachedWithAssistant(t *testing.T) (*Cached, assistants.Assistant, assistants.Key) {
	t.Helper()
	s := NewCached(openTest(t, "sqlite::memory:", Options{}))
	a := assistants.Assistant{
		ID: assistants.NewAssistantID(), TenantID: "t", Slug: "support", Name: "Support",
		CollectionID: assistants.NewCollectionID(), Settings: assistants.DefaultSettings(),
	}
	k := assistants.Key{ID: "key_1", TenantID: "t", Name: "k", Prefix: "fn-abc", Scopes: assistants.Scopes}
	if err := errors.Join(s.CreateAssistant(t.Context(), a), s.CreateKey(t.Context(), k)); err != nil {
		t.Fatal(err)
	}
	return s, a, k
}

func TestWhatAChatLooksUpIsAskedOnce(t *testing.T) {
	s, a, k := cachedWithAssistant(t)
	queries := 0
	if err := s.gorm.Callback().Query().After("gorm:query").Register("count", func(*gorm.DB) { queries++ }); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		_, byKey := s.KeyByPrefix(t.Context(), k.Prefix)
		_, byRef := s.Assistant(t.Context(), "t", a.Slug)
		if _, err := s.Assistant(t.Context(), "other", a.Slug); !errors.Is(err, assistants.ErrNotFound) {
			t.Errorf("another tenant is told %v", err)
		}
		if err := errors.Join(byKey, byRef); err != nil {
			t.Fatal(err)
		}
	}
	if want := 1 + 1 + 5; queries != want { // what is not there is asked for each time
		t.Errorf("%d queries, want %d", queries, want)
	}
}

// However reads and changes overlap, a read that begins after a change has
// returned sees it.
func TestAChangeIsInForceWhenItReturns(t *testing.T) {
	s, a, k := cachedWithAssistant(t)
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					_, byRef := s.Assistant(t.Context(), "t", a.Slug)
					_, byKey := s.KeyByPrefix(t.Context(), k.Prefix)
					if err := errors.Join(byRef, byKey); err != nil {
						t.Error(err)
						return
					}
				}
			}
		})
	}
	for i := range 200 {
		name := fmt.Sprint("name ", i)
		if _, err := s.UpdateAssistant(t.Context(), "t", string(a.ID), func(a *assistants.Assistant) error { a.Name = name; return nil }); err != nil {
			t.Error(err)
			break
		}
		if got, err := s.Assistant(t.Context(), "t", a.Slug); err != nil || got.Name != name {
			t.Errorf("after the change to %q: %q, %v", name, got.Name, err)
			break
		}
	}
	if err := s.RevokeKey(t.Context(), "t", k.ID, time.Now()); err != nil {
		t.Error(err)
	}
	if got, err := s.KeyByPrefix(t.Context(), k.Prefix); err != nil || got.RevokedAt == nil {
		t.Errorf("after the revocation: %+v, %v", got, err)
	}
	close(stop)
	readers.Wait()
	if err := s.DeleteAssistant(t.Context(), "t", a.Slug); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Assistant(t.Context(), "t", a.Slug); !errors.Is(err, assistants.ErrNotFound) {
		t.Errorf("after the deletion: %v", err)
	}
}

func TestAMemoryIsBounded(t *testing.T) {
	var m memory[int, int]
	for i := range 3 * maxKept {
		if v, err := m.get(i, func() (int, error) { return i, nil }); v != i || err != nil {
			t.Fatal(v, err)
		}
		if len(m.kept) > maxKept {
			t.Fatalf("%d are kept", len(m.kept))
		}
	}
}
