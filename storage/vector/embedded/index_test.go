package embedded

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"footnote/assistants"
	"footnote/storage/vector/vectortest"
)

func open(t testing.TB, path string) *Index {
	t.Helper()
	x, err := Open(path, Options{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	return x
}

func apply(t testing.TB, x *Index, collection, id string, texts ...string) {
	t.Helper()
	err := x.Apply(context.Background(), vectortest.Doc(collection, id, "name.md"), 1, vectortest.Points(id, 1, texts...))
	if err != nil {
		t.Fatal(err)
	}
}

func found(t testing.TB, x *Index, question string) int {
	t.Helper()
	got, err := x.Search(context.Background(), vectortest.Ask(question, "c1"))
	if err != nil {
		t.Fatal(err)
	}
	return len(got.Matches)
}

func TestEmbeddedKeepsTheContract(t *testing.T) {
	vectortest.Run(t, func(t testing.TB, dir string) vectortest.Index {
		x, err := Open(filepath.Join(dir, "index.db"), Options{Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		return x
	})
}

func TestAnyFileNameWillDo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a b?c#d%41&_pragma=x.db")
	x := open(t, path)
	apply(t, x, "c1", "d1", "apples")
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}

// filled makes an index file with some documents and returns its path.
func filled(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "index.db")
	x := open(t, path)
	for i := range 50 {
		apply(t, x, "c1", fmt.Sprintf("d%02d", i), fmt.Sprintf("apple number%d with words enough to fill pages %d", i, i*i), "another pear")
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestADamagedFileIsMovedAsideAndBegunAnew(t *testing.T) {
	for name, damage := range map[string]func(content []byte) []byte{
		"not a database": func([]byte) []byte {
			return []byte("this is no database, but long enough to look at as one could be ......")
		},
		"header destroyed": func(b []byte) []byte { copy(b, make([]byte, 100)); b[0] = 'x'; return b },
		"cut in a page":    func(b []byte) []byte { return b[:len(b)/2+17] },
		"pages overwritten": func(b []byte) []byte {
			for i := 4096; i < len(b); i++ {
				b[i] = 0xAB
			}
			return b
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filled(t)
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, damage(content), 0o600); err != nil {
				t.Fatal(err)
			}
			x := open(t, path)
			if !x.Recreated() {
				t.Error("the file passes for whole")
			}
			if got, err := x.Versions(context.Background()); err != nil || len(got) != 0 {
				t.Errorf("versions %v, %v", got, err)
			}
			if _, err := os.Stat(path + ".damaged"); err != nil {
				t.Error(err)
			}
			apply(t, x, "c1", "d1", "apples")
			if found(t, x, "apple") != 1 {
				t.Error("the new index does not work")
			}
		})
	}
}

func TestAFileOfOtherRulesIsBegunAnew(t *testing.T) {
	for _, statement := range []string{
		"PRAGMA user_version = 999999", "PRAGMA application_id = 7", "DROP TABLE documents", "ALTER TABLE documents RENAME COLUMN postings TO p",
	} {
		path := filled(t)
		execute(t, path, statement)
		x := open(t, path)
		if !x.Recreated() || found(t, x, "apple") != 0 {
			t.Errorf("%s: the file passes for ours", statement)
		}
	}
}

func execute(t *testing.T, path, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(statement); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestADamagedRowCostsItsDocumentOnly(t *testing.T) {
	for _, statement := range []string{
		"UPDATE documents SET postings = zeroblob(length(postings)) WHERE id = 'd07'",
		"UPDATE documents SET postings = substr(postings, 1, 10) WHERE id = 'd07'",
		"UPDATE documents SET collection = 'c2' WHERE id = 'd07'",
		"UPDATE documents SET version = 2 WHERE id = 'd07'",
		"UPDATE documents SET checksum = -1 WHERE id = 'd07'",
		"UPDATE documents SET postings = (SELECT postings FROM documents WHERE id = 'd08') WHERE id = 'd07'",
		"UPDATE documents SET id = 'd07b' WHERE id = 'd07'",
		"UPDATE documents SET key = 7 WHERE id = 'd07'",
		"INSERT INTO documents SELECT 7, id, tenant, collection, version, checksum, postings FROM documents WHERE id = 'd08'; DELETE FROM documents WHERE id = 'd07'",
	} {
		path := filled(t)
		execute(t, path, statement)
		for range 2 { // the row is gone for good
			x := open(t, path)
			got, err := x.Versions(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			if _, there := got["d07"]; there || len(got) != 49 || x.Recreated() {
				t.Errorf("%s: %d documents", statement, len(got))
			}
			if err := x.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestAFileThatCannotBeReachedIsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{dir, filepath.Join(dir, "missing", "index.db")} {
		if _, err := Open(path, Options{}); !errors.Is(err, assistants.ErrUnavailable) {
			t.Errorf("%v", err)
		}
		if _, err := os.Stat(path + ".damaged"); err == nil {
			t.Errorf("%s was moved aside", path)
		}
	}
}

func TestAFailedWriteChangesNothing(t *testing.T) {
	x := open(t, filepath.Join(t.TempDir(), "index.db"))
	apply(t, x, "c1", "d1", "apples")
	if _, err := x.db.Exec("CREATE TRIGGER full BEFORE INSERT ON documents BEGIN SELECT RAISE(ABORT, 'disk full'); END"); err != nil {
		t.Fatal(err)
	}
	err := x.Apply(context.Background(), vectortest.Doc("c1", "d1", ""), 2, vectortest.Points("d1", 2, "pears"))
	if !errors.Is(err, assistants.ErrUnavailable) {
		t.Errorf("%v", err)
	}
	if found(t, x, "apple") != 1 || found(t, x, "pear") != 0 {
		t.Error("memory is ahead of the file")
	}
}

// The disk is full at any page: what is not stored is not found, what was there
// still is, and when there is space again everything goes on.
func TestAFullDiskChangesNothing(t *testing.T) {
	ctx := context.Background()
	refused := 0
	for pages := 0; ; pages++ {
		path := filepath.Join(t.TempDir(), "index.db")
		x := open(t, path)
		apply(t, x, "c1", "d1", "apples")
		var now int
		if err := x.db.QueryRowContext(ctx, "PRAGMA page_count").Scan(&now); err != nil {
			t.Fatal(err)
		}
		limit := func(n int) {
			t.Helper()
			if _, err := x.db.ExecContext(ctx, fmt.Sprintf("PRAGMA max_page_count = %d", n)); err != nil {
				t.Fatal(err)
			}
		}
		limit(now + pages)
		var words []string
		for n := range 3000 {
			words = append(words, fmt.Sprintf("pear%d", n))
		}
		long := vectortest.Points("d1", 2, strings.Join(words, " "))
		err := x.Apply(ctx, vectortest.Doc("c1", "d1", ""), 2, long)
		if err == nil {
			break
		}
		refused++
		if !errors.Is(err, assistants.ErrUnavailable) {
			t.Errorf("%d pages: %v", pages, err)
		}
		if found(t, x, "apple") != 1 || found(t, x, "pear7") != 0 {
			t.Errorf("%d pages: memory is ahead of the file", pages)
		}
		limit(1 << 20)
		if err := x.Apply(ctx, vectortest.Doc("c1", "d1", ""), 2, long); err != nil {
			t.Errorf("%d pages: with space again: %v", pages, err)
		}
		if found(t, x, "apple") != 0 || found(t, x, "pear7") != 1 {
			t.Errorf("%d pages: with space again the document is not the new one", pages)
		}
		if versions, damage, err := Inspect(ctx, path); err != nil || len(damage) > 0 || versions["d1"].Version != 2 {
			t.Errorf("%d pages: the file has %v, %q, %v", pages, versions, damage, err)
		}
	}
	if refused < 3 {
		t.Errorf("refused only %d times", refused)
	}
}
