package db

import (
	"errors"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	"gorm.io/gorm"

	"footnote/assistants"
	"footnote/storage/db/mariadbtest"
)

// Changes of the schema commit at once. Wherever a migration loses its connection, the
// next one goes on and makes the same schema.
func TestAMigrationOfMariaDBGoesOnWhereItWasInterrupted(t *testing.T) {
	rounds, seed := 1, rand.Uint64()
	if nightly {
		rounds = 20
	}
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for round := range rounds {
		database := mariadbtest.URL(t)
		address, err := url.Parse(database)
		if err != nil {
			t.Fatal(err)
		}
		line := newFlakyLine(t, address.Host)
		address.Host = line.listener.Addr().String()
		cuts := 0
		for done := false; !done; cuts++ {
			line.deliver.Store(random.IntN(2) == 0)
			line.cutAt.Store(1 + random.Int64N(150)) // more than it takes to see what is done
			_, err := migrate(t.Context(), address.String())
			done = err == nil
			if err != nil && !errors.Is(err, assistants.ErrDatabaseUnavailable) {
				t.Fatalf("round %d: %v", round, err)
			}
			line.cutAt.Store(0)
			line.cut()
			line.wait()
		}
		if cuts < 2 {
			t.Errorf("round %d: it was never interrupted", round)
		}
		modelledMySQL(t, openUnmigrated(t, database, Options{}))
	}
}

// A table of another program must not pass for one that an interrupted migration made.
func TestADatabaseOfAnotherProgramIsRefused(t *testing.T) {
	s := openUnmigrated(t, mariadbtest.URL(t), Options{})
	if err := s.gorm.Exec("CREATE TABLE meta (id int)").Error; err != nil {
		t.Fatal(err)
	}
	if _, err := s.Migrate(t.Context()); err == nil || !strings.Contains(err.Error(), "create an empty database") {
		t.Errorf("got %v", err)
	}
	var tables int64
	if err := s.gorm.Raw("SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = DATABASE()").Scan(&tables).Error; err != nil || tables != 1 {
		t.Errorf("%d tables, %v", tables, err)
	}
}

func TestSessionsOfMariaDBAreLikeThoseOfOtherDatabases(t *testing.T) {
	address := mariadbURL(t)
	s := openUnmigrated(t, address, Options{})
	for setting, want := range map[string]string{
		"@@tx_isolation": "READ-COMMITTED", "@@time_zone": "+00:00", "@@innodb_lock_wait_timeout": "10", "@@collation_connection": "utf8mb4_bin",
		"@@max_statement_time": "30", "@@idle_transaction_timeout": "60",
	} {
		var got string
		if err := s.gorm.Raw("SELECT " + setting).Scan(&got).Error; err != nil || got != want {
			t.Errorf("%s is %s, %v, want %s", setting, got, err, want)
		}
	}
	if _, err := s.SetMetaOnce(t.Context(), strings.Repeat("k", 65), "v"); err == nil {
		t.Error("a text that is too long was cut")
	}
	short := openUnmigrated(t, withParameter(t, address, "statement_timeout", "200ms"), Options{})
	err := short.write(t.Context(), "sleep", func(tx *gorm.DB) error { return tx.Exec("SELECT SLEEP(60)").Error })
	if !errors.Is(err, assistants.ErrDatabaseUnavailable) {
		t.Errorf("a statement that takes too long: %v", err)
	}
}

// A conflict between transactions does not mean that connections are broken.
func TestADeadlockOfMariaDBIsRepeatedOnTheSameConnection(t *testing.T) {
	s := openTest(t, mariadbURL(t), Options{})
	id := func() (id int64) {
		if err := s.gorm.Raw("SELECT CONNECTION_ID()").Scan(&id).Error; err != nil {
			t.Fatal(err)
		}
		return id
	}
	before := id()
	for _, code := range []uint16{mysqlDeadlock, mysqlChangedSinceRead} {
		runs := 0
		err := s.write(t.Context(), "meet", func(*gorm.DB) error {
			if runs++; runs == 1 {
				return &mysql.MySQLError{Number: code}
			}
			return nil
		})
		if err != nil || runs != 2 {
			t.Errorf("%d: run %d times, %v", code, runs, err)
		}
	}
	if after := id(); after != before {
		t.Errorf("connection %d instead of %d", after, before)
	}
}

// The largest statement is what the server allows. What is larger is refused without
// breaking the connection, and the reason is said.
func TestATextThatIsTooLargeForTheServerIsRefused(t *testing.T) {
	s := openTest(t, mariadbURL(t), Options{})
	var most int
	if err := s.gorm.Raw("SELECT @@max_allowed_packet").Scan(&most).Error; err != nil {
		t.Fatal(err)
	}
	_, err := s.SetMetaOnce(t.Context(), "large", strings.Repeat("x", 2*most))
	if !errors.Is(err, assistants.ErrTooLarge) || !strings.Contains(err.Error(), "max_allowed_packet") {
		t.Errorf("got %.300v", err)
	}
	text := strings.Repeat("ü", most/4)
	if got, err := s.SetMetaOnce(t.Context(), "fits", text); err != nil || got != text {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}
