package db

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/schema"

	"footnote/assistants"
)

// fillTables puts rows into every table that the schema has, with null in every column
// that may be null.
func fillTables(t *testing.T, s *Store, perTable int) {
	t.Helper()
	tables, err := s.rawTables()
	if err != nil {
		t.Fatal(err)
	}
	found := schemaOf(t, s)
	random := rand.New(rand.NewPCG(1, 2))
	for _, table := range tables {
		columns := found[table.name].Columns
		delete(found, table.name)
		if len(columns) != len(table.columns) {
			t.Fatalf("table %s has %d columns, its model %d", table.name, len(columns), len(table.columns))
		}
		var rows []rawRow
		for n := range perTable {
			row := make(rawRow, len(table.columns))
			for place, name := range table.columns {
				if !columns[name].NotNull && random.IntN(2) == 0 {
					continue
				}
				row[place] = sample(random, table.kinds[place], n, slices.Contains(table.key, place))
			}
			rows = append(rows, row)
		}
		if err := s.write(t.Context(), "fill", func(tx *gorm.DB) error { return table.insert(tx, rows) }); err != nil {
			t.Fatal(err)
		}
	}
	if len(found) != 0 {
		t.Errorf("tables without a model: %v", found)
	}
}

// sample returns a value of a kind. Values of keys differ from row to row, and their
// order is not that in which the rows are made.
func sample(random *rand.Rand, kind schema.DataType, n int, key bool) any {
	switch kind {
	case schema.Bool:
		return random.IntN(2) == 0
	case schema.Int, schema.Uint:
		if key {
			return int64(n % 7)
		}
		return random.Int64N(1<<40) - 1<<39
	case schema.Float:
		return random.Float64()
	case schema.Time:
		at := time.Date(2026, 3, 29, 1, 30, n%60, 0, time.UTC)
		if !key || n%2 == 0 {
			at = at.Add(time.Duration(random.IntN(1e6)) * time.Microsecond)
		}
		return at
	default:
		return fmt.Sprintf("%s-%d", []string{"a", "B", "_", "é", "日本"}[random.IntN(5)], n)
	}
}

// within ends a copy after so many reports of progress, as a kill between two
// transactions does.
func within(t *testing.T, reports int) (context.Context, func(int)) {
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	return ctx, func(int) {
		if reports--; reports == 0 {
			cancel()
		}
	}
}

func TestACopyOfADatabaseHasEveryRowOfEveryTable(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	first := openFile(t)
	fillTables(t, first, 60)
	// A text as it is stored is kept to the byte, and a false where true is the default.
	err := first.gorm.Exec(`UPDATE assistant_settings SET collections = '[ "x" ]', allow_model_override = false`).Error
	if err != nil {
		t.Fatal(err)
	}
	targets := []*Store{openTest(t, postgresURL(t), Options{}), openTest(t, mariadbURL(t), Options{}), openFile(t)}
	total, err := first.CountRows(ctx)
	if err != nil || total != 60*len(models()) {
		t.Fatalf("%d rows, %v", total, err)
	}
	want, err := first.Sums(ctx, func(int) {})
	if err != nil || len(want) != len(models()) {
		t.Fatalf("%d sums, %v", len(want), err)
	}
	from := first
	for _, to := range targets {
		if resumed, err := to.BeginCopy(ctx, "it"); err != nil || resumed {
			t.Fatalf("%v %v", resumed, err)
		}
		interrupted := 0
		for done := false; !done; {
			short, stop := within(t, 4)
			err := from.CopyRows(short, to, stop)
			if done = err == nil; !done {
				interrupted++
			}
			if resumed, begun := to.BeginCopy(ctx, "it"); begun != nil || !resumed || err != nil && !errors.Is(err, context.Canceled) {
				t.Fatalf("%v %v %v", err, resumed, begun)
			}
		}
		if interrupted < 10 {
			t.Errorf("it was interrupted %d times", interrupted)
		}
		if _, err := to.Meta(ctx, MetaCopy); err != nil {
			t.Fatal(err)
		}
		got, err := to.Sums(ctx, func(int) {})
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%v: %v", DifferentTables(want, got), err)
		}
		if err := to.EndCopy(ctx); err != nil {
			t.Fatal(err)
		}
		var stored []struct {
			Collections        string
			AllowModelOverride bool
		}
		if err := to.gorm.Table("assistant_settings").Select("collections, allow_model_override").Scan(&stored).Error; err != nil || len(stored) != 60 {
			t.Fatal(err, len(stored))
		}
		for _, row := range stored {
			if row.Collections != `[ "x" ]` || row.AllowModelOverride {
				t.Fatalf("%+v", row)
			}
		}
		from = to
	}
}

// The next rows are found by conditions that every database can look up in its index.
func TestRowsAfterOneAreFoundByTheKeysColumns(t *testing.T) {
	s := openFile(t)
	tables, err := s.rawTables()
	if err != nil {
		t.Fatal(err)
	}
	statements := map[string]string{}
	for _, table := range tables {
		statements[table.name] = s.gorm.ToSQL(func(tx *gorm.DB) *gorm.DB {
			last := make(rawRow, len(table.columns))
			for n := range last {
				last[n] = n
			}
			return table.after(tx.Table(table.name).Select("1"), last).Find(&[]map[string]any{})
		})
	}
	for table, want := range map[string]string{
		"assistants":        "SELECT 1 FROM `assistants` WHERE `id` > 0",
		"document_versions": "SELECT 1 FROM `document_versions` WHERE `document_id` >= 0 AND (`document_id` > 0 OR (`document_id` = 0 AND `version` > 1))",
	} {
		if statements[table] != want {
			t.Errorf("%s\nwant %s", statements[table], want)
		}
	}
}

