package main

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"footnote/storage/archive"
)

// names lists the documents of the notes, waiting until all are ready.
func (p *process) names() string {
	p.t.Helper()
	var names []string
	for _, d := range p.documents("notes") {
		if d.Status != "ready" {
			p.t.Errorf("%+v", d)
		}
		names = append(names, d.Name)
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

const fourNotes = "ants.txt bees.txt beetles.txt wasps.txt"

// otherData is a data directory with one note.
func otherData(t *testing.T) string {
	t.Helper()
	p := start(t, t.TempDir(), nil)
	p.json("POST", "/v1.0/assistants", map[string]any{"name": "Notes"}, nil)
	p.note("notes", "other.txt", "This note is about something else.\n")
	if got := p.names(); got != "other.txt" {
		t.Fatal(got)
	}
	p.stop(os.Interrupt)
	return p.dataDir()
}

func TestRestoreReplacesOnlyWhenToldAndDeletesNothing(t *testing.T) {
	p := notesServer(t)
	file := backup(t, p.dataDir())
	_, stderr, code := run(t, t.TempDir(), "restore", "--data-dir", p.dataDir(), "--replace", file)
	if code != 1 || !strings.Contains(stderr, fmt.Sprintf("in use by process %d; stop it first", p.cmd.Process.Pid)) {
		t.Errorf("%d %s", code, stderr)
	}
	data := otherData(t)
	before := filesOf(t, data)
	_, stderr, code = run(t, t.TempDir(), "restore", "--data-dir", data, file)
	if code != 1 || !strings.Contains(stderr, "not empty") || !strings.Contains(stderr, "--replace") || fmt.Sprint(filesOf(t, data)) != fmt.Sprint(before) {
		t.Errorf("%d %s %v", code, stderr, filesOf(t, data))
	}
	stdout, stderr, code := run(t, t.TempDir(), "restore", "--data-dir", data, "--replace", file)
	_, aside, ok := strings.Cut(stdout, "What was there before is in ")
	if aside, _, _ = strings.Cut(aside, ";"); code != 0 || !ok {
		t.Fatalf("%d\n%s\n%s", code, stdout, stderr)
	}
	if got := start(t, data, nil).names(); got != fourNotes {
		t.Error(got)
	}
	if got := start(t, aside, nil).names(); got != "other.txt" {
		t.Errorf("aside: %s", got)
	}
}

func TestRestoreIntoAnEmptyFolderThatFileSystemsAndKilledRestoresUsed(t *testing.T) {
	file := backup(t, notesServer(t).dataDir())
	data := t.TempDir()
	for _, name := range []string{"lost+found", restorePrefix + "killed", "replaced-20200101T000000Z"} {
		if err := os.Mkdir(filepath.Join(data, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if _, stderr, code := run(t, t.TempDir(), "restore", "--data-dir", data, file); code != 0 {
		t.Fatal(code, stderr)
	}
	if got := fmt.Sprint(filesOf(t, data)); got != "[documents footnote.db index.db installation lock lost+found replaced-20200101T000000Z secret.key]" {
		t.Error(got)
	}
}

func TestARestoredServerKnowsItsKeysAndGoesOnWithItsWork(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := start(t, dir, nil, "FOOTNOTE_ADMIN_KEY=")
	key := p.printedKey()
	p.stop(os.Interrupt)
	p = start(t, dir, nil)
	p.json("POST", "/v1.0/assistants", map[string]any{"name": "Notes"}, nil)
	for i := range 20 {
		if doc, code := p.note("notes", fmt.Sprintf("%d.txt", i), fmt.Sprintf("Number %d.\n", i)); code != 202 {
			t.Fatal(code, doc)
		}
	}
	p.kill() // with leases held
	file := backup(t, dir)
	restored := start(t, restore(t, file), nil, "FOOTNOTE_ADMIN_KEY=")
	if strings.Contains(restored.stdout.String(), "fn-") {
		t.Error("a second admin key was made")
	}
	if status := restored.statusFor(key, "/v1.0/assistants/notes"); status != 200 {
		t.Errorf("the admin key: %d", status)
	}
	restored.stop(os.Interrupt)
	if got := strings.Fields(start(t, restored.dataDir(), nil).names()); len(got) != 20 {
		t.Errorf("%d documents are ready", len(got))
	}
}

func TestADatabaseElsewhereIsBackedUpAndPutBackWhereItIs(t *testing.T) {
	for name, place := range map[string]func(data, elsewhere string) string{
		"outside": func(_, elsewhere string) string { return filepath.Join(elsewhere, "a b.db") },
		"renamed": func(data, _ string) string { return filepath.Join(data, "other.db") },
		"deeper":  func(data, _ string) string { return filepath.Join(data, "db", "other.db") },
	} {
		t.Run(name, func(t *testing.T) {
			data, elsewhere := t.TempDir(), t.TempDir()
			path := place(data, elsewhere)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			url := []string{"--database-url", "sqlite:" + path}
			p := start(t, data, url)
			p.json("POST", "/v1.0/assistants", map[string]any{"name": "Notes"}, nil)
			p.note("notes", "first.txt", "The first.\n")
			p.names()
			file := backup(t, data, url...)
			p.note("notes", "second.txt", "The second.\n")
			p.names()
			p.stop(os.Interrupt)
			stdout, stderr, code := run(t, t.TempDir(), append([]string{"restore", "--replace", "--data-dir", data, file}, url...)...)
			if code != 0 || strings.Count(stdout, "What was there before") != map[string]int{"outside": 2, "renamed": 1, "deeper": 1}[name] {
				t.Fatalf("%d\n%s\n%s", code, stdout, stderr)
			}
			p = start(t, data, url)
			if got := p.names(); got != "first.txt" {
				t.Error(got)
			}
			p.stop(os.Interrupt)
			if got := start(t, restore(t, file), nil).names(); got != "first.txt" {
				t.Errorf("in the data directory: %s", got)
			}
		})
	}
}

// repack makes an archive of files of another, changed.
func repack(t *testing.T, file string, change func(files map[string][]byte, m *archive.Manifest)) string {
	t.Helper()
	m := manifestOf(t, file)
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(archive.Unpack(bytes.NewReader(raw), m, root), root.Close()); err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, e := range m.Entries {
		if files[e.Name], err = os.ReadFile(filepath.Join(dir, e.Name)); err != nil {
			t.Fatal(err)
		}
	}
	change(files, &m)
	path := filepath.Join(dir, "changed.tar.gz")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := archive.NewWriter(f, time.Now())
	for name, content := range files {
		if _, err := w.Add(name, int64(len(content)), bytes.NewReader(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Finish(m), f.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// withDatabase changes the database of an archive.
func withDatabase(t *testing.T, statement string) func(map[string][]byte, *archive.Manifest) {
	return func(files map[string][]byte, _ *archive.Manifest) {
		path := filepath.Join(t.TempDir(), "changed.db")
		if err := os.WriteFile(path, files[fileDatabase], 0o600); err != nil {
			t.Fatal(err)
		}
		changed, err := sql.Open("sqlite", path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := changed.Exec("PRAGMA foreign_keys = 0; " + statement); err != nil {
			t.Fatal(err)
		}
		if err := changed.Close(); err != nil {
			t.Fatal(err)
		}
		if files[fileDatabase], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAnArchiveThatCannotServeIsRefusedAndLeavesNothing(t *testing.T) {
	file := backup(t, notesServer(t).dataDir())
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	document := ""
	for _, e := range manifestOf(t, file).Entries {
		if strings.HasPrefix(e.Name, "documents/") {
			document = e.Name
		}
	}
	cut := filepath.Join(t.TempDir(), "cut")
	garbage := filepath.Join(t.TempDir(), "garbage")
	if err := errors.Join(os.WriteFile(cut, whole[:len(whole)/2], 0o600), os.WriteFile(garbage, append(bytes.Clone(whole), "more"...), 0o600)); err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct{ file, says string }{
		"cut short":      {cut, "cut short"},
		"garbage behind": {garbage, "follows its end"},
		"no archive":     {binary, "no backup of Footnote"},
		"not there":      {"/no/such/file", "cannot be read"},
		"no database":    {repack(t, file, func(f map[string][]byte, _ *archive.Manifest) { delete(f, fileDatabase) }), "no database"},
		"another file":   {repack(t, file, func(f map[string][]byte, _ *archive.Manifest) { f["footnote.yaml"] = []byte("x") }), "footnote.yaml"},
		"a blob's place": {repack(t, file, func(f map[string][]byte, _ *archive.Manifest) { f["documents/a/b/c"] = []byte("x") }), "documents/a/b/c"},
		"a lost file":    {repack(t, file, func(f map[string][]byte, _ *archive.Manifest) { delete(f, document) }), "lacks the file"},
		"another file's bytes": {repack(t, file, func(f map[string][]byte, _ *archive.Manifest) {
			f[document] = []byte("other bytes")
		}), "lacks the file"},
		"no SQLite":      {repack(t, file, func(f map[string][]byte, _ *archive.Manifest) { f[fileDatabase] = []byte(strings.Repeat("x", 8192)) }), "cannot be used"},
		"empty database": {repack(t, file, func(f map[string][]byte, _ *archive.Manifest) { f[fileDatabase] = nil }), "database is empty"},
		"damaged database": {repack(t, file, func(f map[string][]byte, _ *archive.Manifest) {
			clear(f[fileDatabase][len(f[fileDatabase])/2:])
		}), "cannot be used"},
		"two installations": {repack(t, file, func(f map[string][]byte, _ *archive.Manifest) { f[fileInstallation] = []byte("another\n") }), "two installations"},
		"newer schema":      {repack(t, file, withDatabase(t, "INSERT INTO goose_db_version (version_id, is_applied, tstamp) VALUES (99999, 1, '2026-11-21 00:00:00')")), "run the newer program"},
		"other tables":      {repack(t, file, withDatabase(t, "DROP TABLE document_versions")), "cannot be used"},
	}
	for name, c := range cases {
		data := filepath.Join(t.TempDir(), "data")
		_, stderr, code := run(t, t.TempDir(), "restore", "--data-dir", data, c.file)
		if code != 1 || !strings.Contains(stderr, c.says) || strings.Count(stderr, "\n") > 1 {
			t.Errorf("%s: %d %s", name, code, stderr)
		}
		if _, err := os.Stat(data); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s left %v", name, filesOf(t, data))
		}
	}
	data := otherData(t)
	before := fmt.Sprint(filesOf(t, data))
	if _, stderr, code := run(t, t.TempDir(), "restore", "--replace", "--data-dir", data, cut); code != 1 || fmt.Sprint(filesOf(t, data)) != before {
		t.Errorf("%d %s %v", code, stderr, filesOf(t, data))
	}
}

// killRounds is how often a command is killed, each time a little later.
func killRounds() int {
	if nightly {
		return 10
	}
	return 3
}

// killAfter runs a command and kills it -9 after a while.
func killAfter(t *testing.T, delay time.Duration, args ...string) (killed bool) {
	t.Helper()
	cmd := exec.Command(binary, args...)
	cmd.Env, cmd.Dir = bareEnv(), t.TempDir()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(delay, func() { _ = cmd.Process.Kill() }) // it may have ended already
	defer timer.Stop()
	return cmd.Wait() != nil
}

// manyNotes makes an archive that takes a moment to unpack.
func manyNotes(t *testing.T) (file string, names string) {
	t.Helper()
	p := notesServer(t)
	for i := range 60 {
		p.note("notes", fmt.Sprintf("z%02d.txt", i), fmt.Sprintf("Number %d. %s\n", i, strings.Repeat(fmt.Sprintf("word%d ", i), 2000)))
	}
	names = p.names()
	return backup(t, p.dataDir()), names
}

func TestARestoreThatIsKilledLeavesTheOldOrTheNewWhole(t *testing.T) {
	file, names := manyNotes(t)
	began := time.Now()
	restore(t, file)
	whole := time.Since(began)
	rounds := killRounds()
	seen := map[string]int{}
	for i := range rounds {
		data := otherData(t)
		killAfter(t, whole*time.Duration(i+1)/time.Duration(rounds), "restore", "--data-dir", data, "--replace", file)
		p := start(t, data, nil)
		got := p.names()
		if got != names && got != "other.txt" {
			t.Errorf("round %d: %s", i, got)
		}
		seen[got]++
		for _, d := range p.documents("notes") {
			if p.download(d.ID) == "" {
				t.Errorf("round %d: %s is empty", i, d.Name)
			}
		}
		if left := fmt.Sprint(filesOf(t, data)); strings.Contains(left, restorePrefix) || strings.Contains(left, swapJournal) {
			t.Errorf("round %d: %s", i, left)
		}
		p.kill()
	}
	t.Logf("%d rounds left the old, %d the new", seen["other.txt"], seen[names])
}

func TestABackupThatIsKilledLeavesNoArchiveAndTheNextOneCleansUp(t *testing.T) {
	p := notesServer(t)
	for i := range 60 {
		p.note("notes", fmt.Sprintf("z%02d.txt", i), fmt.Sprintf("Number %d. %s\n", i, strings.Repeat(fmt.Sprintf("word%d ", i), 2000)))
	}
	p.names()
	data, dir := p.dataDir(), t.TempDir()
	file := filepath.Join(dir, "a.gz")
	began := time.Now()
	backup(t, data)
	whole := time.Since(began)
	rounds := killRounds()
	for i := range rounds {
		if killAfter(t, whole*time.Duration(i+1)/time.Duration(rounds), "backup", "--data-dir", data, "--force", file) {
			continue
		}
		manifestOf(t, file) // it was quicker
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(file); err == nil {
		manifestOf(t, file) // killed after all was done
	}
	old := time.Now().Add(-2 * time.Minute) // a younger file may not have its lock yet
	for _, folder := range []string{dir, data} {
		for _, name := range filesOf(t, folder) {
			if strings.Contains(name, partialInfix) || strings.HasPrefix(name, backupPrefix) {
				if err := os.Chtimes(filepath.Join(folder, name), old, old); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if _, stderr, code := run(t, t.TempDir(), "backup", "--data-dir", data, "--force", file); code != 0 {
		t.Fatal(code, stderr)
	}
	if got := fmt.Sprint(filesOf(t, dir), filesOf(t, data)); strings.Contains(got, partialInfix) || strings.Contains(got, backupPrefix) {
		t.Errorf("left behind: %s", got)
	}
	if got := start(t, restore(t, file), nil).names(); got != p.names() {
		t.Error(got)
	}
}
