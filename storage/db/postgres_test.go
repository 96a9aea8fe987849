package db

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gorm.io/gorm"

	"footnote/assistants"
	"footnote/storage/db/postgrestest"
)

func TestAReadIsRepeatedWhenItsConnectionBreaks(t *testing.T) {
	address := postgrestest.URL(t)
	s, operator := openTest(t, address+"&pool_max_conns=3", Options{}), openUnmigrated(t, address, Options{})
	for round := range 5 {
		held := make([]interface{ Close() error }, 3) // so that the pool has several connections
		for i := range held {
			conn, err := s.pool.(*postgresPool).Conn(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			held[i] = conn
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

// cutConnections closes all other connections to the database, as a restart
// does.
func cutConnections(t *testing.T, operator *Store) {
	t.Helper()
	err := operator.gorm.Exec("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()").Error
	if err != nil {
		t.Fatal(err)
	}
}

// A flakyLine forwards TCP connections and closes all of them at the n-th piece
// that passes in either direction, before or after the piece is delivered.
type flakyLine struct {
	listener net.Listener
	target   string
	cutAt    atomic.Int64 // number of pieces until the cut, which happens once
	atCommit atomic.Bool  // the cut is at the next request to commit instead
	deliver  atomic.Bool  // whether the last piece is delivered

	mu    sync.Mutex
	pairs []*pair // not cut yet
	gone  []*pair
}

// A pair is a client's connection and the matching one to the server.
type pair struct {
	client, server *net.TCPConn
	forwarding     sync.WaitGroup
}

func newFlakyLine(t *testing.T, target string) *flakyLine {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	line := &flakyLine{listener: l, target: target}
	var accepting sync.WaitGroup
	accepting.Go(line.accept)
	t.Cleanup(func() {
		_ = l.Close()
		accepting.Wait()
		line.cut()
		line.wait()
	})
	return line
}

func (l *flakyLine) accept() {
	for {
		client, err := l.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", l.target) //nolint:noctx // it ends with the line
		if err != nil {
			_ = client.Close()
			continue
		}
		p := &pair{client: client.(*net.TCPConn), server: server.(*net.TCPConn)} //nolint:forcetypeassert // both are TCP
		p.forwarding.Go(func() { l.forward(p.server, p.client) })
		p.forwarding.Go(func() { l.forward(p.client, p.server) })
		l.mu.Lock()
		l.pairs = append(l.pairs, p)
		l.mu.Unlock()
	}
}

// forward copies data until the connection ends.
func (l *flakyLine) forward(to, from *net.TCPConn) {
	piece := make([]byte, 64<<10)
	for {
		n, err := from.Read(piece)
		switch {
		case n > 0 && (l.cutAt.Add(-1) == 0 || bytes.HasPrefix(piece[:n], []byte("Q\x00\x00\x00\vcommit\x00")) && l.atCommit.CompareAndSwap(true, false)):
			l.last(to, piece[:n])
		case n > 0:
			_, _ = to.Write(piece[:n])
		}
		if err != nil {
			_ = to.CloseWrite()
			return
		}
	}
}

// last delivers the last piece, or drops it, and closes all connections.
func (l *flakyLine) last(to *net.TCPConn, piece []byte) {
	l.mu.Lock()
	toServer := slices.ContainsFunc(l.pairs, func(p *pair) bool { return p.server == to })
	l.mu.Unlock()
	if l.deliver.Load() && !toServer {
		_, _ = to.Write(piece)
	}
	l.closeClients()
	if l.deliver.Load() && toServer {
		_, _ = to.Write(piece)
	}
	l.cut()
}

func (l *flakyLine) closeClients() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.pairs {
		_ = p.client.Close()
	}
}

// cut closes all connections, to the server after it has read what was
// delivered.
func (l *flakyLine) cut() {
	l.closeClients()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.pairs {
		if l.deliver.Load() {
			_ = p.server.CloseWrite()
		} else {
			_ = p.server.Close()
		}
	}
	l.pairs, l.gone = nil, append(l.gone, l.pairs...)
}

// wait waits until nothing is in transit on connections that were cut.
func (l *flakyLine) wait() {
	l.mu.Lock()
	gone := l.gone
	l.gone = nil
	l.mu.Unlock()
	for _, p := range gone {
		p.forwarding.Wait()
		_ = p.server.Close()
	}
}

// Wherever the connection breaks during a write, the write is made at most once,
// and if it was acknowledged, it was made.
func TestAWriteIsNeverDoubledWhereverItsConnectionBreaks(t *testing.T) {
	address, err := url.Parse(postgrestest.URL(t))
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
	s := openTest(t, postgrestest.URL(t)+"&pool_max_conns=1", Options{BusyTimeout: time.Second}) // opening must fit in it, too
	conn, err := s.pool.(*postgresPool).Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
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
	missing, err := url.Parse(postgrestest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	missing.Path = "/nodb"
	for address, says := range map[string]string{
		"postgres://app:secret@127.0.0.1:1/d":                    "nothing listens at 127.0.0.1:1",
		"postgres://app:secret@no.such.host.invalid/d":           "no.such.host.invalid, is not known",
		"postgres://app:secret@" + silent.Addr().String() + "/d": "does not answer",
		missing.String(): `has no database "nodb"; create it first`,
	} {
		_, err := Open(t.Context(), address, Options{BusyTimeout: 300 * time.Millisecond})
		if !errors.Is(err, assistants.ErrDatabaseUnavailable) || errors.Is(err, context.DeadlineExceeded) ||
			!strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", says, err)
		}
	}
}

// Two processes take the same name at the same moment. One succeeds, and the
// other gets the same message as a later one would.
func TestConflictsBetweenProcessesHaveTheUsualMessage(t *testing.T) {
	address := postgrestest.URL(t)
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
