package main

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"footnote/cmd/footnote/console"
	"footnote/storage/db/mariadbtest"
	"footnote/storage/db/postgrestest"
)

// eachServer runs a test with an empty database of every kind that is a server.
func eachServer(t *testing.T, test func(t *testing.T, url string)) {
	t.Helper()
	t.Run("postgres", func(t *testing.T) { test(t, postgrestest.URL(t)) })
	t.Run("mariadb", func(t *testing.T) { test(t, mariadbtest.URL(t)) })
}

func TestADatabaseOfAnotherProgramIsNamed(t *testing.T) {
	t.Parallel()
	database := mariadbtest.URL(t)
	if _, err := mariadbtest.DB(t, database).ExecContext(t.Context(), "CREATE TABLE theirs (id INT)"); err != nil {
		t.Fatal(err)
	}
	shown := console.RedactURL(database)
	source := t.TempDir()
	start(t, source, nil).stop(os.Interrupt)
	set := []string{"FOOTNOTE_DATABASE_URL=" + database}
	for _, c := range []struct{ env, args []string }{
		{set, []string{"serve"}}, {[]string{"FOOTNOTE_DATA_DIR=" + source}, []string{"copy", "--to-database", database}},
	} {
		_, stderr, code := runIn(t, t.TempDir(), c.env, c.args...)
		if code != 1 || !strings.Contains(stderr, "the database "+shown+" cannot be used: ") || !strings.Contains(stderr, "tables of another program: create an empty database") {
			t.Errorf("%v: %d\n%s", c.args, code, stderr)
		}
	}
}

// The conversation with what --demo loads, before and after a restart.
func TestTheProgramKeepsEverythingInADatabaseServer(t *testing.T) {
	t.Parallel()
	eachServer(t, keptInServerTest)
}

func keptInServerTest(t *testing.T, url string) {
	t.Helper()
	kind, _, _ := strings.Cut(url, ":")
	dir, database := t.TempDir(), "FOOTNOTE_DATABASE_URL="+url
	p := start(t, dir, []string{"--demo"}, database)
	for _, d := range p.documents("handbook") {
		if d.Status != "ready" {
			t.Fatalf("%s: %+v", d.Name, d)
		}
	}
	question := map[string]any{"model": "handbook", "messages": []map[string]string{{"role": "user", "content": "How many vacation days do I get per year?"}}}
	ask := func() (answer chatAnswer) {
		t.Helper()
		if status := p.json("POST", "/v1/chat/completions", question, &answer); status != 200 || answer.Citations == nil || answer.Citations.Status != "cited" {
			t.Fatalf("%d %+v", status, answer)
		}
		return answer
	}
	before := ask()
	var status struct{ Backends struct{ Database string } }
	if p.request("GET", "/v1.0/status", "", nil, &status); status.Backends.Database != kind {
		t.Errorf("%+v", status)
	}
	if _, err := os.Stat(filepath.Join(dir, "footnote.db")); !os.IsNotExist(err) {
		t.Errorf("there is a database file: %v", err)
	}
	if code := p.stop(os.Interrupt); code != 0 {
		t.Errorf("exit status %d\n%s", code, p.stderr)
	}
	p = start(t, dir, nil, database)
	eventually(t, "the index is there", func() bool { return p.request("GET", "/readyz", "", nil, nil) == 200 })
	if after := ask(); after.Choices[0].Message.Content != before.Choices[0].Message.Content || after.Citations.Sources[0] != before.Citations.Sources[0] {
		t.Errorf("after a restart\n%+v\nbefore\n%+v", after, before)
	}
	if strings.Contains(p.stderr.String(), "secret") {
		t.Error("the password is in the log")
	}
}

func TestADatabaseServerHasOneFootnoteWhileDocumentsAreOnDisk(t *testing.T) {
	t.Parallel()
	eachServer(t, oneFootnoteTest)
}

func oneFootnoteTest(t *testing.T, url string) {
	t.Helper()
	dir := t.TempDir()
	p := start(t, dir, []string{"--demo"}, "FOOTNOTE_DATABASE_URL="+url)
	p.documents("handbook")
	other := t.TempDir()
	_, stderr, code := run(t, other, "serve", "--data-dir", other, "--database-url", url)
	if code != 1 || !strings.Contains(stderr, "in use by another server") || !strings.Contains(stderr, "--url") || strings.Contains(stderr, "secret") {
		t.Errorf("beside the first: %d %s", code, stderr)
	}
	p.kill()
	_, stderr, code = run(t, other, "serve", "--data-dir", other, "--database-url", url)
	if code != 1 || !strings.Contains(stderr, "another data directory") {
		t.Errorf("with another data directory: %d %s", code, stderr)
	}
	// The schema is everybody's to look at, without a data directory.
	nowhere := filepath.Join(other, "nowhere")
	stdout, stderr, code := run(t, other, "migrate", "status", "--data-dir", nowhere, "--database-url", url)
	if _, err := os.Stat(nowhere); code != 0 || !strings.Contains(stdout, "00001_schema.sql") || !os.IsNotExist(err) {
		t.Errorf("%d %s %s %v", code, stdout, stderr, err)
	}
	start(t, dir, nil, "FOOTNOTE_DATABASE_URL="+url) // a killed server's place is free at once
}

