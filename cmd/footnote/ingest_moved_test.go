package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file that was renamed or moved inside a folder is the same document, and
// answers name it as it is called now; a name that a person gave it stays.
func TestADocumentFollowsItsFile(t *testing.T) {
	dir := t.TempDir()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	at := func(name string) string { return filepath.Join(dir, "pr", name) }
	must(os.MkdirAll(at("old"), 0o700))
	must(os.WriteFile(at("a.txt"), []byte("Wax melts at sixty degrees.\n"), 0o600))
	must(os.WriteFile(at("b.txt"), []byte("A colony needs 20 kg of honey.\n"), 0o600))
	must(os.WriteFile(at("old/c.txt"), []byte("Wasps build with chewed wood.\n"), 0o600))
	p := start(t, dir, nil)
	ingest := func(want string, args ...string) {
		t.Helper()
		stdout, stderr, code := run(t, dir, append([]string{"ingest", "--url", p.url, "--key", testAdminKey, "--assistant", "bees", "--create"}, args...)...)
		if code != 0 || !strings.Contains(stdout, want) {
			t.Errorf("%v: %d\n%s\n%s", args, code, stdout, stderr)
		}
	}
	byID := func() map[string]string {
		out := map[string]string{}
		for _, d := range p.documents("bees") {
			out[d.ID] = d.Name + " " + strings.TrimPrefix(d.SourcePath, at(""))
		}
		return out
	}
	ingest("3 ready, 0 unchanged", "pr")
	want := byID()
	for id, is := range want {
		if strings.HasPrefix(is, "c.txt") {
			if code := p.json("PATCH", "/v1.0/documents/"+id, map[string]any{"name": "The wasps"}, nil); code != 200 {
				t.Fatal(code)
			}
		}
		want[id] = map[string]string{"a.txt /a.txt": "a.txt /a.txt", "b.txt /b.txt": "b2.txt /b2.txt", "c.txt /old/c.txt": "The wasps /new/c2.txt"}[is]
	}
	must(os.Mkdir(at("new"), 0o700))
	must(os.Rename(at("b.txt"), at("b2.txt")))
	must(os.Rename(at("old/c.txt"), at("new/c2.txt")))
	must(os.WriteFile(at("copy.txt"), []byte("Wax melts at sixty degrees.\n"), 0o600))
	ingest("0 ready, 4 unchanged, 0 failed, 0 removed", "--prune", "pr")
	same := func() {
		t.Helper()
		got := byID()
		for id, is := range want {
			if got[id] != is || len(got) != len(want) {
				t.Errorf("%s is %q, want %q, of %v", id, got[id], is, got)
			}
		}
	}
	same()
	var answer struct {
		Citations struct {
			Sources []struct {
				Name string `json:"document_name"`
			}
		}
	}
	must(json.Unmarshal([]byte(p.raw("/v1/chat/completions", `{"model":"bees","messages":[{"role":"user","content":"How much honey does a colony need?"}]}`)), &answer))
	if len(answer.Citations.Sources) == 0 || answer.Citations.Sources[0].Name != "b2.txt" {
		t.Errorf("%+v", answer)
	}
	ingest("0 ready, 4 unchanged, 0 failed, 0 removed", "--prune", "pr")
	// What lies outside of the folders that are named may well be there.
	must(os.Mkdir(filepath.Join(dir, "else"), 0o700))
	must(os.Rename(at("b2.txt"), filepath.Join(dir, "else", "b3.txt")))
	ingest("0 ready, 1 unchanged", "else")
	same()
}

// A link to a folder, which may lead round, is passed over and said; it is no
// failure and keeps nothing from being pruned but what is behind it.
func TestALinkToAFolderIsPassedOver(t *testing.T) {
	dir := t.TempDir()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	at := func(name string) string { return filepath.Join(dir, "pr", name) }
	must(os.Mkdir(at(""), 0o700))
	must(os.Mkdir(filepath.Join(dir, "far"), 0o700))
	must(os.WriteFile(at("a.txt"), []byte("Wax melts at sixty degrees.\n"), 0o600))
	must(os.WriteFile(at("b.txt"), []byte("A colony needs 20 kg of honey.\n"), 0o600))
	must(os.WriteFile(filepath.Join(dir, "far", "c.txt"), []byte("Wasps build with chewed wood.\n"), 0o600))
	must(os.Symlink(".", at("loop")))
	must(os.Symlink(filepath.Join(dir, "far"), at("far")))
	ingest := func(want string, args ...string) string {
		t.Helper()
		stdout, stderr, code := run(t, dir, append([]string{"ingest", "--data-dir", filepath.Join(dir, "data"), "--assistant", "bees", "--create"}, args...)...)
		if code != 0 || !strings.Contains(stdout, want) {
			t.Errorf("%v: %d\n%s\n%s", args, code, stdout, stderr)
		}
		return stdout
	}
	ingest("1 ready", "pr/far")
	must(os.Remove(at("b.txt")))
	if got := ingest("1 ready, 0 unchanged, 0 failed, 0 removed\n", "--prune", "pr"); strings.Count(got, "loop: It is a link to a folder") != 1 {
		t.Error(got)
	}
	must(os.WriteFile(at("b.txt"), []byte("A colony needs 20 kg of honey.\n"), 0o600))
	ingest("1 ready, 1 unchanged, 0 failed, 0 removed\n", "--prune", "pr")
	must(os.Remove(at("b.txt")))
	ingest("0 ready, 1 unchanged, 0 failed, 1 removed\n", "--prune", "pr")
}

