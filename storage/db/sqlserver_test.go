package db

import (
	"context"
	"crypto/x509"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	mssql "github.com/microsoft/go-mssqldb"
	"gorm.io/gorm"

	"footnote/assistants"
)

func TestAURLOfSQLServerIsReadOrRefusedWithARemedy(t *testing.T) {
	o, err := parseSQLServer("sqlserver://us%40er:p%3Ass@db.example/foot%20note?encrypt=strict&trust_server_certificate=true&pool_max_conns=3&connect_timeout=2s&statement_timeout=7")
	if err != nil || o.at != "db.example:1433" || o.user != "us@er" || o.database != "foot note" || o.conns != 3 || o.connect != 2*time.Second || o.statement != 7*time.Second {
		t.Errorf("%+v, %v", o, err)
	}
	said := o.server.Query()
	if said.Get("database") != "foot note" || said.Get("encrypt") != "strict" || said.Get("TrustServerCertificate") != "true" || said.Get("app name") != "footnote" {
		t.Errorf("the driver is told %s", o.server.RawQuery)
	}
	if o, err = parseSQLServer("sqlserver://user:secret@[::1]:14330/footnote"); err != nil || o.at != "[::1]:14330" || o.server.Query().Get("encrypt") != "true" {
		t.Errorf("%+v, %v", o, err)
	}
	for _, bad := range []string{
		"sqlserver://host/name", "sqlserver://user:secret@/name", "sqlserver://user:secret@host", "sqlserver://user:secret@host/", "sqlserver://user:sec%ret@host/name",
		"sqlserver://user:secret@host/name?encrypt=maybe", "sqlserver://user:secret@host/name?encrypt=false", "sqlserver://user:secret@host/name?database=other",
		"sqlserver://user:secret@host/name?pool_max_conns=0", "sqlserver://user:secret@host/name?statement_timeout=-1s", "sqlserver://user:secret@host/name?log=255",
		"sqlserver://user:secret@host/name?trust_server_certificate=perhaps", "sqlserver://user:secret@host/name?certificate=/no/such/file",
	} {
		var field *assistants.FieldError
		if err := CheckURL(bad); !errors.As(err, &field) || field.Field != "database_url" || !strings.Contains(field.Message, "sqlserver://user:password@host:1433/name") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func TestErrorsOfSQLServerHaveTheirKinds(t *testing.T) {
	said := func(number int32, class uint8, message string) error {
		return fmt.Errorf("wrapped: %w", mssql.Error{Number: number, Class: class, Message: message})
	}
	taken := said(2601, 14, "Cannot insert duplicate key row in object 'dbo.assistants' with unique index 'assistants_slug_key'. The duplicate key value is (t, a).")
	for name, c := range map[string]struct {
		err                                                error
		duplicate, unavailable, retryable, lost, uncertain bool
		constraint                                         string
	}{
		"a unique index":       {err: taken, duplicate: true, constraint: "assistants_slug_key"},
		"a primary key":        {err: said(2627, 14, "Violation of PRIMARY KEY constraint 'PK__meta__1'."), duplicate: true},
		"in German":            {err: said(2601, 14, "Eine Zeile mit doppeltem Schlüssel kann in das dbo.documents-Objekt mit dem eindeutigen Index 'documents_source_key' nicht eingefügt werden."), duplicate: true, constraint: "documents_source_key"},
		"a deadlock":           {err: said(1205, 13, "deadlocked"), unavailable: true, retryable: true},
		"a lock's timeout":     {err: said(1222, 16, "Lock request time out period exceeded."), unavailable: true},
		"the log is full":      {err: said(9002, 17, "The transaction log is full"), unavailable: true},
		"a killed session":     {err: said(596, 21, "Cannot continue the execution because the session is in the kill state."), unavailable: true, retryable: true, lost: true, uncertain: true},
		"a mistake":            {err: said(102, 15, "Incorrect syntax near 'x'.")},
		"a text too long":      {err: said(2628, 16, "String or binary data would be truncated")},
		"a broken connection":  {err: io.EOF, unavailable: true, retryable: true, lost: true, uncertain: true},
		"a bad connection":     {err: driver.ErrBadConn, unavailable: true, retryable: true, lost: true, uncertain: true},
		"a bad stream":         {err: mssql.StreamError{InnerError: errors.New("x")}, unavailable: true, retryable: true, lost: true, uncertain: true},
		"an ended transaction": {err: sql.ErrTxDone, unavailable: true},
		"an ended context":     {err: context.Canceled},
	} {
		translated := (sqlserverDialector{}).Translate(c.err)
		if got := errors.Is(translated, gorm.ErrDuplicatedKey); got != c.duplicate || !errors.Is(translated, c.err) {
			t.Errorf("%s: translated to %v", name, translated)
		}
		if sqlserverUnavailable(c.err) != c.unavailable || sqlserverRetryable(c.err) != c.retryable || sqlserverLost(c.err) != c.lost ||
			sqlserverOutcomeUnknown(c.err) != c.uncertain || sqlserverConstraint(translated) != c.constraint {
			t.Errorf("%s: unavailable %v, retryable %v, lost %v, uncertain %v, %q", name, sqlserverUnavailable(c.err), sqlserverRetryable(c.err), sqlserverLost(c.err),
				sqlserverOutcomeUnknown(c.err), sqlserverConstraint(translated))
		}
	}
	o := sqlserverOptions{at: "db.example:1433", user: "app", database: "footnote"}
	for want, err := range map[string]error{
		`refuses the user "app" or its password`:                           said(18456, 14, "Login failed for user 'app'."),
		`has no database "footnote" for this user`:                         said(4060, 11, "Cannot open database"),
		"certificate of the server at db.example:1433 is not trusted":      fmt.Errorf("TLS Handshake failed: %w", x509.UnknownAuthorityError{}),
		"it cannot be reached at db.example:1433: wrapped: mssql: unheard": said(1, 16, "unheard"),
	} {
		if got := sqlserverUnreachable(err, o); !errors.Is(got, assistants.ErrDatabaseUnavailable) || !strings.Contains(got.Error(), want) {
			t.Errorf("%s: %v", want, got)
		}
	}
}

// lockServer answers every query with one number, as the statement of a lock does.
type lockServer int64

func (s lockServer) Connect(context.Context) (driver.Conn, error) { return s, nil }
func (s lockServer) Driver() driver.Driver                        { return nil }
func (s lockServer) Prepare(string) (driver.Stmt, error)          { return nil, errors.ErrUnsupported }
func (s lockServer) Close() error                                 { return nil }
func (s lockServer) Begin() (driver.Tx, error)                    { return nil, errors.ErrUnsupported }
func (s lockServer) Columns() []string                            { return []string{""} }
func (s lockServer) Next(row []driver.Value) error                { row[0] = int64(s); return nil }
func (s lockServer) QueryContext(_ context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if query != sqlserverLock || len(args) != 2 || args[0].Value != sqlserverExclusiveLock || args[1].Value != int64(1000) {
		return nil, fmt.Errorf("asked %s with %v", query, args)
	}
	return s, nil
}

func TestALockOfSQLServerIsTakenOrNotOrFails(t *testing.T) {
	for result, want := range map[lockServer]struct{ taken, fails bool }{0: {true, false}, 1: {true, false}, -1: {false, false}, -2: {false, true}, -3: {false, true}, -999: {false, true}} {
		pool := sql.OpenDB(result)
		conn, err := pool.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		taken, err := takeSQLServerLock(t.Context(), conn, sqlserverExclusiveLock, time.Second)
		if taken != want.taken || (err != nil) != want.fails {
			t.Errorf("%d: %v, %v", result, taken, err)
		}
		if err := errors.Join(conn.Close(), pool.Close()); err != nil {
			t.Error(err)
		}
	}
}

// The row of a minute is locked by one statement and read by another.
func TestAMinuteIsSharedInTheLanguageOfSQLServer(t *testing.T) {
	var sent []string
	s := OpenAsSQLServer(t, Options{}, func(statement string, _ int) { sent = append(sent, statement) })
	for range 2 {
		err := s.ShareUses(t.Context(), []assistants.LimitSubject{{TenantID: "t", ID: "key_1"}}, func([]string, time.Time) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(sent) != 6 || !strings.HasPrefix(sent[0], "MERGE INTO limit_minutes WITH (HOLDLOCK) USING (VALUES (@p1, @p2, '', @p3)) AS excluded") ||
		!strings.Contains(sent[1], "SYSDATETIMEOFFSET() AS told_at") {
		t.Errorf("sent\n%s", strings.Join(sent, "\n"))
	}
}

// No statement has more parameters than SQL Server takes, whatever is inserted at once.
func TestABatchOfEveryTableFitsIntoAStatement(t *testing.T) {
	s := openFile(t)
	tables, err := s.rawTables()
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		if n := len(table.columns); n*batchOf(n) > 2098 || batchOf(n) < 20 {
			t.Errorf("%s: %d rows of %d columns", table.name, batchOf(n), n)
		}
	}
}

func TestADatabaseOfSQLServerThatIsOpenedToBeReadRefusesWrites(t *testing.T) {
	b, err := openSQLServer("sqlserver://u:p@127.0.0.1:1/d", Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.pool.(*sqlserverPool).BeginTx(t.Context(), nil); !errors.Is(err, assistants.ErrDatabaseUnavailable) {
		t.Errorf("got %v", err)
	}
	if err := b.pool.Close(); err != nil {
		t.Error(err)
	}
}

// There is no server to compare the schema with. So the migrations for SQL Server are
// compared with those for PostgreSQL, whose schema is that of the models: each statement
// says the same in the other language, but for what follows.
func TestMigrationsOfSQLServerSayWhatThoseOfPostgresSay(t *testing.T) {
	const collation = " COLLATE Latin1_General_100_BIN2"
	other := strings.NewReplacer(
		// A text in an index needs a length.
		"ADD name_key nvarchar(max)", "ADD name_key nvarchar(640)",
		// An index takes two nulls for the same.
		"documents_source_key ON documents (collection_id, source_key);", "documents_source_key ON documents (collection_id, source_key) WHERE source_key IS NOT NULL;",
	)
	words := strings.NewReplacer(` COLLATE "C"`, collation, "timestamptz(6)", "datetimeoffset(6)", " boolean", " bit", " numeric", " float", "DEFAULT true", "DEFAULT 1", "DEFAULT false", "DEFAULT 0", "ADD COLUMN", "ADD")
	short, long, text := regexp.MustCompile(`varchar\((\d\d)\)`), regexp.MustCompile(`varchar\((\d\d\d+)\)`), regexp.MustCompile(`\btext COLLATE`)
	comment, space := regexp.MustCompile(`--.*`), regexp.MustCompile(`\s+`)
	dropped := regexp.MustCompile(`DROP INDEX ((\w+)_[a-z]+_idx);`) // an index is named after its table
	bare := func(s string) string { return space.ReplaceAllString(comment.ReplaceAllString(s, ""), " ") }
	for _, name := range migrationNames(t, "postgres") {
		want := short.ReplaceAllString(bare(readMigration(t, "postgres", name)), "nvarchar($1)")
		want = long.ReplaceAllStringFunc(want, func(s string) string {
			var n int
			if _, err := fmt.Sscanf(s, "varchar(%d)", &n); err != nil {
				t.Fatal(err)
			}
			return fmt.Sprintf("nvarchar(%d)", 2*n) // a character may be two
		})
		want = dropped.ReplaceAllString(want, "DROP INDEX $1 ON $2;")
		want = other.Replace(words.Replace(text.ReplaceAllString(want, "nvarchar(max) COLLATE")))
		got := bare(readMigration(t, "sqlserver", name))
		is, should := strings.SplitAfter(got, ";"), strings.SplitAfter(want, ";")
		if !slices.Equal(is, should) {
			t.Errorf("%s:\n%s\nshould be\n%s", name, strings.Join(is, "\n"), strings.Join(should, "\n"))
		}
	}
}
