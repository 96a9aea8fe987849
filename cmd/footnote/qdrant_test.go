package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"footnote/storage/vector/qdranttest"
)

// The whole program with its index on Qdrant: documents are found and cited;
// with the server away answers go on without sources or fail, as the assistant
// is set, and it comes back by itself; what the server lost is put back.
func TestTheIndexMayBeOnQdrant(t *testing.T) {
	q := qdranttest.New(t)
	q.RequireKey("the-key-of-qdrant")
	url := fmt.Sprintf("FOOTNOTE_VECTOR_URL=qdrant://127.0.0.1:%d?api_key=the-key-of-qdrant&collection_prefix=test_", q.Port)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "bees.md"), []byte("# Honey\n\nA colony needs 20 kg of honey to come through the winter.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := start(t, dir, nil, url)
	defer p.kill()
	if _, stderr, code := run(t, dir, "ingest", "--url", p.url, "--key", testAdminKey, "--assistant", "bees", "--create", "bees.md"); code != 0 {
		t.Fatal(stderr)
	}
	ask := func(p *process) (int, string) {
		t.Helper()
		code, raw, err := p.exchange(http.MethodPost, "/v1/chat/completions", "application/json",
			strings.NewReader(`{"model":"bees","messages":[{"role":"user","content":"How much honey does a colony need?"}]}`))
		if err != nil {
			t.Fatal(err)
		}
		var got struct{ Citations struct{ Status string } }
		_ = json.Unmarshal(raw, &got) // an error has no citations
		if strings.Contains(string(raw), "qdrant") || strings.Contains(string(raw), "power cut") {
			t.Errorf("internal words leave the server: %s", raw)
		}
		return code, got.Citations.Status
	}
	expect := func(p *process, code int, citations string) {
		t.Helper()
		if gotCode, got := ask(p); gotCode != code || got != citations {
			t.Errorf("%d %q, want %d %q\n%s", gotCode, got, code, citations, p.stderr)
		}
	}
	expect(p, 200, "cited")
	for _, code := range []codes.Code{codes.Unauthenticated, codes.PermissionDenied, codes.NotFound, codes.Unavailable, codes.Internal} {
		q.Before(func(context.Context, string) error { return status.Error(code, "power cut") })
		expect(p, 200, "unavailable")
	}
	q.Before(func(ctx context.Context, _ string) error { // silent
		<-ctx.Done()
		return ctx.Err()
	})
	expect(p, 200, "unavailable")
	if code := p.json(http.MethodPatch, "/v1.0/assistants/bees/settings", map[string]string{"on_retrieval_error": "fail"}, nil); code != 200 {
		t.Fatal(code)
	}
	expect(p, 503, "")
	q.Before(nil)
	expect(p, 200, "cited")
	p.kill()
	if strings.Contains(p.stderr.String(), "the-key-of-qdrant") {
		t.Error("the key is in the log")
	}

	q.Lose("test_words", func(map[string]*qdrant.Value) bool { return true })
	p = start(t, dir, nil, url)
	defer p.kill()
	eventually(t, "it is ready", func() bool { return p.request("GET", "/readyz", "", nil, nil) == 200 })
	expect(p, 200, "cited")
}
