// Package postgrestest gives tests a real PostgreSQL: the server that
// FOOTNOTE_TEST_POSTGRES_URL names, or one that the test process starts for
// itself from the binaries of the machine (Debian: package postgresql). It is
// for tests only and imports nothing of this module.
package postgrestest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Variable names the server to test on: a URL of a database whose user may
// make others.
const Variable = "FOOTNOTE_TEST_POSTGRES_URL"

// startTime bounds the start and the end of a server.
const startTime = time.Minute

// shared is the server of this test process, started by the first who asks.
var shared struct {
	sync.Mutex
	server *Server
	err    error
}

// URL returns the URL of a fresh, empty database that is dropped when the test
// ends. Without a server and without binaries the test is skipped.
func URL(t testing.TB) string {
	t.Helper()
	admin := os.Getenv(Variable)
	if admin == "" {
		admin = sharedServer(t).URL
	}
	return createDatabase(t, admin)
}

// Main runs the tests of a package that calls [URL] and then ends its server:
//
//	func TestMain(m *testing.M) { goleak.VerifyTestMain(postgrestest.Main{M: m}) }
type Main struct{ *testing.M }

// Run implements goleak.TestingM.
func (m Main) Run() int {
	defer shutdown()
	return m.M.Run()
}

func shutdown() {
	shared.Lock()
	defer shared.Unlock()
	if shared.server != nil {
		shared.server.remove()
		shared.server = nil
	}
}

func sharedServer(t testing.TB) *Server {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	if shared.server == nil && shared.err == nil {
		bin := binaries(t)
		shared.server, shared.err = newServer(bin)
	}
	if shared.err != nil {
		t.Fatalf("start PostgreSQL: %v", shared.err)
	}
	return shared.server
}

func createDatabase(t testing.TB, admin string) string {
	t.Helper()
	name := "footnote_" + strings.ToLower(rand.Text())
	execute(t, admin, "CREATE DATABASE "+name+" TEMPLATE template0 ENCODING 'UTF8'")
	t.Cleanup(func() { execute(t, admin, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)") })
	u, err := url.Parse(admin)
	if err != nil {
		t.Fatalf("%s is no URL", Variable)
	}
	u.Path = "/" + name
	return u.String()
}

func execute(t testing.TB, url, statement string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), startTime)
	defer cancel()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatalf("connect to PostgreSQL: %v", err)
	}
	_, err = conn.Exec(ctx, statement)
	if err = errors.Join(err, conn.Close(ctx)); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// A Server is a PostgreSQL of one test, to be stopped and started at will.
type Server struct {
	URL string // of its database "postgres"

	bin, dir, port string
	credential     *syscall.Credential // nil: the user of the test
	done           chan struct{}       // closed when the process has ended; nil: it does not run
	process        *os.Process
}

// Start starts a server that ends with the test.
func Start(t testing.TB) *Server {
	t.Helper()
	s, err := newServer(binaries(t))
	if err != nil {
		t.Fatalf("start PostgreSQL: %v", err)
	}
	t.Cleanup(s.remove)
	return s
}

// Database makes an empty database on the server and returns its URL.
func (s *Server) Database(t testing.TB) string {
	t.Helper()
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	execute(t, s.URL, "CREATE DATABASE footnote TEMPLATE template0 ENCODING 'UTF8'")
	u.Path = "/footnote"
	return u.String()
}

// Stop ends the server as an operator does: it cuts all connections. It
// returns when the server is gone.
func (s *Server) Stop(t testing.TB) {
	t.Helper()
	if err := s.end(syscall.SIGINT); err != nil {
		t.Fatalf("stop PostgreSQL: %v", err)
	}
}

// Start starts a stopped server again, at the same address.
func (s *Server) Start(t testing.TB) {
	t.Helper()
	if err := s.start(); err != nil {
		t.Fatalf("start PostgreSQL: %v", err)
	}
}

// binaries finds the folder of PostgreSQL's programs, or skips the test.
func binaries(t testing.TB) string {
	t.Helper()
	// Debian keeps them out of the path, a folder for each version.
	versions, err := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(versions)
	if n := len(versions); n > 0 {
		return filepath.Dir(versions[n-1])
	}
	found, err := exec.LookPath("postgres")
	if err != nil {
		t.Skipf("there is no PostgreSQL to test on: set %s, or install the package postgresql", Variable)
	}
	if found, err = filepath.EvalSymlinks(found); err != nil {
		t.Fatal(err)
	}
	return filepath.Dir(found)
}

func newServer(bin string) (s *Server, err error) {
	s = &Server{bin: bin}
	if s.dir, err = os.MkdirTemp("", "footnote-postgres-"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(s.dir))
		}
	}()
	if err = s.chooseUser(); err != nil {
		return nil, err
	}
	initdb := s.command("initdb", "-D", s.data(), "-U", "app", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C.UTF-8")
	if out, err := initdb.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w\n%s", err, out)
	}
	if s.port, err = freePort(); err != nil {
		return nil, err
	}
	s.URL = "postgres://app:secret@127.0.0.1:" + s.port + "/postgres?sslmode=disable"
	return s, s.start()
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

// chooseUser finds a user for the server, which refuses to run as root.
func (s *Server) chooseUser() error {
	if os.Getuid() != 0 {
		return nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return err
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return err
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		return err
	}
	s.credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	return os.Chown(s.dir, int(uid), int(gid))
}

func (s *Server) command(name string, args ...string) *exec.Cmd {
	// It outlives the test that starts it.
	cmd := exec.CommandContext(context.Background(), filepath.Join(s.bin, name), args...)
	cmd.Dir = s.dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8", "TZ=Pacific/Chatham"} // no zone that anybody expects
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.credential}
	return cmd
}

// freePort asks the system for a port. Somebody may take it before the server
// does, which then says so.
func freePort() (string, error) {
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	return port, errors.Join(err, l.Close())
}

// start runs the server until it takes connections.
func (s *Server) start() error {
	log, err := os.Create(filepath.Join(s.dir, "log"))
	if err != nil {
		return err
	}
	// What survives of a killed server is not what these tests are about.
	cmd := s.command("postgres", "-D", s.data(), "-p", s.port, "-h", "127.0.0.1", "-k", s.dir, "-F",
		"-c", "max_connections=200", "-c", "timezone=Pacific/Chatham")
	cmd.Stdout, cmd.Stderr = log, log
	endWithTests(cmd)
	started := make(chan error, 1)
	done := make(chan struct{})
	go run(cmd, started, done)
	if err := errors.Join(<-started, log.Close()); err != nil {
		return err
	}
	s.done, s.process = done, cmd.Process
	return s.wait()
}

// wait asks for a connection until there is one.
func (s *Server) wait() error {
	ctx, cancel := context.WithTimeout(context.Background(), startTime)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, s.URL)
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-s.done:
			said, _ := os.ReadFile(filepath.Join(s.dir, "log")) // only to say more
			return fmt.Errorf("it ended: %s", said)
		case <-ctx.Done():
			return err
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (s *Server) end(sig os.Signal) error {
	if s.done == nil {
		return nil
	}
	if err := s.process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	select {
	case <-s.done:
		s.done = nil
		return nil
	case <-time.After(startTime):
		return errors.New("it does not end")
	}
}

// remove ends the server and everything it stored.
func (s *Server) remove() {
	if s.end(syscall.SIGQUIT) == nil {
		_ = os.RemoveAll(s.dir) // a temporary directory: what is left of it is no failure of a test
	}
}
