package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A text is checked by the documents of an assistant and by passages in a file; the
// exit status follows the threshold.
func TestCheckTextSaysWhichSentencesNoDocumentBearsOut(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"bees.md":  "# Honey\n\nA colony needs 20 kg of honey to come through the winter. Wax melts at 63 °C and darkens with age.\n",
		"good.md":  "# About bees in winter\n\nA colony needs 20 kg of honey to come through the winter.\n\n```\nA colony needs 99 kg of code.\n```\n",
		"bad.md":   "A colony needs 20 kg of honey to come through the winter.\n\nWax melts at 99 °C.\n",
		"cites.md": "A colony needs 20 kg of honey to come through the winter [1].\nWax melts at 99 °C [2]. Nobody cites this sentence here. This one cites nothing there is [7].\n",
		"many.md":  strings.Repeat("Wax is soft. ", 201),
		"wax.md":   "Wax is soft.\n",
		"passages.jsonl": `{"id":"a","name":"Honey","text":"A colony needs 20 kg of honey to come through the winter."}

{"id":"b","text":"Wax melts at 63 °C.","page_number":7}
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := start(t, dir, nil)
	defer p.kill()
	remote := []string{"--url", p.url, "--key", testAdminKey}
	if _, stderr, code := run(t, dir, append([]string{"ingest", "--assistant", "things", "--create", "bees.md", "wax.md"}, remote...)...); code != 0 {
		t.Fatal(stderr)
	}
	for _, c := range []struct {
		args   string
		code   int
		stdout []string
		stderr string
	}{
		{"--assistant things good.md", 0, []string{"1 sentences checked: 1 supported, 0 weak, 0 unsupported."}, ""},
		{"--assistant things bad.md", 1, []string{"bad.md:3: unsupported: Wax melts at 99 °C.", "bees.md: Wax melts at 63 °C", "2 sentences checked: 1 supported, 0 weak, 1 unsupported."}, "50.0 % of the sentences are borne out; 100.0 % are needed"},
		{"--assistant things --threshold 0.5 bad.md", 0, []string{"1 unsupported"}, ""},
		{"--passages passages.jsonl cites.md", 1, []string{"cites.md:2: unsupported: Wax melts at 99 °C [2].", "b, page 7: Wax melts at 63 °C.", "cites.md:2: unsupported: This one cites nothing there is [7].\n    No passage comes near.", "3 sentences checked: 1 supported"}, "33.3 %"},
		{"--assistant things --threshold 0 many.md", 1, []string{"200 sentences checked"}, "not every sentence was checked"},
		{"bad.md", 2, nil, "either --assistant or --passages"},
		{"--assistant things --threshold 2 bad.md", 2, nil, "a share from 0 to 1"},
		{"--assistant nowhere bad.md", 2, nil, `no assistant "nowhere"`},
		{"--passages bad.md bad.md", 2, nil, "line 1 is not JSON"},
		{"--passages passages.jsonl bad.md", 1, nil, "no sentence to check"},
		{"--assistant things absent.md", 2, nil, "absent.md"},
		{"--assistant things", 2, nil, "accepts 1 arg"},
		{"--no-such-flag bad.md", 2, nil, "no-such-flag"},
		{"--assistant things --key wrong bad.md", 2, nil, "key"},
		{"--assistant things --url http://127.0.0.1:1 bad.md", 2, nil, "127.0.0.1:1"},
	} {
		stdout, stderr, code := run(t, dir, append(append([]string{"check-text"}, remote...), strings.Fields(c.args)...)...)
		if code != c.code || !strings.Contains(stderr, c.stderr) {
			t.Errorf("%s: %d %s\n%s", c.args, code, stderr, stdout)
		}
		for _, want := range c.stdout {
			if !strings.Contains(stdout, want) {
				t.Errorf("%s: no %q in\n%s", c.args, want, stdout)
			}
		}
	}
	stdout, _, _ := run(t, dir, append(append([]string{"check-text"}, remote...), "--json", "--assistant", "things", "bad.md")...)
	var got struct {
		Claims []struct {
			Line          int
			Support, Text string
		}
		Share  float64
		Passed bool
	}
	if err := json.Unmarshal([]byte(stdout), &got); err != nil || got.Share != 0.5 || got.Passed || len(got.Claims) != 2 || got.Claims[1].Line != 3 {
		t.Errorf("%v %s", err, stdout)
	}
	// The text is an answer, so that the audit log has who checked what, not the text.
	var log struct{ Data []auditEntry }
	if status := p.json("GET", "/v1.0/audit?action=check", nil, &log); status != 200 || len(log.Data) == 0 {
		t.Fatalf("%d, %d checks in the audit log", status, len(log.Data))
	}
	served := 0
	for _, e := range log.Data {
		if e.Query != "" {
			t.Errorf("the audit log has %q", e.Query)
		}
		if e.Status == 200 && len(e.CollectionIDs) == 1 && e.AssistantID != "" && len(e.DocumentIDs) > 0 {
			served++
		}
	}
	if served == 0 {
		t.Errorf("no check has its assistant, collection and documents: %+v", log.Data)
	}
}
