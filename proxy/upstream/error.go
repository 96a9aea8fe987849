package upstream

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Codes of errors about upstreams.
const (
	CodeConnectFailed     = "upstream_connect_failed"
	CodeTLSFailed         = "upstream_tls_failed"
	CodeTimeout           = "upstream_timeout"
	CodeFirstTokenTimeout = "upstream_first_token_timeout"
	CodeInvalidResponse   = "upstream_invalid_response"
	CodeAuthFailed        = "upstream_auth_failed"
	CodeRateLimited       = "upstream_rate_limited"
	CodeInterrupted       = "upstream_stream_interrupted"
	CodeStalled           = "upstream_stalled"
	CodeReported          = "upstream_error"
	CodeNotFound          = "upstream_not_found"
	CodeOverloaded        = "overloaded"
	CodeUnavailable       = "upstream_unavailable"
)

// An Error describes a failure of an upstream. Code, Param and Message may be shown
// to clients: they contain no host, address or key. The network library's message is
// only in the error's text and chain, for logs.
type Error struct {
	Code    string
	Param   string // the request's field that the upstream names, "" for none
	Status  int    // of the answer to the client
	Message string
	Retried bool // the call was already made twice, so clients should not repeat it
	// Permanent means that the next call will fail in the same way until the stored
	// upstream or the configuration changes.
	Permanent bool
	quoted    bool // the message is the upstream's, which may repeat what a user wrote
	err       error
}

// Error returns the code, the message unless it is the upstream's, and the cause,
// for logs.
func (e *Error) Error() string {
	if e.quoted {
		return e.Code + ": the model server reported an error, status " + strconv.Itoa(e.Status)
	}
	if e.err != nil {
		return e.Code + ": " + e.Message + ": " + e.err.Error()
	}
	return e.Code + ": " + e.Message
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.err }

// An unquotedError hides the bytes that a network library quotes: they come from the
// upstream and may contain anything, even its key.
type unquotedError struct{ error }

var quotes = regexp.MustCompile(`"(?:[^"\\]|\\.)*"?`)

// Error returns the text with every quotation left out.
func (d unquotedError) Error() string { return quotes.ReplaceAllString(d.error.Error(), `"…"`) }

// Unwrap returns the error itself.
func (d unquotedError) Unwrap() error { return d.error }

// Invalid reports an answer that is not valid. The message is one sentence for a
// person, without internal text.
func Invalid(message string) error {
	return &Error{Code: CodeInvalidResponse, Status: http.StatusBadGateway, Message: message}
}

// NotFound reports an answer 404 or 405 that a server gives for paths that it does
// not have.
func NotFound(status int) error {
	return &Error{
		Code: CodeNotFound, Status: status, Permanent: true,
		Message: fmt.Sprintf("The model server answered %d: it takes no such requests at its address. Its operator has to check the upstream's base URL; most end in /v1.", status),
	}
}

// Interrupted reports that the upstream's answer broke off. A cause that is an
// [*Error] says more and is returned unchanged.
func Interrupted(cause error) error {
	if e, ok := errors.AsType[*Error](cause); ok {
		return e
	}
	return &Error{
		Code: CodeInterrupted, Status: http.StatusBadGateway,
		Message: "The model server's answer broke off before it was complete.", err: cause,
	}
}

// Stalled reports that the upstream sent nothing for a time in the middle of a stream.
func Stalled(idle time.Duration) error {
	return &Error{
		Code: CodeStalled, Status: http.StatusGatewayTimeout,
		Message: "The model server sent nothing for " + seconds(idle) + " before its answer was complete; " + raise("idle_timeout"),
	}
}

// FirstTokenTimeout reports that the upstream sent no token of a stream within a time.
func FirstTokenTimeout(limit time.Duration) error {
	return &Error{
		Code: CodeFirstTokenTimeout, Status: http.StatusGatewayTimeout,
		Message: "The model server did not begin to answer within " + seconds(limit) + "; " + raise("first_token_timeout"),
	}
}

// tooLate reports an answer that was not complete within Timeouts.Total.
func tooLate(limit time.Duration, cause error) error {
	return &Error{
		Code: CodeTimeout, Status: http.StatusGatewayTimeout, err: cause,
		Message: "The model server's answer was not complete within " + seconds(limit) + "; ask for a stream, or " + raise("total_timeout"),
	}
}

