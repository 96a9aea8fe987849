package db_test

import (
	"context"
	"crypto/sha256"
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

func newKey(owner assistants.TenantID, prefix string) assistants.Key {
	return assistants.Key{
		ID: assistants.NewKeyID(), TenantID: owner, Name: "key " + prefix, Prefix: prefix, Hash: sha256.Sum256([]byte(prefix)),
		Scopes: []assistants.Scope{assistants.ScopeChat}, CreatedAt: birth,
	}
}

var keyTests = map[string]func(*testing.T, contract){
	"name and limits of a key can be changed, and nothing else": func(t *testing.T, s contract) {
		k, five := newKey(tenant, "fn-a"), 5
		must(t, s.CreateKey(t.Context(), k))
		saved, err := s.UpdateKey(t.Context(), tenant, k.ID, func(stored *assistants.Key) error {
			stored.Name, stored.Limits.TokensPerMonth = "renamed", &five
			stored.Scopes, stored.TenantID, stored.Prefix = []assistants.Scope{assistants.ScopeAdmin}, other, "fn-b"
			return nil
		})
		want := k
		want.Name, want.Limits.TokensPerMonth = "renamed", &five
		if got, readErr := s.Key(t.Context(), tenant, k.ID); err != nil || readErr != nil || !reflect.DeepEqual(got, want) || !reflect.DeepEqual(saved, want) {
			t.Errorf("%+v, %v, %v\nwant %+v", got, err, readErr, want)
		}
		refused := errors.New("refused")
		if _, err := s.UpdateKey(t.Context(), tenant, k.ID, func(stored *assistants.Key) error { stored.Name = "x"; return refused }); !errors.Is(err, refused) {
			t.Error(err)
		}
		if got, err := s.Key(t.Context(), tenant, k.ID); err != nil || got.Name != "renamed" {
			t.Error(got.Name, err)
		}
		for _, id := range []assistants.KeyID{k.ID, "key_none"} {
			_, err = s.UpdateKey(t.Context(), other, id, func(*assistants.Key) error { return nil })
			wantKind(t, "another tenant's key", err, assistants.ErrNotFound)
		}
	},
	"counts of a month add up, and old months go": func(t *testing.T, s contract) {
		april, may := time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
		count := func(owner assistants.TenantID, month time.Time) assistants.MonthCount {
			t.Helper()
			c, err := s.MonthCount(t.Context(), owner, "key_a", month)
			must(t, err)
			return c
		}
		one := assistants.MonthCount{TenantID: tenant, Subject: "key_a", Month: april, Requests: 2, Tokens: 300}
		next := assistants.MonthCount{TenantID: tenant, Subject: "key_a", Month: may, Requests: 1, Tokens: 7}
		must(t, s.AddMonthCounts(t.Context(), []assistants.MonthCount{one, next, one}))
		must(t, s.AddMonthCounts(t.Context(), []assistants.MonthCount{one}))
		if got := count(tenant, april); got.Requests != 6 || got.Tokens != 900 {
			t.Errorf("%+v", got)
		}
		if got := count(other, april); got.Requests != 0 {
			t.Errorf("another tenant: %+v", got)
		}
		must(t, s.RemoveMonthCounts(t.Context(), may))
		if got := count(tenant, april); got.Requests != 0 {
			t.Errorf("a month that was removed: %+v", got)
		}
		if got := count(tenant, may); got.Requests != 1 || got.Tokens != 7 {
			t.Errorf("%+v", got)
		}
	},
	"what instances share is changed by one of them at a time, and goes when it is old": func(t *testing.T, s contract) {
		one := []assistants.LimitSubject{{TenantID: tenant, ID: "key_a"}}
		both := append(slices.Clone(one), assistants.LimitSubject{TenantID: tenant, ID: "key_b"})
		var wg sync.WaitGroup
		for i := range 12 {
			wg.Go(func() {
				subjects := one
				if i%2 == 0 {
					subjects = both
				}
				err := s.ShareUses(context.Background(), subjects, func(texts []string, now time.Time) error {
					for i := range texts {
						texts[i] += "x"
					}
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		read := func(owner assistants.TenantID) (found []string, at time.Time) {
			t.Helper()
			var subjects []assistants.LimitSubject
			for _, of := range both {
				subjects = append(subjects, assistants.LimitSubject{TenantID: owner, ID: of.ID})
			}
			must(t, s.ShareUses(t.Context(), subjects, func(texts []string, now time.Time) error {
				found, at = slices.Clone(texts), now
				return nil
			}))
			return found, at
		}
		stored, at := read(tenant)
		if !slices.Equal(stored, []string{strings.Repeat("x", 12), strings.Repeat("x", 6)}) || at.IsZero() {
			t.Errorf("%q at %s", stored, at)
		}
		if foreign, _ := read(other); !slices.Equal(foreign, []string{"", ""}) {
			t.Errorf("another tenant: %q", foreign)
		}
		err := s.ShareUses(t.Context(), both, func(texts []string, _ time.Time) error {
			texts[0] = "lost"
			return assistants.ErrConflict
		})
		wantKind(t, "a change that fails", err, assistants.ErrConflict)
		must(t, s.RemoveSharedUses(t.Context(), at))
		if kept, _ := read(tenant); !slices.Equal(kept, stored) {
			t.Errorf("after a change that failed, and of that time: %q", kept)
		}
		must(t, s.RemoveSharedUses(t.Context(), at.Add(time.Hour)))
		if gone, _ := read(tenant); !slices.Equal(gone, []string{"", ""}) {
			t.Errorf("what is old: %q", gone)
		}
	},
	"a key comes back as it was stored": func(t *testing.T, s contract) {
		ends := birth.Add(time.Hour)
		plain, bound, blind := newKey(tenant, "fn-a"), newKey(tenant, "fn-b"), newKey(tenant, "fn-c")
		bound.Scopes = []assistants.Scope{assistants.ScopeSearch, assistants.ScopeAdmin}
		bound.Assistants = []assistants.AssistantID{"asst_2", "asst_1"}
		bound.DefaultAssistant, bound.ExpiresAt = "asst_2", &ends
		blind.Assistants = []assistants.AssistantID{} // none, which differs from all
		for _, k := range []assistants.Key{plain, bound, blind} {
			must(t, s.CreateKey(t.Context(), k))
			got, err := s.KeyByPrefix(t.Context(), k.Prefix)
			if err != nil || !reflect.DeepEqual(got, k) {
				t.Errorf("got %+v, %v\nwant %+v", got, err, k)
			}
		}
		wantKind(t, "a taken prefix", s.CreateKey(t.Context(), newKey(other, "fn-a")), assistants.ErrConflict)
		for _, prefix := range []string{"", "fn-", "fn-A", "FN-A", "fn-a ", "fn-_"} {
			_, err := s.KeyByPrefix(t.Context(), prefix)
			wantKind(t, fmt.Sprintf("prefix %q", prefix), err, assistants.ErrNotFound)
		}
	},

	"a key is revoked once and for all": func(t *testing.T, s contract) {
		k := newKey(tenant, "fn-a")
		must(t, s.CreateKey(t.Context(), k))
		must(t, s.RevokeKey(t.Context(), tenant, k.ID, birth.Add(time.Minute)))
		must(t, s.RevokeKey(t.Context(), tenant, k.ID, birth.Add(time.Hour)))
		got, err := s.KeyByPrefix(t.Context(), k.Prefix)
		if err != nil || got.RevokedAt == nil || !got.RevokedAt.Equal(birth.Add(time.Minute)) || got.Alive(birth.Add(2*time.Minute)) {
			t.Errorf("got %+v, %v", got, err)
		}
		wantKind(t, "a key that is not there", s.RevokeKey(t.Context(), tenant, "key_none", birth), assistants.ErrNotFound)
	},

	"keys are listed in pages, the tenant's only": func(t *testing.T, s contract) {
		var want []assistants.Key
		for i := range 5 {
			k := newKey(tenant, fmt.Sprint("fn-", i))
			must(t, s.CreateKey(t.Context(), k))
			want = append(want, k)
		}
		must(t, s.CreateKey(t.Context(), newKey(other, "fn-x")))
		first, next, err := s.Keys(t.Context(), tenant, assistants.List{Limit: 4})
		must(t, err)
		rest, end, err := s.Keys(t.Context(), tenant, assistants.List{Limit: 4, Cursor: next})
		if err != nil || end != "" || !reflect.DeepEqual(append(first, rest...), want) {
			t.Errorf("got %+v and %+v, %v", first, rest, err)
		}
	},
}

var metaTests = map[string]func(*testing.T, contract){
	"a fact is set once": func(t *testing.T, s contract) {
		if v, err := s.Meta(t.Context(), "k"); err != nil || v != "" {
			t.Errorf("before: %q, %v", v, err)
		}
		got := make([]string, 10)
		var wg sync.WaitGroup
		for i := range got {
			wg.Go(func() {
				v, err := s.SetMetaOnce(t.Context(), "k", fmt.Sprint(i))
				if err != nil {
					t.Error(err)
				}
				got[i] = v
			})
		}
		wg.Wait()
		stored, err := s.Meta(t.Context(), "k")
		must(t, err)
		for _, v := range got {
			if v != stored || v == "" {
				t.Errorf("returned %q, stored %q", v, stored)
			}
		}
		if v, err := s.Meta(t.Context(), "K"); err != nil || v != "" {
			t.Errorf("another key: %q, %v", v, err)
		}
		must(t, s.Ping(t.Context()))
	},
}
