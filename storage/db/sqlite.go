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

	gormsqlite "gorm.io/driver/sqlite"
	"gorm.io/gorm"
	driver "modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"

	"footnote/assistants"
)

// sqliteReaders is the number of connections to a file: one writer and several
// readers.
const sqliteReaders = 8

// openSQLite opens the file at path, or a private database in memory for
// ":memory:".
func openSQLite(path string, opts Options) (backend, error) {
	b := backend{name: "sqlite", dialect: dialects["sqlite"], single: true, unavailable: sqliteUnavailable,
		constraint: func(error) string { return "" }} // the single writer checks before it writes
	lockPath := "" // a database in memory needs no lock
	conns := sqliteReaders
	var dsn string
	if path == ":memory:" {
		// Each connection would open its own database.
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
		if !opts.ReadOnly {
			err = errors.Join(makePrivate(abs), makePrivate(lockPath))
		}
		if err != nil {
			return b, fmt.Errorf("db: open: %w: %w", assistants.ErrUnavailable, err)
		}
		dsn = sqliteDSN(abs)
		b.emptyLog = func(ctx context.Context) (bool, error) { return emptySQLiteLog(ctx, dsn) }
	}
	pragmas := sqlitePragmas(opts.BusyTimeout)
	if opts.ReadOnly {
		pragmas = sqliteReadOnly(opts.BusyTimeout)
	}
	pool, err := sql.Open("sqlite", dsn+"?"+pragmas)
	if err != nil {
		return b, fmt.Errorf("db: open: %w", err)
	}
	pool.SetMaxOpenConns(conns)
	pool.SetMaxIdleConns(conns)
	b.pool = newPreparedPool(pool)
	b.lockMigrations = func(ctx context.Context) (*sql.DB, func() error, error) {
		unlock, err := lockMigrationFile(ctx, lockPath)
		return pool, unlock, err
	}
	b.dialector = dialector{&gormsqlite.Dialector{DriverName: "sqlite", Conn: b.pool}}
	return b, nil
}

// creatingFiles serialises makePrivate.
var creatingFiles sync.Mutex

// makePrivate creates an empty file with private permissions unless the file
// exists. SQLite would make it readable by everyone, and uses the permissions of
// the file for its log and index. An existing file must not even be opened,
// because closing it would release every POSIX lock that this process has on it,
// including SQLite's.
func makePrivate(path string) error {
	creatingFiles.Lock()
	defer creatingFiles.Unlock()
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

// sqliteDSN returns the URI of a file, so that a path may contain "?" and "%".
func sqliteDSN(path string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
}

// sqlitePragmas configures every connection. With synchronous(FULL) a commit
// survives a power failure, because acknowledged data must be durable. With
// secure_delete what is deleted does not stay readable in the file.
// Transactions begin as writers so that none fails half-way because it cannot
// get the lock.
func sqlitePragmas(busy time.Duration) string {
	return strings.Join([]string{
		"_pragma=busy_timeout(" + strconv.FormatInt(busy.Milliseconds(), 10) + ")",
		"_pragma=journal_mode(WAL)",
		"_pragma=foreign_keys(1)",
		"_pragma=synchronous(FULL)",
		"_pragma=secure_delete(1)",
		"_txlock=immediate",
		"_time_format=sqlite",
	}, "&")
}

// sqliteReadOnly configures connections that cannot write. They may have to read a
// write-ahead log that a killed process left, so the file is not opened as immutable.
func sqliteReadOnly(busy time.Duration) string {
	return strings.Join([]string{
		"mode=ro",
		"_pragma=busy_timeout(" + strconv.FormatInt(busy.Milliseconds(), 10) + ")",
		"_pragma=query_only(1)",
		"_time_format=sqlite",
	}, "&")
}

// emptyLogWait is how long emptySQLiteLog waits for readers. Nobody can write meanwhile.
const emptyLogWait = 200 * time.Millisecond

// emptySQLiteLog empties the write-ahead log, unless others use it. Otherwise text
// that was removed stays readable in it until other writes overwrite it. It has a
// connection of its own, because those of the pool wait for longer.
func emptySQLiteLog(ctx context.Context, dsn string) (busy bool, err error) {
	own, err := sql.Open("sqlite", dsn+"?"+sqlitePragmas(emptyLogWait))
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, own.Close()) }()
	var frames, moved int
	err = own.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &frames, &moved)
	if sqliteContended(err) {
		return true, nil
	}
	return busy, err
}

// dialector adapts GORM's SQLite to another driver, whose errors it does not
// know.
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

// sqliteBusy reports whether another connection has the lock.
func sqliteBusy(err error) bool {
	var e *driver.Error
	return errors.As(err, &e) && e.Code()&0xff == codes.SQLITE_BUSY
}

// sqliteContended reports whether another process has the lock, or is recovering
// the file after one that was killed.
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

// sqliteUnavailable reports errors that are not about the statement: the file is
// locked, full, read-only, damaged or unreachable.
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

// lockMigrationFile keeps other processes from migrating the same database. The
// lock is a transaction on an empty database file next to the real one, because
// every system releases it when the process dies. The file is never removed:
// otherwise two processes could lock two different files.
func lockMigrationFile(ctx context.Context, path string) (unlock func() error, err error) {
	if path == "" {
		return func() error { return nil }, nil
	}
	pool, err := sql.Open("sqlite", sqliteDSN(path)+"?_txlock=exclusive&_pragma=busy_timeout(100)")
	if err != nil {
		return nil, err
	}
	// The driver ignores the context while it waits for a lock, so wait for
	// short times only.
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
		if errors.Is(err, sql.ErrTxDone) { // the context ended it
			err = nil
		}
		return errors.Join(err, pool.Close())
	}, nil
}
