package db

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"sync"
	"time"

	"footnote/assistants"
)

// connIdle is how long a connection may stay unused before it is replaced. Firewalls
// forget such connections without a word.
const connIdle = 3 * time.Minute

// session is what the connections of every driver can do. database/sql looks for each
// of these, so that a wrapper must have them all.
type session interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.Pinger
	driver.NamedValueChecker
	driver.SessionResetter
	driver.Validator
}

// mysqlSession is what those of MySQL can do: they need not prepare statements.
type mysqlSession interface {
	session
	driver.ExecerContext
	driver.QueryerContext
}

// A connPool keeps connections beneath database/sql, which has no limit for the time
// that a caller waits for a free one. It is used with SetMaxIdleConns(0).
type connPool struct {
	driver.Connector
	wait  time.Duration
	slots chan struct{} // one for each connection in use

	mu     sync.Mutex
	idle   []idleConn
	resets int // number of resets
	closed bool
}

type idleConn struct {
	conn  session
	since time.Time
}

func newConnPool(connector driver.Connector, conns int, wait time.Duration) *connPool {
	return &connPool{Connector: connector, wait: wait, slots: make(chan struct{}, conns)}
}

// Connect implements driver.Connector.
func (p *connPool) Connect(ctx context.Context) (driver.Conn, error) {
	select {
	case p.slots <- struct{}{}:
	default:
		timeout := time.NewTimer(p.wait)
		defer timeout.Stop()
		select {
		case p.slots <- struct{}{}:
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-timeout.C:
			return nil, fmt.Errorf("no connection is free: %w", assistants.ErrDatabaseUnavailable)
		}
	}
	p.mu.Lock()
	resets := p.resets
	p.mu.Unlock()
	for conn := p.take(); conn != nil; conn = p.take() {
		if conn.ResetSession(ctx) == nil {
			return &pooledConn{session: conn, pool: p, resets: resets}, nil
		}
		_ = conn.Close() // it is broken
	}
	conn, err := p.Connector.Connect(ctx)
	if err != nil {
		<-p.slots
		return nil, err
	}
	return &pooledConn{session: conn.(session), pool: p, resets: resets}, nil //nolint:forcetypeassert // it is the driver's
}

// take returns the connection that was used last, nil if there is none.
func (p *connPool) take() session {
	p.mu.Lock()
	var old []idleConn
	for len(p.idle) > 0 && time.Since(p.idle[0].since) > connIdle {
		old, p.idle = append(old, p.idle[0]), p.idle[1:]
	}
	var conn session
	if last := len(p.idle) - 1; last >= 0 {
		conn, p.idle = p.idle[last].conn, p.idle[:last]
	}
	p.mu.Unlock()
	for _, o := range old {
		_ = o.conn.Close() // it may be broken
	}
	return conn
}

// reset closes idle connections, and those in use when they are given back.
func (p *connPool) reset() { _ = p.drop(false) } // they may be broken

// close is reset for good.
func (p *connPool) close() error { return p.drop(true) }

func (p *connPool) drop(closed bool) error {
	p.mu.Lock()
	idle := p.idle
	p.idle, p.closed = nil, p.closed || closed
	p.resets++
	p.mu.Unlock()
	var errs []error
	for _, i := range idle {
		errs = append(errs, i.conn.Close())
	}
	return errors.Join(errs...)
}

// keep takes a connection back, unless it is of no more use.
func (p *connPool) keep(conn session, resets int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || p.resets != resets {
		return false
	}
	p.idle = append(p.idle, idleConn{conn, time.Now()})
	return true
}

// A pooledConn goes back to its pool when it is closed.
type pooledConn struct {
	session
	pool   *connPool
	resets int
}

// ExecContext implements driver.ExecerContext.
func (c *pooledConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if direct, ok := c.session.(driver.ExecerContext); ok {
		return direct.ExecContext(ctx, query, args)
	}
	return nil, driver.ErrSkip // database/sql prepares the statement
}

// QueryContext implements driver.QueryerContext.
func (c *pooledConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if direct, ok := c.session.(driver.QueryerContext); ok {
		return direct.QueryContext(ctx, query, args)
	}
	return nil, driver.ErrSkip
}

// Close implements driver.Conn.
func (c *pooledConn) Close() error {
	defer func() { <-c.pool.slots }()
	if c.IsValid() && c.pool.keep(c.session, c.resets) {
		return nil
	}
	return c.session.Close()
}
