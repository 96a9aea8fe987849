package db

import (
	"context"
	"errors"
	"net"
	"net/url"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/gorm"

	"footnote/assistants"
)

// untilWaiting waits until a statement waits for a lock.
func untilWaiting(t *testing.T, s *Store) {
	t.Helper()
	// InnoDB repeats what it said to a question of less than a tenth of a second ago.
	next := time.NewTicker(150 * time.Millisecond)
	defer next.Stop()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); <-next.C {
		var n int
		waiting := "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
		if s.Kind() == "mysql" {
			waiting = "SELECT COUNT(*) FROM information_schema.innodb_trx JOIN information_schema.processlist ON id = trx_mysql_thread_id WHERE db = DATABASE() AND trx_state = 'LOCK WAIT'"
		}
		err := s.gorm.Raw(waiting).Scan(&n).Error
		if err != nil {
			t.Fatal(err)
		}
		if n > 0 {
			return
		}
	}
	t.Fatal("no statement waits")
}

// Two documents are to supersede each other at once. The second waits for the first, and
// is refused.
func TestTwoDocumentsDoNotSupersedeEachOther(t *testing.T) {
	eachServer(t, func(t *testing.T, address string) {
		s := openTest(t, address, Options{})
		a, first, _ := fill(t, s, "t")
		second := first
		second.ID, second.SourcePath, second.Parent = assistants.NewDocumentID(), "", ""
		second.Version.BlobKey, second.Version.SHA256 = "default/second", "second"
		if _, _, err := s.CreateDocument(t.Context(), second); err != nil {
			t.Fatal(err)
		}
		supersede := func(by, id assistants.DocumentID, then func()) error {
			_, err := s.UpdateDocument(t.Context(), "t", by, func(d *assistants.Document) error {
				d.Supersedes = id
				then()
				return nil
			})
			return err
		}
		other, calls := make(chan error, 1), 0
		err := supersede(first.ID, second.ID, func() {
			if calls++; calls == 2 { // the collection is locked
				go func() { other <- supersede(second.ID, first.ID, func() {}) }()
				untilWaiting(t, s)
			}
		})
		if err != nil || calls != 2 {
			t.Fatalf("the first: %v after %d calls", err, calls)
		}
		if err := <-other; !errors.Is(err, assistants.ErrInvalid) {
			t.Errorf("the second: %v", err)
		}
		if d, err := s.Document(t.Context(), "t", second.ID); err != nil || d.Supersedes != "" || d.CollectionID != a.CollectionID {
			t.Errorf("it supersedes %q: %v", d.Supersedes, err)
		}
	})
}

// An ingestion stores its result while the document's assistant is deleted. The
// deletion must remove that as well.
func TestDeletingAnAssistantDuringIngestionLeavesNothing(t *testing.T) {
	eachServer(t, deletedDuringIngestionTest)
}

