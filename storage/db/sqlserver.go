package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	mssql "github.com/microsoft/go-mssqldb"
	"github.com/microsoft/go-mssqldb/msdsn"
	"gorm.io/gorm"

	"footnote/assistants"
)

const (
	// sqlserverConns is the most connections that a process opens, unless the URL sets
	// pool_max_conns.
	sqlserverConns = 16
	// sqlserverConnect is the timeout of connecting, unless the URL sets connect_timeout.
	sqlserverConnect = 5 * time.Second
	// sqlserverStatement is how long the server may be silent during a statement, unless
	// the URL sets statement_timeout. Then the connection is closed, which ends the
	// statement and its transaction.
	sqlserverStatement = 30 * time.Second
)

// These are run when a connection is made, and when it is used again. An index with a
// condition and names in quotes need the settings, whatever the server's defaults are.
const (
	sqlserverSettings = "SET XACT_ABORT OFF; SET NOCOUNT OFF; SET NUMERIC_ROUNDABORT OFF; " +
		"SET ANSI_NULLS, ANSI_PADDING, ANSI_WARNINGS, ARITHABORT, CONCAT_NULL_YIELDS_NULL, QUOTED_IDENTIFIER ON; " +
		"SET TRANSACTION ISOLATION LEVEL READ COMMITTED"
	// sqlserverPatient sessions wait for a lock of rows for a while, not forever.
	sqlserverPatient = sqlserverSettings + "; SET LOCK_TIMEOUT 10000"
)

// sqlserverOptions are the parts of a URL.
type sqlserverOptions struct {
	server    url.URL // as the driver reads it
	at        string  // host and port
	user      string
	database  string
	conns     int
	connect   time.Duration
	statement time.Duration
}

// openSQLServer opens the database of a "sqlserver://" URL. It does not connect yet.
func openSQLServer(rawURL string, opts Options) (backend, error) {
	o, err := parseSQLServer(rawURL)
	if err != nil {
		return backend{}, err
	}
	connector, err := o.connector(sqlserverPatient, o.statement)
	if err != nil {
		return backend{}, badSQLServerURL()
	}
	conns := newConnPool(connector, o.conns, opts.BusyTimeout)
	p := &sqlserverPool{DB: sql.OpenDB(conns), conns: conns, readOnly: opts.ReadOnly}
	p.SetMaxIdleConns(0) // the pool beneath keeps them
	return backend{
		name: "sqlserver", dialect: dialects["sqlserver"], pool: p,
		dialector:   newSQLServerDialector(p),
		unreachable: func(err error) error { return sqlserverUnreachable(err, o) },
		unavailable: sqlserverUnavailable, retryable: sqlserverRetryable, outcomeUnknown: sqlserverOutcomeUnknown, constraint: sqlserverConstraint, reset: p.reset,
		connect:        func(ctx context.Context) (exclusiveSession, error) { return connectSQLServerAlone(ctx, o) },
		lockMigrations: func(ctx context.Context) (*sql.DB, func() error, error) { return lockSQLServerMigrations(ctx, o) },
		own:            versionedSQLServer,
	}, nil
}

// parseSQLServer reads "sqlserver://user:password@host:port/name".
func parseSQLServer(rawURL string) (sqlserverOptions, error) {
	o := sqlserverOptions{conns: sqlserverConns, connect: sqlserverConnect, statement: sqlserverStatement}
	u, err := url.Parse(rawURL)
	if err != nil || hasStrayAt(rawURL) || u.Hostname() == "" || len(u.Path) < 2 || u.User.Username() == "" {
		return o, badSQLServerURL()
	}
	port := u.Port()
	if port == "" {
		port = "1433"
	}
	o.at, o.user, o.database = net.JoinHostPort(u.Hostname(), port), u.User.Username(), strings.TrimPrefix(u.Path, "/")
	driverSays := url.Values{"database": {o.database}, "app name": {"footnote"}, "encrypt": {"true"}}
	for name, values := range u.Query() {
		if err := o.set(driverSays, name, values[len(values)-1]); err != nil {
			return o, badSQLServerURL()
		}
	}
	o.server = url.URL{Scheme: "sqlserver", Host: o.at, User: u.User, RawQuery: driverSays.Encode()}
	if _, err := o.connector("", 0); err != nil {
		return o, badSQLServerURL()
	}
	return o, nil
}

