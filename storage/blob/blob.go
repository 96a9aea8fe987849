// Package blob keeps the bytes of documents under keys of the form "tenant/name", on
// the local disk ([Disk]) or on S3 ([S3]).
//
// It obeys these rules. A blob for which Put returned nil survives a power failure.
// A partly written blob is never visible. Keys are checked, and user input never
// becomes a path. Errors are of the kinds of package assistants, except those of the
// reader given to Put, which are returned unchanged. It imports assistants only.
package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"footnote/assistants"
)

// A File is stored bytes opened for reading. Seeking serves byte ranges.
type File = io.ReadSeekCloser

// maxSegment is the longest half of a key, in bytes.
const maxSegment = 64

// CheckKey returns an [assistants.FieldError] unless the key is "tenant/name", each
// of 1 to 64 ASCII letters, digits, '_' and '-'.
func CheckKey(key string) error {
	tenant, name, ok := strings.Cut(key, "/")
	if !ok || !validSegment(tenant) || !validSegment(name) {
		return &assistants.FieldError{Field: "blob_key", Message: "A blob key is tenant/name, each of 1 to 64 letters, digits, '_' and '-'."}
	}
	return nil
}

func validSegment(segment string) bool {
	for i := 0; i < len(segment); i++ {
		c := segment[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' && c != '-' {
			return false
		}
	}
	return segment != "" && len(segment) <= maxSegment
}

// wrap translates an error of the file system into the kinds of package assistants.
func wrap(ctx context.Context, op string, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("blob: %s: %w", op, ctx.Err())
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("blob: %s: %w", op, assistants.ErrNotFound)
	default:
		// No space, no permission, no file descriptors, a broken disk: the
		// caller did nothing wrong and may try again.
		return fmt.Errorf("blob: %s: %w: %w", op, assistants.ErrUnavailable, err)
	}
}

// wrapWrite is wrap for writes. If the directory does not exist, the store has
// failed; ErrNotFound would say that a blob is missing.
func wrapWrite(ctx context.Context, op string, err error) error {
	if errors.Is(err, fs.ErrNotExist) && ctx.Err() == nil {
		return fmt.Errorf("blob: %s: %w: %w", op, assistants.ErrUnavailable, err)
	}
	return wrap(ctx, op, err)
}
