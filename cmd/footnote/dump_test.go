package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"footnote/storage/db/postgrestest"
)

// drill runs a block of the README's section about backups, as an operator would.
func drill(t *testing.T, block int, dir, database, work string) (out string, err error) {
	t.Helper()
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(readme), "\n## Backup and restore\n")
	section, _, _ = strings.Cut(section, "\n## ")
	blocks := regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(section, -1)
	if len(blocks) != 3 {
		t.Fatalf("the section has %d blocks", len(blocks))
	}
	cmd := exec.Command("sh", "-euc", blocks[block][1])
	bin := t.TempDir()
	if err := os.Symlink(binary, filepath.Join(bin, "footnote")); err != nil {
		t.Fatal(err)
	}
	path := filepath.Dir(postgrestest.Program(t, "psql")) + ":" + bin + ":" + os.Getenv("PATH")
	cmd.Env = append(slices.DeleteFunc(bareEnv(), func(v string) bool { return strings.HasPrefix(v, "PATH=") }),
		"PATH="+path, "FOOTNOTE_DATA_DIR="+dir, "FOOTNOTE_DATABASE_URL="+database)
	cmd.Dir = work
	raw, err := cmd.CombinedOutput()
	return string(raw), err
}

// The backup of an installation on PostgreSQL, as the README says to make it while the
// server runs, answers as the server did. Nothing is left of the old one.
func TestADumpAndTheFilesAreABackupOfPostgres(t *testing.T) {
	t.Parallel()
	postgrestest.Program(t, "pg_dump")
	dir, database := demoData(t), postgrestest.URL(t)
	if _, stderr, code := run(t, t.TempDir(), "copy", "--data-dir", dir, "--to-database", database); code != 0 {
		t.Fatal(stderr)
	}
	const question = `{"model":"handbook","messages":[{"role":"user","content":"How many vacation days do I get per year?"}]}`
	cited := regexp.MustCompile(`"citations":.*"retrieval":`)
	p := start(t, dir, nil, "FOOTNOTE_DATABASE_URL="+database)
	eventually(t, "it is ready", func() bool { return p.request("GET", "/readyz", "", nil, nil) == 200 })
	want := cited.FindString(p.raw("/v1/chat/completions", question))
	if !strings.Contains(want, `"status":"cited"`) {
		t.Fatal(want)
	}
	work, restored, other := t.TempDir(), filepath.Join(t.TempDir(), "restored"), postgrestest.URL(t)
	if out, err := drill(t, 1, dir, database, work); err != nil || out != "" {
		t.Fatalf("%v %s", err, out)
	}
	p.kill()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	out, err := drill(t, 2, restored, other, work)
	if err != nil || strings.Count(out, "index_differs") != 9 || !strings.Contains(out, "\n9 found, 9 repaired: 9 documents") {
		t.Fatalf("%v %s", err, out)
	}
	p = start(t, restored, nil, "FOOTNOTE_DATABASE_URL="+other)
	eventually(t, "it is ready", func() bool { return p.request("GET", "/readyz", "", nil, nil) == 200 })
	same(t, "after the restore", cited.FindString(p.raw("/v1/chat/completions", question)), want)
	p.stop(os.Interrupt)
	if out, stderr, code := run(t, t.TempDir(), "check", "--deep", "--data-dir", restored, "--database-url", other); code != 0 {
		t.Errorf("%d %s %s", code, out, stderr)
	}
}
