package apierr

import (
	"fmt"
	"net/http"
	"time"
	"unicode"

	"footnote/assistants"
	"footnote/proxy/upstream"
)

// Types of errors, in OpenAI's spelling where it has one.
const (
	TypeInvalidRequest = "invalid_request_error"
	TypePermission     = "permission_error"
	TypeRateLimit      = "rate_limit_error"
	TypeQuota          = "insufficient_quota"
	TypeServer         = "server_error"
	TypeUpstream       = "upstream_error"
)

// Codes of errors that this package or its users name. They are part of the
// public API.
const (
	CodeInvalidJSON          = "invalid_json"
	CodeDuplicateKey         = "duplicate_key"
	CodeMissingParameter     = "missing_required_parameter"
	CodeInvalidType          = "invalid_type"
	CodeInvalidValue         = "invalid_value"
	CodeUnsupportedParameter = "unsupported_parameter"
	CodeNotAvailable         = "not_available"
	CodeURLNotAllowed        = "url_not_allowed"
	CodeAmbiguousCredentials = "ambiguous_credentials"
	CodeInvalidAPIKey        = "invalid_api_key"
	CodePermissionDenied     = "permission_denied"
	CodeModelNotFound        = "model_not_found"
	CodeNotFound             = "not_found"
	CodeMethodNotAllowed     = "method_not_allowed"
	CodeUnsupportedMedia     = "unsupported_media_type"
	CodeConflict             = "conflict"
	CodePreconditionFailed   = "precondition_failed"
	CodeEmptyFile            = "empty_file"
	CodeIdempotencyProgress  = "idempotency_in_progress"
	CodeIdempotencyMismatch  = "idempotency_mismatch"
	CodeRequestTooLarge      = "request_too_large"
	CodeRequestTimeout       = "request_timeout"
	CodeHeadersTooLarge      = "headers_too_large"
	CodeRateLimited          = "rate_limit_exceeded"
	CodeConcurrencyLimit     = "concurrency_limit_exceeded"
	CodeQuota                = "insufficient_quota"
	CodeInternal             = "internal_error"
	CodeStorageUnavailable   = "storage_unavailable"
	CodeDatabaseUnavailable  = "database_unavailable"
	CodeRetrievalUnavailable = "retrieval_unavailable"
	CodeCitationMapping      = "citation_mapping_error"
	CodeNoCitations          = "no_citations"
	CodeUnknownDocument      = "unknown_document"
	CodeUpstreamModelMissing = "upstream_model_missing"
	CodeEmbedderUnavailable  = assistants.CodeEmbedderUnavailable
	CodeSpaceMismatch        = assistants.CodeSpaceMismatch
	CodeUpstreamTimeout      = "upstream_timeout"
	CodeUpstreamUnavailable  = upstream.CodeUnavailable
	CodeOverloaded           = "overloaded"
	CodeStarting             = "starting"
	CodeDraining             = "draining"
	CodeShuttingDown         = "server_shutting_down"
	CodeStreamTooLong        = "stream_too_long"
	CodeClientClosed         = "client_closed"
)

// StatusClientClosed is the status under which a request whose client went
// away is counted. It is never sent.
const StatusClientClosed = 499

// An Error is an error as a client sees it, except for Cause, which only the
// log sees.
type Error struct {
	Status  int
	Type    string // derived from Status when empty
	Code    string
	Param   string // JSON path of the input at fault, "" for none
	Message string // for a person; must not hold internal text
	// RetryAfter is sent with 429 and 503, where zero means one second, and
	// with any other status unless it is zero.
	RetryAfter time.Duration
	// Permanent says that the same request will fail again, so that clients
	// that retry 409 and 5xx by default do not.
	Permanent bool
	Cause     error
}

