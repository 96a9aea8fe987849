package main

import (
	"encoding/json"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"footnote/storage/blob/s3test"
	"footnote/storage/db/mariadbtest"
	"footnote/storage/db/postgrestest"
)

// A drill is a backup and a restore as the README says to make them: two blocks of its
// section about backups.
type drill struct {
	save, back int // numbers of the blocks
	path       string
	work       string // folder of the backup
}

// run runs a block, as an operator would.
func (d drill) run(t *testing.T, block int, env ...string) (out string, err error) {
	t.Helper()
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(readme), "\n## Backup and restore\n")
	section, _, _ = strings.Cut(section, "\n## ")
	blocks := regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(section, -1)
	if len(blocks) != 5 {
		t.Fatalf("the section has %d blocks", len(blocks))
	}
	cmd := exec.Command("sh", "-euc", blocks[block][1])
	bin := t.TempDir()
	if err := os.Symlink(binary, filepath.Join(bin, "footnote")); err != nil {
		t.Fatal(err)
	}
	cmd.Env = append(slices.DeleteFunc(bareEnv(), func(v string) bool { return strings.HasPrefix(v, "PATH=") }), env...)
	cmd.Env = append(cmd.Env, "PATH="+d.path+":"+bin+":"+os.Getenv("PATH"))
	cmd.Dir = d.work
	raw, err := cmd.CombinedOutput()
	return string(raw), err
}

// practise backs up an installation with the demo while its server runs, removes its data
// directory, and restores it elsewhere. The restored one must answer as the server did.
func (d drill) practise(t *testing.T, dir string, here []string, another func() []string) {
	t.Helper()
	restored := filepath.Join(t.TempDir(), "restored")
	want := answerOfDemo(t, dir, here, func() {
		if out, err := d.run(t, d.save, append(here, "FOOTNOTE_DATA_DIR="+dir)...); err != nil || out != "" {
			t.Fatalf("%v %s", err, out)
		}
	})
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	elsewhere := another()
	out, err := d.run(t, d.back, append(elsewhere, "FOOTNOTE_DATA_DIR="+restored)...)
	if err != nil || strings.Count(out, "index_differs") != 9 || !strings.Contains(out, "\n9 found, 9 repaired: 9 documents") {
		t.Fatalf("%v %s", err, out)
	}
	same(t, "after the restore", answerOfDemo(t, restored, elsewhere, func() {}), want)
	if out, stderr, code := runIn(t, t.TempDir(), elsewhere, "check", "--deep", "--data-dir", restored); code != 0 {
		t.Errorf("%d %s %s", code, out, stderr)
	}
}

// The backup of an installation on PostgreSQL is that of the database and of the files.
// Nothing is left of the old one.
func TestADumpAndTheFilesAreABackupOfPostgres(t *testing.T) {
	t.Parallel()
	postgrestest.Program(t, "pg_dump")
	dir, database := demoData(t), postgrestest.URL(t)
	if _, stderr, code := run(t, t.TempDir(), "copy", "--data-dir", dir, "--to-database", database); code != 0 {
		t.Fatal(stderr)
	}
	d := drill{save: 1, back: 2, path: filepath.Dir(postgrestest.Program(t, "psql")), work: t.TempDir()}
	d.practise(t, dir, []string{"FOOTNOTE_DATABASE_URL=" + database}, func() []string { return []string{"FOOTNOTE_DATABASE_URL=" + postgrestest.URL(t)} })
}

// With MariaDB and S3 it is that of the database and of the bucket.
func TestADumpAndTheBucketAreABackupOfMariaDB(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"rclone", "mariadb-dump"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("there is no %s: install Debian's packages rclone and mariadb-client", program)
		}
	}
	server := s3test.Start(t)
	d := drill{save: 3, back: 4, path: filepath.Dir(binary), work: t.TempDir()}
	place := func() []string {
		database, bucket := mariadbtest.URL(t), server.Bucket(t)
		u, err := url.Parse(database)
		if err != nil {
			t.Fatal(err)
		}
		password, _ := u.User.Password()
		client := "[client]\nhost=" + u.Hostname() + "\nport=" + u.Port() + "\nuser=" + u.User.Username() + "\npassword=" + password + "\n"
		if err := os.WriteFile(filepath.Join(d.work, "client.cnf"), []byte(client), 0o600); err != nil {
			t.Fatal(err)
		}
		env := append(s3Env(server.Endpoint, bucket), "FOOTNOTE_DATABASE_URL="+database, "DATABASE="+strings.TrimPrefix(u.Path, "/"))
		return append(env, rcloneEnv(server.Endpoint, bucket)...)
	}
	var there []string
	here, dir := place(), filepath.Join(t.TempDir(), "on-mariadb")
	database := strings.TrimPrefix(here[3], "FOOTNOTE_DATABASE_URL=")
	documents := strings.TrimPrefix(here[0], "FOOTNOTE_BLOB_URL=")
	stdout, stderr, code := runIn(t, t.TempDir(), here[1:3], "copy", "--data-dir", demoData(t), "--to-data-dir", dir, "--to-database", database, "--to-blob", documents)
	if code != 0 || !strings.Contains(stdout, " FOOTNOTE_BLOB_URL='"+documents+"'\n") {
		t.Fatal(stdout, stderr)
	}
	d.practise(t, dir, here, func() []string { there = place(); return there })
	everyFileHasItsSum(t, there)
}

