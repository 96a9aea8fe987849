package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"time"

	"github.com/pressly/goose/v3"

	"footnote/migrations"
)

// migrationWait is how long a start waits for another that migrates the same database.
const migrationWait = time.Minute

// A Migration is a step of the schema and when it was applied.
type Migration struct {
	Name      string    // file name, "00001_assistants.sql"
	AppliedAt time.Time // zero: pending
}

// SchemaError says that a database was migrated by a newer version of the
// program than this one, which therefore must not touch it.
type SchemaError struct {
	Have  int64 // version of the database's schema
	Known int64 // newest version this program knows
}

func (e *SchemaError) Error() string {
	return fmt.Sprintf("the database has schema version %d, this program knows versions up to %d: "+
		"run the newer program, or restore a backup made before it was first started", e.Have, e.Known)
}

// Migrate brings the schema to the version this program knows and returns the
// names of the steps it applied, none when there was nothing to do. Programs
// that start at the same time wait for each other. A step that was interrupted
// is undone by the database and applied by the next start. The error is a
// [*SchemaError] when the schema is newer than the program.
func (s *Store) Migrate(ctx context.Context) (applied []string, err error) {
	unlock, err := s.lockMigrations(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	p, err := s.migrator()
	if err != nil {
		return nil, err
	}
	if err := s.refuseNewer(ctx, p); err != nil {
		return nil, err
	}
	results, err := p.Up(ctx)
	for _, r := range results {
		applied = append(applied, path.Base(r.Source.Path))
	}
	if err != nil {
		return applied, s.wrap(ctx, "migrate", err)
	}
	return applied, nil
}

// MigrationStatus lists every step this program knows, oldest first, and
// whether it was applied. The error is a [*SchemaError] when the schema is
// newer than the program.
func (s *Store) MigrationStatus(ctx context.Context) ([]Migration, error) {
	p, err := s.migrator()
	if err != nil {
		return nil, err
	}
	if err := s.refuseNewer(ctx, p); err != nil {
		return nil, err
	}
	states, err := p.Status(ctx)
	if err != nil {
		return nil, s.wrap(ctx, "migration status", err)
	}
	out := make([]Migration, len(states))
	for i, st := range states {
		out[i] = Migration{Name: path.Base(st.Source.Path)}
		if st.State == goose.StateApplied {
			out[i].AppliedAt = st.AppliedAt.UTC()
		}
	}
	return out, nil
}

func (s *Store) migrator() (*goose.Provider, error) {
	files, err := fs.Sub(migrations.Files, s.backend.name)
	if err != nil {
		return nil, fmt.Errorf("db: migrations: %w", err)
	}
	p, err := goose.NewProvider(goose.DialectSQLite3, s.pool.DB, files, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return nil, fmt.Errorf("db: migrations: %w", err)
	}
	return p, nil
}

func (s *Store) refuseNewer(ctx context.Context, p *goose.Provider) error {
	have, known, err := p.GetVersions(ctx)
	if err != nil {
		return s.wrap(ctx, "schema version", err)
	}
	if have > known {
		return &SchemaError{Have: have, Known: known}
	}
	return nil
}

// lockMigrations keeps other starts from migrating the same database. The lock
// is a transaction on an empty database file beside the real one: the system
// takes it away when the process dies, on every system SQLite runs on. The file
// stays, because removing it would let two starts lock two different files.
func (s *Store) lockMigrations(ctx context.Context) (unlock func() error, err error) {
	if s.backend.lockPath == "" {
		return func() error { return nil }, nil
	}
	pool, err := sql.Open("sqlite", sqliteDSN(s.backend.lockPath)+"?_txlock=exclusive&_pragma=busy_timeout(100)")
	if err != nil {
		return nil, fmt.Errorf("db: lock migrations: %w", err)
	}
	// The driver does not see a context end while it waits for a lock, so it
	// waits for short times only.
	tx, err := pool.BeginTx(ctx, nil)
	for end := time.Now().Add(migrationWait); sqliteBusy(err) && ctx.Err() == nil && time.Now().Before(end); {
		tx, err = pool.BeginTx(ctx, nil)
	}
	if err != nil {
		err = s.wrap(ctx, "waiting for another migration", err)
		return nil, errors.Join(err, pool.Close())
	}
	return func() error {
		// Nothing was written, so there is nothing to commit.
		if err := errors.Join(tx.Rollback(), pool.Close()); err != nil && !errors.Is(err, sql.ErrTxDone) {
			return fmt.Errorf("db: unlock migrations: %w", err)
		}
		return nil
	}, nil
}
