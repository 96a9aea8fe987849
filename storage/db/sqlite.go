package db

import (
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

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
	b := backend{name: "sqlite", single: true, unavailable: sqliteUnavailable}
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
		b.lockPath = abs + "-migrate"
		if err := errors.Join(makePrivate(abs), makePrivate(b.lockPath)); err != nil {
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
	b.dialector = dialector{&gormsqlite.Dialector{DriverName: "sqlite", Conn: b.pool}}
	return b, nil
}

// makePrivate makes an empty file unless there is one. SQLite itself would make
// it readable for everybody; its log and index take over the file's permissions.
func makePrivate(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
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
