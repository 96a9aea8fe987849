package main

import (
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"footnote/storage/db/mariadbtest"
)

// databaseRows are the rows of every table of a database, as text.
type databaseRows map[string][]string

// rowsOf reads a whole database.
func rowsOf(t testing.TB, database string) databaseRows {
	t.Helper()
	var db *sql.DB
	var err error
	tables := "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'"
	path, inFile := strings.CutPrefix(database, "sqlite:")
	switch {
	case inFile:
		db, err = sql.Open("sqlite", "file:"+url.PathEscape(path)+"?mode=ro")
		tables = "SELECT name FROM sqlite_master WHERE type = 'table'"
	case strings.HasPrefix(database, "mysql:"):
		db, tables = mariadbtest.DB(t, database), "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE()"
	default:
		db, err = sql.Open("pgx", database)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	rows := databaseRows{}
	for _, table := range readRows(t, db, tables) {
		rows[table] = readRows(t, db, "SELECT * FROM "+table)
		slices.Sort(rows[table])
	}
	return rows
}

// readRows reads all rows of a query, each as one text.
func readRows(t testing.TB, db *sql.DB, query string) (texts []string) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	columns, err := rows.Columns()
	for err == nil && rows.Next() {
		values, into := make([]sql.NullString, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		err = rows.Scan(into...)
		fields := make([]string, len(columns))
		for i, v := range values {
			fields[i] = columns[i] + "=" + v.String
		}
		if len(columns) == 1 {
			fields[0] = values[0].String
		}
		texts = append(texts, strings.Join(fields, " | "))
	}
	if err = errors.Join(err, rows.Err(), rows.Close()); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return texts
}

// changed tells which rows are new, gone or different, but for the audit log and the
// usage, which have refused requests, too.
func (r databaseRows) changed(now databaseRows) (lines []string) {
	for table := range now {
		if table == "audit_events" || table == "usage_hours" || table == "limit_months" || table == "limit_minutes" {
			continue
		}
		for _, row := range now[table] {
			if !slices.Contains(r[table], row) {
				lines = append(lines, fmt.Sprintf("+ %s: %s", table, row))
			}
		}
		for _, row := range r[table] {
			if !slices.Contains(now[table], row) {
				lines = append(lines, fmt.Sprintf("- %s: %s", table, row))
			}
		}
	}
	return lines
}
