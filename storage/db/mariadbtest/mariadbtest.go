// Package mariadbtest gives tests a real MariaDB or MySQL: the server that
// FOOTNOTE_TEST_MYSQL_URL names, or a MariaDB that the test process starts from the
// programs on the machine (Debian: package mariadb-server). It is for tests only and
// imports only servertest of this module.
package mariadbtest

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/go-sql-driver/mysql"

	"footnote/storage/servertest"
)

// Variable is the URL of a database whose user may create databases.
const Variable = "FOOTNOTE_TEST_MYSQL_URL"

// shared is the server of this test process. The first test that needs it starts it.
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
	execute(t, admin, "CREATE DATABASE "+name)
	t.Cleanup(func() { execute(t, admin, "DROP DATABASE "+name) })
	return databaseURL(t, admin, name)
}

// Migrated returns the URL of an empty database that migrate has prepared.
// Making its tables takes longer than most tests, so those of passed tests are
// emptied and used again. All calls must pass the same migrate, and the test
// must not change the schema.
func Migrated(t testing.TB, migrate func(ctx context.Context, url string) error) string {
	t.Helper()
	admin := adminURL(t)
	name := reuse()
	if name == "" {
		name = servertest.NewName()
		execute(t, admin, "CREATE DATABASE "+name)
		if err := migrate(t.Context(), databaseURL(t, admin, name)); err != nil {
			t.Fatal(err)
		}
	}
	address := databaseURL(t, admin, name)
	t.Cleanup(func() {
		if t.Failed() || deleteRows(address) != nil {
			execute(t, admin, "DROP DATABASE "+name)
			return
		}
		shared.Lock()
		defer shared.Unlock()
		shared.admin, shared.unused = admin, append(shared.unused, name)
	})
	return address
}

// deleteRows empties every table but the record of migrations.
func deleteRows(address string) error {
	return onServer(address, func(ctx context.Context, db *sql.DB) error {
		rows, err := db.QueryContext(ctx, "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name <> 'goose_db_version'")
		if err != nil {
			return err
		}
		var errs []error
		var names []string
		for rows.Next() {
			var name string
			errs = append(errs, rows.Scan(&name))
			names = append(names, name)
		}
		errs = append(errs, rows.Err(), rows.Close())
		for _, name := range names {
			_, err := db.ExecContext(ctx, "DELETE FROM "+name)
			errs = append(errs, err)
		}
		return errors.Join(errs...)
	})
}

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
	shared.Lock()
	defer shared.Unlock()
	if shared.server == nil && shared.err == nil {
		shared.server, shared.err = newServer(installed(t))
	}
	if shared.err != nil {
		t.Fatalf("start MariaDB: %v", shared.err)
	}
	return shared.server.URL
}

// Main runs the tests of a package that calls [URL] and then stops the server:
//
//	func TestMain(m *testing.M) { goleak.VerifyTestMain(mariadbtest.Main{M: m}) }
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
		_ = execOnce(shared.admin, "DROP DATABASE "+name) // the tests are over
	}
}

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
func execOnce(address, statement string) error {
	return onServer(address, func(ctx context.Context, db *sql.DB) error {
		_, err := db.ExecContext(ctx, statement)
		return err
	})
}

// onServer calls use with a connection of its own.
func onServer(address string, use func(ctx context.Context, db *sql.DB) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), servertest.StartTime)
	defer cancel()
	connector, err := connectorOf(address)
	if err != nil {
		return err
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(1)
	return errors.Join(use(ctx, db), db.Close())
}

// DB returns a pool of one connection to a database, which is closed when the test ends.
func DB(t testing.TB, address string) *sql.DB {
	t.Helper()
	connector, err := connectorOf(address)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = db.Close() }) // the server may be gone
	return db
}

func connectorOf(address string) (driver.Connector, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	config := mysql.NewConfig()
	config.Net, config.Addr, config.User, config.DBName = "tcp", u.Host, u.User.Username(), strings.TrimPrefix(u.Path, "/")
	config.Passwd, _ = u.User.Password()
	config.Logger = &mysql.NopLogger{}
	return mysql.NewConnector(config)
}

// A Server is a MariaDB that a test can stop and start.
type Server struct {
	URL string // of its database "mysql"

	dir, port string
	process   *servertest.Process // nil: not running
}

// Start starts a server that ends with the test.
func Start(t testing.TB) *Server {
	t.Helper()
	s, err := newServer(installed(t))
	if err != nil {
		t.Fatalf("start MariaDB: %v", err)
	}
	t.Cleanup(s.remove)
	return s
}

