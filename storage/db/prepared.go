package db

import (
	"context"
	"database/sql"
	"errors"
	"sync"

	"gorm.io/gorm"
)

// maxPrepared bounds the prepared statements. There are few texts, but those
// with IN lists vary with the length of the list.
const maxPrepared = 256

// preparedPool is a pool that keeps the statements of reads outside transactions
// prepared, because parsing is most of the cost of a lookup by key. GORM's own
// cache would start a goroutine that never ends.
type preparedPool struct {
	*sql.DB
	mu         sync.RWMutex
	statements map[string]*sql.Stmt
	limit      int
}

func newPreparedPool(db *sql.DB) *preparedPool {
	return &preparedPool{DB: db, statements: make(map[string]*sql.Stmt), limit: maxPrepared}
}

// GetDBConn implements gorm.GetDBConnector.
func (p *preparedPool) GetDBConn() (*sql.DB, error) { return p.DB, nil }

// QueryContext implements gorm.ConnPool.
func (p *preparedPool) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	stmt, err := p.prepared(ctx, query)
	if err != nil {
		return nil, err
	}
	if stmt == nil {
		return p.DB.QueryContext(ctx, query, args...)
	}
	return stmt.QueryContext(ctx, args...)
}

// BeginTx implements gorm.ConnPoolBeginner.
func (p *preparedPool) BeginTx(ctx context.Context, opts *sql.TxOptions) (gorm.ConnPool, error) {
	tx, err := p.DB.BeginTx(ctx, opts)
	if err != nil {
		return nil, err
	}
	return &repeatingTx{Tx: tx}, nil
}

// A repeatingTx keeps the last statement prepared, because rows that are inserted some
// at a time have the same statement again and again.
type repeatingTx struct {
	*sql.Tx
	text string
	stmt *sql.Stmt // nil: none yet
}

// ExecContext implements gorm.ConnPool.
func (tx *repeatingTx) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if tx.stmt == nil || tx.text != query {
		stmt, err := tx.PrepareContext(ctx, query)
		if err != nil {
			return nil, err
		}
		if tx.stmt != nil {
			_ = tx.stmt.Close() // it has reported its errors
		}
		tx.text, tx.stmt = query, stmt
	}
	return tx.stmt.ExecContext(ctx, args...)
}

// prepared returns the statement for a text, or nil when the cache is full.
func (p *preparedPool) prepared(ctx context.Context, query string) (*sql.Stmt, error) {
	p.mu.RLock()
	stmt, full := p.statements[query], len(p.statements) >= p.limit
	p.mu.RUnlock()
	if stmt != nil || full {
		return stmt, nil
	}
	// Prepare without the lock, because it waits for a connection that a reader
	// waiting for the lock may hold.
	fresh, err := p.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if stmt = p.statements[query]; stmt != nil {
		return stmt, fresh.Close()
	}
	p.statements[query] = fresh
	return fresh, nil
}

// Close closes the statements and the pool.
func (p *preparedPool) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var errs []error
	for query, stmt := range p.statements {
		errs = append(errs, stmt.Close())
		delete(p.statements, query)
	}
	return errors.Join(append(errs, p.DB.Close())...)
}
