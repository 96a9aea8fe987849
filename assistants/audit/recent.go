package audit

import (
	"sync"
	"time"

	"footnote/assistants"
)

// RecentMinutes is how many minutes are counted in memory, the present one among them.
const RecentMinutes = 60

// recent counts the chats of the last hour by minute, without the database. It keeps
// no more than the tenants of these minutes.
type recent struct {
	mu      sync.Mutex
	minutes [RecentMinutes]minute
}

// A minute has the figures of the chats that came within it, by tenant.
type minute struct {
	number int64 // since 1970
	counts map[assistants.TenantID]*assistants.UsageCounts
}

func minuteOf(t time.Time) int64 { return t.Unix() / 60 }

// add counts an event, if it is a chat. One that is older than all minutes is left out.
func (r *recent) add(e assistants.AuditEvent) {
	if e.Chat == nil {
		return
	}
	n := minuteOf(e.CreatedAt)
	r.mu.Lock()
	defer r.mu.Unlock()
	m := &r.minutes[n%RecentMinutes]
	if m.number > n {
		return
	}
	if m.number < n {
		*m = minute{number: n, counts: map[assistants.TenantID]*assistants.UsageCounts{}}
	}
	if m.counts[e.TenantID] == nil {
		m.counts[e.TenantID] = &assistants.UsageCounts{}
	}
	m.counts[e.TenantID].Add(e.Chat.Counts(e.Result()))
}

// Recent returns the figures of the last hour's chats that ended in this process, a
// minute each, the oldest first. Minutes without chats are among them.
func (l *Log) Recent(tenant assistants.TenantID) []assistants.UsageMinute {
	last := minuteOf(l.cfg.Now())
	l.recent.mu.Lock()
	defer l.recent.mu.Unlock()
	list := make([]assistants.UsageMinute, RecentMinutes)
	for i := range list {
		n := last - RecentMinutes + 1 + int64(i)
		list[i] = assistants.UsageMinute{Start: time.Unix(n*60, 0).UTC()}
		if m := &l.recent.minutes[n%RecentMinutes]; m.number == n && m.counts[tenant] != nil {
			list[i].UsageCounts = *m.counts[tenant]
		}
	}
	return list
}
