package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"time"

	"github.com/go-sql-driver/mysql"

	"footnote/assistants"
)

// mysqlMigrationWaits lets a migration wait for other transactions on its tables.
const mysqlMigrationWaits = "SET SESSION lock_wait_timeout = 60, innodb_lock_wait_timeout = 60"

// lockMySQLMigrations takes the lock on migrations, which ends with its session. The
// returned pool has no limits, because building an index may take long.
func lockMySQLMigrations(ctx context.Context, config *mysql.Config) (_ *sql.DB, release func() error, err error) {
	sessions, err := mysqlSessions(config, mysqlModes, mysqlIsolation, mysqlMigrationWaits)
	if err != nil {
		return nil, nil, err
	}
	pool := sql.OpenDB(resumingConnector{sessions})
	pool.SetMaxOpenConns(2) // the lock's and the steps'
	conn, err := pool.Conn(ctx)
	if err == nil {
		var locked sql.NullBool
		err = conn.QueryRowContext(ctx, "SELECT GET_LOCK(?, ?)", lockName("migrate", config.DBName), int(migrationWait/time.Second)).Scan(&locked)
		if err == nil && !locked.Bool {
			err = fmt.Errorf("another process migrates for too long: %w", assistants.ErrDatabaseUnavailable)
		}
		if err == nil {
			err = resumeVersions(ctx, conn)
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

// ownMySQLDatabase refuses a database with tables of another program. A statement
// that makes a table which exists counts as done, so that such a table would pass
// for ours.
func ownMySQLDatabase(ctx context.Context, pool *sql.DB) error {
	var tables, ours int
	err := pool.QueryRowContext(ctx, "SELECT COUNT(*), COALESCE(SUM(table_name = 'goose_db_version'), 0)"+
		" FROM information_schema.tables WHERE table_schema = DATABASE()").Scan(&tables, &ours)
	if err == nil && tables > 0 && ours == 0 {
		err = errors.New("the database has tables of another program: create an empty database for this one")
	}
	return err
}

// resumeVersions completes the table of versions. It is made in two steps, and a
// process may have been killed in between.
func resumeVersions(ctx context.Context, conn *sql.Conn) error {
	var made bool
	err := conn.QueryRowContext(ctx, "SELECT COUNT(*) > 0 FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = 'goose_db_version'").Scan(&made)
	if err != nil || !made {
		return err
	}
	var versions int
	if err := conn.QueryRowContext(ctx, "SELECT COUNT(*) FROM goose_db_version").Scan(&versions); err != nil || versions > 0 {
		return err
	}
	_, err = conn.ExecContext(ctx, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (0, true)")
	return err
}

// A resumingConnector takes a change of the schema for done when it was made before.
// Every such statement commits at once there, so that a migration that was killed in
// the middle has made some of its statements. Each of them is atomic.
type resumingConnector struct{ driver.Connector }

// Connect implements driver.Connector.
func (c resumingConnector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return resumingConn{conn.(mysqlSession)}, nil //nolint:forcetypeassert // it is the driver's
}

type resumingConn struct{ mysqlSession }

// ExecContext implements driver.ExecerContext.
func (c resumingConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	result, err := c.mysqlSession.ExecContext(ctx, query, args)
	switch code, _ := mysqlCode(err); code {
	case mysqlTableExists, mysqlDuplicateColumn, mysqlDuplicateIndex, mysqlNoSuchIndex:
		return driver.ResultNoRows, nil
	}
	return result, err
}
