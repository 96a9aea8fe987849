package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"footnote/assistants"
)

const (
	// probeInterval is how long the outcome of a probe is reused, so that frequent
	// requests of load balancers cost nothing.
	probeInterval = 10 * time.Second
	// probeRetryInterval is the same for a failure, which may be over soon.
	probeRetryInterval = time.Second
	// probeTimeout bounds a probe.
	probeTimeout = 5 * time.Second
)

// pingInTime returns an error if a database does not answer within probeTimeout.
// Otherwise a database that hangs would block the request until the client gives up.
func pingInTime(ctx context.Context, ping func(context.Context) error) error {
	pingCtx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	err := ping(pingCtx)
	if err != nil && pingCtx.Err() != nil && ctx.Err() == nil {
		return fmt.Errorf("nothing comes back in %s: %w", probeTimeout, assistants.ErrDatabaseUnavailable)
	}
	return err
}

// A writeProbe finds out whether data can be stored, by storing some: nothing else
// shows that a disk is full, read-only or broken.
type writeProbe struct {
	stores []probedStore
	now    func() time.Time

	mu    sync.Mutex
	until time.Time // err is reused until then
	err   error
}

// A probedStore is a store, and the kind of error to return when writing to it fails.
type probedStore struct {
	write  func(ctx context.Context) error
	failed error
}

// check returns the last outcome, or probes again when that is too old.
func (p *writeProbe) check(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.now().Before(p.until) {
		return p.err
	}
	// Later callers need the outcome even if this one has left.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), probeTimeout)
	defer cancel()
	p.err, p.until = nil, p.now().Add(probeInterval)
	for _, store := range p.stores {
		if err := store.write(ctx); err != nil {
			// Every error means that the store failed, also a timeout.
			p.err = fmt.Errorf("nothing can be stored: %w: %v", store.failed, err) //nolint:errorlint // only its text is wanted
			p.until = p.now().Add(probeRetryInterval)
			break
		}
	}
	return p.err
}
