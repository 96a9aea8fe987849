package embedding

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"log/slog"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"footnote/assistants"
)

// application marks the file as a cache of Footnote ("FNem"), passageFormat is the
// version of its table.
const (
	application   = 0x464E656D
	passageFormat = 1
)

const passageSchema = `
CREATE TABLE vectors (
	key  BLOB NOT NULL PRIMARY KEY,
	used INTEGER NOT NULL,
	data BLOB NOT NULL
) STRICT`

// passageIndex finds the least recently used vectors.
const passageIndex = `CREATE INDEX vectors_used ON vectors (used)`

// A passageKey is what the vector of a passage depends on, hashed.
type passageKey [sha256.Size]byte

// keyOf is the key of a text: the SHA-256 of model, dimensions and text, each
// ended so that no two of them run together.
func keyOf(space assistants.Space, text string) passageKey {
	sum := sha256.New()
	fmt.Fprintf(sum, "%d:%s\x00%d\x00", len(space.Model), space.Model, space.Dimensions)
	sum.Write([]byte(text))
	return passageKey(sum.Sum(nil))
}

// A keptVector is a vector with its key.
type keptVector struct {
	key    passageKey
	vector []float32
}

// A passageFile keeps the vectors of passages in an SQLite file. If it cannot be read,
// it counts as empty, and a damaged file is replaced by a new one.
type passageFile struct {
	path  string
	limit int64 // bytes
	log   *slog.Logger
	now   func() time.Time

	mu sync.Mutex
	db *sql.DB // nil: there is no file that could be used
}

func openPassageFile(path string, limit int64, log *slog.Logger) *passageFile {
	f := &passageFile{path: path, limit: limit, log: log, now: time.Now}
	var err error
	if err = os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
		f.db, err = openVectors(path)
	}
	if err != nil {
		f.failed(err)
	}
	return f
}

// failed logs that the file could not be used, and replaces it if it is damaged. The
// caller holds f.mu.
func (f *passageFile) failed(err error) {
	if isDamage(err) {
		f.replaceDamaged(err)
		return
	}
	f.log.Warn("the file of kept vectors cannot be used; passages are embedded again when they are needed", "file", f.path, "error", err)
}

// replaceDamaged replaces a damaged file by an empty one. The caller holds f.mu.
func (f *passageFile) replaceDamaged(cause error) {
	if f.db != nil {
		_ = f.db.Close() // its content is lost anyway
		f.db = nil
	}
	f.log.Warn("the file of kept vectors is damaged and is made anew; passages are embedded again when they are needed", "file", f.path, "error", cause)
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(f.path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			f.log.Warn("vectors are not kept: the file cannot be removed", "file", f.path, "error", err)
			return
		}
	}
	db, err := openVectors(f.path)
	if err != nil {
		f.log.Warn("vectors are not kept: the file cannot be made", "file", f.path, "error", err)
		return
	}
	f.db = db
}

// openVectors opens the file, and makes its table if it is new. Commits are not forced
// to the disk, because vectors lost in a power failure can be made again.
func openVectors(path string) (*sql.DB, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	name := url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(abs), RawQuery: "_pragma=auto_vacuum(INCREMENTAL)" +
		"&_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)&_pragma=busy_timeout(5000)&_pragma=journal_size_limit(16777216)&_txlock=immediate"}
	db, err := sql.Open("sqlite", name.String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	if err := prepareVectors(context.Background(), db); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

var errForeign = errors.New("the file is of another format")

// prepareVectors makes the table of a new file and checks the marks of an old one.
func prepareVectors(ctx context.Context, db *sql.DB) error {
	var app, version, tables int
	err := errors.Join(
		db.QueryRowContext(ctx, "PRAGMA application_id").Scan(&app),
		db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version),
		db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&tables))
	switch {
	case err != nil:
		return err
	case app == application && version == passageFormat && tables > 0:
		return nil
	case app != 0 || version != 0 || tables != 0:
		return errForeign
	}
	return inTransaction(ctx, db, func(tx *sql.Tx) error {
		for _, statement := range []string{
			passageSchema, passageIndex,
			fmt.Sprintf("PRAGMA application_id = %d", application), fmt.Sprintf("PRAGMA user_version = %d", passageFormat),
		} {
			if _, err := tx.ExecContext(ctx, statement); err != nil {
				return err
			}
		}
		return nil
	})
}

