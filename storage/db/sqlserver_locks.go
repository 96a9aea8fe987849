package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"footnote/assistants"
)

// These take a lock of the database for as long as the session lasts. A negative result
// means that the lock was not taken: -1 that the time was over.
const (
	sqlserverLock = "DECLARE @taken int; " +
		"EXEC @taken = sp_getapplock @Resource = @p1, @LockMode = 'Exclusive', @LockOwner = 'Session', @LockTimeout = @p2; SELECT @taken"
	sqlserverExclusiveLock = "footnote-serve"
	sqlserverMigrationLock = "footnote-migrate"
)

// versionedRows asks whether readers see the rows as they were committed last.
const versionedRows = "SELECT is_read_committed_snapshot_on FROM sys.databases WHERE database_id = DB_ID()"

// versionedSQLServer refuses a database in which readers wait for writers, because two
// of them could wait for each other.
func versionedSQLServer(ctx context.Context, pool *sql.DB) error {
	var on bool
	err := pool.QueryRowContext(ctx, versionedRows).Scan(&on)
	if err == nil && !on {
		err = errors.New("readers of the database wait for writers: turn on its READ_COMMITTED_SNAPSHOT")
	}
	return err
}

// takeSQLServerLock takes a lock on a connection, which keeps it until it is closed.
func takeSQLServerLock(ctx context.Context, conn *sql.Conn, name string, wait time.Duration) (taken bool, err error) {
	var result int
	err = conn.QueryRowContext(ctx, sqlserverLock, name, int(wait.Milliseconds())).Scan(&result)
	if err == nil && result < -1 {
		err = fmt.Errorf("the lock %s: result %d: %w", name, result, assistants.ErrDatabaseUnavailable)
	}
	return result >= 0 && err == nil, err
}

// A sqlserverExclusive is a session that takes the exclusive lock. The server notices
// within a minute that the machine of a session died, and ends it.
type sqlserverExclusive struct {
	pool *sql.DB
	conn *sql.Conn
}

func connectSQLServerAlone(ctx context.Context, o sqlserverOptions) (exclusiveSession, error) {
	connector, err := o.connector(sqlserverSettings, exclusiveWait)
	if err != nil {
		return nil, err
	}
	s := sqlserverExclusive{pool: sql.OpenDB(connector)}
	if s.conn, err = s.pool.Conn(ctx); err != nil {
		return nil, errors.Join(err, s.pool.Close())
	}
	return s, nil
}

func (s sqlserverExclusive) lock(ctx context.Context) (bool, error) {
	return takeSQLServerLock(ctx, s.conn, sqlserverExclusiveLock, 0)
}

func (s sqlserverExclusive) broken(ctx context.Context) {
	for pause(ctx, exclusiveBeat) {
		if s.conn.PingContext(ctx) != nil {
			return
		}
	}
}

// close closes the connection, which may be broken already.
func (s sqlserverExclusive) close() {
	_ = s.conn.Close()
	_ = s.pool.Close()
}

// lockSQLServerMigrations takes the lock on migrations, which ends with its session. The
// returned pool has no limits, because building an index may take long.
func lockSQLServerMigrations(ctx context.Context, o sqlserverOptions) (_ *sql.DB, release func() error, err error) {
	connector, err := o.connector(sqlserverSettings, 0)
	if err != nil {
		return nil, nil, err
	}
	pool := sql.OpenDB(connector)
	pool.SetMaxOpenConns(2) // the lock's and the steps'
	conn, err := pool.Conn(ctx)
	if err == nil {
		var taken bool
		taken, err = takeSQLServerLock(ctx, conn, sqlserverMigrationLock, migrationWait)
		if err == nil && !taken {
			err = fmt.Errorf("another process migrates for too long: %w", assistants.ErrDatabaseUnavailable)
		}
		if err != nil {
			err = errors.Join(err, conn.Close())
		}
	}
	if err != nil {
		return nil, nil, errors.Join(err, pool.Close())
	}
	return pool, func() error {
		// Closing the pool ends the session, and with it the lock.
		return errors.Join(conn.Close(), pool.Close())
	}, nil
}
