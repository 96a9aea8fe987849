package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"footnote/storage/blob/s3test"
	"footnote/storage/db/mariadbtest"
	"footnote/storage/db/postgrestest"
	"footnote/storage/vector/qdranttest"
)

// A deadlyProxy passes connections to a database on, until a statement appears. Then it
// kills a process instead.
type deadlyProxy struct {
	url string // of the database behind the proxy

	mu        sync.Mutex
	statement string // "": none kills
	left      int    // how many packets pass after it
	seen      bool
	victim    *os.Process
}

func newDeadlyProxy(t *testing.T, database string) *deadlyProxy {
	t.Helper()
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p, target := &deadlyProxy{}, u.Host
	u.Host = ln.Addr().String()
	p.url = u.String()
	var running sync.WaitGroup
	running.Go(func() {
		for {
			client, err := ln.Accept()
			if err != nil {
				return
			}
			running.Go(func() { p.serve(client, target) })
		}
	})
	t.Cleanup(func() {
		_ = ln.Close()
		running.Wait()
	})
	return p
}

func (p *deadlyProxy) serve(client net.Conn, target string) {
	defer client.Close()
	server, err := net.Dial("tcp", target)
	if err != nil {
		return
	}
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		_, _ = io.Copy(client, server) // ends with either
		_ = client.Close()
	}()
	buffer := make([]byte, 1<<20)
	for {
		n, err := client.Read(buffer)
		if err != nil || p.kills(buffer[:n]) {
			break
		}
		if _, err := server.Write(buffer[:n]); err != nil {
			break
		}
	}
	_ = server.Close()
	<-answered
}

// kills kills the process if it is time.
func (p *deadlyProxy) kills(packet []byte) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.statement == "" || p.victim == nil {
		return false
	}
	if !p.seen {
		p.seen = bytes.Contains(packet, []byte(p.statement))
	} else {
		p.left--
	}
	if !p.seen || p.left > 0 {
		return false
	}
	_ = p.victim.Kill() // it is a child that was not waited for
	return true
}

// killed runs a command until it is killed, so many packets after the statement.
func (p *deadlyProxy) killed(t *testing.T, env []string, statement string, packets int, args ...string) {
	t.Helper()
	cmd := exec.Command(binary, args...)
	cmd.Env, cmd.Dir = append(bareEnv(), env...), t.TempDir()
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	p.mu.Lock()
	err := cmd.Start()
	p.statement, p.left, p.seen, p.victim = statement, packets, false, cmd.Process
	p.mu.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("it was not killed at %q: %v\n%s", statement, err, &out)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.victim = nil
}

// copyKilled copies an installation to a database on a server and further places, and is
// killed five times on the way.
func (w *copyWorld) copyKilled(database string, env []string, args ...string) {
	t := w.t
	t.Helper()
	proxy := newDeadlyProxy(t, database)
	args = append([]string{"copy", "--to-database", proxy.url}, args...)
	quote := `"`
	if strings.HasPrefix(database, "mysql:") {
		quote = "`"
	}
	documents, _ := copySize()
	for n, at := range []struct {
		statement string
		packets   int
	}{
		{"INSERT INTO " + quote + "assistants" + quote, 0},
		{"INSERT INTO " + quote + "chunks" + quote, documents / 10},
		{`document_versions v`, 0},                  // the list of the documents' files
		{`ON documents.id = chunks.document_id`, 0}, // the first document of the index
		{`ON documents.id = chunks.document_id`, documents},
	} {
		proxy.killed(t, env, at.statement, at.packets, args...)
		if n != 1 {
			continue
		}
		for _, command := range []string{"serve", "check"} {
			_, stderr, code := runIn(t, t.TempDir(), append(w.env, env...), command, "--data-dir", filepath.Join(t.TempDir(), "new"), "--database-url", database)
			if want := map[string]string{"serve": "has not been finished", "check": "no data directory"}[command]; code != 1 || !strings.Contains(stderr, want) {
				t.Errorf("%s on an unfinished copy: %d %s", command, code, stderr)
			}
		}
	}
	out, stderr, code := runIn(t, t.TempDir(), env, args...)
	if code != 0 || stderr != "an unfinished copy goes on\n" || !strings.Contains(out, "compared by checksums") || !strings.Contains(out, fmt.Sprintf("index: %d documents\n", documents+9)) ||
		strings.Contains(out, "secret") {
		t.Fatalf("%d %s %s", code, out, stderr)
	}
}

