// Package db stores everything but document bytes and the index in a database.
// [Store] is made with GORM, and this is the only package that knows GORM, SQL
// or a database driver.
//
// Rules it obeys: drivers' errors are translated here, by type and code, into
// the kinds of package assistants. When a method returns nil, what it wrote is
// durable. Every statement that serves a tenant names the tenant. Times are UTC
// with microseconds. Rows are locked by updating their revision, which works on
// every database. It imports assistants and migrations, nothing else of this
// module.
package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pressly/goose/v3"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"footnote/assistants"
	"footnote/migrations"
)

// Options adjusts a Store.
type Options struct {
	// Logger receives slow and failed statements, and every statement at level
	// debug, always without parameters. Nil: no logging.
	Logger *slog.Logger
	// Now is the clock. Nil: time.Now.
	Now func() time.Time
	// BusyTimeout is how long a write waits for other writers before it fails
	// with ErrUnavailable. Zero: 5 seconds.
	BusyTimeout time.Duration
	// SecretKey encrypts secrets, 32 bytes. Nil: secrets can be neither stored
	// nor read.
	SecretKey []byte
}

// slowStatement is how long a statement may take before it is logged.
const slowStatement = time.Second

// A Store is a database. It is safe for concurrent use. [Store.Migrate] must
// have succeeded before other methods are called. Package dbtest checks that
// every kind of database does what the comments of the methods say.
//
// Every method returns an error wrapping [assistants.ErrUnavailable] when the
// database cannot answer, and the context's error when the context ends. When a
// method that writes returns nil, what it wrote is durable. Methods that take
// an id return [assistants.ErrNotFound] when it is absent or belongs to another
// tenant. Methods that take an [assistants.List] return a FieldError on
// "cursor" for a cursor of another list.
//
// The function given to an Update method must not call the store, because it
// runs inside the transaction.
type Store struct {
	gorm    *gorm.DB
	pool    pool
	backend backend
	now     func() time.Time
	sealer  sealer
	closed  atomic.Bool
	// migrations holds a folder of SQL files for each kind of database.
	migrations fs.FS
	// writing holds a token while a write is in progress, for databases with a
	// single writer. Unlike the driver's lock, waiting here is fair and ends
	// with the context. Nil for other databases.
	writing chan struct{}
	wait    time.Duration
}

// A pool executes GORM's statements on its connections.
type pool interface {
	gorm.ConnPool
	gorm.TxBeginner
	GetDBConn() (*sql.DB, error)
	PingContext(ctx context.Context) error
	Close() error
}

// backend is what differs between kinds of databases.
type backend struct {
	name      string // "sqlite" or "postgres", also the directory of its migrations
	dialect   goose.Dialect
	pool      pool
	dialector gorm.Dialector
	single    bool // only one writer at a time
	// unreachable explains why the first connection failed. Nil: the driver's error explains it.
	unreachable func(error) error
	// unavailable reports whether an error means that the database cannot answer
	// now.
	unavailable func(error) bool
	// constraint returns the unique index that an error is about, "" if unknown.
	constraint func(error) string
	// retryable reports whether an error means that a transaction had no effect
	// and may succeed when it is run again. Nil: no error does.
	retryable func(error) bool
	// outcomeUnknown reports whether an error of a commit leaves open if the
	// transaction was committed. Nil: a failed commit has no effect.
	outcomeUnknown func(error) bool
	// reset drops idle connections if an error means that one of them broke.
	// Nil: nothing to drop.
	reset func(error)
	// connect makes a connection outside the pool. Nil: the database has no
	// connections of its own.
	connect func(ctx context.Context) (*pgx.Conn, error)
	// takeMigrations waits for the lock on migrations and returns the pool to
	// migrate on. release unlocks it.
	takeMigrations func(ctx context.Context) (on *sql.DB, release func() error, err error)
}

