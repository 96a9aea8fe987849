package embedded

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"footnote/assistants"
	"footnote/assistants/lexical"
	"footnote/storage/vector"
)

// application marks the file as an index of Footnote ("FNix").
const application = 0x464E6978

// format is the version of the file: of its tables and blobs, and of the rules
// by which terms are made.
const format = 3*1000 + lexical.Version

// schema is the tables: the terms of each document, and its vectors in each space as
// little-endian float32, chunk after chunk. Keys are hashes of the names, so no SQL
// index is needed, and every page in use is read and checked when the file is
// opened.
var schema = []string{`
CREATE TABLE documents (
	key        INTEGER PRIMARY KEY,
	id         TEXT NOT NULL,
	tenant     TEXT NOT NULL,
	collection TEXT NOT NULL,
	version    INTEGER NOT NULL,
	checksum   INTEGER NOT NULL,
	postings   BLOB NOT NULL
) STRICT`, `
CREATE TABLE vectors (
	key        INTEGER PRIMARY KEY,
	document   TEXT NOT NULL,
	model      TEXT NOT NULL,
	dimensions INTEGER NOT NULL,
	version    INTEGER NOT NULL,
	checksum   INTEGER NOT NULL,
	vectors    BLOB NOT NULL
) STRICT`}

// errForeign reports a file that was written under other rules.
var errForeign = errors.New("the file is of another format")

// errCorrupt reports a file whose pages contradict each other.
var errCorrupt = errors.New("the file is corrupt")

// openFile opens the file and creates its tables if necessary. A commit is not
// synced to disk at once (synchronous=NORMAL): reconciliation restores what a power
// failure removes.
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
	db.SetMaxOpenConns(1) // one writer; searches do not use the file
	if err := prepare(context.Background(), db); err != nil {
		db.Close() //nolint:errcheck // the error that matters is err
		return nil, err
	}
	return db, nil
}

// prepare creates the tables of a new file and checks the marks of an old one.
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
		// A page that is used in two places does not show in any row, so SQLite checks the
		// structure.
		var verdict string
		if err := db.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&verdict); err != nil {
			return err
		}
		if verdict != "ok" {
			return fmt.Errorf("%w: %s", errCorrupt, verdict)
		}
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

// inTx runs fn in a transaction and rolls it back if fn fails.
func inTx(ctx context.Context, db *sql.DB, fn func(context.Context, *sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // does nothing after a commit
	if err := fn(ctx, tx); err != nil {
		return err
	}
	return tx.Commit()
}

// isDamage reports whether the file itself is damaged, rather than inaccessible.
// Only then may another file replace it.
func isDamage(err error) bool {
	if errors.Is(err, errForeign) || errors.Is(err, errCorrupt) {
		return true
	}
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Code() & 0xFF { // the low byte is the kind of error, the rest its place
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT, sqlite3.SQLITE_ERROR:
		return true // SQLITE_ERROR: a table or column is missing
	}
	return false
}

// moveAside renames the file and SQLite's files next to it. Only the newest damaged
// file is kept.
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

// A row is a row of the file: a document, or its vectors in a space.
type row struct {
	table string
	key   int64
}

func documentRow(id assistants.DocumentID) row { return row{"documents", key(string(id))} }

func vectorsRow(id assistants.DocumentID, space assistants.Space) row {
	return row{"vectors", key(string(id), space.Model, strconv.Itoa(space.Dimensions))}
}

// key hashes names into the key of a row. A collision is as unlikely as two equal
// chunk ids.
func key(names ...string) int64 {
	var b []byte
	for _, name := range names {
		b = appendString(b, name)
	}
	sum := sha256.Sum256(b)
	return int64(binary.BigEndian.Uint64(sum[:]) >> 1)
}

func (r row) delete(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, "DELETE FROM "+r.table+" WHERE key = ?", r.key)
	return err
}

// eachRow calls fn for each document. damage is set if its row cannot be used.
func eachRow(ctx context.Context, db *sql.DB, fn func(r row, d vector.Document, damage error)) error {
	rows, err := db.QueryContext(ctx, "SELECT key, id, tenant, collection, version, checksum, postings FROM documents ORDER BY key")
	if err != nil {
		return err
	}
	defer rows.Close() //nolint:errcheck // rows.Err reports errors
	for rows.Next() {
		r := row{table: "documents"}
		var d vector.Document
		var sum int64 // wider than a checksum: a damaged cell may hold anything
		var blob sql.RawBytes
		if err := rows.Scan(&r.key, &d.ID, &d.Tenant, &d.Collection, &d.Version, &sum, &blob); err != nil {
			return fmt.Errorf("%w: %w", errForeign, err) // the cell has a type that Footnote does not write
		}
		if int64(checksumOf(d, blob)) != sum || r != documentRow(d.ID) {
			fn(r, d, errDamaged)
			continue
		}
		damage := decodeDocument(&d, blob) // before d is passed on
		fn(r, d, damage)
	}
	return rows.Err()
}

// eachVectorRow calls fn for each document's vectors in a space. damage is set if
// the row cannot be used.
func eachVectorRow(ctx context.Context, db *sql.DB, fn func(r row, id assistants.DocumentID, v vectors, damage error)) error {
	rows, err := db.QueryContext(ctx, "SELECT key, document, model, dimensions, version, checksum, vectors FROM vectors ORDER BY key")
	if err != nil {
		return err
	}
	defer rows.Close() //nolint:errcheck // rows.Err reports errors
	for rows.Next() {
		r := row{table: "vectors"}
		var id assistants.DocumentID
		var v vectors
		var sum int64 // wider than a checksum: a damaged cell may hold anything
		var blob sql.RawBytes
		if err := rows.Scan(&r.key, &id, &v.space.Model, &v.space.Dimensions, &v.version, &sum, &blob); err != nil {
			return fmt.Errorf("%w: %w", errForeign, err) // the cell has a type that Footnote does not write
		}
		if int64(v.checksum(id, blob)) != sum || r != vectorsRow(id, v.space) {
			fn(r, id, v, errDamaged)
			continue
		}
		damage := v.decode(blob) // before v is passed on
		fn(r, id, v, damage)
	}
	return rows.Err()
}

// saveRow replaces a document.
func saveRow(ctx context.Context, tx *sql.Tx, d vector.Document) error {
	blob := encodeDocument(d)
	_, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO documents (key, id, tenant, collection, version, checksum, postings) VALUES (?, ?, ?, ?, ?, ?, ?)`,
		documentRow(d.ID).key, string(d.ID), string(d.Tenant), string(d.Collection), d.Version, int64(checksumOf(d, blob)), blob)
	return err
}

// saveVectors replaces a document's vectors in a space.
func saveVectors(ctx context.Context, tx *sql.Tx, id assistants.DocumentID, v vectors) error {
	blob := v.encode()
	_, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO vectors (key, document, model, dimensions, version, checksum, vectors) VALUES (?, ?, ?, ?, ?, ?, ?)`,
		vectorsRow(id, v.space).key, string(id), v.space.Model, v.space.Dimensions, v.version, int64(v.checksum(id, blob)), blob)
	return err
}
