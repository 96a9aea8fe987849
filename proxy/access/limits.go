package access

import (
	"context"
	"log/slog"
	"net/http"
	"strconv"
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
	Log    *slog.Logger
	Now    func() time.Time // nil: time.Now
}

// Limits admit requests as long as neither their key nor their assistant has
// reached a limit. Within one process they are exact: no minute, wherever it begins,
// has more than a limit allows, and nothing below it is refused. Counts are kept in
// memory. Those of months are written to the database in the background, so that they
// survive a restart. A Limits is safe for concurrent use; nil admits everything.
type Limits struct {
	cfg   LimitsConfig
	stop  context.CancelFunc
	ended chan struct{}
	io    sync.Mutex // held while counts of months are read or written

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
	requests, tokens, searches, uploads window
	reserved                            int // tokens of requests that are being answered
	streams                             int
	open                                int // requests that are being answered
	month                               month
	asked                               time.Duration // when it was used last
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
		s = &subject{}
		l.subjects[key] = s
	}
	s.asked = l.clock.elapsed()
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
	parties := l.parties(p, a)
	l.mu.Unlock()
	estimate := estimate(parties, ask)
	if err := l.loadMonths(ctx, parties); err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now, at := l.clock.elapsed(), l.cfg.Now()
	var refusal *assistants.LimitError
	for _, who := range parties {
		l.turn(who.id, who.subject, at)
		for _, e := range who.refusals(now, at, ask, estimate) {
			if refusal == nil || e.Wait > refusal.Wait { // after the longest wait, all are met
				refusal = e
			}
		}
	}
	pass := &Pass{limits: l, parties: parties, ask: ask, estimate: estimate}
	if refusal != nil {
		l.refused[Refusal{refusal.Of, refusal.Limit}]++
		pass.header = headers(parties, now, ask)
		pass.released = true
		return pass, refusal
	}
	for _, who := range parties {
		who.take(now, ask, estimate)
	}
	if ask.Stream {
		l.streams++
	}
	pass.header = headers(parties, now, ask)
	return pass, nil
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

// refusals are the limits that a request would exceed.
func (s party) refusals(now time.Duration, at time.Time, ask Ask, tokens int) []*assistants.LimitError {
	var list []*assistants.LimitError
	until := monthOf(at).AddDate(0, 1, 0)
	check := func(name assistants.Limit, wait func(limit int) time.Duration) {
		limit := *s.limits.Field(name)
		if limit == nil {
			return
		}
		if d := wait(*limit); d > 0 {
			e := &assistants.LimitError{Limit: name, Of: s.of, Most: *limit, Wait: d}
			if name.IsQuota() {
				e.Until = until
			}
			list = append(list, e)
		}
	}
	in := func(w *window, reserved, n int) func(int) time.Duration {
		return func(limit int) time.Duration {
			w.expire(now, minute)
			return w.wait(now, minute, limit, reserved, n)
		}
	}
	quota := func(used int64, n int) func(int) time.Duration {
		return func(limit int) time.Duration {
			if used+int64(n) <= int64(limit) {
				return 0
			}
			return max(until.Sub(at), time.Second)
		}
	}
	if ask.Kind == Chat || ask.Tokens != nil {
		check(assistants.TokensPerMinute, in(&s.tokens, s.reserved, tokens))
		check(assistants.TokensPerMonth, quota(s.month.used().tokens+int64(s.reserved), tokens))
	}
	switch ask.Kind {
	case Chat:
		check(assistants.RequestsPerMinute, in(&s.requests, 0, 1))
		check(assistants.RequestsPerMonth, quota(s.month.used().requests, 1))
	case Search:
		check(assistants.SearchesPerMinute, in(&s.searches, 0, 1))
	case Upload:
		check(assistants.UploadsPerMinute, in(&s.uploads, 0, ask.Files))
		if len(list) > 0 && ask.Files > list[0].Most {
			list[0].Asked = ask.Files // it never fits
		}
	}
	if ask.Stream {
		check(assistants.ConcurrentStreams, func(limit int) time.Duration {
			if s.streams < limit {
				return 0
			}
			return time.Second
		})
	}
	return list
}

