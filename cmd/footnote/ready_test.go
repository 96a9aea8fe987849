package main

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"footnote/assistants"
)

func TestAWriteProbeStandsForAWhile(t *testing.T) {
	at, writes := time.Unix(0, 0), 0
	var fails error
	p := &writeProbe{now: func() time.Time { return at }, stores: []probedStore{
		{func(context.Context) error { writes++; return fails }, assistants.ErrUnavailable},
	}}
	step := func(after time.Duration, wantWrites int, want error) {
		t.Helper()
		at = at.Add(after)
		if err := p.check(t.Context()); !errors.Is(err, want) || (err == nil) != (want == nil) || writes != wantWrites {
			t.Errorf("%v after %d writes, want %v after %d", err, writes, want, wantWrites)
		}
	}
	step(0, 1, nil)
	fails = os.ErrPermission
	step(probeInterval-1, 1, nil)
	step(1, 2, assistants.ErrUnavailable)
	fails = nil
	step(probeRetryInterval-1, 2, assistants.ErrUnavailable)
	step(1, 3, nil)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	at = at.Add(probeInterval)
	p.stores = append(p.stores, probedStore{func(ctx context.Context) error { return ctx.Err() }, assistants.ErrUnavailable})
	if err := p.check(gone); err != nil {
		t.Errorf("who asked has left: %v", err)
	}
	at, fails = at.Add(probeInterval), context.DeadlineExceeded
	if err := p.check(t.Context()); !errors.Is(err, assistants.ErrUnavailable) || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a probe that takes too long: %v", err)
	}
}

// /readyz reports a hanging database in time.
func TestADatabaseThatHangsIsNotReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hangs := func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		}
		if err := pingInTime(t.Context(), hangs); !errors.Is(err, assistants.ErrDatabaseUnavailable) {
			t.Errorf("got %v", err)
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if err := pingInTime(gone, hangs); !errors.Is(err, context.Canceled) {
			t.Errorf("who asked has left: %v", err)
		}
	})
}

// D-008: another program keeps the database locked for longer than anybody waits.
func TestADatabaseThatStaysLockedRefusesWritesAndReadsOn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := start(t, dir, []string{"--demo"})
	p.documents("handbook")
	eventually(t, "it is ready", func() bool { return p.request("GET", "/readyz", "", nil, nil) == 200 })
	other, err := sql.Open("sqlite", filepath.Join(dir, "footnote.db")+"?_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close() //nolint:errcheck // nothing was written
	lock, err := other.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	upload := func() (int, string) {
		t.Helper()
		contentType, body := stormFile{name: "a.md", content: []byte("# A\n\ntext")}.form(t, "")
		resp, err := p.send("POST", "/v1.0/assistants/handbook/documents", contentType, bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode == 503 && resp.Header.Get("Retry-After") == "" {
			t.Error("503 without Retry-After")
		}
		return resp.StatusCode, refusal(t, resp).Code
	}
	if status, code := upload(); status != 503 || code != "database_unavailable" {
		t.Errorf("upload: %d %s", status, code)
	}
	question := map[string]any{"model": "handbook", "messages": []map[string]string{{"role": "user", "content": "How many vacation days do I get per year?"}}}
	var answer chatAnswer
	if status := p.json("POST", "/v1/chat/completions", question, &answer); status != 200 || answer.Citations == nil || answer.Citations.Status != "cited" {
		t.Errorf("question: %d %+v", status, answer)
	}
	var refused struct{ Error apiError }
	eventually(t, "it says that it cannot store", func() bool { return p.request("GET", "/readyz", "", nil, &refused) == 503 })
	if refused.Error.Code != "database_unavailable" {
		t.Errorf("%+v", refused)
	}
	if err := lock.Rollback(); err != nil {
		t.Fatal(err)
	}
	if status, code := upload(); status != 202 {
		t.Errorf("afterwards: %d %s", status, code)
	}
	eventually(t, "it is ready again", func() bool { return p.request("GET", "/readyz", "", nil, nil) == 200 })
}

// Uploads that cannot be stored are refused and /readyz reports it, while
// questions are still answered.
func TestAServerThatCannotStoreSaysSoAndReadsOn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := start(t, dir, []string{"--demo"})
	p.documents("handbook")
	eventually(t, "it is ready", func() bool { return p.request("GET", "/readyz", "", nil, nil) == 200 })
	// The disk is taken away under it.
	if err := os.RemoveAll(filepath.Join(dir, "documents")); err != nil {
		t.Fatal(err)
	}
	var refused struct{ Error apiError }
	eventually(t, "it says that it cannot store", func() bool { return p.request("GET", "/readyz", "", nil, &refused) == 503 })
	if refused.Error.Code != "storage_unavailable" {
		t.Errorf("%+v", refused)
	}
	f := stormFile{name: "a.md", content: []byte("# A\n\ntext")}
	contentType, body := f.form(t, "")
	resp, err := p.send("POST", "/v1.0/assistants/handbook/documents", contentType, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if got := refusal(t, resp); resp.StatusCode != 503 || resp.Header.Get("Retry-After") == "" || got.Code != "storage_unavailable" {
		t.Errorf("upload: %+v", got)
	}
	question := map[string]any{"model": "handbook", "messages": []map[string]string{{"role": "user", "content": "How many vacation days do I get per year?"}}}
	var answer chatAnswer
	if status := p.json("POST", "/v1/chat/completions", question, &answer); status != 200 || answer.Citations == nil || answer.Citations.Status != "cited" {
		t.Errorf("question: %d %+v", status, answer)
	}
}
