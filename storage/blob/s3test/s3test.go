// Package s3test gives tests a real S3 server, versitygw, which keeps buckets in a
// temporary folder, and a proxy that makes it fail. It is for tests only and imports
// nothing of this module.
package s3test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Variable is the URL of a bucket, as FOOTNOTE_BLOB_URL has it, that tests may use in
// place of a server of their own. Its keys are those of the AWS configuration.
const Variable = "FOOTNOTE_TEST_S3_URL"

// startTime bounds the start and the stop of a server.
const startTime = time.Minute

// The keys of a server that a test has started.
const (
	KeyID  = "AKIAFOOTNOTETESTS"
	Secret = "footnote-tests-secret-access-key"
)

// A Server is an S3 server that a test can stop and start.
type Server struct {
	Endpoint string // its base URL

	dir, address string
	done         chan struct{} // closed when the process has ended; nil: not running
	process      *os.Process
}

// Start starts a server that ends with the test. Without its program the test is
// skipped.
func Start(t testing.TB) *Server {
	t.Helper()
	if _, err := exec.LookPath("versitygw"); err != nil {
		t.Skipf("there is no S3 server to test on: install one with make s3-server")
	}
	s := &Server{dir: t.TempDir()}
	for _, folder := range []string{"buckets", "meta", "users"} {
		if err := os.Mkdir(filepath.Join(s.dir, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.address = l.Addr().String()
	s.Endpoint = "http://" + s.address
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Stop(t) })
	s.Start(t)
	return s
}

// Start starts a stopped server again, at the same address and with the same buckets.
func (s *Server) Start(t testing.TB) {
	t.Helper()
	log, err := os.Create(filepath.Join(s.dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(context.Background(), "versitygw", "--port", s.address, "--keep-alive", "--quiet", //nolint:gosec // the address is our own
		"--iam-dir", filepath.Join(s.dir, "users"), "--iam-cache-disable", "posix", "--sidecar", filepath.Join(s.dir, "meta"), filepath.Join(s.dir, "buckets"))
	cmd.Dir, cmd.Stdout, cmd.Stderr = s.dir, log, log
	cmd.Env = []string{"ROOT_ACCESS_KEY_ID=" + KeyID, "ROOT_SECRET_ACCESS_KEY=" + Secret, "TZ=Pacific/Chatham"} // an unusual zone, to find mistakes
	endWithTests(cmd)
	started, done := make(chan error, 1), make(chan struct{})
	go run(cmd, started, done)
	if err := errors.Join(<-started, log.Close()); err != nil {
		t.Fatalf("start the S3 server: %v", err)
	}
	s.process, s.done = cmd.Process, done
	if err := s.wait(); err != nil {
		t.Fatalf("start the S3 server: %v", err)
	}
}

// wait connects until the server accepts.
func (s *Server) wait() error {
	deadline := time.After(startTime)
	for {
		conn, err := new(net.Dialer).DialContext(context.Background(), "tcp", s.address)
		if err == nil {
			return conn.Close()
		}
		select {
		case <-s.done:
			output, _ := os.ReadFile(filepath.Join(s.dir, "log")) // only for the message
			return fmt.Errorf("it ended: %s", output)
		case <-deadline:
			return err
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// Stop kills the server, which breaks all transfers, and waits for its end.
func (s *Server) Stop(t testing.TB) {
	t.Helper()
	if s.done == nil {
		return
	}
	if err := s.process.Signal(syscall.SIGKILL); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Fatal(err)
	}
	<-s.done
	s.done = nil
}

// Bucket makes an empty bucket and returns its name.
func (s *Server) Bucket(t testing.TB) string {
	t.Helper()
	name := "documents-" + strings.ToLower(rand.Text())
	if err := os.Mkdir(s.folder(name), 0o700); err != nil {
		t.Fatal(err)
	}
	return name
}

// folder is where the objects of a bucket are.
func (s *Server) folder(bucket string) string { return filepath.Join(s.dir, "buckets", bucket) }

// RemoveBucket removes a bucket with everything in it.
func (s *Server) RemoveBucket(t testing.TB, name string) {
	t.Helper()
	if err := os.RemoveAll(s.folder(name)); err != nil {
		t.Fatal(err)
	}
}

// Objects lists the names of all objects in a bucket, whatever made them.
func (s *Server) Objects(t testing.TB, bucket string) (names []string) {
	t.Helper()
	root := s.folder(bucket)
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			path, err = filepath.Rel(root, path)
			names = append(names, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// Damage changes the last byte of an object behind the server's back.
func (s *Server) Damage(t testing.TB, bucket, object string) {
	t.Helper()
	path := filepath.Join(s.folder(bucket), filepath.FromSlash(object))
	content, err := os.ReadFile(path)
	if err == nil {
		content[len(content)-1]++
		err = os.WriteFile(path, content, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// URL is the address of documents in a bucket, as FOOTNOTE_BLOB_URL has it.
func URL(endpoint, bucket, prefix string) string {
	return "s3://" + bucket + "/" + prefix + "?endpoint=" + url.QueryEscape(endpoint) + "&region=us-east-1"
}

// AddKey makes a key that may use every bucket.
func (s *Server) AddKey(t testing.TB, id, secret string) {
	t.Helper()
	s.admin(t, "create-user", "--access", id, "--secret", secret, "--role", "admin")
}

// RevokeKey removes a key that AddKey has made.
func (s *Server) RevokeKey(t testing.TB, id string) {
	t.Helper()
	s.admin(t, "delete-user", "--access", id)
}

func (s *Server) admin(t testing.TB, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "versitygw", append([]string{"admin", "--access", KeyID, "--secret", Secret, "--endpoint-url", s.Endpoint}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", args[0], err, out)
	}
}
