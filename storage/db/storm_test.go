package db

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"sync"
	"testing"
	"time"

	"footnote/assistants"
)

// migrateEnv turns the test program into one that migrates the database it names.
const migrateEnv = "FOOTNOTE_TEST_DB_MIGRATE"

func migrate(ctx context.Context, url string) ([]string, error) {
	s, err := Open(ctx, url, Options{})
	if err != nil {
		return nil, err
	}
	applied, err := s.Migrate(ctx)
	return applied, errors.Join(err, s.Close())
}

// migrateInChild is the life of the process that migrateEnv asks for.
func migrateInChild(url string) int {
	if _, err := migrate(context.Background(), url); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func TestTwentyStartsAtTheSameTimeMigrateOnce(t *testing.T) {
	const rounds, starts = 20, 20
	for range rounds {
		eachDatabase(t, func(t *testing.T, url string) {
			var mu sync.Mutex
			var applied []string
			var wg sync.WaitGroup
			begin := make(chan struct{})
			for range starts {
				wg.Go(func() {
					<-begin
					names, err := migrate(t.Context(), url)
					if err != nil {
						t.Error(err)
					}
					mu.Lock()
					applied = append(applied, names...)
					mu.Unlock()
				})
			}
			close(begin)
			wg.Wait()
			if want := migrationNames(t, "sqlite"); !slices.Equal(applied, want) {
				t.Errorf("applied %v, want each of %v once", applied, want)
			}
		})
	}
}

// Processes that are killed while they migrate leave nothing half done, and
// do not keep the others from finishing.
func TestStartsThatAreKilledDoNotStopTheOthers(t *testing.T) {
	const rounds, doomed, surviving = 4, 6, 4
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for range rounds {
		eachDatabase(t, func(t *testing.T, url string) {
			var killed []*exec.Cmd
			for range doomed {
				cmd := exec.CommandContext(t.Context(), os.Args[0])
				cmd.Env = append(os.Environ(), migrateEnv+"="+url)
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				killed = append(killed, cmd)
			}
			var wg sync.WaitGroup
			for _, cmd := range killed {
				pause := time.After(time.Duration(random.Int64N(int64(400 * time.Millisecond)))) // any moment of its life
				wg.Go(func() {
					<-pause
					_ = cmd.Process.Kill() // it may have finished
					_ = cmd.Wait()         // killed or not, it is gone
				})
			}
			for range surviving {
				wg.Go(func() {
					if _, err := migrate(t.Context(), url); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			s := openUnmigrated(t, url, Options{})
			states, err := s.MigrationStatus(t.Context())
			if err != nil || slices.ContainsFunc(states, func(m Migration) bool { return m.AppliedAt.IsZero() }) {
				t.Errorf("%+v, %v", states, err)
			}
			modelled(t, s)
		})
	}
}

// oldSchema is the version that the first release had.
const oldSchema = 24

// oldRows are what a user of that release had stored.
var oldRows = []string{
	`INSERT INTO assistants (id, tenant_id, slug, name, collection_id, revision, created_at, updated_at)
	 VALUES ('asst_1', 'default', 'old', 'Old ☃', 'coll_1', 3, '2026-03-29 01:30:00.123456+00:00', '2026-03-29 01:30:00.123456+00:00')`,
	`INSERT INTO assistant_settings (assistant_id, tenant_id, temperature, enable_rag, enable_citations, model)
	 VALUES ('asst_1', 'default', 0.7, true, true, 'm')`,
	`INSERT INTO collections (id, tenant_id, name, revision, created_at) VALUES ('coll_1', 'default', 'Old ☃', 1, '2026-03-29 01:30:00+00:00')`,
	`INSERT INTO documents (id, tenant_id, collection_id, name, status, pages_done, pages_total, chunks_done, labels, tags, live, latest, latest_sha256, revision, created_at, updated_at, ready_at)
	 VALUES ('doc_1', 'default', 'coll_1', 'd.txt', 'ready', 0, 0, 1, '["hr"]', '{"year":"2022"}', 1, 1, 'abc', 5, '2026-03-29 01:30:00+00:00', '2026-03-29 01:31:00+00:00', '2026-03-29 01:31:00+00:00')`,
	`INSERT INTO document_versions (document_id, version, tenant_id, file_name, blob_key, sha256, bytes, content_type, pages, chunks, created_at)
	 VALUES ('doc_1', 1, 'default', 'd.txt', 'default/1', 'abc', 5, 'text/plain', 0, 1, '2026-03-29 01:30:00+00:00')`,
	`INSERT INTO document_texts (document_id, version, tenant_id, body, runes, pages) VALUES ('doc_1', 1, 'default', 'hello', 5, '[]')`,
	`INSERT INTO chunks (id, tenant_id, document_id, version, chunk_index, body, tokens, page, page_end, heading_path, char_start, char_end)
	 VALUES ('chunk_1', 'default', 'doc_1', 1, 0, 'hello', 1, 0, 0, '[]', 0, 5)`,
	`INSERT INTO document_log (document_id, revision, tenant_id, version, status, logged_at) VALUES ('doc_1', 0, 'default', 1, 'pending', '2026-03-29 01:30:00+00:00')`,
	`INSERT INTO api_keys (id, tenant_id, name, prefix, key_hash, scopes, created_at)
	 VALUES ('key_1', 'default', 'k', 'fn-1', '0000000000000000000000000000000000000000000000000000000000000001', '["chat"]', '2026-03-29 01:30:00+00:00')`,
	`INSERT INTO jobs (id, tenant_id, kind, document_id, version, blob_keys, attempt, not_before, revision, created_at)
	 VALUES ('job_1', 'default', 'purge', 'doc_0', 0, '["default/0"]', 1, '2026-03-29 01:30:00+00:00', 2, '2026-03-29 01:30:00+00:00')`,
	`INSERT INTO meta (tenant_id, name, content) VALUES ('default', 'installation', 'x')`,
}

func TestAnOldSchemaWithDataIsMigrated(t *testing.T) {
	eachDatabase(t, func(t *testing.T, url string) {
		s := openUnmigrated(t, url, Options{})
		if _, err := stepper(t, s).UpTo(t.Context(), oldSchema); err != nil {
			t.Fatal(err)
		}
		for _, row := range oldRows {
			if err := s.gorm.Exec(row).Error; err != nil {
				t.Fatalf("%s: %v", row, err)
			}
		}
		if _, err := s.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		modelled(t, s)
		oldDataIsThere(t, s)
	})
}

func oldDataIsThere(t *testing.T, s *Store) {
	t.Helper()
	a, err := s.Assistant(t.Context(), assistants.DefaultTenant, "old")
	if err != nil || a.Name != "Old ☃" || *a.Settings.Temperature != 0.7 || !a.Settings.EnableCitations || *a.Settings.Model != "m" ||
		!a.CreatedAt.Equal(time.Date(2026, 3, 29, 1, 30, 0, 123456000, time.UTC)) {
		t.Errorf("assistant %+v, %v", a, err)
	}
	d, err := s.Document(t.Context(), assistants.DefaultTenant, "doc_1")
	if err != nil || d.Status != assistants.StatusReady || d.Tags["year"] != "2022" || d.ReadyAt == nil {
		t.Errorf("document %+v, %v", d, err)
	}
	hits, err := s.Hits(t.Context(), assistants.DefaultTenant, []assistants.CollectionID{"coll_1"}, []assistants.Match{{ChunkID: "chunk_1", Score: 1}})
	if err != nil || len(hits) != 1 || hits[0].Chunk.Text != "hello" {
		t.Errorf("hits %+v, %v", hits, err)
	}
	if k, err := s.KeyByPrefix(t.Context(), "fn-1"); err != nil || k.Hash[31] != 1 || k.Assistants != nil {
		t.Errorf("key %+v, %v", k, err)
	}
	if j, ok, err := s.ClaimJob(t.Context(), time.Now(), time.Minute); err != nil || !ok || j.ID != "job_1" || j.BlobKeys[0] != "default/0" {
		t.Errorf("job %+v, %v, %v", j, ok, err)
	}
	if log, err := s.DocumentLog(t.Context(), assistants.DefaultTenant, "doc_1"); err != nil || len(log) != 1 {
		t.Errorf("log %+v, %v", log, err)
	}
	if v, err := s.Meta(t.Context(), "installation"); err != nil || v != "x" {
		t.Errorf("meta %q, %v", v, err)
	}
}