// Texts of documents may be long, so memory bounds how many rows are read at once.
func TestLongRowsAreReadAFewAtATime(t *testing.T) {
	t.Parallel()
	s := openFile(t)
	tables, err := s.rawTables()
	if err != nil {
		t.Fatal(err)
	}
	table := tables[slices.IndexFunc(tables, func(t rawTable) bool { return t.name == "document_texts" })]
	long := strings.Repeat("x", rawBytes/2+1)
	for n := range 5 {
		row := textRow{DocumentID: assistants.DocumentID(fmt.Sprint("doc", n)), Version: 1, TenantID: assistants.DefaultTenant, Body: long, Pages: []assistants.Page{}}
		if err := s.gorm.Create(&row).Error; err != nil {
			t.Fatal(err)
		}
	}
	var batches []int
	err = table.each(t.Context(), s, nil, func(rows []rawRow) error {
		batches = append(batches, len(rows))
		return nil
	})
	if err != nil || !slices.Equal(batches, []int{2, 2, 1}) {
		t.Errorf("%v %v", batches, err)
	}
}

func TestSumsTellOneChangedCell(t *testing.T) {
	t.Parallel()
	s := openFile(t)
	fillTables(t, s, 5)
	before, err := s.Sums(t.Context(), func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	for statement, table := range map[string]string{
		"UPDATE chunks SET body = body || ' ' WHERE id = (SELECT min(id) FROM chunks)":                    "chunks",
		"UPDATE usage_hours SET failed = failed + 1 WHERE key_id = (SELECT min(key_id) FROM usage_hours)": "usage_hours",
		"DELETE FROM jobs WHERE id = (SELECT min(id) FROM jobs)":                                          "jobs",
	} {
		if err := s.gorm.Exec(statement).Error; err != nil {
			t.Fatal(err)
		}
		after, err := s.Sums(t.Context(), func(int) {})
		if got := DifferentTables(before, after); err != nil || !slices.Equal(got, []string{table}) {
			t.Errorf("%s: %v %v", statement, got, err)
		}
		before = after
	}
}

func TestACopyGoesIntoAnEmptyDatabaseOnly(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, url string) {
		ctx := t.Context()
		to := openTest(t, url, Options{})
		if _, err := to.BeginCopy(ctx, "it"); err != nil {
			t.Fatal(err)
		}
		if err := to.CopyRows(ctx, to, func(int) {}); err != nil {
			t.Errorf("of nothing: %v", err)
		}
		other, ok := errors.AsType[*CopyOfAnotherError](second(to.BeginCopy(ctx, "another")))
		if !ok || other.Source != "it" {
			t.Errorf("another's: %v", other)
		}
		if err := to.AbandonCopy(ctx, "another"); err == nil {
			t.Error("another's copy was thrown away")
		}
		if err := to.AbandonCopy(ctx, "it"); err != nil {
			t.Error(err)
		}
		if n, err := to.CountRows(ctx); n != 0 || err != nil {
			t.Errorf("%d rows are left, %v", n, err)
		}
		fillTables(t, to, 1)
		if err := to.AbandonCopy(ctx, "it"); err != nil {
			t.Error(err)
		}
		if n, _ := to.CountRows(ctx); n != len(models()) {
			t.Errorf("%d rows are left of a database that is no copy", n)
		}
		if _, ok := errors.AsType[*NotEmptyError](second(to.BeginCopy(ctx, "it"))); !ok {
			t.Error("a copy into a database with rows")
		}
		if err := to.CopyRows(ctx, to, func(int) {}); err == nil {
			t.Error("rows were copied into a database that expects none")
		}
	})
}

func second[T any](_ T, err error) error { return err }

func TestAReadOnlyDatabaseIsNotWritten(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, url string) {
		ctx := t.Context()
		s := openTest(t, url, Options{})
		fillTables(t, s, 3)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		s = openUnmigrated(t, url, Options{ReadOnly: true})
		if _, err := s.SetMetaOnce(ctx, "a", "b"); err == nil {
			t.Error("it was written")
		}
		if n, err := s.CountRows(ctx); err != nil || n != 3*len(models()) {
			t.Errorf("%d rows, %v", n, err)
		}
		if steps, err := s.MigrationStatus(ctx); err != nil || steps[0].AppliedAt.IsZero() {
			t.Errorf("%+v %v", steps, err)
		}
	})
	path := filepath.Join(t.TempDir(), "absent.db")
	if _, err := Open(t.Context(), "sqlite:"+path, Options{ReadOnly: true}); err == nil || strings.Contains(err.Error(), "panic") {
		t.Errorf("a file that is not there: %v", err)
	}
	if made, err := filepath.Glob(path + "*"); err != nil || len(made) > 0 {
		t.Errorf("%v %v", made, err)
	}
}
