package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	gormpostgres "gorm.io/driver/postgres"
	"gorm.io/gorm"

	"footnote/assistants"
)

const (
	// postgresConns is the most connections that a process opens, unless the URL
	// sets pool_max_conns.
	postgresConns = 16
	// postgresConnect is the timeout of connecting, unless the URL sets
	// connect_timeout.
	postgresConnect = 5 * time.Second
	// postgresCancel is how long the server may take to cancel a statement
	// before its connection is closed.
	postgresCancel = time.Second
	// migrationLock is the advisory lock that a process holds while it migrates.
	// The number is arbitrary.
	migrationLock = 0x666f6f746e6f7465 // "footnote"
	// exclusiveLock is the advisory lock of the process that has the database to
	// itself.
	exclusiveLock = migrationLock + 1
)

// postgresLimits are set on every connection unless the URL sets them. They make
// sure that nothing waits forever, and that a transaction whose process hangs
// releases its locks.
var postgresLimits = map[string]string{
	"statement_timeout":                   "30s",
	"lock_timeout":                        "10s",
	"idle_in_transaction_session_timeout": "60s",
}

// openPostgres opens the database of a "postgres://" URL with the parameters of
// libpq and pgxpool. It does not connect yet.
func openPostgres(rawURL string, opts Options) (backend, error) {
	config, err := postgresConfig(rawURL)
	if err != nil {
		return backend{}, err
	}
	bare := config.ConnConfig.Copy()
	config.AfterConnect = limitSession
	if opts.ReadOnly {
		config.AfterConnect = limitToReading
	}
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		return backend{}, badPostgresURL()
	}
	connector := patientConnector{stdlib.GetPoolConnector(pool), opts.BusyTimeout}
	p := &postgresPool{DB: sql.OpenDB(connector), conns: pool}
	p.SetMaxIdleConns(0) // the pool beneath keeps them
	return backend{
		name: "postgres", dialect: dialects["postgres"], pool: p,
		dialector:   gormpostgres.New(gormpostgres.Config{Conn: p}),
		unreachable: func(err error) error { return unreachable(err, bare) }, unavailable: postgresUnavailable, retryable: postgresRetryable, outcomeUnknown: postgresOutcomeUnknown, constraint: postgresConstraint, reset: p.reset,
		connect:        func(ctx context.Context) (exclusiveSession, error) { return connectAlone(ctx, bare) },
		lockMigrations: func(ctx context.Context) (*sql.DB, func() error, error) { return lockPostgresMigrations(ctx, bare) },
	}, nil
}

func postgresConfig(rawURL string) (*pgxpool.Config, error) {
	u, err := url.Parse(rawURL)
	if err != nil || hasStrayAt(rawURL) {
		return nil, badPostgresURL()
	}
	config, err := pgxpool.ParseConfig(rawURL)
	if err != nil {
		return nil, badPostgresURL()
	}
	if !u.Query().Has("pool_max_conns") {
		config.MaxConns = postgresConns
	}
	c := config.ConnConfig
	if c.ConnectTimeout == 0 {
		c.ConnectTimeout = postgresConnect
	}
	if c.RuntimeParams["application_name"] == "" {
		c.RuntimeParams["application_name"] = "footnote"
	}
	// A cancelled context cancels the statement and keeps the connection.
	c.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: conn, DeadlineDelay: postgresCancel}
	}
	return config, nil
}

// badPostgresURL does not repeat the URL, which may contain a password.
func badPostgresURL() error {
	return &assistants.FieldError{Field: "database_url",
		Message: "The database URL cannot be read; write it as postgres://user:password@host:5432/name?sslmode=require, with special characters of the password percent-encoded."}
}

// limitSession sets the limits that the URL does not. It uses statements because
// connection poolers refuse such parameters when a connection starts.
func limitSession(ctx context.Context, conn *pgx.Conn) error {
	var set strings.Builder
	for name, value := range postgresLimits {
		if conn.Config().RuntimeParams[name] == "" {
			fmt.Fprintf(&set, "SET %s = '%s';", name, value)
		}
	}
	return conn.PgConn().Exec(ctx, set.String()).Close()
}

// limitToReading is limitSession for a session that cannot write.
func limitToReading(ctx context.Context, conn *pgx.Conn) error {
	if err := limitSession(ctx, conn); err != nil {
		return err
	}
	return conn.PgConn().Exec(ctx, "SET default_transaction_read_only = on").Close()
}

// A patientConnector limits how long a caller waits for a free connection;
// database/sql has no such limit.
type patientConnector struct {
	driver.Connector
	wait time.Duration
}

// Connect implements driver.Connector.
func (c patientConnector) Connect(ctx context.Context) (driver.Conn, error) {
	waitCtx, cancel := context.WithTimeout(ctx, c.wait)
	defer cancel()
	conn, err := c.Connector.Connect(waitCtx)
	if err != nil && waitCtx.Err() != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("no connection is free: %w", assistants.ErrDatabaseUnavailable)
	}
	return conn, err
}

// A postgresPool repeats a read whose connection breaks.
type postgresPool struct {
	*sql.DB
	conns *pgxpool.Pool
}

// GetDBConn implements gorm.GetDBConnector.
func (p *postgresPool) GetDBConn() (*sql.DB, error) { return p.DB, nil }

