package access

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"footnote/assistants"
)

// Kind is what a request asks for, as far as limits are concerned.
type Kind int

// Kinds of requests. An ask that counts as several, such as an upload of several
// files, has a number in Ask.Files.
const (
	Chat   Kind = iota // a chat or a request for embeddings: requests, tokens, streams
	Search             // a search; with tokens, if a model answers from what it finds
	Upload             // of files
)

// An Ask is what a request wants to use.
type Ask struct {
	Kind   Kind
	Stream bool // it is a stream, which counts until it ends
	Files  int  // of an upload
	// Tokens estimates the tokens of the request. It is called only if they are
	// limited. nil: it has none.
	Tokens func() int
}

// LimitsConfig holds what [Limits] work with.
type LimitsConfig struct {
	Months MonthStore
	// Shared is where several instances tell each other what is used. nil: there is
	// only this one.
	Shared SharedUses
	Log    *slog.Logger
	Now    func() time.Time // nil: time.Now
}

// Limits admit requests as long as neither their key nor their assistant has
// reached a limit. Within one process they are exact: no minute, wherever it begins,
// has more than a limit allows, and nothing below it is refused. Over several instances
// that share a database, they admit at most a tenth more; see [SharedUses]. Counts are
// kept in memory. Those of months are written to the database in the background, so
// that they survive a restart. A Limits is safe for concurrent use; nil admits
// everything.
type Limits struct {
	cfg   LimitsConfig
	stop  context.CancelFunc
	ended chan struct{}
	io    sync.Mutex // held while counts of months are read or written
	fleet fleet

	mu       sync.Mutex
	clock    clock
	subjects map[subjectID]*subject
	past     []assistants.MonthCount // of months that have ended, to be written
	removed  time.Time               // the month in which old months were removed last
	refused  map[Refusal]int64
	streams  int
}

// A Refusal is a kind of refused requests.
type Refusal struct {
	Of    string // "key" or "assistant"
	Limit assistants.Limit
}

// minute is how long the windows are.
const minute = time.Minute

type subjectID struct {
	tenant assistants.TenantID
	id     string
}

// A subject is a key or an assistant with what it uses.
type subject struct {
	uses   [useCount]tally
	open   int // requests that are being answered
	month  month
	asked  time.Duration // when it was used last
	shared sharing
}

// A party is a subject in a request, with its limits.
type party struct {
	*subject
	id     subjectID
	of     string
	limits assistants.Limits
}

// parties are the key and the assistant of a request. Limits.mu must be held.
func (l *Limits) parties(p Principal, a *assistants.Assistant) []party {
	var list []party
	if p.Key.ID != "" && p.Key.ID != AdminKeyID { // the configured key is no stored one
		list = append(list, l.party(p.Key.TenantID, string(p.Key.ID), "key", p.Key.Limits))
	}
	if a != nil {
		list = append(list, l.party(a.TenantID, string(a.ID), "assistant", a.Settings.Limits()))
	}
	return list
}

func (l *Limits) party(tenant assistants.TenantID, id, of string, limits assistants.Limits) party {
	key := subjectID{tenant, id}
	s := l.subjects[key]
	if s == nil {
		s = &subject{shared: sharing{turn: make(chan struct{}, 1)}}
		l.subjects[key] = s
	}
	s.asked, s.shared.limits = l.clock.elapsed(), limits
	return party{s, key, of, limits}
}

// Admit admits a request of a principal, who has been found to be allowed to make
// it, to an assistant, which may be nil. The caller must release the pass when the
// request has been answered. *assistants.LimitError: a limit is reached; nothing was
// counted. ErrUnavailable: a quota cannot be read from the database.
func (l *Limits) Admit(ctx context.Context, p Principal, a *assistants.Assistant, ask Ask) (*Pass, error) {
	if l == nil || p.Within {
		return &Pass{}, nil
	}
	l.mu.Lock()
	parties, came := l.parties(p, a), l.fleet.begun
	l.mu.Unlock()
	estimate := estimate(parties, ask)
	if err := l.loadMonths(ctx, parties); err != nil {
		return nil, err
	}
	pass := &Pass{limits: l, parties: parties, ask: ask, estimate: estimate, wants: ask.amounts(estimate), came: came}
	decided, refusal := l.decide(pass)
	if !decided {
		var err error
		if refusal, err = l.decideTogether(ctx, pass); err != nil {
			return nil, err
		}
	}
	if refusal != nil {
		return pass, refusal
	}
	return pass, nil
}

