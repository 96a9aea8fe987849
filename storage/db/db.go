// Package db stores everything but document bytes and the index in a database.
// [Store] is made with GORM, and this is the only package that knows GORM and the
// main database. The index and the embedding cache have SQLite files of their own.
//
// Rules it obeys: drivers' errors are translated here, by type and code, into the
// kinds of package assistants. When a method returns nil, what it wrote is durable.
// Every statement that serves a tenant names the tenant. Times are UTC with
// microseconds. Rows are locked by updating their revision, which works on every
// database. It imports assistants and migrations, nothing else of this module.
package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"gorm.io/gorm"

	"footnote/assistants"
)

// A Store is a database. It is safe for concurrent use. [Store.Migrate] must
// have succeeded before other methods are called. The contract tests check that
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
	// inLog is true while the database's log may have text that was removed.
	inLog   atomic.Bool
	changed func([]assistants.DocumentChange) // nil: changes are not reported
	// described counts changes that [Store.DocumentNames] shows: see [Store.Descriptions].
	described atomic.Uint64
}

// A pool executes GORM's statements on its connections.
type pool interface {
	gorm.ConnPool
	GetDBConn() (*sql.DB, error)
	PingContext(ctx context.Context) error
	Close() error
}

// backend is what differs between kinds of databases.
type backend struct {
	name      string // "sqlite", "postgres", "mysql" or "sqlserver", also the directory of its migrations
	dialect   dialect
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
	// reset drops idle connections if an error means that one of them broke. It is
	// required if retryable is set.
	reset func(error)
	// connect makes a connection outside the pool. Nil: the database has no
	// connections of its own.
	connect func(ctx context.Context) (exclusiveSession, error)
	// emptyLog moves the log of changes into the database and empties it, unless
	// others use it (busy). Nil: there is no such log.
	emptyLog func(ctx context.Context) (busy bool, err error)
	// lockMigrations waits for the lock on migrations and returns the pool to
	// migrate on. release unlocks it.
	lockMigrations func(ctx context.Context) (on *sql.DB, release func() error, err error)
	// own reports an error when the database belongs to another program. Nil: making
	// the first table shows that.
	own func(ctx context.Context, on *sql.DB) error
}

var _ gorm.ParamsFilter = statementLog{}

// Kind names the kind of the database: "sqlite", "postgres", "mysql" (MariaDB, too) or "sqlserver".
func (s *Store) Kind() string { return s.backend.name }

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
	end, err := s.turn(ctx)
	if err != nil {
		return s.wrap(ctx, op, err)
	}
	defer end()
	return s.wrap(ctx, op, s.transact(ctx, fn))
}

// turn waits until the caller may write, on databases with a single writer. The
// caller calls end when it has written.
func (s *Store) turn(ctx context.Context) (end func(), err error) {
	if s.writing == nil {
		return func() {}, nil
	}
	timeout := time.NewTimer(s.wait)
	defer timeout.Stop()
	select {
	case s.writing <- struct{}{}:
		return func() { <-s.writing }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-timeout.C:
		return nil, fmt.Errorf("waiting for other writers: %w", assistants.ErrDatabaseUnavailable)
	}
}

// maxTransactions is how often a transaction is tried that the database rolls back.
// transactionPause is the longest random pause before the next try; it keeps two
// transactions from conflicting again.
const (
	maxTransactions  = 4
	transactionPause = 50 * time.Millisecond
)

// transact runs fn in a transaction, and runs it again when the database rolled
// it back for a reason that may pass. A commit whose outcome is unknown is never
// repeated; the caller must check whether it took effect.
func (s *Store) transact(ctx context.Context, fn func(tx *gorm.DB) error) error {
	for n := 1; ; n++ {
		committing := false
		noted, note := s.withChangeNote(ctx)
		err := s.gorm.WithContext(noted).Transaction(func(tx *gorm.DB) error {
			err := fn(tx)
			committing = err == nil
			return err
		})
		if committing && err != nil && s.backend.outcomeUnknown != nil && s.backend.outcomeUnknown(err) {
			s.report(note)
			return fmt.Errorf("%w: %w", assistants.ErrOutcomeUnknown, withoutContext(err))
		}
		if err == nil {
			s.report(note)
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

// withoutContext hides context errors in err: drivers have timeouts of their
// own, which must not look like the end of the caller's context.
func withoutContext(err error) error {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return errors.New(err.Error())
	}
	return err
}

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
	// ReadOnly makes the database refuse writes and creates no file. SQLite still keeps
	// the files beside its own with which it coordinates readers.
	ReadOnly bool
	// Changed is told which documents a transaction has changed, after its commit. A
	// change may be reported although the document is as it was. Changed must return at
	// once, because writers wait for it. Nil: changes are not reported.
	Changed func([]assistants.DocumentChange)
}
