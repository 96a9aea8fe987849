package mariadbtest_test

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	"go.uber.org/goleak"

	"footnote/storage/db/mariadbtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(mariadbtest.Main{M: m}) }

func ask(ctx context.Context, address, statement string) (answer string, err error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	config := mysql.NewConfig()
	config.Net, config.Addr, config.User, config.DBName = "tcp", u.Host, u.User.Username(), strings.TrimPrefix(u.Path, "/")
	config.Passwd, _ = u.User.Password()
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return "", err
	}
	db := sql.OpenDB(connector)
	err = db.QueryRowContext(ctx, statement).Scan(&answer)
	return answer, errors.Join(err, db.Close())
}

func TestEachDatabaseIsFreshAndItsOwn(t *testing.T) {
	one, two := mariadbtest.URL(t), mariadbtest.URL(t)
	a, err := ask(t.Context(), one, "SELECT DATABASE()")
	if err != nil {
		t.Fatal(err)
	}
	b, err := ask(t.Context(), two, "SELECT DATABASE()")
	if err != nil || a == b {
		t.Errorf("%s and %s, %v", a, b, err)
	}
}

func TestAServerCanBeStoppedAndStarted(t *testing.T) {
	s := mariadbtest.Start(t)
	address := s.Database(t)
	s.Stop(t)
	if _, err := ask(t.Context(), address, "SELECT 'x'"); err == nil {
		t.Error("a stopped server answers")
	}
	s.Start(t)
	if got, err := ask(t.Context(), address, "SELECT 'x'"); err != nil || got != "x" {
		t.Errorf("%q, %v", got, err)
	}
}
