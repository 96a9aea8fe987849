package access

import (
	"net/http"
	"strconv"
	"time"
)

// A Pass is the permission for one request. Its zero value is a permission without
// limits, and so is nil.
type Pass struct {
	limits   *Limits
	parties  []party
	ask      Ask
	estimate int
	wants    amounts
	came     int // exchanges that had begun when the request came
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
		who.asked = now
		who.uses[useTokens].held -= p.estimate
		if p.ask.Stream {
			who.uses[useStreams].held--
		}
		if tokens > 0 {
			if who.limits.TokensPerMinute != nil {
				who.uses[useTokens].expire(now)
				who.uses[useTokens].add(now, tokens)
			}
			who.month.pending.tokens += int64(tokens)
		}
	}
	l.tellSoon(p.parties)
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
	set := func(what string, u use) {
		least := -1
		for _, who := range parties {
			most := who.limit(u)
			if most == nil {
				continue
			}
			t := &who.uses[u]
			t.expire(now)
			left := max(*most-t.used(), 0)
			if least >= 0 && left >= least {
				continue
			}
			if least = left; h == nil {
				h = http.Header{}
			}
			h.Set("X-Ratelimit-Limit-"+what, strconv.Itoa(*most))
			h.Set("X-Ratelimit-Remaining-"+what, strconv.Itoa(left))
			h.Set("X-Ratelimit-Reset-"+what, t.reset(now).Round(time.Millisecond).String())
		}
	}
	set("Requests", useRequests)
	set("Tokens", useTokens)
	return h
}
