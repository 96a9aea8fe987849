package vector

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"footnote/assistants"
	"footnote/assistants/lexical"
)

// application marks the file as an index of ours ("FNix").
const application = 0x464E6978

// format is the version of the file: of its tables and blobs, and of the rules
// by which terms are made.
const format = 2*1000 + lexical.Version

// schema is the tables: what a document says in words, and its vectors in each
// space, as little-endian float32, one chunk's after the other.
var schema = []string{`
CREATE TABLE documents (
	id         TEXT PRIMARY KEY,
	tenant     TEXT NOT NULL,
	collection TEXT NOT NULL,
	version    INTEGER NOT NULL,
	checksum   INTEGER NOT NULL,
	postings   BLOB NOT NULL
) STRICT`, `
CREATE TABLE vectors (
	document   TEXT NOT NULL,
	model      TEXT NOT NULL,
	dimensions INTEGER NOT NULL,
	version    INTEGER NOT NULL,
	checksum   INTEGER NOT NULL,
	vectors    BLOB NOT NULL,
	PRIMARY KEY (document, model, dimensions)
) STRICT`}

// errForeign reports a file that this program's rules did not write.
var errForeign = errors.New("the file is of another format")

// openFile opens the file and sees to its tables. A commit is not forced to the
// disk at once (synchronous=NORMAL): what a power failure takes away,
// reconciliation puts back.
func openFile(path string) (*sql.DB, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	name := url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(abs), RawQuery: "_pragma=journal_mode(WAL)" +
		"&_pragma=synchronous(NORMAL)&_pragma=busy_timeout(5000)&_txlock=immediate"}
	db, err := sql.Open("sqlite", name.String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // one writer; searches never come here
	if err := prepare(context.Background(), db); err != nil {
		db.Close() //nolint:errcheck // the error that matters is err
		return nil, err
	}
	return db, nil
}

// prepare makes the tables of a new file and checks the marks of an old one.
func prepare(ctx context.Context, db *sql.DB) error {
	var app, version, tables int
	for pragma, into := range map[string]*int{
		"PRAGMA application_id": &app, "PRAGMA user_version": &version, "SELECT count(*) FROM sqlite_schema": &tables,
	} {
		if err := db.QueryRowContext(ctx, pragma).Scan(into); err != nil {
			return err
		}
	}
	if app == application && version == format && tables > 0 {
		return nil
	}
	if app != 0 || version != 0 || tables != 0 {
		return errForeign
	}
	return inTx(ctx, db, func(ctx context.Context, tx *sql.Tx) error {
		for _, statement := range append(slices.Clone(schema),
			fmt.Sprintf("PRAGMA application_id = %d", application),
			fmt.Sprintf("PRAGMA user_version = %d", format),
		) {
			if _, err := tx.ExecContext(ctx, statement); err != nil {
				return err
			}
		}
		return nil
	})
}

// inTx runs fn in a transaction, which an error of it undoes.
func inTx(ctx context.Context, db *sql.DB, fn func(context.Context, *sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // after a commit it has nothing to do
	if err := fn(ctx, tx); err != nil {
		return err
	}
	return tx.Commit()
}

// isDamage reports whether the file itself is at fault, not access to it: only
// then may another take its place.
func isDamage(err error) bool {
	if errors.Is(err, errForeign) {
		return true
	}
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Code() & 0xFF { // the low byte is the kind, the rest says where
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT, sqlite3.SQLITE_ERROR:
		return true // SQLITE_ERROR: a table or column that should be there is not
	}
	return false
}

// moveAside renames the file and what SQLite keeps beside it. One damaged file
// is kept, the newest.
func moveAside(path string) error {
	for _, suffix := range []string{"", "-wal", "-shm"} {
		err := os.Rename(path+suffix, path+".damaged"+suffix)
		if errors.Is(err, fs.ErrNotExist) {
			err = os.Remove(path + ".damaged" + suffix)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// eachRow calls fn for each document; damage tells that its row cannot be used.
func eachRow(ctx context.Context, db *sql.DB, fn func(d document, damage error)) error {
	rows, err := db.QueryContext(ctx, "SELECT id, tenant, collection, version, checksum, postings FROM documents ORDER BY id")
	if err != nil {
		return err
	}
	defer rows.Close() //nolint:errcheck // rows.Err says what there is to say
	for rows.Next() {
		var d document
		var sum int64 // wider than a checksum: a damaged cell may hold anything
		var blob sql.RawBytes
		if err := rows.Scan(&d.id, &d.tenant, &d.collection, &d.version, &sum, &blob); err != nil {
			return fmt.Errorf("%w: %w", errForeign, err) // a cell of another type than we write
		}
		if int64(d.checksum(blob)) != sum {
			fn(d, errDamaged)
			continue
		}
		fn(d, d.decode(blob))
	}
	return rows.Err()
}

// eachVectorRow calls fn for each document's vectors of a space; damage tells
// that the row cannot be used. The vectors are fn's only until it returns.
func eachVectorRow(ctx context.Context, db *sql.DB, fn func(id assistants.DocumentID, v vectors, damage error)) error {
	rows, err := db.QueryContext(ctx, "SELECT document, model, dimensions, version, checksum, vectors FROM vectors ORDER BY document, model, dimensions")
	if err != nil {
		return err
	}
	defer rows.Close() //nolint:errcheck // rows.Err says what there is to say
	for rows.Next() {
		var id assistants.DocumentID
		var v vectors
		var sum int64 // wider than a checksum: a damaged cell may hold anything
		var blob sql.RawBytes
		if err := rows.Scan(&id, &v.space.Model, &v.space.Dimensions, &v.version, &sum, &blob); err != nil {
			return fmt.Errorf("%w: %w", errForeign, err) // a cell of another type than we write
		}
		if int64(v.checksum(id, blob)) != sum {
			fn(id, v, errDamaged)
			continue
		}
		fn(id, v, v.decode(blob))
	}
	return rows.Err()
}

// saveRow puts a document in the place of what there was of it: its vectors
// belonged to another version.
func saveRow(ctx context.Context, tx *sql.Tx, d document) error {
	blob := d.encode()
	if err := (row{document: d.id}).delete(ctx, tx); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO documents (id, tenant, collection, version, checksum, postings) VALUES (?, ?, ?, ?, ?, ?)`,
		string(d.id), string(d.tenant), string(d.collection), d.version, int64(d.checksum(blob)), blob)
	return err
}

func saveVectors(ctx context.Context, tx *sql.Tx, id assistants.DocumentID, v vectors) error {
	blob := v.encode()
	_, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO vectors (document, model, dimensions, version, checksum, vectors) VALUES (?, ?, ?, ?, ?, ?)`,
		string(id), v.space.Model, v.space.Dimensions, v.version, int64(v.checksum(id, blob)), blob)
	return err
}

// A row names what the file has of a document: all of it, or its vectors of a
// space.
type row struct {
	document assistants.DocumentID
	space    assistants.Space // zero: all
}

func (r row) delete(ctx context.Context, tx *sql.Tx) error {
	if !r.space.IsZero() {
		_, err := tx.ExecContext(ctx, "DELETE FROM vectors WHERE document = ? AND model = ? AND dimensions = ?",
			string(r.document), r.space.Model, r.space.Dimensions)
		return err
	}
	for _, statement := range []string{"DELETE FROM documents WHERE id = ?", "DELETE FROM vectors WHERE document = ?"} {
		if _, err := tx.ExecContext(ctx, statement, string(r.document)); err != nil {
			return err
		}
	}
	return nil
}