// A newer program that is refused a database has not changed it under the one
// that works on it.
func TestADatabaseInUseIsNotMigrated(t *testing.T) {
	t.Parallel()
	url := postgrestest.URL(t)
	start(t, t.TempDir(), nil, "FOOTNOTE_DATABASE_URL="+url)
	operator, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = operator.Close(context.Background()) }() // it has seen enough
	// The schema is that of the program before this one.
	_, err = operator.Exec(t.Context(), "DROP INDEX upstreams_created_idx; DELETE FROM goose_db_version WHERE version_id = 32", pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		t.Fatal(err)
	}
	other := t.TempDir()
	_, stderr, code := run(t, other, "serve", "--data-dir", other, "--database-url", url)
	if code != 1 || !strings.Contains(stderr, "in use by another server") {
		t.Errorf("%d %s", code, stderr)
	}
	var applied bool
	err = operator.QueryRow(t.Context(), "SELECT EXISTS (SELECT 1 FROM goose_db_version WHERE version_id = 32)").Scan(&applied)
	if err != nil || applied {
		t.Errorf("migrated: %v, %v", applied, err)
	}
}

// A server that loses the database to another one stops, since the other now
// does its work.
func TestAServerThatLosesItsDatabaseToAnotherStops(t *testing.T) {
	t.Parallel()
	eachServer(t, lostDatabaseTest)
}

func lostDatabaseTest(t *testing.T, url string) {
	t.Helper()
	p := start(t, t.TempDir(), nil, "FOOTNOTE_DATABASE_URL="+url)
	ctx, cancel := context.WithTimeout(t.Context(), serverPatience)
	defer cancel()
	if strings.HasPrefix(url, "mysql:") {
		stealMariaDB(ctx, t, url)
	} else {
		stealPostgres(ctx, t, url)
	}
	select {
	case <-p.exited:
	case <-ctx.Done():
		t.Fatal("it goes on")
	}
	if p.cmd.ProcessState.ExitCode() != 1 || !strings.Contains(p.stderr.String(), "another server has taken the database over") {
		t.Errorf("exit status %d\n%s", p.cmd.ProcessState.ExitCode(), p.stderr)
	}
}

// stealPostgres takes the server's lock, and holds it until the test ends.
func stealPostgres(ctx context.Context, t *testing.T, url string) {
	t.Helper()
	thief, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = thief.Close(context.Background()) }) // its lock has served
	const holders = "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
	for taken := false; !taken; {
		if _, err := thief.Exec(ctx, holders+" AND pid <> pg_backend_pid()"); err != nil {
			t.Fatal(err)
		}
		if err := thief.QueryRow(ctx, "SELECT pg_try_advisory_lock(7381240860143219814)").Scan(&taken); err != nil {
			t.Fatal(err)
		}
	}
}

// stealMariaDB does the same. The name of the lock is derived from that of the
// database.
func stealMariaDB(ctx context.Context, t *testing.T, url string) {
	t.Helper()
	thief := mariadbtest.DB(t, url)
	var name string
	if err := thief.QueryRowContext(ctx, "SELECT CONCAT('footnote-serve-', LEFT(SHA2(DATABASE(), 256), 32))").Scan(&name); err != nil {
		t.Fatal(err)
	}
	for taken := false; !taken; {
		var holder *int64
		if err := thief.QueryRowContext(ctx, "SELECT IS_USED_LOCK(?)", name).Scan(&holder); err != nil {
			t.Fatal(err)
		}
		if holder != nil {
			// One that ended meanwhile holds nothing.
			if _, err := thief.ExecContext(ctx, "KILL "+strconv.FormatInt(*holder, 10)); err != nil && !strings.Contains(err.Error(), "Unknown thread") {
				t.Fatal(err)
			}
		}
		if err := thief.QueryRowContext(ctx, "SELECT GET_LOCK(?, 0)", name).Scan(&taken); err != nil {
			t.Fatal(err)
		}
	}
}
