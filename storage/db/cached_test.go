package db

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gorm.io/gorm"

	"footnote/assistants"
	"footnote/storage/db/postgrestest"
)

func anything[V any](V) bool { return true }

func cachedWithAssistant(t *testing.T) (*Cached, assistants.Assistant, assistants.Key) {
	t.Helper()
	s := NewCached(openTest(t, "sqlite::memory:", Options{}))
	a, k := chatters(t, s)
	return s, a, k
}

// chatters stores an assistant and a key for lookups like those of chats.
func chatters(t *testing.T, s *Cached) (assistants.Assistant, assistants.Key) {
	t.Helper()
	a := assistants.Assistant{
		ID: assistants.NewAssistantID(), TenantID: "t", Slug: "support", Name: "Support",
		CollectionID: assistants.NewCollectionID(), Settings: assistants.DefaultSettings(),
	}
	k := assistants.Key{ID: "key_1", TenantID: "t", Name: "k", Prefix: "fn-abc", Scopes: assistants.Scopes}
	if err := errors.Join(s.CreateAssistant(t.Context(), a), s.CreateKey(t.Context(), k)); err != nil {
		t.Fatal(err)
	}
	return a, k
}

func TestLookupsOfAChatAreCached(t *testing.T) {
	s, a, k := cachedWithAssistant(t)
	u := canaryUpstream("t", "far")
	if err := s.CreateUpstream(t.Context(), u); err != nil {
		t.Fatal(err)
	}
	queries := 0
	if err := s.gorm.Callback().Query().After("gorm:query").Register("count", func(*gorm.DB) { queries++ }); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		_, byKey := s.KeyFor(t.Context(), k.Prefix, anything)
		_, byRef := s.KnownAssistant(t.Context(), "t", a.Slug, assistants.Sight{All: true})
		if _, err := s.KnownAssistant(t.Context(), "other", a.Slug, assistants.Sight{All: true}); !errors.Is(err, assistants.ErrNotFound) {
			t.Errorf("another tenant gets %v", err)
		}
		_, byName := s.KnownUpstream(t.Context(), "t", u.Name)
		if err := errors.Join(byKey, byRef, byName); err != nil {
			t.Fatal(err)
		}
	}
	if want := 1 + 1 + 1 + 5; queries != want { // missing ones are not cached
		t.Errorf("%d queries, want %d", queries, want)
	}
}

// The time of a lookup must not reveal what the caller may not see.
func TestAMismatchTakesTheSameQueriesAsAMiss(t *testing.T) {
	s, a, k := cachedWithAssistant(t)
	asked := func(lookup func() error) (statements []string) {
		err := s.gorm.Callback().Query().After("gorm:query").Replace("note", func(tx *gorm.DB) {
			statements = append(statements, tx.Statement.SQL.String())
		})
		if err = errors.Join(err, lookup()); err != nil && !errors.Is(err, assistants.ErrNotFound) {
			t.Error(err)
		}
		return statements
	}
	key := func(prefix string, fits bool) func() error {
		return func() error {
			_, err := s.KeyFor(t.Context(), prefix, func(assistants.Key) bool { return fits })
			return err
		}
	}
	assistant := func(ref string, fits bool) func() error {
		return func() error {
			_, err := s.KnownAssistant(t.Context(), "t", ref, assistants.Sight{All: fits})
			return err
		}
	}
	for _, known := range []func() error{key(k.Prefix, true), assistant(a.Slug, true)} {
		if asked(known); len(asked(known)) != 0 {
			t.Fatal("nothing is cached")
		}
	}
	for name, pair := range map[string][2]func() error{
		"a key":        {key(k.Prefix, false), key("fn-none", false)},
		"an assistant": {assistant(a.Slug, false), assistant("none", false)},
	} {
		there, absent := asked(pair[0]), asked(pair[1])
		if len(there) != 1 || !slices.Equal(there, absent) {
			t.Errorf("%s that does not fit: %q; none: %q", name, there, absent)
		}
	}
}

