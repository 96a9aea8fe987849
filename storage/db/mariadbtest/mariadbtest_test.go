package mariadbtest_test

import (
	"testing"

	"go.uber.org/goleak"

	"footnote/storage/db/mariadbtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(mariadbtest.Main{M: m}) }

func ask(t *testing.T, address, statement string) (answer string) {
	t.Helper()
	if err := mariadbtest.DB(t, address).QueryRowContext(t.Context(), statement).Scan(&answer); err != nil {
		t.Fatal(err)
	}
	return answer
}

func TestEachDatabaseIsFreshAndItsOwn(t *testing.T) {
	one, two := mariadbtest.URL(t), mariadbtest.URL(t)
	if a, b := ask(t, one, "SELECT DATABASE()"), ask(t, two, "SELECT DATABASE()"); a == b {
		t.Errorf("%s and %s", a, b)
	}
}

func TestAServerCanBeStoppedAndStarted(t *testing.T) {
	s := mariadbtest.Start(t)
	address := s.Database(t)
	s.Stop(t)
	if err := mariadbtest.DB(t, address).PingContext(t.Context()); err == nil {
		t.Error("a stopped server answers")
	}
	s.Start(t)
	if got := ask(t, address, "SELECT 'x'"); got != "x" {
		t.Error(got)
	}
}