func inTransaction(ctx context.Context, db *sql.DB, do func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := do(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

func (f *passageFile) close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.db == nil {
		return nil
	}
	defer func() { f.db = nil }()
	return f.db.Close()
}

// get returns the stored vectors among those with the given keys.
func (f *passageFile) get(ctx context.Context, keys []passageKey, dimensions int) map[passageKey][]float32 {
	found := make(map[passageKey][]float32, len(keys))
	f.use(ctx, func(db *sql.DB) error {
		for batch := range slices.Chunk(keys, maxVariables) {
			if err := f.read(ctx, db, batch, dimensions, found); err != nil {
				return err
			}
		}
		return nil
	})
	return found
}

// maxVariables is how many keys go into one statement.
const maxVariables = 500

// usedStep is how precisely the last use of a vector is recorded, so that most reads do
// not write.
const usedStep = 24 * time.Hour

func (f *passageFile) read(ctx context.Context, db *sql.DB, keys []passageKey, dimensions int, found map[passageKey][]float32) error {
	args := make([]any, len(keys))
	for i := range keys {
		args[i] = keys[i][:]
	}
	rows, err := db.QueryContext(ctx, "SELECT key, used, data FROM vectors WHERE key IN (?"+strings.Repeat(", ?", len(keys)-1)+")", args...)
	if err != nil {
		return err
	}
	defer rows.Close() //nolint:errcheck // rows.Err reports the error
	var stale []any
	before := f.now().Add(-usedStep).Unix()
	for rows.Next() {
		var key, data sql.RawBytes
		var used int64
		if err := rows.Scan(&key, &used, &data); err != nil {
			return err
		}
		kept := keptVector{key: passageKey(key)} // one of keys, so its length is right
		if !kept.decode(data, dimensions) {
			continue // the vector is computed again and replaces this row
		}
		found[kept.key] = kept.vector
		if used < before {
			stale = append(stale, slices.Clone(key))
		}
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil || len(stale) == 0 {
		return err
	}
	_, err = db.ExecContext(ctx, fmt.Sprintf("UPDATE vectors SET used = %d WHERE key IN (?%s)", f.now().Unix(), strings.Repeat(", ?", len(stale)-1)), stale...)
	return err
}

// put stores vectors, and evicts others when the file is too large.
func (f *passageFile) put(ctx context.Context, made []keptVector) {
	f.use(ctx, func(db *sql.DB) error {
		err := inTransaction(ctx, db, func(tx *sql.Tx) error {
			insert, err := tx.PrepareContext(ctx, "INSERT INTO vectors (key, used, data) VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET used = excluded.used, data = excluded.data")
			if err != nil {
				return err
			}
			defer insert.Close() //nolint:errcheck // the transaction says what went wrong
			for _, m := range made {
				if _, err := insert.ExecContext(ctx, m.key[:], f.now().Unix(), m.encode()); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		return f.evict(ctx, db)
	})
}

// evict deletes the least recently used tenth of the vectors if the file exceeds
// its limit.
func (f *passageFile) evict(ctx context.Context, db *sql.DB) error {
	var pages, size int64
	if err := errors.Join(db.QueryRowContext(ctx, "PRAGMA page_count").Scan(&pages), db.QueryRowContext(ctx, "PRAGMA page_size").Scan(&size)); err != nil {
		return err
	}
	if pages*size <= f.limit {
		return nil
	}
	if _, err := db.ExecContext(ctx, "DELETE FROM vectors WHERE rowid IN (SELECT rowid FROM vectors ORDER BY used, rowid LIMIT (SELECT count(*) / 10 + 1 FROM vectors))"); err != nil {
		return err
	}
	rows, err := db.QueryContext(ctx, "PRAGMA incremental_vacuum") // gives a row for each page, and works as they are read
	if err != nil {
		return err
	}
	for rows.Next() {
		continue
	}
	return errors.Join(rows.Err(), rows.Close())
}

// use calls fn with the file, if there is one.
func (f *passageFile) use(ctx context.Context, fn func(*sql.DB) error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.db == nil {
		return
	}
	err := fn(f.db)
	if err != nil && ctx.Err() == nil {
		f.failed(err)
	}
}

// encode writes a vector with its checksum.
func (v keptVector) encode() []byte {
	data := make([]byte, 0, 4*len(v.vector)+4)
	for _, x := range v.vector {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
	}
	return binary.LittleEndian.AppendUint32(data, v.checksum(data))
}

// checksum covers the key and the numbers, so that a vector is not accepted under
// another key.
func (v keptVector) checksum(numbers []byte) uint32 {
	return crc32.Update(crc32.Checksum(v.key[:], castagnoli), castagnoli, numbers)
}

// decode reads a vector and reports whether it is intact.
func (v *keptVector) decode(data []byte, dimensions int) bool {
	if len(data) != 4*dimensions+4 {
		return false
	}
	numbers, sum := data[:4*dimensions], data[4*dimensions:]
	if v.checksum(numbers) != binary.LittleEndian.Uint32(sum) {
		return false
	}
	v.vector = make([]float32, dimensions)
	for i := range v.vector {
		v.vector[i] = math.Float32frombits(binary.LittleEndian.Uint32(numbers[4*i:]))
	}
	return isUnit(v.vector)
}

// isDamage reports whether the file itself is at fault, and not access to it.
func isDamage(err error) bool {
	if errors.Is(err, errForeign) {
		return true
	}
	e, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return false
	}
	switch e.Code() & 0xFF { // the low byte is the kind, the rest says where
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT, sqlite3.SQLITE_ERROR:
		return true // SQLITE_ERROR: a table or column that should be there is not
	}
	return false
}
