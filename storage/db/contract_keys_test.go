package db_test

import (
	"crypto/sha256"
	"fmt"
	"reflect"
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
