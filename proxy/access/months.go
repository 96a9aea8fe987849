package access

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"footnote/assistants"
)

// MonthStore keeps what keys and assistants use within a month.
type MonthStore interface {
	// MonthCount returns what a subject used within the month that begins then;
	// zero if nothing is stored. ErrUnavailable.
	MonthCount(ctx context.Context, tenant assistants.TenantID, subject string, month time.Time) (assistants.MonthCount, error)
	// AddMonthCounts adds to what is stored, all or nothing. ErrUnavailable.
	AddMonthCounts(ctx context.Context, counts []assistants.MonthCount) error
	// RemoveMonthCounts removes the months that began before a time. ErrUnavailable.
	RemoveMonthCounts(ctx context.Context, before time.Time) error
}

const (
	// writeEvery is how often the counts of months are written: a process that is
	// killed loses those of this time.
	writeEvery = 5 * time.Second
	// writeTime bounds one attempt to write them.
	writeTime = 10 * time.Second
	// keepIdle is how long a subject that is not used stays in memory.
	keepIdle = time.Hour
	// readEvery is how often the counts of months are read, so that what other
	// processes write counts as well.
	readEvery = time.Minute
)

// uses counts what is used within a month.
type uses struct{ requests, tokens int64 }

func (u uses) plus(o uses) uses { return uses{u.requests + o.requests, u.tokens + o.tokens} }

// A month is what a subject has used in the current month.
type month struct {
	begins  time.Time     // zero: it was not used yet
	known   bool          // stored was read from the database
	read    time.Duration // when it was
	stored  uses          // as the database has it
	pending uses          // not written yet
}

func (m month) used() uses { return m.stored.plus(m.pending) }

func (m month) count(id subjectID) assistants.MonthCount {
	return assistants.MonthCount{TenantID: id.tenant, Subject: id.id, Month: m.begins, Requests: m.pending.requests, Tokens: m.pending.tokens}
}

// monthOf is the begin of the month of a time, in UTC.
func monthOf(t time.Time) time.Time {
	t = t.UTC()
	return time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC)
}

// NewLimits returns Limits that write the counts of months until they are closed.
func NewLimits(cfg LimitsConfig) *Limits {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	ctx, stop := context.WithCancel(context.Background())
	l := &Limits{
		cfg: cfg, clock: clock{now: cfg.Now, mark: cfg.Now()}, stop: stop, ended: make(chan struct{}),
		subjects: map[subjectID]*subject{}, refused: map[Refusal]int64{}, fleet: newFleet(),
	}
	go func() {
		defer close(l.ended)
		var background sync.WaitGroup
		defer background.Wait()
		if cfg.Shared != nil {
			background.Go(func() { l.runFleet(ctx) })
		}
		l.run(ctx)
	}()
	return l
}

// Close writes the counts of months and tells other instances what was used, within
// ten seconds each.
func (l *Limits) Close() error {
	l.stop()
	<-l.ended
	if l.cfg.Shared != nil {
		ctx, cancel := context.WithTimeout(context.Background(), writeTime)
		defer cancel()
		l.tell(ctx, false)
	}
	return l.Flush(context.Background())
}

func (l *Limits) run(ctx context.Context) {
	ticker := time.NewTicker(writeEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if err := l.Flush(ctx); err != nil {
			l.cfg.Log.Warn("what keys and assistants used this month cannot be written; it is kept in memory and tried again", "error", err)
		}
		if err := l.removeShared(ctx); err != nil && ctx.Err() == nil {
			l.cfg.Log.Warn("what keys and assistants used long ago cannot be removed; it is tried again", "error", err)
		}
		if err := l.readAgain(ctx); err != nil && ctx.Err() == nil {
			l.cfg.Log.Warn("what keys and assistants used this month on other instances cannot be read; it is tried again", "error", err)
		}
	}
}

// turn begins a new month for a subject if the last one has ended. l.mu must be held.
func (l *Limits) turn(id subjectID, s *subject, at time.Time) {
	now := monthOf(at)
	if !now.After(s.month.begins) { // a clock that is set back opens no old month
		return
	}
	if s.month.pending != (uses{}) {
		l.past = append(l.past, s.month.count(id))
	}
	s.month = month{begins: now}
}

// loadMonths reads what was used before this process began, for those that have a
// quota: once for each and month.
func (l *Limits) loadMonths(ctx context.Context, parties []party) error {
	for _, who := range parties {
		if who.limits.RequestsPerMonth == nil && who.limits.TokensPerMonth == nil {
			continue
		}
		if err := l.loadMonth(ctx, who.id, who.subject); err != nil {
			return err
		}
	}
	return nil
}

func (l *Limits) loadMonth(ctx context.Context, id subjectID, s *subject) error {
	if l.monthNow(id, s).known {
		return nil
	}
	l.io.Lock() // so that nothing is written meanwhile, and counted twice
	defer l.io.Unlock()
	wanted := l.monthNow(id, s)
	if wanted.known {
		return nil
	}
	return l.readMonth(ctx, id, s, wanted.begins)
}

func (l *Limits) monthNow(id subjectID, s *subject) month {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.turn(id, s, l.cfg.Now())
	return s.month
}

// readMonth reads what is stored of the month that begins then. l.io must be held.
func (l *Limits) readMonth(ctx context.Context, id subjectID, s *subject, begins time.Time) error {
	found, err := l.cfg.Months.MonthCount(ctx, id.tenant, id.id, begins)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if s.month.begins.Equal(begins) {
		s.month.known, s.month.read, s.month.stored = true, l.clock.elapsed(), uses{found.Requests, found.Tokens}
	}
	return nil
}

