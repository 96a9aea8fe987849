package db_test

import (
	"fmt"
	"reflect"
	"sync"
	"testing"
	"time"

	"footnote/assistants"
)

const requestLease = 5 * time.Second

func newRequest(owner assistants.TenantID, key string) assistants.IdempotentRequest {
	return assistants.IdempotentRequest{
		TenantID: owner, Key: assistants.HashIdempotencyKey(key), Fingerprint: "what was asked for",
		Resources:  []string{string(assistants.NewDocumentID()), string(assistants.NewDocumentID())},
		LeaseUntil: birth.Add(requestLease), CreatedAt: birth, ExpiresAt: birth.Add(24 * time.Hour),
	}
}

// reserve begins an attempt that must be granted, or must not.
func reserve(t *testing.T, s contract, r assistants.IdempotentRequest, now time.Time, want bool) assistants.IdempotentRequest {
	t.Helper()
	r.LeaseUntil = now.Add(requestLease)
	stored, reserved, err := s.ReserveRequest(t.Context(), r, now)
	must(t, err)
	if reserved != want {
		t.Fatalf("reserved: %v, want %v; stored %+v", reserved, want, stored)
	}
	return stored
}

var idempotencyTests = map[string]func(*testing.T, contract){
	"a request is as it was reserved, then as it was answered": func(t *testing.T, s contract) {
		r := newRequest(tenant, "k")
		stored := reserve(t, s, r, birth, true)
		want := r
		want.Attempt, want.Body = 1, []byte{}
		if !reflect.DeepEqual(stored, want) {
			t.Errorf("reserved %+v\nwant %+v", stored, want)
		}
		stored.Status, stored.Body = 202, []byte("{\"name\":\"é 😀 \\u0000\"}\n")
		must(t, s.AnswerRequest(t.Context(), stored))
		got := reserve(t, s, newRequest(tenant, "k"), birth.Add(time.Hour), false)
		if got.Status != 202 || string(got.Body) != string(stored.Body) || !reflect.DeepEqual(got.Resources, r.Resources) {
			t.Errorf("got %+v", got)
		}
		wantKind(t, "answering twice", s.AnswerRequest(t.Context(), got), assistants.ErrConflict)
		wantKind(t, "forgetting what was answered", s.ForgetRequest(t.Context(), got), assistants.ErrConflict)
	},

	"only an answered request is found, until it expires": func(t *testing.T, s contract) {
		r := newRequest(tenant, "k")
		find := func(owner assistants.TenantID, now time.Time) (assistants.IdempotentRequest, error) {
			return s.AnsweredRequest(t.Context(), owner, r.Key, now)
		}
		wantKind(t, "before it is made", errorOf(find(tenant, birth)), assistants.ErrNotFound)
		stored := reserve(t, s, r, birth, true)
		wantKind(t, "before it is answered", errorOf(find(tenant, birth)), assistants.ErrNotFound)
		stored.Status, stored.Body = 200, []byte("{}")
		must(t, s.AnswerRequest(t.Context(), stored))
		if got, err := find(tenant, r.ExpiresAt); err != nil || string(got.Body) != "{}" || got.Status != 200 {
			t.Errorf("answered: %+v, %v", got, err)
		}
		wantKind(t, "of another tenant", errorOf(find(other, birth)), assistants.ErrNotFound)
		wantKind(t, "expired", errorOf(find(tenant, r.ExpiresAt.Add(time.Second))), assistants.ErrNotFound)
	},

	"one in work is not given away before its lease ends": func(t *testing.T, s contract) {
		first := reserve(t, s, newRequest(tenant, "k"), birth, true)
		seen := reserve(t, s, newRequest(tenant, "k"), birth.Add(requestLease-time.Microsecond), false)
		if seen.Status != 0 || !seen.LeaseUntil.Equal(birth.Add(requestLease)) {
			t.Errorf("in work: %+v", seen)
		}
		first, err := s.RenewRequest(t.Context(), first, birth.Add(2*requestLease))
		must(t, err)
		reserve(t, s, newRequest(tenant, "k"), birth.Add(requestLease), false)
		second := reserve(t, s, newRequest(tenant, "k"), birth.Add(2*requestLease), true)
		if second.Attempt != 2 || !reflect.DeepEqual(second.Resources, first.Resources) || !second.CreatedAt.Equal(first.CreatedAt) {
			t.Errorf("the second attempt is %+v, the first was %+v", second, first)
		}
		wantKind(t, "renewing a lost attempt", errorOf(s.RenewRequest(t.Context(), first, birth.Add(time.Hour))), assistants.ErrConflict)
		wantKind(t, "answering a lost attempt", s.AnswerRequest(t.Context(), first), assistants.ErrConflict)
		wantKind(t, "forgetting a lost attempt", s.ForgetRequest(t.Context(), first), assistants.ErrConflict)
		second.Status = 202
		must(t, s.AnswerRequest(t.Context(), second))
	},

	"an attempt given free is the next one's at once": func(t *testing.T, s contract) {
		first := reserve(t, s, newRequest(tenant, "k"), birth, true)
		_, err := s.RenewRequest(t.Context(), first, birth)
		must(t, err)
		if again := reserve(t, s, newRequest(tenant, "k"), birth, true); again.Attempt != 2 || !reflect.DeepEqual(again.Resources, first.Resources) {
			t.Errorf("got %+v", again)
		}
	},

	"another fingerprint never gets a key, in any state": func(t *testing.T, s contract) {
		first := reserve(t, s, newRequest(tenant, "k"), birth, true)
		foreign := newRequest(tenant, "k")
		foreign.Fingerprint = "something else"
		for _, at := range []time.Time{birth, birth.Add(time.Hour)} {
			if got := reserve(t, s, foreign, at, false); got.Fingerprint != first.Fingerprint {
				t.Errorf("got %+v", got)
			}
		}
		must(t, s.ForgetRequest(t.Context(), first))
		reserve(t, s, foreign, birth, true)
	},

	"keys belong to a tenant and differ by every byte": func(t *testing.T, s contract) {
		for _, owner := range []assistants.TenantID{tenant, other} {
			for _, key := range []string{"k", "K", "k ", "ｋ", "k\x00"} {
				reserve(t, s, newRequest(owner, key), birth, true)
			}
		}
		stolen := reserve(t, s, newRequest(other, "mine"), birth, true)
		stolen.TenantID = tenant
		wantKind(t, "renewing another tenant's", errorOf(s.RenewRequest(t.Context(), stolen, birth)), assistants.ErrConflict)
		wantKind(t, "answering another tenant's", s.AnswerRequest(t.Context(), stolen), assistants.ErrConflict)
		wantKind(t, "forgetting another tenant's", s.ForgetRequest(t.Context(), stolen), assistants.ErrConflict)
	},

	"expired requests are ignored and removed": func(t *testing.T, s contract) {
		for i := range 3 {
			r := newRequest(tenant, fmt.Sprint(i))
			r.ExpiresAt = birth.Add(time.Duration(i+1) * time.Hour)
			stored := reserve(t, s, r, birth, true)
			stored.Status = 200
			must(t, s.AnswerRequest(t.Context(), stored))
		}
		again := reserve(t, s, newRequest(tenant, "0"), birth.Add(time.Hour), true)
		if again.Attempt != 1 || again.Status != 0 {
			t.Errorf("an expired request came back: %+v", again)
		}
		if n, err := s.RemoveExpiredRequests(t.Context(), birth.Add(2*time.Hour-time.Microsecond)); n != 0 || err != nil {
			t.Errorf("%d removed before their time, %v", n, err)
		}
		if n, err := s.RemoveExpiredRequests(t.Context(), birth.Add(3*time.Hour)); n != 2 || err != nil {
			t.Errorf("%d removed, %v, want 2", n, err)
		}
	},

	"of concurrent equal requests one is reserved": func(t *testing.T, s contract) {
		for round := range 2 { // the first finds nothing, the second an attempt that was given up
			var mu sync.Mutex
			won := 0
			var wg sync.WaitGroup
			for range 8 {
				wg.Go(func() {
					now := birth.Add(time.Duration(round) * time.Minute)
					r := newRequest(tenant, "k")
					r.LeaseUntil = now.Add(requestLease)
					_, reserved, err := s.ReserveRequest(t.Context(), r, now)
					if err != nil {
						t.Error(err)
					}
					if reserved {
						mu.Lock()
						won++
						mu.Unlock()
					}
				})
			}
			wg.Wait()
			if won != 1 {
				t.Errorf("round %d: %d work", round, won)
			}
		}
	},
}
