package db

import (
	"context"
	"errors"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pressly/goose/v3"

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

// stepper returns what applies migrations one by one.
func stepper(t *testing.T, s *Store) *goose.Provider {
	t.Helper()
	db, err := s.pool.GetDBConn()
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.migrator(db)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestEveryKindOfDatabaseHasTheSameMigrations(t *testing.T) {
	if one, other := migrationNames(t, "sqlite"), migrationNames(t, "postgres"); !slices.Equal(one, other) {
		t.Errorf("sqlite has %v\npostgres has %v", one, other)
	}
}

func TestMigratingAgainDoesNothingAndStatusTellsWhatWasDone(t *testing.T) {
	eachDatabase(t, func(t *testing.T, url string) {
		s := openUnmigrated(t, url, Options{})
		before, err := s.MigrationStatus(t.Context())
		if err != nil || len(before) == 0 || !before[0].AppliedAt.IsZero() || before[0].Name != "00001_assistants.sql" {
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

func TestAMigrationThatStoppedHalfWayIsResumed(t *testing.T) {
	eachDatabase(t, func(t *testing.T, url string) {
		s := openUnmigrated(t, url, Options{})
		names := migrationNames(t, s.Kind())
		p := stepper(t, s)
		for stop := range len(names) + 1 {
			if _, err := p.DownTo(t.Context(), 0); err != nil {
				t.Fatal(err)
			}
			for range stop {
				if _, err := p.UpByOne(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			rest, err := s.Migrate(t.Context())
			if err != nil || len(rest) != len(names)-stop {
				t.Errorf("after %d steps: %d more, %v", stop, len(rest), err)
			}
		}
	})
}

func TestEveryMigrationCanBeUndone(t *testing.T) {
	eachDatabase(t, func(t *testing.T, url string) {
		s := openTest(t, url, Options{})
		if _, err := stepper(t, s).DownTo(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
		if left := schemaOf(t, s); len(left) != 0 {
			t.Errorf("left over: %v", left)
		}
		if _, err := s.Migrate(t.Context()); err != nil {
			t.Error(err)
		}
	})
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
		_, release, err := s.backend.takeMigrations(t.Context())
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
// and SQL Server does not take as a bare name, and that a schema like ours may
// be tempted to use.
var reserved = strings.Fields(`add all and any as asc authorization backup begin between browse by cascade case check
 column condition constraint contains create cross current current_date current_time current_timestamp current_user
 cursor database default delete desc distinct drop else end except exists external fetch file files foreign from
 full function generated grant group groups having identity if in index inner insert interval into is join key keys
 kill lateral leading left like limit lock match merge minus natural not null of offset on open option or order outer
 over percent plan position precision primary print procedure public range rank read recursive references release
 rename repeat replace require restore restrict return right row row_number rows rule save schema select session_user
 set signal some sql system table text then to top trailing transaction trigger truncate union unique update usage
 use user using value values varying view when where while window with write`)

func TestMigrationsAreOnePortableStatementEach(t *testing.T) {
	for _, kind := range []string{"sqlite", "postgres"} {
		t.Run(kind, func(t *testing.T) { portable(t, kind) })
	}
}

func portable(t *testing.T, database string) {
	t.Helper()
	kind := regexp.MustCompile(`(?m)^(CREATE (UNIQUE )?(TABLE|INDEX)|ALTER TABLE [a-z_]+ ADD COLUMN) `)
	word := regexp.MustCompile(`(?m)^    ([a-z0-9_]+) |(?:TABLE|INDEX|ON|COLUMN) ([a-z0-9_]+)`)
	last := int64(0)
	for _, name := range migrationNames(t, database) {
		raw, err := fs.ReadFile(migrationFiles(t, database), name)
		if err != nil {
			t.Fatal(err)
		}
		v, err := goose.NumericComponent(name)
		if err != nil || v <= last {
			t.Errorf("%s has number %d after %d, %v", name, v, last, err)
		}
		last = v
		up, down, ok := strings.Cut(string(raw), "-- +goose Down")
		if !ok || strings.Count(up, ";") != 1 || strings.Count(down, ";") != 1 {
			t.Errorf("%s has not one statement up and one down", name)
		}
		if !kind.MatchString(up) {
			t.Errorf("%s makes no table, no index and no column", name)
		}
		for _, m := range word.FindAllStringSubmatch(up, -1) {
			if used := m[1] + m[2]; slices.Contains(reserved, used) || len(used) > 63 {
				t.Errorf("%s uses %q as a name", name, used)
			}
		}
	}
}
