package db

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"footnote/storage/db/mariadbtest"
	"footnote/storage/db/postgrestest"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(childEnv); path != "" {
		os.Exit(writeUntilKilled(path))
	}
	if url := os.Getenv(migrateEnv); url != "" {
		os.Exit(migrateInChild(url))
	}
	goleak.VerifyTestMain(mariadbtest.Main{M: postgrestest.Main{M: m}})
}

// secretKey is the key for stored secrets of databases that tests open.
var secretKey = bytes.Repeat([]byte{7}, 32)

// openTest opens and migrates a database that is closed when the test ends.
func openTest(t *testing.T, url string, opts Options) *Store {
	t.Helper()
	s := openUnmigrated(t, url, opts)
	if _, err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

func openFile(t *testing.T) *Store {
	t.Helper()
	return openTest(t, "sqlite:"+filepath.Join(t.TempDir(), "footnote.db"), Options{})
}

// postgresURL returns the URL of a fresh database that is migrated already.
func postgresURL(t *testing.T) string {
	t.Helper()
	return postgrestest.Migrated(t, func(ctx context.Context, url string) error {
		_, err := migrate(ctx, url)
		return err
	})
}

// eachDatabase runs a test on an empty database of every kind.
func eachDatabase(t *testing.T, test func(t *testing.T, url string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { test(t, "sqlite:"+filepath.Join(t.TempDir(), "footnote.db")) })
	t.Run("postgres", func(t *testing.T) { test(t, postgrestest.URL(t)) })
	t.Run("mariadb", func(t *testing.T) { test(t, mariadbtest.URL(t)) })
}

// mariadbURL returns the URL of a fresh database that is migrated already.
func mariadbURL(t *testing.T) string {
	t.Helper()
	return mariadbtest.Migrated(t, func(ctx context.Context, url string) error {
		_, err := migrate(ctx, url)
		return err
	})
}

// eachServer runs a test on a migrated database of every kind that several processes
// share.
func eachServer(t *testing.T, test func(t *testing.T, url string)) {
	t.Helper()
	t.Run("postgres", func(t *testing.T) { test(t, postgresURL(t)) })
	t.Run("mariadb", func(t *testing.T) { test(t, mariadbURL(t)) })
}

// eachOldDatabase runs a test on an empty database of every kind that unreleased
// programs knew.
func eachOldDatabase(t *testing.T, test func(t *testing.T, url string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { test(t, "sqlite:"+filepath.Join(t.TempDir(), "footnote.db")) })
	t.Run("postgres", func(t *testing.T) { test(t, postgrestest.URL(t)) })
}

// openUnmigrated opens a database as it is; it is closed when the test ends.
func openUnmigrated(t *testing.T, url string, opts Options) *Store {
	t.Helper()
	if opts.SecretKey == nil {
		opts.SecretKey = secretKey
	}
	s, err := Open(t.Context(), url, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
