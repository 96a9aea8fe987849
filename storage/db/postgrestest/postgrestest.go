// Package postgrestest gives tests a real PostgreSQL: the server that
// FOOTNOTE_TEST_POSTGRES_URL names, or one that the test process starts from the
// programs on the machine (Debian: package postgresql). It is for tests only and
// imports only servertest of this module.
package postgrestest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"footnote/storage/servertest"
)

// Variable is the URL of a database whose user may create databases.
const Variable = "FOOTNOTE_TEST_POSTGRES_URL"

// shared is the server of this test process. The first test that needs it starts
// it.
var shared struct {
	sync.Mutex
	server *Server
	err    error
	unused []string // databases that Migrated may use again
	admin  string   // URL of the server they are on
}

// URL returns the URL of a new, empty database that is dropped when the test
// ends. Without a server and its programs the test is skipped.
func URL(t testing.TB) string {
	t.Helper()
	admin, name := adminURL(t), servertest.NewName()
	execute(t, admin, create(name))
	t.Cleanup(func() { execute(t, admin, drop(name)) })
	return databaseURL(t, admin, name)
}

// Migrated returns the URL of an empty database that migrate has prepared.
// Creating a database takes longer than most tests, so those of passed tests are
// emptied and used again. All calls must pass the same migrate, and the test
// must not change the schema.
func Migrated(t testing.TB, migrate func(ctx context.Context, url string) error) string {
	t.Helper()
	admin := adminURL(t)
	name := reuse()
	if name == "" {
		name = servertest.NewName()
		execute(t, admin, create(name))
		if err := migrate(t.Context(), databaseURL(t, admin, name)); err != nil {
			t.Fatal(err)
		}
	}
	address := databaseURL(t, admin, name)
	t.Cleanup(func() {
		if t.Failed() || execOnce(address, deleteRows) != nil {
			execute(t, admin, drop(name))
			return
		}
		shared.Lock()
		defer shared.Unlock()
		shared.admin, shared.unused = admin, append(shared.unused, name)
	})
	return address
}

// deleteRows empties every table but the record of migrations.
const deleteRows = `DO $$ DECLARE name text; BEGIN
	FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'goose_db_version' LOOP
		EXECUTE format('DELETE FROM %I', name);
	END LOOP; END $$`

// reuse takes a migrated database that no test uses; "" for none.
func reuse() string {
	shared.Lock()
	defer shared.Unlock()
	last := len(shared.unused) - 1
	if last < 0 {
		return ""
	}
	name := shared.unused[last]
	shared.unused = shared.unused[:last]
	return name
}

// adminURL is the URL of a database whose user may create databases.
func adminURL(t testing.TB) string {
	t.Helper()
	if admin := os.Getenv(Variable); admin != "" {
		return admin
	}
	return sharedServer(t).URL
}

// Main runs the tests of a package that calls [URL] and then stops the server:
//
//	func TestMain(m *testing.M) { goleak.VerifyTestMain(postgrestest.Main{M: m}) }
type Main struct{ M interface{ Run() int } }

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
		return
	}
	for _, name := range shared.unused {
		_ = execOnce(shared.admin, drop(name)) // the tests are over
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

func create(name string) string {
	return "CREATE DATABASE " + name + " TEMPLATE template0 ENCODING 'UTF8'"
}

func drop(name string) string { return "DROP DATABASE IF EXISTS " + name + " WITH (FORCE)" }

// databaseURL is the URL of another database on the same server.
func databaseURL(t testing.TB, admin, name string) string {
	t.Helper()
	u, err := url.Parse(admin)
	if err != nil {
		t.Fatalf("%s is not a URL", Variable)
	}
	u.Path = "/" + name
	return u.String()
}

func execute(t testing.TB, url, statement string) {
	t.Helper()
	if err := execOnce(url, statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// execOnce executes a statement on a connection of its own.
func execOnce(url, statement string) error {
	ctx, cancel := context.WithTimeout(context.Background(), servertest.StartTime)
	defer cancel()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, statement)
	return errors.Join(err, conn.Close(ctx))
}

// A Server is a PostgreSQL that a test can stop and start.
type Server struct {
	URL string // of its database "postgres"

	bin, dir, port string
	credential     *syscall.Credential // nil: the current user
	process        *servertest.Process // nil: not running
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

// Database creates an empty database on the server and returns its URL.
func (s *Server) Database(t testing.TB) string {
	t.Helper()
	execute(t, s.URL, create("footnote"))
	return databaseURL(t, s.URL, "footnote")
}

// Stop shuts the server down at once, which closes all connections, and waits
// for its end.
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

// Program returns the path of one of PostgreSQL's programs, or skips the test.
func Program(t testing.TB, name string) string {
	t.Helper()
	return filepath.Join(binaries(t), name)
}

// binaries returns the folder of PostgreSQL's programs, or skips the test.
func binaries(t testing.TB) string {
	t.Helper()
	// Debian installs them outside the path, in a folder for each version.
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
	if s.port, err = servertest.ReservePort(); err != nil {
		return nil, err
	}
	s.URL = "postgres://app:secret@127.0.0.1:" + s.port + "/postgres?sslmode=disable"
	return s, s.start()
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

// chooseUser chooses the user to run as, because the server refuses to run as
// root.
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
	// It outlives the test that starts it, so it does not end with its context.
	cmd := exec.CommandContext(context.Background(), filepath.Join(s.bin, name), args...)
	cmd.Dir = s.dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8", "TZ=Pacific/Chatham"} // an unusual zone, to find mistakes
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.credential}
	return cmd
}

// start starts the server and waits until it accepts connections.
func (s *Server) start() (err error) {
	// No fsync: durability of a killed server is not tested here.
	cmd := s.command("postgres", "-D", s.data(), "-p", s.port, "-h", "127.0.0.1", "-k", s.dir, "-F",
		"-c", "max_connections=200", "-c", "timezone=Pacific/Chatham")
	s.process, err = servertest.Start(cmd, filepath.Join(s.dir, "log"), func(ctx context.Context) error {
		conn, err := pgx.Connect(ctx, s.URL)
		if err != nil {
			return err
		}
		return conn.Close(ctx)
	})
	return err
}

func (s *Server) end(sig os.Signal) error {
	if s.process == nil {
		return nil
	}
	err := s.process.End(sig)
	if err == nil {
		s.process = nil
	}
	return err
}

// remove stops the server and deletes its files.
func (s *Server) remove() {
	if s.end(syscall.SIGQUIT) == nil {
		_ = os.RemoveAll(s.dir) // leftovers in a temporary directory do not fail a test
	}
}