func (o *sqlserverOptions) set(driverSays url.Values, name, value string) (err error) {
	switch name {
	case "encrypt":
		if value != "true" && value != "strict" && value != "disable" {
			return errors.New("unknown")
		}
		driverSays.Set("encrypt", value)
	case "trust_server_certificate":
		_, err = strconv.ParseBool(value)
		driverSays.Set("TrustServerCertificate", value)
	case "certificate":
		driverSays.Set("certificate", value)
	case "pool_max_conns":
		o.conns, err = strconv.Atoi(value)
		if err == nil && o.conns < 1 {
			err = errors.New("not positive")
		}
	case "connect_timeout":
		o.connect, err = secondsOf(value)
	case "statement_timeout":
		o.statement, err = secondsOf(value)
	default:
		err = errors.New("unknown")
	}
	return err
}

// badSQLServerURL does not repeat the URL, which may contain a password.
func badSQLServerURL() error {
	return &assistants.FieldError{Field: "database_url",
		Message: "The database URL cannot be read; write it as sqlserver://user:password@host:1433/name, with special characters of the password percent-encoded. " +
			"Its parameters are encrypt (true, strict or disable), certificate (a file), trust_server_certificate, pool_max_conns, connect_timeout and statement_timeout."}
}

// connector makes connections that begin with some statements. silence is how long the
// server may take to answer; 0: for as long as it likes.
func (o *sqlserverOptions) connector(begin string, silence time.Duration) (driver.Connector, error) {
	config, err := msdsn.Parse(o.server.String())
	if err != nil {
		return nil, err
	}
	config.DialTimeout, config.ConnTimeout = o.connect, silence
	c := mssql.NewConnectorConfig(config)
	c.SessionInitSQL = begin
	return timelyConnector{c, o.connect}, nil
}

// A timelyConnector limits the time of connecting and beginning.
type timelyConnector struct {
	driver.Connector
	timeout time.Duration
}

// Connect implements driver.Connector.
func (c timelyConnector) Connect(ctx context.Context) (driver.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	return c.Connector.Connect(ctx)
}

// A sqlserverPool repeats a read whose connection breaks.
type sqlserverPool struct {
	*sql.DB
	conns    *connPool
	readOnly bool
}

// GetDBConn implements gorm.GetDBConnector.
func (p *sqlserverPool) GetDBConn() (*sql.DB, error) { return p.DB, nil }

// QueryContext implements gorm.ConnPool.
func (p *sqlserverPool) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	rows, err := p.DB.QueryContext(ctx, query, args...)
	if err == nil || ctx.Err() != nil || !sqlserverLost(err) {
		return rows, err //nolint:rowserrcheck // they are the caller's
	}
	p.reset(err)
	return p.DB.QueryContext(ctx, query, args...)
}

// BeginTx implements gorm.TxBeginner. Every write is in a transaction, and the server
// has no sessions that can only read.
func (p *sqlserverPool) BeginTx(ctx context.Context, opts *sql.TxOptions) (*sql.Tx, error) {
	if p.readOnly {
		return nil, fmt.Errorf("the database was opened to be read: %w", assistants.ErrDatabaseUnavailable)
	}
	return p.DB.BeginTx(ctx, opts)
}

// reset drops idle connections when err means that one broke: they lead to the
// same server, which may be gone.
func (p *sqlserverPool) reset(err error) {
	if sqlserverLost(err) {
		p.conns.reset()
	}
}

// Close ends all connections.
func (p *sqlserverPool) Close() error {
	return errors.Join(p.DB.Close(), p.conns.close())
}

var _ gorm.GetDBConnector = (*sqlserverPool)(nil)