// Open connects to the database of rawURL: "sqlite:PATH", "sqlite::memory:" or
// "postgres://user:password@host:port/name". It returns an
// [assistants.FieldError] for a URL it does not understand, and an error
// wrapping ErrUnavailable when the database cannot be opened.
func Open(ctx context.Context, rawURL string, opts Options) (*Store, error) {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.BusyTimeout <= 0 {
		opts.BusyTimeout = 5 * time.Second
	}
	seals, err := newSealer(opts.SecretKey)
	if err != nil {
		return nil, fmt.Errorf("db: open: %w", err)
	}
	b, err := openBackend(rawURL, opts)
	if err != nil {
		return nil, err
	}
	s := &Store{pool: b.pool, backend: b, now: opts.Now, sealer: seals, wait: 2 * opts.BusyTimeout, migrations: migrations.Files}
	if b.single {
		s.writing = make(chan struct{}, 1)
	}
	log := logger.Discard
	if opts.Logger != nil {
		log = statementLog{logger.NewSlogLogger(opts.Logger, logger.Config{
			SlowThreshold:             slowStatement,
			LogLevel:                  logger.Warn,
			IgnoreRecordNotFoundError: true,
			ParameterizedQueries:      true,
		}), opts.Logger}
	}
	if err := s.connect(ctx, opts.BusyTimeout); err != nil {
		if b.unreachable != nil && ctx.Err() == nil {
			err = b.unreachable(err)
		}
		return nil, s.wrap(ctx, "open", errors.Join(err, b.pool.Close()))
	}
	s.gorm, err = gorm.Open(b.dialector, &gorm.Config{
		Logger:                 log,
		NowFunc:                s.stamp,
		TranslateError:         true,
		SkipDefaultTransaction: true,
		DisableAutomaticPing:   true,
		// Never write associations implicitly.
		FullSaveAssociations: false,
	})
	if err != nil {
		return nil, s.wrap(ctx, "open", errors.Join(err, b.pool.Close()))
	}
	return s, nil
}

// A statementLog omits statements that were cancelled, which is not a failure.
// At level debug it logs every statement.
type statementLog struct {
	logger.Interface
	log *slog.Logger
}

var _ gorm.ParamsFilter = statementLog{}

// LogMode implements logger.Interface.
func (l statementLog) LogMode(level logger.LogLevel) logger.Interface {
	return statementLog{l.Interface.LogMode(level), l.log}
}

// ParamsFilter implements gorm.ParamsFilter. Parameters are never logged.
func (statementLog) ParamsFilter(_ context.Context, sql string, _ ...any) (string, []any) {
	return sql, nil
}

// Trace implements logger.Interface.
func (l statementLog) Trace(ctx context.Context, begin time.Time, statement func() (string, int64), err error) {
	if l.log.Enabled(ctx, slog.LevelDebug) {
		sql, rows := statement()
		l.log.LogAttrs(ctx, slog.LevelDebug, "statement", slog.String("sql", sql), slog.Int64("rows", rows),
			slog.Float64("duration_ms", float64(time.Since(begin).Microseconds())/1000))
	}
	if !errors.Is(err, context.Canceled) {
		l.Interface.Trace(ctx, begin, statement, err)
	}
}

// Kind names the kind of the database: "sqlite" or "postgres".
func (s *Store) Kind() string { return s.backend.name }