// Database creates an empty database on the server and returns its URL.
func (s *Server) Database(t testing.TB) string {
	t.Helper()
	execute(t, s.URL, "CREATE DATABASE footnote")
	return databaseURL(t, s.URL, "footnote")
}

// Stop shuts the server down, which closes all connections, and waits for its end.
func (s *Server) Stop(t testing.TB) {
	t.Helper()
	if err := s.end(syscall.SIGTERM); err != nil {
		t.Fatalf("stop MariaDB: %v", err)
	}
}

// Start starts a stopped server again, at the same address.
func (s *Server) Start(t testing.TB) {
	t.Helper()
	if err := s.start(); err != nil {
		t.Fatalf("start MariaDB: %v", err)
	}
}

// installed returns the program that makes the files of a server, or skips the test.
func installed(t testing.TB) string {
	t.Helper()
	path, err := exec.LookPath("mariadb-install-db")
	if err != nil {
		t.Skipf("there is no MariaDB to test on: set %s, or install the package mariadb-server", Variable)
	}
	return path
}

// relaxed are options for speed: durability of a killed server is not tested here.
var relaxed = []string{"--innodb-log-file-size=16M", "--debug-no-sync"}

func newServer(install string) (s *Server, err error) {
	s = &Server{}
	if s.dir, err = os.MkdirTemp("", "footnote-mariadb-"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(s.dir))
		}
	}()
	args := append([]string{"--no-defaults", "--datadir=" + s.data(), "--auth-root-authentication-method=normal", "--skip-test-db", "--skip-name-resolve"}, relaxed...)
	if os.Getuid() == 0 {
		args = append(args, "--user=root")
	}
	cmd := exec.CommandContext(context.Background(), install, args...) //nolint:gosec // of the test
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("mariadb-install-db: %w\n%s", err, out)
	}
	if s.port, err = servertest.ReservePort(); err != nil {
		return nil, err
	}
	if err = s.start(); err != nil {
		return nil, err
	}
	// Its password is found in no message.
	err = execOnce("mysql://root@127.0.0.1:"+s.port+"/mysql", "CREATE USER app@'127.0.0.1' IDENTIFIED BY 'secret'")
	if err == nil {
		err = execOnce("mysql://root@127.0.0.1:"+s.port+"/mysql", "GRANT ALL ON *.* TO app@'127.0.0.1' WITH GRANT OPTION")
	}
	s.URL = "mysql://app:secret@127.0.0.1:" + s.port + "/mysql"
	if err != nil {
		err = errors.Join(err, s.end(syscall.SIGKILL))
	}
	return s, err
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

// start starts the server and waits until it accepts connections. Its zone, isolation
// and character set are unusual, to find mistakes.
func (s *Server) start() (err error) {
	args := append([]string{"--no-defaults", "--datadir=" + s.data(), "--port=" + s.port, "--bind-address=127.0.0.1",
		"--socket=" + filepath.Join(s.dir, "socket"), "--pid-file=" + filepath.Join(s.dir, "pid"), "--skip-name-resolve", "--max-connections=400",
		"--innodb-buffer-pool-size=64M", "--innodb-flush-log-at-trx-commit=0", "--innodb-fast-shutdown=2", "--performance-schema=off",
		"--default-time-zone=+12:45", "--character-set-server=latin1", "--transaction-isolation=SERIALIZABLE"}, relaxed...)
	if os.Getuid() == 0 {
		args = append(args, "--user=root")
	}
	program, err := server()
	if err != nil {
		return err
	}
	// It outlives the test that starts it, so it does not end with its context.
	cmd := exec.CommandContext(context.Background(), program, args...) //nolint:gosec // of the test
	s.process, err = servertest.Start(cmd, filepath.Join(s.dir, "log"), func(context.Context) error {
		return onServer("mysql://root@127.0.0.1:"+s.port+"/mysql", func(ctx context.Context, db *sql.DB) error { return db.PingContext(ctx) })
	})
	return err
}

// server returns the path of the server. Debian installs it where only root looks.
func server() (string, error) {
	if path, err := exec.LookPath("mariadbd"); err == nil {
		return path, nil
	}
	return exec.LookPath("/usr/sbin/mariadbd")
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
	if s.end(syscall.SIGKILL) == nil {
		_ = os.RemoveAll(s.dir) // leftovers in a temporary directory do not fail a test
	}
}
