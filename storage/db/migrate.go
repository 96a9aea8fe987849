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
	pool, release, err := s.backend.takeMigrations(ctx)
	if err != nil {
		return nil, s.wrap(ctx, "wait for another migration", err)
	}
	defer func() { err = errors.Join(err, s.wrap(ctx, "end the migration", release())) }()
	p, err := s.migrator(pool)
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
		return applied, s.wrap(ctx, "migrate", mayNotMake(err))
	}
	return applied, nil
}

// MigrationStatus lists every step this program knows, oldest first, and
// whether it was applied. The error is a [*SchemaError] when the schema is
// newer than the program.
func (s *Store) MigrationStatus(ctx context.Context) ([]Migration, error) {
	pool, err := s.pool.GetDBConn()
	if err != nil {
		return nil, s.wrap(ctx, "migration status", err)
	}
	p, err := s.migrator(pool)
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

func (s *Store) migrator(pool *sql.DB) (*goose.Provider, error) {
	files, err := fs.Sub(migrations.Files, s.backend.name)
	if err != nil {
		return nil, fmt.Errorf("db: migrations: %w", err)
	}
	p, err := goose.NewProvider(s.backend.dialect, pool, files, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return nil, fmt.Errorf("db: migrations: %w", err)
	}
	return p, nil
}

// mayNotMake says what to do when the database's user has no right to the schema.
func mayNotMake(err error) error {
	if code, _ := sqlState(err); code == "42501" {
		return errors.New("the database's user may not make tables: grant it CREATE and USAGE on the schema")
	}
	return err
}

func (s *Store) refuseNewer(ctx context.Context, p *goose.Provider) error {
	have, known, err := p.GetVersions(ctx)
	if err != nil {
		return s.wrap(ctx, "schema version", mayNotMake(err))
	}
	if have > known {
		return &SchemaError{Have: have, Known: known}
	}
	return nil
}