func deletedDuringIngestionTest(t *testing.T, address string) {
	t.Helper()
	s := openTest(t, address, Options{})
	a, d, _ := fill(t, s, "t")
	job, _, err := s.ClaimJob(t.Context(), s.now(), time.Minute, assistants.JobFilter{})
	if err := errors.Join(err, s.FinishJob(t.Context(), job)); err != nil {
		t.Fatal(err)
	}
	second := assistants.Version{DocumentID: d.ID, Number: 2, BlobKey: "default/2", SHA256: "2"}
	deleted := make(chan error, 1)
	err = s.write(t.Context(), "ingest", func(tx *gorm.DB) error {
		row, err := lockDocument(tx, "t", d.ID)
		if err != nil {
			return err
		}
		go func() { deleted <- s.DeleteAssistant(t.Context(), "t", string(a.ID)) }()
		untilWaiting(t, s)
		version := newVersionRow("t", second)
		chunk := newChunkRow("t", assistants.Chunk{ID: assistants.NewChunkID(d.ID, 2, 0), DocumentID: d.ID, Version: 2, Text: "late"})
		row.Latest, row.LatestSHA256 = 2, "2"
		return errors.Join(tx.Create(&version).Error, tx.Create(&chunk).Error, requeueLatest(tx, row, s.stamp()))
	})
	// MariaDB may find that the two wait for each other, and end one of them. When the
	// ingestion is run again then, there is no document any more.
	lost := s.Kind() == "mysql" && errors.Is(err, assistants.ErrNotFound)
	if lost {
		err = nil
	}
	if err := errors.Join(err, <-deleted); err != nil {
		t.Fatal(err)
	}
	if strays, err := s.Strays(t.Context()); err != nil || len(strays) > 0 {
		t.Errorf("left behind: %+v, %v", strays, err)
	}
	purged := map[string]bool{}
	if err := s.OpenPurges(t.Context(), func(j assistants.Job) error {
		for _, key := range j.BlobKeys {
			purged[key] = true
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if !purged["default/1"] || purged["default/2"] == lost {
		t.Errorf("purged are %v", purged)
	}
}

// An attempt is deleted, or taken over, between two statements of another
// attempt with the same key. The other one must start over and not get an error.
func TestReservingAKeySurvivesInterferingAttempts(t *testing.T) {
	eachServer(t, interferingAttemptsTest)
}

func interferingAttemptsTest(t *testing.T, address string) {
	t.Helper()
	s, other := openTest(t, address, Options{}), openUnmigrated(t, address, Options{})
	now := s.now()
	request := assistants.IdempotentRequest{TenantID: "t", Fingerprint: "f", LeaseUntil: now, CreatedAt: now, ExpiresAt: now.Add(time.Hour)}
	var meet func(*gorm.DB) error // called once, before the next query of requests
	err := s.gorm.Callback().Query().Before("gorm:query").Register("test:meet", func(tx *gorm.DB) {
		if now := meet; now != nil && tx.Statement.Table == (requestRow{}).TableName() {
			meet = nil
			_ = tx.AddError(now(tx))
		}
	})
	if err == nil {
		err = s.gorm.Callback().Update().Before("gorm:update").Register("test:meet", func(tx *gorm.DB) {
			if now := meet; now != nil {
				meet = nil
				_ = tx.AddError(now(tx))
			}
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, when := range []string{"forgotten before it is read", "forgotten before it is taken over", "taken over"} {
		r := request
		r.Key = assistants.HashIdempotencyKey(when)
		first, _, err := other.ReserveRequest(t.Context(), r, now)
		if err != nil {
			t.Fatal(err)
		}
		end := func(*gorm.DB) error { return other.ForgetRequest(t.Context(), first) }
		switch when {
		case "forgotten before it is read":
			meet = end
		case "forgotten before it is taken over":
			meet = func(*gorm.DB) error { meet = end; return nil }
		case "taken over":
			meet = func(*gorm.DB) error {
				meet = func(*gorm.DB) error {
					_, err := other.RenewRequest(t.Context(), first, now.Add(time.Minute))
					return err
				}
				return nil
			}
		}
		stored, reserved, err := s.ReserveRequest(t.Context(), r, now)
		if err != nil || reserved != (when != "taken over") || reserved && stored.Attempt != 1 {
			t.Errorf("%s: reserved %v, %+v, %v", when, reserved, stored, err)
		}
	}
}

// A server that accepts connections without answering is unavailable. The error
// must not be the end of the caller's context.
func TestAServerThatDoesNotAnswerIsUnavailable(t *testing.T) {
	t.Parallel()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close() //nolint:errcheck // nothing was said
	for _, address := range []string{"postgres://u@" + l.Addr().String() + "/d?sslmode=disable&connect_timeout=1", "mysql://u@" + l.Addr().String() + "/d?connect_timeout=1"} {
		_, err = Open(t.Context(), address, Options{BusyTimeout: time.Minute})
		if !errors.Is(err, assistants.ErrDatabaseUnavailable) || errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	}
}

// A conflict between transactions does not mean that connections are broken.
func TestATransactionThatIsRepeatedKeepsTheConnections(t *testing.T) {
	s := openTest(t, postgresURL(t), Options{})
	before := s.pool.(*postgresPool).conns.Stat().NewConnsCount()
	for _, code := range []string{"40001", "40P01"} {
		runs := 0
		err := s.write(t.Context(), "meet", func(*gorm.DB) error {
			if runs++; runs == 1 {
				return &pgconn.PgError{Code: code}
			}
			return nil
		})
		if err != nil || runs != 2 {
			t.Errorf("%s: run %d times, %v", code, runs, err)
		}
	}
	if made := s.pool.(*postgresPool).conns.Stat().NewConnsCount() - before; made != 0 {
		t.Errorf("%d new connections were made", made)
	}
}

// Ending the exclusion must not wait for a server that does not answer.
func TestTheEndOfAnExclusionNeedsNoAnswer(t *testing.T) { eachServer(t, endOfExclusionTest) }

func endOfExclusionTest(t *testing.T, database string) {
	t.Helper()
	address, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	line := newFlakyLine(t, address.Host)
	address.Host = line.listener.Addr().String()
	s := openTest(t, address.String(), Options{})
	connections := func() int {
		line.mu.Lock()
		defer line.mu.Unlock()
		return len(line.pairs)
	}
	conn, err := s.acquireExclusive(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.close()
	before := connections()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	conn.broken(ctx)
	if ctx.Err() == nil {
		t.Error("the connection broke")
	}
	if after := connections(); after != before {
		t.Errorf("%d connections were made to end it", after-before)
	}
}
