package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"footnote/assistants"
)

const (
	// probeEvery is how long the outcome of a probe stands: a balancer that asks
	// each second costs no more than one that asks each ten.
	probeEvery = 10 * time.Second
	// probeAgain is the same for a failure, which should be over soon.
	probeAgain = time.Second
	// probeTime bounds a probe.
	probeTime = 5 * time.Second
)

// answers reports whether a database answers within probeTime. A database that
// hangs would otherwise block its caller until that one gives up.
func answers(ctx context.Context, ping func(context.Context) error) error {
	asking, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	err := ping(asking)
	if err != nil && asking.Err() != nil && ctx.Err() == nil {
		return fmt.Errorf("nothing comes back in %s: %w", probeTime, assistants.ErrDatabaseUnavailable)
	}
	return err
}

// A writeProbe finds out whether things can be stored, by storing something:
// nothing else shows that a disk is full, read-only or broken.
type writeProbe struct {
	stores []probedStore
	now    func() time.Time

	mu    sync.Mutex
	until time.Time // how long err stands
	err   error
}

// A probedStore is something that is written to, and what it is when that fails.
type probedStore struct {
	write  func(ctx context.Context) error
	failed error
}

// check returns the last outcome, or a new one when that is too old.
func (p *writeProbe) check(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.now().Before(p.until) {
		return p.err
	}
	// The caller may leave, but the outcome is for later callers, too.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), probeTime)
	defer cancel()
	p.err, p.until = nil, p.now().Add(probeEvery)
	for _, store := range p.stores {
		if err := store.write(ctx); err != nil {
			// Every error is the store's failure, also the end of probeTime.
			p.err = fmt.Errorf("nothing can be stored: %w: %v", store.failed, err) //nolint:errorlint // only its text is wanted
			p.until = p.now().Add(probeAgain)
			break
		}
	}
	return p.err
}
