package main

import (
	"net/http"
	"testing"
	"time"

	"footnote/assistants"
	"footnote/storage/db/mariadbtest"
	"footnote/storage/db/postgrestest"
)

// TestALimitOutlivesAKilledServer uses a limit on two processes, one after the
// other, because a database server has one Footnote at a time. The second knows what the
// first admitted, although that had no time to say so.
func TestALimitOutlivesAKilledServer(t *testing.T) {
	t.Parallel()
	t.Run("postgres", func(t *testing.T) { limitOutlivesTest(t, postgrestest.URL) })
	if nightly {
		t.Run("mariadb", func(t *testing.T) { limitOutlivesTest(t, mariadbtest.URL) })
	}
}

func limitOutlivesTest(t *testing.T, database func(testing.TB) string) {
	t.Helper()
	for range 5 {
		if withinTheMinute(t, database(t)) {
			return
		}
	}
	t.Fatal("this machine is too slow to do all of it within a minute")
}

// withinTheMinute reports false if it took longer than the limit's minute, after which
// the numbers say nothing.
func withinTheMinute(t *testing.T, url string) bool {
	t.Helper()
	const limit = 7
	dir, database := t.TempDir(), "FOOTNOTE_DATABASE_URL="+url
	p := start(t, dir, []string{"--demo"}, database)
	p.documents("handbook")
	if status := p.json("PATCH", "/v1.0/assistants/handbook", map[string]any{"settings": map[string]any{"requests_per_minute": limit}}, nil); status != http.StatusOK {
		t.Fatal(status)
	}
	question := map[string]any{"model": "handbook", "messages": []map[string]string{{"role": "user", "content": "How many vacation days do I get per year?"}}}
	ask := func(times int) (admitted int) {
		t.Helper()
		for range times {
			switch status := p.json("POST", "/v1/chat/completions", question, nil); status {
			case http.StatusOK:
				admitted++
			case http.StatusTooManyRequests:
			default:
				t.Fatal(status)
			}
		}
		return admitted
	}
	began := time.Now()
	first := ask(4)
	p.kill()
	p = start(t, dir, nil, database)
	eventually(t, "the index is there", func() bool { return p.request("GET", "/readyz", "", nil, nil) == 200 })
	var shown struct {
		Data []struct {
			Limit assistants.Limit
			Used  *int
		}
	}
	if status := p.request("GET", "/v1.0/assistants/handbook/limits", "", nil, &shown); status != http.StatusOK {
		t.Fatal(status)
	}
	second := ask(10)
	if time.Since(began) > 55*time.Second {
		p.kill()
		return false
	}
	if first != 4 || first+second != limit {
		t.Errorf("%d and, after a restart, %d were admitted; the limit is %d", first, second, limit)
	}
	found := false
	for _, l := range shown.Data {
		if l.Limit == assistants.RequestsPerMinute {
			found = l.Used != nil && *l.Used == first
		}
	}
	if !found {
		t.Errorf("the limits of the assistant do not show what the killed server admitted: %+v", shown)
	}
	return true
}