// connect makes the first connection. Changing the journal of a new file, or
// recovering it after a kill, needs a lock that SQLite does not wait for, so
// connect tries again while another process has it.
func (s *Store) connect(ctx context.Context, wait time.Duration) error {
	const pause = 10 * time.Millisecond
	for tries := wait / pause; ; tries-- {
		err := s.pool.PingContext(ctx)
		if err == nil || tries <= 0 || !sqliteContended(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

// CheckURL reports what is wrong with a database's URL, as a FieldError,
// without connecting to it.
func CheckURL(rawURL string) error {
	scheme, _, ok := strings.Cut(rawURL, ":")
	switch {
	case ok && scheme == "sqlite":
		return nil
	case ok && (scheme == "postgres" || scheme == "postgresql"):
		_, err := postgresConfig(rawURL)
		return err
	default:
		return unknownDatabase(scheme, ok)
	}
}

func unknownDatabase(scheme string, named bool) error {
	if !named {
		return &assistants.FieldError{Field: "database_url",
			Message: "The database URL has no scheme; use sqlite:PATH or postgres://user:password@host:5432/name."}
	}
	// Repeat only the scheme, because the rest may contain a password.
	return &assistants.FieldError{Field: "database_url",
		Message: fmt.Sprintf("Databases of the kind %q are not supported by this version; use sqlite:PATH or postgres://user:password@host:5432/name.", url.PathEscape(scheme))}
}

func openBackend(rawURL string, opts Options) (backend, error) {
	scheme, rest, ok := strings.Cut(rawURL, ":")
	switch {
	case ok && scheme == "sqlite":
		return openSQLite(rest, opts)
	case ok && (scheme == "postgres" || scheme == "postgresql"):
		return openPostgres(rawURL, opts)
	default:
		return backend{}, unknownDatabase(scheme, ok)
	}
}

// Close ends all connections. Methods called later return ErrUnavailable.
func (s *Store) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	if err := s.pool.Close(); err != nil {
		return fmt.Errorf("db: close: %w", err)
	}
	return nil
}

// Ping reports whether the database answers.
func (s *Store) Ping(ctx context.Context) error {
	// The driver's ping does not touch the database, so run a query.
	var one int
	return s.wrap(ctx, "ping", s.pool.QueryRowContext(ctx, "SELECT 1").Scan(&one))
}

// read returns a session for statements outside transactions.
func (s *Store) read(ctx context.Context) *gorm.DB { return s.gorm.WithContext(ctx) }

// write runs fn in a transaction and translates its error. On databases with a
// single writer, it waits for its turn.
func (s *Store) write(ctx context.Context, op string, fn func(tx *gorm.DB) error) error {
	if s.writing != nil {
		timeout := time.NewTimer(s.wait)
		defer timeout.Stop()
		select {
		case s.writing <- struct{}{}:
			defer func() { <-s.writing }()
		case <-ctx.Done():
			return s.wrap(ctx, op, ctx.Err())
		case <-timeout.C:
			return s.wrap(ctx, op, fmt.Errorf("waiting for other writers: %w", assistants.ErrDatabaseUnavailable))
		}
	}
	return s.wrap(ctx, op, s.transact(ctx, fn))
}

// maxTransactions is how often a transaction without effect is run, and
// transactionPause the longest random pause before the next try, so that two
// conflicting transactions do not meet again.
const (
	maxTransactions  = 4
	transactionPause = 50 * time.Millisecond
)

// transact runs fn in a transaction, and runs it again when the database rolled
// it back for a reason that may pass. A commit whose outcome is unknown is never
// repeated; the caller must look.
func (s *Store) transact(ctx context.Context, fn func(tx *gorm.DB) error) error {
	for n := 1; ; n++ {
		committing := false
		err := s.gorm.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
			err := fn(tx)
			committing = err == nil
			return err
		})
		if committing && err != nil && s.backend.outcomeUnknown != nil && s.backend.outcomeUnknown(err) {
			return fmt.Errorf("%w: %w", assistants.ErrOutcomeUnknown, withoutContext(err))
		}
		if err == nil || committing || n == maxTransactions || s.backend.retryable == nil || !s.backend.retryable(err) {
			return err
		}
		s.backend.reset(err)
		select {
		case <-ctx.Done():
			return err
		case <-time.After(rand.N(transactionPause)):
		}
	}
}

// stamp returns the present time as the database stores it.
func (s *Store) stamp() time.Time { return stamp(s.now()) }

// stamp converts a time to the precision that all databases store, so that a
// value read equals the value written.
func stamp(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

// stampOr returns t as it is stored, or fallback when t is zero.
func stampOr(t, fallback time.Time) time.Time {
	if t.IsZero() {
		return fallback
	}
	return stamp(t)
}

func stampPointer(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	u := stamp(*t)
	return &u
}
