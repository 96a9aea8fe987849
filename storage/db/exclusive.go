package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"footnote/assistants"
)

const (
	// exclusiveLock is the advisory lock of the one process that has the
	// database to itself; any number that nobody else takes will do.
	exclusiveLock = migrationLock + 1
	// exclusiveWait is how long a lock that somebody has is asked for: the
	// server may not have noticed yet that its holder died.
	exclusiveWait = 5 * time.Second
	// exclusivePause is the time between two attempts.
	exclusivePause = 500 * time.Millisecond
)

// Exclude keeps other processes that call it from the database until release
// is called. A file needs no such lock here: its users lock it themselves. The
// error is ErrConflict when another process has the lock. When the connection
// that holds it breaks, it is taken again as soon as the database answers; if
// another process has it then, lost is called and this one must stop.
func (s *Store) Exclude(ctx context.Context, lost func(error)) (release func(), err error) {
	if s.backend.connect == nil {
		return func() {}, nil
	}
	conn, err := s.takeExclusive(ctx)
	if err != nil {
		return nil, s.wrap(ctx, "exclude other processes", err)
	}
	watching, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := s.keepExclusive(watching, conn); err != nil && watching.Err() == nil {
			lost(s.wrap(watching, "exclude other processes", err))
		}
	}()
	return func() { cancel(); <-done }, nil
}

// takeExclusive takes the lock on a connection of its own, whose end is the lock's.
func (s *Store) takeExclusive(ctx context.Context) (*pgx.Conn, error) {
	conn, err := s.backend.connect(ctx)
	if err != nil {
		return nil, err
	}
	// The server looks whether this process still lives, and frees the lock within a minute of a machine's end.
	_, err = conn.Exec(ctx, "SET tcp_keepalives_idle = 15; SET tcp_keepalives_interval = 15; SET tcp_keepalives_count = 3", pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		closeQuietly(conn)
		return nil, err
	}
	for end := time.Now().Add(exclusiveWait); ; {
		var taken bool
		err := conn.QueryRow(ctx, "SELECT pg_try_advisory_lock($1)", int64(exclusiveLock)).Scan(&taken)
		if err == nil && taken {
			return conn, nil
		}
		if err == nil && time.Now().After(end) {
			err = fmt.Errorf("another process has the database: %w", assistants.ErrConflict)
		}
		if err != nil {
			closeQuietly(conn)
			return nil, err
		}
		if !pause(ctx, exclusivePause) {
			closeQuietly(conn)
			return nil, ctx.Err()
		}
	}
}

// keepExclusive holds the lock until ctx ends, through as many connections as
// it takes. Its error says that another process has it now.
func (s *Store) keepExclusive(ctx context.Context, conn *pgx.Conn) error {
	for {
		// Nobody notifies: this waits for the end of the connection.
		for err := error(nil); err == nil; {
			_, err = conn.WaitForNotification(ctx)
		}
		closeQuietly(conn)
		for {
			if !pause(ctx, exclusivePause) {
				return nil
			}
			var err error
			if conn, err = s.takeExclusive(ctx); err == nil {
				break
			}
			if errors.Is(err, assistants.ErrConflict) {
				return err
			}
		}
	}
}

// closeQuietly closes a connection that may be broken, which is no news.
func closeQuietly(conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = conn.Close(ctx)
}

// pause waits; it is false when ctx ends before.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