// rcloneEnv is the environment of rclone, with a bucket of its remote "s3".
func rcloneEnv(endpoint, bucket string) []string {
	return []string{
		"BUCKET=" + bucket, "RCLONE_CONFIG=/dev/null", "RCLONE_CONFIG_S3_TYPE=s3", "RCLONE_CONFIG_S3_PROVIDER=Other", "RCLONE_CONFIG_S3_ENDPOINT=" + endpoint,
		"RCLONE_CONFIG_S3_REGION=us-east-1", "RCLONE_CONFIG_S3_ACCESS_KEY_ID=" + s3test.KeyID, "RCLONE_CONFIG_S3_SECRET_ACCESS_KEY=" + s3test.Secret,
	}
}

// With SQLite and S3 it is an archive and the bucket.
func TestAnArchiveAndTheBucketAreABackupOfSQLite(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("rclone"); err != nil {
		t.Skip("there is no rclone: install Debian's package rclone")
	}
	server := s3test.Start(t)
	work, dir, restored := t.TempDir(), filepath.Join(t.TempDir(), "on-s3"), filepath.Join(t.TempDir(), "restored")
	place := func() []string {
		bucket := server.Bucket(t)
		return append(s3Env(server.Endpoint, bucket), rcloneEnv(server.Endpoint, bucket)...)
	}
	footnote := func(env []string, args ...string) (out string) {
		t.Helper()
		out, stderr, code := runIn(t, work, env, args...)
		if code != 0 {
			t.Fatalf("%v: %d %s %s", args, code, out, stderr)
		}
		return out + stderr
	}
	here, there := place(), place()
	footnote(here[1:3], "copy", "--data-dir", demoData(t), "--to-data-dir", dir, "--to-database", "sqlite:", "--to-blob", strings.TrimPrefix(here[0], "FOOTNOTE_BLOB_URL="))
	want := answerOfDemo(t, dir, here, func() {
		if out := footnote(here, "backup", "--data-dir", dir, "footnote.tar.gz"); !strings.Contains(out, "now copy all that is at s3://") {
			t.Error(out)
		}
	})
	rclone(t, work, here, `sync --metadata "s3:$BUCKET/footnote" footnote-documents`)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	footnote(there, "restore", "--data-dir", restored, "footnote.tar.gz")
	rclone(t, work, there, `copy --metadata footnote-documents "s3:$BUCKET/footnote"`)
	if out := footnote(there, "check", "--deep", "--data-dir", restored); !strings.Contains(out, "everything fits: 9 documents, 9 files") {
		t.Error(out)
	}
	same(t, "after the restore", answerOfDemo(t, restored, there, func() {}), want)
	everyFileHasItsSum(t, there)
}

const vacationQuestion = `{"model":"handbook","messages":[{"role":"user","content":"How many vacation days do I get per year?"}]}`

// answerOfDemo is the demo's answer to a question, from a server that is stopped afterwards.
func answerOfDemo(t *testing.T, dir string, env []string, meanwhile func()) string {
	t.Helper()
	p := start(t, dir, nil, env...)
	eventually(t, "it is ready", func() bool { return p.request("GET", "/readyz", "", nil, nil) == 200 })
	answer := regexp.MustCompile(`"citations":.*"retrieval":`).FindString(p.raw("/v1/chat/completions", vacationQuestion))
	if !strings.Contains(answer, `"status":"cited"`) {
		t.Fatal(answer)
	}
	meanwhile()
	p.stop(os.Interrupt)
	return answer
}

// rclone runs rclone in a folder and returns what it prints.
func rclone(t *testing.T, folder string, env []string, args string) []byte {
	t.Helper()
	cmd := exec.Command("sh", "-euc", "rclone "+args)
	cmd.Dir, cmd.Env = folder, append(bareEnv(), env...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	raw, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v %s", err, stderr.String())
	}
	return raw
}

// everyFileHasItsSum fails if a file on S3 came back without the SHA-256 that its reader compares.
func everyFileHasItsSum(t *testing.T, env []string) {
	t.Helper()
	raw := rclone(t, t.TempDir(), env, `lsjson --recursive --files-only --metadata "s3:$BUCKET/footnote"`)
	var objects []struct {
		Path     string
		Metadata map[string]string
	}
	if err := json.Unmarshal(raw, &objects); err != nil {
		t.Fatal(err)
	}
	files := 0
	for _, o := range objects {
		if strings.HasPrefix(path.Base(o.Path), ".") {
			continue // small objects of the store itself
		}
		files++
		if len(o.Metadata["sha256"]) != 64 {
			t.Errorf("%s has %v", o.Path, o.Metadata)
		}
	}
	if files == 0 {
		t.Errorf("no files in %s", raw)
	}
}
