package access

import (
	"slices"
	"time"

	"footnote/assistants"
)

// A use is what a limit bounds, other than a quota.
type use int

const (
	useTokens use = iota
	useRequests
	useSearches
	useUploads
	useStreams
	useCount
)

// limitOfUse names the limit of each use.
var limitOfUse = [useCount]assistants.Limit{
	assistants.TokensPerMinute, assistants.RequestsPerMinute, assistants.SearchesPerMinute, assistants.UploadsPerMinute, assistants.ConcurrentStreams,
}

// amounts are how much a request asks for of each use; notAsked: its limit does not
// concern the request.
type amounts [useCount]int

const notAsked = -1

func (a Ask) amounts(tokens int) amounts {
	list := amounts{notAsked, notAsked, notAsked, notAsked, notAsked}
	switch a.Kind {
	case Chat:
		list[useRequests] = 1
	case Search:
		list[useSearches] = 1
	case Upload:
		list[useUploads] = a.Files
	}
	if a.Kind == Chat || a.Tokens != nil {
		list[useTokens] = tokens
	}
	if a.Stream {
		list[useStreams] = 1
	}
	return list
}

// A tally counts one use of a subject. Its zero value is empty.
type tally struct {
	own  window // what was used within the last minute
	held int    // what counts until it ends: open streams, and tokens of requests that are being answered
	sum  int    // of all that was ever added to own

	others     window // what other instances used, as they reported it
	othersHeld int
}

func (t *tally) expire(now time.Duration) {
	t.own.expire(now, minute)
	t.others.expire(now, minute)
}

// used is what counts now. It must have been expired.
func (t *tally) used() int { return t.own.sum + t.held + t.others.sum + t.othersHeld }

// shown is what other instances must know of: it grows with each use, and only the
// end of what is held makes it less.
func (t *tally) shown() int { return t.sum + t.held }

func (t *tally) add(now time.Duration, n int) {
	t.own.add(now, n)
	t.sum += max(n, 0)
}

// wait is how long it takes until n more fit under the limit. It must have been
// expired.
func (t *tally) wait(now time.Duration, limit, n int) time.Duration {
	w, held := &t.own, t.held+t.othersHeld
	if len(t.others.grains) > 0 {
		w = t.all()
	}
	return w.wait(now, minute, limit, held, n)
}

// reset is how long it takes until nothing of the last minute counts. It must have
// been expired.
func (t *tally) reset(now time.Duration) time.Duration {
	return max(t.own.reset(now, minute), t.others.reset(now, minute))
}

// all is what this and other instances used.
func (t *tally) all() *window {
	w := &window{grains: slices.Concat(t.own.grains, t.others.grains), sum: t.own.sum + t.others.sum}
	slices.SortFunc(w.grains, func(a, b grain) int { return int(a.at - b.at) })
	return w
}
