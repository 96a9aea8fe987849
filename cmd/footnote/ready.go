package main

import (
	"context"
	"errors"
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

// A writeProbe finds out whether things can be stored, by storing something:
// disks are full, read-only or broken without anybody saying so.
type writeProbe struct {
	writes []func(ctx context.Context) error
	now    func() time.Time

	mu    sync.Mutex
	until time.Time // how long err stands
	err   error
}

// check returns the last outcome, or a new one when that is too old.
func (p *writeProbe) check(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.now().Before(p.until) {
		return p.err
	}
	// Whoever asks may leave; the outcome is for the next ones too.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), probeTime)
	defer cancel()
	p.err = nil
	for _, write := range p.writes {
		p.err = errors.Join(p.err, write(ctx))
	}
	p.until = p.now().Add(probeEvery)
	if p.err != nil {
		p.err = fmt.Errorf("nothing can be stored: %w", p.err)
		p.until = p.now().Add(probeAgain)
		if !errors.Is(p.err, assistants.ErrUnavailable) {
			p.err = fmt.Errorf("%w: %w", assistants.ErrUnavailable, p.err)
		}
	}
	return p.err
}
