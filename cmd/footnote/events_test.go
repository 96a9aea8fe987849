package main

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"footnote/assistants"
	"footnote/proxy/openapi/openapitest"
	"footnote/proxy/sse"
)

// follow opens the program's stream of events. Its data begin with those of "queue".
func (p *process) follow(query, lastID string) (*http.Response, *sse.Reader) {
	p.t.Helper()
	req, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, p.url+"/v1.0/events"+query, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+testAdminKey)
	if lastID != "" {
		req.Header.Set("Last-Event-ID", lastID)
	}
	client := http.Client{Transport: openapitest.Transport(p.t, http.DefaultTransport)}
	resp, err := client.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	if resp.StatusCode != 200 {
		p.t.Fatal(resp.Status)
	}
	return resp, sse.NewReader(resp.Body, 1<<20)
}

// eventIDs returns the ids of what there is now.
func (p *process) eventIDs(lastID string) (body string, last string) {
	p.t.Helper()
	resp, _ := p.follow("?follow=false", lastID)
	raw, err := io.ReadAll(resp.Body)
	if closed := resp.Body.Close(); err != nil || closed != nil {
		p.t.Fatal(err, closed)
	}
	for line := range strings.Lines(string(raw)) {
		if id, ok := strings.CutPrefix(line, "id: "); ok {
			last = strings.TrimSpace(id)
		}
	}
	return string(raw), last
}

// TestTheProgramTellsWhatHappensToADocument follows a document through the real worker,
// until the program stops and starts again.
func TestTheProgramTellsWhatHappensToADocument(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := start(t, dir, nil)
	if code := p.json("POST", "/v1.0/assistants", map[string]any{"name": "a"}, nil); code != 201 {
		t.Fatal(code)
	}
	resp, r := p.follow("", "")
	defer resp.Body.Close() //nolint:errcheck // read to its end
	next := func(name string, data any) {
		t.Helper()
		for {
			e, err := r.Next()
			if err != nil {
				t.Fatalf("%v before %s", err, name)
			}
			if e.Name == name {
				if err := json.Unmarshal(e.Data, data); err != nil {
					t.Fatal(err)
				}
				return
			}
		}
	}
	var ignored any
	next("status", &ignored)
	_, before := p.eventIDs("")

	body, contentType := formOf(t, "a.txt", "The office opens at eight.")
	var uploaded remoteDocument
	if code := p.request("POST", "/v1.0/assistants/a/documents", contentType, strings.NewReader(body), &uploaded); code != 202 {
		t.Fatal(code)
	}
	var d struct {
		remoteDocument
		Deleted bool
	}
	for d.Status != string(assistants.StatusReady) {
		if next("document", &d); d.ID != uploaded.ID || d.Name != "a.txt" || d.Error != nil && d.Error.Code != "embedder_unavailable" {
			t.Fatalf("%+v", d)
		}
	}
	if d.Searchable != "text" {
		t.Errorf("%+v", d)
	}
	if code := p.request("DELETE", "/v1.0/documents/"+uploaded.ID, "", nil, nil); code != 204 {
		t.Fatal(code)
	}
	for !d.Deleted {
		next("document", &d)
	}
	missed, last := p.eventIDs(before)
	if strings.Count(missed, "event: document\n") != 1 || !strings.Contains(missed, `"deleted":true`) || strings.Contains(missed, "reset") {
		t.Errorf("after what was missed: %s", missed)
	}

	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	var end struct{ Error struct{ Code string } }
	if next("end", &end); end.Error.Code != "draining" {
		t.Error(end)
	}
	if _, err := r.Next(); err != io.EOF { //nolint:errorlint // the reader's own
		t.Error(err)
	}
	<-p.exited
	if code := p.cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("exit status %d\n%s", code, p.stderr)
	}
	p = start(t, dir, nil)
	if again, _ := p.eventIDs(last); !strings.HasPrefix(again, "event: reset\n") {
		t.Errorf("after a new start: %s", again)
	}
}
