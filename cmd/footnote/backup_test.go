package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"footnote/storage/archive"
)

// Names in a data directory and in an archive.
const (
	fileDatabase     = "footnote.db"
	fileIndex        = "index.db"
	fileInstallation = "installation"
	backupPrefix     = ".footnote-backup-"
	restorePrefix    = ".footnote-restore-"
	partialInfix     = ".footnote-partial-"
	swapJournal      = "restoring.json"
)

// filesOf lists what is in a folder, by name.
func filesOf(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// notesServer starts a server with an assistant and four small documents.
func notesServer(t *testing.T, args ...string) *process {
	t.Helper()
	p := start(t, t.TempDir(), args)
	if code := p.json("POST", "/v1.0/assistants", map[string]any{"name": "Notes", "settings": map[string]any{"enable_rag": true, "enable_citations": true}}, nil); code != 201 {
		t.Fatal(code)
	}
	for _, about := range []string{"bees", "wasps", "ants", "beetles"} {
		if doc, code := p.note("notes", about+".txt", "This note is about "+about+" and nothing else.\n"); code != 202 {
			t.Fatal(code, doc)
		}
	}
	for _, d := range p.documents("notes") {
		if d.Status != "ready" {
			t.Fatalf("%+v", d)
		}
	}
	return p
}

// note uploads a text.
func (p *process) note(assistant, name, text string) (doc remoteDocument, code int) {
	p.t.Helper()
	form, contentType := noteForm(p.t, name, text)
	code = p.request("POST", "/v1.0/assistants/"+assistant+"/documents", contentType, form, &doc)
	return doc, code
}

func noteForm(t *testing.T, name, text string) (form *bytes.Buffer, contentType string) {
	t.Helper()
	form = &bytes.Buffer{}
	w := multipart.NewWriter(form)
	part, err := w.CreateFormFile("file", name)
	if err == nil {
		_, err = io.WriteString(part, text)
	}
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return form, w.FormDataContentType()
}

// finds counts the passages that a question finds in the notes.
func (p *process) finds(question string) int {
	p.t.Helper()
	var found struct{ Data []passage }
	if code := p.json("POST", "/v1.0/assistants/notes/retrieve", map[string]any{"query": question}, &found); code != 200 {
		p.t.Fatal(code)
	}
	return len(found.Data)
}

// backup makes an archive of a data directory and fails the test if that fails.
func backup(t *testing.T, data string, args ...string) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "footnote.tar.gz")
	stdout, stderr, code := run(t, t.TempDir(), append([]string{"backup", "--data-dir", data, file}, args...)...)
	if code != 0 || !strings.Contains(stdout, " backed up in ") {
		t.Fatalf("%d\n%s\n%s", code, stdout, stderr)
	}
	return file
}

// restore puts an archive into a new data directory.
func restore(t *testing.T, file string, args ...string) (data string) {
	t.Helper()
	data = filepath.Join(t.TempDir(), "data")
	stdout, stderr, code := run(t, t.TempDir(), append([]string{"restore", "--data-dir", data, file}, args...)...)
	if code != 0 || !strings.Contains(stdout, " restored to ") {
		t.Fatalf("%d\n%s\n%s", code, stdout, stderr)
	}
	return data
}

func manifestOf(t *testing.T, file string) archive.Manifest {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, err := archive.Verify(f)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestABackupOfAStoppedServerIsPrivateAndRestoresToTheSameFiles(t *testing.T) {
	p := notesServer(t)
	p.stop(os.Interrupt)
	data := p.dataDir()
	before := filesOf(t, data)
	file := backup(t, data)
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info, err)
	}
	if got := filesOf(t, filepath.Dir(file)); len(got) != 1 {
		t.Errorf("beside the archive: %v", got)
	}
	if after := filesOf(t, data); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("the backup left %v of %v", after, before)
	}
	m := manifestOf(t, file)
	if m.Documents != 4 || len(m.Entries) != 4+4 || m.Schema == 0 || m.Program == "" || m.SecretElsewhere {
		t.Errorf("%+v", m)
	}
	for i := 1; i < 4; i++ {
		if m.Entries[i-1].Name >= m.Entries[i].Name {
			t.Errorf("%s before %s", m.Entries[i-1].Name, m.Entries[i].Name)
		}
	}
	restored := restore(t, file)
	for _, e := range m.Entries {
		was, err := os.ReadFile(filepath.Join(data, e.Name))
		is, err2 := os.ReadFile(filepath.Join(restored, e.Name))
		if errors.Join(err, err2) != nil || e.Name != fileDatabase && e.Name != fileIndex && !bytes.Equal(was, is) {
			t.Errorf("%s differs, %v %v", e.Name, err, err2)
		}
	}
}

