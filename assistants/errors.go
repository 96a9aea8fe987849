package assistants

import (
	"errors"
	"fmt"
)

// Kinds of failure. Adapters wrap them with %w at their edge, from typed
// errors of their libraries, never from texts; proxy/apierr maps them to HTTP.
var (
	// ErrInvalid: the input breaks a rule; see [FieldError] for which.
	ErrInvalid = errors.New("invalid")
	// ErrUnauthorized: no valid key.
	ErrUnauthorized = errors.New("unauthorized")
	// ErrForbidden: a valid key that lacks the scope.
	ErrForbidden = errors.New("forbidden")
	// ErrAmbiguous: a request carries credentials that contradict each other.
	ErrAmbiguous = errors.New("ambiguous credentials")
	// ErrNotFound: absent, or not visible to the caller.
	ErrNotFound = errors.New("not found")
	// ErrConflict: a unique name or content is taken, or a row changed meanwhile.
	ErrConflict = errors.New("conflict")
	// ErrSameBytes: a collection has a document with the same bytes. It comes with
	// ErrConflict.
	ErrSameBytes = errors.New("the same bytes")
	// ErrStale: the caller's copy is not the stored state any more.
	ErrStale = errors.New("stale")
	// ErrTooLarge: the input exceeds a limit.
	ErrTooLarge = errors.New("too large")
	// ErrUnavailable: a store or service cannot answer now; trying again may help.
	ErrUnavailable = errors.New("unavailable")
	// ErrDatabaseUnavailable is ErrUnavailable because the database cannot answer.
	ErrDatabaseUnavailable = fmt.Errorf("database %w", ErrUnavailable)
	// ErrOutcomeUnknown is ErrDatabaseUnavailable after a change whose outcome is
	// unknown: it may have been made, or may still be.
	ErrOutcomeUnknown = fmt.Errorf("outcome unknown, %w", ErrDatabaseUnavailable)
	// ErrQueueFull is ErrUnavailable because too many documents wait for ingestion.
	ErrQueueFull = fmt.Errorf("too many documents are waiting, %w", ErrUnavailable)
	// ErrNoEmbedder is ErrUnavailable because no embedder is configured.
	ErrNoEmbedder = fmt.Errorf("no embedder, %w", ErrUnavailable)
	// ErrSpaceMismatch: vectors of different spaces cannot be compared.
	ErrSpaceMismatch = fmt.Errorf("embedding space mismatch, %w", ErrConflict)
	// ErrWrongType: a value of another JSON type than a list of strings.
	ErrWrongType = fmt.Errorf("wrong type, %w", ErrInvalid)
	// ErrNotBuilt: a valid value that this version does not support yet.
	ErrNotBuilt = errors.New("not available")
	// ErrUnsupportedMedia: content that no reader of documents supports.
	ErrUnsupportedMedia = errors.New("unsupported media type")
	// ErrEmptyFile: a file of zero bytes.
	ErrEmptyFile = errors.New("empty file")
)

// FieldError says which field of an input is wrong and what would be right.
// Field is the JSON path of the field ("settings.temperature"); Message is one
// sentence for a person. Kind is [ErrInvalid] when nil.
type FieldError struct {
	Field   string
	Message string
	Kind    error
}

func (e *FieldError) Error() string {
	if e.Field == "" {
		return e.Message
	}
	return e.Field + ": " + e.Message
}

// Unwrap returns the kind of the error.
func (e *FieldError) Unwrap() error {
	if e.Kind == nil {
		return ErrInvalid
	}
	return e.Kind
}

func clip(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return s
}
