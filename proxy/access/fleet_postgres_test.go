package access

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"footnote/assistants"
	"footnote/storage/db"
	"footnote/storage/db/postgrestest"
)

// openInstance returns Limits and the store of one instance. It works in the
// background, as in a server.
func openInstance(t *testing.T, url string) *Limits {
	t.Helper()
	store, err := db.Open(t.Context(), url, db.Options{SecretKey: bytes.Repeat([]byte{7}, 32)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	l := NewLimits(LimitsConfig{Months: store, Shared: store})
	t.Cleanup(func() {
		if err := errors.Join(l.Close(), store.Close()); err != nil {
			t.Error(err)
		}
	})
	return l
}

// TestThreeInstancesOnOnePostgresShareLimits asks three instances at once for three
// times what is allowed. It takes much less than a minute, so that all of it counts.
func TestThreeInstancesOnOnePostgresShareLimits(t *testing.T) {
	url := postgrestest.URL(t)
	shareLimits(t, []*Limits{openInstance(t, url), openInstance(t, url), openInstance(t, url)})
}

// TestAFileCanShareLimitsToo keeps the store's promise where no server is at hand.
func TestAFileCanShareLimitsToo(t *testing.T) {
	url := "sqlite:" + filepath.Join(t.TempDir(), "footnote.db")
	one := openInstance(t, url)
	two := NewLimits(LimitsConfig{Months: one.cfg.Months, Shared: one.cfg.Shared})
	t.Cleanup(func() {
		if err := two.Close(); err != nil {
			t.Error(err)
		}
	})
	shareLimits(t, []*Limits{one, two})
}

func shareLimits(t *testing.T, list []*Limits) {
	t.Helper()
	ask := Ask{Kind: Chat, Tokens: func() int { return 1 }}
	a := &assistants.Assistant{ID: "asst_a", TenantID: "default"}
	a.Settings.RequestsPerMinute = n(100_000)
	var all sync.WaitGroup
	for name, limit := range map[string]int{"few": 5, "some": 30, "many": 400} {
		p := with(name, assistants.Limits{RequestsPerMinute: n(limit), TokensPerMinute: n(100_000), ConcurrentStreams: n(1000)})
		all.Go(func() {
			var admitted atomic.Int64
			var clients sync.WaitGroup
			for _, l := range list {
				for range 4 {
					clients.Go(func() {
						for range limit {
							pass, err := l.Admit(context.Background(), p, a, ask)
							if err == nil {
								admitted.Add(1)
							} else if _, ok := errors.AsType[*assistants.LimitError](err); !ok {
								t.Error(err)
							}
							pass.Release(1)
						}
					})
				}
			}
			clients.Wait()
			got := int(admitted.Load())
			t.Logf("%d instances admitted %d, the limit is %d", len(list), got, limit)
			if got < limit || 10*got > 11*limit {
				t.Errorf("%d instances admitted %d, the limit is %d", len(list), got, limit)
			}
		})
	}
	all.Wait()
	for i, l := range list {
		l.mu.Lock()
		begun, failed := l.fleet.begun, l.fleet.failed
		l.mu.Unlock()
		if failed != nil || begun == 0 {
			t.Errorf("instance %d could not share in %d exchanges", i, begun)
		}
		t.Logf("instance %d: %d exchanges", i, begun)
	}
}
