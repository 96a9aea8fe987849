package db

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
)

func TestPreparedStatementsAreSharedAndBounded(t *testing.T) {
	s := openFile(t)
	_, d, _ := fill(t, s, "t")
	const limit = 12
	sqlitePool(t, s).limit = limit
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for n := 1; n < 2*limit; n++ { // each length is another statement
				keys := make([]string, n)
				for i := range keys {
					keys[i] = fmt.Sprint("no blob ", i)
				}
				keys[n-1] = d.Version.BlobKey
				unknown, err := s.UnknownBlobs(t.Context(), keys)
				if err != nil || !slices.Equal(unknown, keys[:n-1]) {
					t.Errorf("of %d keys: %q, %v", n, unknown, err)
					return
				}
			}
		})
	}
	wg.Wait()
	sqlitePool(t, s).mu.RLock()
	kept := len(sqlitePool(t, s).statements)
	sqlitePool(t, s).mu.RUnlock()
	// Readers that prepare at the same moment may each add one.
	if kept < limit || kept > limit+8 {
		t.Errorf("%d statements are kept prepared", kept)
	}
}

func TestAStatementThatCannotBePreparedIsNotCached(t *testing.T) {
	s := openFile(t)
	for range 2 {
		rows, err := s.pool.QueryContext(t.Context(), "SELECT nothing FROM nowhere")
		if err == nil {
			err = rows.Close()
			t.Error("it could", err)
		}
	}
	for query := range sqlitePool(t, s).statements {
		if strings.Contains(query, "nowhere") {
			t.Error("it was kept")
		}
	}
}

func sqlitePool(t *testing.T, s *Store) *preparedPool {
	t.Helper()
	p, ok := s.pool.(*preparedPool)
	if !ok {
		t.Fatalf("the pool is a %T", s.pool)
	}
	return p
}

func TestATransactionKeepsTheStatementThatItRepeats(t *testing.T) {
	s := openFile(t)
	conn, err := sqlitePool(t, s).BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	tx, ok := conn.(*repeatingTx)
	if !ok {
		t.Fatalf("the transaction is a %T", conn)
	}
	kept := map[*sql.Stmt]int{}
	for _, name := range []string{"a", "b", "c"} {
		if _, err := tx.ExecContext(t.Context(), "INSERT INTO meta (tenant_id, name, content) VALUES ('t', ?, 'x')", name); err != nil {
			t.Fatal(err)
		}
		kept[tx.stmt]++
	}
	changed, err := tx.ExecContext(t.Context(), "UPDATE meta SET content = 'y' WHERE name IN (?, ?)", "a", "b")
	if err != nil {
		t.Fatal(err)
	}
	kept[tx.stmt]++
	if rows, err := changed.RowsAffected(); err != nil || rows != 2 || len(kept) != 2 {
		t.Errorf("%d rows were changed, %v; prepared: %v", rows, err, kept)
	}
	if _, err := tx.ExecContext(t.Context(), "nonsense"); err == nil || tx.text == "nonsense" {
		t.Errorf("nonsense: %v, kept %q", err, tx.text)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
}
