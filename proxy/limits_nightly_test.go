//go:build nightly

package proxy_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"footnote/assistants"
	"footnote/proxy/access"
	"footnote/proxy/upstream/upstreamtest"
	"footnote/storage/db/postgrestest"
)

// load is what 200 keys do for five minutes.
const (
	loadKeys  = 200
	loadLimit = 20 // requests a minute of each key
	loadLasts = 5 * time.Minute
)

// A loaded is what happened to one key. A request was admitted between the two times.
type loaded struct {
	sent, answered []time.Time
	most           int // admitted within a minute, wherever it begins
	refused        int
	again          int // refused although it had waited as long as it was told
	least          int // admitted in the minute before a refusal
}

// TestTwoHundredKeysOverHTTPForFiveMinutes asks a running server by the real clock,
// faster than the keys may. A client waits as long as Retry-After-Ms says, and must
// then be let in.
func TestTwoHundredKeysOverHTTPForFiveMinutes(t *testing.T) {
	t.Parallel()
	limits := access.NewLimits(access.LimitsConfig{Months: noMonths{}})
	t.Cleanup(func() {
		if err := limits.Close(); err != nil {
			t.Error(err)
		}
	})
	all := askByManyKeys(t, limits)
	for _, key := range all {
		if key.most > loadLimit || key.again > 0 || key.least < loadLimit || len(key.sent) < 5*loadLimit*98/100 {
			t.Errorf("%d in a minute, %d refused again, %d before a refusal, %d in all", key.most, key.again, key.least, len(key.sent))
		}
	}
}

// TestTwoHundredKeysOnTwoServersForFiveMinutes does the same on two servers that share
// a database, in turn.
func TestTwoHundredKeysOnTwoServersForFiveMinutes(t *testing.T) {
	t.Parallel()
	url := postgrestest.URL(t)
	all := askByManyKeys(t, sharedLimits(t, url), sharedLimits(t, url))
	for _, key := range all {
		if 10*key.most > 11*loadLimit || 10*key.least < 9*loadLimit || len(key.sent) < 5*loadLimit*90/100 {
			t.Errorf("%d in a minute, %d before a refusal, %d in all", key.most, key.least, len(key.sent))
		}
	}
}

// askByManyKeys asks servers with these limits in turn until the time is over.
func askByManyKeys(t *testing.T, instances ...*access.Limits) []*loaded {
	t.Helper()
	up := upstreamtest.New(t, upstreamtest.JSON(okAnswer))
	servers, secrets := make([]*fixture, len(instances)), make([][]string, len(instances))
	for i, limits := range instances {
		servers[i] = newFixture(t, fixture{upstreamURL: up.URL(), settings: assistants.DefaultSettings(), limits: limits})
		for n := range loadKeys {
			secrets[i] = append(secrets[i], servers[i].keys.add(func(k *assistants.Key) {
				k.ID, k.Limits = assistants.KeyID(fmt.Sprintf("key_%d", n)), assistants.Limits{RequestsPerMinute: limitOf(loadLimit)}
			}))
		}
	}
	end := time.Now().Add(loadLasts)
	all := make([]*loaded, loadKeys)
	var wg sync.WaitGroup
	for n := range all {
		all[n] = &loaded{least: loadLimit}
		wg.Go(func() {
			for turn := 0; time.Now().Before(end); turn++ {
				all[n].ask(t, end, servers[turn%len(servers)], secrets[turn%len(servers)][n])
			}
		})
	}
	wg.Wait()
	sum, most, least, refused, again := 0, 0, loadLimit, 0, 0
	for _, key := range all {
		sum, most, least = sum+len(key.sent), max(most, key.most), min(least, key.least)
		refused, again = refused+key.refused, again+key.again
	}
	t.Logf("%d servers, %d keys, limit %d a minute, %s: %d admitted, at most %d of a key in any minute; %d refused, after at least %d in the minute before; %d refused again after the wait",
		len(servers), loadKeys, loadLimit, loadLasts, sum, most, refused, least, again)
	return all
}

// ask makes one request, which is repeated after the waits that it is told.
func (l *loaded) ask(t *testing.T, end time.Time, f *fixture, secret string) {
	for tried := 0; time.Now().Before(end); tried++ {
		asked := time.Now()
		resp, body := f.send(f.post(t, "/v1/chat/completions", limitedChat, "Authorization", "Bearer "+secret))
		if resp.StatusCode == http.StatusOK {
			l.admitted(asked, time.Now())
			return
		}
		var wait int64
		if _, err := fmt.Sscan(resp.Header.Get("Retry-After-Ms"), &wait); err != nil || resp.StatusCode != http.StatusTooManyRequests {
			t.Errorf("%d %s: %v", resp.StatusCode, body, err)
			return
		}
		l.refused++
		if tried > 0 {
			l.again++
		}
		within := 0 // in the minute before, and the second by which others count too long
		for i := len(l.answered) - 1; i >= 0 && asked.Sub(l.answered[i]) < 61*time.Second; i-- {
			within++
		}
		l.least = min(l.least, within)
		<-time.After(time.Duration(wait+1) * time.Millisecond)
	}
}

// admitted notes a request. It was in the same minute as an earlier one if that was
// sent less than a minute before this was answered.
func (l *loaded) admitted(asked, answered time.Time) {
	l.sent, l.answered = append(l.sent, asked), append(l.answered, answered)
	within := 0
	for i := len(l.sent) - 1; i >= 0 && answered.Sub(l.sent[i]) < time.Minute; i-- {
		within++
	}
	l.most = max(l.most, within)
}
