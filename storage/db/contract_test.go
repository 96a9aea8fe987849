package db_test

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"path/filepath"
	"testing"

	"footnote/assistants"
	"footnote/storage/db"
	"footnote/storage/db/dbtest"
	"footnote/storage/db/mariadbtest"
	"footnote/storage/db/postgrestest"
)

func TestSQLiteFileKeepsTheContract(t *testing.T) {
	runContract(t, func(t *testing.T) contract {
		return open(t, "sqlite:"+filepath.Join(t.TempDir(), "footnote.db"), db.Options{Logger: dbtest.TenantGuard(t)})
	})
}

// In this run, every change of a document must be reported, too.
func TestSQLiteInMemoryKeepsTheContract(t *testing.T) {
	runContract(t, func(t *testing.T) contract {
		return openFollowed(t, "sqlite::memory:", db.Options{Logger: dbtest.TenantGuard(t)})
	})
}

func TestPostgresKeepsTheContract(t *testing.T) {
	runContract(t, func(t *testing.T) contract {
		return open(t, postgrestest.Migrated(t, migrate), db.Options{Logger: dbtest.TenantGuard(t)})
	})
}

func TestMariaDBKeepsTheContract(t *testing.T) {
	runContract(t, func(t *testing.T) contract {
		return open(t, mariadbtest.Migrated(t, migrate), db.Options{Logger: dbtest.TenantGuard(t)})
	})
}

func TestCachedStoreKeepsTheContract(t *testing.T) {
	runContract(t, func(t *testing.T) contract {
		return cacheFirst{db.NewCached(open(t, "sqlite::memory:", db.Options{}))}
	})
}

// open opens and migrates a database that is closed when the test ends.
func open(t *testing.T, url string, opts db.Options) *db.Store {
	t.Helper()
	opts.SecretKey = bytes.Repeat([]byte{7}, 32)
	s, err := db.Open(t.Context(), url, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

func migrate(ctx context.Context, url string) error {
	s, err := db.Open(ctx, url, db.Options{})
	if err != nil {
		return err
	}
	_, err = s.Migrate(ctx)
	return errors.Join(err, s.Close())
}

// cacheFirst is a store that answers from the cache whenever it can.
type cacheFirst struct{ *db.Cached }

// Assistant reads from the cache.
func (r cacheFirst) Assistant(ctx context.Context, tenant assistants.TenantID, ref string) (assistants.Assistant, error) {
	a, err := r.KnownAssistant(ctx, tenant, ref, assistants.Sight{All: true})
	if err != nil {
		return assistants.Assistant{}, err
	}
	return *a, nil
}

// KeyByPrefix reads from the cache.
func (r cacheFirst) KeyByPrefix(ctx context.Context, prefix string) (assistants.Key, error) {
	return r.KeyFor(ctx, prefix, func(assistants.Key) bool { return true })
}

// Upstream reads from the cache.
func (r cacheFirst) Upstream(ctx context.Context, tenant assistants.TenantID, ref string) (assistants.Upstream, error) {
	return r.KnownUpstream(ctx, tenant, ref)
}

// runContract runs the tests that every database must pass unchanged, in
// parallel. open returns an empty store for one test, which is closed when the
// test ends.
func runContract(t *testing.T, open func(t *testing.T) contract) {
	t.Parallel()
	runContractWithout(t, nil, open)
}

// runContractWithout is runContract without some tests, which are named by group and
// name, with the reason.
func runContractWithout(t *testing.T, without map[string]string, open func(t *testing.T) contract) {
	left := maps.Clone(without)
	for _, part := range []struct {
		name  string
		tests map[string]func(*testing.T, contract)
	}{
		{"assistants", assistantTests},
		{"settings", settingsTests},
		{"collections", collectionTests},
		{"documents", documentTests},
		{"versions", versionTests},
		{"hits", hitTests},
		{"filters", filterTests},
		{"keys", keyTests},
		{"upstreams", upstreamTests},
		{"jobs", jobTests},
		{"idempotency", idempotencyTests},
		{"meta", metaTests},
		{"text", textTests},
		{"methods", methodTests},
		{"attached", attachedTests},
		{"lists", listTests},
		{"shared collections", sharedTests},
		{"audit", auditTests},
		{"evaluation", evaluationTests},
		{"history", historyTests},
		{"moves", moveTests},
		{"files", fileTests},
		{"streams", streamTests},
	} {
		for name := range part.tests {
			delete(left, part.name+"/"+name)
		}
		t.Run(part.name, func(t *testing.T) {
			t.Parallel()
			for name, test := range part.tests {
				if without[part.name+"/"+name] != "" {
					continue
				}
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					test(t, open(t))
				})
			}
		})
	}
	if len(left) > 0 {
		t.Errorf("the contract has no such tests: %v", left)
	}
}
