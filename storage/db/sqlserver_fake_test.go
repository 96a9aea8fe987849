package db

import (
	"context"
	"database/sql"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gorm.io/gorm"
)

// OpenAsSQLServer opens a database that is written to in the language of SQL Server, and
// that SQLite answers. There is no SQL Server to be had for tests; this shows that the
// program sends what it means, and record gets all of it. What SQL Server makes of it
// remains untested.
func OpenAsSQLServer(t *testing.T, opts Options, record func(statement string, parameters int)) *Store {
	t.Helper()
	s := openTest(t, "sqlite::memory:", opts)
	conn := translatingPool{s.backend.pool.(*preparedPool), translator{t, record}} //nolint:forcetypeassert // it is SQLite's
	spoken, err := gorm.Open(answeredBySQLite{newSQLServerDialector(conn)}, s.gorm.Config)
	if err != nil {
		t.Fatal(err)
	}
	s.gorm, s.backend.dialect = spoken, dialects["sqlserver"]
	return s
}

// answeredBySQLite knows the errors of SQLite.
type answeredBySQLite struct{ sqlserverDialector }

// Translate implements gorm.ErrorTranslator.
func (answeredBySQLite) Translate(err error) error { return dialector{}.Translate(err) }

// A translator turns statements for SQL Server, as this package writes them, into those
// of SQLite.
type translator struct {
	t      *testing.T
	record func(statement string, parameters int)
}

var (
	mergeStatement = regexp.MustCompile(`(?s)^MERGE INTO (\S+) WITH \(HOLDLOCK\) USING \((VALUES .*)\) AS "?excluded"? (\([^)]*\))\s+ON (.*?)(?:\s+WHEN MATCHED THEN UPDATE SET (.*))?\s+WHEN NOT MATCHED THEN INSERT .*;$`)
	mergeKey       = regexp.MustCompile(`"?\w+"?\."?(\w+)"? = "?excluded"?\."?\w+"?`)
	fetchNext      = regexp.MustCompile(`OFFSET 0 ROWS FETCH NEXT (\d+) ROWS ONLY`)
	charIndex      = regexp.MustCompile(`CHARINDEX\((@p\d+), ([^)]+)\)`)
	parameter      = regexp.MustCompile(`@p(\d+)`)
)

// toSQLite translates a statement and puts its arguments into the order of their use.
func (tr translator) toSQLite(query string, args []any) (string, []any) {
	tr.record(query, len(args))
	query = fetchNext.ReplaceAllString(query, "LIMIT $1")
	query = charIndex.ReplaceAllString(query, "instr($2, $1)")
	query = strings.ReplaceAll(query, "DATALENGTH(", "octet_length(")
	if m := mergeStatement.FindStringSubmatch(query); m != nil {
		var key []string
		for _, column := range mergeKey.FindAllStringSubmatch(m[4], -1) {
			key = append(key, column[1])
		}
		tr.refuseTwins(m[2], m[3], key, args)
		then := "NOTHING"
		if m[5] != "" {
			then = "UPDATE SET " + strings.ReplaceAll(m[5], "SYSDATETIMEOFFSET()", "excluded.told_at")
		}
		query = fmt.Sprintf("INSERT INTO %s %s %s ON CONFLICT (%s) DO %s", m[1], m[3], m[2], strings.Join(key, ","), then)
	}
	// The clock of the server is the one that the row was written with.
	query = strings.ReplaceAll(query, "SYSDATETIMEOFFSET() AS told_at", "told_at")
	var used []any
	query = parameter.ReplaceAllStringFunc(query, func(name string) string {
		n, err := strconv.Atoi(name[2:])
		if err != nil || n > len(args) {
			tr.t.Errorf("%s of %d parameters in %s", name, len(args), query)
			return "NULL"
		}
		used = append(used, args[n-1])
		return "?"
	})
	return query, used
}

// refuseTwins fails the test if a MERGE has two rows with the same key, which is an
// error on SQL Server.
func (tr translator) refuseTwins(values, columns string, key []string, args []any) {
	names := strings.Split(strings.NewReplacer(`"`, "", "(", "", ")", "").Replace(columns), ",")
	rows := map[string]bool{}
	for row := range strings.SplitSeq(strings.TrimPrefix(values, "VALUES "), "),(") {
		cells := strings.Split(strings.Trim(row, "()"), ",")
		var id strings.Builder
		for _, name := range key {
			for i, n := range names {
				if n == name && i < len(cells) {
					number, err := strconv.Atoi(strings.TrimPrefix(strings.TrimSpace(cells[i]), "@p"))
					if err != nil {
						tr.t.Errorf("the key %s is no parameter: %s", name, row)
						return
					}
					fmt.Fprintf(&id, "%v\n", args[number-1])
				}
			}
		}
		if rows[id.String()] {
			tr.t.Errorf("a MERGE has two rows with the key %q", id.String())
		}
		rows[id.String()] = true
	}
}

// A translatingPool sends translated statements to a pool.
type translatingPool struct {
	*preparedPool
	tr translator
}

// ExecContext implements gorm.ConnPool.
func (p translatingPool) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	query, args = p.tr.toSQLite(query, args)
	return p.preparedPool.ExecContext(ctx, query, args...)
}

// QueryContext implements gorm.ConnPool.
func (p translatingPool) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	query, args = p.tr.toSQLite(query, args)
	return p.preparedPool.QueryContext(ctx, query, args...)
}

// QueryRowContext implements gorm.ConnPool.
func (p translatingPool) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	query, args = p.tr.toSQLite(query, args)
	return p.preparedPool.QueryRowContext(ctx, query, args...)
}

// BeginTx implements gorm.ConnPoolBeginner.
func (p translatingPool) BeginTx(ctx context.Context, opts *sql.TxOptions) (gorm.ConnPool, error) {
	tx, err := p.DB.BeginTx(ctx, opts)
	if err != nil {
		return nil, err
	}
	return &translatingTx{tx, p.tr}, nil
}

// A translatingTx is a translatingPool for a transaction.
type translatingTx struct {
	*sql.Tx
	tr translator
}

// ExecContext implements gorm.ConnPool.
func (tx *translatingTx) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	query, args = tx.tr.toSQLite(query, args)
	return tx.Tx.ExecContext(ctx, query, args...)
}

// QueryContext implements gorm.ConnPool.
func (tx *translatingTx) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	query, args = tx.tr.toSQLite(query, args)
	return tx.Tx.QueryContext(ctx, query, args...)
}

// QueryRowContext implements gorm.ConnPool.
func (tx *translatingTx) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	query, args = tx.tr.toSQLite(query, args)
	return tx.Tx.QueryRowContext(ctx, query, args...)
}
