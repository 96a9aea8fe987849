package apierr

import (
	"context"
	"errors"
	"net/http"
	"time"

	"footnote/assistants"
	"footnote/proxy/upstream"
	"footnote/proxy/wire"
)

// table maps errors to what clients see. It is ordered: the first row that
// matches wins, so that what the client did (went away, sent too much) comes
// before what failed as a result, and the kinds of the domain come last.
var table = []func(error) *Error{
	as(func(e *Error) *Error { return e }),
	as(func(e *wire.Error) *Error { return bad(e.Code, e.Param, e.Message) }),
	as(ofUpstream),
	as(func(e *http.MaxBytesError) *Error { return TooLarge(e.Limit) }),
	as(ofField),
	as(ofLimit),
	is(context.Canceled, Error{Status: StatusClientClosed, Code: CodeClientClosed, Message: "The client closed the request."}),
	is(context.DeadlineExceeded, Error{Status: http.StatusGatewayTimeout, Code: CodeUpstreamTimeout, Message: "The request took too long."}),
	ofKind,
}

// kinds maps the domain's kinds of failure. A [assistants.FieldError] takes
// its status and code from here, its message and param from itself.
var kinds = []struct {
	kind  error
	reply Error
}{
	{assistants.ErrAmbiguous, Error{Status: http.StatusBadRequest, Code: CodeAmbiguousCredentials, Message: "Send one key."}},
	{assistants.ErrNotBuilt, Error{Status: http.StatusBadRequest, Code: CodeNotAvailable, Message: "This is not available in this version."}},
	{assistants.ErrUnauthorized, Error{Status: http.StatusUnauthorized, Code: CodeInvalidAPIKey, Message: "Incorrect API key provided, or none. Send a key of this server as \"Authorization: Bearer fn-…\"."}},
	{assistants.ErrForbidden, Error{Status: http.StatusForbidden, Code: CodePermissionDenied, Message: "This key may not do this."}},
	{assistants.ErrNotFound, Error{Status: http.StatusNotFound, Code: CodeNotFound, Message: notFoundMessage}},
	{assistants.ErrSpaceMismatch, Error{Status: http.StatusConflict, Code: CodeSpaceMismatch, Message: "The collection was embedded with another model; reprocess it.", Permanent: true}},
	{assistants.ErrConflict, Error{Status: http.StatusConflict, Code: CodeConflict, Message: "This conflicts with what is stored.", Permanent: true}},
	{assistants.ErrStale, Error{Status: http.StatusPreconditionFailed, Code: CodePreconditionFailed, Message: "This was changed since you read it: read it again, and repeat the change with the new ETag.", Permanent: true}},
	{assistants.ErrTooLarge, Error{Status: http.StatusRequestEntityTooLarge, Code: CodeRequestTooLarge, Message: "The request is larger than allowed."}},
	{assistants.ErrUnsupportedMedia, Error{Status: http.StatusUnsupportedMediaType, Code: CodeUnsupportedMedia, Message: "This kind of content is not supported."}},
	{assistants.ErrEmptyFile, Error{Status: http.StatusUnprocessableEntity, Code: CodeEmptyFile, Message: "The file is empty."}},
	{upstream.ErrURLNotAllowed, Error{Status: http.StatusBadRequest, Code: CodeURLNotAllowed, Message: "This URL is not allowed here."}},
	{assistants.ErrWrongType, Error{Status: http.StatusBadRequest, Code: CodeInvalidType, Message: "A value has the wrong type."}},
	{assistants.ErrInvalid, Error{Status: http.StatusBadRequest, Code: CodeInvalidValue, Message: "The request is invalid."}},
	{assistants.ErrQueueFull, Error{Status: http.StatusServiceUnavailable, Code: CodeOverloaded, Message: "Too many documents are waiting to be read; try again later.", RetryAfter: 10 * time.Second}},
	{assistants.ErrNoEmbedder, Error{Status: http.StatusServiceUnavailable, Code: CodeEmbedderUnavailable, Message: "No embedder is set up; install the built-in one's weights with `make model` or `footnote model import` (for FOOTNOTE_EMBEDDING_MODEL=multilingual `make model-multilingual`, too), or set FOOTNOTE_EMBEDDING_URL.", Permanent: true}},
	{assistants.ErrDatabaseUnavailable, Error{Status: http.StatusServiceUnavailable, Code: CodeDatabaseUnavailable, Message: "The server's database cannot answer now; try again."}},
	{assistants.ErrUnavailable, Error{Status: http.StatusServiceUnavailable, Code: CodeStorageUnavailable, Message: "The server's storage cannot answer now; try again."}},
}

// as matches errors of type E.
func as[E error](reply func(E) *Error) func(error) *Error {
	return func(err error) *Error {
		if e, ok := errors.AsType[E](err); ok {
			return reply(e)
		}
		return nil
	}
}

// is matches errors that wrap target.
func is(target error, reply Error) func(error) *Error {
	return func(err error) *Error {
		if !errors.Is(err, target) {
			return nil
		}
		e := reply
		return &e
	}
}

func ofKind(err error) *Error {
	for _, k := range kinds {
		if errors.Is(err, k.kind) {
			e := k.reply
			return &e
		}
	}
	return nil
}

func ofField(f *assistants.FieldError) *Error {
	e := ofKind(f)
	if e == nil { // a kind of another package: still the client's input
		e = bad(CodeInvalidValue, "", "")
	}
	e.Param, e.Message = f.Field, f.Message
	return e
}

// ofLimit says which limit is reached, as OpenAI does: a quota has a type and a code of
// its own, because waiting does not help soon.
func ofLimit(l *assistants.LimitError) *Error {
	e := &Error{Status: http.StatusTooManyRequests, Code: CodeRateLimited, Message: l.Error(), RetryAfter: l.Wait, Permanent: l.Most == 0 || l.Asked > 0}
	switch {
	case l.Limit.IsQuota():
		e.Type, e.Code, e.Permanent = TypeQuota, CodeQuota, true
	case l.Limit == assistants.ConcurrentStreams:
		e.Code = CodeConcurrencyLimit
	}
	return e
}

// permanentUpstream holds the failures of an upstream that another attempt
// will meet again: someone has to change the configuration first.
var permanentUpstream = map[string]bool{
	upstream.CodeAuthFailed: true, upstream.CodeTLSFailed: true,
}

func ofUpstream(u *upstream.Error) *Error {
	return &Error{Status: u.Status, Code: u.Code, Param: u.Param, Message: u.Message, Permanent: u.Retried || u.Permanent || permanentUpstream[u.Code]}
}

// resolve applies the table. The result is a copy with every field filled in
// and err as its cause, so that nothing of the log is lost.
func resolve(err error) *Error {
	var e *Error
	for _, row := range table {
		if e = row(err); e != nil {
			break
		}
	}
	if e == nil {
		e = Internal()
	}
	out := *e
	out.Cause = err
	if out.Type == "" {
		out.Type = typeOf(out.Status)
	}
	return &out
}

// typeOf returns the error type of a status.
func typeOf(status int) string {
	switch status {
	case http.StatusForbidden:
		return TypePermission
	case http.StatusTooManyRequests:
		return TypeRateLimit
	case http.StatusBadGateway, http.StatusGatewayTimeout:
		return TypeUpstream
	}
	if status >= http.StatusInternalServerError {
		return TypeServer
	}
	return TypeInvalidRequest
}
