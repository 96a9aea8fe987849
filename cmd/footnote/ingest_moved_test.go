package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A hive is a folder of files for an assistant.
type hive struct {
	t   *testing.T
	dir string   // in which the folder is
	to  []string // where they are brought: flags of `footnote ingest`
}

func newHive(t *testing.T) *hive {
	h := &hive{t: t, dir: t.TempDir()}
	h.to = []string{"--data-dir", filepath.Join(h.dir, "data")}
	h.must(os.Mkdir(h.at(""), 0o700))
	return h
}

// at is the path of a file of the folder.
func (h *hive) at(name string) string { return filepath.Join(h.dir, "pr", name) }

func (h *hive) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

// write writes a file of one line, and the folder for it.
func (h *hive) write(path, line string) {
	h.t.Helper()
	h.must(os.MkdirAll(filepath.Dir(path), 0o700))
	h.must(os.WriteFile(path, []byte(line+"\n"), 0o600))
}

// ingest brings files to the assistant and returns what is said, in which want is.
func (h *hive) ingest(want string, args ...string) string {
	h.t.Helper()
	stdout, stderr, code := run(h.t, h.dir, slices.Concat([]string{"ingest"}, h.to, []string{"--assistant", "bees", "--create"}, args)...)
	if code != 0 || !strings.Contains(stdout, want) {
		h.t.Errorf("%v: %d\n%s\n%s", args, code, stdout, stderr)
	}
	return stdout
}

// A file that was renamed or moved inside a folder is the same document, and
// answers name it as it is called now; a name that a person gave it stays.
func TestADocumentFollowsItsFile(t *testing.T) {
	h := newHive(t)
	h.write(h.at("a.txt"), "Wax melts at sixty degrees.")
	h.write(h.at("b.txt"), "A colony needs 20 kg of honey.")
	h.write(h.at("old/c.txt"), "Wasps build with chewed wood.")
	p := start(t, h.dir, nil)
	h.to = []string{"--url", p.url, "--key", testAdminKey}
	byID := func() map[string]string {
		out := map[string]string{}
		for _, d := range p.documents("bees") {
			out[d.ID] = d.Name + " " + strings.TrimPrefix(d.SourcePath, h.at(""))
		}
		return out
	}
	h.ingest("3 ready, 0 unchanged", "pr")
	want := byID()
	for id, is := range want {
		if strings.HasPrefix(is, "c.txt") {
			if code := p.json("PATCH", "/v1.0/documents/"+id, map[string]any{"name": "The wasps"}, nil); code != 200 {
				t.Fatal(code)
			}
		}
		want[id] = map[string]string{"a.txt /a.txt": "a.txt /a.txt", "b.txt /b.txt": "b2.txt /b2.txt", "c.txt /old/c.txt": "The wasps /new/c2.txt"}[is]
	}
	h.must(os.Mkdir(h.at("new"), 0o700))
	h.must(os.Rename(h.at("b.txt"), h.at("b2.txt")))
	h.must(os.Rename(h.at("old/c.txt"), h.at("new/c2.txt")))
	h.write(h.at("copy.txt"), "Wax melts at sixty degrees.")
	h.ingest("0 ready, 4 unchanged, 0 failed, 0 removed", "--prune", "pr")
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
	h.must(json.Unmarshal([]byte(p.raw("/v1/chat/completions", `{"model":"bees","messages":[{"role":"user","content":"How much honey does a colony need?"}]}`)), &answer))
	if len(answer.Citations.Sources) == 0 || answer.Citations.Sources[0].Name != "b2.txt" {
		t.Errorf("%+v", answer)
	}
	h.ingest("0 ready, 4 unchanged, 0 failed, 0 removed", "--prune", "pr")
	// What lies outside of the folders that are named may well be there.
	h.must(os.Mkdir(filepath.Join(h.dir, "else"), 0o700))
	h.must(os.Rename(h.at("b2.txt"), filepath.Join(h.dir, "else", "b3.txt")))
	h.ingest("0 ready, 1 unchanged", "else")
	same()
}