// dataDir is where the server keeps its data.
func (p *process) dataDir() string {
	for i, arg := range p.cmd.Args {
		if arg == "--data-dir" {
			return p.cmd.Args[i+1]
		}
	}
	p.t.Fatal("no --data-dir")
	return ""
}

func TestAnArchiveIsReplacedOnlyWhenForced(t *testing.T) {
	p := notesServer(t)
	file := backup(t, p.dataDir())
	was, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, stderr, code := run(t, t.TempDir(), "backup", "--data-dir", p.dataDir(), file)
	if is, err := os.ReadFile(file); code != 1 || !strings.Contains(stderr, "--force") || err != nil || !bytes.Equal(was, is) {
		t.Errorf("%d %s %v", code, stderr, err)
	}
	if _, stderr, code := run(t, t.TempDir(), "backup", "--data-dir", p.dataDir(), "--force", file); code != 0 {
		t.Error(code, stderr)
	}
	manifestOf(t, file)
	for name, says := range map[string]string{filepath.Dir(file): "is a folder", "/no/such/folder/a.gz": "cannot be made"} {
		if _, stderr, code := run(t, t.TempDir(), "backup", "--data-dir", p.dataDir(), "--force", name); code != 1 || !strings.Contains(stderr, says) {
			t.Errorf("%s: %d %s", name, code, stderr)
		}
	}
}

func TestThroughStandardOutputAndInput(t *testing.T) {
	p := notesServer(t)
	data := filepath.Join(t.TempDir(), "restored")
	pipe := exec.Command("sh", "-c", `"$0" backup --data-dir "$1" - | "$0" restore --data-dir "$2" -`, binary, p.dataDir(), data)
	pipe.Env = bareEnv()
	if out, err := pipe.CombinedOutput(); err != nil || strings.Count(string(out), "4 documents") != 2 {
		t.Fatalf("%v %s", err, out)
	}
	if got := fmt.Sprint(filesOf(t, data)); got != "[documents footnote.db index.db installation lock secret.key]" {
		t.Error(got)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil { // no reader
		t.Fatal(err)
	}
	var errs bytes.Buffer
	cut := exec.Command(binary, "backup", "--data-dir", p.dataDir(), "-")
	cut.Env, cut.Stdout, cut.Stderr = bareEnv(), w, &errs
	if err := cut.Run(); err == nil || !strings.Contains(errs.String(), "not whole") {
		t.Errorf("%v %s", err, errs.String())
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	for _, name := range filesOf(t, p.dataDir()) {
		if strings.HasPrefix(name, ".") {
			t.Errorf("left behind: %s", name)
		}
	}
}

func TestLostDocumentsAreNamedAndTheArchiveIsWrittenAllTheSame(t *testing.T) {
	p := notesServer(t)
	docs := p.documents("notes")
	p.stop(os.Interrupt)
	data := p.dataDir()
	blobs := filesOf(t, filepath.Join(data, "documents/default"))
	if err := os.Remove(filepath.Join(data, "documents/default", blobs[0])); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(data, "documents/default", blobs[1]), []byte("something else"), 0o600); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "a.gz")
	stdout, stderr, code := run(t, t.TempDir(), "backup", "--data-dir", data, file)
	if code != 1 || !strings.Contains(stdout, "4 documents") || strings.Count(stderr, "damaged  ") != 2 ||
		!strings.Contains(stderr, "is missing") || !strings.Contains(stderr, "is not the file that was stored") || !strings.Contains(stderr, "2 documents named above") {
		t.Errorf("%d\n%s\n%s", code, stdout, stderr)
	}
	named := 0
	for _, d := range docs {
		if strings.Contains(stderr, d.Name+" ("+d.ID+")") {
			named++
		}
	}
	if named != 2 {
		t.Errorf("%d documents are named in\n%s", named, stderr)
	}
	restored := filepath.Join(t.TempDir(), "data")
	if stdout, stderr, code := run(t, t.TempDir(), "restore", "--data-dir", restored, file); code != 0 || strings.Count(stderr, "damaged  ") != 2 {
		t.Errorf("%d\n%s\n%s", code, stdout, stderr)
	}
	if got := start(t, restored, nil).documents("notes"); len(got) != 4 {
		t.Errorf("%d documents", len(got))
	}
}

