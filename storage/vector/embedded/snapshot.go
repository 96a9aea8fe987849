package embedded

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"

	"footnote/assistants"
)

// Snapshot copies the index in the file at path into a new file. Another process may
// be writing it. The error wraps ErrUnavailable.
func Snapshot(ctx context.Context, path, to string) error {
	return withFile(ctx, path, func(db *sql.DB) error {
		_, err := db.ExecContext(ctx, "VACUUM INTO ?", to)
		return err
	})
}

// Prune removes the documents that keep rejects from an index that no process has
// open. Reconciliation indexes them again. The error wraps ErrUnavailable.
func Prune(ctx context.Context, path string, keep func(assistants.DocumentID) bool) error {
	return withFile(ctx, path, func(db *sql.DB) error { return removeDocuments(ctx, db, keep) })
}

// withFile opens an existing file, runs fn and closes the file. Changes that fn makes
// need not survive a power failure.
func withFile(ctx context.Context, path string, fn func(*sql.DB) error) error {
	abs, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	name := url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(abs), RawQuery: "mode=rw&_pragma=busy_timeout(5000)&_pragma=synchronous(OFF)"}
	db, err := sql.Open("sqlite", name.String())
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	err = errors.Join(fn(db), db.Close())
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("index: snapshot: %w", ctx.Err())
	}
	return fmt.Errorf("index: snapshot: %w: %w", assistants.ErrUnavailable, err)
}

func removeDocuments(ctx context.Context, db *sql.DB, keep func(assistants.DocumentID) bool) error {
	rows, err := db.QueryContext(ctx, "SELECT id FROM documents")
	if err != nil {
		return err
	}
	defer rows.Close() //nolint:errcheck // rows.Err reports errors
	var rejected []assistants.DocumentID
	for rows.Next() {
		var id assistants.DocumentID
		if err := rows.Scan(&id); err != nil {
			return err
		}
		if !keep(id) {
			rejected = append(rejected, id)
		}
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return err
	}
	return inTx(ctx, db, func(ctx context.Context, tx *sql.Tx) error {
		for _, id := range rejected {
			if err := documentRow(id).delete(ctx, tx); err != nil {
				return err
			}
		}
		_, err := tx.ExecContext(ctx, "DELETE FROM vectors WHERE document NOT IN (SELECT id FROM documents)")
		return err
	})
}
