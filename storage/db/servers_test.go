package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"gorm.io/gorm"

	"footnote/assistants"
	"footnote/storage/db/mariadbtest"
	"footnote/storage/db/postgrestest"
)

func TestAReadIsRepeatedWhenItsConnectionBreaks(t *testing.T) { eachServer(t, repeatedReadTest) }

func repeatedReadTest(t *testing.T, address string) {
	t.Helper()
	s, operator := openTest(t, withParameter(t, address, "pool_max_conns", "3"), Options{}), openUnmigrated(t, address, Options{})
	for round := range 5 {
		held := make([]interface{ Close() error }, 3) // so that the pool has several connections
		for i := range held {
			held[i] = connOf(t, s)
		}
		for _, conn := range held {
			if err := conn.Close(); err != nil {
				t.Fatal(err)
			}
		}
		cutConnections(t, operator)
		if _, err := s.Meta(t.Context(), "k"); err != nil {
			t.Errorf("reading after round %d: %v", round, err)
		}
		cutConnections(t, operator)
		if _, err := s.SetMetaOnce(t.Context(), fmt.Sprint("k", round), "v"); err != nil {
			t.Errorf("writing after round %d: %v", round, err)
		}
	}
}

// connOf takes a connection out of the pool.
func connOf(t *testing.T, s *Store) *sql.Conn {
	t.Helper()
	pool, err := s.pool.GetDBConn()
	if err != nil {
		t.Fatal(err)
	}
	conn, err := pool.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

// withParameter adds a parameter to the URL of a database.
func withParameter(t *testing.T, address, name, value string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	query.Set(name, value)
	u.RawQuery = query.Encode()
	return u.String()
}

// cutConnections closes all other connections to the database, as a restart
// does.
func cutConnections(t *testing.T, operator *Store) {
	t.Helper()
	if operator.Kind() == "mysql" {
		var ids []int64
		if err := operator.gorm.Raw("SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID()").Scan(&ids).Error; err != nil {
			t.Fatal(err)
		}
		for _, id := range ids {
			// One that ended meanwhile is no failure.
			if err := operator.gorm.Exec("KILL ?", id).Error; err != nil && !strings.Contains(err.Error(), "Unknown thread") {
				t.Fatal(err)
			}
		}
		return
	}
	err := operator.gorm.Exec("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()").Error
	if err != nil {
		t.Fatal(err)
	}
}

// Wherever the connection breaks during a write, the write is made at most once,
// and if it was acknowledged, it was made.
func TestAWriteIsNeverDoubledWhereverItsConnectionBreaks(t *testing.T) {
	eachServer(t, neverDoubledTest)
}

func neverDoubledTest(t *testing.T, database string) {
	t.Helper()
	address, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	direct := openTest(t, address.String(), Options{})
	a := assistants.Assistant{
		ID: assistants.NewAssistantID(), TenantID: "t", Slug: "a", Name: "A", CollectionID: assistants.NewCollectionID(), Settings: assistants.DefaultSettings(),
	}
	if err := direct.CreateAssistant(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	line := newFlakyLine(t, address.Host)
	address.Host = line.listener.Addr().String()
	s := openTest(t, address.String(), Options{})
	create := func(name string) (stored bool, err error) {
		d := assistants.Document{
			ID: assistants.NewDocumentID(), TenantID: "t", CollectionID: a.CollectionID, Name: "d",
			Version: assistants.Version{BlobKey: "t/1", SHA256: name},
		}
		_, duplicate, err := s.CreateDocument(t.Context(), d)
		line.cut() // so that the server has handled everything it received
		line.wait()
		stored = storedOnce(t, direct, d)
		if duplicate || err == nil && !stored || err != nil && !errors.Is(err, assistants.ErrDatabaseUnavailable) {
			t.Errorf("%s: duplicate %v, stored %v, %v", name, duplicate, stored, err)
		}
		return stored, err
	}
	for _, deliver := range []bool{false, true} {
		line.deliver.Store(deliver)
		repeated := 0
		step := int64(4) // a sample of the moments
		if nightly {
			step = 1
		}
		for n, whole := int64(1), false; !whole; n += step {
			line.cutAt.Store(n)
			_, err := create(fmt.Sprint(deliver, " cut at ", n))
			if whole = line.cutAt.Swap(0) > 0; err == nil && !whole {
				repeated++
			}
		}
		if repeated == 0 {
			t.Error("no write was repeated")
		}
		// Only at the commit is the outcome unknown. It must be reported, and
		// the commit not repeated.
		line.atCommit.Store(true)
		if stored, err := create(fmt.Sprint(deliver, " cut at the commit")); stored != deliver || !errors.Is(err, assistants.ErrOutcomeUnknown) {
			t.Errorf("the commit arrived: %v, the document is stored: %v, %v", deliver, stored, err)
		}
	}
}

// storedOnce reports whether a document is stored, and fails if it is stored
// partly or twice.
func storedOnce(t *testing.T, s *Store, d assistants.Document) bool {
	t.Helper()
	var rows [4]int64
	for i, query := range []string{
		"SELECT count(*) FROM documents WHERE latest_sha256 = ?", "SELECT count(*) FROM document_versions WHERE sha256 = ?",
		"SELECT count(*) FROM jobs WHERE document_id = ?", "SELECT count(*) FROM document_log WHERE document_id = ?",
	} {
		arg := any(d.Version.SHA256)
		if i > 1 {
			arg = d.ID
		}
		if err := s.gorm.Raw(query, arg).Scan(&rows[i]).Error; err != nil {
			t.Fatal(err)
		}
	}
	if rows != [4]int64{} && rows != [4]int64{1, 1, 1, 1} {
		t.Errorf("rows of the document: %v", rows)
	}
	return rows[0] > 0
}

func TestAFullPoolIsUnavailableAfterAWhile(t *testing.T) {
	t.Parallel()
	eachServer(t, fullPoolTest)
}

func fullPoolTest(t *testing.T, address string) {
	t.Helper()
	s := openTest(t, withParameter(t, address, "pool_max_conns", "1"), Options{BusyTimeout: time.Second}) // opening must fit in it, too
	conn := connOf(t, s)
	_, readErr := s.Meta(t.Context(), "k")
	_, writeErr := s.SetMetaOnce(t.Context(), "k", "v")
	for _, err := range []error{readErr, writeErr} {
		if !errors.Is(err, assistants.ErrDatabaseUnavailable) {
			t.Errorf("got %v", err)
		}
	}
	impatient, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Meta(impatient, "k"); !errors.Is(err, context.Canceled) {
		t.Errorf("after the context ended: %v", err)
	}
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.SetMetaOnce(t.Context(), "k", "v"); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

func TestStatementsOfPostgresHaveLimits(t *testing.T) {
	address := postgrestest.URL(t)
	limit := func(address string) (value string) {
		s := openUnmigrated(t, address, Options{})
		if err := s.gorm.Raw("SHOW statement_timeout").Scan(&value).Error; err != nil {
			t.Fatal(err)
		}
		return value
	}
	if got := limit(address); got != "30s" {
		t.Errorf("by default %s", got)
	}
	if got := limit(address + "&statement_timeout=7s"); got != "7s" {
		t.Errorf("with a limit in the URL %s", got)
	}
	s := openUnmigrated(t, address+"&statement_timeout=200ms", Options{})
	err := s.write(t.Context(), "sleep", func(tx *gorm.DB) error { return tx.Exec("SELECT pg_sleep(60)").Error })
	if !errors.Is(err, assistants.ErrDatabaseUnavailable) {
		t.Errorf("a statement that takes too long: %v", err)
	}
}

func TestConnectionErrorsNameTheCauseButNotThePassword(t *testing.T) {
	t.Parallel()
	silent, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0") // accepts connections and never answers
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close() //nolint:errcheck // nothing was sent
	for address, says := range map[string]string{
		withPath(t, postgrestest.URL(t), "/nodb"):                                       `has no database "nodb"; create it first`,
		withPath(t, mariadbtest.URL(t), "/nodb"):                                        `has no database "nodb"; create it first`,
		strings.Replace(mariadbtest.URL(t), "app:", "nobody:", 1):                       `refuses the user "nobody" or its password`,
		"sqlserver://app:secret@127.0.0.1:1/d":                                          "nothing listens at 127.0.0.1:1",
		withScheme(t, mariadbtest.URL(t), "sqlserver"):                                  "see whether what listens there is a SQL Server",
		"sqlserver://app:secret@no.such.host.invalid/d":                                 "no.such.host.invalid, is not known",
		"sqlserver://app:secret@" + silent.Addr().String() + "/d?connect_timeout=300ms": "does not answer",
		"mysql://app:secret@127.0.0.1:1/d":                                              "nothing listens at 127.0.0.1:1",
		"mysql://app:secret@no.such.host.invalid/d":                                     "no.such.host.invalid, is not known",
		"mysql://app:secret@" + silent.Addr().String() + "/d?connect_timeout=300ms":     "does not answer",
		"postgres://app:secret@127.0.0.1:1/d":                                           "nothing listens at 127.0.0.1:1",
		"postgres://app:secret@no.such.host.invalid/d":                                  "no.such.host.invalid, is not known",
		"postgres://app:secret@" + silent.Addr().String() + "/d":                        "does not answer",
	} {
		_, err := Open(t.Context(), address, Options{BusyTimeout: 300 * time.Millisecond})
		if !errors.Is(err, assistants.ErrDatabaseUnavailable) || errors.Is(err, context.DeadlineExceeded) ||
			!strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", says, err)
		}
	}
}

func withScheme(t *testing.T, address, scheme string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	u.Scheme, u.RawQuery = scheme, ""
	return u.String()
}

func withPath(t *testing.T, address, path string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	u.Path = path
	return u.String()
}

// Two processes take the same name at the same moment. One succeeds, and the
// other gets the same message as a later one would.
func TestConflictsBetweenProcessesHaveTheUsualMessage(t *testing.T) { eachServer(t, conflictsTest) }

func conflictsTest(t *testing.T, address string) {
	t.Helper()
	stores := []*Store{openTest(t, address, Options{}), openTest(t, address, Options{})}
	for round := range 20 {
		var wg sync.WaitGroup
		errs := make([]error, len(stores))
		for i, s := range stores {
			wg.Go(func() {
				errs[i] = s.CreateAssistant(t.Context(), assistants.Assistant{
					ID: assistants.NewAssistantID(), TenantID: "t", Slug: fmt.Sprint("a", round), Name: "A",
					CollectionID: assistants.NewCollectionID(), Settings: assistants.DefaultSettings(),
				})
			})
		}
		wg.Wait()
		refused := errors.Join(errs...)
		var field *assistants.FieldError
		if (errs[0] == nil) == (errs[1] == nil) || !errors.As(refused, &field) || field.Field != "slug" || !errors.Is(refused, assistants.ErrConflict) {
			t.Errorf("%v", errs)
		}
	}
}
