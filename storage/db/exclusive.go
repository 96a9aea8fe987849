package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"footnote/assistants"
)

const (
	// exclusiveWait is how long to try for a lock that is taken, because the
	// server may not have noticed yet that its holder died.
	exclusiveWait = 5 * time.Second
	// exclusivePause is the time between two tries.
	exclusivePause = 500 * time.Millisecond
)

// An exclusiveSession is a connection that takes the exclusive lock and holds it until
// it is closed.
type exclusiveSession interface {
	// lock tries to take the lock.
	lock(ctx context.Context) (acquired bool, err error)
	// broken returns when the connection is broken or ctx ends.
	broken(ctx context.Context)
	close()
}

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
func (s *Store) acquireExclusive(ctx context.Context) (exclusiveSession, error) {
	conn, err := s.backend.connect(ctx)
	if err != nil {
		return nil, err
	}
	for end := time.Now().Add(exclusiveWait); ; {
		acquired, err := conn.lock(ctx)
		if err == nil && acquired {
			return conn, nil
		}
		if err == nil && time.Now().After(end) {
			err = fmt.Errorf("another process has the database: %w", assistants.ErrConflict)
		}
		if err != nil {
			conn.close()
			return nil, err
		}
		if !pause(ctx, exclusivePause) {
			conn.close()
			return nil, ctx.Err()
		}
	}
}

// holdExclusive holds the lock until ctx ends and reconnects when needed. It
// returns an error when another process has the lock.
func (s *Store) holdExclusive(ctx context.Context, conn exclusiveSession) error {
	for {
		conn.broken(ctx)
		conn.close()
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
