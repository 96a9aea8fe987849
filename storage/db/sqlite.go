package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/pressly/goose/v3"
	gormsqlite "gorm.io/driver/sqlite"
	"gorm.io/gorm"
	driver "modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"

	"footnote/assistants"
)

// sqliteReaders is how many connections a database file gets: one writer and
// readers beside it.
const sqliteReaders = 8

// openSQLite opens the file at path, or a private database in memory for
// ":memory:".
func openSQLite(path string, opts Options) (backend, error) {
	b := backend{name: "sqlite", dialect: goose.DialectSQLite3, single: true, unavailable: sqliteUnavailable,
		constraint: func(error) string { return "" }} // one writer looks before it writes
	lockPath := "" // nobody else sees a database in memory
	conns := sqliteReaders
	var dsn string
	if path == ":memory:" {
		// Each connection would get a database of its own.
		dsn, conns = path, 1
	} else {
		path = strings.TrimPrefix(path, "//")
		if path == "" {
			return b, &assistants.FieldError{Field: "database_url", Message: "sqlite: needs the path of a file, as in sqlite:/data/footnote.db."}
		}
		abs, err := filepath.Abs(path)
		if err != nil {
			return b, fmt.Errorf("db: open: %w", err)
		}
		lockPath = abs + "-migrate"
		if err := errors.Join(makePrivate(abs), makePrivate(lockPath)); err != nil {
			return b, fmt.Errorf("db: open: %w: %w", assistants.ErrUnavailable, err)
		}
		dsn = sqliteDSN(abs)
	}
	pool, err := sql.Open("sqlite", dsn+"?"+sqlitePragmas(opts.BusyTimeout))
	if err != nil {
		return b, fmt.Errorf("db: open: %w", err)
	}
	pool.SetMaxOpenConns(conns)
	pool.SetMaxIdleConns(conns)
	b.pool = newPreparedPool(pool)
	b.takeMigrations = func(ctx context.Context) (*sql.DB, func() error, error) {
		unlock, err := lockMigrations(ctx, lockPath)
		return pool, unlock, err
	}
	b.dialector = dialector{&gormsqlite.Dialector{DriverName: "sqlite", Conn: b.pool}}
	return b, nil
}

// making lets one at a time make files: see makePrivate.
var making sync.Mutex

// makePrivate makes an empty file unless there is one. SQLite itself would make
// it readable for everybody; its log and index take over the file's permissions.
// A file that is there is not even opened: closing it would end every lock that
// this process holds on it, as POSIX wants it, those of SQLite included.
func makePrivate(path string) error {
	making.Lock()
	defer making.Unlock()
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil // another process was faster
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// sqliteDSN names a file as a URI, so that a path may contain "?" and "%".
func sqliteDSN(path string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
}

// sqlitePragmas sets up every connection. synchronous(FULL) makes a commit
// survive a power cut, because what was acknowledged must be durable;
// transactions begin as writers so that none fails half-way for want of the lock.
func sqlitePragmas(busy time.Duration) string {
	return strings.Join([]string{
		"_pragma=busy_timeout(" + strconv.FormatInt(busy.Milliseconds(), 10) + ")",
		"_pragma=journal_mode(WAL)",
		"_pragma=foreign_keys(1)",
		"_pragma=synchronous(FULL)",
		"_txlock=immediate",
		"_time_format=sqlite",
	}, "&")
}

// dialector is GORM's SQLite on another driver, whose errors it must be told.
type dialector struct{ *gormsqlite.Dialector }

// Translate turns constraint violations into GORM's errors and keeps the original.
func (dialector) Translate(err error) error {
	var e *driver.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Code() {
	case codes.SQLITE_CONSTRAINT_UNIQUE, codes.SQLITE_CONSTRAINT_PRIMARYKEY:
		return fmt.Errorf("%w: %w", gorm.ErrDuplicatedKey, err)
	case codes.SQLITE_CONSTRAINT_FOREIGNKEY:
		return fmt.Errorf("%w: %w", gorm.ErrForeignKeyViolated, err)
	case codes.SQLITE_CONSTRAINT_CHECK:
		return fmt.Errorf("%w: %w", gorm.ErrCheckConstraintViolated, err)
	default:
		return err
	}
}

// sqliteBusy reports that somebody else has the lock.
func sqliteBusy(err error) bool {
	var e *driver.Error
	return errors.As(err, &e) && e.Code()&0xff == codes.SQLITE_BUSY
}

// sqliteContended reports that somebody else has the lock, or was killed while
// it had it and another is cleaning up.
func sqliteContended(err error) bool {
	var e *driver.Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Code() {
	case codes.SQLITE_IOERR_RDLOCK, codes.SQLITE_IOERR_LOCK, codes.SQLITE_IOERR_SHMLOCK,
		codes.SQLITE_IOERR_DELETE_NOENT, codes.SQLITE_PROTOCOL:
		return true
	default:
		return sqliteBusy(err)
	}
}

// sqliteUnavailable reports the result codes that say nothing about the
// statement: the file is locked, full, read-only, damaged or out of reach.
func sqliteUnavailable(err error) bool {
	var e *driver.Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Code() & 0xff { // the low byte is the code, the rest details
	case codes.SQLITE_BUSY, codes.SQLITE_LOCKED, codes.SQLITE_IOERR, codes.SQLITE_FULL,
		codes.SQLITE_CANTOPEN, codes.SQLITE_READONLY, codes.SQLITE_CORRUPT, codes.SQLITE_NOTADB,
		codes.SQLITE_PROTOCOL, codes.SQLITE_NOMEM, codes.SQLITE_PERM:
		return true
	default:
		return false
	}
}

// lockMigrations keeps other starts from migrating the same database. The lock
// is a transaction on an empty database file beside the real one: the system
// takes it away when the process dies, on every system SQLite runs on. The file
// stays, because removing it would let two starts lock two different files.
func lockMigrations(ctx context.Context, path string) (unlock func() error, err error) {
	if path == "" {
		return func() error { return nil }, nil
	}
	pool, err := sql.Open("sqlite", sqliteDSN(path)+"?_txlock=exclusive&_pragma=busy_timeout(100)")
	if err != nil {
		return nil, err
	}
	// The driver does not see a context end while it waits for a lock, so it
	// waits for short times only.
	tx, err := pool.BeginTx(ctx, nil)
	for end := time.Now().Add(migrationWait); sqliteBusy(err) && ctx.Err() == nil && time.Now().Before(end); {
		tx, err = pool.BeginTx(ctx, nil)
	}
	if err != nil {
		return nil, errors.Join(err, pool.Close())
	}
	return func() error {
		// Nothing was written, so there is nothing to commit.
		err := tx.Rollback()
		if errors.Is(err, sql.ErrTxDone) { // the context's end was its end
			err = nil
		}
		return errors.Join(err, pool.Close())
	}, nil
}