// readAgain reads the counts that were read a minute ago or earlier, because other
// processes that share the database have added to them. ErrUnavailable: what was known
// still counts, and the next call tries again.
func (l *Limits) readAgain(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, writeTime)
	defer cancel()
	due := map[subjectID]*subject{}
	l.mu.Lock()
	before := l.clock.elapsed() - readEvery
	for id, s := range l.subjects {
		if s.month.known && s.month.read <= before {
			due[id] = s
		}
	}
	l.mu.Unlock()
	for id, s := range due {
		if err := l.readOne(ctx, id, s); err != nil {
			return err
		}
	}
	return nil
}

// readOne reads the count of one subject. Requests that wait for the database are let
// in between two of them.
func (l *Limits) readOne(ctx context.Context, id subjectID, s *subject) error {
	l.io.Lock()
	defer l.io.Unlock()
	return l.readMonth(ctx, id, s, l.monthNow(id, s).begins)
}

// Flush writes the counts of months. ErrUnavailable: they are kept, and written by the
// next call.
func (l *Limits) Flush(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTime)
	defer cancel()
	l.io.Lock()
	defer l.io.Unlock()
	now := monthOf(l.cfg.Now())
	l.mu.Lock()
	past := l.past
	counts := append([]assistants.MonthCount{}, past...)
	writing := map[subjectID]month{}
	for id, s := range l.subjects {
		if s.month.pending != (uses{}) {
			writing[id] = s.month
			counts = append(counts, s.month.count(id))
		}
	}
	l.mu.Unlock()
	if len(counts) > 0 {
		if err := l.cfg.Months.AddMonthCounts(ctx, counts); err != nil {
			return err
		}
		l.written(writing, len(past))
	}
	l.dropIdle()
	if l.removed.Equal(now) {
		return nil
	}
	err := l.cfg.Months.RemoveMonthCounts(ctx, now.AddDate(0, -1, 0))
	if err == nil {
		l.removed = now
	}
	return err
}

// written moves what was written from pending to stored.
func (l *Limits) written(writing map[subjectID]month, past int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.past = l.past[past:]
	for id, w := range writing {
		s := l.subjects[id]
		if !s.month.begins.Equal(w.begins) { // it ended meanwhile, and all of it was taken for pending
			for i := range l.past {
				if p := &l.past[i]; p.TenantID == id.tenant && p.Subject == id.id && p.Month.Equal(w.begins) {
					p.Requests, p.Tokens = p.Requests-w.pending.requests, p.Tokens-w.pending.tokens
				}
			}
			continue
		}
		s.month.stored = s.month.stored.plus(w.pending)
		s.month.pending = s.month.pending.plus(uses{-w.pending.requests, -w.pending.tokens})
	}
}

// dropIdle forgets the subjects that have not been used for long.
func (l *Limits) dropIdle() {
	l.mu.Lock()
	defer l.mu.Unlock()
	before := l.clock.elapsed() - keepIdle
	for id, s := range l.subjects {
		if s.asked < before && s.open == 0 && s.month.pending == (uses{}) {
			delete(l.subjects, id)
			delete(l.fleet.active, id)
		}
	}
}

// A LimitUse is how much of a limit is used.
type LimitUse struct {
	Limit assistants.Limit
	Most  *int       // nil: there is no limit
	Used  *int64     // nil: it is not counted, because there is no limit
	Reset *time.Time // when all of it is free again; nil: now, or when a stream ends
}

// Uses says how much a key or an assistant uses of its limits. ErrUnavailable.
func (l *Limits) Uses(ctx context.Context, tenant assistants.TenantID, id string, limits assistants.Limits) ([]LimitUse, error) {
	var list []LimitUse
	if l == nil {
		for _, name := range assistants.LimitNames {
			list = append(list, LimitUse{Limit: name, Most: *limits.Field(name)})
		}
		return list, nil
	}
	l.mu.Lock()
	who := l.party(tenant, id, "", limits)
	l.mu.Unlock()
	if err := l.loadMonth(ctx, who.id, who.subject); err != nil {
		return nil, err
	}
	l.ask(ctx, who)
	l.mu.Lock()
	defer l.mu.Unlock()
	now, at := l.clock.elapsed(), l.cfg.Now()
	l.turn(who.id, who.subject, at)
	for _, name := range assistants.LimitNames {
		list = append(list, who.use(name, now, at))
	}
	return list, nil
}

func (s party) use(name assistants.Limit, now time.Duration, at time.Time) LimitUse {
	u := LimitUse{Limit: name, Most: *s.limits.Field(name)}
	used := func(n int64) { u.Used = &n }
	next := monthOf(at).AddDate(0, 1, 0)
	switch name {
	case assistants.RequestsPerMonth:
		used(s.month.used().requests)
		u.Reset = &next
		return u
	case assistants.TokensPerMonth:
		used(s.month.used().tokens)
		u.Reset = &next
		return u
	}
	if u.Most == nil && name != assistants.ConcurrentStreams { // streams are counted without a limit, too
		return u
	}
	t := &s.uses[slices.Index(limitOfUse[:], name)]
	t.expire(now)
	used(int64(t.used()))
	if d := t.reset(now); d > 0 {
		reset := at.Add(d)
		u.Reset = &reset
	}
	return u
}

// Refused counts the refused requests, by kind.
func (l *Limits) Refused() map[Refusal]int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.refused)
}

// Streams is how many streams are open that were admitted.
func (l *Limits) Streams() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.streams
}
