package db

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"database/sql/driver"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
	gormmysql "gorm.io/driver/mysql"
	"gorm.io/gorm"

	"footnote/assistants"
)

const (
	// mysqlConns is the most connections that a process opens, unless the URL sets
	// pool_max_conns.
	mysqlConns = 16
	// mysqlConnect is the timeout of connecting, unless the URL sets connect_timeout.
	mysqlConnect = 5 * time.Second
	// mysqlStatement is how long a statement may take, unless the URL sets
	// statement_timeout.
	mysqlStatement = 30 * time.Second
	// mysqlSilence is how much longer than a statement may take the client waits for
	// the server's answer, before it takes the connection for dead.
	mysqlSilence = 10 * time.Second
)

// Settings of every session. They make MySQL and MariaDB behave as the other
// databases do: texts are never cut, times are UTC, and a transaction sees what
// others have committed. A comment that begins with M! is for MariaDB only, one
// with !80000 for MySQL only.
const (
	mysqlIsolation = "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED"
	mysqlModes     = "SET SESSION time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'"
	mysqlReadOnly  = "SET SESSION TRANSACTION READ ONLY"
	// mysqlWaits makes sure that nothing waits forever, and that a transaction whose
	// process hangs releases its locks.
	mysqlWaits = "SET SESSION innodb_lock_wait_timeout = 10, lock_wait_timeout = 10 /*M! , idle_transaction_timeout = 60 */"
)

// mysqlOptions are the parameters of a URL.
type mysqlOptions struct {
	config    *mysql.Config
	conns     int
	statement time.Duration
}

// openMySQL opens the database of a "mysql://" URL. It does not connect yet.
func openMySQL(rawURL string, opts Options) (backend, error) {
	o, err := parseMySQL(rawURL)
	if err != nil {
		return backend{}, err
	}
	limited := o.config.Clone()
	limited.ReadTimeout, limited.WriteTimeout = o.statement+mysqlSilence, o.statement+mysqlSilence
	begin := []string{mysqlModes, mysqlIsolation, mysqlWaits, statementLimit(o.statement)}
	if opts.ReadOnly {
		begin = append(begin, mysqlReadOnly)
	}
	connector, err := mysqlSessions(limited, begin...)
	if err != nil {
		return backend{}, badMySQLURL()
	}
	conns := newConnPool(largeConnector{connector}, o.conns, opts.BusyTimeout)
	p := &mysqlPool{DB: sql.OpenDB(conns), conns: conns}
	p.SetMaxIdleConns(0) // the pool beneath keeps them
	return backend{
		name: "mysql", dialect: dialects["mysql"], pool: p,
		dialector:   mysqlDialector{gormmysql.New(gormmysql.Config{Conn: p, SkipInitializeWithVersion: true}).(*gormmysql.Dialector)}, //nolint:forcetypeassert // it makes no other
		unreachable: func(err error) error { return mysqlUnreachable(err, o.config) },
		unavailable: mysqlUnavailable, retryable: mysqlRetryable, outcomeUnknown: mysqlOutcomeUnknown, constraint: mysqlConstraint, reset: p.reset,
		connect:        func(ctx context.Context) (exclusiveSession, error) { return connectMySQLAlone(ctx, o.config) },
		lockMigrations: func(ctx context.Context) (*sql.DB, func() error, error) { return lockMySQLMigrations(ctx, o.config) },
		own:            ownMySQLDatabase,
	}, nil
}

// parseMySQL reads "mysql://user:password@host:port/name". A parameter that it does
// not know is an error, because the driver would send it to the server as SQL.
func parseMySQL(rawURL string) (mysqlOptions, error) {
	o := mysqlOptions{config: mysql.NewConfig(), conns: mysqlConns, statement: mysqlStatement}
	u, err := url.Parse(rawURL)
	if err != nil || hasStrayAt(rawURL) || u.Hostname() == "" || len(u.Path) < 2 || u.User.Username() == "" {
		return o, badMySQLURL()
	}
	port := u.Port()
	if port == "" {
		port = "3306"
	}
	c := o.config
	c.Net, c.Addr, c.DBName = "tcp", net.JoinHostPort(u.Hostname(), port), strings.TrimPrefix(u.Path, "/")
	c.User = u.User.Username()
	c.Passwd, _ = u.User.Password() // without one it is empty
	c.Timeout = mysqlConnect
	c.Collation = "utf8mb4_bin"
	c.Logger = &mysql.NopLogger{} // its errors are returned as well
	c.ParseTime, c.InterpolateParams = true, true
	// An update counts the rows that it finds, as other databases do, and not those that it changes.
	c.ClientFoundRows = true
	c.MaxAllowedPacket = 0 // what the server says
	for name, values := range u.Query() {
		if err := o.set(name, values[len(values)-1]); err != nil {
			return o, badMySQLURL()
		}
	}
	if _, err := mysql.NewConnector(c); err != nil {
		return o, badMySQLURL()
	}
	return o, nil
}

