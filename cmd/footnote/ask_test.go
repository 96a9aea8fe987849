package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"footnote/proxy/upstream/upstreamtest"
)

// A model that cites a right and a wrong number: ask quotes what carries the
// first, and says of the second that its source does not say so, whatever
// format the assistant's other clients get.
func TestAskShowsQuotesAndWhatHasNoSupport(t *testing.T) {
	const answer = "A colony needs 20 kg of honey for the winter [1]. Wax 🐝 melts at 95 °C [1]. They dance [7]."
	chunk := func(delta, finish string) string {
		return `{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":` + delta + `,"finish_reason":` + finish + `}]}`
	}
	content, err := json.Marshal(map[string]string{"content": answer})
	if err != nil {
		t.Fatal(err)
	}
	far := modelServer(t)
	far.Play(upstreamtest.Stream().Then(upstreamtest.Event(chunk(string(content), "null")), upstreamtest.Event(chunk("{}", `"stop"`)), upstreamtest.Event("[DONE]"), upstreamtest.EndStream()))
	dir := t.TempDir()
	p := start(t, dir, nil, "FOOTNOTE_UPSTREAM_URL="+far.URL(), "FOOTNOTE_UPSTREAM_API_KEY=k", "FOOTNOTE_UPSTREAM_MODEL=m")
	defer p.kill()
	text := "# Honey\n\nBees eat what they store. A colony needs 20 kg of honey to come through the winter. Wax melts at 63 °C and darkens with age.\n"
	if err := os.WriteFile(filepath.Join(dir, "bees.md"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, stderr, code := run(t, dir, "ingest", "--url", p.url, "--key", testAdminKey, "--assistant", "bees", "--create", "bees.md"); code != 0 {
		t.Fatal(stderr)
	}
	stdout, stderr, code := run(t, dir, "ask", "--url", p.url, "--key", testAdminKey, "--assistant", "bees", "How much honey does a colony need for the winter, and when does wax melt?")
	if code != 0 {
		t.Fatal(stderr)
	}
	quote := "\n      A colony needs 20 kg of honey to come through the winter"
	check := "\n      This source does not support the claim: Wax 🐝 melts at 95 °C [1].\n"
	if !strings.Contains(stdout, answer) || !strings.Contains(stdout, quote) || strings.Count(stdout, "does not support the claim") != 1 || !strings.Contains(stdout, check) {
		t.Error(stdout)
	}
	if !strings.Contains(stdout, "\n  [7] is none of the sources that the model was given.\n") {
		t.Error(stdout)
	}
}

func TestAskSaysThatThereAreNoDocuments(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir(), nil)
	if status := p.json("POST", "/v1.0/assistants", map[string]any{"name": "Empty", "slug": "empty", "settings": map[string]any{"enable_rag": true, "enable_citations": true}}, nil); status != 201 {
		t.Fatal(status)
	}
	stdout, stderr, code := run(t, t.TempDir(), "ask", "--url", p.url, "--key", testAdminKey, "--assistant", "empty", "How many vacation days do I get?")
	if code != 0 || !strings.Contains(stdout, "This assistant has no documents yet.") {
		t.Errorf("%d %s %s", code, stdout, stderr)
	}
}

// Someone at a terminal sets a flag or a variable, not a header.
func TestCommandsSayHowToGiveTheServerAKey(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir(), nil)
	for _, c := range []struct{ args, want string }{
		{"", "requires a key."},
		{"--key=fn-wrong", "does not know this key, or it has expired."},
	} {
		args := []string{"keys", "list", "--url", p.url}
		if c.args != "" {
			args = append(args, c.args)
		}
		_, stderr, code := run(t, t.TempDir(), args...)
		if want := c.want + " Set --key or FOOTNOTE_API_KEY to one of its keys."; code != 1 || !strings.Contains(stderr, want) {
			t.Errorf("%d %s", code, stderr)
		}
	}
}