// A read that begins after a change has returned sees the change, however they
// overlap.
func TestAChangeIsVisibleWhenItReturns(t *testing.T) {
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
					_, byRef := s.KnownAssistant(t.Context(), "t", a.Slug, assistants.Sight{All: true})
					_, byKey := s.KeyFor(t.Context(), k.Prefix, anything)
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
		if got, err := s.KnownAssistant(t.Context(), "t", a.Slug, assistants.Sight{All: true}); err != nil || got.Name != name {
			t.Errorf("after the change to %q: %q, %v", name, got.Name, err)
			break
		}
	}
	if err := s.RevokeKey(t.Context(), "t", k.ID, time.Now()); err != nil {
		t.Error(err)
	}
	if got, err := s.KeyFor(t.Context(), k.Prefix, anything); err != nil || got.RevokedAt == nil {
		t.Errorf("after the revocation: %+v, %v", got, err)
	}
	close(stop)
	readers.Wait()
	if err := s.DeleteAssistant(t.Context(), "t", a.Slug); err != nil {
		t.Fatal(err)
	}
	if _, err := s.KnownAssistant(t.Context(), "t", a.Slug, assistants.Sight{All: true}); !errors.Is(err, assistants.ErrNotFound) {
		t.Errorf("after the deletion: %v", err)
	}
}

func TestAChangeOfAnUpstreamIsVisibleWhenItReturns(t *testing.T) {
	s := NewCached(openTest(t, "sqlite::memory:", Options{}))
	u := canaryUpstream("t", "far")
	if err := s.CreateUpstream(t.Context(), u); err != nil {
		t.Fatal(err)
	}
	for i := range 50 {
		key := fmt.Sprint("sk-", i)
		if _, err := s.UpdateUpstream(t.Context(), "t", u.ID, func(u *assistants.Upstream) error { u.APIKey = assistants.NewSecret(key); return nil }); err != nil {
			t.Fatal(err)
		}
		for _, ref := range []string{"far", string(u.ID)} {
			if got, err := s.KnownUpstream(t.Context(), "t", ref); err != nil || got.APIKey.Reveal() != key {
				t.Errorf("%s: %q after %q was stored, %v", ref, got.APIKey.Reveal(), key, err)
			}
		}
	}
	if err := s.DeleteUpstream(t.Context(), "t", u.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := s.KnownUpstream(t.Context(), "t", "far"); !errors.Is(err, assistants.ErrNotFound) {
		t.Errorf("deleted: %v", err)
	}
}

func TestACacheIsBounded(t *testing.T) {
	var m cache[int, int]
	for i := range 3 * maxCached {
		m.put(i, cacheEntry[int]{value: i}, 0)
		if got, ok, _ := m.get(i); !ok || got.value != i {
			t.Fatal(got, ok)
		}
		if len(m.entries) > maxCached {
			t.Fatalf("%d are kept", len(m.entries))
		}
	}
}

// clock is a clock that tests set.
type clock struct{ atomic.Int64 }

func (c *clock) now() time.Time { return time.Unix(0, c.Load()).UTC() }

func (c *clock) pass(d time.Duration) { c.Add(int64(d)) }

// Two processes on one database see each other's changes immediately.
func TestChangesOfAnotherProcessTakeEffectAtOnce(t *testing.T) {
	eachServer(t, changesOfAnotherTest)
}

func changesOfAnotherTest(t *testing.T, url string) {
	t.Helper()
	one, other := NewCached(openTest(t, url, Options{})), NewCached(openTest(t, url, Options{}))
	a, k := chatters(t, one)
	for range 2 { // the second time from the cache
		_, byRef := other.KnownAssistant(t.Context(), "t", a.Slug, assistants.Sight{All: true})
		_, byKey := other.KeyFor(t.Context(), k.Prefix, anything)
		if err := errors.Join(byRef, byKey); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := one.UpdateAssistant(t.Context(), "t", a.Slug, func(a *assistants.Assistant) error { a.Name = "new"; return nil }); err != nil {
		t.Fatal(err)
	}
	if got, err := other.KnownAssistant(t.Context(), "t", a.Slug, assistants.Sight{All: true}); err != nil || got.Name != "new" {
		t.Errorf("%q, %v", got.Name, err)
	}
	if err := one.RevokeKey(t.Context(), "t", k.ID, time.Now()); err != nil {
		t.Fatal(err)
	}
	if got, err := other.KeyFor(t.Context(), k.Prefix, anything); err != nil || got.RevokedAt == nil {
		t.Errorf("%+v, %v", got, err)
	}
	if err := one.DeleteAssistant(t.Context(), "t", a.Slug); err != nil {
		t.Fatal(err)
	}
	if _, err := other.KnownAssistant(t.Context(), "t", a.Slug, assistants.Sight{All: true}); !errors.Is(err, assistants.ErrNotFound) {
		t.Errorf("after the deletion: %v", err)
	}
}

// Many who ask at the same time share queries, and still see each change at once.
func TestChangesOfAnotherProcessTakeEffectAmongManyReaders(t *testing.T) {
	eachServer(t, func(t *testing.T, url string) {
		t.Helper()
		one, other := NewCached(openTest(t, url, Options{})), NewCached(openTest(t, url, Options{}))
		a, _ := chatters(t, one)
		stop := make(chan struct{})
		var readers sync.WaitGroup
		for range 8 {
			readers.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
						if _, err := other.KnownAssistant(t.Context(), "t", a.Slug, assistants.Sight{All: true}); err != nil {
							t.Error(err)
							return
						}
					}
				}
			})
		}
		for i := range 50 {
			name := fmt.Sprint("name ", i)
			if _, err := one.UpdateAssistant(t.Context(), "t", a.Slug, func(a *assistants.Assistant) error { a.Name = name; return nil }); err != nil {
				t.Error(err)
				break
			}
			if got, err := other.KnownAssistant(t.Context(), "t", a.Slug, assistants.Sight{All: true}); err != nil || got.Name != name {
				t.Errorf("after the change to %q: %q, %v", name, got.Name, err)
				break
			}
			if _, err := other.KnownAssistant(t.Context(), "t", a.Slug, assistants.Sight{}); !errors.Is(err, assistants.ErrNotFound) {
				t.Errorf("who sees none gets %v", err)
				break
			}
		}
		close(stop)
		readers.Wait()
	})
}