// raise says which setting of an upstream gives a slow model server more time.
func raise(setting string) string {
	return "for a slow model server, its operator raises " + setting + " of the upstream (FOOTNOTE_UPSTREAM_" + strings.ToUpper(setting) + ")."
}

func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) + " s" }

func timedOut(cause error) error {
	return &Error{
		Code: CodeTimeout, Status: http.StatusGatewayTimeout,
		Message: "The model server did not answer in time.", err: cause,
	}
}

// Reported is a failure that an upstream reported in its body: an error event in a
// stream, or an error object under status 200. The code or the type gives its class
// (the status), in the dialects of OpenAI, Anthropic and OpenRouter. The message is
// kept without keys, hosts and addresses. A failed authentication concerns
// Footnote's key, not the client's, so its message is replaced.
func Reported(message, typ, param, code string) error {
	e := &Error{Code: CodeReported, Param: Redact(param), Status: classOf(typ, code), Message: Redact(message), quoted: true}
	if strings.TrimSpace(e.Message) == "" {
		e.Message = "The model server reported an error."
	}
	switch e.Status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired:
		return authFailed()
	case http.StatusTooManyRequests:
		e.Code = CodeRateLimited
	case http.StatusGatewayTimeout:
		e.Code = CodeTimeout
	case http.StatusServiceUnavailable:
		e.Code = CodeOverloaded
	case http.StatusBadRequest, http.StatusNotFound:
		// The client can act on these by the upstream's own code.
		if isWord(code) {
			e.Code = code
		}
	}
	return e
}

func authFailed() error {
	return &Error{
		Code: CodeAuthFailed, Status: http.StatusBadGateway,
		Message: "The model server refused this server's credentials; its operator has to check the upstream's API key.",
	}
}

// classes maps the words of upstreams for a class of failure to the matching status.
var classes = map[string]int{
	"invalid_request_error":   http.StatusBadRequest,
	"bad_request":             http.StatusBadRequest,
	"badrequesterror":         http.StatusBadRequest, // vLLM
	"context_length_exceeded": http.StatusBadRequest,
	"exceed_context_size":     http.StatusBadRequest, // llama.cpp
	"content_filter":          http.StatusBadRequest,
	"authentication_error":    http.StatusUnauthorized,
	"invalid_api_key":         http.StatusUnauthorized,
	"permission_error":        http.StatusForbidden,
	"permission_denied":       http.StatusForbidden,
	"not_found_error":         http.StatusNotFound,
	"notfounderror":           http.StatusNotFound, // vLLM
	"model_not_found":         http.StatusNotFound,
	"rate_limit_error":        http.StatusTooManyRequests,
	"rate_limit_exceeded":     http.StatusTooManyRequests,
	"insufficient_quota":      http.StatusTooManyRequests,
	"tokens":                  http.StatusTooManyRequests, // OpenAI's type when tokens per minute are used up
	"requests":                http.StatusTooManyRequests,
	"overloaded_error":        http.StatusServiceUnavailable,
	"unavailable_error":       http.StatusServiceUnavailable, // llama.cpp, while the model loads
	"service_unavailable":     http.StatusServiceUnavailable,
	"timeout_error":           http.StatusGatewayTimeout,
	"timeout":                 http.StatusGatewayTimeout,
}

// classOf returns the status for an error's code and type. The code comes first: at
// OpenAI an authentication failure has the type invalid_request_error.
func classOf(typ, code string) int {
	if n, err := strconv.Atoi(code); err == nil {
		switch {
		case n == 529: // Anthropic: overloaded
			return http.StatusServiceUnavailable
		case n == http.StatusRequestTimeout: // the upstream's: the client's request was in time
			return http.StatusGatewayTimeout
		case n >= 400 && n < 500 || n == http.StatusServiceUnavailable || n == http.StatusGatewayTimeout:
			return n
		}
	}
	for _, word := range []string{code, typ} {
		if status, ok := classes[strings.ToLower(word)]; ok {
			return status
		}
	}
	return http.StatusBadGateway
}

// isWord reports whether code is a plain code word that may be shown.
func isWord(code string) bool {
	letters := false
	for i := 0; i < len(code); i++ {
		c := code[i]
		switch {
		case c >= 'a' && c <= 'z':
			letters = true
		case c == '_' || c >= '0' && c <= '9':
		default:
			return false
		}
	}
	return letters && len(code) <= 64
}