func TestAnIndexThatCannotBeReadIsLeftOutAndBuiltAgain(t *testing.T) {
	p := notesServer(t)
	p.stop(os.Interrupt)
	index := filepath.Join(p.dataDir(), fileIndex)
	if err := os.WriteFile(index, []byte("no index at all, but of some length"), 0o600); err != nil {
		t.Fatal(err)
	}
	file := backup(t, p.dataDir())
	for _, e := range manifestOf(t, file).Entries {
		if e.Name == fileIndex {
			t.Error("the damaged index is in the archive")
		}
	}
	restored := start(t, restore(t, file), nil)
	eventually(t, "the index is built", func() bool { return restored.request("GET", "/readyz", "", nil, nil) == 200 })
	if got := restored.finds("bees"); got != 1 {
		t.Errorf("%d passages", got)
	}
}

func TestASecretOfTheConfigurationIsNotInTheArchiveAndBothCommandsSaySo(t *testing.T) {
	const secret = "FOOTNOTE_SECRET_KEY=0123456789abcdef0123456789abcdef"
	dir := t.TempDir()
	start(t, dir, nil, secret).stop(os.Interrupt)
	file := filepath.Join(t.TempDir(), "a.gz")
	for _, step := range []struct{ command, data, env, says string }{
		{"backup", dir, secret, "FOOTNOTE_SECRET_KEY is not in the archive"},
		{"restore", filepath.Join(t.TempDir(), "one"), "", "set the same"},
		{"restore", filepath.Join(t.TempDir(), "two"), secret, ""},
	} {
		cmd := exec.Command(binary, step.command, "--data-dir", step.data, file)
		cmd.Env, cmd.Dir = bareEnv(step.env), t.TempDir()
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), step.says) || step.says == "" && strings.Contains(string(out), "SECRET") {
			t.Errorf("%s: %v %s", step.command, err, out)
		}
	}
	if !manifestOf(t, file).SecretElsewhere {
		t.Error("the manifest does not tell")
	}
}

func TestAFullStandardOutputFailsABackup(t *testing.T) {
	p := notesServer(t)
	full := exec.Command("sh", "-c", `"$0" backup --data-dir "$1" - >/dev/full`, binary, p.dataDir())
	full.Env = bareEnv()
	if out, err := full.CombinedOutput(); err == nil || !strings.Contains(string(out), "no space left") {
		t.Errorf("%v %s", err, out)
	}
	for _, name := range filesOf(t, p.dataDir()) {
		if strings.HasPrefix(name, backupPrefix) {
			t.Errorf("left behind: %s", name)
		}
	}
}

func TestTheHelpTeaches(t *testing.T) {
	for _, command := range []string{"backup", "restore"} {
		stdout, _, code := run(t, t.TempDir(), command, "--help")
		if code != 0 || !strings.Contains(stdout, "docker ") || !strings.Contains(stdout, "FOOTNOTE_SECRET_KEY") || !strings.Contains(stdout, "--data-dir") {
			t.Errorf("%d %s", code, stdout)
		}
	}
}
