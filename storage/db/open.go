package db

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"footnote/assistants"
	"footnote/migrations"
)

// slowStatement is how long a statement may take before it is logged.
const slowStatement = time.Second

// Open connects to the database of rawURL: "sqlite:PATH", "sqlite::memory:",
// "postgres://user:password@host:port/name", "mysql://user:password@host:port/name",
// which is for MariaDB as well, or "sqlserver://user:password@host:port/name". It returns an
// [assistants.FieldError] for a URL it does not understand, and an error
// wrapping ErrUnavailable when the database cannot be opened.
func Open(ctx context.Context, rawURL string, opts Options) (*Store, error) {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.BusyTimeout <= 0 {
		opts.BusyTimeout = 5 * time.Second
	}
	seals, err := newSealer(opts.SecretKey)
	if err != nil {
		return nil, fmt.Errorf("db: open: %w", err)
	}
	b, err := openBackend(rawURL, opts)
	if err != nil {
		return nil, err
	}
	s := &Store{pool: b.pool, backend: b, now: opts.Now, sealer: seals, wait: 2 * opts.BusyTimeout, migrations: migrations.Files, changed: opts.Changed}
	if b.single {
		s.writing = make(chan struct{}, 1)
	}
	s.inLog.Store(true) // a server that was killed may have left text in it
	log := logger.Discard
	if opts.Logger != nil {
		log = statementLog{logger.NewSlogLogger(opts.Logger, logger.Config{
			SlowThreshold:             slowStatement,
			LogLevel:                  logger.Warn,
			IgnoreRecordNotFoundError: true,
			ParameterizedQueries:      true,
		}), opts.Logger}
	}
	if err := s.connect(ctx, opts.BusyTimeout); err != nil {
		if b.unreachable != nil && ctx.Err() == nil {
			err = b.unreachable(err)
		}
		return nil, s.wrap(ctx, "open", errors.Join(err, b.pool.Close()))
	}
	s.gorm, err = gorm.Open(b.dialector, &gorm.Config{
		Logger:                 log,
		NowFunc:                s.stamp,
		TranslateError:         true,
		SkipDefaultTransaction: true,
		DisableAutomaticPing:   true,
		// Never write associations implicitly.
		FullSaveAssociations: false,
	})
	if err != nil {
		return nil, s.wrap(ctx, "open", errors.Join(err, b.pool.Close()))
	}
	return s, nil
}

// CheckURL reports what is wrong with a database's URL, as a FieldError,
// without connecting to it.
func CheckURL(rawURL string) error {
	scheme, _, ok := strings.Cut(rawURL, ":")
	switch {
	case ok && scheme == "sqlite":
		return nil
	case ok && (scheme == "postgres" || scheme == "postgresql"):
		_, err := postgresConfig(rawURL)
		return err
	case ok && scheme == "mysql":
		_, err := parseMySQL(rawURL)
		return err
	case ok && scheme == "sqlserver":
		_, err := parseSQLServer(rawURL)
		return err
	default:
		return unknownDatabase(scheme, ok)
	}
}

// hasStrayAt reports whether a URL has an @ behind its host. Then the host is a part of a
// password whose special characters are not percent-encoded, and must not be looked up.
func hasStrayAt(rawURL string) bool {
	_, rest, _ := strings.Cut(rawURL, "://")
	host := strings.IndexAny(rest, "/?#")
	return host >= 0 && strings.Contains(rest[host:], "@")
}

const useDatabase = "use sqlite:PATH, postgres://user:password@host:5432/name, mysql://user:password@host:3306/name or sqlserver://user:password@host:1433/name."

func unknownDatabase(scheme string, named bool) error {
	if !named {
		return &assistants.FieldError{Field: "database_url",
			Message: "The database URL has no scheme; " + useDatabase}
	}
	// Repeat only the scheme, because the rest may contain a password.
	return &assistants.FieldError{Field: "database_url",
		Message: fmt.Sprintf("Databases of the kind %q are not supported by this version; ", url.PathEscape(scheme)) + useDatabase}
}

func openBackend(rawURL string, opts Options) (backend, error) {
	scheme, rest, ok := strings.Cut(rawURL, ":")
	switch {
	case ok && scheme == "sqlite":
		return openSQLite(rest, opts)
	case ok && (scheme == "postgres" || scheme == "postgresql"):
		return openPostgres(rawURL, opts)
	case ok && scheme == "mysql":
		return openMySQL(rawURL, opts)
	case ok && scheme == "sqlserver":
		return openSQLServer(rawURL, opts)
	default:
		return backend{}, unknownDatabase(scheme, ok)
	}
}

// connect makes the first connection. Changing the journal of a new file, or
// recovering it after a kill, needs a lock that SQLite does not wait for, so
// connect tries again while another process has it. Only errors of SQLite are
// tried again.
func (s *Store) connect(ctx context.Context, wait time.Duration) error {
	const pause = 10 * time.Millisecond
	for tries := wait / pause; ; tries-- {
		err := s.pool.PingContext(ctx)
		if err == nil || tries <= 0 || !sqliteContended(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}
