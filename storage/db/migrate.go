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
)

// migrationWait is how long a start waits for another process to migrate the
// same database.
const migrationWait = time.Minute

// lastSingleStep is the newest schema version of unreleased programs, whose
// migrations had one statement each and the numbers 1 to 53. 00001_schema.sql makes
// the same schema, so such a database is adopted. Delete this when no such database
// is left, and before a migration gets this number.
const lastSingleStep = 53

// A Migration is a file of the schema and when it was applied.
type Migration struct {
	Name      string    // file name, "00001_schema.sql"
	AppliedAt time.Time // zero: pending
}

// SchemaError reports that a database has a schema that this program cannot
// bring to the version it knows.
type SchemaError struct {
	Have  int64 // version of the database's schema
	Known int64 // newest version this program knows
}

func (e *SchemaError) Error() string {
	if e.Have < lastSingleStep {
		return fmt.Sprintf("the database was made by an unreleased program and its schema is incomplete (step %d of %d): "+
			"start the last program of that kind once, or use an empty database", e.Have, lastSingleStep)
	}
	return fmt.Sprintf("the database has schema version %d, this program knows versions up to %d: "+
		"run the newer program, or restore a backup made before it was first started", e.Have, e.Known)
}

// Migrate brings the schema to the version this program knows and returns the
// names of the files it applied; none if the schema was up to date. Programs
// that start at the same time wait for each other. Each file is applied in one
// transaction, so an interrupted one has no effect and the next start applies
// it. MySQL has no transactions for this; there the next start goes on with the file. The error is a [*SchemaError] when the schema is newer than the program.
func (s *Store) Migrate(ctx context.Context) (applied []string, err error) {
	pool, release, err := s.backend.lockMigrations(ctx)
	if err != nil {
		return nil, s.wrap(ctx, "wait for another migration", err)
	}
	defer func() { err = errors.Join(err, s.wrap(ctx, "end the migration", release())) }()
	p, err := s.migrator(pool)
	if err != nil {
		return nil, err
	}
	if _, err := s.schemaVersion(ctx, pool, p); err != nil {
		return nil, err
	}
	if s.backend.dialect.unreleased {
		if err := adoptSingleSteps(ctx, pool); err != nil {
			return nil, s.wrap(ctx, "adopt the schema", err)
		}
	}
	results, err := p.Up(ctx)
	for _, r := range results {
		applied = append(applied, path.Base(r.Source.Path))
	}
	if err != nil {
		return applied, s.wrap(ctx, "migrate", explainPermission(err))
	}
	if err := s.fillNames(ctx, pool); err != nil {
		return applied, s.wrap(ctx, "fill in names", err)
	}
	return applied, nil
}

// adoptSingleSteps deletes the version records of unreleased programs except
// that of version 1, which then stands for 00001_schema.sql.
func adoptSingleSteps(ctx context.Context, pool *sql.DB) error {
	_, err := pool.ExecContext(ctx, "DELETE FROM goose_db_version WHERE version_id > 1"+
		" AND EXISTS (SELECT 1 FROM goose_db_version WHERE version_id = $1)", lastSingleStep)
	return err
}

// MigrationStatus lists every migration this program knows, oldest first, and
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
	if _, err := s.schemaVersion(ctx, pool, p); err != nil {
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

// SchemaVersion returns the version of the database's schema, 0 when it has
// none yet. The error is a [*SchemaError] when it is newer than the program.
func (s *Store) SchemaVersion(ctx context.Context) (int64, error) {
	pool, err := s.pool.GetDBConn()
	if err != nil {
		return 0, s.wrap(ctx, "schema version", err)
	}
	p, err := s.migrator(pool)
	if err != nil {
		return 0, err
	}
	return s.schemaVersion(ctx, pool, p)
}

func (s *Store) migrator(pool *sql.DB) (*goose.Provider, error) {
	files, err := fs.Sub(s.migrations, s.backend.name)
	if err != nil {
		return nil, fmt.Errorf("db: migrations: %w", err)
	}
	p, err := goose.NewProvider(s.backend.dialect.versions, pool, files, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return nil, fmt.Errorf("db: migrations: %w", err)
	}
	return p, nil
}

// explainPermission says what to do when the database's user may not make tables.
func explainPermission(err error) error {
	if code, _ := sqlState(err); code == "42501" {
		return errors.New("the database's user may not make tables: grant it CREATE and USAGE on the schema")
	}
	if code, _ := mysqlCode(err); code == mysqlNoRight {
		return errors.New("the database's user may not make tables: grant it all privileges on the database")
	}
	if number, _ := sqlserverNumber(err); number == sqlserverNoRight {
		return errors.New("the database's user may not make tables: add it to db_owner, or grant it CREATE TABLE and ALTER on the schema")
	}
	return err
}

func (s *Store) schemaVersion(ctx context.Context, pool *sql.DB, p *goose.Provider) (int64, error) {
	if s.backend.own != nil {
		if err := s.backend.own(ctx, pool); err != nil {
			return 0, s.wrap(ctx, "schema version", err)
		}
	}
	have, known, err := p.GetVersions(ctx)
	if err != nil {
		return 0, s.wrap(ctx, "schema version", explainPermission(err))
	}
	if have == lastSingleStep {
		return 1, nil // see adoptSingleSteps
	}
	if have > known {
		return 0, &SchemaError{Have: have, Known: known}
	}
	return have, nil
}
