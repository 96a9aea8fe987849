package main

import (
	"bytes"
	"encoding/json"
	"mime/multipart"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// filled is a data directory with the demo's documents, at rest.
func filled(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	p := start(t, dir, nil)
	assistant := createAssistant(t, p, "papers")
	for name, content := range map[string]string{"a.md": "# A\n\nThe first text.", "b.md": "# B\n\nThe second text."} {
		uploadFile(t, p, assistant, name, content)
	}
	eventually(t, "every document is ready", func() bool { return statuses(t, p, assistant)["ready"] == 2 })
	if code := p.stop(syscall.SIGINT); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	return dir
}

func createAssistant(t *testing.T, p *process, slug string) string {
	t.Helper()
	var made struct{ ID string }
	if code := p.json("POST", "/v1.0/assistants", map[string]any{"name": slug, "slug": slug, "settings": map[string]any{"enable_rag": true}}, &made); code != 201 {
		t.Fatalf("status %d", code)
	}
	return made.ID
}

func uploadFile(t *testing.T, p *process, assistant, name, content string) string {
	t.Helper()
	body := &bytes.Buffer{}
	form := multipart.NewWriter(body)
	part, err := form.CreateFormFile("file", name)
	if err == nil {
		_, err = part.Write([]byte(content))
	}
	if err == nil {
		err = form.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	var d struct{ ID string }
	if code := p.request("POST", "/v1.0/assistants/"+assistant+"/documents", form.FormDataContentType(), body, &d); code != 202 {
		t.Fatalf("status %d", code)
	}
	return d.ID
}

// statuses counts an assistant's documents by state.
func statuses(t *testing.T, p *process, assistant string) map[string]int {
	t.Helper()
	var list struct{ Data []struct{ Status string } }
	if code := p.request("GET", "/v1.0/assistants/"+assistant+"/documents?limit=1000", "", nil, &list); code != 200 {
		t.Fatalf("status %d", code)
	}
	count := map[string]int{}
	for _, d := range list.Data {
		count[d.Status]++
	}
	return count
}

func TestCheckFindsAndRepairsAndSaysSo(t *testing.T) {
	dir := filled(t)
	out, stderr, code := run(t, t.TempDir(), "check", "--data-dir", dir, "--deep")
	if code != 0 || !strings.HasPrefix(out, "everything fits: 2 documents, 2 files of ") || stderr != "" {
		t.Fatalf("%d %s%s", code, out, stderr)
	}
	files, err := filepath.Glob(filepath.Join(dir, "documents", "default", "*"))
	if err != nil || len(files) != 2 {
		t.Fatal(files, err)
	}
	for _, name := range []string{
		filepath.Join(dir, "documents", "default", "orphan"), filepath.Join(dir, "documents", "default", ".tmp-x"),
		filepath.Join(dir, "uploads", "upload-1"), filepath.Join(dir, ".new-1"),
	} {
		if err := os.WriteFile(name, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(files[0]); err != nil {
		t.Fatal(err)
	}
	out, _, code = run(t, t.TempDir(), "check", "--data-dir", dir)
	for _, want := range []string{
		"file_without_document default/orphan ", "leftover_file default/.tmp-x ", "leftover_file uploads/upload-1 ", "leftover_file .new-1 ",
		"file_missing doc_", "(repair with --repair: mark the document failed; upload the file again)", "\n5 found, 0 repaired: 2 documents",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	if code != 1 {
		t.Errorf("exit code %d", code)
	}
	out, _, code = run(t, t.TempDir(), "check", "--data-dir", dir, "--repair", "--json")
	var report struct {
		Clean     bool
		Documents int
		Findings  []struct {
			Kind, ID, Message, Remedy string
			Repairable, Repaired      bool
		}
	}
	if err := json.Unmarshal([]byte(out), &report); err != nil || code != 0 || !report.Clean || report.Documents != 2 || len(report.Findings) != 5 || !report.Findings[0].Repaired {
		t.Errorf("%d %v %s", code, err, out)
	}
	if out, _, code = run(t, t.TempDir(), "check", "--data-dir", dir, "--deep"); code != 0 || !strings.HasPrefix(out, "everything fits") {
		t.Errorf("afterwards: %d %s", code, out)
	}
	p := start(t, dir, nil)
	if got := statuses(t, p, "papers"); got["ready"] != 1 || got["failed"] != 1 {
		t.Errorf("after the repair: %v", got)
	}
}

func TestCheckRefusesWhatItWouldDestroy(t *testing.T) {
	dir := filled(t)
	p := start(t, dir, nil)
	if _, stderr, code := run(t, t.TempDir(), "check", "--data-dir", dir, "--repair"); code != 1 || !strings.Contains(stderr, "is in use by process ") || !strings.Contains(stderr, "; stop it first") {
		t.Errorf("beside a server: %d %s", code, stderr)
	}
	p.stop(syscall.SIGINT)
	other := filled(t)
	if _, stderr, code := run(t, t.TempDir(), "check", "--data-dir", dir, "--repair", "--database-url", "sqlite:"+filepath.Join(other, "footnote.db")); code != 1 || !strings.Contains(stderr, "is not the one that knows the documents") {
		t.Errorf("with another's database: %d %s", code, stderr)
	}
	if _, stderr, code := run(t, t.TempDir(), "check", "--data-dir", dir, "--repair", "--database-url", "sqlite:"+filepath.Join(dir, "absent.db")); code != 1 || !strings.Contains(stderr, "there is no database ") {
		t.Errorf("without a database: %d %s", code, stderr)
	}
	if _, err := os.Stat(filepath.Join(dir, "absent.db")); err == nil {
		t.Error("a database was made")
	}
	if _, stderr, code := run(t, t.TempDir(), "check", "--data-dir", filepath.Join(dir, "absent")); code != 1 || !strings.Contains(stderr, "there is no data directory ") {
		t.Errorf("without a directory: %d %s", code, stderr)
	}
	if out, _, code := run(t, t.TempDir(), "check", "--data-dir", dir); code != 0 {
		t.Errorf("nothing was to happen: %d %s", code, out)
	}
}
