package db_test

import (
	"context"
	"database/sql"
	"errors"
	"net"
	"net/url"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/go-sql-driver/mysql"

	"footnote/storage/db"
	"footnote/storage/db/dbtest"
	"footnote/storage/servertest"
)

// notApart is why a test cannot pass on this server: of two transactions that change one
// row neither waits, and a reader may see a part of a change.
const notApart = "it does not keep transactions apart"

// goMySQLServerCannot are the tests that fail for a reason that MySQL does not have.
var goMySQLServerCannot = map[string]string{
	"assistants/an upload and the deletion of its assistant leave nothing half":              notApart,
	"assistants/of concurrent requests for a slug one succeeds":                              notApart,
	"assistants/updates at the same time do not lose one another":                            notApart,
	"documents/a path names one document of a collection":                                    notApart,
	"documents/fifty uploads of the same bytes at once make one document":                    notApart,
	"evaluation/an assistant has one run at a time":                                          notApart,
	"filters/thousands of documents are filtered":                                            "it needs minutes for that many rows",
	"hits/streaming may use the store while documents change":                                notApart,
	"idempotency/of concurrent equal requests one is reserved":                               notApart,
	"jobs/every job is claimed and finished by exactly one of eight workers":                 notApart,
	"jobs/of concurrent claims of an expired job one succeeds":                               notApart,
	"keys/what instances share is changed by one of them at a time, and goes when it is old": notApart,
	"meta/a fact is set once":                                                                notApart,
	"shared collections/no assistant reads a collection that is deleted at the same time":    notApart,
	"upstreams/no assistant is left naming an upstream that was deleted meanwhile":           notApart,
}

// There is no MySQL 8 to be had for tests. This server has its language, and keeps
// everything in memory; one test at a time, because it does not keep them apart.
func TestMySQL8sLanguageKeepsTheContract(t *testing.T) {
	t.Parallel()
	address := goMySQLServer(t)
	turn := make(chan struct{}, 1)
	runContractWithout(t, goMySQLServerCannot, func(t *testing.T) contract {
		turn <- struct{}{}
		t.Cleanup(func() { <-turn })
		return open(t, newDatabase(t, address), db.Options{Logger: dbtest.TenantGuard(t)})
	})
}

// goMySQLServer starts the server until the test ends, and returns its address.
func goMySQLServer(t *testing.T) string {
	t.Helper()
	program, err := exec.LookPath("footnote-mysqlserver")
	if err != nil {
		t.Skip("there is no server with the language of MySQL 8 to test on: install one with make mysql-server")
	}
	port, err := servertest.ReservePort()
	if err != nil {
		t.Fatal(err)
	}
	address := net.JoinHostPort("127.0.0.1", port)
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), program, address)
	process, err := servertest.Start(cmd, filepath.Join(t.TempDir(), "log"), func(ctx context.Context) error {
		return onMySQL(ctx, address, "SELECT 1")
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := process.End(syscall.SIGKILL); err != nil {
			t.Error(err)
		}
	})
	return address
}

// newDatabase makes a database, and returns its URL.
func newDatabase(t *testing.T, address string) string {
	t.Helper()
	name := servertest.NewName()
	if err := onMySQL(t.Context(), address, "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	return (&url.URL{Scheme: "mysql", User: url.User("root"), Host: address, Path: "/" + name}).String()
}

func onMySQL(ctx context.Context, address, statement string) error {
	config := mysql.NewConfig()
	config.Net, config.Addr, config.User, config.Logger = "tcp", address, "root", &mysql.NopLogger{}
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return err
	}
	pool := sql.OpenDB(connector)
	_, err = pool.ExecContext(ctx, statement)
	return errors.Join(err, pool.Close())
}