// QueryContext implements gorm.ConnPool.
func (p *postgresPool) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	rows, err := p.DB.QueryContext(ctx, query, args...)
	if err == nil || ctx.Err() != nil || !connectionLost(err) {
		return rows, err //nolint:rowserrcheck // they are the caller's
	}
	p.reset(err)
	return p.DB.QueryContext(ctx, query, args...)
}

// reset drops idle connections when err means that one broke: they lead to the
// same server, which may be gone.
func (p *postgresPool) reset(err error) {
	if connectionLost(err) {
		p.conns.Reset()
	}
}

// Close ends all connections.
func (p *postgresPool) Close() error {
	err := p.DB.Close()
	p.conns.Close()
	return err
}

// lockPostgresMigrations takes the lock on migrations, an advisory lock of a
// session, which ends with the process. The returned pool has no limits, because
// building an index may take long.
func lockPostgresMigrations(ctx context.Context, config *pgx.ConnConfig) (_ *sql.DB, release func() error, err error) {
	pool := stdlib.OpenDB(*config)
	pool.SetMaxOpenConns(2) // the lock's and the steps'
	conn, err := pool.Conn(ctx)
	if err == nil {
		_, err = conn.ExecContext(ctx, fmt.Sprintf("SET lock_timeout = %d", migrationWait.Milliseconds()))
		if err == nil {
			_, err = conn.ExecContext(ctx, "SELECT pg_advisory_lock($1)", int64(migrationLock))
		}
		if err != nil {
			err = errors.Join(err, conn.Close())
		}
	}
	if err != nil {
		return nil, nil, errors.Join(err, pool.Close())
	}
	return pool, func() error {
		// Closing the session releases its lock.
		return errors.Join(conn.Close(), pool.Close())
	}, nil
}

// unreachable explains in one sentence why connecting failed, because the remedy
// depends on the cause.
func unreachable(err error, config *pgx.ConnConfig) error {
	at := net.JoinHostPort(config.Host, strconv.Itoa(int(config.Port)))
	var dns *net.DNSError
	code, _ := sqlState(err)
	why := "it cannot be reached at " + at + ": " + strings.Join(strings.Fields(err.Error()), " ")
	switch {
	case code == "28P01" || code == "28000":
		why = fmt.Sprintf("the server at %s refuses the user %q or its password", at, config.User)
	case code == "3D000":
		why = fmt.Sprintf("the server at %s has no database %q; create it first", at, config.Database)
	case code == "53300":
		why = fmt.Sprintf("the server at %s has no connection left; raise its max_connections, or lower pool_max_conns", at)
	case code == "57P03":
		why = fmt.Sprintf("the server at %s is starting or stopping; try again", at)
	case errors.As(err, &dns):
		why = fmt.Sprintf("the name of its server, %s, is not known", config.Host)
	case errors.Is(err, syscall.ECONNREFUSED):
		why = fmt.Sprintf("nothing listens at %s; start the server, or correct the address", at)
	case errors.Is(err, context.DeadlineExceeded) || errors.Is(err, assistants.ErrDatabaseUnavailable) || pgconn.Timeout(err):
		why = fmt.Sprintf("the server at %s does not answer", at)
	}
	return fmt.Errorf("%w: %s", assistants.ErrDatabaseUnavailable, why)
}

// connectionLost reports whether a statement got no answer because the
// connection broke or could not be made.
func connectionLost(err error) bool {
	if code, ok := sqlState(err); ok {
		// 57P01–57P03: the server shuts down, has crashed, or is starting.
		return strings.HasPrefix(code, "08") || code == "57P01" || code == "57P02" || code == "57P03"
	}
	var connect *pgconn.ConnectError
	var network net.Error
	return errors.As(err, &connect) || errors.As(err, &network) || pgconn.SafeToRetry(err) ||
		errors.Is(err, driver.ErrBadConn) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// postgresRetryable reports an error after which a transaction certainly had no
// effect and may succeed when it is run again: deadlocks, conflicts between
// transactions, a lost connection. It is not for errors of a commit.
func postgresRetryable(err error) bool {
	code, _ := sqlState(err)
	return code == "40001" || code == "40P01" || connectionLost(err)
}

// postgresOutcomeUnknown reports an error of a commit that the server did not
// answer. If the context ended before, database/sql does not send the commit and
// returns the context's own error.
func postgresOutcomeUnknown(err error) bool {
	if err == context.Canceled || err == context.DeadlineExceeded || errors.Is(err, sql.ErrTxDone) { //nolint:errorlint // drivers wrap theirs
		return false
	}
	_, answered := sqlState(err)
	return !answered || connectionLost(err)
}

// postgresUnavailable reports errors that are not about the statement: no
// connection, no resources, timeouts, a read-only server.
func postgresUnavailable(err error) bool {
	code, ok := sqlState(err)
	if !ok {
		return connectionLost(err) || errors.Is(err, sql.ErrTxDone) || pgconn.Timeout(err)
	}
	if len(code) != 5 {
		return false
	}
	switch code[:2] {
	case "08", "53", "57", "58", "28": // connection, resources, intervention, system, authorization
		return true
	}
	switch code {
	case "25006", "3D000", "40001", "40P01", "55P03", "XX001", "XX002":
		// Read-only, no such database, conflicts, lock timeout, damage.
		return true
	}
	return false
}

func postgresConstraint(err error) string {
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		return ""
	}
	return e.ConstraintName
}

var _ gorm.GetDBConnector = (*postgresPool)(nil)
