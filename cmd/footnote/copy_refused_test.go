package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"footnote/storage/db/postgrestest"
)

// copyOf is a copy of a data directory as `cp -r` makes it.
func copyOf(t *testing.T, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "data")
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}

// TestTheEnvironmentSaysWhereACopyGoes proves that a password need not be on the command
// line, where other users of the machine see it.
func TestTheEnvironmentSaysWhereACopyGoes(t *testing.T) {
	t.Parallel()
	source := filled(t)
	for variable, want := range map[string]string{
		"FOOTNOTE_TO_DATABASE=mysql://me:secret@127.0.0.1:1/footnote": "nothing listens at 127.0.0.1:1",
		"FOOTNOTE_TO_BLOB=ftp://host":                                 "--to-blob: ",
		"FOOTNOTE_TO_VECTOR=chroma:":                                  "--to-vector: ",
		"FOOTNOTE_TO_DATA_DIR=" + source:                              "name another place with --to-database",
	} {
		_, stderr, code := runIn(t, t.TempDir(), []string{variable}, "copy", "--data-dir", source)
		if code != 1 || !strings.Contains(stderr, want) || strings.Contains(stderr, "secret") || strings.Contains(stderr, "is no option") {
			t.Errorf("%s: %d %s", variable, code, stderr)
		}
	}
	target := filepath.Join(t.TempDir(), "target") // what the command line says counts
	if _, stderr, code := runIn(t, t.TempDir(), []string{"FOOTNOTE_TO_DATA_DIR=" + source}, "copy", "--data-dir", source, "--to-data-dir", target); code != 0 {
		t.Errorf("%d %s", code, stderr)
	}
}