// Files that change their names among each other are what they are called now,
// and none is lost, though the server has the bytes of each under another path.
func TestFilesThatChangePlacesAreAllThere(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, "pr", name) }
	if err := os.Mkdir(at(""), 0o700); err != nil {
		t.Fatal(err)
	}
	p := start(t, dir, nil)
	wax, honey, wasps := "Wax melts at sixty degrees.", "A colony needs 20 kg of honey.", "Wasps build with chewed wood."
	was := map[string]string{}
	// becomes makes the folder these files and brings it in.
	becomes := func(counts string, is map[string]string) {
		t.Helper()
		for name := range was {
			if err := os.Remove(at(name)); err != nil {
				t.Fatal(err)
			}
		}
		for name, text := range is {
			if err := os.WriteFile(at(name), []byte(text+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		was = is
		stdout, stderr, code := run(t, dir, "ingest", "--url", p.url, "--key", testAdminKey, "--assistant", "bees", "--create", "--prune", "pr")
		if code != 0 || !strings.Contains(stdout, counts) {
			t.Errorf("%v: %d\n%s\n%s", is, code, stdout, stderr)
		}
		got := map[string]string{}
		for _, d := range p.documents("bees") {
			var text struct{ Text string }
			p.request("GET", "/v1.0/documents/"+d.ID+"/text", "", nil, &text)
			got[d.Name] = strings.TrimSpace(text.Text)
			if d.SourcePath != at(d.Name) {
				t.Errorf("%s has the path %s", d.Name, d.SourcePath)
			}
		}
		if !maps.Equal(got, is) {
			t.Errorf("%v is %v", is, got)
		}
	}
	three := "3 ready, 0 unchanged, 0 failed, 0 removed\n"
	becomes(three, map[string]string{"a.txt": wax, "b.txt": honey, "c.txt": wasps})
	becomes("1 ready, 1 unchanged, 0 failed, 0 removed\n", map[string]string{"a.txt": honey, "b.txt": wasps}) // each takes the name before
	becomes("2 ready, 0 unchanged, 0 failed, 0 removed\n", map[string]string{"a.txt": wasps, "b.txt": honey}) // two swap
	becomes("1 ready, 2 unchanged, 0 failed, 0 removed\n", map[string]string{"a.txt": wasps, "b.txt": honey, "c.txt": wax})
	becomes(three, map[string]string{"a.txt": honey, "b.txt": wax, "c.txt": wasps})                                         // round in a circle
	becomes("1 ready, 1 unchanged, 0 failed, 0 removed\n", map[string]string{"b.txt": honey, "c.txt": wax})                 // each takes the name after
	becomes("2 ready, 1 unchanged, 0 failed, 0 removed\n", map[string]string{"a.txt": honey, "b.txt": wasps, "c.txt": wax}) // a new one has another's bytes
	becomes("0 ready, 3 unchanged, 0 failed, 0 removed\n", map[string]string{"a.txt": honey, "b.txt": wasps, "c.txt": wax})
}

// A file that is passed over, for it is hidden, is not gone: its document stays,
// and stays its own when another file has the same bytes.
func TestAHiddenFileThatWasNamedIsNotGone(t *testing.T) {
	dir := t.TempDir()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	at := func(name string) string { return filepath.Join(dir, "pr", name) }
	must(os.MkdirAll(at("old"), 0o700))
	must(os.WriteFile(at(".a.txt"), []byte("Wax melts at sixty degrees.\n"), 0o600))
	must(os.WriteFile(at("old/b.txt"), []byte("A colony needs 20 kg of honey.\n"), 0o600))
	must(os.WriteFile(at("c"), []byte("Wasps build with chewed wood.\n"), 0o600))
	ingest := func(want string, args ...string) {
		t.Helper()
		stdout, stderr, code := run(t, dir, append([]string{"ingest", "--data-dir", filepath.Join(dir, "data"), "--assistant", "bees", "--create"}, args...)...)
		if code != 0 || !strings.Contains(stdout, want) || strings.Contains(stdout, "moved   ") {
			t.Errorf("%v: %d\n%s\n%s", args, code, stdout, stderr)
		}
	}
	ingest("3 ready", "pr", "pr/.a.txt")
	ingest("0 ready, 2 unchanged, 0 failed, 0 removed\n", "--prune", "pr")
	must(os.WriteFile(at("copy.txt"), []byte("Wax melts at sixty degrees.\n"), 0o600))
	ingest("0 ready, 3 unchanged, 0 failed, 0 removed\n", "--prune", "pr")
	must(os.Remove(at("copy.txt")))
	must(os.Remove(at(".a.txt")))
	ingest("0 ready, 2 unchanged, 0 failed, 1 removed\n", "--prune", "pr")
	// A folder where a file was, and a file where a folder was, are no such file.
	must(os.RemoveAll(at("old")))
	must(os.WriteFile(at("old"), []byte("Bumblebees nest in the ground.\n"), 0o600))
	must(os.Remove(at("c")))
	must(os.Mkdir(at("c"), 0o700))
	ingest("1 ready, 0 unchanged, 0 failed, 2 removed\n", "--prune", "pr")
}
