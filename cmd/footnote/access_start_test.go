package main

import (
	"os"
	"strings"
	"testing"
)

// The first question can be asked as soon as the server says that it is ready.
// Without --demo, the next start says that anyone can ask it.
func TestReadyMeansThatTheDemoCanBeAsked(t *testing.T) {
	dir := t.TempDir()
	p := start(t, dir, []string{"--demo"})
	eventually(t, "it is ready", func() bool {
		var answer struct{ Error apiError }
		status := p.request("GET", "/readyz", "", nil, &answer)
		if status == 503 && answer.Error.Code != "starting" {
			t.Errorf("before it is ready: %+v", answer)
		}
		return status == 200
	})
	var answer chatAnswer
	question := map[string]any{"model": "handbook", "messages": []map[string]string{{"role": "user", "content": "How many vacation days do I get per year?"}}}
	if status := p.json("POST", "/v1/chat/completions", question, &answer); status != 200 || answer.Citations == nil || answer.Citations.Status != "cited" {
		t.Errorf("%d %+v", status, answer)
	}
	p.stop(os.Interrupt)
	if log := p.stderr.String(); strings.Contains(log, `"level":"ERROR"`) || strings.Contains(log, "without a key") {
		t.Errorf("the log has\n%s", log)
	}
	p = start(t, dir, nil)
	eventually(t, "the log names it", func() bool {
		return strings.Contains(p.stderr.String(), `(setting public_access)","assistants":"handbook"`)
	})
}

func TestTheDemoDoesNotHideOtherPublicAssistants(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := start(t, dir, nil)
	body := map[string]any{"name": "Open", "slug": "open", "settings": map[string]any{"public_access": true}}
	if status := p.json("POST", "/v1.0/assistants", body, nil); status != 201 {
		t.Fatal(status)
	}
	p.stop(os.Interrupt)
	p = start(t, dir, []string{"--demo"})
	if log := p.stderr.String(); !strings.Contains(log, `(setting public_access)","assistants":"open"`) {
		t.Errorf("the log has\n%s", log)
	}
}

func TestTheFirstStartShowsTheAdminKeyOnceAndItWorks(t *testing.T) {
	dir := t.TempDir()
	p := start(t, dir, nil, "FOOTNOTE_ADMIN_KEY=")
	key := p.printedKey()
	if status := p.statusFor(key, "/v1.0/assistants"); status != 200 {
		t.Error(status)
	}
	if strings.Contains(p.stderr.String(), key) {
		t.Error("the key is in the log")
	}
	if code := p.stop(os.Interrupt); code != 0 {
		t.Errorf("exit status %d\n%s", code, p.stderr)
	}
	p = start(t, dir, nil, "FOOTNOTE_ADMIN_KEY=")
	const remedy = "keys create --name admin --scope admin"
	p.stop(os.Interrupt) // all of its output is here then
	if said := p.stdout.String(); strings.Contains(said, "fn-") || !strings.Contains(said, "first start in "+dir) || !strings.Contains(said, remedy) {
		t.Errorf("the second start says %q", said)
	}
	another, stderr, code := run(t, dir, append(strings.Fields(remedy), "--data-dir", dir)...)
	if code != 0 {
		t.Fatalf("%d %s", code, stderr)
	}
	p = start(t, dir, nil)
	eventually(t, "it says that the key is in the environment", func() bool { return strings.Contains(p.stdout.String(), "FOOTNOTE_ADMIN_KEY") })
	if status := p.statusFor(strings.TrimSpace(another), "/v1.0/assistants"); status != 200 {
		t.Errorf("another key: %d", status)
	}
}