// copyWhole copies an installation without an interruption.
func (w *copyWorld) copyWhole(env []string, args ...string) {
	w.t.Helper()
	if out, stderr, code := runIn(w.t, w.t.TempDir(), env, append([]string{"copy"}, args...)...); code != 0 || stderr != "" {
		w.t.Fatalf("%d %s %s", code, out, stderr)
	}
}

// An installation with embedded stores moves to PostgreSQL and another data directory,
// killed five times on the way; then its index to Qdrant; then all of it back. Then it
// moves to MariaDB and S3 in the same way, and back.
func TestACopyAnswersAsTheSourceDid(t *testing.T) {
	t.Parallel()
	w, source := newCopyWorld(t)
	database, target := postgrestest.URL(t), filepath.Join(t.TempDir(), "target")
	before := contentOf(t, source)
	w.copyKilled(database, nil, "--data-dir", source, "--to-data-dir", target)
	if after := contentOf(t, source); after != before {
		t.Errorf("the source was changed:\n%s\nwas\n%s", after, before)
	}
	onPostgres := "FOOTNOTE_DATABASE_URL=" + database
	w.check(target, onPostgres)

	q := qdranttest.New(t)
	onQdrant := fmt.Sprintf("FOOTNOTE_VECTOR_URL=qdrant://127.0.0.1:%d", q.Port)
	if out, stderr, code := runIn(t, t.TempDir(), []string{onPostgres}, "copy", "--data-dir", target, "--to-vector", strings.TrimPrefix(onQdrant, "FOOTNOTE_VECTOR_URL=")); code != 0 || strings.Contains(out, "database") {
		t.Fatalf("%d %s %s", code, out, stderr)
	}
	w.check(target, onPostgres, onQdrant)
	w.checkFinds(q, target, onPostgres, onQdrant)

	back := filepath.Join(t.TempDir(), "back")
	w.copyWhole([]string{onPostgres, onQdrant}, "--data-dir", target, "--to-data-dir", back, "--to-database", "sqlite:", "--to-vector", "embedded:")
	w.check(back)

	server := s3test.Start(t)
	w.toMariaDBAndBack(back, mariadbtest.URL(t), s3Env(server.Endpoint, server.Bucket(t)))
}

// toMariaDBAndBack copies an installation with embedded stores to a database and a
// bucket, and from there into another data directory.
func (w *copyWorld) toMariaDBAndBack(source, database string, onS3 []string) {
	t := w.t
	t.Helper()
	blobs, keys := strings.TrimPrefix(onS3[0], "FOOTNOTE_BLOB_URL="), onS3[1:]
	target := filepath.Join(t.TempDir(), "on-mariadb")
	before := contentOf(t, source)
	w.copyKilled(database, keys, "--data-dir", source, "--to-data-dir", target, "--to-blob", blobs)
	if after := contentOf(t, source); after != before {
		t.Errorf("the source was changed:\n%s\nwas\n%s", after, before)
	}
	there := slices.Concat(onS3, []string{"FOOTNOTE_DATABASE_URL=" + database})
	w.check(target, there...)
	again := filepath.Join(t.TempDir(), "from-mariadb")
	w.copyWhole(there, "--data-dir", target, "--to-data-dir", again, "--to-database", "sqlite:", "--to-blob", "file:")
	w.check(again)
}