// Error returns the code, the message and the cause, for logs.
func (e *Error) Error() string {
	if e.Cause != nil {
		return fmt.Sprintf("%s: %s: %v", e.Code, e.Message, e.Cause)
	}
	return e.Code + ": " + e.Message
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// New returns an error with the given status, code and message.
func New(status int, code, message string) *Error {
	return &Error{Status: status, Code: code, Message: message}
}

// bad is an input error about param.
func bad(code, param, message string) *Error {
	return &Error{Status: http.StatusBadRequest, Code: code, Param: param, Message: message}
}

// InvalidJSON says that a body is not one JSON value of the expected kind.
func InvalidJSON(message string) *Error { return bad(CodeInvalidJSON, "", message) }

// Missing says that a required parameter is absent.
func Missing(param string) *Error {
	return bad(CodeMissingParameter, param, fmt.Sprintf("Missing required parameter: %s.", param))
}

// InvalidType says that a parameter has a value of the wrong JSON type.
func InvalidType(param, message string) *Error { return bad(CodeInvalidType, param, message) }

// Invalid says that a parameter has a value out of its range.
func Invalid(param, message string) *Error { return bad(CodeInvalidValue, param, message) }

// Duplicate says that an object names a key twice.
func Duplicate(param string) *Error {
	return bad(CodeDuplicateKey, clip(param), fmt.Sprintf("The key %q appears more than once.", clip(param)))
}

// Unsupported says that a parameter is not known here.
func Unsupported(param string) *Error {
	return bad(CodeUnsupportedParameter, clip(param), fmt.Sprintf("Unknown parameter: %q.", clip(param)))
}

// NotAvailable says that a parameter is known but its effect is not part of this version.
func NotAvailable(param string) *Error {
	return bad(CodeNotAvailable, param, fmt.Sprintf("%s is not available in this version.", param))
}

// NotFound says that something does not exist or may not be seen by the
// caller. It is the same for both, and for every kind of thing.
func NotFound() *Error { return New(http.StatusNotFound, CodeNotFound, notFoundMessage) }

const notFoundMessage = "There is nothing here, or you do not have access to it."

// ModelNotFound says that a model, or the assistant it names, does not exist or
// may not be seen by the caller. It depends on nothing but the name asked for.
func ModelNotFound(model string) *Error {
	return &Error{
		Status: http.StatusNotFound, Code: CodeModelNotFound, Param: "model",
		Message: fmt.Sprintf("The model %q does not exist or you do not have access to it.", clip(model)),
	}
}

// AssistantNotFound is ModelNotFound for an assistant that a path or header names.
func AssistantNotFound(name string) *Error {
	e := ModelNotFound(name)
	e.Message = fmt.Sprintf("The assistant %q does not exist or you do not have access to it.", clip(name))
	return e
}

// Conflict says that a value of param is taken.
func Conflict(param, message string) *Error {
	return &Error{Status: http.StatusConflict, Code: CodeConflict, Param: param, Message: message, Permanent: true}
}

// UnsupportedMedia says that a body has a content type that is not read here.
func UnsupportedMedia(message string) *Error {
	return New(http.StatusUnsupportedMediaType, CodeUnsupportedMedia, message)
}

// TooLarge says that a body or a part of it exceeds limit bytes.
func TooLarge(limit int64) *Error {
	return New(http.StatusRequestEntityTooLarge, CodeRequestTooLarge,
		fmt.Sprintf("The request is larger than the limit of %d bytes.", limit))
}

// RateLimited says that the caller has to wait.
func RateLimited(retryAfter time.Duration) *Error {
	return &Error{
		Status: http.StatusTooManyRequests, Code: CodeRateLimited,
		Message: "Too many requests; slow down.", RetryAfter: retryAfter,
	}
}

// TooManyStreams says that the caller's key has as many open streams as it may have.
func TooManyStreams() *Error {
	return &Error{
		Status: http.StatusTooManyRequests, Code: CodeConcurrencyLimit,
		Message: "This key has too many open streams; close one first.", RetryAfter: 5 * time.Second,
	}
}

// Internal is a failure of this server. It gives no details to the client.
func Internal() *Error {
	return New(http.StatusInternalServerError, CodeInternal, "An internal error occurred; the request id finds it in the server's log.")
}

// unavailable is a 503 that may pass.
func unavailable(code, message string) *Error {
	return New(http.StatusServiceUnavailable, code, message)
}

// Overloaded says that the server has all the work it can hold.
func Overloaded() *Error {
	return unavailable(CodeOverloaded, "The server is busy; try again.")
}

// Draining says that the server is about to stop.
func Draining() *Error {
	return unavailable(CodeDraining, "The server is shutting down; try again.")
}

// Starting says what the server still does before it is ready.
func Starting(what string) *Error {
	return unavailable(CodeStarting, "The server is starting: "+what)
}

// ShuttingDown ends a stream that outlives the drain.
func ShuttingDown() *Error {
	return unavailable(CodeShuttingDown, "The server shut down before the answer was complete; try again.")
}

// RetrievalUnavailable says that no sources could be looked up.
func RetrievalUnavailable() *Error {
	return unavailable(CodeRetrievalUnavailable, "The documents cannot be searched now; try again.")
}

// CitationMapping refuses an answer with markers that no source has, of which
// one is shown. Another answer may do better, so it may be asked for again.
func CitationMapping(number, sources int) *Error {
	return New(http.StatusBadGateway, CodeCitationMapping,
		fmt.Sprintf("The model's answer cites source %d, and it was given %d.", number, sources))
}

// NoCitations refuses an answer that cites none of the sources it was given.
func NoCitations() *Error {
	return New(http.StatusBadGateway, CodeNoCitations, "The model's answer cites none of the sources it was given.")
}

// UnknownDocument says that a passage was found whose document has no name,
// where the assistant does not accept that.
func UnknownDocument() *Error {
	e := New(http.StatusInternalServerError, CodeUnknownDocument, "A passage was found whose document is not known by name, and this assistant's unknown_document_policy is error.")
	e.Permanent = true
	return e
}

// UpstreamModelMissing says that no model is configured.
func UpstreamModelMissing() *Error {
	e := unavailable(CodeUpstreamModelMissing,
		"No model is configured; set FOOTNOTE_UPSTREAM_MODEL, the upstream's default_model, or the assistant's model setting.")
	e.Permanent = true
	return e
}

// UpstreamMissing says that an assistant names an upstream that is not
// configured. The name is for the log only.
func UpstreamMissing(name string) *Error {
	e := unavailable(CodeUpstreamUnavailable, "The upstream that this assistant names is not configured.")
	e.Permanent, e.Cause = true, fmt.Errorf("no upstream %q", name)
	return e
}

// StreamTooLong ends a stream that exceeds what is relayed.
func StreamTooLong() *Error {
	return &Error{
		Status: http.StatusBadGateway, Code: CodeStreamTooLong, Permanent: true,
		Message: "The upstream's answer is longer than this server relays.",
	}
}

// clip makes a name that a client sent fit to be repeated: short, printable.
func clip(s string) string {
	const most = 64
	out := make([]rune, 0, most)
	for _, r := range s {
		if len(out) == most {
			return string(out) + "…"
		}
		if !unicode.IsPrint(r) {
			r = unicode.ReplacementChar
		}
		out = append(out, r)
	}
	return string(out)
}
