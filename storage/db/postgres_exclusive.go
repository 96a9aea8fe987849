package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
)

// A postgresExclusive is a connection that takes the exclusive lock.
type postgresExclusive struct{ *pgx.Conn }

// connectAlone makes a connection that is closed when the context of a call
// ends. The default handler would send a cancel request, but between statements
// the server has nothing to cancel.
func connectAlone(ctx context.Context, config *pgx.ConnConfig) (exclusiveSession, error) {
	config = config.Copy()
	config.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.DeadlineContextWatcherHandler{Conn: conn.Conn()}
	}
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	p := postgresExclusive{conn}
	// With keepalives the server frees the lock within a minute after this machine dies.
	_, err = conn.Exec(ctx, "SET tcp_keepalives_idle = 15; SET tcp_keepalives_interval = 15; SET tcp_keepalives_count = 3", pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

func (p postgresExclusive) lock(ctx context.Context) (acquired bool, err error) {
	err = p.QueryRow(ctx, "SELECT pg_try_advisory_lock($1)", int64(exclusiveLock)).Scan(&acquired)
	return acquired, err
}

func (p postgresExclusive) broken(ctx context.Context) {
	// There are no notifications; this returns when the connection ends.
	for err := error(nil); err == nil; {
		_, err = p.WaitForNotification(ctx)
	}
}

// close closes the connection, which may be broken already.
func (p postgresExclusive) close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = p.Close(ctx)
}
