package db

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"footnote/assistants"
)

func TestUnknownDatabasesAreRefusedWithoutRepeatingTheirPassword(t *testing.T) {
	for url, says := range map[string]string{
		"mssql://u:secret@h/d":                         `"mssql"`,
		"mysql://u:secret@h/d?multiStatements=secret":  "mysql://",
		"mysql://u:secret@h/d?tls=secret":              "mysql://",
		"mysql://u:secret@h/d?pool_max_conns=secret":   "mysql://",
		"mysql://u:secret@h/":                          "mysql://",
		"mysql://u:secret%zz@h/d":                      "mysql://",
		"mysql://h/d":                                  "mysql://",
		"mysql://u:pw:S@secret/20@h/d":                 "special characters of the password percent-encoded",
		"mysql://u:12/secret@h/d":                      "special characters of the password percent-encoded",
		"postgres://u:pw:S@secret/20@h/d":              "special characters of the password percent-encoded",
		"postgres://u:12?secret@h/d":                   "special characters of the password percent-encoded",
		"postgres://u:12#secret@h/d":                   "special characters of the password percent-encoded",
		"sqlserver://u:pw:S@secret/20@h/d":             "special characters of the password percent-encoded",
		"postgres://u:secret@h/d?sslmode=secret":       "postgres://",
		"postgres://u:secret%zz@h/d":                   "postgres://",
		"postgresql://u:secret@h/d?pool_max_conns=few": "postgres://",
		"postgres://u:secret@h:port/d":                 "postgres://",
		"/just/a/path":                                 "no scheme",
		"sqlite:":                                      "needs the path",
		"":                                             "no scheme",
	} {
		_, err := Open(t.Context(), url, Options{})
		var field *assistants.FieldError
		if !errors.As(err, &field) || field.Field != "database_url" || !strings.Contains(err.Error(), says) ||
			strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", url, err)
		}
	}
}

func TestAFileIsPrivateAndMayHaveAnyName(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a b?c%41#d&e.db")
	s := openTest(t, "sqlite:"+path, Options{})
	if _, err := s.SetMetaOnce(t.Context(), "k", "v"); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil && strings.HasPrefix(name, path) && info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %o", d.Name(), info.Mode().Perm())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() == 0 {
		t.Errorf("the database is not where it was asked for: %v, %v", info, err)
	}
}

func TestCommitsAreSyncedAndForeignKeysOnEveryConnection(t *testing.T) {
	s := openFile(t)
	for range sqliteReaders {
		conn, err := sqlitePool(t, s).Conn(t.Context()) // held, so that each turn gets another one
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := conn.Close(); err != nil {
				t.Error(err)
			}
		}()
		for pragma, want := range map[string]string{"synchronous": "2", "journal_mode": "wal", "foreign_keys": "1", "busy_timeout": "5000"} {
			var got string
			if err := conn.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&got); err != nil || got != want {
				t.Errorf("%s is %s, %v, want %s", pragma, got, err, want)
			}
		}
	}
}

