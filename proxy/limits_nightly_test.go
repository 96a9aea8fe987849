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
)

// TestTwoHundredKeysOverHTTPForFiveMinutes asks a running server by the real clock,
// faster than the keys may. A client waits as long as Retry-After-Ms says, and must
// then be let in.
func TestTwoHundredKeysOverHTTPForFiveMinutes(t *testing.T) {
	up := upstreamtest.New(t, upstreamtest.JSON(okAnswer))
	limits := access.NewLimits(access.LimitsConfig{Months: noMonths{}})
	t.Cleanup(func() {
		if err := limits.Close(); err != nil {
			t.Error(err)
		}
	})
	f := newFixture(t, fixture{upstreamURL: up.URL(), settings: assistants.DefaultSettings(), limits: limits})
	const keys, limit, lasts = 200, 20, 5 * time.Minute
	end := time.Now().Add(lasts)
	secrets := make([]string, keys)
	for i := range secrets {
		secrets[i] = f.keys.add(func(k *assistants.Key) { k.Limits = assistants.Limits{RequestsPerMinute: limitOf(limit)} })
	}
	var wg sync.WaitGroup
	for _, key := range secrets {
		wg.Go(func() {
			var sent, answered []time.Time // of those that were admitted, which was between the two
			waited := false
			for time.Now().Before(end) {
				asked := time.Now()
				resp, body := f.send(f.post(t, "/v1/chat/completions", limitedChat, "Authorization", "Bearer "+key))
				if resp.StatusCode == http.StatusOK {
					sent, answered, waited = append(sent, asked), append(answered, time.Now()), false
					if first := len(sent) - 1 - limit; first >= 0 && answered[len(answered)-1].Sub(sent[first]) < time.Minute {
						t.Errorf("%d requests within a minute", limit+1)
					}
					continue
				}
				if resp.StatusCode != http.StatusTooManyRequests || waited {
					t.Errorf("%d %s, after a wait: %t", resp.StatusCode, body, waited)
					return
				}
				var wait int64
				if _, err := fmt.Sscan(resp.Header.Get("Retry-After-Ms"), &wait); err != nil {
					t.Error(err)
					return
				}
				waited = true
				<-time.After(time.Duration(wait+1) * time.Millisecond)
			}
			if len(sent) < 5*limit*98/100 {
				t.Errorf("%d were admitted in %s", len(sent), lasts)
			}
		})
	}
	wg.Wait()
}
