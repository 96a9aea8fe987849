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
	// exclusiveLock is the advisory lock of the process that has the database to
	// itself. The number is arbitrary.
	exclusiveLock = migrationLock + 1
	// exclusiveWait is how long to try for a lock that is taken, because the
	// server may not have noticed yet that its holder died.
	exclusiveWait = 5 * time.Second
	// exclusivePause is the time between two tries.
	exclusivePause = 500 * time.Millisecond
)

// Exclude keeps other processes that call it from using the database until
// release is called. A file needs no lock here, because its users lock it
// themselves. ErrConflict: another process has the lock. If the connection that
// holds the lock breaks, the lock is taken again as soon as the database
// answers. If another process has it by then, onLost is called and this
// process must stop.
func (s *Store) Exclude(ctx context.Context, onLost func(error)) (release func(), err error) {
	if s.backend.connect == nil {
		return func() {}, nil
	}
	conn, err := s.acquireExclusive(ctx)
	if err != nil {
		return nil, s.wrap(ctx, "exclude other processes", err)
	}
	watchCtx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := s.holdExclusive(watchCtx, conn); err != nil && watchCtx.Err() == nil {
			onLost(s.wrap(watchCtx, "exclude other processes", err))
		}
	}()
	return func() { cancel(); <-done }, nil
}

// acquireExclusive takes the lock on its own connection, which holds it until it
// is closed.
func (s *Store) acquireExclusive(ctx context.Context) (*pgx.Conn, error) {
	conn, err := s.backend.connect(ctx)
	if err != nil {
		return nil, err
	}
	// With keepalives the server frees the lock within a minute after this machine dies.
	_, err = conn.Exec(ctx, "SET tcp_keepalives_idle = 15; SET tcp_keepalives_interval = 15; SET tcp_keepalives_count = 3", pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		closeQuietly(conn)
		return nil, err
	}
	for end := time.Now().Add(exclusiveWait); ; {
		var acquired bool
		err := conn.QueryRow(ctx, "SELECT pg_try_advisory_lock($1)", int64(exclusiveLock)).Scan(&acquired)
		if err == nil && acquired {
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

// holdExclusive holds the lock until ctx ends and reconnects when needed. It
// returns an error when another process has the lock.
func (s *Store) holdExclusive(ctx context.Context, conn *pgx.Conn) error {
	for {
		// There are no notifications; this returns when the connection ends.
		for err := error(nil); err == nil; {
			_, err = conn.WaitForNotification(ctx)
		}
		closeQuietly(conn)
		for {
			if !pause(ctx, exclusivePause) {
				return nil
			}
			var err error
			if conn, err = s.acquireExclusive(ctx); err == nil {
				break
			}
			if errors.Is(err, assistants.ErrConflict) {
				return err
			}
		}
	}
}

// closeQuietly closes a connection that may be broken already.
func closeQuietly(conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = conn.Close(ctx)
}

// pause waits. It returns false when ctx ends first.
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