// A link to a folder, which may lead round, is passed over and said; it is no
// failure and keeps nothing from being pruned but what is behind it.
func TestALinkToAFolderIsPassedOver(t *testing.T) {
	h := newHive(t)
	h.write(h.at("a.txt"), "Wax melts at sixty degrees.")
	h.write(h.at("b.txt"), "A colony needs 20 kg of honey.")
	h.write(filepath.Join(h.dir, "far", "c.txt"), "Wasps build with chewed wood.")
	h.must(os.Symlink(".", h.at("loop")))
	h.must(os.Symlink(filepath.Join(h.dir, "far"), h.at("far")))
	h.ingest("1 ready", "pr/far")
	h.must(os.Remove(h.at("b.txt")))
	if got := h.ingest("1 ready, 0 unchanged, 0 failed, 0 removed\n", "--prune", "pr"); strings.Count(got, "loop: It is a link to a folder") != 1 {
		t.Error(got)
	}
	h.write(h.at("b.txt"), "A colony needs 20 kg of honey.")
	h.ingest("1 ready, 1 unchanged, 0 failed, 0 removed\n", "--prune", "pr")
	h.must(os.Remove(h.at("b.txt")))
	h.ingest("0 ready, 1 unchanged, 0 failed, 1 removed\n", "--prune", "pr")
}

// Files that change their names among each other are what they are called now,
// and none is lost, though the server has the bytes of each under another path.
func TestFilesThatChangePlacesAreAllThere(t *testing.T) {
	h := newHive(t)
	p := start(t, h.dir, nil)
	h.to = []string{"--url", p.url, "--key", testAdminKey}
	wax, honey, wasps := "Wax melts at sixty degrees.", "A colony needs 20 kg of honey.", "Wasps build with chewed wood."
	was := map[string]string{}
	// becomes makes the folder these files and brings it in.
	becomes := func(counts string, is map[string]string) {
		t.Helper()
		for name := range was {
			h.must(os.Remove(h.at(name)))
		}
		for name, text := range is {
			h.write(h.at(name), text)
		}
		was = is
		h.ingest(counts, "--prune", "pr")
		got := map[string]string{}
		for _, d := range p.documents("bees") {
			var text struct{ Text string }
			p.request("GET", "/v1.0/documents/"+d.ID+"/text", "", nil, &text)
			got[d.Name] = strings.TrimSpace(text.Text)
			if d.SourcePath != h.at(d.Name) {
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
	h := newHive(t)
	ingest := func(want string, args ...string) {
		t.Helper()
		if got := h.ingest(want, args...); strings.Contains(got, "moved   ") {
			t.Errorf("%v: %s", args, got)
		}
	}
	h.write(h.at(".a.txt"), "Wax melts at sixty degrees.")
	h.write(h.at("old/b.txt"), "A colony needs 20 kg of honey.")
	h.write(h.at("c"), "Wasps build with chewed wood.")
	ingest("3 ready", "pr", "pr/.a.txt")
	ingest("0 ready, 2 unchanged, 0 failed, 0 removed\n", "--prune", "pr")
	h.write(h.at("copy.txt"), "Wax melts at sixty degrees.")
	ingest("0 ready, 3 unchanged, 0 failed, 0 removed\n", "--prune", "pr")
	h.must(os.Remove(h.at("copy.txt")))
	h.must(os.Remove(h.at(".a.txt")))
	ingest("0 ready, 2 unchanged, 0 failed, 1 removed\n", "--prune", "pr")
	// A folder where a file was, and a file where a folder was, are no such file.
	h.must(os.RemoveAll(h.at("old")))
	h.write(h.at("old"), "Bumblebees nest in the ground.")
	h.must(os.Remove(h.at("c")))
	h.must(os.Mkdir(h.at("c"), 0o700))
	ingest("1 ready, 0 unchanged, 0 failed, 2 removed\n", "--prune", "pr")
}