// refuse returns the limit for which a request is refused now, with the longest wait,
// because after that all limits are met; nil: for none. l.mu must be held.
func (l *Limits) refuse(pass *Pass, now time.Duration) *assistants.LimitError {
	at := l.cfg.Now()
	var refusal *assistants.LimitError
	for _, who := range pass.parties {
		l.turn(who.id, who.subject, at)
		for _, e := range who.refusals(now, at, pass.wants) {
			if refusal == nil || e.Wait > refusal.Wait {
				refusal = e
			}
		}
	}
	return refusal
}

// settle counts a request that is admitted, or a refusal. l.mu must be held.
func (l *Limits) settle(pass *Pass, now time.Duration, refusal *assistants.LimitError) {
	if refusal != nil {
		l.refused[Refusal{refusal.Of, refusal.Limit}]++
		pass.released = true
	} else {
		for _, who := range pass.parties {
			who.take(now, pass.ask, pass.wants)
		}
		if pass.ask.Stream {
			l.streams++
		}
	}
	pass.header = headers(pass.parties, now, pass.ask)
}

// estimate is how many tokens a request is taken to have before it is answered. A
// request is not refused because it is taken to be larger than the limit.
func estimate(parties []party, ask Ask) int {
	if ask.Tokens == nil {
		return 0
	}
	limited, most := false, assistants.MaxOfLimit
	for _, who := range parties {
		for _, limit := range []*int{who.limits.TokensPerMinute, who.limits.TokensPerMonth} {
			if limit != nil {
				limited, most = true, min(most, *limit)
			}
		}
	}
	if !limited {
		return 0
	}
	return min(max(ask.Tokens(), 1), max(most, 1))
}

// limit is the party's limit of a use; nil: there is none.
func (s party) limit(u use) *int { return *s.limits.Field(limitOfUse[u]) }

// refusals are the limits that a request would exceed.
func (s party) refusals(now time.Duration, at time.Time, wants amounts) []*assistants.LimitError {
	var list []*assistants.LimitError
	refuse := func(name assistants.Limit, most int, wait time.Duration) {
		list = append(list, &assistants.LimitError{Limit: name, Of: s.of, Most: most, Wait: wait})
	}
	for u, n := range wants {
		most := s.limit(use(u))
		if most == nil || n == notAsked {
			continue
		}
		t := &s.uses[u]
		t.expire(now)
		wait := t.wait(now, *most, n)
		if wait == 0 {
			continue
		}
		if use(u) == useStreams {
			wait = time.Second // nobody knows when one ends
		}
		refuse(limitOfUse[u], *most, wait)
		if use(u) == useUploads && n > *most {
			list[len(list)-1].Asked = n // it never fits
		}
	}
	until := monthOf(at).AddDate(0, 1, 0)
	quota := func(name assistants.Limit, used int64, n int) {
		most := *s.limits.Field(name)
		if most == nil || n == notAsked || used+int64(n) <= int64(*most) {
			return
		}
		refuse(name, *most, max(until.Sub(at), time.Second))
		list[len(list)-1].Until = until
	}
	used := s.month.used()
	quota(assistants.TokensPerMonth, used.tokens+int64(s.uses[useTokens].held), wants[useTokens])
	quota(assistants.RequestsPerMonth, used.requests, wants[useRequests])
	return list
}

// take counts a request that was admitted.
func (s party) take(now time.Duration, ask Ask, wants amounts) {
	for u, n := range wants {
		switch {
		case n == notAsked:
		case holds(use(u)):
			s.uses[u].held += n
		case s.limit(use(u)) != nil:
			s.uses[u].add(now, n)
		}
	}
	if ask.Kind == Chat {
		s.month.pending.requests++
	}
	s.open++
}

// holds reports whether a use counts from the moment of admission until the request
// has been answered.
func holds(u use) bool { return u == useTokens || u == useStreams }
