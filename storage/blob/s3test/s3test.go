// Package s3test gives tests a real S3 server, versitygw, which keeps buckets in a
// temporary folder, and a proxy that makes it fail. It is for tests only.
package s3test

import (
	"context"
	"crypto/rand"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"footnote/storage/servertest"
)

// Variable is the URL of a bucket, as FOOTNOTE_BLOB_URL has it, that tests may use in
// place of a server of their own. Its keys are those of the AWS configuration.
const Variable = "FOOTNOTE_TEST_S3_URL"

// The keys of a server that a test has started.
const (
	KeyID  = "AKIAFOOTNOTETESTS"
	Secret = "footnote-tests-secret-access-key"
)

// A Server is an S3 server that a test can stop and start.
type Server struct {
	Endpoint string // its base URL

	dir, address string
	process      *servertest.Process // nil: not running
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
	port, err := servertest.ReservePort()
	if err != nil {
		t.Fatal(err)
	}
	s.address = net.JoinHostPort("127.0.0.1", port)
	s.Endpoint = "http://" + s.address
	t.Cleanup(func() { s.Stop(t) })
	s.Start(t)
	return s
}

// Start starts a stopped server again, at the same address and with the same buckets.
func (s *Server) Start(t testing.TB) {
	t.Helper()
	cmd := exec.CommandContext(context.Background(), "versitygw", "--port", s.address, "--keep-alive", "--quiet", //nolint:gosec // the address is our own
		"--iam-dir", filepath.Join(s.dir, "users"), "--iam-cache-disable", "posix", "--sidecar", filepath.Join(s.dir, "meta"), filepath.Join(s.dir, "buckets"))
	cmd.Dir = s.dir
	cmd.Env = []string{"ROOT_ACCESS_KEY_ID=" + KeyID, "ROOT_SECRET_ACCESS_KEY=" + Secret, "TZ=Pacific/Chatham"} // an unusual zone, to find mistakes
	process, err := servertest.Start(cmd, filepath.Join(s.dir, "log"), s.accepts)
	if err != nil {
		t.Fatalf("start the S3 server: %v", err)
	}
	s.process = process
}

// accepts reports whether the server accepts connections.
func (s *Server) accepts(ctx context.Context) error {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", s.address)
	if err != nil {
		return err
	}
	return conn.Close()
}

// Stop kills the server, which breaks all transfers, and waits for its end.
func (s *Server) Stop(t testing.TB) {
	t.Helper()
	if s.process == nil {
		return
	}
	if err := s.process.End(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	s.process = nil
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