// take counts a request that was admitted.
func (s party) take(now time.Duration, ask Ask, tokens int) {
	count := func(w *window, limit *int, n int) {
		if limit != nil {
			w.add(now, n)
		}
	}
	switch ask.Kind {
	case Chat:
		count(&s.requests, s.limits.RequestsPerMinute, 1)
		s.month.pending.requests++
	case Search:
		count(&s.searches, s.limits.SearchesPerMinute, 1)
	case Upload:
		count(&s.uploads, s.limits.UploadsPerMinute, ask.Files)
	}
	s.open++
	s.reserved += tokens
	if ask.Stream {
		s.streams++
	}
}

// A Pass is the permission for one request. Its zero value is a permission without
// limits, and so is nil.
type Pass struct {
	limits   *Limits
	parties  []party
	ask      Ask
	estimate int
	header   http.Header
	released bool
}

// Unknown stands for a number of tokens that nobody counted.
const Unknown = -1

// Release says that the request has been answered with that many tokens, or Unknown,
// for which its estimate counts. More calls do nothing.
func (p *Pass) Release(tokens int) {
	if p == nil || p.limits == nil {
		return
	}
	l := p.limits
	l.mu.Lock()
	defer l.mu.Unlock()
	if p.released {
		return
	}
	p.released = true
	if tokens < 0 {
		tokens = p.estimate
	}
	now, at := l.clock.elapsed(), l.cfg.Now()
	for _, who := range p.parties {
		l.turn(who.id, who.subject, at)
		who.open--
		who.reserved -= p.estimate
		who.asked = now
		if p.ask.Stream {
			who.streams--
		}
		if tokens == 0 {
			continue
		}
		if who.limits.TokensPerMinute != nil {
			who.tokens.expire(now, minute)
			who.tokens.add(now, tokens)
		}
		who.month.pending.tokens += int64(tokens)
	}
	if p.ask.Stream {
		l.streams--
	}
}

// Estimate is how many tokens were reserved.
func (p *Pass) Estimate() int {
	if p == nil {
		return 0
	}
	return p.estimate
}

// SetHeaders sets the x-ratelimit-* headers of the limits that hold for the request,
// as OpenAI sends them. Without such a limit it sets none.
func (p *Pass) SetHeaders(h http.Header) {
	if p == nil {
		return
	}
	for name, values := range p.header {
		h[name] = values
	}
}

// Own removes what a model server says of its limits from its headers, where ours are
// sent instead.
func (p *Pass) Own(h http.Header) {
	if p == nil {
		return
	}
	for name := range p.header {
		h.Del(name)
	}
}

// headers are the x-ratelimit-* headers of a request to a model: of the key's or the
// assistant's limit, whichever has less left.
func headers(parties []party, now time.Duration, ask Ask) http.Header {
	if ask.Kind != Chat {
		return nil
	}
	var h http.Header
	set := func(what string, limit func(assistants.Limits) *int, state func(party) (*window, int)) {
		least := -1
		for _, who := range parties {
			most := limit(who.limits)
			if most == nil {
				continue
			}
			w, reserved := state(who)
			w.expire(now, minute)
			left := max(*most-w.sum-reserved, 0)
			if least >= 0 && left >= least {
				continue
			}
			if least = left; h == nil {
				h = http.Header{}
			}
			h.Set("X-Ratelimit-Limit-"+what, strconv.Itoa(*most))
			h.Set("X-Ratelimit-Remaining-"+what, strconv.Itoa(left))
			h.Set("X-Ratelimit-Reset-"+what, w.reset(now, minute).Round(time.Millisecond).String())
		}
	}
	set("Requests", func(l assistants.Limits) *int { return l.RequestsPerMinute }, func(p party) (*window, int) { return &p.requests, 0 })
	set("Tokens", func(l assistants.Limits) *int { return l.TokensPerMinute }, func(p party) (*window, int) { return &p.tokens, p.reserved })
	return h
}
