package proxy_test

import (
	"bytes"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"footnote/assistants"
	"footnote/proxy/access"
	"footnote/proxy/upstream/upstreamtest"
	"footnote/storage/db"
	"footnote/storage/db/postgrestest"
)

// sharedLimits are those of one instance on a database.
func sharedLimits(t *testing.T, url string) *access.Limits {
	t.Helper()
	store, err := db.Open(t.Context(), url, db.Options{SecretKey: bytes.Repeat([]byte{7}, 32)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	limits := access.NewLimits(access.LimitsConfig{Months: store, Shared: store})
	t.Cleanup(func() {
		if err := errors.Join(limits.Close(), store.Close()); err != nil {
			t.Error(err)
		}
	})
	return limits
}

// TestTwoServersOnOneDatabaseShareTheLimitsOfKeysAndAssistants asks both at once for
// four times what keys are allowed. All of it is within a minute: it takes a few seconds.
func TestTwoServersOnOneDatabaseShareTheLimitsOfKeysAndAssistants(t *testing.T) {
	up := upstreamtest.New(t, upstreamtest.JSON(okAnswer))
	url := postgrestest.URL(t)
	const ofKey, ofAssistant, ofFew = 60, 100, 3
	settings := assistants.DefaultSettings()
	settings.RequestsPerMinute = limitOf(ofAssistant)
	names := map[string]int{"one": ofKey, "other": ofKey, "few": ofFew}
	type server struct {
		*fixture
		keys map[string]string
	}
	var servers []server
	for range 2 {
		s := server{newFixture(t, fixture{upstreamURL: up.URL(), settings: settings, limits: sharedLimits(t, url)}), map[string]string{}}
		for name, limit := range names {
			s.keys[name] = s.fixture.keys.add(func(k *assistants.Key) {
				k.ID, k.Limits = assistants.KeyID("key_"+name), assistants.Limits{RequestsPerMinute: limitOf(limit)}
			})
		}
		servers = append(servers, s)
	}
	ask := func(admitted map[string]*atomic.Int64) {
		var clients sync.WaitGroup
		for name := range admitted {
			for _, s := range servers {
				for range 4 {
					clients.Go(func() {
						for range names[name] / 2 {
							resp, body := s.send(s.post(t, "/v1/chat/completions", limitedChat, "Authorization", "Bearer "+s.keys[name]))
							switch resp.StatusCode {
							case http.StatusOK:
								admitted[name].Add(1)
							case http.StatusTooManyRequests:
							default:
								t.Errorf("%d %s", resp.StatusCode, body)
							}
						}
					})
				}
			}
		}
		clients.Wait()
	}
	within := func(what string, got int64, limit int) {
		t.Helper()
		t.Logf("%s: two servers admitted %d, the limit is %d", what, got, limit)
		if 10*int(got) > 11*limit || 10*int(got) < 9*limit {
			t.Errorf("%s: two servers admitted %d, the limit is %d", what, got, limit)
		}
	}
	first := map[string]*atomic.Int64{"few": {}, "one": {}}
	ask(first)
	within("few", first["few"].Load(), ofFew)
	within("one", first["one"].Load(), ofKey)
	second := map[string]*atomic.Int64{"other": {}}
	ask(second)
	within("assistant", first["few"].Load()+first["one"].Load()+second["other"].Load(), ofAssistant)
}