// While the database does not answer, cached values are used for a minute.
func TestCachedValuesAreUsedWhileTheDatabaseIsDown(t *testing.T) {
	server := postgrestest.Start(t)
	var time clock
	s := NewCached(openTest(t, server.Database(t), Options{Now: time.now}))
	a, k := chatters(t, s)
	look := func() error {
		_, byRef := s.KnownAssistant(t.Context(), "t", a.Slug, assistants.Sight{All: true})
		_, byKey := s.KeyFor(t.Context(), k.Prefix, anything)
		return errors.Join(byRef, byKey)
	}
	if err := look(); err != nil {
		t.Fatal(err)
	}
	server.Stop(t)
	time.pass(staleFor)
	if err := look(); err != nil {
		t.Errorf("what was known a minute ago: %v", err)
	}
	if _, err := s.KeyFor(t.Context(), "fn-unknown", anything); !errors.Is(err, assistants.ErrDatabaseUnavailable) {
		t.Errorf("a key that was never seen: %v", err)
	}
	if _, err := s.KeyFor(t.Context(), k.Prefix, func(assistants.Key) bool { return false }); !errors.Is(err, assistants.ErrDatabaseUnavailable) {
		t.Errorf("a key that does not fit: %v", err)
	}
	time.pass(1)
	if err := look(); !errors.Is(err, assistants.ErrDatabaseUnavailable) {
		t.Errorf("after a minute: %v", err)
	}
	server.Start(t)
	if err := look(); err != nil {
		t.Errorf("with the database back: %v", err)
	}
}
