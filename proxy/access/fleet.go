package access

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"slices"
	"time"

	"footnote/assistants"
)

// SharedUses stores what keys and assistants use, so that several instances know of each
// other's uses.
//
// Each instance counts its own uses exactly and decides by these and by what the others
// reported. Before it has used more than its credit it reports and reads again, in one
// transaction that locks the subject. The credits of all instances together are at most
// a tenth of the limit, so the limit is exceeded by no more than that, however old a
// report is. Nothing is refused unless that much was used; a bucket of the others
// counts up to a second too long. An instance without credit asks for each request:
// this makes limits below ten exact. All times are those of the database, so that the
// clocks of the instances need not agree.
type SharedUses interface {
	// ShareUses locks the texts that are stored of subjects and stores what change
	// replaces them with, all or nothing. A text that was never stored is empty. now is
	// the time of the database, from when all are locked. The subjects must be sorted,
	// so that no two transactions wait for each other. change may be called again,
	// after a conflict. ErrUnavailable.
	ShareUses(ctx context.Context, subjects []assistants.LimitSubject, change func(texts []string, now time.Time) error) error
	// RemoveSharedUses removes the texts that were stored last before a time.
	// ErrUnavailable.
	RemoveSharedUses(ctx context.Context, before time.Time) error
}

const (
	// tellEvery is how often uses are reported that nothing else has reported.
	tellEvery = time.Second
	// shareTime bounds one exchange with the database, for which requests wait.
	shareTime = 2 * time.Second
	// outageTime is how long after a failed exchange no request waits for another.
	outageTime = 5 * time.Second
	// tellAtOnce is how many subjects are reported in one transaction.
	tellAtOnce = 16
	// maxExchanges is how many exchanges happen at once, so that the database has
	// connections left for other work.
	maxExchanges = 6
	// keepShared is how long the database keeps what was reported.
	keepShared = time.Hour
)

// fleet is what an instance needs to share its uses.
type fleet struct {
	instance string
	soon     chan struct{} // something should be reported now
	lanes    chan struct{} // one place for each exchange that may happen at once

	// Limits.mu guards these.
	begun   int                    // exchanges that have begun
	active  map[subjectID]*subject // that were used and may have to be reported
	failed  *time.Duration         // when the latest exchange failed; nil: it did not
	removed time.Duration          // when old uses were removed last
}

func newFleet() fleet {
	return fleet{instance: rand.Text(), soon: make(chan struct{}, 1), lanes: make(chan struct{}, maxExchanges), active: map[subjectID]*subject{}}
}

// sharing is what is shared of a subject. Limits.mu guards all but turn.
type sharing struct {
	turn   chan struct{} // has a token while an exchange happens
	limits assistants.Limits
	told   *told // the last report; nil: there was none
	next   *told // the report of the exchange that happens now; nil: none happens
}

// told is a report of this instance, and the credit that it has until the next report.
type told struct {
	number int           // of the exchange
	began  time.Duration // when it began
	shown  [useCount]int
	ended  [useCount]int // of that, what is held no more
	credit [useCount]int
}

// room reports whether n more may be used before the next report.
func (t *told) room(u use, shown, n int) bool { return shown+n-t.shown[u] <= t.credit[u] }

// isShared reports whether other instances must know of what a subject uses.
func (s party) isShared() bool {
	for u := range useCount {
		if s.limit(u) != nil {
			return true
		}
	}
	return false
}

// mayAlone reports whether this instance may admit a request without a report.
func (s party) mayAlone(now time.Duration, wants amounts) bool {
	sh := &s.shared
	for u, n := range wants {
		if n == notAsked || s.limit(use(u)) == nil {
			continue
		}
		shown := s.uses[u].shown()
		if sh.told == nil || now-sh.told.began > creditTime || !sh.told.room(use(u), shown, n) || sh.next != nil && !sh.next.room(use(u), shown, n) {
			return false
		}
	}
	return true
}

// mayHaveEnded reports whether a request that is refused might be admitted because
// what the others held has ended since they reported it.
func (s party) mayHaveEnded(now time.Duration, wants amounts) bool {
	for u, n := range wants {
		t, most := &s.uses[u], s.limit(use(u))
		if most == nil || n == notAsked || t.othersHeld == 0 || t.wait(now, *most, n) == 0 {
			continue
		}
		if t.used()-t.othersHeld+n <= *most {
			return true
		}
	}
	return false
}

// decide admits or refuses a request by what this instance knows, unless it must ask
// the others.
func (l *Limits) decide(pass *Pass) (decided bool, refusal *assistants.LimitError) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.clock.elapsed()
	refusal = l.refuse(pass, now)
	if l.cfg.Shared != nil && !l.outage(now) {
		for _, who := range pass.parties {
			if refusal == nil && !who.mayAlone(now, pass.wants) ||
				refusal != nil && who.mayHaveEnded(now, pass.wants) && (who.shared.told == nil || who.shared.told.number <= pass.came) {
				return false, nil
			}
		}
	}
	l.settle(pass, now, refusal)
	l.tellSoon(pass.parties)
	return true, refusal
}

