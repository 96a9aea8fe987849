package db

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pressly/goose/v3"

	"footnote/migrations"
)

func sqliteFiles(t *testing.T) fs.FS {
	t.Helper()
	files, err := fs.Sub(migrations.Files, "sqlite")
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestStartsAtTheSameTimeMigrateOnce(t *testing.T) {
	url := "sqlite:" + filepath.Join(t.TempDir(), "footnote.db")
	var mu sync.Mutex
	var applied []string
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			s, err := Open(t.Context(), url, Options{})
			if err != nil {
				t.Error(err)
				return
			}
			names, err := s.Migrate(t.Context())
			if err := errors.Join(err, s.Close()); err != nil {
				t.Error(err)
			}
			mu.Lock()
			applied = append(applied, names...)
			mu.Unlock()
		})
	}
	wg.Wait()
	files, err := fs.Glob(sqliteFiles(t), "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(applied, files) {
		t.Errorf("applied %v, want each of %v once", applied, files)
	}
}

func TestMigratingAgainDoesNothingAndStatusTellsWhatWasDone(t *testing.T) {
	s, err := Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "footnote.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
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
}

func TestAMigrationThatStoppedHalfWayIsResumed(t *testing.T) {
	files, err := fs.Glob(sqliteFiles(t), "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for stop := range len(files) + 1 {
		s, err := Open(t.Context(), "sqlite::memory:", Options{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := s.migrator()
		if err != nil {
			t.Fatal(err)
		}
		if stop > 0 {
			if _, err := p.UpTo(t.Context(), int64(stop)); err != nil {
				t.Fatal(err)
			}
		}
		rest, err := s.Migrate(t.Context())
		if err != nil || len(rest) != len(files)-stop {
			t.Errorf("after %d steps: %d more, %v", stop, len(rest), err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestEveryMigrationCanBeUndone(t *testing.T) {
	s := openTest(t, "sqlite::memory:", Options{})
	p, err := s.migrator()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.DownTo(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	if left := schemaOf(t, s.gorm); len(left) != 0 {
		t.Errorf("left over: %v", left)
	}
	if _, err := s.Migrate(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestASchemaOfANewerProgramIsRefused(t *testing.T) {
	s := openTest(t, "sqlite::memory:", Options{})
	if err := s.gorm.Exec("INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, 1)").Error; err != nil {
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
}

func TestAMigrationWaitsForAnotherUntilItsContextEnds(t *testing.T) {
	url := "sqlite:" + filepath.Join(t.TempDir(), "footnote.db")
	s := openTest(t, url, Options{})
	unlock, err := s.lockMigrations(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	waiting, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := s.lockMigrations(waiting); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a second lock: %v", err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Migrate(t.Context()); err != nil {
		t.Error(err)
	}
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
	kind := regexp.MustCompile(`(?m)^CREATE (UNIQUE )?(TABLE|INDEX) `)
	word := regexp.MustCompile(`(?m)^    ([a-z0-9_]+) |(?:TABLE|INDEX|ON) ([a-z0-9_]+)`)
	files, err := fs.Glob(sqliteFiles(t), "*.sql")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for i, name := range files {
		raw, err := fs.ReadFile(sqliteFiles(t), name)
		if err != nil {
			t.Fatal(err)
		}
		if v, err := goose.NumericComponent(name); err != nil || v != int64(i+1) {
			t.Errorf("%s is number %d, %v", name, i+1, err)
		}
		up, down, ok := strings.Cut(string(raw), "-- +goose Down")
		if !ok || strings.Count(up, ";") != 1 || strings.Count(down, ";") != 1 {
			t.Errorf("%s has not one statement up and one down", name)
		}
		if !kind.MatchString(up) {
			t.Errorf("%s makes no table and no index", name)
		}
		for _, m := range word.FindAllStringSubmatch(up, -1) {
			if used := m[1] + m[2]; slices.Contains(reserved, used) || len(used) > 63 {
				t.Errorf("%s uses %q as a name", name, used)
			}
		}
	}
}
