package db

import (
	"context"
	"database/sql/driver"
	"errors"
	"time"

	"github.com/go-sql-driver/mysql"
)

// exclusiveBeat is how often the holder of the lock shows that it lives. The server
// ends a session that is silent for exclusiveSilence, so that the lock of a machine
// that died is free within a minute.
const (
	exclusiveBeat    = time.Second
	exclusiveSilence = "SET SESSION wait_timeout = 45"
)

// A mysqlExclusive is a session that takes the exclusive lock.
type mysqlExclusive struct {
	conn mysqlSession
	name driver.NamedValue
}

func connectMySQLAlone(ctx context.Context, config *mysql.Config) (exclusiveSession, error) {
	config = config.Clone()
	config.ReadTimeout, config.WriteTimeout = exclusiveWait, exclusiveWait
	sessions, err := mysqlSessions(config, mysqlModes, exclusiveSilence)
	if err != nil {
		return nil, err
	}
	conn, err := sessions.Connect(ctx)
	if err != nil {
		return nil, err
	}
	name := driver.NamedValue{Ordinal: 1, Value: lockName("serve", config.DBName)}
	return mysqlExclusive{conn.(mysqlSession), name}, nil //nolint:forcetypeassert // it is the driver's
}

func (m mysqlExclusive) lock(ctx context.Context) (bool, error) {
	rows, err := m.conn.QueryContext(ctx, "SELECT GET_LOCK(?, 0)", []driver.NamedValue{m.name})
	if err != nil {
		return false, err
	}
	row := make([]driver.Value, 1)
	if err := errors.Join(rows.Next(row), rows.Close()); err != nil {
		return false, err
	}
	// An error of the server is NULL; the next try shows if it lasts.
	n, _ := row[0].(int64)
	return n == 1, nil
}

func (m mysqlExclusive) broken(ctx context.Context) {
	for pause(ctx, exclusiveBeat) {
		if m.conn.Ping(ctx) != nil {
			return
		}
	}
}

func (m mysqlExclusive) close() { _ = m.conn.Close() } // it may be broken already