// outage reports whether the database failed so recently that requests do not wait for
// it. Then the limits hold for each instance alone. l.mu must be held.
func (l *Limits) outage(now time.Duration) bool {
	return l.fleet.failed != nil && now-*l.fleet.failed < outageTime
}

// decideTogether admits or refuses a request by what all instances used. Only the end
// of ctx is an error.
func (l *Limits) decideTogether(ctx context.Context, pass *Pass) (*assistants.LimitError, error) {
	var members []party
	for _, who := range pass.parties {
		if who.isShared() {
			members = append(members, who)
		}
	}
	slices.SortFunc(members, compareParties)
	for _, who := range members {
		select {
		case who.shared.turn <- struct{}{}:
			defer func() { <-who.shared.turn }()
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	if decided, refusal := l.decide(pass); decided { // another request has asked meanwhile
		return refusal, nil
	}
	var refusal *assistants.LimitError
	promised := false
	promise := func(times int) { // what is admitted counts before it is stored
		for _, who := range pass.parties {
			for u, n := range pass.wants {
				if n != notAsked && who.limit(use(u)) != nil {
					who.uses[u].held += times * n
				}
			}
		}
		promised = times > 0
	}
	err := l.exchange(ctx, members, func(now time.Duration) {
		if promised {
			promise(-1)
		}
		if refusal = l.refuse(pass, now); refusal == nil {
			promise(1)
		}
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	if promised {
		promise(-1)
	}
	now := l.clock.elapsed()
	if err != nil {
		refusal = l.refuse(pass, now)
	}
	l.settle(pass, now, refusal)
	l.tellSoon(pass.parties)
	return refusal, nil
}

func compareParties(a, b party) int {
	return cmp.Or(cmp.Compare(a.id.tenant, b.id.tenant), cmp.Compare(a.id.id, b.id.id))
}

// exchange reports what this instance used of subjects and learns what the others did.
// decide is called when it has learned it, before it reports, and maybe again; l.mu is
// held then. The caller must have the turn of each subject. An error has been logged.
func (l *Limits) exchange(ctx context.Context, members []party, decide func(now time.Duration)) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), shareTime)
	defer cancel()
	err := l.exchangeInTime(ctx, members, decide)
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, who := range members {
		if err == nil {
			who.shared.told = who.shared.next
		}
		who.shared.next = nil
	}
	l.noteExchange(err)
	return err
}

func (l *Limits) exchangeInTime(ctx context.Context, members []party, decide func(now time.Duration)) error {
	select {
	case l.fleet.lanes <- struct{}{}:
		defer func() { <-l.fleet.lanes }()
	case <-ctx.Done():
		return ctx.Err()
	}
	subjects := make([]assistants.LimitSubject, len(members))
	for i, who := range members {
		subjects[i] = assistants.LimitSubject{TenantID: who.id.tenant, ID: who.id.id}
	}
	l.mu.Lock()
	l.fleet.begun++
	next := told{number: l.fleet.begun, began: l.clock.elapsed()}
	l.mu.Unlock()
	return l.cfg.Shared.ShareUses(ctx, subjects, func(texts []string, now time.Time) error {
		l.mu.Lock()
		defer l.mu.Unlock()
		elapsed := l.clock.elapsed()
		list := make([]reports, len(members))
		for i, who := range members {
			var err error
			if list[i], err = readReports(texts[i]); err != nil { // of another version; each instance writes its own again
				l.cfg.Log.Warn("what instances told each other of a key or an assistant cannot be read and is forgotten", "subject", who.id.id, "error", err)
			}
			list[i].forget(l.fleet.instance, now)
			who.learn(list[i], now, elapsed)
		}
		decide(elapsed)
		for i, who := range members {
			own := next
			who.shared.next = &own
			list[i][l.fleet.instance] = who.report(list[i], now, elapsed)
			text, err := json.Marshal(list[i])
			if err != nil {
				return err
			}
			texts[i] = string(text)
		}
		return nil
	})
}

// noteExchange logs the begin and the end of an outage. l.mu must be held.
func (l *Limits) noteExchange(err error) {
	switch {
	case err != nil:
		if l.fleet.failed == nil {
			l.cfg.Log.Warn("what keys and assistants use cannot be shared with other instances; until it can, limits hold for each instance alone", "error", err)
		}
		now := l.clock.elapsed()
		l.fleet.failed = &now
	case l.fleet.failed != nil:
		l.fleet.failed = nil
		l.cfg.Log.Info("what keys and assistants use is shared with other instances again")
	}
}

// learn takes over what the other instances reported.
func (s party) learn(r reports, now time.Time, elapsed time.Duration) {
	for u := range s.uses {
		s.uses[u].expire(elapsed)
		s.uses[u].learn(r, limitOfUse[u], now, elapsed)
	}
}

// report is what this instance used, and the credit that it takes. others are the
// reports of the other instances.
func (s party) report(others reports, now time.Time, elapsed time.Duration) report {
	r := report{
		At: now.UnixMilli(), Until: now.Add(creditKept).UnixMilli(),
		Credit: map[assistants.Limit]int{}, Held: map[assistants.Limit]int{}, Used: map[assistants.Limit][]sum{},
	}
	for u := range s.uses {
		t, name, next := &s.uses[u], limitOfUse[u], s.shared.next
		next.shown[u], next.ended[u] = t.shown(), t.shown()
		most := s.limit(use(u))
		if most == nil {
			continue
		}
		if next.credit[u] = others.credit(name, *most, now); next.credit[u] > 0 {
			r.Credit[name] = next.credit[u]
		}
		promised := t.held // a request that is admitted by this report
		if holds(use(u)) {
			next.ended[u], promised = t.sum, 0
			if t.held > 0 {
				r.Held[name] = t.held
			}
		}
		if list := t.tell(now, elapsed, promised); len(list) > 0 {
			r.Used[name] = list
		}
	}
	return r
}

// ask learns what the other instances used of a subject. If the database does not
// answer, what is known still counts.
func (l *Limits) ask(ctx context.Context, who party) {
	if l.cfg.Shared == nil || !who.isShared() {
		return
	}
	select {
	case who.shared.turn <- struct{}{}:
	case <-ctx.Done():
		return
	}
	defer func() { <-who.shared.turn }()
	_ = l.exchange(ctx, []party{who}, func(time.Duration) {}) // it logs
}

// tellSoon has the background report what is used: at once if the others know much less
// or more than that. l.mu must be held.
func (l *Limits) tellSoon(parties []party) {
	if l.cfg.Shared == nil {
		return
	}
	for _, who := range parties {
		if !who.isShared() {
			continue
		}
		l.fleet.active[who.id] = who.subject
		if who.urgent() {
			select {
			case l.fleet.soon <- struct{}{}:
			default: // it was asked to already
			}
		}
	}
}

// urgent reports whether half of the credit is used up, or the others reckon with uses
// that have ended.
func (s party) urgent() bool {
	told := s.shared.told
	if told == nil {
		return false
	}
	for u := range useCount {
		most := s.limit(u)
		if most == nil {
			continue
		}
		untold := s.uses[u].shown() - told.shown[u]
		if told.credit[u] > 0 && 2*untold > told.credit[u] || -untold > *most/(2*creditPart) {
			return true
		}
	}
	return false
}

// late reports whether the others do not know what is used.
func (s party) late(now time.Duration) bool {
	told := s.shared.told
	for u := range useCount {
		if s.limit(u) == nil {
			continue
		}
		t := &s.uses[u]
		if told == nil && (t.held > 0 || t.own.sum > 0) || told != nil && (t.shown() != told.shown[u] || t.sum != told.ended[u] || t.held > 0 && now-told.began >= heldEvery) {
			return true
		}
	}
	return false
}

// runFleet reports in the background until ctx ends.
func (l *Limits) runFleet(ctx context.Context) {
	ticker := time.NewTicker(tellEvery)
	defer ticker.Stop()
	for {
		urgent := false
		select {
		case <-ctx.Done():
			return
		case <-l.fleet.soon:
			urgent = true
		case <-ticker.C:
		}
		l.tell(ctx, urgent)
	}
}

// tell reports uses that the others do not know. With urgent it reports only those that
// cannot wait for the ticker. An exchange logs its errors; the next call reports again.
func (l *Limits) tell(ctx context.Context, urgent bool) {
	for due := range slices.Chunk(l.due(urgent), tellAtOnce) {
		members := due[:0]
		for _, who := range due {
			select {
			case who.shared.turn <- struct{}{}:
				members = append(members, who)
			default: // a request is reporting it
			}
		}
		var err error
		if len(members) > 0 {
			err = l.exchange(ctx, members, func(time.Duration) {})
		}
		for _, who := range members {
			<-who.shared.turn
		}
		if err != nil {
			return
		}
	}
}

// due lists the subjects that are to be reported, sorted.
func (l *Limits) due(urgent bool) []party {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.clock.elapsed()
	if urgent && l.outage(now) {
		return nil
	}
	var list []party
	for id, s := range l.fleet.active {
		who := party{subject: s, id: id, limits: s.shared.limits}
		switch {
		case urgent && who.urgent() || !urgent && who.late(now):
			list = append(list, who)
		case !urgent && s.open == 0:
			delete(l.fleet.active, id)
		}
	}
	slices.SortFunc(list, compareParties)
	return list
}

// removeShared removes what was reported long ago, now and then.
func (l *Limits) removeShared(ctx context.Context) error {
	l.mu.Lock()
	now := l.clock.elapsed()
	due := l.fleet.removed == 0 || now-l.fleet.removed >= keepShared
	l.mu.Unlock()
	if l.cfg.Shared == nil || !due {
		return nil
	}
	if err := l.cfg.Shared.RemoveSharedUses(ctx, l.cfg.Now().Add(-keepShared)); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fleet.removed = max(now, 1)
	return nil
}