func (o *mysqlOptions) set(name, value string) (err error) {
	switch name {
	case "tls":
		o.config.TLSConfig = value
		o.config.AllowFallbackToPlaintext = value == "preferred"
	case "pool_max_conns":
		o.conns, err = strconv.Atoi(value)
		if err == nil && o.conns < 1 {
			err = errors.New("not positive")
		}
	case "connect_timeout":
		o.config.Timeout, err = secondsOf(value)
	case "statement_timeout":
		o.statement, err = secondsOf(value)
	default:
		err = errors.New("unknown")
	}
	return err
}

// secondsOf reads a number of seconds, or a duration with its unit.
func secondsOf(value string) (time.Duration, error) {
	d, err := time.ParseDuration(value)
	if n, numberErr := strconv.Atoi(value); numberErr == nil {
		d, err = time.Duration(n)*time.Second, nil
	}
	if err == nil && d < time.Millisecond {
		err = errors.New("not positive")
	}
	return d, err
}

// badMySQLURL does not repeat the URL, which may contain a password.
func badMySQLURL() error {
	return &assistants.FieldError{Field: "database_url",
		Message: "The database URL cannot be read; write it as mysql://user:password@host:3306/name?tls=true, with special characters of the password percent-encoded. " +
			"Its parameters are tls (true, skip-verify, preferred or false), pool_max_conns, connect_timeout and statement_timeout."}
}

// statementLimit limits the time of a statement; on MySQL, that of a query only.
func statementLimit(limit time.Duration) string {
	return fmt.Sprintf("SET SESSION sql_safe_updates = 0 /*M! , max_statement_time = %g */ /*!80000 , max_execution_time = %d */", limit.Seconds(), limit.Milliseconds())
}

// mysqlSessions returns a connector whose connections begin with some statements.
func mysqlSessions(config *mysql.Config, begin ...string) (driver.Connector, error) {
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return nil, err
	}
	return sessionConnector{connector, config.Timeout, begin}, nil
}

type sessionConnector struct {
	driver.Connector
	timeout time.Duration // of connecting and beginning
	begin   []string
}

// Connect implements driver.Connector.
func (c sessionConnector) Connect(ctx context.Context) (driver.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	session := conn.(mysqlSession) //nolint:forcetypeassert // it is the driver's
	for _, statement := range c.begin {
		if _, err := session.ExecContext(ctx, statement, nil); err != nil {
			return nil, errors.Join(err, conn.Close())
		}
	}
	return conn, nil
}

// A largeConnector makes connections that recognise a statement that is too large.
type largeConnector struct{ driver.Connector }

// Connect implements driver.Connector.
func (c largeConnector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return largeConn{conn.(mysqlSession)}, nil //nolint:forcetypeassert // it is the driver's
}

type largeConn struct{ mysqlSession }

// PrepareContext implements driver.ConnPrepareContext. Parameters are put into the text
// of a statement by the driver; it prepares only what gets too large for that.
func (c largeConn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	stmt, err := c.mysqlSession.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	return largeStatement{stmt.(mysqlPrepared)}, nil //nolint:forcetypeassert // it is the driver's
}

// mysqlPrepared is what the driver's prepared statements can do.
type mysqlPrepared interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
	driver.NamedValueChecker
}

// A largeStatement recognises that the server refuses its size.
type largeStatement struct{ mysqlPrepared }

// ExecContext implements driver.StmtExecContext.
func (s largeStatement) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	result, err := s.mysqlPrepared.ExecContext(ctx, args)
	return result, mysqlTooLarge(err)
}

// A mysqlPool repeats a read whose connection breaks.
type mysqlPool struct {
	*sql.DB
	conns *connPool
}

// GetDBConn implements gorm.GetDBConnector.
func (p *mysqlPool) GetDBConn() (*sql.DB, error) { return p.DB, nil }

// QueryContext implements gorm.ConnPool.
func (p *mysqlPool) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	rows, err := p.DB.QueryContext(ctx, query, args...)
	if err == nil || ctx.Err() != nil || !mysqlLost(err) {
		return rows, err //nolint:rowserrcheck // they are the caller's
	}
	p.reset(err)
	return p.DB.QueryContext(ctx, query, args...)
}

// reset drops idle connections when err means that one broke: they lead to the
// same server, which may be gone.
func (p *mysqlPool) reset(err error) {
	if mysqlLost(err) {
		p.conns.reset()
	}
}

// Close ends all connections.
func (p *mysqlPool) Close() error {
	return errors.Join(p.DB.Close(), p.conns.close())
}

// mysqlDialector adapts GORM's MySQL.
type mysqlDialector struct{ *gormmysql.Dialector }

// Translate turns constraint violations into GORM's errors and keeps the original.
func (d mysqlDialector) Translate(err error) error {
	if kind := d.Dialector.Translate(err); errors.Is(kind, gorm.ErrDuplicatedKey) {
		return fmt.Errorf("%w: %w", kind, err)
	}
	return err
}

// lockName names a lock of one database. The server has one space of names for the
// locks of all its databases, and a name has at most 64 characters.
func lockName(purpose, database string) string {
	sum := sha256.Sum256([]byte(database))
	return "footnote-" + purpose + "-" + hex.EncodeToString(sum[:16])
}

var _ gorm.GetDBConnector = (*mysqlPool)(nil)
