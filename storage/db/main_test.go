package db

import (
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"footnote/assistants"
	"footnote/storage/db/dbtest"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(childEnv); path != "" {
		os.Exit(writeUntilKilled(path))
	}
	goleak.VerifyTestMain(m)
}

// openTest opens and migrates a database that is closed when the test ends.
func openTest(t *testing.T, url string, opts Options) *Store {
	t.Helper()
	s, err := Open(t.Context(), url, opts)
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

func openFile(t *testing.T) *Store {
	t.Helper()
	return openTest(t, "sqlite:"+filepath.Join(t.TempDir(), "footnote.db"), Options{})
}

func TestSQLiteFileKeepsTheContract(t *testing.T) {
	dbtest.Run(t, func(t *testing.T) assistants.Store { return openFile(t) })
}
