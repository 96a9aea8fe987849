package db

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// fillBatch is how many rows one transaction fills in.
const fillBatch = 500

// fillNames fills in what lists are searched by, in rows that were stored
// before there were such columns, or by an older program that still runs.
// SQL has no function for it that knows all letters.
func (s *Store) fillNames(ctx context.Context, pool *sql.DB) error {
	for _, f := range []struct{ find, fill string }{
		{
			"SELECT id, name, '[]', '{}' FROM assistants WHERE name_key = '' AND id > $1 ORDER BY id LIMIT 500",
			"UPDATE assistants SET name_key = $1 WHERE $2 = '' AND id = $3",
		},
		{
			"SELECT id, name, labels, tags FROM documents WHERE name_key = '' AND id > $1 ORDER BY id LIMIT 500",
			"UPDATE documents SET name_key = $1, marks = $2 WHERE id = $3",
		},
	} {
		if s.backend.name == "mysql" {
			numbers := strings.NewReplacer("$1", "?", "$2", "?", "$3", "?") // they are in order
			f.find, f.fill = numbers.Replace(f.find), numbers.Replace(f.fill)
		}
		for last, n := "", fillBatch; n == fillBatch; {
			var err error
			if last, n, err = fillSome(ctx, pool, f.find, f.fill, last); err != nil {
				return err
			}
		}
	}
	return nil
}

// fillSome fills in one batch of rows after an id, and returns the last one and
// their number.
func fillSome(ctx context.Context, pool *sql.DB, find, fill, after string) (last string, n int, err error) {
	tx, err := pool.BeginTx(ctx, nil)
	if err != nil {
		return after, 0, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, tx.Rollback())
		}
	}()
	type row struct{ id, name, marks string }
	var found []row
	rows, err := tx.QueryContext(ctx, find, after)
	if err != nil {
		return after, 0, err
	}
	for rows.Next() {
		var r row
		var labels, tags string
		if err := rows.Scan(&r.id, &r.name, &labels, &tags); err != nil {
			return after, 0, errors.Join(err, rows.Close())
		}
		if r.marks, err = marksOfJSON(labels, tags); err != nil {
			return after, 0, errors.Join(fmt.Errorf("%s: %w", r.id, err), rows.Close())
		}
		found = append(found, r)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return after, 0, err
	}
	last = after
	for _, r := range found {
		if _, err := tx.ExecContext(ctx, fill, nameKey(r.name), r.marks, r.id); err != nil {
			return after, 0, err
		}
		last = r.id
	}
	return last, len(found), tx.Commit()
}

// marksOfJSON is marksOf for the columns labels and tags.
func marksOfJSON(labels, tags string) (string, error) {
	var list []string
	var pairs map[string]string
	err := errors.Join(json.Unmarshal([]byte(labels), &list), json.Unmarshal([]byte(tags), &pairs))
	return marksOf(list, pairs), err
}
