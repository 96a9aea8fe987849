package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/gorm"

	"footnote/assistants"
)

// wrap translates an error into the kinds of package assistants. The driver's
// text stays in it for the log.
func (s *Store) wrap(ctx context.Context, op string, err error) error {
	switch {
	case err == nil:
		return nil
	case isDomain(err):
		return fmt.Errorf("db: %s: %w", op, err)
	case ctx.Err() != nil:
		// Drivers have their own errors for an ended context.
		return fmt.Errorf("db: %s: %w", op, ctx.Err())
	case errors.Is(err, mysql.ErrPktTooLarge):
		return fmt.Errorf("db: %s: %w: raise the server's max_allowed_packet: %w", op, assistants.ErrTooLarge, err)
	case errors.Is(err, gorm.ErrRecordNotFound):
		return fmt.Errorf("db: %s: %w", op, assistants.ErrNotFound)
	case errors.Is(err, gorm.ErrDuplicatedKey):
		if refusal := refusals[s.backend.constraint(err)]; refusal != nil {
			return fmt.Errorf("db: %s: %w", op, refusal)
		}
		return fmt.Errorf("db: %s: %w: %w", op, assistants.ErrConflict, err)
	case s.closed.Load(), errors.Is(err, sql.ErrConnDone), errors.Is(err, driver.ErrBadConn), s.backend.unavailable(err):
		return fmt.Errorf("db: %s: %w: %w", op, assistants.ErrDatabaseUnavailable, withoutContext(err))
	default:
		return fmt.Errorf("db: %s: %w", op, err)
	}
}

// isDomain reports whether err already has a kind that callers know.
func isDomain(err error) bool {
	for _, kind := range []error{
		assistants.ErrInvalid, assistants.ErrNotFound, assistants.ErrConflict,
		assistants.ErrStale, assistants.ErrTooLarge, assistants.ErrUnavailable,
	} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}

func conflictError(field, message string) error {
	return &assistants.FieldError{Field: field, Message: message, Kind: assistants.ErrConflict}
}

// Conflicts with messages for clients, whether they were found by a query or by
// a unique index.
var (
	errSlugTaken    = conflictError("slug", "Another assistant has this slug.")
	errSourceTaken  = conflictError("source_path", "The collection already has a document from this path.")
	errContentTaken = conflictError("file", "Another document of the collection has the same content.")
)

// refusals maps unique indexes to the errors of violating them.
var refusals = map[string]error{
	"assistants_slug_key":   errSlugTaken,
	"documents_source_key":  errSourceTaken,
	"documents_content_key": errContentTaken,
}

// checkText refuses what not every database can store as text: NUL and invalid
// UTF-8. PostgreSQL refuses both; SQLite would truncate or keep them.
func checkText(field string, values ...string) error {
	for _, v := range values {
		if strings.IndexByte(v, 0) >= 0 || !utf8.ValidString(v) {
			return &assistants.FieldError{Field: field, Message: field + " must be text in UTF-8 without NUL."}
		}
	}
	return nil
}

// checkSettings applies checkText to every text of the settings.
func checkSettings(s assistants.Settings) error {
	v := reflect.ValueOf(s)
	for i := range v.NumField() {
		f := v.Field(i)
		if f.Kind() == reflect.Pointer && !f.IsNil() {
			f = f.Elem()
		}
		if f.Kind() != reflect.String {
			continue // lists and filters are stored as JSON, which escapes
		}
		if err := checkText("settings."+v.Type().Field(i).Tag.Get("json"), f.String()); err != nil {
			return err
		}
	}
	return nil
}

func checkAssistant(a assistants.Assistant) error {
	if err := checkText("slug", a.Slug); err != nil {
		return err
	}
	if err := checkText("name", a.Name); err != nil {
		return err
	}
	return checkSettings(a.Settings)
}

func checkDocument(d assistants.Document) error {
	if err := checkText("name", d.Name); err != nil {
		return err
	}
	if err := checkText("source_path", d.SourcePath); err != nil {
		return err
	}
	if err := checkText("labels", d.Labels...); err != nil {
		return err
	}
	for k, v := range d.Tags {
		if err := checkText("tags", k, v); err != nil {
			return err
		}
	}
	return nil
}

func checkVersion(v assistants.Version) error {
	if v.BlobKey == "" {
		return &assistants.FieldError{Field: "blob_key", Message: "A version needs the key of its bytes."}
	}
	if v.SHA256 == "" {
		return &assistants.FieldError{Field: "sha256", Message: "A version needs the hash of its bytes."}
	}
	return checkText("content_type", v.ContentType, v.BlobKey, v.SHA256)
}

// sqlState returns the code of an error that the server reported.
func sqlState(err error) (code string, ok bool) {
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		return "", false
	}
	return e.Code, true
}