func TestACopyIsRefusedWhereItWouldDoHarm(t *testing.T) {
	t.Parallel()
	source := filled(t)
	nowhere := filepath.Join(t.TempDir(), "absent")
	empty := func() string { return filepath.Join(t.TempDir(), "target") }
	refused := func(want string, args ...string) {
		t.Helper()
		out, stderr, code := run(t, t.TempDir(), append([]string{"copy"}, args...)...)
		if code != 1 || out != "" || !strings.HasPrefix(stderr, "footnote: ") || !strings.Contains(stderr, want) || strings.Contains(stderr, "secret") {
			t.Errorf("%v: %d %s %s\nwant %s", args, code, out, stderr, want)
		}
	}
	before := contentOf(t, source)
	refused("name another place with --to-database", "--data-dir", source)
	refused("name another place with --to-database", "--data-dir", source, "--to-data-dir", source+"/.", "--to-blob", "file:")
	refused("there is no data directory", "--data-dir", nowhere, "--to-data-dir", empty())
	if _, err := os.Stat(nowhere); !os.IsNotExist(err) {
		t.Error("the source was made")
	}
	refused("nothing listens at 127.0.0.1:1", "--data-dir", source, "--to-database", "postgres://me:secret@127.0.0.1:1/footnote")
	refused("--to-vector: ", "--data-dir", source, "--to-vector", "chroma:")
	refused("--to-blob: ", "--data-dir", source, "--to-blob", "ftp://host")
	refused("--to-database: ", "--data-dir", source, "--to-database", "oracle://me:secret@host/db")
	refused("database in memory", "--data-dir", source, "--to-database", "sqlite::memory:")
	// Another installation is never written over, whichever of its stores is named.
	other := copyOf(t, source)
	refused("is not empty, its table", "--data-dir", source, "--to-database", "sqlite:"+filepath.Join(other, "footnote.db"))
	refused("is not empty, its table", "--data-dir", source, "--to-data-dir", other)
	if err := os.WriteFile(filepath.Join(other, "installation"), []byte("ANOTHER\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	refused("belongs to another installation", "--data-dir", source, "--to-data-dir", other)
	strange := empty()
	if err := os.MkdirAll(filepath.Join(strange, "documents", "default"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(strange, "documents", "default", "strange"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, stderr, code := run(t, t.TempDir(), "copy", "--data-dir", source, "--to-data-dir", strange); code != 1 || !strings.Contains(stderr, "files that no document of the source has, such as default/strange") {
		t.Errorf("%d %s %s", code, out, stderr)
	}
	if _, err := os.Stat(filepath.Join(strange, "documents", "default", "strange")); err != nil {
		t.Error(err)
	}
	// The unfinished copy of another installation is not gone on with either.
	third := filled(t)
	refused("has the unfinished copy of another installation", "--data-dir", third, "--to-database", "sqlite:"+filepath.Join(strange, "footnote.db"))
	refused("has the unfinished copy of another installation", "--data-dir", third, "--to-database", "sqlite:"+filepath.Join(strange, "footnote.db"), "--again")
	for _, command := range []string{"serve", "check"} {
		if _, stderr, code := run(t, t.TempDir(), command, "--data-dir", strange); code != 1 || !strings.Contains(stderr, "has not been finished") {
			t.Errorf("%s on an unfinished copy: %d %s", command, code, stderr)
		}
	}
	refused("has not been finished", "--data-dir", strange, "--to-data-dir", empty())
	if after := contentOf(t, source); after != before {
		t.Errorf("the source was changed:\n%s\nwas\n%s", after, before)
	}
	p := start(t, source, nil)
	refused("is in use by process", "--data-dir", source, "--to-data-dir", empty())
	createAssistant(t, p, "new")
	p.stop(syscall.SIGINT)
	// What was copied is not the source any more.
	if out, stderr, code := run(t, t.TempDir(), "copy", "--data-dir", source, "--to-data-dir", strange); code != 1 || !strings.Contains(stderr, "differ; copy everything anew with --again") {
		t.Errorf("of a changed source: %d %s %s", code, out, stderr)
	}
	if err := os.Remove(filepath.Join(strange, "documents", "default", "strange")); err != nil {
		t.Fatal(err)
	}
	if out, stderr, code := run(t, t.TempDir(), "copy", "--data-dir", source, "--to-data-dir", strange, "--again"); code != 0 || stderr != "" {
		t.Errorf("anew: %d %s %s", code, out, stderr)
	}
}

func TestACopyFromAServerInUseIsRefused(t *testing.T) {
	t.Parallel()
	database, dir := postgrestest.URL(t), t.TempDir()
	p := start(t, dir, nil, "FOOTNOTE_DATABASE_URL="+database)
	args := []string{"copy", "--data-dir", dir, "--database-url", database, "--to-data-dir", filepath.Join(t.TempDir(), "target"), "--to-database", "sqlite:"}
	if _, stderr, code := run(t, t.TempDir(), args...); code != 1 || !strings.Contains(stderr, "is in use by process") {
		t.Errorf("%d %s", code, stderr)
	}
	// Seen from another machine, the directory is free.
	elsewhere := t.TempDir()
	id, err := os.ReadFile(filepath.Join(dir, "installation"))
	if err == nil {
		err = os.WriteFile(filepath.Join(elsewhere, "installation"), id, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	args[2] = elsewhere
	if _, stderr, code := run(t, t.TempDir(), args...); code != 1 || !strings.Contains(stderr, "is in use by a server") || strings.Contains(stderr, "secret") {
		t.Errorf("%d %s", code, stderr)
	}
	p.stop(syscall.SIGINT)
	if out, stderr, code := run(t, t.TempDir(), args...); code != 0 || !strings.Contains(out, "FOOTNOTE_DATABASE_URL=sqlite:") {
		t.Errorf("%d %s %s", code, out, stderr)
	}
}

// A full disk ends a copy, which goes on when there is room again. The limit of a file's
// size stands for the full disk.
func TestACopyGoesOnAfterAFullDisk(t *testing.T) {
	t.Parallel()
	source, target := demoData(t), ""
	var args []string
	for kilobytes, full := 500, false; !full; kilobytes += 150 { // the schema fits, and not all rows
		target = filepath.Join(t.TempDir(), "target")
		args = []string{"copy", "--data-dir", source, "--to-data-dir", target}
		cmd := exec.Command("sh", append([]string{"-c", fmt.Sprintf(`ulimit -f %d; exec "$0" "$@"`, 2*kilobytes), binary}, args...)...)
		cmd.Env = bareEnv()
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState.ExitCode() != 1 || strings.Contains(string(out), "panic") {
			t.Fatalf("%d KiB: %v %s", kilobytes, err, out)
		}
		full = strings.Contains(string(out), "footnote: the rows were not all copied; the same command goes on: ")
	}
	if out, stderr, code := run(t, t.TempDir(), args...); code != 0 || stderr != "an unfinished copy goes on\n" {
		t.Errorf("%d %s %s", code, out, stderr)
	}
	if out, stderr, code := run(t, t.TempDir(), "check", "--deep", "--data-dir", target); code != 0 {
		t.Errorf("%d %s %s", code, out, stderr)
	}
}

// Files that the source has lost, or has damaged, are named. Everything else is copied.
func TestACopyNamesTheFilesThatTheSourceLacks(t *testing.T) {
	t.Parallel()
	source := filled(t)
	files, err := filepath.Glob(filepath.Join(source, "documents", "default", "*"))
	if err != nil || len(files) != 2 {
		t.Fatal(files, err)
	}
	if err := os.Remove(files[0]); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(files[1], []byte("other bytes"), 0o600); err != nil {
		t.Fatal(err)
	}
	target := filepath.Join(t.TempDir(), "target")
	out, stderr, code := run(t, t.TempDir(), "copy", "--data-dir", source, "--to-data-dir", target)
	if code != 1 || strings.Count(stderr, "damaged  ") != 2 || !strings.Contains(stderr, "its file is missing\n") || !strings.Contains(stderr, "its file has other bytes than were uploaded\n") ||
		!strings.Contains(stderr, "the copy is whole but for the files of 2 documents named above") || !strings.Contains(out, "documents: 1 file, ") {
		t.Errorf("%d %s %s", code, out, stderr)
	}
	p := start(t, target, nil)
	if got := statuses(t, p, "papers"); got["ready"] != 2 {
		t.Errorf("%v", got)
	}
	answer := p.raw("/v1.0/assistants/papers/retrieve", `{"query":"first text"}`)
	if !strings.Contains(answer, "The first text.") {
		t.Error(answer)
	}
}
