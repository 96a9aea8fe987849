package postgrestest_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"

	"footnote/storage/db/postgrestest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(postgrestest.Main{M: m}) }

func ask(ctx context.Context, url, statement string) (answer string, err error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close(ctx) }() // the answer is what counts
	err = conn.QueryRow(ctx, statement).Scan(&answer)
	return answer, err
}

func TestEachDatabaseIsFreshAndItsOwn(t *testing.T) {
	one, two := postgrestest.URL(t), postgrestest.URL(t)
	a, err := ask(t.Context(), one, "SELECT current_database()")
	if err != nil {
		t.Fatal(err)
	}
	b, err := ask(t.Context(), two, "SELECT current_database()")
	if err != nil || a == b {
		t.Errorf("%s and %s, %v", a, b, err)
	}
}

func TestAServerCanBeStoppedAndStarted(t *testing.T) {
	s := postgrestest.Start(t)
	url := s.Database(t)
	s.Stop(t)
	if _, err := ask(t.Context(), url, "SELECT 'x'"); err == nil {
		t.Error("a stopped server answers")
	}
	s.Start(t)
	if got, err := ask(t.Context(), url, "SELECT 'x'"); err != nil || got != "x" {
		t.Errorf("%q, %v", got, err)
	}
}
