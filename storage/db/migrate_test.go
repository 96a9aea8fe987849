package db

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/pressly/goose/v3"

	"footnote/assistants"
	"footnote/migrations"
)

func migrationFiles(t *testing.T, kind string) fs.FS {
	t.Helper()
	files, err := fs.Sub(migrations.Files, kind)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func migrationNames(t *testing.T, kind string) []string {
	t.Helper()
	names, err := fs.Glob(migrationFiles(t, kind), "*.sql")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	return names
}

func readMigration(t *testing.T, kind, name string) string {
	t.Helper()
	raw, err := fs.ReadFile(migrationFiles(t, kind), name)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestEveryKindOfDatabaseHasTheSameMigrations(t *testing.T) {
	for _, kind := range []string{"postgres", "mysql", "sqlserver"} {
		if one, other := migrationNames(t, "sqlite"), migrationNames(t, kind); !slices.Equal(one, other) {
			t.Errorf("sqlite has %v\n%s has %v", one, kind, other)
		}
	}
}

func TestMigratingAgainDoesNothingAndStatusListsEveryMigration(t *testing.T) {
	eachDatabase(t, func(t *testing.T, url string) {
		s := openUnmigrated(t, url, Options{})
		before, err := s.MigrationStatus(t.Context())
		if err != nil || len(before) == 0 || !before[0].AppliedAt.IsZero() || before[0].Name != "00001_schema.sql" {
			t.Errorf("before: %+v, %v", before, err)
		}
		first, err := s.Migrate(t.Context())
		if err != nil || len(first) != len(before) {
			t.Errorf("applied %v, %v", first, err)
		}
		if again, err := s.Migrate(t.Context()); err != nil || len(again) != 0 {
			t.Errorf("again: %v, %v", again, err)
		}
		after, err := s.MigrationStatus(t.Context())
		if err != nil || slices.ContainsFunc(after, func(m Migration) bool { return m.AppliedAt.IsZero() }) {
			t.Errorf("after: %+v, %v", after, err)
		}
	})
}

func TestAMigrationThatFailsHalfWayHasNoEffectAndIsAppliedLater(t *testing.T) {
	eachOldDatabase(t, func(t *testing.T, url string) {
		s := openTest(t, url, Options{})
		before := schemaOf(t, s)
		files := fstest.MapFS{}
		for _, known := range migrationNames(t, s.Kind()) {
			content, err := fs.ReadFile(migrations.Files, s.Kind()+"/"+known)
			if err != nil {
				t.Fatal(err)
			}
			files[s.Kind()+"/"+known] = &fstest.MapFile{Data: content}
		}
		name := s.Kind() + "/99999_more.sql" // after all others
		files[name] = &fstest.MapFile{Data: []byte("-- +goose Up\nCREATE TABLE more (id text);\nCREATE TABLE meta (id text);\n")}
		s.migrations = files
		if applied, err := s.Migrate(t.Context()); err == nil || len(applied) != 0 {
			t.Errorf("a table that exists was made: %v, %v", applied, err)
		}
		if got := schemaOf(t, s); !reflect.DeepEqual(got, before) {
			t.Errorf("half a migration was applied: %v", got)
		}
		files[name].Data = []byte("-- +goose Up\nCREATE TABLE more (id text);\nCREATE TABLE even_more (id text);\n")
		if applied, err := s.Migrate(t.Context()); err != nil || len(applied) != 1 {
			t.Errorf("applied %v, %v", applied, err)
		}
		if got := schemaOf(t, s); len(got) != len(before)+2 {
			t.Errorf("tables %v", slices.Sorted(maps.Keys(got)))
		}
	})
}

// openSteps opens the database of an unreleased program: the schema of version 1,
// and a record of steps up to this one, with gaps.
func openSteps(t *testing.T, url string, last int) *Store {
	t.Helper()
	s := openUnmigrated(t, url, Options{})
	pool, err := s.pool.GetDBConn()
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.migrator(pool)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.UpTo(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	for n := 2; n <= last; n++ {
		if n >= 27 && n < 30 {
			continue
		}
		if err := s.gorm.Exec("INSERT INTO goose_db_version (version_id, is_applied) VALUES (?, true)", n).Error; err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func TestADatabaseOfAnUnreleasedProgramIsAdopted(t *testing.T) {
	eachOldDatabase(t, func(t *testing.T, url string) {
		s := openSteps(t, url, lastSingleStep)
		for _, row := range oldRows {
			if err := s.gorm.Exec(row).Error; err != nil {
				t.Fatalf("%s: %v", row, err)
			}
		}
		want := migrationNames(t, s.Kind())
		status, err := s.MigrationStatus(t.Context())
		if err != nil || len(status) != len(want) || status[0].AppliedAt.IsZero() {
			t.Errorf("status before: %+v, %v", status, err)
		}
		if v, err := s.SchemaVersion(t.Context()); err != nil || v != 1 {
			t.Errorf("version before: %d, %v", v, err)
		}
		if applied, err := s.Migrate(t.Context()); err != nil || !slices.Equal(applied, want[1:]) {
			t.Errorf("applied %v, %v", applied, err)
		}
		newest, err := goose.NumericComponent(want[len(want)-1])
		if err != nil {
			t.Fatal(err)
		}
		var left int64
		if err := s.gorm.Raw("SELECT COUNT(*) FROM goose_db_version WHERE version_id > ?", newest).Scan(&left).Error; err != nil || left != 0 {
			t.Errorf("%d steps are still recorded, %v", left, err)
		}
		modelled(t, s)
		oldDataIsThere(t, s)
	})
}

func TestAnIncompleteSchemaOfAnUnreleasedProgramIsRefused(t *testing.T) {
	eachOldDatabase(t, func(t *testing.T, url string) {
		s := openSteps(t, url, 40)
		var incomplete *SchemaError
		if _, err := s.Migrate(t.Context()); !errors.As(err, &incomplete) || !strings.Contains(err.Error(), "step 40 of 53") {
			t.Errorf("got %v", err)
		}
	})
}

func TestNoMigrationHasTheNumberOfAnUnreleasedOne(t *testing.T) {
	names := migrationNames(t, "sqlite")
	if v, err := goose.NumericComponent(names[len(names)-1]); err != nil || v >= lastSingleStep {
		t.Errorf("%d, %v: delete lastSingleStep", v, err)
	}
}

func TestASchemaOfANewerProgramIsRefused(t *testing.T) {
	eachDatabase(t, func(t *testing.T, url string) {
		s := openTest(t, url, Options{})
		if err := s.gorm.Exec("INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)").Error; err != nil {
			t.Fatal(err)
		}
		_, migrateErr := s.Migrate(t.Context())
		_, statusErr := s.MigrationStatus(t.Context())
		for _, err := range []error{migrateErr, statusErr} {
			var newer *SchemaError
			if !errors.As(err, &newer) || newer.Have != 99999 || !strings.Contains(err.Error(), "newer program") {
				t.Errorf("got %v", err)
			}
		}
	})
}

func TestAMigrationWaitsForAnotherUntilItsContextEnds(t *testing.T) {
	eachDatabase(t, func(t *testing.T, url string) {
		s := openTest(t, url, Options{})
		_, release, err := s.backend.lockMigrations(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		waiting, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if _, err := s.Migrate(waiting); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a second migration: %v", err)
		}
		if err := release(); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Migrate(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// reserved are words that at least one of SQLite, PostgreSQL, MySQL, MariaDB
// and SQL Server does not take as a bare name, and that a schema like this one
// might use.
var reserved = strings.Fields(`add all and any as asc authorization backup begin between browse by cascade case check
 column condition constraint contains create cross current current_date current_time current_timestamp current_user
 cursor database default delete desc distinct drop else end except exists external fetch file files foreign from
 full function generated grant group groups having identity if in index inner insert interval into is join key keys
 kill lateral leading left like limit lock match merge minus natural not null of offset on open option or order outer
 over percent plan position precision primary print procedure public range rank read recursive references release
 rename repeat replace require restore restrict return right row row_number rows rule save schema select session_user
 set signal some sql system table text then to top trailing transaction trigger truncate union unique update usage
 use user using value values varying view when where while window with write`)

func TestMigrationsArePortable(t *testing.T) {
	for _, kind := range []string{"sqlite", "postgres", "mysql"} {
		t.Run(kind, func(t *testing.T) { portable(t, kind) })
	}
}

func portable(t *testing.T, database string) {
	t.Helper()
	kind := regexp.MustCompile(`^(CREATE (UNIQUE )?(TABLE|INDEX)|ALTER TABLE [a-z_]+ ADD COLUMN|DROP INDEX) `)
	word := regexp.MustCompile(`(?m)^    ([a-z0-9_]+) |(?:TABLE|INDEX|ON|COLUMN) ([a-z0-9_]+)`)
	comment := regexp.MustCompile(`--.*`)
	last := int64(0)
	for _, name := range migrationNames(t, database) {
		v, err := goose.NumericComponent(name)
		if err != nil || v <= last {
			t.Errorf("%s has number %d after %d, %v", name, v, last, err)
		}
		last = v
		statements := strings.SplitAfter(strings.TrimSpace(comment.ReplaceAllString(readMigration(t, database, name), "")), ";\n")
		for _, statement := range statements {
			if !kind.MatchString(strings.TrimSpace(statement)) {
				t.Errorf("%s: %q makes no table, no index and no column, and drops no index", name, statement)
			}
			for _, m := range word.FindAllStringSubmatch(statement, -1) {
				if used := m[1] + m[2]; slices.Contains(reserved, used) || len(used) > 63 {
					t.Errorf("%s uses %q as a name", name, used)
				}
			}
		}
	}
}

// oldRows are rows as an unreleased program stored them.
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
	if j, ok, err := s.ClaimJob(t.Context(), time.Now(), time.Minute, assistants.JobFilter{}); err != nil || !ok || j.ID != "job_1" || j.BlobKeys[0] != "default/0" {
		t.Errorf("job %+v, %v, %v", j, ok, err)
	}
	if log, err := s.DocumentLog(t.Context(), assistants.DefaultTenant, "doc_1"); err != nil || len(log) != 1 {
		t.Errorf("log %+v, %v", log, err)
	}
	if v, err := s.Meta(t.Context(), "installation"); err != nil || v != "x" {
		t.Errorf("meta %q, %v", v, err)
	}
}
