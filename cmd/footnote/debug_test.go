package main

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestProfilesAreServedOnLoopbackAddressesOnly(t *testing.T) {
	for _, addr := range []string{"127.0.0.1:6060", "127.1.2.3:0", "[::1]:6060"} {
		if _, _, problems := load(t, Sources{Environ: []string{"FOOTNOTE_DEBUG_ADDR=" + addr}}); len(problems) > 0 {
			t.Errorf("%s: %v", addr, problems)
		}
	}
	for _, addr := range []string{":6060", "0.0.0.0:6060", "[::]:6060", "192.168.0.1:6060", "localhost:6060", "127.0.0.1", "6060"} {
		_, _, problems := load(t, Sources{Environ: []string{"FOOTNOTE_DEBUG_ADDR=" + addr}})
		if len(problems) != 1 || problems[0].Option != "FOOTNOTE_DEBUG_ADDR" {
			t.Errorf("%s: %v", addr, problems)
		}
	}
}

func TestProfilesHaveAnAddressOfTheirOwn(t *testing.T) {
	p := start(t, t.TempDir(), nil, "FOOTNOTE_DEBUG_ADDR=127.0.0.1:0")
	profiles := p.profiles(t)
	ask := func(url, host string) (int, string) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = host
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(body)
	}
	if status, body := ask(profiles+"heap?debug=1", ""); status != http.StatusOK || !strings.Contains(body, "heap profile") {
		t.Errorf("the profile of the heap: %d %.200s", status, body)
	}
	if status, _ := ask(profiles+"heap", "page.example"); status != http.StatusForbidden {
		t.Errorf("a page that made its name stand for the address got status %d", status)
	}
	if status, _ := ask(p.url+"/debug/pprof/heap", ""); status != http.StatusNotFound {
		t.Errorf("the server's own address has profiles: status %d", status)
	}
}

// profiles returns the address of the server's profiles once the log says it.
func (p *process) profiles(t *testing.T) (url string) {
	t.Helper()
	eventually(t, "profiles are served", func() bool {
		for line := range strings.Lines(p.stderr.String()) {
			var entry struct{ Msg, URL string }
			if json.Unmarshal([]byte(line), &entry) == nil && entry.Msg == "serving profiles" {
				url = entry.URL
			}
		}
		return url != ""
	})
	return url
}
