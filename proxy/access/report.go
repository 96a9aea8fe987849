package access

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"footnote/assistants"
)

const (
	// creditPart is the part of a limit that all instances together may use before
	// they report it: a tenth.
	creditPart = 10
	// creditTime is how long an instance may use its credit without a report.
	creditTime = 50 * time.Second
	// creditKept is how long the others reckon with that credit. It is longer than
	// creditTime, so that they never stop first.
	creditKept = time.Minute
	// heldTime is how long the streams of an instance count that does not report any
	// more. One that is alive reports them every heldEvery.
	heldTime  = 15 * time.Second
	heldEvery = 5 * time.Second
	// bucket is the precision with which other instances know when something was used.
	// All of a bucket counts until its end is a minute ago.
	bucket = time.Second
)

// reports are what instances know of a subject, by instance, as stored.
type reports map[string]report

// A report is what one instance used of a subject. Times are in milliseconds since
// 1970, by the clock of the database.
type report struct {
	At     int64                      `json:"at"`
	Until  int64                      `json:"until"` // end of its credit
	Credit map[assistants.Limit]int   `json:"credit,omitempty"`
	Held   map[assistants.Limit]int   `json:"held,omitempty"`
	Used   map[assistants.Limit][]sum `json:"used,omitempty"` // oldest first
}

// A sum is the number of a bucket, counted from 1970, and what was used within it.
type sum [2]int64

// readReports reads what is stored. After an error there are no reports.
func readReports(text string) (reports, error) {
	if text == "" {
		return reports{}, nil
	}
	var list reports
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		return reports{}, fmt.Errorf("access: what instances used: %w", err)
	}
	if list == nil { // null
		list = reports{}
	}
	return list, nil
}

// forget removes the reports of which nothing counts any more, and that of an instance.
func (r reports) forget(instance string, now time.Time) {
	for name, one := range r {
		if name == instance || now.Sub(time.UnixMilli(one.At)) > creditKept+minute {
			delete(r, name)
		}
	}
}

// credit is how much an instance may use before its next report: half of what the
// others leave, so that it becomes the same for all of them.
func (r reports) credit(name assistants.Limit, limit int, now time.Time) int {
	left := limit / creditPart
	for _, one := range r {
		if one.Until > now.UnixMilli() {
			left -= one.Credit[name]
		}
	}
	return max(left/2, 0)
}

// learn takes over what the other instances used. elapsed is now by l's clock.
func (t *tally) learn(r reports, name assistants.Limit, now time.Time, elapsed time.Duration) {
	t.others, t.othersHeld = window{}, 0
	for _, one := range r {
		if now.Sub(time.UnixMilli(one.At)) < heldTime {
			t.othersHeld += one.Held[name]
		}
		for _, s := range one.Used[name] {
			end := time.UnixMilli((s[0] + 1) * bucket.Milliseconds())
			at := elapsed - now.Sub(end)
			t.others.grains = append(t.others.grains, grain{from: at, at: at, n: int(s[1])})
			t.others.sum += int(s[1])
		}
	}
	slices.SortFunc(t.others.grains, func(a, b grain) int { return int(a.at - b.at) })
	t.others.expire(elapsed, minute)
}

// tell is what this instance used, with what it uses now, for the others.
func (t *tally) tell(now time.Time, elapsed time.Duration, uses int) []sum {
	var list []sum
	for _, g := range append(slices.Clone(t.own.grains), grain{elapsed, elapsed, uses}) {
		if g.n == 0 {
			continue
		}
		number := now.Add(g.at-elapsed).UnixMilli() / bucket.Milliseconds()
		if last := len(list) - 1; last >= 0 && list[last][0] >= number {
			list[last][1] += int64(g.n)
			continue
		}
		list = append(list, sum{number, int64(g.n)})
	}
	return list
}