func TestALockedDatabaseIsUnavailableForWritingAndStillRead(t *testing.T) {
	url := "sqlite:" + filepath.Join(t.TempDir(), "footnote.db")
	s := openTest(t, url, Options{BusyTimeout: time.Millisecond})
	elsewhere := openTest(t, url, Options{})
	tx, err := sqlitePool(t, elsewhere).DB.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.SetMetaOnce(t.Context(), "k", "v")
	if !errors.Is(err, assistants.ErrUnavailable) {
		t.Errorf("writing: %v", err)
	}
	if _, err := s.Meta(t.Context(), "k"); err != nil {
		t.Errorf("reading: %v", err)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.SetMetaOnce(t.Context(), "k", "v"); err != nil {
		t.Errorf("writing afterwards: %v", err)
	}
}

func TestAWriteThatWaitsTooLongForOthersIsUnavailable(t *testing.T) {
	s := openTest(t, "sqlite::memory:", Options{BusyTimeout: time.Millisecond})
	s.writing <- struct{}{}
	_, err := s.SetMetaOnce(t.Context(), "k", "v")
	if !errors.Is(err, assistants.ErrUnavailable) {
		t.Errorf("got %v", err)
	}
	<-s.writing
	if _, err := s.SetMetaOnce(t.Context(), "k", "v"); err != nil {
		t.Error(err)
	}
}

func TestAFileThatCannotBeOpenedIsUnavailable(t *testing.T) {
	dir := t.TempDir()
	garbage := filepath.Join(dir, "garbage.db")
	if err := os.WriteFile(garbage, []byte(strings.Repeat("no database ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(dir, "absent", "x.db"), dir, garbage} {
		s, err := Open(t.Context(), "sqlite:"+path, Options{})
		if err == nil {
			_, err = s.Migrate(t.Context())
			err = errors.Join(err, s.Close())
		}
		if !errors.Is(err, assistants.ErrUnavailable) {
			t.Errorf("%s: %v", filepath.Base(path), err)
		}
	}
}

func TestADamagedPageIsUnavailableAndNoCrash(t *testing.T) {
	path := filepath.Join(t.TempDir(), "footnote.db")
	s := openTest(t, "sqlite:"+path, Options{})
	if _, err := s.SetMetaOnce(t.Context(), "k", "v"); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil { // brings the log into the file
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := 200; i < len(raw); i++ {
		raw[i] = 0xaa
	}
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err = Open(t.Context(), "sqlite:"+path, Options{})
	if err == nil {
		_, err = s.Meta(t.Context(), "k")
		err = errors.Join(err, s.Close())
	}
	if !errors.Is(err, assistants.ErrUnavailable) {
		t.Errorf("got %v", err)
	}
}

func TestTheLogShowsStatementsWithoutParameters(t *testing.T) {
	var log bytes.Buffer
	s := openTest(t, "sqlite::memory:", Options{Logger: slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	k := assistants.Key{ID: assistants.NewKeyID(), TenantID: "t", Name: "private name", Prefix: "fn-private"}
	for _, want := range []error{nil, assistants.ErrConflict} {
		if err := s.CreateKey(t.Context(), k); !errors.Is(err, want) {
			t.Fatal(err)
		}
	}
	if got := log.String(); !strings.Contains(got, "INSERT INTO") || strings.Contains(got, "private") {
		t.Errorf("logged %s", got)
	}
}

// TestRowsThatAreNamedAreFoundByTheirIDs: a query with ids must not read all rows of a
// tenant, of which there may be a hundred thousand.
func TestRowsThatAreNamedAreFoundByTheirIDs(t *testing.T) {
	var log bytes.Buffer
	s := openTest(t, "sqlite::memory:", Options{Logger: slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	const tenant = assistants.TenantID("t")
	ids := make([]assistants.DocumentID, 20)
	for i := range ids {
		ids[i] = assistants.NewDocumentID()
	}
	asked := func(t *testing.T, ask func(ctx context.Context) error) string {
		t.Helper()
		log.Reset()
		if err := ask(t.Context()); err != nil {
			t.Fatal(err)
		}
		var line struct{ SQL string }
		if err := json.NewDecoder(&log).Decode(&line); err != nil || !strings.Contains(line.SQL, " IN (") {
			t.Fatal(line.SQL, err)
		}
		return line.SQL
	}
	for name, ask := range map[string]func(ctx context.Context) error{
		"existing":  func(ctx context.Context) error { _, err := s.ExistingDocuments(ctx, tenant, ids); return err },
		"documents": func(ctx context.Context) error { _, err := s.DocumentsByID(ctx, tenant, ids); return err },
		"revised":   func(ctx context.Context) error { _, err := s.revisedDocuments(ctx, tenant, ids); return err },
		"revisions": func(ctx context.Context) error { _, err := s.revisionsIn(tenant)(ctx, ids); return err },
		"collections": func(ctx context.Context) error {
			_, err := s.Collections(ctx, tenant, []assistants.CollectionID{"a", "b", "c", "d", "e"})
			return err
		},
		"runs": func(ctx context.Context) error {
			return deleteRuns(s.gorm.WithContext(ctx), tenant, []assistants.RunID{"a", "b", "c", "d", "e"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			statement := asked(t, ask)
			var steps []struct{ Detail string }
			if err := s.gorm.Raw("EXPLAIN QUERY PLAN "+statement, slices.Repeat([]any{"x"}, strings.Count(statement, "?"))...).Scan(&steps).Error; err != nil {
				t.Fatal(err)
			}
			found := false
			for _, step := range steps {
				found = found || strings.Contains(step.Detail, "autoindex") && strings.Contains(step.Detail, "(id=?)")
				if strings.Contains(step.Detail, "tenant_id=?") || strings.HasPrefix(step.Detail, "SCAN") {
					t.Errorf("%s\nfor %s", step.Detail, statement)
				}
			}
			if !found {
				t.Errorf("%v\nfor %s", steps, statement)
			}
		})
	}
}

// Opening and closing a file releases the locks that this process has on it, so
// an existing file must not be opened. (Opening a folder for writing is an
// error.)
func TestAnExistingFileIsNotOpenedToCreateIt(t *testing.T) {
	dir := t.TempDir()
	if err := makePrivate(dir); err != nil {
		t.Error(err)
	}
	if err := makePrivate(filepath.Join(dir, "new")); err != nil {
		t.Error(err)
	}
	info, err := os.Stat(filepath.Join(dir, "new"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

// TestRemovedAnswersAreNotReadableInTheFiles reads the files while the database is open,
// also after a removal beside a reader that kept the log from being emptied.
func TestRemovedAnswersAreNotReadableInTheFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "footnote.db")
	s := openTest(t, "sqlite:"+path, Options{})
	a := assistants.Assistant{ID: "asst_a", TenantID: assistants.DefaultTenant, Slug: "a", Name: "a", CollectionID: "coll_a", Settings: assistants.DefaultSettings()}
	if err := s.CreateAssistant(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	readable := func() bool {
		t.Helper()
		for _, name := range []string{path, path + "-wal"} {
			raw, err := os.ReadFile(name) //nolint:gosec // of the test
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(raw, []byte("a-secret-of-the-user")) {
				return true
			}
		}
		return false
	}
	born := time.Now().AddDate(-30, 0, 0)
	var id assistants.AnswerID
	add := func() {
		t.Helper()
		id = assistants.NewAnswerID()
		err := s.SaveAnswers(t.Context(), []assistants.Answer{{ID: id, TenantID: a.TenantID, Assistant: a.ID, Thread: "t", CreatedAt: born,
			RequestID: "r", Model: "m", Question: "a-secret-of-the-user", Text: "a-secret-of-the-user", Outcome: assistants.AnswerComplete}})
		if err != nil || !readable() {
			t.Fatalf("before the removal: %v", err)
		}
	}
	removeOne := func() error { return s.RemoveAnswer(t.Context(), a.TenantID, id) }
	sweep := func() error { return s.RemoveOldAnswers(t.Context(), time.Now()) }
	for name, remove := range map[string]func() error{
		"one": removeOne, "too old": sweep,
		"many": func() error {
			_, err := s.RemoveAnswers(t.Context(), a.TenantID, a.ID, assistants.AnswerQuery{Thread: "t"})
			return err
		},
	} {
		add()
		if err := remove(); err != nil || readable() {
			t.Errorf("%s: %v, readable %v", name, err, readable())
		}
	}

	add()
	rows, err := sqlitePool(t, s).QueryContext(t.Context(), "SELECT name FROM sqlite_schema") //nolint:sqlclosecheck // below
	if err != nil || !rows.Next() {
		t.Fatal(err)
	}
	if err := removeOne(); err != nil || !readable() {
		t.Errorf("beside a reader: %v, readable %v", err, readable())
	}
	if err := errors.Join(rows.Close(), rows.Err()); err != nil {
		t.Fatal(err)
	}
	if err := sweep(); err != nil || readable() {
		t.Errorf("at the next sweep: %v, readable %v", err, readable())
	}
}
